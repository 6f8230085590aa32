"""Ops of both APIs, by legacy and new name, with arguments for both.

A row: legacy name, arrays, the call on an NDArrayMath, the call in the new API, and the positions of the arrays that
gradients go to (all by default).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import tfpy as tf

Array = np.ndarray[Any, Any]


class Pair(NamedTuple):
    """An op in both APIs.

    Attributes:
        name: the legacy name, camelCase.
        inputs: the arrays.
        legacy: (math, *arrays) to the result.
        new: (*tensors) to the result.
        by: which inputs the op can be differentiated by.
    """

    name: str
    inputs: Sequence[Array]
    legacy: Callable[..., Any]
    new: Callable[..., Any]
    by: Sequence[int]


PAIRS: list[Pair] = []


def _pair(
    name: str,
    inputs: Sequence[Array],
    legacy: Callable[..., Any],
    new: Callable[..., Any],
    by: Sequence[int] | None = None,
) -> None:
    PAIRS.append(Pair(name, inputs, legacy, new, range(len(inputs)) if by is None else by))


_draw = np.random.default_rng(17)


def normal(*shape: int) -> Array:
    return _draw.normal(size=shape).astype(np.float32)


def positive(*shape: int) -> Array:
    return _draw.uniform(0.2, 3, shape).astype(np.float32)


def within(low: float, high: float, *shape: int) -> Array:
    return _draw.uniform(low, high, shape).astype(np.float32)


def integers(high: int, *shape: int) -> Array:
    return _draw.integers(0, high, shape).astype(np.int32)


def booleans(*shape: int) -> Array:
    return _draw.integers(0, 2, shape).astype(bool)


def _same(names: str, *inputs: Array, by: Sequence[int] | None = None, new: str | None = None) -> None:
    """Add ops with the same arguments in both APIs; `new` is the new name if it differs."""
    for name in names.split():
        target = getattr(tf, new or name)
        _pair(name, inputs, lambda m, *x, name=name: getattr(m, name)(*x), target, by)


# Elementwise

_same("abs neg exp relu elu selu sigmoid tanh sin cos tan atan sinh cosh square leakyRelu step", normal(4, 5))
_same("ceil floor", normal(4, 5))
_same("sqrt log", positive(4, 5))
_same("asin acos", within(-0.9, 0.9, 4, 5))
_same("prelu", normal(4, 5), normal(4, 5))
_pair("step", [normal(6)], lambda m, x: m.step(x, 0.3), lambda x: tf.step(x, 0.3))
_pair("leakyRelu", [normal(6)], lambda m, x: m.leakyRelu(x, 0.05), lambda x: tf.leaky_relu(x, 0.05))
_pair("clip", [normal(4, 5)], lambda m, x: m.clip(x, -0.5, 0.7), lambda x: tf.clip_by_value(x, -0.5, 0.7))
_pair(
    "eluDer",
    [normal(6)],
    lambda m, x: m.eluDer(x),
    lambda x: tf.where(tf.greater_equal(x, 0), tf.ones([6]), tf.exp(x)),
    [],
)
_pair(
    "preluDer",
    [normal(6), positive(6)],
    lambda m, x, a: m.preluDer(x, a),
    lambda x, a: tf.where(tf.greater(x, 0), tf.ones([6]), a),
    [],
)
_pair("cast", [normal(4)], lambda m, x: m.cast(x, "int32"), lambda x: tf.cast(x, "int32"), [])

# Arithmetic and comparisons

_MATRICES = normal(3, 4), normal(3, 4)
_BROADCAST = normal(3, 4), normal(4)
for _operands in (_MATRICES, _BROADCAST, (normal(2, 1, 3), normal(4, 1)), (normal(), normal(5))):
    _same("add sub maximum minimum", *_operands)
    _same("subtract", *_operands, new="sub")
    _same("multiply", *_operands, new="mul")
    _same("divide", *_operands, new="div")
    _same("equal notEqual less lessEqual greater greaterEqual", *_operands, by=[])
_same("pow", positive(3, 4), integers(4, 4), by=[0])
_STRICT = {
    "addStrict": "add", "subStrict": "sub", "multiplyStrict": "mul", "elementWiseMul": "mul", "divideStrict": "div",
    "maximumStrict": "maximum", "minimumStrict": "minimum", "elementWiseMulBroadcast": "mul",
}  # fmt: skip
for _name, _new in _STRICT.items():
    _same(_name, *_MATRICES, new=_new)
_same("powStrict", positive(3, 4), integers(4, 3, 4), by=[0], new="pow")
for _name in ("equal", "notEqual", "less", "lessEqual", "greater", "greaterEqual"):
    _same(_name + "Strict", *_MATRICES, by=[], new=_name)
_SCALAR = {
    "scalarPlusArray": "add",
    "scalarMinusArray": "sub",
    "scalarTimesArray": "mul",
    "scalarDividedByArray": "div",
}
for _name, _new in _SCALAR.items():
    _same(_name, normal(), normal(3, 4), new=_new)
_same("arrayMinusScalar", normal(3, 4), normal(), new="sub")
_same("arrayDividedByScalar", normal(3, 4), normal(), new="div")
_pair(
    "scaledArrayAdd", [normal(), normal(3, 4), normal(), normal(3, 4)],
    lambda m, *x: m.scaledArrayAdd(*x), lambda c, a, d, b: tf.add(tf.mul(c, a), tf.mul(d, b)),
)  # fmt: skip
_same("logicalAnd logicalOr logicalXor", booleans(6), booleans(6), by=[])
_same("logicalNot", booleans(6), by=[])
_same("where", booleans(3, 4), normal(3, 4), normal(3, 4), by=[1, 2])

# Matrices

_same("matMul", normal(5, 7), normal(7, 3))
_pair(
    "matMul",
    [normal(7, 5), normal(3, 7)],
    lambda m, a, b: m.matMul(a, b, 1, 1),
    lambda a, b: tf.mat_mul(a, b, True, True),
)
_pair(
    "vectorTimesMatrix",
    [normal(7), normal(7, 3)],
    lambda m, v, a: m.vectorTimesMatrix(v, a),
    lambda v, a: tf.mat_mul(v.reshape([1, 7]), a).reshape([3]),
)
_pair(
    "matrixTimesVector",
    [normal(3, 7), normal(7)],
    lambda m, a, v: m.matrixTimesVector(a, v),
    lambda a, v: tf.mat_mul(a, v.reshape([7, 1])).reshape([3]),
)
_same("dotProduct", normal(9), normal(9), new="dot")
_same("outerProduct", normal(4), normal(5))
_same("transpose", normal(3, 4))
_pair("transpose", [normal(2, 3, 4)], lambda m, x: m.transpose(x, [2, 0, 1]), lambda x: tf.transpose(x, [2, 0, 1]))
_pair("switchDim", [normal(2, 3)], lambda m, x: m.switchDim(x, [1, 0]), lambda x: tf.transpose(x, [1, 0]))
_pair("norm", [normal(3, 4)], lambda m, x: m.norm(x, "euclidean", 1), lambda x: tf.norm(x, "euclidean", 1))

# Reductions

for _axis, _keep in ((None, False), (1, False), ([0, 2], True)):
    for _name in ("sum", "mean", "max", "min", "logSumExp"):
        _pair(
            _name, [normal(3, 4, 2)],
            lambda m, x, n=_name, a=_axis, k=_keep: getattr(m, n)(x, a, k),
            lambda x, n=_name, a=_axis, k=_keep: getattr(tf, n)(x, a, k),
        )  # fmt: skip
_pair("argMax", [normal(3, 4)], lambda m, x: m.argMax(x, 1), lambda x: tf.arg_max(x, 1), [])
_pair("argMax", [normal(3, 4)], lambda m, x: m.argMax(x), lambda x: tf.arg_max(x.reshape([12])), [])
_pair("argMin", [normal(3, 4)], lambda m, x: m.argMin(x, 0), lambda x: tf.arg_min(x, 0), [])
_pair(
    "argMaxEquals",
    [normal(5), normal(5)],
    lambda m, a, b: m.argMaxEquals(a, b),
    lambda a, b: tf.equal(tf.arg_max(a), tf.arg_max(b)),
    [],
)
_pair("topK", [normal(9)], lambda m, x: m.topK(x, 4).values, lambda x: tf.topk(x, 4).values, [])
_pair("topK", [normal(9)], lambda m, x: m.topK(x, 4).indices, lambda x: tf.topk(x, 4).indices, [])
_pair("moments", [normal(3, 4)], lambda m, x: m.moments(x, 1).variance, lambda x: tf.moments(x, 1).variance)
_same("softmax", normal(3, 5))
_pair(
    "softmaxCrossEntropyWithLogits", [positive(3, 5), normal(3, 5)],
    lambda m, a, b: m.softmaxCrossEntropyWithLogits(a, b), lambda a, b: tf.sum(tf.neg(tf.mul(tf.log_softmax(b), a)), 1),
)  # fmt: skip

# Shapes

_same("clone", normal(3, 4))
_pair("reshape", [normal(3, 4)], lambda m, x: m.reshape(x, [4, 3]), lambda x: tf.reshape(x, [4, 3]))
for _rank in range(1, 5):
    _shape, _begin, _size = [3] * _rank, [1] * _rank, [2] * _rank
    _pair(
        f"slice{_rank}D", [normal(*_shape)],
        lambda m, x, r=_rank, b=_begin, s=_size: getattr(m, f"slice{r}D")(x, b[0] if r == 1 else b, s[0] if r == 1 else s),
        lambda x, b=_begin, s=_size: tf.slice(x, b, s),
    )  # fmt: skip
    _pair(
        f"concat{_rank}D", [normal(*_shape), normal(*_shape)],
        lambda m, a, b, r=_rank: m.concat1D(a, b) if r == 1 else getattr(m, f"concat{r}D")(a, b, r - 1),
        lambda a, b, r=_rank: tf.concat([a, b], r - 1),
    )  # fmt: skip
    _pair(
        f"reverse{_rank}D", [normal(*_shape)],
        lambda m, x, r=_rank: m.reverse1D(x) if r == 1 else getattr(m, f"reverse{r}D")(x, r - 1),
        lambda x, r=_rank: tf.reverse(x, r - 1),
    )  # fmt: skip
_pair("tile", [normal(2, 3)], lambda m, x: m.tile(x, [2, 1]), lambda x: tf.tile(x, [2, 1]))
_pair("gather", [normal(4, 3), integers(4, 5)], lambda m, x, i: m.gather(x, i), tf.gather, [0])
_pair("pad1D", [normal(3)], lambda m, x: m.pad1D(x, [1, 2], 0.5), lambda x: tf.pad(x, [[1, 2]], 0.5))
_pair("pad2D", [normal(3, 2)], lambda m, x: m.pad2D(x, [[1, 2], [0, 1]]), lambda x: tf.pad(x, [[1, 2], [0, 1]]))
_pair(
    "oneHot",
    [integers(4, 5)],
    lambda m, x: m.oneHot(x, 4, 2, -1),
    lambda x: tf.cast(tf.one_hot(x, 4, 2, -1), "float32"),
    [],
)

# Images

_IMAGES, _FILTER, _BIAS = normal(2, 6, 6, 3), normal(3, 3, 3, 4), normal(4)
_pair(
    "conv2d", [_IMAGES, _FILTER, _BIAS], lambda m, x, f, b: m.conv2d(x, f, b, 2, "same"),
    lambda x, f, b: tf.add(tf.conv2d(x, f, 2, "same"), b),
)  # fmt: skip
_pair(
    "conv2d", [normal(6, 6, 3), _FILTER], lambda m, x, f: m.conv2d(x, f, None, [1, 1], 1),
    lambda x, f: tf.conv2d(x, f, [1, 1], 1),
)  # fmt: skip
_pair(
    "conv1d", [normal(2, 8, 3), normal(3, 3, 4)], lambda m, x, f: m.conv1d(x, f, None, 1, "same"),
    lambda x, f: tf.conv1d(x, f, 1, "same"),
)  # fmt: skip
_pair(
    "depthwiseConv2D", [_IMAGES, normal(3, 3, 3, 2)], lambda m, x, f: m.depthwiseConv2D(x, f, 1, "same"),
    lambda x, f: tf.depthwise_conv2d(x, f, 1, "same"),
)  # fmt: skip
_pair(
    "conv2dTranspose", [normal(2, 4, 4, 4), _FILTER], lambda m, x, f: m.conv2dTranspose(x, f, [2, 6, 6, 3], 1, "valid"),
    lambda x, f: tf.conv2d_transpose(x, f, [2, 6, 6, 3], 1, "valid"),
)  # fmt: skip
_pair(
    "conv2dDerInput", [normal(2, 4, 4, 4), _FILTER], lambda m, dy, f: m.conv2dDerInput([2, 6, 6, 3], dy, f, 1, "valid"),
    lambda dy, f: tf.grad(lambda x: tf.conv2d(x, f, 1, "valid"))(tf.zeros([2, 6, 6, 3]), dy), [],
)  # fmt: skip
_pair(
    "conv2dDerFilter", [_IMAGES, normal(2, 4, 4, 4)], lambda m, x, dy: m.conv2dDerFilter(x, dy, [3, 3, 3, 4], 1, "valid"),
    lambda x, dy: tf.grad(lambda f: tf.conv2d(x, f, 1, "valid"))(tf.zeros([3, 3, 3, 4]), dy), [],
)  # fmt: skip
_pair("conv2dDerBias", [normal(2, 4, 4, 4)], lambda m, dy: m.conv2dDerBias(dy), lambda dy: tf.sum(dy, [0, 1, 2]), [])
for _name in ("maxPool", "avgPool"):
    _pair(
        _name, [_IMAGES], lambda m, x, n=_name: getattr(m, n)(x, 2, 2, "same"),
        lambda x, n=_name: getattr(tf, n)(x, 2, 2, "same"),
    )  # fmt: skip
    _pair(
        _name + "Backprop", [normal(2, 3, 3, 3), _IMAGES], lambda m, dy, x, n=_name: getattr(m, n + "Backprop")(dy, x, 2, 2, 0),
        lambda dy, x, n=_name: tf.grad(lambda t: getattr(tf, n)(t, 2, 2, 0))(x, dy), [],
    )  # fmt: skip
_pair(
    "minPool", [_IMAGES], lambda m, x: m.minPool(x, 2, 1, "valid"),
    lambda x: tf.neg(tf.max_pool(tf.neg(x), 2, 1, "valid")),
)  # fmt: skip
_pair(
    "resizeBilinear3D", [normal(4, 5, 2)], lambda m, x: m.resizeBilinear3D(x, [7, 3], True),
    lambda x: tf.image.resize_bilinear(x, [7, 3], True),
)  # fmt: skip
for _rank in range(2, 5):
    _pair(
        f"batchNormalization{_rank}D", [normal(*[3] * _rank), normal(3), positive(3), normal(3), normal(3)],
        lambda m, x, mean, var, scale, offset, r=_rank: getattr(m, f"batchNormalization{r}D")(x, mean, var, 0.01, scale, offset),
        lambda x, mean, var, scale, offset: tf.batch_norm(x, mean, var, offset, scale, 0.01),
    )  # fmt: skip
for _rank in (3, 4):
    _pair(
        f"localResponseNormalization{_rank}D", [normal(*[4] * _rank)],
        lambda m, x, r=_rank: getattr(m, f"localResponseNormalization{r}D")(x, 2, 1, 0.5, 0.7),
        lambda x: tf.local_response_normalization(x, 2, 1, 0.5, 0.7),
    )  # fmt: skip
_CELL = normal(), normal(5, 8), normal(8), normal(1, 3), normal(1, 2), normal(1, 2)
for _part in (0, 1):
    _pair(
        "basicLSTMCell", _CELL, lambda m, *x, i=_part: m.basicLSTMCell(*x)[i], lambda *x, i=_part: tf.basic_lstm_cell(*x)[i],
    )  # fmt: skip

NO_COUNTERPART = {
    "multiRNNCell": "calls cells, which are other rows of the table",
    "conv2dBackProp": "a record of conv2dDerInput, conv2dDerFilter and conv2dDerBias",
    "multinomial": "takes probabilities; tf.multinomial takes logits and draws with other numbers",
}
"""Ops without a pair, and the reason."""
