"""A kind: what an expression evaluates to, such as numbers, strings, lists or tensors, and the kinds of annotations."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

from tfpy.js2py import names


class Kind(NamedTuple):
    """The kind of an expression's value.

    Attributes:
        name: "string", "number", "index" (a whole number that is not negative), "bool", "list", "dict", "map", "set",
            "ndarray", "date", "function", "generator", "null", "error", "class", "match" (of a regular expression),
            "parser" and "namespace" (of arguments of the command line), a class of tfpy or, after a dot, one of the
            script; empty if unknown.
        item: the kind of a list's items.
        fixed: whether a list is a tuple in Python, as shapes are.
    """

    name: str
    item: Kind | None = None
    fixed: bool = False


UNKNOWN = Kind("")
STRING, NUMBER, INDEX, BOOL, NULL = (Kind(name) for name in ("string", "number", "index", "bool", "null"))
DICT, NDARRAY, FUNCTION, ERROR, LIST = (Kind(name) for name in ("dict", "ndarray", "function", "error", "list"))
PARSER, NAMESPACE, DATE = Kind("parser"), Kind("namespace"), Kind("date")
NUMBERS = (NUMBER, INDEX)
SHAPE = Kind("list", INDEX, True)
MATCH = Kind("match", STRING)

TYPED_ARRAYS = {
    "Float32Array": "np.float32", "Float64Array": "np.float64", "Int32Array": "np.int32", "Uint8Array": "np.uint8",
    "Int8Array": "np.int8", "Int16Array": "np.int16", "Uint16Array": "np.uint16", "Uint32Array": "np.uint32",
    "Uint8ClampedArray": "np.uint8",
}  # fmt: skip
# Annotations, of tfpy and of TypeScript.
_ANNOTATIONS = {
    "Shape": SHAPE, "float": NUMBER, "int": INDEX, "str": STRING, "bool": BOOL, "number": NUMBER, "string": STRING,
    "boolean": BOOL, "Function": FUNCTION, "object": DICT, "Date": DATE, "ImageBytes": NDARRAY,
}  # fmt: skip
_OR_NOTHING = re.compile(r"(\s*\|\s*(None|null|undefined))+$")


def annotated(said: str, objects: Container[str] = (), classes: Container[str] = ()) -> Kind:
    """The kind of an annotation.

    Args:
        said: the annotation, of tfpy or of TypeScript.
        objects: names of types of plain objects.
        classes: names of classes of the script.
    """
    said = _OR_NOTHING.sub("", said.strip())
    if said.startswith("Promise<"):
        said = _OR_NOTHING.sub("", said[len("Promise<") : -1])
    said = said.removeprefix("tf.")
    for prefix, name in (("Map<", "map"), ("Set<", "set")):
        if said.startswith(prefix):
            return Kind(name)
    if said.endswith("[]"):
        return Kind("list", annotated(said[:-2], objects, classes))
    if said.startswith("Array<"):
        return Kind("list", annotated(said[len("Array<") : -1], objects, classes))
    if said.startswith(("list[", "Sequence[")):
        item = annotated(said[said.index("[") + 1 : -1], objects, classes)
        return Kind("list", item) if item != UNKNOWN else LIST
    if said in objects or said.startswith(("dict[", "Mapping[", "{", "Record<")):
        return DICT
    if said in TYPED_ARRAYS:
        return NDARRAY
    if (name := said.partition("<")[0]) in classes:
        return Kind(f".{name}")
    return _ANNOTATIONS.get(said) or (Kind(said) if said in names.classes() else UNKNOWN)


def joined(kinds: list[Kind]) -> Kind:
    """The common kind of several values."""
    if kinds and all(k == NULL for k in kinds):
        return NULL
    found = list(dict.fromkeys(k for k in kinds if k != NULL))
    if len(found) == 1:
        return found[0]
    if found and all(k in NUMBERS for k in found):
        return NUMBER
    return Kind(found[0].name) if found and len({k.name for k in found}) == 1 else UNKNOWN
