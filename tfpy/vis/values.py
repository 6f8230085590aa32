"""What charts are made of: the user's numbers and options, checked, as what JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.convert import to_tensor
from tfpy.core.options import read_options
from tfpy.engine.arguments import as_list, as_number
from tfpy.engine.errors import argument_error

Spec = dict[str, Any]

# So many points, cells or bars a chart may have: each becomes a line of the specification and a mark of the picture.
LIMIT = 100_000
_PLENTY = 10_000  # the greatest width and height, in pixels
_TYPES = ("quantitative", "ordinal", "nominal")


def fields(where: str, data: Any, names: Sequence[str], required: str) -> dict[str, Any]:
    """The entries of a dict of data, in either spelling; one of them must be there."""
    if not isinstance(data, Mapping):
        raise argument_error(where, "data", f"a dict with {required!r}", data, TypeError)
    found = read_options(data, names, where)
    if required not in found:
        raise argument_error(where, "data", f"a dict with {required!r}", data)
    return found


def limited(where: str, count: int, what: str) -> None:
    """Refuse what would take a browser minutes to draw."""
    if count > LIMIT:
        raise argument_error(where, "data", f"at most {LIMIT} {what}; take a part or a mean of them", f"{count} {what}")


def numbers(where: str, argument: str, value: Any) -> npt.NDArray[np.float64]:
    """The numbers of a tensor, an array or a list, in one row, as the host has them."""
    tensor = to_tensor(where, argument, value)
    if tensor.dtype == "complex64":
        raise argument_error(where, argument, "real numbers", value, TypeError)
    return np.asarray(tensor.data_sync(), dtype=np.float64).reshape(-1)


def number(where: str, argument: str, value: Any) -> float | int | None:
    """A number as JSON has it: None for what is not finite."""
    if value is None:
        return None
    found = value if isinstance(value, int) and not isinstance(value, bool) else as_number(where, argument, value)
    return found if math.isfinite(found) else None


def category(where: str, argument: str, value: Any) -> str | float | int | None:
    """A position on an axis: a number or a text."""
    return value if isinstance(value, str) else number(where, argument, value)


def texts(where: str, argument: str, value: Any, count: int | None = None) -> list[str]:
    """A list of texts (numbers are written out), as many as are asked for."""
    found = [text if isinstance(text, str) else display(text) for text in as_list(where, argument, value, "texts")]
    if count is not None and len(found) != count:
        raise argument_error(where, argument, f"{count} texts", f"{len(found)} of them")
    return found


def matrix(where: str, value: Any) -> npt.NDArray[np.float64]:
    """The numbers of a matrix: a tensor or array of rank 2, or lists of equal length."""
    if isinstance(value, (list, tuple)) and not value:
        return np.empty((0, 0))
    tensor = to_tensor(where, "values", value)
    if len(tensor.shape) != 2 or tensor.dtype == "complex64":
        raise argument_error(where, "values", "a matrix of numbers", value)
    limited(where, tensor.size, "cells")
    return np.asarray(tensor.data_sync(), dtype=np.float64).reshape(tensor.shape)


def unique(labels: Iterable[str]) -> list[str]:
    """Labels that differ, so that each has a place of its own on an axis."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return found


def size(where: str, width: Any, height: Any) -> Spec:
    """Width and height of a chart with its axes."""
    for argument, value in (("width", width), ("height", height)):
        if not 0 < as_number(where, argument, value) <= _PLENTY:
            raise argument_error(where, argument, f"above 0 and at most {_PLENTY} pixels", value)
    fit = {"type": "fit", "contains": "padding"}
    return {"width": width, "height": height, "autosize": fit}


def font(where: str, value: Any) -> float:
    """A size of text, in pixels."""
    found = as_number(where, "font_size", value)
    if not 0 < found <= 200:
        raise argument_error(where, "font_size", "above 0 and at most 200 pixels", value)
    return found


def kind(where: str, argument: str, value: Any) -> str:
    """A kind of scale."""
    if value not in _TYPES:
        raise argument_error(where, argument, "one of " + ", ".join(map(repr, _TYPES)), value)
    return str(value)


def label(where: str, argument: str, value: Any) -> str | None:
    """The title of an axis."""
    if value is not None and not isinstance(value, str):
        raise argument_error(where, argument, "a text", value, TypeError)
    return value


def color(where: str, argument: str, value: Any) -> str:
    """A colour as CSS writes it."""
    if not isinstance(value, str):
        raise argument_error(where, argument, "a colour of CSS, as text", value, TypeError)
    return value


def domain(where: str, argument: str, value: Any) -> list[float | int | None]:
    """The two ends of a scale."""
    ends = [number(where, argument, end) for end in as_list(where, argument, value, "two numbers")]
    if len(ends) != 2 or None in ends:
        raise argument_error(where, argument, "two numbers", value)
    return ends


def display(value: Any) -> str:
    """A value as tables show it: a number with at most four decimals, and commas between thousands."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if value is None:
        return ""
    if isinstance(value, (int, float, np.number)):
        found = float(value)
        if not math.isfinite(found):
            return "NaN" if math.isnan(found) else ("Infinity" if found > 0 else "-Infinity")
        return f"{found:,.4f}".rstrip("0").rstrip(".")
    return str(value)


def percent(part: float) -> str:
    """A part of 1 as per cent, with four digits."""
    return np.format_float_positional(100 * part, precision=4, fractional=False, trim="-") + "%"
