"""The operations of keras.ops that are supported in functional models: a table from their classes to functions.

A function takes the operation's arguments, and its options by Keras's names; options that Keras omits or stores as None
are not passed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.core.convert import to_tensor
from tfpy.core.ops.arith import maximum, minimum
from tfpy.core.ops.create import one_hot, ones_like, zeros_like
from tfpy.core.ops.einsum import einsum
from tfpy.core.ops.join import concat, split, stack
from tfpy.core.ops.logic import logical_and, logical_not, logical_or, where
from tfpy.core.ops.reduce import Axis
from tfpy.core.ops.slice import mirror_pad, pad, reverse, tile
from tfpy.core.tensor import Tensor
from tfpy.engine.dtypes import DType
from tfpy.layers.activations import FUNCTIONS as ACTIVATIONS
from tfpy.layers.kinds.shaping import repeated

Function = Callable[..., Any]
_DTYPES: dict[str, DType] = {
    "bool": "bool",
    **dict.fromkeys(("int8", "uint8", "int16", "int32", "int64"), "int32"),
    **dict.fromkeys(("float16", "bfloat16", "float32", "float64"), "float32"),
}


def _tensor(x: Any) -> Tensor:
    return to_tensor("operation", "x", x)


def _truth(x: Any) -> Tensor:
    return _tensor(x).cast("bool")


def _cast(x: Tensor, dtype: str) -> Tensor:
    if dtype not in _DTYPES:
        raise ValueError(f"Cast: dtype {dtype!r} is not supported.")
    return x.cast(_DTYPES[dtype])


def _variance(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    return x.sub(x.mean(axis, True)).square().mean(axis, keepdims)


def _kept(x: Tensor, axis: int, keepdims: bool) -> Tensor:
    """A removed axis reinserted with size 1, if it is to be kept."""
    return x.expand_dims(axis) if keepdims else x


def _pad(x: Tensor, pad_width: Any, mode: str = "constant", constant_values: float = 0.0) -> Tensor:
    """Padding with a constant, or mirrored at the edges."""
    if mode == "constant":
        return pad(x, pad_width, constant_values)
    if mode not in ("reflect", "symmetric"):
        raise ValueError(f"Pad: mode {mode!r} is not supported.")
    return mirror_pad(x, pad_width, mode)


def _swapped(x: Tensor, axis1: int, axis2: int) -> Tensor:
    order = [*range(x.rank)]
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return x.transpose(order)


def _item(x: Tensor, key: Any) -> Tensor:
    return x[tuple(key) if isinstance(key, list) else key]


def _softmax(x: Tensor, axis: int = -1) -> Tensor:
    parts = x.sub(x.max(axis, True)).exp()
    return parts.div(parts.sum(axis, True))


def _normalized(x: Tensor, axis: int = -1, order: int = 2, epsilon: float = 1e-12) -> Tensor:
    if order != 2:
        raise ValueError(f"Normalize: order {order!r} is not supported.")
    return x.div(maximum(x.square().sum(axis, True), epsilon).sqrt())


def _norm(x: Tensor, axis: int, ord: int = 2, keepdims: bool = False) -> Tensor:  # noqa: A002
    if ord != 2 or not isinstance(axis, int):
        raise ValueError("Norm: only the Euclidean norm over one axis is supported.")
    return x.square().sum(axis, keepdims).sqrt()


_CORE: dict[str, Function] = {"Cast": _cast}
_NUMPY: dict[str, Function] = {
    "Absolute": lambda x: x.abs(),
    "Add": lambda x1, x2: x1 + x2,
    "All": lambda x, axis=None, keepdims=False: _truth(x).all(axis, keepdims),
    "Any": lambda x, axis=None, keepdims=False: _truth(x).any(axis, keepdims),
    "Arctan": lambda x: x.atan(),
    "Argmax": lambda x, axis, keepdims=False: _kept(x.arg_max(axis), axis, keepdims),
    "Argmin": lambda x, axis, keepdims=False: _kept(x.arg_min(axis), axis, keepdims),
    "Ceil": lambda x: x.ceil(),
    "Clip": lambda x, x_min, x_max: x.clip_by_value(x_min, x_max),
    "Concatenate": lambda xs, axis=-1: concat(xs, axis),
    "Cos": lambda x: x.cos(),
    "Cosh": lambda x: x.cosh(),
    "Cumsum": lambda x, axis: x.cumsum(axis),
    "Divide": lambda x1, x2: x1 / x2,
    "Einsum": lambda *operands, subscripts: einsum(subscripts, *operands),
    "Equal": lambda x1, x2: _tensor(x1).equal(x2),
    "Exp": lambda x: x.exp(),
    "ExpandDims": lambda x, axis: x.expand_dims(axis),
    "Expm1": lambda x: x.expm1(),
    "Flip": lambda x, axis=None: reverse(x, axis),
    "Floor": lambda x: x.floor(),
    "FloorDivide": lambda x1, x2: x1 // x2,
    "GetItem": _item,
    "Greater": lambda x1, x2: _tensor(x1).greater(x2),
    "GreaterEqual": lambda x1, x2: _tensor(x1).greater_equal(x2),
    "Isnan": lambda x: x.is_nan(),
    "Less": lambda x1, x2: _tensor(x1).less(x2),
    "LessEqual": lambda x1, x2: _tensor(x1).less_equal(x2),
    "Log": lambda x: x.log(),
    "Log1p": lambda x: x.log1p(),
    "LogicalAnd": lambda x1, x2: logical_and(_truth(x1), _truth(x2)),
    "LogicalNot": lambda x: logical_not(_truth(x)),
    "LogicalOr": lambda x1, x2: logical_or(_truth(x1), _truth(x2)),
    "Matmul": lambda x1, x2: x1 @ x2,
    "Max": lambda x, axis=None, keepdims=False: x.max(axis, keepdims),
    "Maximum": maximum,
    "Mean": lambda x, axis=None, keepdims=False: x.mean(axis, keepdims),
    "Min": lambda x, axis=None, keepdims=False: x.min(axis, keepdims),
    "Minimum": minimum,
    "Mod": lambda x1, x2: x1 % x2,
    "Multiply": lambda x1, x2: x1 * x2,
    "Negative": lambda x: -x,
    "NotEqual": lambda x1, x2: _tensor(x1).not_equal(x2),
    "OnesLike": lambda x: ones_like(x),
    "Pad": _pad,
    "Power": lambda x1, x2: _tensor(x1) ** x2,
    "Prod": lambda x, axis=None, keepdims=False: x.prod(axis, keepdims),
    "Reciprocal": lambda x: x.reciprocal(),
    "Repeat": lambda x, repeats, axis: repeated(x, axis % x.rank, repeats),
    "Reshape": lambda x, newshape: x.reshape(newshape),
    "Round": lambda x, decimals=0: x.mul(10.0**decimals).round().div(10.0**decimals),
    "Sign": lambda x: x.sign(),
    "Sin": lambda x: x.sin(),
    "Sinh": lambda x: x.sinh(),
    "Split": lambda x, indices_or_sections, axis=0: split(x, indices_or_sections, axis),
    "Sqrt": lambda x: x.sqrt(),
    "Square": lambda x: x.square(),
    "Squeeze": lambda x, axis=None: x.squeeze(axis),
    "Stack": lambda xs, axis=0: stack(xs, axis),
    "Std": lambda x, axis=None, keepdims=False: _variance(x, axis, keepdims).sqrt(),
    "Subtract": lambda x1, x2: x1 - x2,
    "Sum": lambda x, axis=None, keepdims=False: x.sum(axis, keepdims),
    "Swapaxes": _swapped,
    "Take": lambda x, indices, axis: x.gather(_tensor(indices).cast("int32"), axis),
    "Tanh": lambda x: x.tanh(),
    "Tile": lambda x, repeats: tile(x, repeats),
    "Transpose": lambda x, axes=None: x.transpose(axes),
    "TrueDivide": lambda x1, x2: x1 / x2,
    "Var": _variance,
    "Where": lambda condition, x1, x2: where(_truth(condition), x1, x2),
    "ZerosLike": lambda x: zeros_like(x),
}
_NN: dict[str, Function] = {
    "Elu": lambda x, alpha=1.0: where(x.greater(0), x, minimum(x, 0).expm1().mul(alpha)),
    "Gelu": lambda x, approximate=True: ACTIVATIONS["gelu_new" if approximate else "gelu"](x),
    "HardSigmoid": ACTIVATIONS["hard_sigmoid6"],
    "LeakyRelu": lambda x, negative_slope=0.2: x.leaky_relu(negative_slope),
    "LogSigmoid": lambda x: x.log_sigmoid(),
    "LogSoftmax": lambda x, axis=-1: x.sub(x.log_sum_exp(axis, True)),
    "Normalize": _normalized,
    "OneHot": lambda x, num_classes, axis=-1, dtype="float32", sparse=False: one_hot(x.cast("int32"), num_classes),
    "Relu": lambda x: x.relu(),
    "Relu6": lambda x: x.relu6(),
    "Selu": lambda x: x.selu(),
    "Sigmoid": lambda x: x.sigmoid(),
    "Silu": ACTIVATIONS["silu"],
    "Softmax": _softmax,
    "Softplus": lambda x: x.softplus(),
    "Softsign": ACTIVATIONS["softsign"],
}
_MATH: dict[str, Function] = {
    "Erf": lambda x: x.erf(),
    "Logsumexp": lambda x, axis=None, keepdims=False: x.log_sum_exp(axis, keepdims),
    "Rsqrt": lambda x: x.rsqrt(),
}
_LINALG: dict[str, Function] = {"Norm": _norm}
OPERATIONS: dict[str, tuple[str, Function]] = {
    name: (module, function)
    for module, functions in (("core", _CORE), ("linalg", _LINALG), ("math", _MATH), ("nn", _NN), ("numpy", _NUMPY))
    for name, function in functions.items()
}
"""The module of keras.src.ops, and the function, of each class."""
