"""Op cases of elementwise ops."""

from __future__ import annotations

import math

import numpy as np
from ops.table import Case, bools, case, complexes, distinct, floats, ints, positive, raises

_erf = np.vectorize(math.erf)


def _pairs(reference: object, **settings: object) -> list[Case]:
    """The cases of every binary op: equal shapes, broadcasting both ways, empty tensors, incompatible shapes, strings."""
    return [
        case(floats(2, 3), floats(2, 3), reference=reference, **settings),
        case(floats(4, 1, 3), floats(2, 1), reference=reference, **settings),
        case(floats(), floats(5), reference=reference, **settings),
        case(floats(0, 3), floats(3), reference=reference, order=0),
        raises(ValueError, floats(2, 3), floats(2, 2)),
        raises(TypeError, floats(2), "text"),
    ]


def _unary(reference: object, argument: object = None, **settings: object) -> list[Case]:
    """The cases of every unary op."""
    return [
        case(argument or floats(2, 3), reference=reference, **settings),
        case(floats(0, 2), reference=reference, order=0),
        case(floats(), reference=reference, order=0),
        raises(TypeError, "text"),
    ]


def _floor_div(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.floor(a / b).astype(np.int32)


ELEMENTWISE: dict[str, list[Case]] = {
    "add": [*_pairs(np.add), case(ints(2, 3), floats(3), reference=np.add), case(complexes(2), complexes(2), order=0)],
    "sub": [*_pairs(np.subtract), case(ints(3), ints(3), reference=np.subtract, order=0), case(bools(3), bools(3), order=0)],
    "mul": [*_pairs(np.multiply), case(ints(3), floats(2, 3), reference=np.multiply), case(complexes(2), complexes(2), order=0)],
    "div": [
        case(floats(2, 3), positive(2, 3), reference=np.divide),
        case(floats(4, 1, 3), positive(2, 1), reference=np.divide),
        case(ints(6), ints(6, low=1), reference=np.floor_divide, order=0),
        raises(ValueError, floats(2, 3), floats(2, 2)),
    ],
    "div_no_nan": [
        case(floats(2, 3), positive(2, 3), reference=np.divide),
        case(floats(4, 1), positive(3), reference=np.divide),
        raises(ValueError, floats(2, 3), floats(2, 2)),
    ],
    "floor_div": [
        case(floats(7), positive(7), reference=_floor_div, order=0),
        case(np.array([True, False]), np.array([True, True]), reference=lambda *_: np.array([1, 0], np.int32), order=0),
        case(ints(6), ints(6, low=1), reference=np.floor_divide, order=0),
        case(np.float32([1, 6, 0.3, -1, -0.3, 0.3, 0, 5, -5, 7]),
            np.float32([0.1, 0.2, 0.1, 0.1, 0.1, -0.1, 3, np.inf, np.inf, 2]),
            reference=lambda a, b: np.int32([9, 29, 3, -10, -4, -4, 0, 0, 0, 3]), order=0),
        raises(ValueError, floats(2, 3), floats(2, 2)),
    ],
    "mod": [
        case(distinct(7, low=-1.8, high=2.1), positive(7, low=2.3, high=2.9), reference=np.mod),
        case(ints(8), ints(8, low=1), reference=np.mod, order=0),
        raises(ValueError, floats(2, 3), floats(2, 2)),
    ],
    "pow": [
        case(positive(2, 3), floats(2, 3), reference=np.power),
        case(positive(4, 1), floats(3), reference=np.power),
        case(floats(4), 2.0, reference=np.power, order=0),
        case(ints(5), ints(5, low=0, high=3), reference=np.power, order=0),
        case(np.array([1.0, -1.0, 1.0, 2.0]), np.array([np.inf, -np.inf, np.nan, np.inf]),
            reference=lambda a, b: np.array([np.nan, np.nan, np.nan, np.inf]), order=0),
        case(np.array([3e38, 10, 3e38, 0.5]), np.array([3e38, 3e38, -3e38, 3e38]),
            reference=lambda a, b: np.array([np.inf, np.inf, 0.0, 0.0]), order=0),
        raises(ValueError, floats(2, 3), floats(2, 2)),
    ],
    "maximum": [
        case(distinct(2, 3), distinct(2, 3, low=-1.9, high=2.1), reference=np.maximum, order=1),
        case(distinct(3, 1), floats(2), reference=np.maximum, order=1),
        case(bools(4), bools(4), order=0),
        raises(ValueError, floats(2, 3), floats(2, 2)),
    ],
    "minimum": [
        case(distinct(2, 3), distinct(2, 3, low=-1.9, high=2.1), reference=np.minimum, order=1),
        case(distinct(3, 1), floats(2), reference=np.minimum, order=1),
        raises(ValueError, floats(2, 3), floats(2, 2)),
    ],
    "squared_difference": _pairs(lambda a, b: (a - b) ** 2),
    "atan2": [
        case(floats(2, 3), positive(2, 3), reference=np.arctan2),
        case(floats(3, 1), positive(2), reference=np.arctan2),
        raises(ValueError, floats(2, 3), floats(2, 2)),
    ],
    "add_n": [
        case([floats(2, 3), floats(2, 3), floats(2, 3)], reference=sum),
        case([floats(2)], reference=sum),
        raises(ValueError, []),
        raises(ValueError, [floats(2), floats(3)]),
        raises(TypeError, [floats(2), ints(2)]),
    ],
    "bitwise_and": [
        case(ints(5), ints(5), reference=np.bitwise_and, order=0),
        raises(TypeError, floats(2), floats(2)),
        raises(ValueError, ints(2), ints(3)),
    ],
    "abs": [*_unary(np.abs, distinct(2, 3)), case(ints(4), reference=np.abs, order=0), case(complexes(3), reference=np.abs, order=0)],
    "neg": [*_unary(np.negative), case(ints(3), reference=np.negative, order=0)],
    "sign": [*_unary(np.sign, distinct(6, low=-1.9)), case(ints(4), reference=np.sign, order=0)],
    "ceil": [*_unary(np.ceil, distinct(6, low=-1.9, high=2.2)), raises(TypeError, ints(2))],
    "floor": [*_unary(np.floor, distinct(6, low=-1.9, high=2.2)), raises(TypeError, ints(2))],
    "round": [*_unary(np.rint, distinct(6)), case(ints(3), reference=np.rint, order=0)],
    "exp": [*_unary(np.exp), case(ints(3), reference=np.exp, order=0)],
    "expm1": _unary(np.expm1),
    "log": [case(positive(2, 3), reference=np.log), raises(TypeError, ints(2))],
    "log1p": [case(positive(2, 3), reference=np.log1p), raises(TypeError, "text")],
    "sqrt": [case(positive(2, 3), reference=np.sqrt), raises(TypeError, bools(2))],
    "rsqrt": [case(positive(2, 3), reference=lambda x: 1 / np.sqrt(x)), raises(TypeError, ints(2))],
    "square": [
        *_unary(np.square),
        case(ints(3), reference=np.square, order=0),
        case(bools(4), reference=lambda x: x, order=0),
    ],
    "reciprocal": [case(positive(2, 3), reference=np.reciprocal)],
    "sin": [*_unary(np.sin), raises(TypeError, ints(2))],
    "cos": [*_unary(np.cos), raises(TypeError, ints(2))],
    "tan": [case(floats(2, 3, low=-1, high=1), reference=np.tan)],
    "asin": [case(floats(2, 3, low=-0.9, high=0.9), reference=np.arcsin)],
    "acos": [case(floats(2, 3, low=-0.9, high=0.9), reference=np.arccos)],
    "atan": _unary(np.arctan),
    "sinh": _unary(np.sinh),
    "cosh": [*_unary(np.cosh), raises(TypeError, ints(2))],
    "tanh": [*_unary(np.tanh), raises(TypeError, bools(2))],
    "asinh": _unary(np.arcsinh),
    "acosh": [case(floats(2, 3, low=1.1, high=3), reference=np.arccosh)],
    "atanh": [case(floats(2, 3, low=-0.9, high=0.9), reference=np.arctanh)],
    # The approximation is accurate to 1.5e-7 only, and the gradient is that of the exact erf.
    "erf": [case(floats(2, 3), tolerance=1e-5), case(floats(3), order=0, reference=None), raises(TypeError, bools(2))],
    "sigmoid": [*_unary(lambda x: 1 / (1 + np.exp(-x))), raises(TypeError, ints(2))],
    "log_sigmoid": _unary(lambda x: -np.log1p(np.exp(-x))),
    "softplus": _unary(lambda x: np.log1p(np.exp(x))),
    "relu": [*_unary(lambda x: np.maximum(x, 0), distinct(2, 4)), case(ints(4), order=0)],
    "relu6": [case(distinct(8, low=-3, high=9), reference=lambda x: np.clip(x, 0, 6))],
    "elu": [*_unary(lambda x: np.where(x >= 0, x, np.expm1(x)), distinct(2, 4)), raises(TypeError, ints(2))],
    "selu": _unary(lambda x: 1.0507009873554805 * np.where(x >= 0, x, 1.6732632423543772 * np.expm1(x)), distinct(2, 4)),
    "leaky_relu": [
        case(distinct(2, 4), reference=lambda x: np.where(x < 0, 0.2 * x, x)),
        case(distinct(6), options={"alpha": 0.4}, reference=lambda x, alpha: np.where(x < 0, alpha * x, x)),
    ],
    "prelu": [
        case(distinct(2, 4), floats(2, 4), reference=lambda x, a: np.where(x < 0, a * x, x)),
        case(distinct(2, 4), floats(4), reference=lambda x, a: np.where(x < 0, a * x, x)),
        raises(ValueError, floats(2, 3), floats(2, 2)),
        raises(TypeError, floats(2), complexes(2)),
    ],
    "step": [
        case(distinct(6), reference=lambda x: np.where(x > 0, 1.0, 0.0)),
        case(distinct(6), 0.5, reference=lambda x, a: np.where(x > 0, 1.0, a)),
        case(ints(6), order=0),
    ],
    "clip_by_value": [
        case(distinct(7), -1.1, 0.9, reference=np.clip),
        case(ints(7), -2, 3, reference=np.clip, order=0),
        case(ints(7), -2, 2**40, reference=lambda x, low, _: x.clip(low), order=0),
        case(ints(7), -(2**40), 3, reference=lambda x, _, high: x.clip(max=high), order=0),
        raises(ValueError, ints(7), 0, 2**2000),
        raises(ValueError, floats(2), 2, 1),
    ],
    "is_nan": [case(floats(3), reference=np.isnan, order=0)],
    "is_inf": [case(floats(3), reference=np.isinf, order=0)],
    "is_finite": [case(floats(3), reference=np.isfinite, order=0)],
    "equal": [case(ints(9), ints(9), reference=np.equal, order=0), raises(ValueError, floats(2, 3), floats(2, 2))],
    "not_equal": [case(ints(9), ints(9), reference=np.not_equal, order=0), raises(ValueError, floats(2, 3), floats(2, 2))],
    "less": [case(ints(9), floats(4, 1), reference=np.less, order=0), raises(ValueError, floats(2, 3), floats(2, 2))],
    "less_equal": [case(ints(9), ints(9), reference=np.less_equal, order=0)],
    "greater": [case(ints(9), ints(9), reference=np.greater, order=0)],
    "greater_equal": [case(ints(9), ints(9), reference=np.greater_equal, order=0), raises(TypeError, complexes(2), floats(2))],
    "logical_not": [case(bools(5), reference=np.logical_not, order=0), raises(TypeError, floats(2))],
    "logical_and": [case(bools(3, 1), bools(4), reference=np.logical_and, order=0), raises(TypeError, floats(2), bools(2))],
    "logical_or": [case(bools(3, 1), bools(4), reference=np.logical_or, order=0), raises(ValueError, bools(2), bools(3))],
    "logical_xor": [case(bools(3, 1), bools(4), reference=np.logical_xor, order=0)],
    "where": [
        case(bools(2, 3), floats(2, 3), floats(2, 3), reference=np.where, order=1),
        case(bools(3), floats(2, 3), floats(), reference=np.where, order=1),
        case(bools(2, 1), ints(3), floats(2, 3), reference=np.where, order=0),
        raises(TypeError, floats(2), floats(2), floats(2)),
        raises(ValueError, bools(2), floats(3), floats(3)),
    ],
}  # fmt: skip
