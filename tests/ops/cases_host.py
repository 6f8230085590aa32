"""Op cases of sparse and ragged tensors and strings, whose output shapes depend on values."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.table import Case, case, floats, ints, raises


def int32s(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def strings(*values: str) -> np.ndarray:
    return np.array(values, object)


SPLITS = int32s(0, 2, 2, 3)
EMPTY = np.zeros(0, np.int32)

HOST: dict[str, list[Case]] = {
    "sparse.sparse_fill_empty_rows": [
        case(int32s([2, 1], [0, 3], [2, 0]), floats(3), int32s(4, 5), floats(),
             reference=lambda i, v, s, d: [[[0, 3], [1, 0], [2, 1], [2, 0], [3, 0]], [v[1], d, v[0], v[2], d], [False, True, False, True], [2, 0, 3]]),
        case(EMPTY.reshape(0, 2), floats(0), int32s(2, 3), 7.0, reference=lambda i, v, s, d: [[[0, 0], [1, 0]], [7, 7], [True, True], EMPTY], order=0),
        case(EMPTY.reshape(0, 2), floats(0), int32s(0, 3), 7.0, reference=lambda i, v, s, d: [EMPTY.reshape(0, 2), EMPTY, np.zeros(0, bool), EMPTY], order=0),
        raises(ValueError, int32s([2, 0]), floats(1), int32s(2, 3), 0.0),
        raises(ValueError, int32s([-1, 0]), floats(1), int32s(2, 3), 0.0),
        raises(ValueError, int32s([0, 0]), floats(2), int32s(2, 3), 0.0),
        raises(ValueError, int32s([0, 0]), floats(1), int32s(2, 3), floats(1)),
        raises(ValueError, int32s(0, 0), floats(1), int32s(2, 3), 0.0),
        raises(TypeError, floats(1, 2), floats(1), int32s(2, 3), 0.0),
    ],
    "sparse.sparse_reshape": [
        case(int32s([0, 0, 3], [1, 2, 3]), int32s(2, 3, 6), int32s(9, -1), reference=lambda i, s, n: [[[0, 3], [8, 1]], [9, 4]], order=0),
        case(EMPTY.reshape(0, 2), int32s(2, 0), int32s(0), reference=lambda i, s, n: [EMPTY.reshape(0, 1), [0]], order=0),
        raises(ValueError, int32s([0, 0]), int32s(2, 3), int32s(7, -1)),
        raises(ValueError, int32s([0, 0]), int32s(2, 3), int32s(0, -1)),
        raises(ValueError, int32s([0, 0]), int32s(2, 3), int32s(-1, -1)),
        raises(ValueError, int32s([0, 0]), int32s(2, 3), int32s(5)),
        raises(ValueError, int32s([0, 3]), int32s(2, 3), int32s(6)),
    ],
    "sparse.sparse_segment_sum": [
        case(floats(3, 2), int32s(0, 1, 2, 0), int32s(0, 0, 2, 2), reference=lambda x, i, s: np.stack([x[0] + x[1], 0 * x[0], x[2] + x[0]])),
        case(floats(3), EMPTY, EMPTY, reference=lambda x, i, s: np.zeros(0), order=0),
        case(ints(3), int32s(1, 1), int32s(0, 0), reference=lambda x, i, s: 2 * x[1:2], order=0),
        raises(ValueError, floats(3), int32s(0, 1), int32s(1, 0)),
        raises(ValueError, floats(3), int32s(0), int32s(-1)),
        raises(ValueError, floats(3), int32s(3), int32s(0)),
        raises(ValueError, floats(3), int32s(0), int32s(0, 1)),
        raises(ValueError, floats(), int32s(0), int32s(0)),
    ],
    "sparse.sparse_segment_mean": [
        case(floats(3, 2), int32s(0, 1, 2), int32s(0, 0, 2), reference=lambda x, i, s: np.stack([(x[0] + x[1]) / 2, 0 * x[0], x[2]])),
        case(int32s(-3, 4), int32s(0, 1, 0), int32s(0, 0, 0), reference=lambda x, i, s: np.trunc(np.array([-2 / 3])), order=0),
        raises(TypeError, floats(3), floats(1), int32s(0)),
    ],
    "ragged_range": [
        case(int32s(0, 5), np.int32(8), np.int32(2), reference=lambda s, e, d: [[0, 4, 6], [0, 2, 4, 6, 5, 7]], order=0),
        case(np.array([3.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0]), -0.5, reference=lambda s, e, d: [[0, 4, 4, 4], [3, 2.5, 2, 1.5]], order=0),
        raises(ValueError, floats(2), floats(3), 1.0),
        raises(ValueError, floats(2), floats(2), 0.0),
        raises(ValueError, floats(2, 1), floats(), 1.0),
        raises(TypeError, floats(2), ints(2), 1.0),
    ],
    "ragged_gather": [
        case([SPLITS], floats(3), int32s(2, 0), 1, reference=lambda s, v, i, n: [[0, 1, 3], v[[2, 0, 1]]], order=0),
        case([int32s(0, 1, 3), int32s(0, 2, 2, 3)], floats(3, 2), int32s([1, 0]), 3, reference=lambda s, v, i, n: [[0, 2], [0, 2, 3], [0, 0, 1, 3], v[[2, 0, 1]]], order=0),
        case([SPLITS], floats(3), np.array(2, np.int32), 0, reference=lambda s, v, i, n: [v[2:]], order=0),
        raises(ValueError, [SPLITS], floats(3), int32s(3), 1),
        raises(ValueError, [int32s(0, 2, 1)], floats(3), int32s(0), 1),
        raises(ValueError, [int32s(0, 4)], floats(3), int32s(0), 1),
        raises(ValueError, [], floats(3), int32s(0), 1),
        raises(ValueError, [SPLITS], floats(), int32s(0), 1),
    ],
    "ragged_tensor_to_tensor": [
        case(int32s(3, 2), floats(3), floats(), [SPLITS], ["ROW_SPLITS"], reference=lambda s, v, d, *_: np.array([[v[0], v[1]], [d, d], [v[2], d]])),
        case(int32s(-1, 1), floats(3), floats(), [np.int32(2), int32s(0, 0, 1)], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"], reference=lambda s, v, d, *_: v[[0, 2]][:, None]),
        case(np.array(-1, np.int32), floats(2, 2), floats(2), [int32s(0, 0, 2)], ["ROW_SPLITS"], reference=lambda s, v, d, *_: np.stack([np.stack([d, d]), v])),
        case(int32s(-1, -1, -1), floats(3), floats(), [int32s(0, 1, 3), int32s(0, 2, 2, 3)], ["ROW_SPLITS", "ROW_SPLITS"],
             reference=lambda s, v, d, *_: np.array([[[v[0], v[1]], [d, d]], [[d, d], [v[2], d]]])),
        raises(ValueError, int32s(3), floats(3), 0.0, [SPLITS], ["ROW_SPLITS"]),
        raises(ValueError, int32s(3, 2), floats(3), 0.0, [SPLITS], ["ROW_LENGTHS"]),
        raises(ValueError, int32s(3, 2), floats(3), 0.0, [int32s(0, 1)], ["VALUE_ROWIDS"]),
        raises(ValueError, int32s(3, 2), floats(3), 0.0, [np.int32(1), int32s(0, 1)], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]),
        raises(ValueError, int32s(3, 2), floats(2), 0.0, [SPLITS], ["ROW_SPLITS"]),
        raises(ValueError, int32s(3, 2), floats(3), floats(2), [SPLITS], ["ROW_SPLITS"]),
        raises(ValueError, int32s(3, 2), floats(3), 0.0, [], []),
        raises(ValueError, int32s(3, 2), floats(), 0.0, [SPLITS], ["ROW_SPLITS"]),
        raises(TypeError, int32s(3, 2), floats(3), ints(), [SPLITS], ["ROW_SPLITS"]),
    ],
    "string.static_regex_replace": [
        case(strings("dyxa", "äa"), "a", "<$&>", reference=lambda *_: strings("dyx<a>", "ä<a>"), order=0),
        case(strings("ab-ab"), "(a)(?<n>b)", "$<n>$1$$", False, reference=lambda *_: strings("ba$-ab"), order=0),
        raises(ValueError, strings("a"), "(", ""),
        raises(TypeError, strings("a"), 1, ""),
        raises(TypeError, floats(1), "a", ""),
    ],
    "string.string_n_grams": [
        case(strings("a", "b", "c"), int32s(0, 2, 3), "|", [1, 2], "L", "R", -1, False,
             reference=lambda *_: [strings("a", "b", "L|a", "a|b", "b|R", "c", "L|c", "c|R"), [0, 5, 8]], order=0),
        case(strings("a", "b", "c"), int32s(0, 2, 3), "", [3], "L", "R", 0, True, reference=lambda *_: [strings("ab", "c"), [0, 1, 2]], order=0),
        case(strings("a"), EMPTY, "", [1], "", "", 0, False, reference=lambda *_: [strings(), EMPTY], order=0),
        raises(ValueError, strings("a", "b"), int32s(0, 1), "", [1], "", "", 0, False),
        raises(ValueError, strings("a", "b"), int32s(0, 2), "", [0], "", "", 0, False),
        raises(TypeError, floats(1), int32s(0, 1), "", [1], "", "", 0, False),
    ],
    "string.string_split": [
        case(strings("a b  c", ""), " ", reference=lambda *_: [[[0, 0], [0, 1], [0, 2]], strings("a", "b", "c"), [2, 3]], order=0),
        case(strings("a#;b", ";"), "#;", False, reference=lambda *_: [[[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]], strings("a", "", "b", "", ""), [2, 3]], order=0),
        case(strings("ab"), "", reference=lambda *_: [[[0, 0], [0, 1]], strings("a", "b"), [1, 2]], order=0),
        raises(ValueError, np.array([["a"]], object), " "),
        raises(ValueError, strings("a"), strings(" ")),
        raises(TypeError, floats(1), " "),
    ],
    "string.string_to_hash_bucket_fast": [
        case(strings("Hello", "TensorFlow.js", "a", ""), 3463, reference=lambda *_: int32s(2842, 309, 3156, 1038), order=0),
        case(strings("Hello", ""), 1, reference=lambda *_: int32s(0, 0), order=0),
        raises(ValueError, strings("a"), 0),
    ],
}  # fmt: skip
