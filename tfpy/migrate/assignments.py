"""The kinds that assignments give to their targets."""

from __future__ import annotations

import libcst as cst

from tfpy.migrate.expression_kinds import index_of
from tfpy.migrate.kind import DictOf, Kind, ListOf, dict_of, element, parts_of, text_of
from tfpy.migrate.kinds import Kinds


def define(kinds: Kinds, target: cst.CSTNode, kind: Kind) -> None:
    """Record the kind of an assignment's target."""
    match target:
        case cst.Tuple() | cst.List():
            _take_apart(kinds, target, kind)
        case cst.Name():
            kinds.variables.assign(target, kind)
        case cst.Attribute():
            key = kinds.variables.key(target)
            if key is not None:
                kinds.variables.note(*key, kind)
        case cst.Subscript():
            _put(kinds, target, kind)


def _take_apart(kinds: Kinds, target: cst.Tuple | cst.List, kind: Kind) -> None:
    """`a, b = …` and `a, *b = …`."""
    stars = [isinstance(item, cst.StarredElement) for item in target.elements]
    parts = parts_of(kind) if not any(stars) else None
    if parts is None:
        parts = [ListOf(element(kind)) if star else element(kind) for star in stars]
    for item, part in zip(target.elements, parts, strict=False):
        define(kinds, item.value, part)


def _put(kinds: Kinds, target: cst.Subscript, kind: Kind) -> None:
    """`d[key] = …`, and an item of a list whose kind is still unknown."""
    whole = kinds.of(target.value)
    if isinstance(whole, DictOf):
        define(kinds, target.value, dict_of([(text_of(index_of(target)), kind)]))
    elif whole == ListOf(None):
        define(kinds, target.value, ListOf(kind))


def append(kinds: Kinds, target: cst.CSTNode, kind: Kind) -> None:
    """Record another element of a list."""
    if kind is None:
        return
    if isinstance(target, cst.Subscript):
        define(kinds, target, ListOf(kind))
    key = kinds.variables.key(target)
    if key is not None and key[0] is not None:
        kinds.variables.note(*key, ListOf(kind))
