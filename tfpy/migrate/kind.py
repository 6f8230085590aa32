"""A kind: what an expression holds, as far as rewriting must know.

A kind is a text ('array', 'math', 'graph', …) or a tuple: ('list', kind), ('tuple', kinds), ('dict', pairs of a key, or
None for keys that are computed, and a kind), ('fields', pairs of a name and a kind) for a record, ('function', node),
('gives', kind) for a function that gives this kind, ('either', kinds) for one of several functions, ('type', node),
('custom', name of the method that gives the next copy). 'record' is a record of arrays alone, 'ndarray' an array that
stays an NDArray, 'kept' a result that has NDArrays in it, 'unknown' what something gives that cannot be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

Kind = Any
UNKNOWN = "unknown"
UNSEEN = (None, UNKNOWN)
_FUNCTIONS = ("function", "gives", "either")


def join(a: Kind, b: Kind) -> Kind:
    """The kind of what may be of either kind; None means that nothing is known yet."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if UNKNOWN in (a, b):
        known = b if a == UNKNOWN else a
        return UNKNOWN if is_function(known) or holds_arrays(known) else known
    if is_function(a) and is_function(b):
        return "either", tuple(dict.fromkeys([*functions(a), *functions(b)]))
    if isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0]:
        return _join_parts(a, b)
    return "mixed"


def _join_parts(a: Kind, b: Kind) -> Kind:
    """The kind of what may be one of two lists, two tuples, …"""
    if a[0] == "dict":
        return dict_of([*a[1], *b[1]])
    if a[0] == "list":
        return "list", join(a[1], b[1])
    if a[0] == "tuple" and len(a[1]) == len(b[1]):
        return "tuple", tuple(map(join, a[1], b[1]))
    if a[0] == "fields" and [name for name, _ in a[1]] == [name for name, _ in b[1]]:
        return "fields", tuple((name, join(kind, other)) for (name, kind), (_, other) in zip(a[1], b[1], strict=True))
    return "mixed"


def is_function(kind: Kind) -> bool:
    """Whether a kind is that of functions whose results are known."""
    return isinstance(kind, tuple) and kind[0] in _FUNCTIONS


def functions(kind: Kind) -> Sequence[Kind]:
    """The functions that a kind may mean, each a kind of its own."""
    return kind[1] if isinstance(kind, tuple) and kind[0] == "either" else (kind,)


def dict_of(pairs: Sequence[tuple[str | None, Kind]]) -> Kind:
    """The kind of a dict with these keys, of which some may come more than once."""
    found: dict[str | None, Kind] = {}
    for key, kind in pairs:
        found[key] = join(found.get(key), kind)
    return "dict", tuple(sorted(found.items(), key=lambda pair: (pair[0] is not None, pair[0] or "")))


def value(kind: Kind, key: cst.CSTNode | None) -> Kind:
    """The kind of the value of a dict or record for a key; where that is computed, of any value."""
    name = text_of(key)
    known = dict(kind[1])
    if name is not None:
        return known.get(name, known.get(None))
    found = None
    for part in known.values():
        found = join(found, part)
    return found


def text_of(node: cst.CSTNode | None) -> str | None:
    """The text that is written out; None for anything else."""
    return str(node.evaluated_value) if isinstance(node, cst.SimpleString) else None


def holds_arrays(kind: Kind) -> bool:
    """Whether a kind is that of arrays, alone or in lists, tuples, dicts and records."""
    if isinstance(kind, tuple) and kind[0] == "list":
        return holds_arrays(kind[1])
    if isinstance(kind, tuple) and kind[0] in ("tuple", "dict", "fields"):
        return any(map(holds_arrays, kind[1] if kind[0] == "tuple" else [part for _, part in kind[1]]))
    return kind in ("array", "ndarray", "record", "kept")


def as_pinned(kind: Kind) -> Kind:
    """A kind with arrays that stay NDArrays."""
    if isinstance(kind, tuple) and kind[0] == "list":
        return "list", as_pinned(kind[1])
    if isinstance(kind, tuple) and kind[0] == "dict":
        return "dict", tuple((key, as_pinned(part)) for key, part in kind[1])
    return "ndarray" if kind == "array" else kind


def element(kind: Kind) -> Kind:
    """The kind of what a sequence holds."""
    if isinstance(kind, tuple) and kind[0] == "list":
        return kind[1]
    if isinstance(kind, tuple) and kind[0] == "tuple":
        found = None
        for part in kind[1]:
            found = join(found, part)
        return found
    if kind == UNKNOWN:
        return UNKNOWN
    return "array" if kind == "record" else "number" if kind in ("values", "shape", "range") else None


def parts_of(kind: Kind) -> Sequence[Kind] | None:
    """The kinds of what a tuple or a record holds, one by one; None for anything else."""
    if is_record(kind):
        return [part for _, part in kind[1]]
    return kind[1] if isinstance(kind, tuple) and kind[0] == "tuple" else None


def is_record(kind: Kind) -> bool:
    """Whether a kind is that of a record whose fields are of several kinds."""
    return isinstance(kind, tuple) and kind[0] == "fields"


def is_dict(kind: Kind) -> bool:
    """Whether a kind is that of a dict."""
    return isinstance(kind, tuple) and kind[0] == "dict"
