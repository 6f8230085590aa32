"""Op cases of the ops that create tensors."""

from __future__ import annotations

import numpy as np
from ops.table import Case, case, complexes, floats, raises

_VALUES = [[1.5, 2], [3, -4]]


def _nested(rank: int) -> object:
    return np.arange(2**rank, dtype=np.float64).reshape((2,) * rank).tolist()


def _tensor_rows(rank: int) -> list[Case]:
    """A nested list, a flat list with a shape, and values that do not fit."""
    return [
        case(_nested(rank), reference=np.array, order=0),
        case(list(range(2**rank)), [2] * rank, reference=np.reshape, order=0),
        case(list(range(2**rank)), [2] * rank, "int32", reference=lambda v, s, d: np.reshape(v, s), order=0),
        raises(ValueError, [1, 2, 3], [2] * rank),
        raises(ValueError, _nested(rank + 1)),
    ]


CREATE: dict[str, list[Case]] = {
    "tensor": [
        case(_VALUES, reference=np.array, order=0),
        case([1, 2, 3, 4], [2, 2], "int32", reference=lambda v, s, d: np.reshape(v, s), order=0),
        case([True, False], reference=np.array, order=0),
        case([0.4, -0.5, 0.5, 2, float("nan")], None, "bool", reference=lambda v, s, d: np.arange(5) > 1, order=0),
        case([True, 0.4], reference=lambda v: np.array([True, False]), order=0),
        case([True, 3.7], None, "int32", reference=lambda v, s, d: np.array([1, 3]), order=0),
        raises(ValueError, [[1, 2], [3]]),
        raises(ValueError, _VALUES, [4]),
        case(np.arange(24.0).reshape(2, 12).tolist(), [2, 3, 4], reference=np.reshape, order=0),
        raises(ValueError, np.arange(24.0).reshape(2, 3, 4).tolist(), [3, 2, 4]),
        raises(TypeError, {"a": 1}),
        raises(TypeError, None),
        raises(ValueError, np.array([2**40])),
        raises(ValueError, [1.0], None, "float64"),
    ],
    "scalar": [
        case(2.5, reference=np.array, order=0),
        case(True, reference=np.array, order=0),
        case(-1.7, "int32", reference=lambda v, d: np.array(-1), order=0),
        raises(ValueError, [1, 2]),
    ],
    "tensor1d": [
        case([1.5, 2, 3], reference=np.array, order=0),
        raises(ValueError, [[1]]),
        raises(ValueError, 1.0),
    ],
    **{f"tensor{rank}d": _tensor_rows(rank) for rank in range(2, 7)},
    "zeros": [
        case([2, 3], reference=np.zeros, order=0),
        case([2], "bool", reference=np.zeros, order=0),
        raises(ValueError, [-1]),
        raises(TypeError, ["a"]),
    ],
    "ones": [case([2, 3], "int32", reference=np.ones, order=0), raises(ValueError, [2], "string")],
    "fill": [
        case([2, 3], 4.5, reference=np.full, order=0),
        case([2], True, reference=np.full, order=0),
        case([2], 4.5, "int32", reference=lambda s, v, d: np.full(s, 4), order=0),
        raises(ValueError, [2], [1, 2]),
    ],
    "eye": [
        case(3, reference=np.eye, order=0),
        case(2, 4, reference=np.eye, order=0),
        case(1, reference=np.eye, order=0),
        case(2, 2, [3], "int32", reference=lambda m, n, b, d: np.broadcast_to(np.eye(2), (3, 2, 2)), order=0),
        raises(ValueError, -1),
    ],
    "linspace": [
        case(0.0, 1.0, 5, reference=np.linspace, order=0),
        case(3.0, 1.0, 1, reference=np.linspace, order=0),
        raises(ValueError, 0, 1, 0),
    ],
    "range": [
        case(1, 6, reference=np.arange, order=0),
        case(5, 0, reference=lambda a, b: np.arange(a, b, -1), order=0),
        case(0, 3, 0.5, reference=np.arange, order=0),
        case(0, 9, 2, "int32", reference=np.arange, order=0),
        case(0, 5, -1, reference=np.arange, order=0),
        case(3, 0, 1, reference=lambda a, b, s: np.arange(a, b, -1), order=0),
        case(5, 2.2, reference=lambda a, b: np.array([5, 4]), order=0),
        case(0.5, 0, reference=lambda a, b: np.zeros(0), order=0),
        case(0, 9, 2.5, "int32", reference=lambda *_: np.array([0, 2, 4, 6]), order=0),
        case(-1.5, 2, 1, "int32", reference=lambda *_: np.array([-1, 0, 1, 2]), order=0),
        raises(ValueError, 0, 5, 0),
        raises(ValueError, 0, 5, 1, "bool"),
    ],
    "one_hot": [
        case(np.array([1, 0, 3], np.int32), 3, order=0),
        case(np.array([[1], [2]], np.int32), 4, 9, -3, "float32", order=0),
        raises(TypeError, floats(2), 3),
        raises(ValueError, np.array([0], np.int32), 1),
    ],
    "complex": [case(floats(3), floats(3)), raises(ValueError, floats(2), floats(3))],
    "real": [case(complexes(3), reference=np.real, order=0), case(floats(3), reference=np.real)],
    "imag": [case(complexes(3), reference=np.imag, order=0), raises(TypeError, "text")],
    "random_uniform": [
        case([3, 2], -1, 2, "float32", 42, order=0),
        raises(ValueError, [-1]),
        raises(ValueError, [2], 0, 1, "string"),
    ],
    "random_uniform_int": [case([5], 0, 10, 1, order=0)],
    "random_normal": [case([3], 1, 2, "float32", 42, order=0), raises(ValueError, [2], 0, 1, "bool")],
    "random_standard_normal": [case([3], None, 42, order=0)],
    "truncated_normal": [case([4], 0, 1, None, 42, order=0), raises(ValueError, [2], 0, 1, "bool")],
    "random_gamma": [case([4], 2, 1, "float32", 42, order=0), raises(ValueError, [2], 1, 1, "bool")],
    "rand": [case([2, 2], lambda: 0.25, reference=lambda s, f: np.full(s, 0.25), order=0)],
}
