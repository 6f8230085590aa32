"""Windows that slide over channels-first images, as the attributes of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.layers.saving.onnx.builder import Builder, UnsupportedError


def windowed(
    b: Builder,
    images: str,
    sizes: Sequence[int | None],
    padding: str,
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int] | None = None,
) -> tuple[str, dict[str, Any]]:
    """Images for a node with windows, and the attributes of the node.

    Args:
        b: the graph.
        images: the name of the images.
        sizes: their sizes, None if unknown.
        padding: 'same', 'valid' or 'causal'.
        window: the size of the window.
        strides: its steps along each dimension.
        dilations: the distances of its cells, for nodes that support them.

    Raises:
        UnsupportedError: the padding depends on unknown sizes, in a way that nodes do not support.
    """
    steps: dict[str, Any] = {"kernel_shape": list(window), "strides": list(strides)}
    if dilations is not None:
        steps["dilations"] = list(dilations)
    reach = [(size - 1) * rate for size, rate in zip(window, dilations or [1] * len(window), strict=True)]
    if padding == "valid":
        return images, steps
    if padding == "causal":
        return images, {**steps, "pads": [*reach, *[0] * len(reach)]}
    pads = _same(sizes, reach, strides)
    if pads is None:
        return images, {**steps, "auto_pad": "SAME_UPPER"}
    margins = [before for before, _ in pads] + [after for _, after in pads]
    if min(margins) < 0:
        cut = [(max(-before, 0), max(-after, 0)) for before, after in pads]
        images = cropped(b, images, range(2, 2 + len(cut)), cut)
    return images, {**steps, "pads": [max(n, 0) for n in margins]}


def _same(sizes: Sequence[int | None], reach: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]] | None:
    """The padding of images; None if nodes can compute it, for windows that skip no elements.

    In three dimensions, skipped elements are cut off on both sides, as in TF.js; in others all are at the end.
    """
    three = len(sizes) == 3
    steps = list(zip(sizes, reach, strides, strict=True))
    if any(size is None and stride != 1 and (three or r) for size, r, stride in steps):
        if any(stride > r + 1 for _, r, stride in steps):
            raise UnsupportedError("its windows skip elements, whose number depends on unknown sizes")
        return None
    totals = [r - ((size or 1) - 1) % stride for size, r, stride in steps]
    totals = totals if three else [max(n, 0) for n in totals]
    return [(n // 2, n - n // 2) for n in totals]


def cropped(b: Builder, name: str, axes: Sequence[int], margins: Sequence[tuple[int, int]]) -> str:
    """A value, given and returned by its name, with margins cut off at both ends of some axes."""
    ends = [-after if after else np.iinfo(np.int64).max for _, after in margins]
    return b.node("Slice", name, b.integers(*(n for n, _ in margins)), b.integers(*ends), b.integers(*axes))
