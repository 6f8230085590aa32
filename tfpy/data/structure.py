"""Elements of data sets: nested dicts, lists and tuples of numbers, strings, arrays and tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.core.convert import to_tensor
from tfpy.core.ops.join import stack
from tfpy.core.ops.shape import clone
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import ShapeError, argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.javascript_numbers import number_text


def is_structure(value: Any) -> bool:
    """Whether a value is a dict, list or tuple of others."""
    return isinstance(value, (Mapping, list, tuple))


def like(structure: Any, values: Sequence[Any]) -> Any:
    """A structure of the same form, with the given direct values."""
    if isinstance(structure, Mapping):
        return dict(zip(structure, values, strict=True))
    if hasattr(structure, "_fields"):
        return type(structure)(*values)
    return tuple(values) if isinstance(structure, tuple) else list(values)


def children(structure: Any) -> list[Any]:
    """The direct values of a structure."""
    return list(structure.values() if isinstance(structure, Mapping) else structure)


def mapped(structure: Any, leaf: Callable[[Any], Any]) -> Any:
    """A structure of the same form, with its leaves replaced."""
    if is_structure(structure):
        return like(structure, [mapped(child, leaf) for child in children(structure)])
    return leaf(structure)


def cloned(element: Any) -> Any:
    """A copy of an element that can be modified, and its tensors disposed, without affecting the original."""
    return mapped(element, _copied)


def _copied(leaf: Any) -> Any:
    if isinstance(leaf, Handle):
        return clone(leaf)
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def stacked(rows: Sequence[Any], where: str = "element") -> Any:
    """Elements of one form as one element of that form, with a tensor for each column.

    The first row decides. Dicts and tuples are traversed, with each entry as a separate column; anything
    else, including a list, becomes a tensor whose first axis runs over the rows. Missing values are NaN, or an empty
    string.

    Args:
        rows: at least one element.
        where: the name of the column in error messages.
    """
    first = rows[0]
    if isinstance(first, Mapping):
        return {key: stacked([_entry(row, key, where) for row in rows], str(key)) for key in first}
    if isinstance(first, tuple):
        columns = [stacked([_entry(row, i, where) for row in rows], f"{where}[{i}]") for i in range(len(first))]
        return like(first, columns)
    if isinstance(first, Handle):
        return _stacked_tensors(rows, where)
    if isinstance(first, (np.ndarray, np.generic)):
        return to_tensor("batch", where, _array(rows, where), "any")
    return _plain_column(rows, where)


def _entry(row: Any, key: Any, where: str) -> Any:
    """An entry of a row; None where the row lacks it."""
    if isinstance(row, Mapping):
        return row.get(key)
    if isinstance(row, tuple) and isinstance(key, int):
        return row[key] if key < len(row) else None
    raise argument_error("batch", where, "of the same form in every row", row)


def _stacked_tensors(rows: Sequence[Any], where: str) -> Tensor:
    if any(row is None for row in rows):
        raise argument_error("batch", where, "a tensor in every row, as it is in the first", None)
    try:
        return stack(rows)
    except ShapeError:
        raise _differing_shapes(rows, where) from None


def _array(rows: Sequence[Any], where: str) -> Any:
    try:
        return np.stack([np.asarray(row) for row in rows])
    except ValueError:
        raise _differing_shapes(rows, where) from None


def _differing_shapes(rows: Sequence[Any], where: str) -> Exception:
    return argument_error("batch", where, "of one shape in every row", [list(np.shape(row)) for row in rows])


def _plain_column(rows: Sequence[Any], where: str) -> Tensor:
    """Numbers, booleans, strings or nested lists of them as a tensor."""
    values = list(rows)
    known = next((value for value in values if value is not None), math.nan)
    if isinstance(known, str):
        values = [_text(value) for value in values]
    else:
        values = [math.nan if value is None else value for value in values]
    return to_tensor("batch", where, values, "any")


def _text(value: Any) -> Any:
    """A value of a column of strings; those that look like numbers have been converted to numbers."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, (int, float)) else value
