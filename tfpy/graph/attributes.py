"""The attributes of a node of a GraphDef, in the JSON form of protocol buffers."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from tfpy.core.io.errors import field_error, list_in, object_in
from tfpy.engine.dtypes import DType

# TensorFlow's dtypes, numbered as in types.proto, and their counterparts in TF.js.
_NUMBERED = {
    **dict(
        enumerate(("FLOAT", "DOUBLE", "INT32", "UINT8", "INT16", "INT8", "STRING", "COMPLEX64", "INT64", "BOOL"), 1)
    ),
    **{14: "BFLOAT16", 17: "UINT16", 18: "COMPLEX128", 19: "HALF", 20: "RESOURCE", 21: "VARIANT", 22: "UINT32"},
    23: "UINT64",
}
_DTYPES: dict[str, DType] = {
    **dict.fromkeys(("FLOAT", "DOUBLE", "HALF", "BFLOAT16"), "float32"),
    **dict.fromkeys(("INT32", "INT64", "INT16", "INT8", "UINT8", "UINT16", "UINT32", "UINT64"), "int32"),
    "BOOL": "bool",
    "STRING": "string",
    **dict.fromkeys(("COMPLEX64", "COMPLEX128"), "complex64"),
}


def dtype_of(value: Any) -> DType | None:
    """The dtype that a name ('DT_FLOAT') or number of TensorFlow stands for; None for resources and similar."""
    name = _NUMBERED.get(value) if isinstance(value, int) else value
    return _DTYPES.get(name.removeprefix("DT_")) if isinstance(name, str) else None


def shape_of(value: Any, source: str, field: str) -> tuple[int, ...] | None:
    """The shape {'dim': [{'size': …}]}, -1 for unknown sizes; None if the rank is unknown."""
    shape = object_in(source, field, value)
    if shape.get("unknownRank") or shape.get("unknown_rank"):
        return None
    sizes = list_in(source, f"{field}.dim", shape.get("dim") or [])
    return tuple(_integer(object_in(source, field, d).get("size", 0), source, field) for d in sizes)


class Attributes:
    """Reads a node's attributes; each reader returns the default if the attribute is missing.

    Attributes:
        raw: the attributes as in the file.
    """

    def __init__(self, raw: Mapping[str, Any], source: str) -> None:
        self.raw = raw
        self._source = source

    def _entry(self, name: str) -> Mapping[str, Any] | None:
        value = self.raw.get(name)
        return None if value is None else object_in(self._source, f"attr.{name}", value)

    def number(self, name: str, default: float | None = 0) -> Any:
        """An integer or a float."""
        entry = self._entry(name) or {}
        if entry.get("i") is not None:
            return _integer(entry["i"], self._source, f"attr.{name}")
        return default if entry.get("f") is None else _float(entry["f"], self._source, f"attr.{name}")

    def numbers(self, name: str, default: list[int] | None = None) -> list[Any]:
        """A list of numbers."""
        entry = self._entry(name)
        if entry is None:
            return [] if default is None else default
        listed = object_in(self._source, f"attr.{name}", entry.get("list") or {})
        field = f"attr.{name}"
        if listed.get("f"):
            return [_float(n, self._source, field) for n in list_in(self._source, field, listed["f"])]
        return [_integer(n, self._source, field) for n in list_in(self._source, field, listed.get("i") or [])]

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean."""
        entry = self._entry(name)
        return default if entry is None else bool(entry.get("b", False))

    def text(self, name: str, default: str = "") -> str:
        """A string."""
        entry = self._entry(name)
        return default if entry is None else self._text(entry.get("s", ""), name)

    def texts(self, name: str) -> list[str]:
        """A list of strings."""
        listed = (self._entry(name) or {}).get("list") or {}
        return [self._text(s, name) for s in list_in(self._source, f"attr.{name}", listed.get("s") or [])]

    def _text(self, value: Any, name: str) -> str:
        try:
            if isinstance(value, list):
                return bytes(value).decode()
            return base64.b64decode(value).decode()
        except (TypeError, ValueError, binascii.Error):
            raise field_error(self._source, f"attr.{name}", "text in base64", value) from None

    def dtype(self, name: str) -> DType | None:
        """A dtype; None if tensors do not support it."""
        entry = self._entry(name)
        return None if entry is None else dtype_of(entry.get("type"))

    def shape(self, name: str) -> tuple[int, ...] | None:
        """A shape, -1 for unknown sizes; None if the rank is unknown."""
        entry = self._entry(name)
        if entry is None or entry.get("shape") is None:
            return None
        return shape_of(entry["shape"], self._source, f"attr.{name}")

    def function(self, name: str) -> str:
        """The name of a function of the graph's library."""
        entry = self._entry(name) or {}
        found = object_in(self._source, f"attr.{name}", entry.get("func")).get("name")
        if not isinstance(found, str):
            raise field_error(self._source, f"attr.{name}", "the name of a function", found)
        return found

    def functions(self) -> list[str]:
        """The names of all functions that the attributes refer to."""
        entries = [self._entry(name) or {} for name in self.raw]
        return [self.function(name) for name, entry in zip(self.raw, entries, strict=True) if "func" in entry]

    def plain(self) -> dict[str, Any]:
        """All attributes as Python values, for users' ops: functions by their names, and None for kinds of values that
        TF.js does not read either.
        """
        return {name: self._plain(name) for name in self.raw}

    def _plain(self, name: str) -> Any:
        kinds = self._entry(name) or {}
        lists = isinstance(kinds.get("list"), Mapping)
        kinds = kinds["list"] if lists else kinds
        if "s" in kinds:
            return self.texts(name) if lists else self.text(name)
        if "b" in kinds:
            return list(kinds["b"]) if lists else bool(kinds["b"])
        if "type" in kinds:
            return [dtype_of(t) for t in kinds["type"]] if lists else dtype_of(kinds["type"])
        if "shape" in kinds:
            shapes = kinds["shape"] if lists else [kinds["shape"]]
            found = [shape_of(s, self._source, f"attr.{name}") for s in shapes]
            return found if lists else found[0]
        if "func" in kinds:
            return self.function(name)
        return self.numbers(name) if lists else self.number(name, None)


def _integer(value: Any, source: str, field: str) -> int:
    """An integer, which protocol buffers write as a string if it has 64 bits."""
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError
        return int(value)
    except (ValueError, OverflowError):
        raise field_error(source, field, "a whole number", value) from None


def _float(value: Any, source: str, field: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise field_error(source, field, "a number", value) from None
