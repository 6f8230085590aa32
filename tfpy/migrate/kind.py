"""A kind: what an expression holds, as far as rewriting must know.

A kind is a text ('array', 'math', 'graph', …) or a tuple: ('list', kind), ('tuple', kinds), ('dict', pairs of a key, or
None for keys that are computed, and a kind), ('fields', pairs of a name and a kind) for a record, ('function', node),
('gives', kind) for a function that gives this kind, ('type', node), ('custom', name of the method that gives the next
copy). 'record' is a record of arrays alone, 'ndarray' an array that stays an NDArray, 'kept' a result that has NDArrays
in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

Kind = Any


def join(a: Kind, b: Kind) -> Kind:
    """The kind of what may be of either kind; None means that nothing is known yet."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    if isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0] == "dict":
        return dict_of([*a[1], *b[1]])
    if isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0] == "list":
        return "list", join(a[1], b[1])
    return "mixed"


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
    """Whether a kind is that of arrays, alone or in lists and dicts."""
    if isinstance(kind, tuple) and kind[0] in ("list", "dict"):
        parts = [kind[1]] if kind[0] == "list" else [part for _, part in kind[1]]
        return any(holds_arrays(part) for part in parts)
    return kind in ("array", "ndarray")


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
