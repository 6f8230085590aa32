"""Nested plain values with arrays in them, separated into values that JSON can represent and the arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch

Arrays = dict[str, npt.NDArray[Any]]
# Represents an array in plain values.
_ARRAY = "array in this file"


def pack(where: str, value: Any, arrays: Arrays) -> Any:
    """A value in JSON form; arrays and tensors in it are added to `arrays`.

    Raises:
        TypeError: it contains a tensor of strings.
    """
    if isinstance(value, Tensor):
        value = dispatch.read(value, where)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            raise TypeError(f"{where}: tensors of strings are not supported.")
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {_ARRAY: name}
    if isinstance(value, dict):
        return {str(key): pack(where, v, arrays) for key, v in value.items()}
    return [pack(where, v, arrays) for v in value] if isinstance(value, (list, tuple)) else value


def unpack(value: Any, arrays: Arrays) -> Any:
    """The value that was passed to `pack`, with tensors as arrays."""
    if isinstance(value, dict):
        if list(value) == [_ARRAY]:
            return arrays[value[_ARRAY]]
        return {key: unpack(v, arrays) for key, v in value.items()}
    return [unpack(v, arrays) for v in value] if isinstance(value, list) else value
