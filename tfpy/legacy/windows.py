"""The sizes of what windows make of an image, along one axis: for convolutions and poolings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.engine.arguments import array_as_list, as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.windows import ROUNDING_MODES, places

Pad = int | str
Pair = int | Sequence[int]


def pair(op: str, argument: str, value: Any) -> tuple[int, int]:
    """A number, standing for two equal ones, or a list of two."""
    value = array_as_list(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) != 2:
            raise argument_error(op, argument, "a number or a pair of numbers", value)
        return as_int(op, argument, value[0]), as_int(op, argument, value[1])
    size = as_int(op, argument, value)
    return size, size


def window(op: str, size: int, field: int, stride: int, pad: Pad, rounding: str | None) -> tuple[int, int, int]:
    """Along one axis: how many windows there are, and the margins before and after."""
    size, field, stride = as_int(op, "in_shape", size), as_int(op, "filter_size", field), as_int(op, "strides", stride)
    for argument, value in (("filter_size", field), ("strides", stride)):
        if value < 1:
            raise argument_error(op, argument, "1 or more", value)
    if isinstance(pad, str) and pad == "same":
        count = places(size - 1, stride)
        margin = max(0, (count - 1) * stride + field - size)
        return count, margin // 2, margin - margin // 2
    if isinstance(pad, str) and pad == "valid":
        return places(size - field, stride), 0, 0
    if isinstance(pad, str):
        raise argument_error(op, "pad", "'same', 'valid' or a number", pad)
    margin = as_int(op, "pad", pad)
    if margin < 0:
        raise argument_error(op, "pad", "0 or more", pad)
    return _whole_count(op, size, field, stride, margin, rounding), margin, margin


def _whole_count(op: str, size: int, field: int, stride: int, pad: int, rounding: str | None) -> int:
    if rounding is not None:
        if rounding not in ROUNDING_MODES:
            argument = "rounding_mode" if op.startswith("compute") else "dim_rounding_mode"
            raise argument_error(op, argument, "'floor', 'round' or 'ceil'", rounding)
    elif (size - field + 2 * pad) % stride:
        expected = f"such that the number of outputs is an integer: ({size} - {field} + 2 · pad) / {stride} + 1"
        raise argument_error(op, "pad", expected, pad)
    return places(size - field + 2 * pad, stride, rounding)
