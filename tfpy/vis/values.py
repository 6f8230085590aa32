"""The values of charts: the user's numbers and options, checked, in a form that JSON can represent."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.calling.options import read_options
from tfpy.core.convert import host_values, to_tensor
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_list, as_number
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle

Spec = dict[str, Any]

# The maximum number of points, cells or bars in a chart: each becomes an entry of the specification and a mark.
LIMIT = 100_000
_PLENTY = 10_000  # the maximum width and height, in pixels
_TYPES = ("quantitative", "ordinal", "nominal")


def fields(where: str, data: Any, names: Sequence[str], required: str) -> dict[str, Any]:
    """The entries of a dict of data, in either spelling; one of them must be present."""
    if not isinstance(data, Mapping):
        raise argument_error(where, "data", f"a dict with {required!r}", data, TypeError)
    found = read_options(data, names, where)
    if required not in found:
        raise argument_error(where, "data", f"a dict with {required!r}", data)
    return found


def limited(where: str, count: int, what: str) -> None:
    """Reject what would take a browser minutes to draw."""
    if count > LIMIT:
        raise argument_error(where, "data", f"at most {LIMIT} {what}; take a part or a mean of them", f"{count} {what}")


def numbers(where: str, argument: str, value: Any) -> npt.NDArray[np.float64]:
    """The numbers of a tensor, an array or a list, flattened."""
    return _host_numbers(where, argument, value).reshape(-1)


def _host_numbers(where: str, argument: str, value: Any) -> npt.NDArray[np.float64]:
    """Numbers on the host: those of lists and arrays keep full precision."""
    if not isinstance(value, Handle):
        return host_values(where, argument, value, "float32")[0].astype(np.float64)
    tensor = to_tensor(where, argument, value)
    if tensor.dtype == "complex64":
        raise argument_error(where, argument, "real numbers", value, TypeError)
    return np.asarray(tensor.data_sync(), dtype=np.float64).reshape(tensor.shape)


def plain(value: Any) -> Any:
    """The values of a tensor as lists or a number; anything else as it is."""
    return value.array_sync() if isinstance(value, Tensor) else value


def number(where: str, argument: str, value: Any) -> float | int | None:
    """A number for JSON: None if not finite."""
    if value is None:
        return None
    found = as_number(where, argument, value)
    if not math.isfinite(found):
        return None
    return value if isinstance(value, int) and not isinstance(value, bool) else found


def category(where: str, argument: str, value: Any) -> str | float | int | None:
    """A position on an axis: a number or a string."""
    return value if isinstance(value, str) else number(where, argument, value)


def texts(where: str, argument: str, value: Any, count: int | None = None) -> list[str]:
    """A list of strings (numbers are converted) of the required length."""
    found = [text if isinstance(text, str) else display(text) for text in as_list(where, argument, value, "strings")]
    if count is not None and len(found) != count:
        raise argument_error(where, argument, f"{count} strings", f"{len(found)} of them")
    return found


def matrix(where: str, value: Any) -> npt.NDArray[np.float64]:
    """The numbers of a matrix: a tensor or array of rank 2, or lists of equal length."""
    if isinstance(value, (list, tuple)) and not value:
        return np.empty((0, 0))
    found = _host_numbers(where, "values", value)
    if found.ndim != 2:
        raise argument_error(where, "values", "a matrix of numbers", value)
    limited(where, found.size, "cells")
    return found


def unique(labels: Iterable[str]) -> list[str]:
    """Unique labels, so that each has its own position on an axis."""
    given = list(labels)
    taken = set(given)  # including those to come
    further: dict[str, Iterator[str]] = {}
    found = []
    for label in given:
        if label in further:
            found.append(next(name for name in further[label] if name not in taken))
            taken.add(found[-1])
        else:
            further[label] = _numbered(label)
            found.append(label)
    return found


def _numbered(label: str) -> Iterator[str]:
    return (f"{label} ({n})" for n in itertools.count(2))


def size(where: str, width: Any, height: Any) -> Spec:
    """Width and height of a chart with its axes."""
    for argument, value in (("width", width), ("height", height)):
        if not 0 < as_number(where, argument, value) <= _PLENTY:
            raise argument_error(where, argument, f"above 0 and at most {_PLENTY} pixels", value)
    fit = {"type": "fit", "contains": "padding"}
    return {"width": width, "height": height, "autosize": fit}


def font(where: str, value: Any) -> float:
    """A font size, in pixels."""
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
        raise argument_error(where, argument, "a string", value, TypeError)
    return value


def color(where: str, argument: str, value: Any) -> str:
    """A CSS color."""
    if not isinstance(value, str):
        raise argument_error(where, argument, "a CSS color, as a string", value, TypeError)
    return value


def domain(where: str, argument: str, value: Any) -> list[float | int | None]:
    """The two ends of a scale."""
    ends = [number(where, argument, end) for end in as_list(where, argument, value, "two numbers")]
    if len(ends) != 2 or None in ends:
        raise argument_error(where, argument, "two numbers", value)
    return ends


def display(value: Any) -> str:
    """A value as shown in tables: numbers with at most four decimals, and commas between thousands."""
    value = plain(value)
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if value is None:
        return ""
    if isinstance(value, (int, float, np.number)):
        try:
            found = float(value)
        except OverflowError:  # an integer out of range of a double
            found = math.inf if value > 0 else -math.inf
        if not math.isfinite(found):
            return "NaN" if math.isnan(found) else ("Infinity" if found > 0 else "-Infinity")
        return f"{found:,.4f}".rstrip("0").rstrip(".")
    return str(value)


def percent(part: float) -> str:
    """A fraction as a percentage, with four digits."""
    return np.format_float_positional(100 * part, precision=4, fractional=False, trim="-") + "%"
