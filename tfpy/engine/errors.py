"""Builders of error messages, which name the function, the argument, what was expected and what was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfpy.engine.printable import visible


class ShapeError(ValueError):
    """Incompatible shapes. A kernel's shape rule raises it without the op's name, which dispatch adds."""


class OutOfRangeError(IndexError, ValueError):
    """An index out of range: an IndexError, as Python expects from `[]`, and a ValueError like any bad argument."""


class DisposedError(RuntimeError):
    """A tensor was used after it was disposed."""


class GradientError(ValueError):
    """No gradient flows from y back to x, or a kernel on the way has none."""


class IndependentError(GradientError):
    """A value does not depend on any of the variables."""


class UnreachedError(GradientError):
    """No gradient flows from y to a source.

    Attributes:
        source: the index of the source.
        stops: the kernels on the way to y through which no gradient flows.
    """

    def __init__(self, source: int, stops: Sequence[str]) -> None:
        super().__init__(f"y does not depend on source {source}.")
        self.source = source
        self.stops = stops


class Unquoted(str):
    """A description of what was found, which messages show without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def with_article(noun: str) -> str:
    """A noun with the article before it."""
    return f"an {noun}" if noun[:1].lower() in "aeio" else f"a {noun}"


def _is_tensor(value: Any) -> bool:
    return isinstance(getattr(value, "shape", None), (tuple, list)) and hasattr(value, "dtype")


def _listed(values: Sequence[Any]) -> str:
    """A list as text, with tensors in it described instead of printed."""
    if not any(_is_tensor(one) and not isinstance(one, np.generic) for one in values):
        return repr(values)
    return f"[{', '.join(show(one) for one in values[:9])}]"


_MAX_CHARACTERS = 80


def show(value: Any) -> str:
    """`value` as text for an error message, truncated to a readable length."""
    if _is_tensor(value):
        return f"{with_article(type(value).__name__)} of shape {list(value.shape)} and dtype {value.dtype}"
    if hasattr(value, "columns") and hasattr(value, "dtypes"):
        return _frame(value)
    try:
        text = _listed(value) if isinstance(value, (list, tuple)) else repr(value)
    except Exception:  # an int with more digits than Python prints, or an object whose `repr` raises
        return with_article(type(value).__name__)
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"


def some_of(names: Sequence[str], most: int = 8) -> str:
    """The first few names for an error message, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


_NUMBERS = ("int", "uint", "float", "double", "bool")


def _frame(value: Any) -> str:
    """A description of a table of pandas, polars or similar, with its non-numeric columns."""
    kinds = zip(value.columns, value.dtypes, strict=False)
    others = [f"{name} ({kind})" for name, kind in kinds if not str(kind).lower().startswith(_NUMBERS)]
    if not others and hasattr(value, "isna"):  # of pandas, where booleans may be missing
        missing = [(name, column.dtype) for name, column in value.items() if np.asarray(column).dtype == object]
        others = [f"{name} ({kind} with missing values)" for name, kind in missing]
    text = f"{with_article(type(value).__name__)} of shape {list(value.shape)}"
    return f"{text}; these columns are not of numbers: {some_of(others, 5)}" if others else text


def argument_error(
    op: str, argument: str, expected: str, found: object, kind: type[Exception] = ValueError
) -> Exception:
    """An exception saying what argument of what function was expected to be what, and what it was."""
    return kind(f"{visible(op)}: argument '{visible(argument)}' must be {expected}, but got {show(found)}.")


# Comparing names is quadratic in their length, and files may contain many long names.
_LONGEST_NAME = 200
_MAX_NAMES = 5000


def nearest(name: object, known: Iterable[str]) -> str:
    """' Did you mean …?' when a known name is close to `name`, else an empty text."""
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return ""
    import difflib  # here, to keep startup fast

    names = [n for n in known if len(n) <= _LONGEST_NAME][:_MAX_NAMES]
    words = _words_of(name)
    same = [n for n in names if letters_of(n) == letters_of(name)]
    longer = sorted((n for n in names if len(words) > 1 and words < _words_of(n)), key=len)
    close = same or longer or difflib.get_close_matches(name, names, n=1)
    if not close:
        return ""
    alike = [n for n in names if letters_of(n) == letters_of(close[0])]
    return f" Did you mean {min(alike, key=lambda n: (n.islower() != name.islower(), n != close[0]))!r}?"


def _words_of(name: str) -> set[str]:
    """The words of a name in either spelling."""
    return set(re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()))


def letters_of(name: str) -> str:
    """The letters of a name, which are the same in all its spellings."""
    return name.replace("_", "").lower()


# How many names are listed next to the nearest one, and how many if none is near.
_FEW_NAMES = 12
_MANY_NAMES = 24


def unknown_name_error(
    what: str, name: object, known: Iterable[str], listed: Iterable[str] | None = None, where: str = ""
) -> ValueError:
    """A ValueError for an unknown name, which suggests the nearest known one.

    If there are only a few, the known names are listed, or those of `listed` instead: one spelling of each. The message
    begins with `where`, the function, if it is given.
    """
    names = sorted(known)
    hint = nearest(name, names)
    shown = names if listed is None else sorted(listed)
    fits = 0 < len(shown) <= (_FEW_NAMES if hint else _MANY_NAMES)
    start = f"{where}: unknown" if where else "Unknown"
    return ValueError(f"{start} {what} {show(name)}.{hint}" + (f" Known: {', '.join(shown)}." if fits else ""))


def no_gradient_error(kernel: str, kernels: Sequence[str]) -> GradientError:
    """A GradientError for a kernel without a gradient, with the kernels on a path from x through it to y."""
    path = " → ".join(["x", *kernels, "y"])
    return GradientError(f"Cannot compute the gradient of y with respect to x: {kernel} has none (path: {path}).")


def unconnected_error(op: str, source: str, stops: Sequence[str]) -> GradientError:
    """A GradientError for a source that y does not depend on, with the kernels that no gradient flows through."""
    message = (
        f"{op}: cannot compute the gradient of y = f(x) with respect to x: the value of f does not depend on {source}"
    )
    if stops:
        return GradientError(f"{message} by ops that have a gradient ({' → '.join(reversed(stops))} has none).")
    return GradientError(f"{message}. Make sure that f contains every op that leads from x to y.")


def unfit_gradient_error(
    kernel: str, shape: Sequence[int], dtype: str, found_shape: Sequence[int], found_dtype: str
) -> RuntimeError:
    """A RuntimeError for a rule's gradient whose shape or dtype is not that of its input."""
    return RuntimeError(
        f"gradient of {kernel}: an input of shape {list(shape)} needs a {dtype} gradient of that shape, "
        f"but the rule gave {found_dtype} {list(found_shape)}."
    )
