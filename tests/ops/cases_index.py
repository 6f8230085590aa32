"""Op cases of slicing, gathering, scattering, searching, counting and rearranging blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.table import Arg, Case, bools, case, distinct, floats, ints, positive, raises

Array = np.ndarray


def int32s(*values: Any) -> Array:
    return np.array(values, np.int32)


def _scatter(indices: Array, updates: Array, shape: list[int]) -> Array:
    out = np.zeros(shape)
    np.add.at(out, tuple(np.moveaxis(indices, -1, 0)), updates)
    return out


def _updated(tensor: Array, indices: Array, updates: Array) -> Array:
    out = tensor.copy()
    for index, update in zip(
        indices.reshape(-1, indices.shape[-1]), updates.reshape(-1, *tensor.shape[indices.shape[-1] :]), strict=True
    ):
        out[tuple(index)] = update
    return out


def _space_to_batch(x: Array, blocks: list[int], paddings: list[list[int]]) -> Array:
    padded = np.pad(x, [(0, 0), *paddings, *[(0, 0)] * (x.ndim - 1 - len(blocks))])
    parts = [
        padded[(slice(None), *[slice(i, None, b) for i, b in zip(place, blocks, strict=True)])]
        for place in np.ndindex(*blocks)
    ]
    return np.concatenate(parts)


def _batch_to_space(x: Array, blocks: list[int], crops: list[list[int]]) -> Array:
    count = int(np.prod(blocks))
    out = np.zeros(
        (len(x) // count, *[n * b for n, b in zip(x.shape[1:], blocks, strict=False)], *x.shape[1 + len(blocks) :])
    )
    for part, place in zip(np.split(x, count), np.ndindex(*blocks), strict=True):
        out[(slice(None), *[slice(i, None, b) for i, b in zip(place, blocks, strict=True)])] = part
    return out[(slice(None), *[slice(a, n - b) for n, (a, b) in zip(out.shape[1:], crops, strict=False)])]


def _depth_to_space(x: Array, b: int, layout: str = "NHWC") -> Array:
    if layout == "NCHW":
        return _depth_to_space(x.transpose(0, 2, 3, 1), b).transpose(0, 3, 1, 2)
    n, h, w, c = x.shape
    out = np.zeros((n, h * b, w * b, c // b // b))
    for i, j in np.ndindex(b, b):
        start = (i * b + j) * out.shape[3]
        out[:, i::b, j::b] = x[..., start : start + out.shape[3]]
    return out


def _mirror_pad(x: Array, paddings: list[list[int]], mode: str) -> Array:
    return np.pad(x, paddings, mode)  # type: ignore[call-overload]


def _bincount(x: Array, weights: Array, size: int, binary: bool = False) -> Array:
    rows = x.reshape(-1, x.shape[-1]) if x.ndim == 2 else x.reshape(1, -1)
    factors = np.ones(rows.shape) if not weights.size else weights.reshape(rows.shape)
    out = np.zeros((len(rows), size))
    for i, j in np.ndindex(*rows.shape):
        if rows[i, j] < size:
            out[i, rows[i, j]] += factors[i, j]
    out = (out != 0).astype(float) if binary and x.ndim == 2 else out
    return (out if x.ndim == 2 else out[0]).astype(weights.dtype)


def _search_sorted(rows: Array, values: Array, side: str = "left") -> Array:
    table, picks = rows.reshape(-1, rows.shape[-1]), values.reshape(-1, values.shape[-1])
    return np.stack([np.searchsorted(r, v, side) for r, v in zip(table, picks, strict=True)])  # type: ignore[call-overload]


def _confusion_matrix(labels: Array, predictions: Array, classes: int) -> Array:
    out = np.zeros((classes, classes), int)
    np.add.at(out, (labels.astype(int), predictions.astype(int)), 1)
    return out


def _moving_average(v: Array, x: Array, decay: float, step: int | None = None, debias: bool = True) -> Array:
    return v + (x - v) * (1 - decay) / (1 - decay**step if debias and step else 1)


def _ranked(rank: int) -> dict[str, list[Case]]:
    """Cases of the ops whose names end in the rank."""
    shape = (2, 3, 2, 2)[:rank]
    x, other = floats(*shape), floats(*shape, 1)
    zeros, ones, pads = [0] * rank, [1] * rank, [[1, 0]] * rank
    first = rank == 1
    corner = lambda a, b, s: a[(slice(0, 1),) * rank]  # noqa: E731
    axis = () if first else (rank - 1,)
    return {
        f"slice{rank}d": [
            case(x, 0 if first else zeros, 1 if first else ones, reference=corner),
            raises(ValueError, other, 0 if first else zeros, 1 if first else ones),
        ],
        f"reverse{rank}d": [case(x, *axis, reference=lambda a, *r: np.flip(a, rank - 1)), raises(ValueError, other)],
        f"pad{rank}d": [
            case(x, pads[0] if first else pads, 2, reference=lambda a, p, v: np.pad(a, pads, constant_values=v)),
            raises(ValueError, other, pads[0] if first else pads),
        ],
        f"concat{rank}d": [case([x, x], *axis, reference=lambda a, *r: np.concatenate(a, rank - 1))],
    }


INDEX: dict[str, list[Case]] = {
    **_ranked(1), **_ranked(2), **_ranked(3), **_ranked(4),
    "strided_slice": [
        case(floats(4, 5), [1, 4], [3, 0], [1, -2], reference=lambda x, b, e, s: x[1:3, 4:0:-2]),
        case(floats(4, 5), [1], [3], reference=lambda x, b, e: x[1:3]),
        case(floats(4, 5), [9, 1], [9, 9], [-1, 1], 1, 1, reference=lambda x, *_: x[::-1, 1:]),
        case(floats(2, 3, 4), [0, -3], [0, -1], [1, 1], 0, 0, 1, reference=lambda x, *_: x[..., -3:-1]),
        case(floats(2, 3, 4), [0, 0, 1], [0, 0, 2], [1, 1, 1], 0, 0, 1, 2, 4, reference=lambda x, *_: x[..., None, 1]),
        case(floats(2, 3), [0, -1], [0, 7], [1, 1], 0, 0, 0, 1, 2, reference=lambda x, *_: x[None, -1]),
        case(floats(3), [2], [1], [1], reference=lambda x, *_: x[2:1], order=0),
        case(ints(5), [0], [5], [2], reference=lambda x, *_: x[::2], order=0),
        raises(ValueError, floats(5), [0], [5], [0]),
        raises(ValueError, floats(5), [0, 0], [5, 5]),
        raises(ValueError, floats(5), [5], [6], [1], 0, 0, 0, 0, 1),
        raises(ValueError, floats(5), [0], [6], [-1], 0, 0, 0, 0, 1),
        raises(ValueError, floats(2, 2), [0, 0], [1, 1], [1, 1], 0, 0, 3),
        raises(ValueError, floats(2, 2), [0, 0], [1]),
        raises(TypeError, floats(2), ["a"], [1]),
    ],
    "gather_nd": [
        case(floats(3, 4), int32s([0, 1], [2, 3], [0, 1]), reference=lambda x, i: x[i[:, 0], i[:, 1]]),
        case(floats(3, 4), int32s([2], [0]), reference=lambda x, i: x[i[:, 0]]),
        case(floats(2, 3, 2), int32s([[0, 1]], [[1, 2]]), reference=lambda x, i: x[i[..., 0], i[..., 1]]),
        case(floats(3), int32s(1), reference=lambda x, i: x[1]),
        case(floats(3), np.zeros((0, 1), np.int32), reference=lambda x, i: x[:0], order=0),
        case(floats(*[2] * 7), int32s([1, 0, 1, 1, 0, 0, 1]), reference=lambda x, i: x[tuple(i[0])][None]),
        raises(ValueError, floats(3, 4), int32s([0, 4])),
        raises(ValueError, floats(3, 4), int32s([-1, 0])),
        raises(ValueError, floats(3), int32s([0, 0])),
        raises(ValueError, floats(), int32s(0)),
        raises(TypeError, floats(3), floats(1)),
    ],
    "scatter_nd": [
        case(int32s([4], [1], [4]), floats(3), [6], reference=_scatter),
        case(int32s(2, 0, 2), floats(3, 2), [4, 2], reference=lambda i, u, s: _scatter(i[:, None], u, s)),
        case(int32s([[0, 1]], [[1, 1]]), floats(2, 1, 2), [2, 2, 2], reference=_scatter),
        case(int32s([1], [1]), ints(2), [3], reference=_scatter, order=0),
        raises(ValueError, int32s([3]), floats(1), [3]),
        raises(ValueError, int32s([0]), floats(2), [3]),
        raises(ValueError, int32s([0, 0]), floats(1), [3]),
        raises(ValueError, int32s(0), floats(1), []),
        raises(TypeError, floats(1), floats(1), [3]),
    ],
    "tensor_scatter_update": [
        case(floats(4, 2), int32s([0], [2], [0]), floats(3, 2), reference=_updated),
        case(floats(2, 3), int32s([0, 1], [1, 2], [0, 1], [0, 1]), floats(4), reference=_updated),
        case(floats(4), int32s(3, 1), floats(2), reference=lambda t, i, u: _updated(t, i[:, None], u)),
        raises(ValueError, floats(3), int32s([3]), floats(1)),
        raises(ValueError, floats(3), int32s([1]), floats(2)),
        raises(ValueError, floats(), int32s([1]), floats(1)),
        raises(TypeError, floats(3), int32s([1]), ints(1)),
    ],
    "sparse_to_dense": [
        case(int32s(0, 2, 3), floats(3), [5], floats(), reference=lambda i, v, s, d: _updated(np.full(s, d), i[:, None], v)),
        case(int32s([0, 1], [1, 2], [0, 1]), floats(3), [3, 3], reference=lambda i, v, s: _updated(np.zeros(s), i, v)),
        case(int32s(1, 0), floats(), [3], reference=lambda i, v, s: np.array([v, v, 0])),
        case(np.array(2, np.int32), floats(), [4], reference=lambda i, v, s: np.array([0, 0, v, 0])),
        case(int32s(1), bools(1), [2], True, reference=lambda i, v, s, d: np.array([True, v[0]]), order=0),
        case(int32s(1), np.array(["a"], object), [3], reference=lambda *_: np.array(["", "a", ""], object), order=0),
        raises(ValueError, int32s([0, 1]), floats(1), [5]),
        raises(ValueError, int32s(0, 1), floats(3), [5]),
        raises(ValueError, int32s(0), floats(1), [2], floats(2)),
        raises(TypeError, floats(1), floats(1), [5]),
        raises(TypeError, int32s(0), ints(1), [5], "a"),
    ],
    "space_to_batch_nd": [
        case(floats(2, 4, 2), [2], [[0, 0]], reference=_space_to_batch),
        case(floats(1, 3, 5, 2), [2, 3], [[1, 0], [0, 1]], reference=_space_to_batch),
        case(ints(1, 4), [2], [[1, 1]], reference=lambda *a: _space_to_batch(*a), order=0),
        raises(ValueError, floats(1, 3), [2], [[0, 0]]),
        raises(ValueError, floats(1, 4), [2], [[0]]),
        raises(ValueError, floats(4), [2], [[0, 0]]),
        raises(ValueError, floats(1, 4), [0], [[0, 0]]),
    ],
    "batch_to_space_nd": [
        case(floats(4, 2, 2), [2], [[0, 0]], reference=_batch_to_space),
        case(floats(6, 2, 2, 2), [2, 3], [[1, 0], [0, 2]], reference=_batch_to_space),
        raises(ValueError, floats(3, 2), [2], [[0, 0]]),
        raises(ValueError, floats(2, 2), [2], [[0, 5]]),
        raises(ValueError, floats(2, 2), [2], [[0, 0], [0, 0]]),
    ],
    "depth_to_space": [
        case(floats(2, 2, 3, 4), 2, reference=_depth_to_space),
        case(floats(1, 1, 2, 18), 3, reference=_depth_to_space),
        case(floats(2, 8, 2, 3), 2, "NCHW", reference=_depth_to_space),
        raises(ValueError, floats(1, 2, 2, 3), 2),
        raises(ValueError, floats(1, 2, 2, 4), 1),
        raises(ValueError, floats(1, 2, 2, 4), 2, "NHCW"),
        raises(ValueError, floats(2, 2, 4), 2),
        raises(TypeError, ints(1, 1, 1, 4), 2),
    ],
    "mirror_pad": [
        case(floats(3, 4), [[2, 1], [0, 3]], "reflect", reference=_mirror_pad),
        case(floats(3, 4), [[3, 1], [0, 4]], "symmetric", reference=_mirror_pad),
        case(ints(3), [[0, 0]], "reflect", reference=_mirror_pad, order=0),
        raises(ValueError, floats(3), [[3, 0]], "reflect"),
        raises(ValueError, floats(3), [[4, 0]], "symmetric"),
        raises(ValueError, floats(3), [[1, 0]], "constant"),
        raises(ValueError, floats(), [], "reflect"),
    ],
    "unique": [
        case(np.array([3.0, 1, 3, 2, 1]), reference=lambda x: [x[[0, 1, 3]], np.array([0, 1, 0, 2, 1])], order=0),
        case(int32s([1, 2, 1], [0, 0, 0]), 1, reference=lambda x, a: [x[:, :2], np.array([0, 1, 0])], order=0),
        case(np.array([0.0, -0.0, np.nan, np.nan]), reference=lambda x: [x[[0, 2]], np.array([0, 0, 1, 1])], order=0),
        case(distinct(2, 3), reference=lambda x: [x, np.arange(2)]),
        case(floats(0), reference=lambda x: [x, np.zeros(0, int)], order=0),
        case(floats(2, 0), reference=lambda x: [x[:1], np.zeros(2, int)], order=0),
        raises(ValueError, floats()),
        raises(ValueError, floats(2), 1),
    ],
    "setdiff1d_async": [
        case(int32s(3, 4, 5, 3), int32s(4, 4), reference=lambda x, y: [int32s(3, 5, 3), int32s(0, 2, 3)], order=0),
        case(np.array([1.0, np.nan, 2]), np.array([np.nan]), reference=lambda x, y: [x[[0, 2]], int32s(0, 2)], order=0),
        raises(TypeError, floats(2), ints(2)),
        raises(ValueError, floats(2, 2), floats(2)),
    ],
    "where_async": [
        case(bools(3, 4), reference=np.argwhere, order=0),
        case(np.array(True), reference=lambda x: np.zeros((1, 0)), order=0),
        raises(TypeError, floats(2)),
    ],
    "boolean_mask_async": [
        case(floats(3, 2), np.array([True, False, True]), reference=lambda x, m: x[m]),
        case(floats(2, 3), np.array([True, False, True]), 1, reference=lambda x, m, a: x[:, m]),
        case(floats(2, 2), np.array([[True, False], [True, True]]), reference=lambda x, m: x[m]),
        raises(ValueError, floats(3), np.array([True])),
        raises(TypeError, floats(3), floats(3)),
    ],
    "search_sorted": [
        case(np.array([-3.0, -1, 0, 0, 2]), floats(5), "right", reference=_search_sorted, order=0),
        case(np.arange(6.0).reshape(2, 3), positive(2, 4, high=6), reference=_search_sorted, order=0),
        raises(ValueError, floats(3), floats(3), "middle"),
        raises(ValueError, floats(2, 3), floats(3)),
        raises(ValueError, floats(), floats(3)),
    ],
    "lower_bound": [
        case(int32s(0, 1, 1, 4), int32s(1, 5, -1), reference=_search_sorted, order=0),
        raises(ValueError, floats(2, 3), floats(3)),
    ],
    "upper_bound": [
        case(int32s(0, 1, 1, 4), int32s(1, 5, -1), reference=lambda r, v: _search_sorted(r, v, "right"), order=0),
        raises(TypeError, floats(3), "text"),
    ],
    "in_top_k_async": [
        case(distinct(3, 4), int32s(1, 0, 3), 2, reference=lambda p, t, k: (np.argsort(-p)[:, :k] == t[:, None]).any(1), order=0),
        case(np.ones((1, 3)), int32s(1), reference=lambda p, t: np.array([False]), order=0),
        raises(ValueError, floats(2, 3), int32s(0)),
        raises(ValueError, floats(2, 3), int32s(0, 1), 4),
        raises(ValueError, floats(3), np.array(0, np.int32)),
    ],
    "bincount": [
        case(int32s(1, 0, 1, 7), floats(4), 3, reference=_bincount),
        case(int32s([1, 0], [1, 2]), floats(2, 2), 3, reference=lambda x, w, s: _bincount(x.reshape(-1), w, s)),
        case(int32s(1, 1), np.zeros(0, np.int32), 2, reference=_bincount, order=0),
        raises(ValueError, int32s(0), floats(2), 3),
        raises(ValueError, int32s(0), floats(1), -1),
        raises(TypeError, floats(1), floats(1), 3),
    ],
    "dense_bincount": [
        case(int32s([1, 0, 1], [5, 2, 2]), floats(2, 3), 4, reference=_bincount),
        case(int32s(1, 0, 1), floats(3), 4, True, reference=_bincount),
        case(int32s([1, 0, 1], [5, 2, 2]), np.zeros(0, np.float32), 4, True, reference=_bincount, order=0),
        raises(ValueError, int32s(0, -1), floats(2), 3),
        raises(ValueError, ints(1, 1, 1, low=0), floats(1, 1, 1), 3),
    ],
    "math.confusion_matrix": [
        case(int32s(0, 2, 1, 2), int32s(0, 1, 1, 2), 3, reference=_confusion_matrix, order=0),
        case(int32s(0, 1, 1), int32s(1, 1, 0), 2, reference=_confusion_matrix, order=0),
        raises(ValueError, int32s(0, 1), int32s(0), 2),
        raises(ValueError, int32s(0), int32s(0), 1),
    ],
    "moving_average": [
        case(floats(3), floats(3), 0.9, 5, reference=_moving_average),
        case(floats(3), floats(3), 0.9, None, False, reference=_moving_average),
        case(floats(2), floats(2), Arg((), 0.5, 0.9), Arg((), 1, 4), reference=_moving_average),
        raises(ValueError, floats(3), floats(3), 0.9),
        raises(ValueError, floats(3), floats(2), 0.9, 1),
        raises(TypeError, floats(3), ints(3), 0.9, 1),
    ],
    "cumprod": [
        case(np.array([0.5, 0.0, 2.0, 0.0, 3.0]), reference=np.cumprod, order=0),
        case(floats(2, 5), 1, True, reference=lambda x, a, e: np.concatenate([np.ones((2, 1)), x[:, :-1].cumprod(1)], 1)),
        case(floats(7, 2), 0, False, True, reference=lambda x, a, e, r: x[::-1].cumprod(0)[::-1]),
    ],
}  # fmt: skip
