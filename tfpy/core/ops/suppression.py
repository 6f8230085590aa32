"""Non-maximum suppression: of boxes that overlap, keep those with the highest scores.

How many are kept depends on the values, so they are read and selected here, as in TF.js's own backends.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from tfpy.core.calling.ready import Ready
from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import int_tensor, real
from tfpy.core.results import TensorRecord
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_int
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error

_BLOCK = 64  # how many boxes are compared with each other at a time
_PAIRS = 1 << 12  # how many pairs of a box and a kept box are compared at a time


class SuppressionWithScore(TensorRecord, Ready):
    """The result of `non_max_suppression_with_score`."""

    selected_indices: Tensor
    selected_scores: Tensor


class SuppressionPadded(TensorRecord, Ready):
    """The result of `non_max_suppression_padded`."""

    selected_indices: Tensor
    valid_outputs: Tensor


@op(namespace="image", doc="Operations / Images")
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
) -> Tensor:
    """The indices of the boxes with the highest scores, leaving out those that overlap a better one.

    Args:
        boxes: a float32 tensor (boxes, 4): y1, x1, y2, x2 of each, any two opposite corners.
        scores: a float32 tensor (boxes).
        max_output_size: how many to keep at most.
        iou_threshold: boxes overlap when their intersection is at least this fraction of their union; from 0 to 1.
        score_threshold: boxes need a score above it.

    Returns:
        An int32 tensor of indices, best first.

    Raises:
        ValueError: shapes that do not fit, or a threshold out of range. TypeError: not float32.

    Source: TF.js `tf.image.nonMaxSuppression`.
    """
    name = "non_max_suppression"
    given = to_tensor(name, "boxes", boxes, "float32"), to_tensor(name, "scores", scores, "float32")
    return int_tensor(_selected(name, *given, max_output_size, iou_threshold, score_threshold)[0])


@op(namespace="image", doc="Operations / Images")
def non_max_suppression_with_score(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    soft_nms_sigma: float = 0.0,
) -> SuppressionWithScore:
    """Like `non_max_suppression`, with scores that decay the more a box overlaps better ones.

    Args:
        boxes: a tensor (boxes, 4).
        scores: a tensor (boxes).
        max_output_size: how many to keep at most.
        iou_threshold: boxes that overlap by at least this fraction are left out; from 0 to 1.
        score_threshold: boxes need a score above it, also after decay.
        soft_nms_sigma: how fast scores decay, from 0 to 1: by exp(-½ overlap² / sigma); not at all with 0.

    Returns:
        A record (selected_indices, selected_scores): an int32 tensor of indices, best first, and their scores.

    Raises:
        ValueError: shapes that do not fit, or a number out of range. TypeError: strings or complex numbers.

    Source: TF.js `tf.image.nonMaxSuppressionWithScore`.
    """
    name = "non_max_suppression_with_score"
    found = _selected(name, boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma)
    return SuppressionWithScore(int_tensor(found[0]), dispatch.make(Tensor, found[1], "float32"))


@op(namespace="image", doc="Operations / Images")
def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    pad_to_max_output_size: bool = False,
) -> SuppressionPadded:
    """Like `non_max_suppression`, with indices optionally padded to a fixed number.

    Args:
        boxes: a tensor (boxes, 4).
        scores: a tensor (boxes).
        max_output_size: how many to keep at most.
        iou_threshold: boxes that overlap by at least this fraction are left out; from 0 to 1.
        score_threshold: boxes need a score above it.
        pad_to_max_output_size: whether to pad the indices with 0 to the largest number that could be kept.

    Returns:
        A record (selected_indices, valid_outputs): an int32 tensor of indices, best first, and as an int32 scalar how
        many of them are not padding.

    Raises:
        ValueError: shapes that do not fit, or a threshold out of range. TypeError: strings or complex
            numbers.

    Source: TF.js `tf.image.nonMaxSuppressionPadded`.
    """
    name = "non_max_suppression_padded"
    chosen, _, most = _selected(name, boxes, scores, max_output_size, iou_threshold, score_threshold)
    count = int_tensor(np.array(len(chosen)))
    if pad_to_max_output_size:
        chosen = np.pad(chosen, (0, most - len(chosen)))
    return SuppressionPadded(int_tensor(chosen), count)


@op(namespace="image", doc="Operations / Images")
def non_max_suppression_async(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
) -> Tensor:
    """`non_max_suppression` with an awaitable result; it also accepts integers.

    Source: TF.js `tf.image.nonMaxSuppressionAsync`.
    """
    name = "non_max_suppression_async"
    return int_tensor(_selected(name, boxes, scores, max_output_size, iou_threshold, score_threshold)[0])


@op(namespace="image", doc="Operations / Images")
def non_max_suppression_with_score_async(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    soft_nms_sigma: float = 0.0,
) -> SuppressionWithScore:
    """`non_max_suppression_with_score` with an awaitable result.

    Source: TF.js `tf.image.nonMaxSuppressionWithScoreAsync`.
    """
    return non_max_suppression_with_score(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
    )


@op(namespace="image", doc="Operations / Images")
def non_max_suppression_padded_async(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float = 0.5,
    score_threshold: float = -math.inf,
    pad_to_max_output_size: bool = False,
) -> SuppressionPadded:
    """`non_max_suppression_padded` with an awaitable result.

    Source: TF.js `tf.image.nonMaxSuppressionPaddedAsync`.
    """
    return non_max_suppression_padded(
        boxes, scores, max_output_size, iou_threshold, score_threshold, pad_to_max_output_size
    )


def _selected(
    name: str,
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: int,
    iou_threshold: float,
    score_threshold: float,
    soft_nms_sigma: float = 0.0,
) -> tuple[Array, Array, int]:
    """The indices and scores of the boxes that are kept, and how many could be kept."""
    corners, marks = real(name, boxes, "float32", "boxes"), real(name, scores, "float32", "scores")
    if corners.rank != 2 or corners.shape[1] != 4:
        raise argument_error(name, "boxes", "of shape (boxes, 4)", corners)
    if marks.shape != corners.shape[:1]:
        raise argument_error(name, "scores", f"of shape {[corners.shape[0]]}, one for each box", marks)
    for argument, value in (("iou_threshold", iou_threshold), ("soft_nms_sigma", soft_nms_sigma)):
        if not 0 <= value <= 1:
            raise argument_error(name, argument, "from 0 to 1", value)
    most = max(0, min(as_int(name, "max_output_size", max_output_size), corners.shape[0]))
    boxes_in_order = np.sort(corners.numpy().astype(np.float64).reshape(-1, 2, 2), axis=1)
    values = marks.numpy().astype(np.float64)
    given = _Boxes(boxes_in_order), values, most, iou_threshold, score_threshold
    found = _suppress_softly(*given, soft_nms_sigma) if soft_nms_sigma > 0 else _suppress(*given)
    return (*found, most)


class _Boxes:
    """Boxes (boxes, corners, dimensions) with ordered corners, by columns: numpy is slow with rows of two."""

    def __init__(self, boxes: Array) -> None:
        self._low, self._high = np.ascontiguousarray(boxes.transpose(1, 2, 0))
        self._areas = self._area(self._high - self._low)

    @staticmethod
    def _area(sides: Array) -> Array:
        height, width = sides
        area: Array = height * width
        return area

    def overlaps(self, boxes: Array, others: Array) -> Array:
        """The intersection of each box with each of the others, as a fraction of their union."""
        sides = np.minimum(self._high[:, boxes, None], self._high[:, None, others])
        sides -= np.maximum(self._low[:, boxes, None], self._low[:, None, others])
        common = self._area(np.maximum(sides, 0, out=sides))
        union = self._areas[boxes, None] + self._areas[others] - common
        parts: Array = np.zeros_like(common)
        np.divide(common, union, out=parts, where=union > 0)
        return parts


def _suppress(
    boxes: _Boxes, scores: Array, most: int, iou_threshold: float, score_threshold: float
) -> tuple[Array, Array]:
    """Take boxes by score, a block at a time: few are examined if enough of the first ones can be kept."""
    left = np.flatnonzero(scores > score_threshold)
    left = left[np.argsort(-scores[left], kind="stable")]
    chosen = left[:0]
    while chosen.size < most and left.size:
        ahead, later = np.split(left, [max(_BLOCK, _PAIRS // (chosen.size + 1))])
        ahead = ahead[(boxes.overlaps(chosen, ahead) < iou_threshold).all(0)]
        block, left = ahead[:_BLOCK], np.concatenate([ahead[_BLOCK:], later])
        apart = boxes.overlaps(block, block) < iou_threshold
        stays = np.ones(block.size, np.bool_)
        for i in range(block.size):
            if stays[i]:
                stays[i + 1 :] &= apart[i, i + 1 :]
        chosen = np.concatenate([chosen, block[stays]])
    chosen = chosen[:most]
    return chosen, scores[chosen]


def _suppress_softly(
    boxes: _Boxes, scores: Array, most: int, iou_threshold: float, score_threshold: float, sigma: float
) -> tuple[Array, Array]:
    """Take the best box repeatedly. Its score first decays with the boxes chosen since it was last considered: if that
    changes it, the box waits for its turn again, or drops out. (Decay raises scores below 0, so the order matters.)"""
    waiting = [(-scores[i], int(i), 0) for i in np.flatnonzero(scores > score_threshold)]
    heapq.heapify(waiting)
    chosen: list[int] = []
    while len(chosen) < most and waiting:
        _, at, considered = heapq.heappop(waiting)
        overlap = boxes.overlaps(np.array([at]), np.array(chosen[considered:], np.int64))[0]
        decayed = scores[at] * np.exp(-0.5 / sigma * np.square(overlap)).prod()
        if decayed == scores[at] and (overlap < iou_threshold).all():
            chosen.append(at)
        elif decayed > score_threshold and (overlap < iou_threshold).all():
            scores[at] = decayed
            heapq.heappush(waiting, (-decayed, at, len(chosen)))
    return np.array(chosen, np.int32), scores[chosen]
