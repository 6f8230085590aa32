"""A kind: what an expression evaluates to, such as numbers, strings, lists or tensors, and the kinds of annotations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tfpy.js2py import names


@dataclass(frozen=True)
class Kind:
    """The kind of an expression's value.

    Two kinds are equal if they have the same name, items and `fixed`.

    Attributes:
        name: "string", "number", "index" (a whole number that is not negative), "bool", "list", "dict", "map", "set",
            "ndarray", "bytes", "date", "function", "generator", "null", "error", "class", "regex", "match" (of a
            regular expression), "parser" and "namespace" (of arguments of the command line), a class of tfpy or, after
            a dot, one of the script; empty if unknown.
        item: the kind of the items of a list, a set or a generator, of the values of a dict or a map, and of a
            function's result.
        fixed: whether a list is a tuple in Python, as shapes are.
        type: the name of the TypeScript type of a dict, or of an unknown value.
        parts: the kinds of the items of a list, by position; of a function's parameters; of the arguments of a generic
            type, such as keys and values of a map.
    """

    name: str
    item: Kind | None = None
    fixed: bool = False
    type: str = field(default="", compare=False)
    parts: tuple[Kind, ...] = field(default=(), compare=False)

    @property
    def is_dict(self) -> bool:
        """Whether it is that of a dict, whatever its values."""
        return self.name == "dict"


UNKNOWN = Kind("")
STRING, NUMBER, INDEX, BOOL, NULL = (Kind(name) for name in ("string", "number", "index", "bool", "null"))
DICT, NDARRAY, FUNCTION, ERROR, LIST = (Kind(name) for name in ("dict", "ndarray", "function", "error", "list"))
PARSER, NAMESPACE, DATE, BYTES = (Kind(name) for name in ("parser", "namespace", "date", "bytes"))
NUMBERS = (NUMBER, INDEX)
SHAPE = Kind("list", INDEX, True)
MATCH = Kind("match", STRING)

TYPED_ARRAYS = {
    "Float32Array": "np.float32", "Float64Array": "np.float64", "Int32Array": "np.int32", "Uint8Array": "np.uint8",
    "Int8Array": "np.int8", "Int16Array": "np.int16", "Uint16Array": "np.uint16", "Uint32Array": "np.uint32",
    "Uint8ClampedArray": "np.uint8",
}  # fmt: skip
# The annotations of tfpy's functions.
_ANNOTATIONS = {
    "Shape": SHAPE, "float": NUMBER, "int": INDEX, "str": STRING, "bool": BOOL, "ImageBytes": NDARRAY,
}  # fmt: skip
_OR_NOTHING = re.compile(r"(\s*\|\s*None)+$")


def annotated(said: str) -> Kind:
    """The kind of an annotation of tfpy."""
    said = _OR_NOTHING.sub("", said.strip())
    if said.startswith(("list[", "Sequence[")):
        item = annotated(said[said.index("[") + 1 : -1])
        return Kind("list", item) if item != UNKNOWN else LIST
    if said.startswith(("dict[", "Mapping[")):
        return DICT
    return _ANNOTATIONS.get(said) or (Kind(said) if said in names.classes() else UNKNOWN)


def entry(key: Kind, value: Kind) -> Kind:
    """The kind of a pair of a key and a value, which is a list in JavaScript."""
    return Kind("list", joined([key, value]), parts=(key, value))


def pair_of(kind: Kind) -> Kind:
    """The kind of the entries of a map."""
    key, value = kind.parts or (UNKNOWN, kind.item or UNKNOWN)
    return entry(key, value)


def map_of(key: Kind, value: Kind) -> Kind:
    """The kind of a map."""
    return Kind("map", value, parts=(key, value))


def joined(kinds: Sequence[Kind]) -> Kind:
    """The common kind of several values."""
    if kinds and all(k == NULL for k in kinds):
        return NULL
    found = [k for k in kinds if k != NULL]
    if found and all(k in NUMBERS for k in found):
        return INDEX if NUMBER not in found else NUMBER
    if not found or len({k.name for k in found}) > 1:
        return UNKNOWN
    types, lengths = {k.type for k in found} - {""}, {len(k.parts) for k in found}
    items = [k.item for k in found if k.item is not None]
    return Kind(
        found[0].name,
        joined(items) if len(items) == len(found) else None,
        all(k.fixed for k in found),
        types.pop() if len(types) == 1 else "",
        tuple(joined(parts) for parts in zip(*(k.parts for k in found), strict=True)) if len(lengths) == 1 else (),
    )


def refined(kind: Kind, other: Kind) -> Kind:
    """A kind, or another one of the same value that tells more: a declared one and an inferred one."""
    if kind == UNKNOWN == other:
        return kind if kind.type else other
    if kind == UNKNOWN or (kind == NUMBER and other == INDEX) or (kind.name == "list" and other == NDARRAY):
        return other
    says = kind.type or any(part.name or part.type for part in (*kind.parts, kind.item or UNKNOWN))
    return other if kind.name == other.name and (other.fixed or not says) else kind


def matched(kind: Kind, other: Kind) -> dict[str, Kind]:
    """The kinds of the parameters of a generic type, such as T, for which a kind with them is that of a value."""
    if kind.name == "":
        return {kind.type: other} if kind.type and other != UNKNOWN else {}
    pairs = [(kind.item, other.item), *zip(kind.parts, other.parts, strict=False)]
    found = [matched(part, value) for part, value in pairs if part is not None and value is not None]
    return {name: value for given in reversed(found) for name, value in given.items()}


def filled(kind: Kind, given: Mapping[str, Kind]) -> Kind:
    """A kind with the parameters of a generic type, such as T, replaced by their kinds."""
    if not given:
        return kind
    if kind.name == "" and kind.type in given:
        return given[kind.type]
    item = filled(kind.item, given) if kind.item is not None else None
    return replace(kind, item=item, parts=tuple(filled(part, given) for part in kind.parts))
