"""Create the graph models in models/; run once by hand, not with the tests.

    python make_models.py            (tensorflow 2.15, tensorflowjs 4.22)

Each folder gets a model as the converter of TensorFlow.js writes it, and expected.json: inputs, and what TensorFlow says.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflowjs.converters import tf_saved_model_conversion_v2 as converter

HERE = Path(__file__).parent / "models"
random = np.random.default_rng(0)
raw = tf.raw_ops


def normal(*shape: int) -> np.ndarray:
    return random.normal(size=shape).astype(np.float32)


def make(name: str, function: Callable[..., dict[str, Any]], *inputs: Any, track: Any = (), **options: Any) -> None:
    """Convert a function of arrays, and record its results."""
    arrays = [np.asarray(x) for x in inputs]
    specs = [
        tf.TensorSpec([None, *a.shape[1:]] if a.ndim else [], tf.as_dtype(a.dtype), name=f"x{i}")
        for i, a in enumerate(arrays)
    ]
    module = tf.Module()
    module.f = tf.function(function, input_signature=specs)
    module.track = list(track)
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as saved:
        tf.saved_model.save(module, saved, signatures={"serving_default": module.f})
        converter.convert_tf_saved_model(saved, str(folder), skip_op_check=True, **options)
    outputs = tf.nest.flatten(module.f(*inputs))
    content = {"inputs": [plain(tf.constant(a)) for a in arrays], "outputs": [plain(t) for t in outputs]}
    (folder / "expected.json").write_text(json.dumps(content))


def plain(tensor: tf.Tensor) -> dict[str, Any]:
    values = tensor.numpy().ravel().tolist()
    if tensor.dtype == tf.string:
        values = [v.decode() for v in values]
    if tensor.dtype == tf.complex64:
        values = [[v.real, v.imag] for v in values]
    return {"shape": list(tensor.shape), "dtype": tensor.dtype.name, "values": values}


# Elementwise

UNARY = (
    *("abs", "acos", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor", "log1p"),
    *("negative", "round", "sigmoid", "sign", "sin", "sinh", "square", "tan", "tanh"),
)
BINARY = (
    *("add", "subtract", "multiply", "divide", "floormod", "maximum", "minimum", "atan2", "divide_no_nan"),
    *("squared_difference", "pow", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
)


def elementwise(x: tf.Tensor, y: tf.Tensor) -> dict[str, Any]:
    out = {name: getattr(tf.math, name)(x * 0.4) for name in UNARY}
    positive = tf.abs(y) + 1
    out |= {name: getattr(tf.math, name)(positive) for name in ("acosh", "log", "reciprocal", "rsqrt", "sqrt")}
    out |= {name: getattr(tf.nn, name)(x) for name in ("elu", "relu", "relu6", "selu", "softplus")}
    out |= {name: getattr(tf.math, name)(positive, y) for name in BINARY}
    a, b = x > 0, y > 0
    out |= {"and": a & b, "or": a | b, "not": ~a, "select": tf.where(a, x, y), "clip": tf.clip_by_value(x, -0.5, 0.5)}
    out |= {
        "leaky": tf.nn.leaky_relu(x, 0.3),
        "addn": tf.add_n([x, y, x]),
        "nan": tf.math.is_nan(x),
        "inf": tf.math.is_inf(x),
    }
    whole = tf.cast(x * 10, tf.int32)
    out |= {
        "floordiv": whole // 3,
        "cast": whole,
        "bits": tf.bitwise.bitwise_and(whole, whole + 3),
        "finite": tf.math.is_finite(x),
    }
    complex_ = tf.complex(x, y)
    return out | {"cabs": tf.abs(complex_), "real": tf.math.real(complex_ * 2), "imag": tf.math.imag(complex_ * 2)}


def reduction(x: tf.Tensor, n: tf.Tensor) -> dict[str, Any]:
    out = {
        name: getattr(tf.math, f"reduce_{name}")(x, 1)
        for name in ("max", "mean", "min", "prod", "sum", "euclidean_norm")
    }
    out |= {
        "all": tf.reduce_all(x > 0, 0),
        "any": tf.reduce_any(x > 0, [0, 1]),
        "kept": tf.reduce_sum(x, 0, keepdims=True),
    }
    out |= {"argmax": tf.argmax(x, 1, tf.int32), "argmin": tf.argmin(x, 0, tf.int32)}
    out |= {"cumsum": tf.cumsum(x, 1, exclusive=True), "cumprod": tf.math.cumprod(x, 0, reverse=True)}
    values, indices = tf.math.top_k(x, 2)
    unique, places = tf.unique(n)
    out |= {"topv": values, "topi": indices, "unique": unique, "places": places}
    out["bincount"] = raw.Bincount(arr=n, size=6, weights=tf.constant([], tf.int32))
    out["dense"] = raw.DenseBincount(input=n, size=6, weights=tf.constant([], tf.float32), binary_output=False)
    ordered = tf.sort(x, axis=1)
    out["lower"] = raw.LowerBound(sorted_inputs=ordered, values=x)
    out["upper"] = raw.UpperBound(sorted_inputs=ordered, values=x)
    return out | {"softmax": tf.nn.softmax(x), "log_softmax": tf.nn.log_softmax(x)}


def creation(x: tf.Tensor, n: tf.Tensor) -> dict[str, Any]:
    count = tf.shape(n)[0]
    return {
        "fill": tf.fill([count, 2], 7.0),
        "lin": raw.LinSpace(start=tf.reduce_sum(x) * 0, stop=1.0, num=5),
        "hot": tf.one_hot(n, 6, 2.0, -1.0),
        "ones": tf.ones_like(x),
        "zeros": tf.zeros_like(x),
        "range": tf.range(0, count * 2, 2),
    }


# Arrays


def joined(x: tf.Tensor, n: tf.Tensor) -> dict[str, Any]:
    parts, sizes = tf.split(x, 2, 1), tf.split(x, [1, 3], 1)
    out = {"concat": tf.concat([x, x * 2], 1), "p0": parts[0], "p1": parts[1], "s0": sizes[0], "s1": sizes[1]}
    rows = tf.unstack(tf.ensure_shape(x, [3, 4]), axis=1)
    out |= {
        "row": rows[2],
        "pack": tf.stack([rows[0], rows[3]], 1),
        "rev": tf.reverse(x, [1]),
        "tile": tf.tile(x, [2, 1]),
    }
    out |= {
        "slice": tf.slice(x, [1, 0], [2, 2]),
        "strided": x[::-1, 1:-1],
        "axis": x[:, tf.newaxis, 0],
        "dots": x[..., 1],
    }
    out |= {"gather": tf.gather(x, n, axis=0), "nd": tf.gather_nd(x, [[0, 1], [2, 3]])}
    out["batch"] = tf.gather(x, [[0], [1], [3]], batch_dims=1)
    out["scatter"] = tf.scatter_nd([[1], [4]], tf.stack([x[0], x[1]]), [5, 4])
    out["update"] = tf.tensor_scatter_nd_update(x, [[1]], [x[0] * 9])
    out["dense"] = raw.SparseToDense(
        sparse_indices=[[0], [2]], output_shape=[4], sparse_values=x[0, :2], default_value=-1.0
    )
    return out


def reshaped(x: tf.Tensor) -> dict[str, Any]:
    out = {"expand": tf.expand_dims(x, 1), "squeeze": tf.squeeze(x[:, :1], 1), "reshape": tf.reshape(x, [-1, 2])}
    out |= {
        "transpose": tf.transpose(x),
        "pad": tf.pad(x, [[1, 0], [0, 2]]),
        "padv": tf.pad(x, [[1, 1], [0, 0]], constant_values=7.0),
    }
    out |= {"mirror": tf.pad(x, [[1, 1], [0, 2]], "REFLECT"), "symmetric": tf.pad(x, [[0, 1], [2, 0]], "SYMMETRIC")}
    images = tf.reshape(x, [1, -1, 2, 1])
    spread = tf.space_to_batch(images, [2, 1], [[0, 0], [0, 0]])
    out |= {"spread": spread, "back": tf.batch_to_space(spread * 2, [2, 1], [[0, 0], [0, 0]])}
    out |= {
        "broadcast": tf.broadcast_to(x[:1], [3, 4]),
        "shape": tf.shape(x),
        "size": tf.size(x),
        "rank": tf.rank(x) + tf.shape(x)[0],
    }
    out["args"] = raw.BroadcastArgs(s0=tf.shape(x), s1=tf.constant([1, 4]))
    first, second = raw.ShapeN(input=[x, images])
    return out | {"first": first, "second": second}


def matrices(x: tf.Tensor, y: tf.Tensor) -> dict[str, Any]:
    return {
        "product": tf.matmul(x[0], y[0]),
        "batch": tf.matmul(x, y),
        "adjoint": tf.matmul(x, x, transpose_b=True),
        "einsum": tf.einsum("bij,bjk->bki", x, y),
        "band": tf.linalg.band_part(x, 1, 0),
        "fused": tf.nn.relu(tf.matmul(x[0], y[0]) + tf.constant([1.0, -1.0])),
    }


# Images

KERNEL, BIAS = tf.Variable(normal(3, 3, 2, 4)), tf.Variable(normal(4))
DEPTHWISE = tf.Variable(normal(3, 3, 2, 1))
NORMED = tf.Variable(normal(3, 3, 2, 4))
MOMENTS = [tf.Variable(np.abs(normal(4)) + 0.1) for _ in range(4)]


def convolution(x: tf.Tensor) -> dict[str, Any]:
    mean, variance, scale, offset = MOMENTS
    plain_ = tf.nn.conv2d(x, KERNEL, 1, "VALID")
    # A separate convolution, because the converter folds the normalization into its kernel.
    normed = tf.nn.conv2d(x, NORMED, 1, "VALID")
    back = tf.nn.conv2d_transpose(plain_, KERNEL, [1, 6, 6, 2], 1, "VALID")
    values, places = tf.nn.max_pool_with_argmax(x, 2, 2, "VALID", output_dtype=tf.int32)
    return {
        "fused": tf.nn.relu6(tf.nn.bias_add(tf.nn.conv2d(x, KERNEL, 2, "SAME"), BIAS)),
        "leaky": tf.nn.leaky_relu(tf.nn.bias_add(tf.nn.conv2d(x, KERNEL, 1, "SAME"), BIAS), 0.3),
        "padded": tf.nn.conv2d(x, KERNEL, 1, [[0, 0], [1, 2], [0, 1], [0, 0]]),
        "dilated": tf.nn.conv2d(x, KERNEL, 1, "SAME", dilations=2),
        "depthwise": tf.nn.depthwise_conv2d(x, DEPTHWISE, [1, 1, 1, 1], "SAME"),
        "transpose": back,
        "norm": tf.compat.v1.nn.fused_batch_norm(normed, scale, offset, mean, variance, is_training=False)[0],
        "max": tf.nn.max_pool2d(x, 2, 2, "VALID"),
        "avg": tf.nn.avg_pool2d(x, 3, 2, "SAME"),
        "values": values,
        "places": places,
        "lrn": tf.nn.local_response_normalization(x, 2),
        "depth": tf.nn.depth_to_space(plain_, 2),
        "erosion": tf.nn.dilation2d(x, DEPTHWISE[..., 0], [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]),
    }


def volumes(x: tf.Tensor) -> dict[str, Any]:
    kernel = tf.reshape(KERNEL, [3, 3, 2, 1, 4])[:2]
    return {
        "conv": tf.nn.conv3d(x, kernel, [1, 1, 1, 1, 1], "SAME"),
        "max": tf.nn.max_pool3d(x, 2, 2, "VALID"),
        "avg": tf.nn.avg_pool3d(x, 2, 1, "SAME"),
    }


def images(x: tf.Tensor, boxes: tf.Tensor, scores: tf.Tensor) -> dict[str, Any]:
    out = {"bilinear": tf.image.resize(x, [3, 9]), "nearest": tf.image.resize(x, [9, 3], method="nearest")}
    out["aligned"] = tf.compat.v1.image.resize_bilinear(x, [4, 4], align_corners=True)
    out["crop"] = tf.image.crop_and_resize(x, boxes, tf.zeros([4], tf.int32), [3, 2])
    out["turned"] = raw.ImageProjectiveTransformV3(
        images=x, transforms=[[1.0, 0.2, -1.0, 0.1, 1.0, 0.5, 0.0, 0.0]], output_shape=[5, 5], fill_value=0.5,
        interpolation="BILINEAR", fill_mode="CONSTANT",
    )  # fmt: skip
    out["nms"] = tf.image.non_max_suppression(boxes, scores, 3, 0.5, 0.1)
    padded, valid = tf.image.non_max_suppression_padded(boxes, scores, 4, 0.5, 0.1, pad_to_max_output_size=True)
    kept, soft = tf.image.non_max_suppression_with_scores(boxes, scores, 4, 1.0, 0.0, 0.5)
    return out | {"padded": padded, "valid": valid, "kept": kept, "soft": soft, "where": tf.where(scores > 0.4)}


# Strings, sparse and ragged tensors


def texts(s: tf.Tensor) -> dict[str, Any]:
    parts = tf.compat.v1.string_split(s, " ", skip_empty=True)
    grams, splits = raw.StringNGrams(
        data=s, data_splits=tf.constant([0, 3], tf.int32), separator="|", ngram_widths=[2], left_pad="L", right_pad="",
        pad_width=1, preserve_short_sequences=False,
    )  # fmt: skip
    return {
        "indices": parts.indices, "values": parts.values, "shape": parts.dense_shape, "grams": grams, "splits": splits,
        "buckets": tf.strings.to_hash_bucket_fast(s, 100), "replaced": tf.strings.regex_replace(s, "[aeiou]B?", "_"),
    }  # fmt: skip


def sparse(values: tf.Tensor) -> dict[str, Any]:
    indices = tf.constant([[0, 1], [2, 0], [2, 3]], tf.int64)
    filled = raw.SparseFillEmptyRows(
        indices=indices, values=values, dense_shape=tf.constant([4, 5], tf.int64), default_value=-1.0
    )
    again, shape = raw.SparseReshape(
        input_indices=indices, input_shape=tf.constant([4, 5], tf.int64), new_shape=tf.constant([2, -1], tf.int64)
    )
    data = tf.stack([values, values * 2, values * 3], 1)
    return {
        "fi": filled[0], "fv": filled[1], "fe": filled[2], "fr": filled[3], "ri": again, "rs": shape,
        "mean": tf.sparse.segment_mean(data, [0, 2, 1], [0, 0, 1]), "sum": tf.sparse.segment_sum(data, [0, 2, 1], [0, 0, 1]),
        "diff": raw.ListDiff(x=tf.cast(values * 10, tf.int32), y=[1])[0],
    }  # fmt: skip


def spectral(x: tf.Tensor) -> dict[str, Any]:
    z = tf.signal.rfft(x)
    full = tf.signal.fft(tf.complex(x, x * 2))
    return {
        "rfft": tf.abs(z),
        "irfft": tf.signal.irfft(z * 2.0),
        "fft": tf.math.real(full),
        "ifft": tf.math.imag(tf.signal.ifft(full * 3.0)),
    }


TABLE = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b", "c"]), tf.constant([1, 2, 3])), -1
)
NUMBERED = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant([5, 6]), tf.constant(["five", "six"])), "none"
)


def tables(s: tf.Tensor, n: tf.Tensor) -> dict[str, Any]:
    return {
        "found": TABLE.lookup(s),
        "text": NUMBERED.lookup(n),
        "size": tf.cast(TABLE.size(), tf.int32) + tf.shape(n)[0],
    }


# Branches, loops, lists


def loop(n: tf.Tensor, x: tf.Tensor) -> dict[str, Any]:
    return {"y": tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x * 1.5 - 0.1), [0, x])[1]}


def branch(x: tf.Tensor) -> dict[str, Any]:
    return {"y": tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x - 1)}


def loop_in_loop(n: tf.Tensor) -> dict[str, Any]:
    def outer(i: Any, total: Any) -> Any:
        inner = tf.while_loop(lambda j, a: j < i, lambda j, a: (j + 1, a + tf.cast(i * j, tf.float32)), [0, total])
        return i + 1, inner[1]

    return {"y": tf.while_loop(lambda i, a: i < n, outer, [0, 0.0])[1]}


LSTM = tf.keras.layers.LSTM(3, return_sequences=True)
LSTM.build((None, 5, 2))


def lists(x: tf.Tensor) -> dict[str, Any]:
    shape = tf.constant([4])
    made = raw.EmptyTensorList(element_shape=shape, max_num_elements=-1, element_dtype=tf.float32)
    for i in range(3):
        made = raw.TensorListPushBack(input_handle=made, tensor=x[i])
    shorter, last = raw.TensorListPopBack(input_handle=made, element_shape=shape, element_dtype=tf.float32)
    reserved = raw.TensorListReserve(element_shape=shape, num_elements=3, element_dtype=tf.float32)
    written = raw.TensorListSetItem(input_handle=reserved, index=1, item=x[2])
    scattered = raw.TensorListScatterV2(tensor=x, indices=[2, 0, 1], element_shape=shape, num_elements=3)
    split = raw.TensorListSplit(tensor=x, element_shape=tf.constant([-1, 4]), lengths=tf.constant([2, 1], tf.int64))
    unstacked = raw.TensorListFromTensor(tensor=x, element_shape=shape)
    take = {"element_shape": shape, "element_dtype": tf.float32}
    return {
        "stack": raw.TensorListStack(input_handle=made, num_elements=-1, **take),
        "shorter": raw.TensorListStack(input_handle=shorter, num_elements=-1, **take),
        "last": last,
        "item": raw.TensorListGetItem(input_handle=written, index=1, **take),
        "zeros": raw.TensorListGetItem(input_handle=written, index=0, **take),
        "gather": raw.TensorListGather(input_handle=scattered, indices=[0, 2], **take),
        "concat": raw.TensorListConcatV2(input_handle=split, element_shape=tf.constant([-1, 4]), leading_dims=tf.constant([], tf.int64), element_dtype=tf.float32)[0],
        "length": raw.TensorListLength(input_handle=raw.TensorListResize(input_handle=unstacked, size=5)) + tf.shape(x)[0],
    }  # fmt: skip


def arrays(x: tf.Tensor) -> dict[str, Any]:
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(3):
        array = array.write(i, x * tf.cast(i, tf.float32))
    spread = tf.TensorArray(tf.float32, size=3).scatter([2, 0, 1], x)
    return {
        "stack": array.stack(),
        "concat": array.concat(),
        "gather": spread.gather([0, 2]),
        "size": spread.size() + tf.shape(x)[0],
    }


def main() -> None:
    x, y = normal(3, 4), normal(3, 4)
    picture, sequence = normal(1, 6, 6, 2), normal(2, 5, 2)
    boxes = np.array([[0, 0, 1, 1], [0, 0.05, 1, 1], [0.2, 0.2, 0.4, 0.9], [0.5, 0, 1, 0.5]], np.float32)
    words = np.array(["ab eBc", "Be a", "b"], object)
    make("elementwise", elementwise, x, y)
    make("reduction", reduction, x, np.array([1, 3, 1, 5], np.int32))
    make("creation", creation, x, np.array([0, 5, 2], np.int32))
    make("joined", joined, x, np.array([2, 0], np.int32))
    make("reshaped", reshaped, x)
    make("matrices", matrices, normal(2, 3, 3), normal(2, 3, 2))
    make("convolution", convolution, picture, track=[KERNEL, BIAS, DEPTHWISE, NORMED, *MOMENTS])
    make("volumes", volumes, normal(1, 3, 4, 4, 1), track=[KERNEL])
    make("images", images, picture, boxes, np.array([0.9, 0.8, 0.5, 0.3], np.float32))
    make("texts", texts, words)
    make("sparse", sparse, np.array([0.1, 0.5, 0.3], np.float32))
    make("spectral", spectral, normal(2, 8))
    make("tables", tables, np.array(["b", "zz", "a"], object), np.array([6, 7], np.int32), track=[TABLE, NUMBERED])
    for version in (1, 2):
        options = {"control_flow_v2": version == 2}
        make(f"loop_v{version}", loop, np.int32(5), x, **options)
        make(f"branch_v{version}", branch, x, **options)
        make(f"loop_in_loop_v{version}", loop_in_loop, np.int32(6), **options)
        make(f"lstm_v{version}", lambda x: {"y": LSTM(x)}, sequence, track=[LSTM], **options)
        make(f"arrays_v{version}", arrays, x, **options)
    make("lists", lists, x, control_flow_v2=True)


if __name__ == "__main__":
    main()
