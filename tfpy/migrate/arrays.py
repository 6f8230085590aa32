"""Arrays become tensors: their construction, reading and reshaping."""

from __future__ import annotations

import libcst as cst

from tfpy.legacy.migration.successors import Successor, snake, successor, table
from tfpy.migrate.kind import Kind, ListOf, TupleOf
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.legacy_kinds import ARRAYS
from tfpy.migrate.templates import CannotRewrite, Given, bind, expression, fill

# Methods that no other class has, so that they are rewritten even if the kind of the object is unknown.
ONLY_ARRAYS = ("get_values", "get_values_async")
# Attributes that are not called: methods that are passed to a function, and attributes that are no methods.
REFERENCES = {
    "get": "a.buffer_sync().get",
    "val": "a.buffer_sync().get",
    "strides": "tuple(a.strides)",
    "add": "a.add",
}


def made(kinds: Kinds, path: str, original: cst.Call, updated: cst.Call, tf: str) -> cst.BaseExpression | None:
    """A call of an array class, or of one of its functions; None if it is neither."""
    head, _, name = path.partition(".")
    if head not in ARRAYS:
        return None
    found = table("class")["NDArray"] if not name else table("class").get(path) or successor("static", name)
    if found is None:
        raise CannotRewrite(f"{path} has no counterpart")
    given = bind(found.parameters, updated.args)
    old = bind(found.parameters, original.args)
    if snake("static", name) == "make" and "data" in given:
        given["data"], old["data"] = _values(given["data"]), _values(old["data"])
    values = next((old[n] for n in ("values", "value", "data") if n in old), None)
    if values is not None and "dtype" not in given and not are_numbers(kinds.of(values)):
        given["dtype"] = cst.SimpleString('"float32"')  # otherwise a numpy array would determine the dtype
    return fill(found, given, tf)


def _values(node: cst.BaseExpression) -> cst.BaseExpression:
    """The values of `{'values': …}`, or any other argument unchanged."""
    if not isinstance(node, cst.Dict):
        return node
    for item in node.elements:
        if isinstance(item, cst.DictElement) and isinstance(item.key, cst.SimpleString):
            return item.value
    raise CannotRewrite("the values are not a literal here")


def are_numbers(kind: Kind) -> bool:
    """Whether a kind is that of Python numbers, alone or in lists."""
    match kind:
        case ListOf(item):
            return are_numbers(item)
        case TupleOf(items):
            return all(map(are_numbers, items))
    return kind == "number"


def method(found: Successor, receiver: cst.BaseExpression, args: list[cst.Arg], tf: str) -> cst.BaseExpression:
    """A call of a method of an array."""
    if args and any(needed == "locs" for needed, _ in found.forms):
        filled = expression("a.buffer_sync().get()", {"a": receiver}, {}, tf)
        return filled.with_changes(args=args)
    given: Given = bind(found.parameters, args)
    return fill(found, {**given, "a": receiver}, tf)
