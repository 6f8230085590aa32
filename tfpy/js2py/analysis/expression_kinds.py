"""What expressions hold: the rules of inference, by the type of the expression."""

from __future__ import annotations

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis import builtin_kinds
from tfpy.js2py.analysis.inference import Inference, kind_of
from tfpy.js2py.analysis.kind import (
    BOOL,
    INDEX,
    LIST,
    MATCH,
    NDARRAY,
    NULL,
    NUMBER,
    NUMBERS,
    PARSER,
    STRING,
    TYPED_ARRAYS,
    UNKNOWN,
    Kind,
    annotated,
    joined,
)
from tfpy.js2py.analysis.members import class_around
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, text


@kind_of("number")
def number(kinds: Inference, node: Node) -> Kind:
    """A whole number, which may be an index, or any other."""
    return INDEX if text(node).isdigit() else NUMBER


@kind_of("array")
def array(kinds: Inference, node: Node) -> Kind:
    """A list of what its items have in common."""
    items = [kinds.item_of(kids(kid)[0]) if kid.type == "spread_element" else kinds.of(kid) for kid in kids(node)]
    return Kind("list", joined(items)) if items else LIST


@kind_of("identifier", "shorthand_property_identifier")
def identifier(kinds: Inference, node: Node) -> Kind:
    """A variable, or one of JavaScript's own names."""
    binding = kinds.scopes.meant(node)
    if binding is not None:
        return kinds.of_binding(binding)
    return {"undefined": NULL, "NaN": NUMBER, "Infinity": NUMBER}.get(text(node), UNKNOWN)


@kind_of("this")
def this(kinds: Inference, node: Node) -> Kind:
    """An instance of the class around it."""
    owner = class_around(node)
    return Kind(f".{text(owner.child_by_field_name('name'))}") if owner is not None else UNKNOWN


@kind_of("unary_expression")
def unary(kinds: Inference, node: Node) -> Kind:
    """`!`, `-`, `typeof` and the like."""
    sign = text(node.child_by_field_name("operator"))
    return {"!": BOOL, "typeof": STRING, "void": NULL, "delete": BOOL}.get(sign, NUMBER)


@kind_of("binary_expression")
def binary(kinds: Inference, node: Node) -> Kind:
    """Two operands: `+` puts texts together and adds numbers."""
    left, right = kinds.of(parse.field(node, "left")), kinds.of(parse.field(node, "right"))
    sign = text(node.child_by_field_name("operator"))
    if sign in ("&&", "||", "??"):
        return joined([left, right])
    if sign == "+":
        if STRING in (left, right):
            return STRING
        return joined([left, right]) if left in NUMBERS and right in NUMBERS else UNKNOWN
    if sign == "|" and text(parse.field(node, "right")) == "0":
        return INDEX if _is_index(kinds, parse.field(node, "left")) else NUMBER
    if sign in ("*", "%", ">>", "&", "|", "**"):
        return INDEX if left == INDEX and right == INDEX else NUMBER
    return NUMBER if sign in ("-", "/", "<<", "^", ">>>") else BOOL


def _is_index(kinds: Inference, node: Node | None) -> bool:
    """Whether a number that is made whole is one that may be an index."""
    if node is None:
        return False
    if node.type == "binary_expression" and text(node.child_by_field_name("operator")) in ("*", "/", "+"):
        return _is_index(kinds, parse.field(node, "left")) and _is_index(kinds, parse.field(node, "right"))
    return kinds.of(node) == INDEX or text(node) == "Math.random()"


@kind_of("ternary_expression")
def ternary(kinds: Inference, node: Node) -> Kind:
    """What both branches have in common."""
    return joined([kinds.of(parse.field(node, "consequence")), kinds.of(parse.field(node, "alternative"))])


@kind_of("assignment_expression")
def assignment(kinds: Inference, node: Node) -> Kind:
    """What is assigned."""
    return kinds.of(parse.field(node, "right"))


@kind_of("await_expression")
def awaited(kinds: Inference, node: Node) -> Kind:
    """What is awaited: here it is ready at once."""
    return kinds.of(kids(node)[0])


@kind_of("member_expression")
def member(kinds: Inference, node: Node) -> Kind:
    """A property, or what another file exports."""
    binding = kinds.scopes.meant(node)
    if binding is not None:
        return kinds.of_binding(binding)
    return kinds.of_member(parse.field(node, "object"), text(parse.field(node, "property")))


@kind_of("subscript_expression")
def subscript(kinds: Inference, node: Node) -> Kind:
    """An item of a list or a text."""
    kind = kinds.of(parse.field(node, "object"))
    return STRING if kind == STRING else NUMBER if kind == NDARRAY else kind.item or UNKNOWN


@kind_of("method_definition")
def getter(kinds: Inference, node: Node) -> Kind:
    """What a getter gives, which is read as an attribute."""
    return kinds.result_of(node) if parse.has(node, "get") else UNKNOWN


@kind_of("new_expression")
def new(kinds: Inference, node: Node) -> Kind:
    """An instance of a class of tfpy, of JavaScript or of the script."""
    name = text(parse.field(node, "constructor"))
    if name in TYPED_ARRAYS:
        return NDARRAY
    if name.rpartition(".")[2] == "ArgumentParser" and name not in kinds.members.classes:
        return PARSER
    path = kinds.path_to(parse.field(node, "constructor"))
    if path[:1] == ["tf"] and path[-1] in names.classes():
        return Kind(path[-1])
    binding = kinds.scopes.meant(parse.field(node, "constructor"))
    return Kind(f".{binding.name}") if binding is not None else builtin_kinds.NEW.get(name, UNKNOWN)


@kind_of("call_expression")
def call(kinds: Inference, node: Node) -> Kind:
    """What a call gives: of JavaScript's functions, of tfpy, of methods, of functions of the script."""
    callee = parse.field(node, "function")
    path = kinds.path_to(callee)
    given = node.child_by_field_name("arguments")
    arguments = kids(given) if given is not None else []
    if path and ".".join(path) in builtin_kinds.CALLS:
        return builtin_kinds.CALLS[".".join(path)]
    if path[-1:] == ["ArgumentParser"]:
        return PARSER
    if path[:1] == ["Math"]:
        inner = arguments[0] if arguments else None
        whole = path[1] in ("floor", "ceil", "round", "max", "min", "abs", "trunc") and _is_index(kinds, inner)
        return INDEX if whole else NUMBER
    if path == ["Array", "from"]:
        made = kinds.result_of(arguments[1]) if len(arguments) > 1 else kinds.of(arguments[0]).item
        return Kind("list", made)
    if path in (["tf", "tidy"], ["Promise", "all"], ["Promise", "resolve"]) and arguments:
        return kinds.result_of(arguments[-1]) if path[1] == "tidy" else kinds.of(arguments[0])
    found = names.resolve(path) if path and path[0] in names.ROOTS else None
    if found is not None:
        return annotated(names.result(found[1]))
    if path and path[0] in builtin_kinds.NAMESPACES and callee.type == "member_expression":
        return UNKNOWN
    if callee.type == "member_expression" and kinds.scopes.meant(callee) is None:
        return _method(kinds, callee, arguments)
    return kinds.result_of(callee)


def _method(kinds: Inference, callee: Node, arguments: list[Node]) -> Kind:
    """What a method gives, by what it is called on."""
    owner, name = kinds.owner_of(parse.field(callee, "object")), text(parse.field(callee, "property"))
    if owner == UNKNOWN and name in kinds.members.methods:
        return UNKNOWN  # the script's own, or one of tfpy that has the same name
    if name in ("data", "dataSync") and _holds_texts(kinds, parse.field(callee, "object")):
        return Kind("list", STRING)
    if owner.name in names.classes():
        found = getattr(names.classes()[owner.name], names.attribute(name), None)
        said = annotated(names.result(found))
        return said if said != UNKNOWN or name not in builtin_kinds.METHODS else Kind(builtin_kinds.METHODS[name])
    if owner == PARSER:
        return builtin_kinds.OF_PARSERS.get(names.snake(name), UNKNOWN)
    if owner.name.startswith("."):
        own = kinds.members.of(owner.name[1:], name)
        return joined([kinds.result_of(value) for value in own]) if own else annotated(names.method_result(name))
    if owner.name in ("map", "set") and name in ("set", "add"):
        return owner
    if name == "map" and arguments:
        return Kind("list", kinds.result_of(arguments[0]))
    if name == "reduce" and arguments:
        return kinds.of(arguments[1]) if len(arguments) > 1 else owner.item or UNKNOWN
    if name in ("exec", "match", "matchAll") and owner.name in ("", "string", "regex"):
        return _matched(kinds, name, arguments)
    if name == "fill" and arguments and owner.name == "list":
        return Kind("list", kinds.of(arguments[0]))
    given = builtin_kinds.METHODS.get(name, "")
    if given in ("same", "item"):
        return owner._replace(fixed=False) if given == "same" else owner.item or UNKNOWN
    if name == "split" and owner == STRING:
        return Kind("list", STRING)
    guessed = annotated(names.method_result(name))
    return Kind(given) if given else guessed if guessed.fixed else guessed._replace(item=None)


def _holds_texts(kinds: Inference, node: Node) -> bool:
    """Whether an expression is a tensor that is made of texts, which are read as a list."""
    binding = kinds.scopes.meant(node)
    node = node if binding is None or binding.value is None else binding.value
    given = node.child_by_field_name("arguments") if node.type == "call_expression" else None
    made = given is not None and text(node.child_by_field_name("function")).startswith("tf.tensor")
    return made and kinds.of(kids(given or node)[0]) == Kind("list", STRING)


def _matched(kinds: Inference, name: str, arguments: list[Node]) -> Kind:
    """What a search for a regular expression gives: a match, or a list of matches or of texts."""
    binding = kinds.scopes.meant(arguments[0]) if arguments else None
    pattern = binding.value if binding is not None else arguments[0] if arguments else None
    if name == "match" and pattern is not None and "g" in text(pattern.child_by_field_name("flags")):
        return Kind("list", STRING)
    return Kind("list", MATCH) if name == "matchAll" else MATCH
