"""How images are resized: the positions of new rows and columns among the old ones, for all backends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfpy.engine.backend import Array


class Interpolation(NamedTuple):
    """For each new element along a dimension, the two old ones that it lies between, and its distance from one."""

    first: Array
    second: Array
    fraction: Array

    def part(self, start: int, stop: int) -> tuple[Array, Interpolation]:
        """The old elements that some of the new ones need, and the interpolation relative to these."""
        first, second = self.first[start:stop], self.second[start:stop]
        used = np.unique(np.concatenate([first, second]))
        return used, Interpolation(used.searchsorted(first), used.searchsorted(second), self.fraction[start:stop])


def _positions(old: int, new: int, align_corners: bool, shift: float) -> Array:
    """The positions of the new elements among the old ones, each taken at `shift` from its start."""
    inner = 1 if align_corners and new > 1 else 0
    return (old - inner) / max(1, new - inner) * (np.arange(new) + shift)


def bilinear_interpolation(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Interpolation:
    """The two nearest old elements of each new one along a dimension."""
    shift = 0.5 if half_pixel_centers else 0.0
    at = _positions(old, new, align_corners, shift) - shift
    first = np.maximum(np.floor(at), 0).astype(np.intp)
    second = np.minimum(np.ceil(at), old - 1).astype(np.intp)
    return Interpolation(first, second, at - first)


def nearest_interpolation(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """For each new element along a dimension, the nearest old one."""
    at = _positions(old, new, align_corners, 0.5 if half_pixel_centers else 0.0)
    return np.minimum(np.floor(at + 0.5 if align_corners else at), old - 1).astype(np.intp)
