"""`dl.buffer`: a mutable array of values, from which arrays are created."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from tfpy.core.buffer import TensorBuffer
from tfpy.core.ops import create
from tfpy.legacy.arrays.values import LegacyDType, ShapeLike, checked_dtype, checked_shape

if TYPE_CHECKING:
    from tfpy.legacy.arrays.ndarray import NDArray


class ArrayBuffer(TensorBuffer):
    """A buffer of the core whose `to_tensor` returns an NDArray. Source: deeplearn.js 0.5 `TensorBuffer`."""

    def to_tensor(self) -> NDArray:  # type: ignore[override]  # as in all of the legacy generation
        """An array of the current values."""
        from tfpy.legacy.arrays.ndarray import adopt

        return adopt(super().to_tensor())


@functools.wraps(create.buffer, assigned=())
def buffer(shape: ShapeLike, dtype: LegacyDType | None = None, values: Any = None) -> ArrayBuffer:
    """A mutable array of values, read and written element by element, from which an array is created.

    Args:
        shape: the shape.
        dtype: 'float32' (the default), 'int32' or 'bool'.
        values: a flat array of the initial values; zeros by default.

    Raises:
        ValueError: another dtype, or a number of values that does not match the shape.

    Source: deeplearn.js 0.5 `buffer`.
    """
    return ArrayBuffer(checked_shape("buffer", shape), checked_dtype("buffer", dtype), values)
