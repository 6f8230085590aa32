"""A kind: the value of an expression, as far as rewriting needs to know."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import libcst as cst

FunctionNode = cst.FunctionDef | cst.Lambda

# Kinds without parameters. A "record" has arrays only, an "ndarray" is an array that stays an NDArray, "kept" is a
# result with NDArrays in it, "values" the flat values of an array, "node" and "symbol" are parts of a graph, "track"
# and "keep" the arguments of a scope's function, an "object" an instance of a class of the file, a "block" the value of
# `with`, a "trainer" an optimizer of `dl.train`; "mixed" may be one of several kinds, and "unknown" is a value that
# cannot be inferred.
Named = Literal[
    "array", "block", "buffer", "builder", "constant", "feed", "graph", "initializer", "keep", "kept", "layers", "math",
    "mixed", "ndarray", "node", "number", "object", "optimizer", "placeholder", "provider", "range", "record", "runner",
    "session", "shape", "symbol", "track", "trainer", "truth", "unknown", "values", "variable",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list, or another iterable, whose items have one kind."""

    item: Kind


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A tuple, or a list literal."""

    items: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class DictOf:
    """A dict: its keys, None for computed ones, each with the kind of the value. Built by `dict_of`."""

    values: tuple[tuple[str | None, Kind], ...]


@dataclass(frozen=True, slots=True)
class RecordOf:
    """A record whose fields are of several kinds."""

    fields: tuple[tuple[str, Kind], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the file."""

    node: FunctionNode


@dataclass(frozen=True, slots=True)
class FunctionOf:
    """Another function, of which only the kind of the result is known."""

    result: Kind


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several functions."""

    functions: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the file, not an instance of it."""

    node: cst.ClassDef


@dataclass(frozen=True, slots=True)
class UserProvider:
    """A provider whose class is defined in the file; `method` is the name of the method that returns the next copy."""

    method: str


Made = ListOf | TupleOf | DictOf | RecordOf | Function | FunctionOf | OneOf | Class | UserProvider
Kind = Named | Made | None  # None: nothing is known yet
UNKNOWN: Named = "unknown"
UNSEEN: tuple[Kind, ...] = (None, UNKNOWN)


def join(a: Kind, b: Kind) -> Kind:
    """The kind of a value that may be of either kind."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if UNKNOWN in (a, b):
        known = b if a == UNKNOWN else a
        return UNKNOWN if is_function(known) or holds_arrays(known) else known
    if is_function(a) and is_function(b):
        return OneOf(tuple(dict.fromkeys([*functions(a), *functions(b)])))
    return _join_parts(a, b)


def _join_parts(a: Kind, b: Kind) -> Kind:
    """The kind of a value that may be one of two lists, two tuples, …"""
    match a, b:
        case DictOf(), DictOf():
            return dict_of([*a.values, *b.values])
        case ListOf(), ListOf():
            return ListOf(join(a.item, b.item))
        case TupleOf(), TupleOf() if len(a.items) == len(b.items):
            return TupleOf(tuple(map(join, a.items, b.items)))
        case RecordOf(), RecordOf() if [name for name, _ in a.fields] == [name for name, _ in b.fields]:
            both = zip(a.fields, b.fields, strict=True)
            return RecordOf(tuple((name, join(kind, other)) for (name, kind), (_, other) in both))
    return "mixed"


def join_all(kinds: Iterable[Kind]) -> Kind:
    """The kind of a value that may be of any of several kinds."""
    return functools.reduce(join, kinds, None)


def is_function(kind: Kind) -> bool:
    """Whether a kind stands for functions whose results are known."""
    return isinstance(kind, (Function, FunctionOf, OneOf))


def functions(kind: Kind) -> Sequence[Kind]:
    """The functions that a kind may refer to, each as its own kind."""
    return kind.functions if isinstance(kind, OneOf) else (kind,)


def dict_of(pairs: Iterable[tuple[str | None, Kind]]) -> DictOf:
    """The kind of a dict with these keys, of which some may be repeated."""
    found: dict[str | None, Kind] = {}
    for key, kind in pairs:
        found[key] = join(found.get(key), kind)
    return DictOf(tuple(sorted(found.items(), key=lambda pair: (pair[0] is not None, pair[0] or ""))))


def value(kind: DictOf | RecordOf, key: cst.CSTNode | None) -> Kind:
    """The kind of the value of a dict or record for a key; if the key is computed, of any value."""
    name = text_of(key)
    known: dict[str | None, Kind] = dict(kind.values if isinstance(kind, DictOf) else kind.fields)
    return join_all(known.values()) if name is None else known.get(name, known.get(None))


def text_of(node: cst.CSTNode | None) -> str | None:
    """The text of a string literal; None for anything else."""
    return str(node.evaluated_value) if isinstance(node, cst.SimpleString) else None


def holds_arrays(kind: Kind) -> bool:
    """Whether a kind stands for arrays, alone or in lists, tuples, dicts and records."""
    match kind:
        case ListOf(item):
            return holds_arrays(item)
        case TupleOf(items):
            return any(map(holds_arrays, items))
        case DictOf(pairs) | RecordOf(pairs):
            return any(holds_arrays(part) for _, part in pairs)
    return kind in ("array", "ndarray", "record", "kept")


def as_pinned(kind: Kind) -> Kind:
    """A kind with arrays that stay NDArrays."""
    match kind:
        case ListOf(item):
            return ListOf(as_pinned(item))
        case DictOf(pairs):
            return DictOf(tuple((key, as_pinned(part)) for key, part in pairs))
        case RecordOf(fields):
            return RecordOf(tuple((name, as_pinned(part)) for name, part in fields))
    return "ndarray" if kind == "array" else kind


def element(kind: Kind) -> Kind:
    """The kind of a sequence's items."""
    match kind:
        case ListOf(item):
            return item
        case TupleOf(items):
            return join_all(items)
        case "unknown":
            return UNKNOWN
        case "record":
            return "array"
        case "values" | "shape" | "range":
            return "number"
    return None


def parts_of(kind: Kind) -> Sequence[Kind] | None:
    """The kinds of the items of a tuple or a record; None for anything else."""
    match kind:
        case RecordOf(fields):
            return [part for _, part in fields]
        case TupleOf(items):
            return items
    return None
