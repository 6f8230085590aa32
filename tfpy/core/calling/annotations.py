"""The meaning of annotations: as words for messages, and as tests of values. This is the only module that reads them.

There are two tests. A function accepts anything that it can use: a number in an array, any boolean, any sequence. An
option that an object keeps, shows and saves must be exactly what its annotation says.
"""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.arguments import as_int, as_number
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle

Test = Callable[[Any], bool]

# Annotations of one number, and the types that need no further check.
NUMBERS = {"float": (float, bool), "float | None": (float, bool, type(None))}


class Kind:
    """The values that an annotation allows.

    Attributes:
        expected: its name in messages; empty for None, which messages do not mention.
        several: the plural, for the items of a list.
        is_one: whether a value is of the kind.
        serves: whether a function can use a value as one; `is_one` by default.
        numeric: whether the kind is numeric.
    """

    def __init__(
        self, expected: str, several: str, is_one: Test, serves: Test | None = None, numeric: bool = False
    ) -> None:
        self.expected, self.several = expected, several
        self.is_one, self.serves = is_one, serves or is_one
        self.numeric = numeric

    def error(self, where: str, argument: str, value: Any) -> Exception:
        """The error for a value of another kind: a ValueError for a number of the wrong kind, as `as_int` raises it."""
        another = self.numeric and isinstance(value, (int, float)) and not isinstance(value, bool)
        return argument_error(where, argument, self.expected, value, ValueError if another else TypeError)


@functools.cache
def kind_of(annotation: str) -> Kind | None:
    """The `Kind` of an annotation; None if one of its alternatives is unknown."""
    kinds = []
    for text in _alternatives(annotation):
        kind = _single(_ALIASES.get(text, text))
        if kind is None:
            return None
        kinds.append(kind)
    return Kind(
        " or ".join(kind.expected for kind in kinds if kind.expected),
        " or ".join(kind.several for kind in kinds),
        lambda value: any(kind.is_one(value) for kind in kinds),
        lambda value: any(kind.serves(value) for kind in kinds),
        any(kind.numeric for kind in kinds),
    )


def name_kind(name: str, known: str) -> None:
    """Add another name of a kind for use in annotations."""
    _ALIASES[name] = known


def _alternatives(annotation: str) -> list[str]:
    """The alternatives that `|` separates outside of brackets."""
    parts, depth = [""], 0
    for sign in annotation:
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _single(annotation: str) -> Kind | None:
    """The `Kind` of an annotation without alternatives."""
    name, _, of = annotation.removesuffix("]").partition("[")
    return _list_of(name, kind_of(of)) if name in _LISTS else _KINDS.get(name)


def _list_of(name: str, item: Kind | None) -> Kind:
    """A list of items; only items already in a list, tuple or array are checked."""
    is_list, serves = _LISTS[name]
    if item is None:
        return Kind("a list", "lists", is_list, serves)
    return Kind(
        f"a list of {item.several}",
        f"lists of {item.several}",
        lambda value: is_list(value) and (not _is_plain_list(value) or all(map(item.is_one, value))),
        lambda value: serves(value) and (not _is_plain_list(value) or all(map(item.serves, value))),
    )


def _is_plain_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _has_items(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and _may_be_list(value)


def _is_iterable(value: Any) -> bool:
    return isinstance(value, Iterable) and _may_be_list(value)


def _may_be_list(value: Any) -> bool:
    return not isinstance(value, (str, bytes, Mapping)) and getattr(value, "shape", None) != ()


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, Handle))


def _has_truth(value: Any) -> bool:
    """Whether a value has a truth value: it is no array, or an array with one element."""
    return not _is_array(value) or (value.size if isinstance(value, np.ndarray) else value.spec.size) == 1


def _is_truth(value: Any) -> bool:
    return isinstance(value, (bool, int, np.bool_)) and value in (0, 1)


def _can(read: Callable[[str, str, Any], Any], value: Any) -> bool:
    try:
        read("", "", value)
    except Exception:
        return False
    return True


def _is_int(value: Any) -> bool:
    return _can(as_int, value)


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and _can(as_number, value)


def _is_seed(value: Any) -> bool:
    return isinstance(value, str) or _is_real(value)


def _are_bytes(value: Any) -> bool:
    return isinstance(value, (bytes, bytearray, memoryview)) or getattr(value, "dtype", None) == np.uint8


_LIST = _is_plain_list, _has_items
_LISTS = {**dict.fromkeys(("Sequence", "MutableSequence", "list"), _LIST), "Iterable": (_is_iterable, _is_iterable)}
_DICT = Kind("a dict", "dicts", lambda value: isinstance(value, Mapping))
_KINDS = {
    "None": Kind("", "None", lambda value: value is None),
    "str": Kind("a string", "strings", lambda value: isinstance(value, str)),
    "bytes": Kind("bytes", "bytes", _are_bytes),
    "bool": Kind("True or False", "booleans", _is_truth, _has_truth),
    "int": Kind("a whole number", "whole numbers", _is_int, lambda v: isinstance(v, bool) or _is_int(v), numeric=True),
    "float": Kind("a number", "numbers", _is_real, lambda value: _can(as_number, value), numeric=True),
    # An option from a Keras file may be a generator's configuration, which matters only where numbers are drawn.
    "Seed": Kind("a number or a string", "numbers or strings", lambda _: True, _is_seed),
    "DType": Kind("the name of a dtype", "names of dtypes", lambda value: isinstance(value, str)),
    "Reduction": Kind("a Reduction", "Reductions", lambda value: not _is_array(value)),
    "Tensor": Kind("a tensor", "tensors", lambda value: hasattr(value, "shape")),
    "Callable": Kind("a function", "functions", callable),
    "Mapping": _DICT,
    "dict": _DICT,
}
# Other names of annotations.
_ALIASES = {"Handle": "Tensor", "Shape": "Sequence[int]"}
