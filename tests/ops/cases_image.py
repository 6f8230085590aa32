"""Op cases of image ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ops.table import Case, case, floats, ints, raises

BOXES = np.array([[0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0], [-0.2, 0.3, 1.3, 0.6]], np.float32)
BOX_INDICES = np.array([0, 1, 1], np.int32)
PROJECTIVE = np.array([[1, 0.1, 0.4, -0.2, 0.9, 0.3, 0.01, 0.02]], np.float32)
TRANSLATION = np.array([[1, 0, -7, 0, 1, 6, 0, 0]], np.float32)
CORNERS = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [1, 2, 0, 1], [0, 3, 1, 4]], np.float32)
SCORES = np.array([0.6, 0.9, 0.5, 0.3], np.float32)
INT_CORNERS, INT_SCORES = (
    np.array([[0, 0, 2, 2], [0, 0, 2, 2], [4, 4, 6, 6]], np.int32),
    np.array([1, 3, 2], np.int32),
)


def _interpolation_matrix(old: int, new: int, align: bool, half: bool) -> np.ndarray:
    """The matrix that resizes one axis by linear interpolation."""
    if align and new > 1:
        at = np.linspace(0, old - 1, new)
    else:
        at = (np.arange(new) + 0.5) * old / new - 0.5 if half else np.arange(new) * old / new
    return np.stack([np.interp(at, np.arange(old), row) for row in np.eye(old)], axis=1)


def _bilinear(x: Any, size: Any, align: bool = False, half: bool = False) -> np.ndarray:
    rows, columns = (
        _interpolation_matrix(x.shape[-3], size[0], align, half),
        _interpolation_matrix(x.shape[-2], size[1], align, half),
    )
    return np.einsum("ih,...hwc,jw->...ijc", rows, x, columns)


def _otsu(x: Any, *_: Any) -> np.ndarray:
    """Otsu's method: the threshold that maximizes the variance between the two classes."""

    def between(limit: int) -> float:
        below, above = x[x <= limit], x[x > limit]
        return below.size * above.size * (below.mean() - above.mean()) ** 2 if below.size and above.size else 0

    return np.where(x > max(range(256), key=between), 255, 0)


def _translated(mode: str) -> Callable[..., np.ndarray]:
    """Images translated by 7 to the right and 6 up, filled as by np.pad with a mode."""

    def reference(x: Any, *_: Any) -> np.ndarray:
        padded = np.pad(x, ((0, 0), (0, 6), (7, 0), (0, 0)), mode=mode)  # type: ignore[call-overload]
        return padded[:, 6:, : x.shape[2]]  # type: ignore[no-any-return]

    return reference


def _nearest(x: Any, size: Any, align: bool = False, half: bool = False) -> np.ndarray:
    def line(old: int, new: int) -> np.ndarray:
        if align and new > 1:
            return np.floor(np.linspace(0, old - 1, new) + 0.5).astype(int)
        return np.floor((np.arange(new) + 0.5 * half) * old / new).astype(int)

    return x.take(line(x.shape[-3], size[0]), -3).take(line(x.shape[-2], size[1]), -2)


def _rotated_180(x: Any, *_: Any) -> np.ndarray:
    return x[:, ::-1, ::-1]


IMAGE: dict[str, list[Case]] = {
    "image.resize_bilinear": [
        case(floats(2, 3, 4, 2), [5, 3], reference=_bilinear),
        case(floats(3, 4, 1), [2, 7], True, reference=_bilinear),
        case(floats(1, 4, 3, 1), [6, 5], False, True, reference=_bilinear),
        case(floats(1, 3, 3, 1), [1, 1], True, reference=lambda x, s, a: x[:, :1, :1]),
        case(ints(3, 3, 1), [4, 5], reference=_bilinear, order=0),
        case(floats(0, 3, 3, 1), [2, 2], reference=lambda x, s: np.zeros((0, 2, 2, 1)), order=0),
        raises(ValueError, floats(3, 3, 1), [4, 4], True, True),
        raises(ValueError, floats(3, 3), [4, 4]),
        raises(ValueError, floats(3, 3, 1), [4]),
        raises(ValueError, floats(3, 3, 1), [2.5, 4]),
        raises(ValueError, floats(0, 3, 1), [2, 4]),
    ],
    "image.resize_nearest_neighbor": [
        case(floats(2, 3, 4, 2), [5, 3], reference=_nearest),
        case(floats(3, 4, 1), [2, 7], True, reference=_nearest),
        case(floats(1, 4, 3, 1), [6, 5], False, True, reference=_nearest),
        case(ints(3, 3, 1), [4, 5], reference=_nearest, order=0),
        raises(ValueError, floats(3, 3, 1), [4, 4], True, True),
        raises(TypeError, np.zeros((2, 2, 1), bool), [4, 4]),
    ],
    "image.flip_left_right": [
        case(floats(2, 3, 4, 1), reference=lambda x: x[:, :, ::-1]),
        raises(ValueError, floats(3, 4, 1)),
        raises(TypeError, ints(1, 3, 4, 1)),
    ],
    "image.grayscale_to_rgb": [
        case(floats(2, 3, 1), reference=lambda x: np.repeat(x, 3, -1)),
        raises(ValueError, floats(2, 3, 2)),
        raises(ValueError, floats(1)),
    ],
    "image.rgb_to_grayscale": [
        case(floats(2, 3, 3), reference=lambda x: x @ [[0.2989], [0.587], [0.114]]),
        case(ints(2, 2, 3, low=0, high=255), reference=lambda x: (x @ [[0.2989], [0.587], [0.114]]).astype(int), order=0),
        raises(ValueError, floats(2, 3, 2)),
    ],
    "image.rotate_with_offset": [
        case(floats(2, 3, 4, 2), np.pi, 0, [0.375, 1 / 3], reference=_rotated_180),
        case(floats(1, 3, 4, 4), 0.7, [1, 2, 3]),
        case(floats(1, 3, 3, 1), -0.3, 2, 0.25),
        # A coordinate just below ½; recorded from TF.js.
        case(np.arange(1, 5.0).reshape(1, 4, 1, 1), np.pi / 2, 0, 0.5,
             reference=lambda *_: np.array([0, 0, 3, 3.0]).reshape(1, 4, 1, 1), order=0),
        raises(ValueError, floats(3, 4, 2), 0.5),
        raises(ValueError, floats(1, 3, 4, 3), 0.5, [1]),
        raises(TypeError, ints(1, 3, 4, 3), 0.5),
    ],
    "image.crop_and_resize": [
        case(floats(2, 4, 5, 2), BOXES, BOX_INDICES, [3, 2]),
        case(floats(2, 4, 5, 2), floats(3, 4, low=0.05, high=0.9), BOX_INDICES, [2, 3], order=1),
        case(floats(2, 3, 3, 1), floats(3, 4, low=0.05, high=0.9), BOX_INDICES, [1, 1], order=1),
        case(floats(2, 4, 5, 2), BOXES, BOX_INDICES, [3, 3], "nearest", 2),
        case(floats(2, 4, 5, 2), np.array([[0, 0, 1, 1]], np.float32), np.array([1], np.int32), [4, 5], reference=lambda x, *_: x[1:]),
        case(floats(1, 2, 2, 1), np.array([[0, 0, 1, 1]], np.float32), np.array([1], np.int32), [2, 2], "bilinear", 9, reference=lambda x, *_: x * 0),
        case(floats(0, 4, 4, 1), BOXES, BOX_INDICES, [2, 2], "bilinear", 9, reference=lambda *_: np.zeros((3, 2, 2, 1)), order=0),
        case(floats(2, 0, 4, 2), BOXES, BOX_INDICES, [2, 2], "nearest", 9, reference=lambda *_: np.full((3, 2, 2, 2), 9.0), order=0),
        raises(ValueError, floats(1, 4, 4, 1), BOXES, BOX_INDICES, [3, 3], "cubic"),
        raises(ValueError, floats(1, 4, 4, 1), BOXES, BOX_INDICES[:2], [3, 3]),
        raises(ValueError, floats(1, 4, 4, 1), BOXES[:, :3], BOX_INDICES, [3, 3]),
        raises(ValueError, floats(1, 4, 4, 1), BOXES, BOX_INDICES, [0, 3]),
        raises(ValueError, floats(1, 4, 4, 1), BOXES, -BOX_INDICES, [3, 3]),
        raises(ValueError, floats(4, 4, 1), BOXES, BOX_INDICES, [3, 3]),
        raises(TypeError, floats(1, 4, 4, 1), BOXES, BOXES[:, 0], [3, 3]),
    ],
    "image.transform": [
        case(floats(2, 3, 4, 2), np.array([[1, 0, 1, 0, 1, 0, 0, 0]], np.float32), reference=lambda x, t: np.pad(x[:, :, 1:], ((0, 0), (0, 0), (0, 1), (0, 0))), order=0),
        *[case(floats(1, 4, 5, 2), PROJECTIVE, way, mode, 0.5, [5, 6], order=0) for way in ("nearest", "bilinear") for mode in ("constant", "reflect", "wrap", "nearest")],
        case(floats(1, 4, 5, 2), TRANSLATION, "nearest", "reflect", reference=_translated("symmetric"), order=0),
        case(floats(1, 4, 5, 2), TRANSLATION, "nearest", "nearest", reference=_translated("edge"), order=0),
        *[case(np.arange(1.0, 6).reshape(1, 1, 5, 1), np.array([[1, 0, by, 0, 1, 0, 0, 0]], np.float32), "nearest", "wrap", reference=lambda *_, row=row: np.array(row).reshape(1, 1, 5, 1), order=0) for by, row in ((-7, [4, 5, 5, 5, 3]), (6, [2, 3, 1, 1, 1]))],
        case(floats(1, 1, 1, 1), PROJECTIVE, "nearest", "wrap", 0, [2, 2], reference=lambda x, *_: np.broadcast_to(x, (1, 2, 2, 1)), order=0),
        raises(ValueError, floats(1, 3, 3, 1), PROJECTIVE[:, :7]),
        raises(ValueError, floats(1, 3, 3, 1), PROJECTIVE, "cubic"),
        raises(ValueError, floats(1, 3, 3, 1), PROJECTIVE, "nearest", "mirror"),
        raises(ValueError, floats(1, 3, 3, 1), PROJECTIVE, "nearest", "wrap", 0, [2]),
        raises(ValueError, floats(3, 3, 1), PROJECTIVE),
        raises(ValueError, floats(1, 0, 3, 1), PROJECTIVE, "nearest", "constant", 0, [2, 2]),
    ],
    "image.threshold": [
        case(ints(3, 4, 1, low=0, high=255), reference=lambda x: np.where(x > 127.5, 255, 0), order=0),
        case(ints(3, 4, 1, low=0, high=255), "binary", True, 0.3, reference=lambda x, m, i, v: np.where(x > 76.5, 0, 255), order=0),
        case(np.array([[[10.0], [12], [200], [210]]]), "otsu", reference=lambda x, m: np.array([[[0], [0], [255], [255]]]), order=0),
        case(ints(8, 9, 1, low=0, high=255), "otsu", reference=_otsu, order=0),
        case(ints(8, 9, 1, low=0, high=255), "otsu", True, reference=lambda x, *_: 255 - _otsu(x), order=0),
        case(np.full((2, 2, 3), 7, np.int32), "otsu", reference=lambda x, m: np.full((2, 2, 1), 255), order=0),
        case(np.array([[[100.0], [101], [100], [101]]]), "otsu", reference=_otsu, order=0),
        case(np.zeros((2, 2, 1)), "otsu", reference=lambda x, m: np.full((2, 2, 1), 255), order=0),
        raises(ValueError, ints(4, 5, 2)),
        raises(ValueError, ints(4, 5, 3), "mean"),
        raises(TypeError, np.zeros((2, 2, 1), bool)),
    ],
    "image.non_max_suppression": [
        case(CORNERS, SCORES, 4, reference=lambda *_: np.array([1, 2, 3]), order=0),
        case(CORNERS, SCORES, 4, 0.5, 0.4, reference=lambda *_: np.array([1, 2]), order=0),
        case(CORNERS, np.array([0.75, 0.875, 0.5, 0.25]), 4, 0.5, 0.5, reference=lambda *_: np.array([1]), order=0),
        case(CORNERS, SCORES, 1, reference=lambda *_: np.array([1]), order=0),
        case(CORNERS, SCORES, 0, reference=lambda *_: np.array([]), order=0),
        raises(ValueError, CORNERS, SCORES, 3, 1.5),
        raises(ValueError, CORNERS, SCORES[:2], 3),
        raises(ValueError, CORNERS[:, :3], SCORES, 3),
        raises(TypeError, INT_CORNERS, INT_SCORES, 3),
    ],
    "image.non_max_suppression_with_score": [
        case(INT_CORNERS, INT_SCORES, 3, reference=lambda *_: [np.array([1, 2]), np.array([3, 2], np.float32)], order=0),
        case(CORNERS, SCORES, 4, 1, -np.inf, 0, reference=lambda *_: [np.array([1, 0, 2, 3]), np.array([0.9, 0.6, 0.5, 0.3], np.float32)], order=0),
        case(CORNERS, SCORES, 4, 1, 0.25, 0.5, order=0),
        # Decay raises negative scores, and a score decays only when its box is visited; recorded from TF.js.
        case(np.array([[0, 0, 1, 1], [0, 0.25, 1, 1], [0, 0.5, 1, 1.5], [2, 2, 3, 3]], np.float32), np.array([-0.5, -0.25, -0.375, -0.4375], np.float32), 4, 1, -np.inf, 0.5, reference=lambda *_: [np.array([1, 2, 3, 0]), np.array([-0.25, -0.3195539116859436, -0.4375, -0.2549320459365845], np.float32)], order=0),
        raises(ValueError, CORNERS, SCORES, 3, 0.5, 0, 2),
    ],
    "image.non_max_suppression_padded": [
        case(CORNERS, SCORES, 9, 0.5, 0.4, True, reference=lambda *_: [np.array([1, 2, 0, 0]), np.array(2)], order=0),
        case(CORNERS, SCORES, 9, reference=lambda *_: [np.array([1, 2, 3]), np.array(3)], order=0),
        case(INT_CORNERS, INT_SCORES, 3, reference=lambda *_: [np.array([1, 2]), np.array(2)], order=0),
        raises(ValueError, CORNERS, SCORES, 3, -1),
    ],
}  # fmt: skip
