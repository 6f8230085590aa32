"""Op cases of reshaping, joining, slicing, gathering and matrix products."""

from __future__ import annotations

import numpy as np
from ops.table import Case, bools, case, complexes, floats, ints, raises


def _pad(x: np.ndarray, paddings: list[list[int]], value: float = 0) -> np.ndarray:
    return np.pad(x, paddings, constant_values=value)


def _split(x: np.ndarray, sizes: int | list[int], axis: int = 0) -> list[np.ndarray]:
    return np.split(x, sizes if isinstance(sizes, int) else np.cumsum(sizes)[:-1], axis)


SHAPE: dict[str, list[Case]] = {
    "cast": [
        case(floats(2, 3), "float32", reference=lambda x, d: x),
        case(floats(5), "int32", reference=lambda x, d: np.trunc(x).astype(np.int32), order=0),
        case(ints(4), "bool", reference=lambda x, d: x != 0, order=0),
        case(floats(3), "complex64", reference=lambda x, d: x.astype(np.complex64), order=0),
        case(complexes(3), "float32", reference=lambda x, d: x.real, order=0),
        raises(TypeError, floats(2), "string"),
        raises(ValueError, floats(2), "float16"),
    ],
    "clone": [case(floats(2, 3), reference=np.copy)],
    "reshape": [
        case(floats(2, 6), [3, 4], reference=np.reshape),
        case(floats(2, 6), [-1, 3], reference=np.reshape),
        case(floats(4), 4, reference=np.reshape),
        case(floats(0, 3), [3, 0], reference=np.reshape, order=0),
        raises(ValueError, floats(2, 6), [5, -1]),
        raises(ValueError, floats(2, 2), [3, 2]),
        raises(ValueError, floats(4), [-1, -1]),
        raises(ValueError, floats(4), [-2, -2]),
    ],
    "expand_dims": [
        case(floats(2, 3), reference=lambda x: x[None]),
        case(floats(2, 3), -1, reference=np.expand_dims),
        raises(ValueError, floats(3), 3),
    ],
    "squeeze": [
        case(floats(1, 2, 1), reference=np.squeeze),
        case(floats(1, 2, 1), [2], reference=lambda x, a: x[..., 0]),
        raises(ValueError, floats(1, 3), 1),
    ],
    "broadcast_to": [
        case(floats(3), [2, 3], reference=np.broadcast_to),
        case(floats(2, 1), [2, 4], reference=np.broadcast_to),
        case(floats(2, 3), [2, 3], reference=np.broadcast_to),
        case(floats(2, 3), [4, -1, 3], reference=lambda x, _: np.broadcast_to(x, (4, 2, 3))),
        raises(ValueError, floats(2, 3), [-1, 2, 3]),
        raises(ValueError, floats(3), [2]),
    ],
    "broadcast_args": [
        case(np.array([-1, 6], np.int32), np.array([3, 1, 1], np.int32), reference=lambda a, b: np.array([3, -1, 6]), order=0),
        raises(ValueError, np.array([-2], np.int32), np.array([1], np.int32)),
        case(np.array([2, 1], np.int32), np.array([3], np.int32), reference=lambda a, b: np.array([2, 3]), order=0),
        raises(ValueError, np.array([2], np.int32), np.array([3], np.int32)),
    ],
    "ensure_shape": [
        case(floats(2, 3), [None, 3], reference=lambda x, s: x),
        raises(ValueError, floats(2, 3), [3, 2]),
    ],
    "transpose": [
        case(floats(2, 3), reference=np.transpose),
        case(floats(2, 3, 4), [1, 0, 2], reference=np.transpose),
        case(complexes(2, 3), None, True, reference=lambda x, p, c: x.T.conj(), order=0),
        raises(ValueError, floats(2, 3), [0, 2]),
        raises(ValueError, floats(2, 3), [0, 0]),
    ],
    "concat": [
        case([floats(2, 3), floats(1, 3)], reference=np.concatenate),
        case([floats(2, 3), floats(2, 1), floats(2, 2)], 1, reference=np.concatenate),
        case([floats(2)], reference=np.concatenate),
        case([floats(0), ints(2), floats(1)], reference=lambda parts: np.concatenate([parts[1], parts[2]]).astype(np.float32), order=0),
        case([floats(0), ints(2), floats(0)], reference=lambda parts: parts[1], order=0),
        case([ints(0), floats(2), floats(1)], reference=lambda parts: np.concatenate(parts).astype(np.int32), order=0),
        raises(ValueError, []),
        raises(ValueError, [floats(2, 3), floats(2, 2)]),
        raises(TypeError, floats(2, 3)),
    ],
    "stack": [
        case([floats(2, 3), floats(2, 3)], reference=np.stack),
        case([floats(2), floats(2), floats(2)], -1, reference=np.stack),
        raises(ValueError, [floats(2), floats(3)]),
        raises(TypeError, [floats(2), ints(2)]),
    ],
    "unstack": [
        case(floats(3, 2), reference=list),
        case(floats(2, 3), 1, reference=lambda x, a: list(x.T)),
        raises(ValueError, floats(2), 1),
    ],
    "split": [
        case(floats(4, 2), 2, reference=_split),
        case(floats(2, 5), [1, 4], 1, reference=_split),
        case(floats(6), [2, -1], reference=lambda x, s: [x[:2], x[2:]]),
        raises(ValueError, floats(5), 2),
        raises(ValueError, floats(5), [2, 2]),
    ],
    "meshgrid": [
        case(floats(3), floats(2), reference=np.meshgrid),
        case(floats(3), floats(2), {"indexing": "ij"}, reference=lambda a, b, o: np.meshgrid(a, b, indexing="ij")),
        case(floats(3), reference=lambda a: [a]),
        raises(ValueError, floats(3), floats(2), {"indexing": "yx"}),
    ],
    "slice": [
        case(floats(4, 3), [1, 0], [2, 2], reference=lambda x, b, s: x[1:3, :2]),
        case(floats(4, 3), 2, reference=lambda x, b: x[2:]),
        case(floats(4, 3), [-2], [1, -1], reference=lambda x, b, s: x[2:3]),
        raises(ValueError, floats(4), 2, 3),
        raises(ValueError, floats(), 0),
    ],
    "pad": [
        case(floats(2, 3), [[1, 0], [0, 2]], reference=_pad),
        case(floats(3), [[2, 1]], 7, reference=_pad),
        case(ints(3), [[1, 1]], 4, reference=_pad, order=0),
        case(ints(3), [[1, 1]], -1.7, reference=lambda x, p, v: np.pad(x, p, constant_values=-1), order=0),
        case(ints(3), [[1, 1]], 2**32 + 3, reference=lambda x, p, v: np.pad(x, p, constant_values=3), order=0),
        case(ints(3), [[1, 1]], np.nan, reference=lambda x, p, v: np.pad(x, p), order=0),
        raises(ValueError, floats(3), [[1, 1], [1, 1]]),
        raises(ValueError, floats(3), [[-1, 1]]),
        raises(ValueError, floats(), []),
    ],
    "tile": [
        case(floats(2, 3), [2, 1], reference=np.tile),
        case(floats(2, 1, 2), [1, 3, 2], reference=np.tile),
        case(floats(3), [0], reference=np.tile, order=0),
        raises(ValueError, floats(2), [1, 2]),
    ],
    "reverse": [
        case(floats(2, 3), reference=np.flip),
        case(floats(2, 3), [1], reference=lambda x, a: x[:, ::-1]),
        raises(ValueError, floats(2), 1),
    ],
    "gather": [
        case(floats(4, 3), np.array([2, 0, 2], np.int32), reference=lambda x, i: x[i]),
        case(floats(2, 4), np.array([[1, 3]], np.int32), 1, reference=lambda x, i, a: x[:, i]),
        case(floats(2, 4, 3), np.array([[0, 2], [3, 3]], np.int32), 1, 1, reference=lambda x, i, a, b: np.stack([x[0, i[0]], x[1, i[1]]])),
        case(floats(2, 3, 4, 2), np.array([[1, 0], [3, 3]], np.int32), 2, 1,
             reference=lambda x, i, a, b: np.stack([x[0][:, i[0]], x[1][:, i[1]]])),
        raises(ValueError, floats(3), np.array([3], np.int32)),
        raises(ValueError, floats(3), np.array([-1], np.int32)),
        raises(TypeError, floats(3), floats(2)),
        raises(ValueError, floats(2, 3), np.array([0], np.int32), 0, 1),
    ],
    "unsorted_segment_sum": [
        case(floats(4, 2), np.array([0, 2, 0, -1], np.int32), 3,
             reference=lambda x, i, n: np.stack([x[0] + x[2], 0 * x[0], x[1]])),
        case(complexes(3), np.array([0, 0, 2], np.int32), 3, reference=lambda x, i, n: np.array([x[0] + x[1], 0, x[2]])),
        case(complexes(2), np.array([0, 0], np.int32), 0, reference=lambda x, i, n: x[:0]),
        raises(ValueError, floats(4), np.array([0, 1], np.int32), 2),
        raises(TypeError, floats(2), floats(2), 2),
    ],
    "mat_mul": [
        case(floats(2, 3), floats(3, 4), reference=np.matmul),
        case(floats(3, 2), floats(3, 4), True, reference=lambda a, b, t: a.T @ b),
        case(floats(2, 3), floats(4, 3), False, True, reference=lambda a, b, s, t: a @ b.T),
        case(floats(3, 2), floats(4, 3), True, True, reference=lambda a, b, s, t: a.T @ b.T),
        case(floats(5, 2, 3), floats(5, 3, 2), reference=np.matmul),
        case(floats(2, 3), floats(5, 3, 2), reference=np.matmul),
        case(ints(2, 3), ints(3, 2), reference=np.matmul, order=0),
        raises(ValueError, floats(2, 3), floats(2, 3)),
        raises(ValueError, floats(3), floats(3, 2)),
    ],
    "dot": [
        case(floats(3), floats(3), reference=np.dot),
        case(floats(2, 3), floats(3), reference=np.dot),
        case(floats(3), floats(3, 2), reference=np.dot),
        case(floats(2, 3), floats(3, 2), reference=np.dot),
        raises(ValueError, floats(2), floats(3)),
        raises(ValueError, floats(2, 2, 2), floats(2)),
    ],
    "outer_product": [case(floats(3), floats(2), reference=np.outer), raises(ValueError, floats(2, 2), floats(2))],
    "zeros_like": [case(floats(2), reference=np.zeros_like, order=0), case(bools(2), reference=np.zeros_like, order=0)],
    "ones_like": [case(ints(2), reference=np.ones_like, order=0)],
}  # fmt: skip
