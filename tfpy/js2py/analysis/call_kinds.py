"""The kinds of the results of calls: of JavaScript's functions, of tfpy and the script, and of methods."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis import builtin_kinds
from tfpy.js2py.analysis.expected import type_arguments
from tfpy.js2py.analysis.expression_kinds import is_index
from tfpy.js2py.analysis.inference import Inference, kind_of
from tfpy.js2py.analysis.kind import (
    BYTES,
    INDEX,
    LIST,
    MATCH,
    NUMBER,
    PARSER,
    STRING,
    UNKNOWN,
    Kind,
    annotated,
    entry,
    filled,
    joined,
    pair_of,
)
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, text
from tfpy.node_rules import NodeRules

# Functions whose result depends on their one argument, by their paths.
_function: NodeRules[str, Callable[[Inference, list[Node]], Kind]] = NodeRules()
# Methods of JavaScript's own objects whose result depends on the object and the arguments, by their names. None
# leaves the kind to the tables.
_method: NodeRules[str, Callable[[Inference, Kind, list[Node]], Kind | None]] = NodeRules()

_TENSOR = re.compile(r"tf\.tensor(\dd)?", re.IGNORECASE)
_WHOLE = ("floor", "ceil", "round", "max", "min", "abs", "trunc")  # functions of Math that return an index for an index


@kind_of("call_expression")
def call(kinds: Inference, node: Node) -> Kind:
    """The kind of a call's result: of JavaScript's functions, of tfpy, of methods, of functions of the script."""
    callee = parse.field(node, "function")
    path = kinds.path_to(callee)
    given = node.child_by_field_name("arguments")
    arguments = kids(given) if given is not None else []
    found = _of_path(kinds, path, arguments)
    if found is not None:
        return found
    if path and path[0] in builtin_kinds.NAMESPACES and callee.type == "member_expression":
        return UNKNOWN
    if callee.type == "member_expression" and kinds.scopes.resolve(callee) is None:
        return _of_method(kinds, callee, arguments)
    return filled(kinds.result_of(callee), type_arguments(kinds, node))


def _of_path(kinds: Inference, path: list[str], arguments: list[Node]) -> Kind | None:
    """The kind of the result of a function of JavaScript or of tfpy; None for any other."""
    name = ".".join(path)
    if name in builtin_kinds.CALLS:
        return builtin_kinds.CALLS[name]
    if path[-1:] == ["ArgumentParser"]:
        return PARSER
    if path[:1] == ["Math"]:
        is_whole = path[1] in _WHOLE and is_index(kinds, arguments[0] if arguments else None)
        return INDEX if is_whole else NUMBER
    if name in _function and arguments:
        return _function[name](kinds, arguments)
    found = names.resolve(path) if path and path[0] in names.ROOTS else None
    return annotated(names.result(found[1])) if found is not None else None


@_function("Array.from")
def _list_from(kinds: Inference, arguments: list[Node]) -> Kind:
    return Kind("list", kinds.result_of(arguments[1]) if len(arguments) > 1 else kinds.item_of(arguments[0]))


@_function("Array.prototype.slice.call")
def _sliced(kinds: Inference, arguments: list[Node]) -> Kind:
    return Kind("list", kinds.of(arguments[0]).item)


@_function("Object.values")
def _values(kinds: Inference, arguments: list[Node]) -> Kind:
    return Kind("list", kinds.value_of(arguments[0]))


@_function("Object.entries")
def _entries(kinds: Inference, arguments: list[Node]) -> Kind:
    return Kind("list", entry(STRING, kinds.value_of(arguments[0])))


@_function("fs.readFileSync", "fs.readFile", "fs.promises.readFile")
def _contents(kinds: Inference, arguments: list[Node]) -> Kind:
    """The contents of a file: a string, if an encoding is given."""
    return STRING if any(n.type == "string" for option in arguments[1:] for n in parse.walk(option)) else BYTES


@_function("tf.tidy")
def _tidied(kinds: Inference, arguments: list[Node]) -> Kind:
    return kinds.result_of(arguments[-1])


@_function("Promise.all", "Promise.resolve")
def _promised(kinds: Inference, arguments: list[Node]) -> Kind:
    """The kind of a promise's result, which is ready immediately here."""
    return kinds.of(arguments[0])


# Methods


def _of_method(kinds: Inference, callee: Node, arguments: list[Node]) -> Kind:
    """The kind of a method's result, by the kind of the object."""
    node, name = parse.field(callee, "object"), text(parse.field(callee, "property"))
    owner = kinds.owner_of(node)
    if owner == UNKNOWN and name in kinds.members.methods:
        return UNKNOWN  # the script's own method, or a tfpy method of that name
    if name in ("data", "dataSync") and _holds_texts(kinds, node):
        return Kind("list", STRING)
    declared = kinds.types.kind_of_key(owner, name)
    if declared.name == "function":
        return declared.item or UNKNOWN
    found = _of_owner(kinds, owner, name)
    if found is None and name in _method:
        found = _method[name](kinds, owner, arguments)
    return found if found is not None else _of_any(owner, name)


def _holds_texts(kinds: Inference, node: Node) -> bool:
    """Whether an expression is a tensor of strings, which are read as a list."""
    binding = kinds.scopes.resolve(node)
    node = node if binding is None or binding.value is None else binding.value
    given = node.child_by_field_name("arguments") if node.type == "call_expression" else None
    made = given is not None and _TENSOR.fullmatch(text(node.child_by_field_name("function"))) is not None
    return made and any(kinds.of(values) == Kind("list", STRING) for values in kids(given or node)[:1])


def _of_owner(kinds: Inference, owner: Kind, name: str) -> Kind | None:
    """The kind of the result of a method of tfpy, an argument parser or a class of the script; None for others."""
    if owner.name in names.classes():
        said = annotated(names.result(getattr(names.classes()[owner.name], names.attribute(name), None)))
        return None if said == UNKNOWN and (name in builtin_kinds.METHODS or name in _method) else said
    if owner == PARSER:
        return builtin_kinds.OF_PARSERS.get(names.snake(name), UNKNOWN)
    if owner.name.startswith("."):
        own = kinds.members.of(owner.name[1:], name)
        if not own and name in _method:
            return None
        found = joined([kinds.result_of(value) for value in own]) if own else annotated(names.method_result(name))
        return filled(found, kinds.types.arguments(kinds.types.declaring(owner, name)))
    return None


def _of_any(owner: Kind, name: str) -> Kind:
    """The kind of a method's result by its name alone, if JavaScript or tfpy has a method of that name."""
    given = builtin_kinds.METHODS.get(name, "")
    if given in ("same", "item"):
        return replace(owner, fixed=False) if given == "same" else owner.item or UNKNOWN
    guessed = annotated(names.method_result(name))
    return Kind(given) if given else guessed if guessed.fixed else replace(guessed, item=None)


@_method("computeOutputShape")
def _output_shape(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind:
    """A shape, or a list of shapes if the layer has several outputs."""
    return Kind("list", fixed=True)


@_method("set", "add")
def _changed(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return owner if owner.name in ("map", "set") else None


@_method("get")
def _value(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return owner.item or UNKNOWN if owner.name == "map" else None


@_method("keys")
def _keys(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return owner if owner.name == "set" else _iterator(_pair_in(owner).parts[:1])


@_method("values")
def _items(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return owner if owner.name in ("list", "set") else _iterator(_pair_in(owner).parts[1:])


@_method("entries")
def _pairs(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    pair = _pair_in(owner)
    return _iterator((pair,)) if pair.parts else None


def _pair_in(owner: Kind) -> Kind:
    """The kind of the entries of a map or a list; without parts for anything else."""
    if owner.name == "map":
        return pair_of(owner)
    return entry(INDEX, owner.item or UNKNOWN) if owner.name == "list" else LIST


def _iterator(items: tuple[Kind, ...]) -> Kind | None:
    return Kind("generator", items[0]) if items else None


@_method("map")
def _mapped(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return Kind("list", kinds.result_of(arguments[0])) if arguments else None


@_method("reduce")
def _reduced(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    if not arguments:
        return None
    return kinds.of(arguments[1]) if len(arguments) > 1 else owner.item or UNKNOWN


@_method("fill")
def _filled(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return Kind("list", kinds.of(arguments[0])) if arguments and owner.name == "list" else None


@_method("split")
def _split(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return Kind("list", STRING) if owner == STRING else None


@_method("then")
def _next(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return kinds.result_of(arguments[0]) if arguments else None


@_method("catch")
def _caught(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return joined([owner, kinds.result_of(arguments[0])]) if arguments else None


@_method("exec")
def _matched(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return MATCH if _may_search(owner) else None


@_method("matchAll")
def _every_match(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    return Kind("list", MATCH) if _may_search(owner) else None


@_method("match")
def _match(kinds: Inference, owner: Kind, arguments: list[Node]) -> Kind | None:
    """A match, or all strings that match."""
    if not _may_search(owner):
        return None
    binding = kinds.scopes.resolve(arguments[0]) if arguments else None
    pattern = binding.value if binding is not None else arguments[0] if arguments else None
    every = pattern is not None and "g" in text(pattern.child_by_field_name("flags"))
    return Kind("list", STRING) if every else MATCH


def _may_search(owner: Kind) -> bool:
    return owner.name in ("", "string", "regex")
