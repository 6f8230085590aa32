"""Kinds of values: joins, elements, and the arrays they contain."""

from __future__ import annotations

import libcst as cst
import pytest

from tfpy.migrate.kind import (
    DictOf,
    FunctionOf,
    Kind,
    ListOf,
    OneOf,
    RecordOf,
    TupleOf,
    as_pinned,
    dict_of,
    element,
    holds_arrays,
    join,
    value,
)

JOINED: list[tuple[Kind, Kind, Kind]] = [
    (None, "array", "array"),
    ("array", "array", "array"),
    ("array", "number", "mixed"),
    ("number", "unknown", "number"),
    ("array", "unknown", "unknown"),
    (ListOf(None), ListOf("array"), ListOf("array")),
    (ListOf("array"), TupleOf(("array",)), "mixed"),
    (TupleOf((None, "array")), TupleOf(("number", "array")), TupleOf(("number", "array"))),
    (TupleOf(("array",)), TupleOf(("array", "array")), "mixed"),
    (DictOf((("x", "array"),)), DictOf((("y", "number"),)), DictOf((("x", "array"), ("y", "number")))),
    (RecordOf((("x", None),)), RecordOf((("x", "array"),)), RecordOf((("x", "array"),))),
    (RecordOf((("x", "array"),)), RecordOf((("y", "array"),)), "mixed"),
    (FunctionOf("array"), FunctionOf("number"), OneOf((FunctionOf("array"), FunctionOf("number")))),
]


@pytest.mark.parametrize(("a", "b", "expected"), JOINED)
def test_join(a: Kind, b: Kind, expected: Kind) -> None:
    assert join(a, b) == expected


def test_computed_dict_keys() -> None:
    kind = dict_of([("x", "array"), (None, "number"), ("x", "array")])
    assert kind == DictOf(((None, "number"), ("x", "array")))
    assert value(kind, cst.SimpleString("'x'")) == "array"
    assert value(kind, cst.SimpleString("'y'")) == "number"
    assert value(kind, cst.Name("key")) == "mixed"


def test_arrays_in_nested_kinds() -> None:
    nested = ListOf(DictOf((("x", "array"),)))
    assert holds_arrays(nested)
    assert as_pinned(nested) == ListOf(DictOf((("x", "ndarray"),)))
    assert not holds_arrays(ListOf("number"))


def test_element_kinds() -> None:
    assert element(TupleOf(("array", "array"))) == "array"
    assert element("shape") == "number"
    assert element("unknown") == "unknown"
    assert element("graph") is None
