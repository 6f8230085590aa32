"""The syntax tree of a script, parsed by tree-sitter; syntax errors are reported by line and column."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Language, Node, Parser

from tfpy.js2py.notes import ScriptError

PARAMETERS = ("required_parameter", "optional_parameter")  # of TypeScript, around a name or a pattern
FUNCTIONS = {
    "arrow_function",
    "function_expression",
    "function_declaration",
    "generator_function",
    "generator_function_declaration",
    "method_definition",
}
LOOPS = {"for_statement", "for_in_statement", "while_statement", "do_statement"}
PATTERNS = ("array_pattern", "object_pattern", "pair_pattern")
_DEFAULTS = ("assignment_pattern", "object_assignment_pattern")
# A method of lists that is called with another `this`.
_BORROWED = re.compile(r"\[\]\.(\w+)\.(?:call|apply)")
# Nodes around an expression that mean nothing in Python.
_WRAPPERS = {
    "parenthesized_expression",
    "as_expression",
    "satisfies_expression",
    "non_null_expression",
    "type_assertion",
}


def parse(source: str, typescript: bool) -> Node:
    """The tree of a script.

    Raises:
        ScriptError: the script has a syntax error.
    """
    encoded = source.encode()
    root = Parser(_language(typescript)).parse(encoded).root_node
    if root.has_error:
        raise _error(root, encoded)
    plain = _without_awaited_types(root, encoded) if typescript else encoded
    if plain == encoded:
        from tfpy.js2py.syntax.constructors import with_classes  # which itself needs the functions below

        plain = with_classes(root, encoded)
    return root if plain == encoded else parse(plain.decode(), typescript)


def _without_awaited_types(root: Node, source: bytes) -> bytes:
    """The source with blanks for the types in `await f<T>()`, which the parser takes for `(await f)<T>()`."""
    for node in walk(root):
        types = node.child_by_field_name("type_arguments")
        if types is not None and node.type == "call_expression" and field(node, "function").type == "await_expression":
            source = source[: types.start_byte] + b" " * (types.end_byte - types.start_byte) + source[types.end_byte :]
    return source


def _language(typescript: bool) -> Language:
    if typescript:
        import tree_sitter_typescript

        return Language(tree_sitter_typescript.language_typescript())
    import tree_sitter_javascript

    return Language(tree_sitter_javascript.language())


def _error(root: Node, source: bytes) -> ScriptError:
    """The first error of a tree: a missing or an unexpected token."""
    node = next(n for n in walk(root) if n.is_missing or n.is_error)
    row, column = node.start_point
    column = len(source.split(b"\n")[row][:column].decode(errors="replace"))
    found = text(node).split("\n")[0][:40]
    said = f"{node.type} is missing" if node.is_missing else f"syntax error at {found!r}" if found else "syntax error"
    return ScriptError(row + 1, column + 1, said)


def line_of(node: Node) -> int:
    """The line where a node begins, counted from 1."""
    return node.start_point.row + 1


def text(node: Node | None) -> str:
    """The source of a node; empty for None."""
    return "" if node is None or node.text is None else node.text.decode()


def string_in(node: Node | None) -> str:
    """The text of a string literal; empty for anything else."""
    return text(node)[1:-1] if node is not None and node.type == "string" else ""


def kids(node: Node) -> list[Node]:
    """The named children of a node without comments."""
    return [n for n in node.named_children if n.type != "comment"]


def field(node: Node, name: str) -> Node:
    """A child that the grammar requires, without wrappers."""
    found = node.child_by_field_name(name)
    assert found is not None, f"{node.type} without {name}"
    return bare(found)


def optional(node: Node, name: str) -> Node | None:
    """An optional child, without wrappers."""
    found = node.child_by_field_name(name)
    return None if found is None else bare(found)


def bare(node: Node) -> Node:
    """A node without parentheses and TypeScript casts."""
    while node.type in _WRAPPERS or _is_cut_cast(node):
        inner = kids(node)
        node = inner[-1] if node.type == "type_assertion" else inner[0]
    return node


def is_wrapper(node: Node) -> bool:
    """Whether a node is only a wrapper of an expression."""
    return node.type in _WRAPPERS


def _is_cut_cast(node: Node) -> bool:
    """Whether a node is `x as a.b.C` as the grammar sometimes reads it: the property C of `x as a.b`."""
    inner = node.child_by_field_name("object") if node.type == "member_expression" else None
    return inner is not None and inner.type == "as_expression"


def cast_in(wrapper: Node) -> list[Node]:
    """The type in a cast: `x as Type`, `x satisfies Type`, `<Type>x`; none in `x as const`."""
    if wrapper.type == "type_assertion":
        return kids(kids(wrapper)[0])
    return kids(wrapper)[1:]


def has(node: Node, token: str) -> bool:
    """Whether a keyword or an operator is among a node's children."""
    return any(child.type == token for child in node.children)


def walk(node: Node) -> Iterator[Node]:
    """A node and its descendants, in source order."""
    yield node
    for child in node.children:
        yield from walk(child)


def walk_own(node: Node) -> Iterator[Node]:
    """The descendants of a node, except those in nested functions and classes."""
    for child in node.children:
        yield child
        if child.type not in FUNCTIONS and child.type != "class_body":
            yield from walk_own(child)


def is_chained(node: Node) -> bool:
    """Whether a property or a call is `a?.b`, `a?.[b]` or `a?.()`, in which the grammars of the languages differ."""
    return has(node, "optional_chain") or has(node, "?.")


def function_around(node: Node) -> Node | None:
    """The innermost function that contains a node."""
    around = node.parent
    while around is not None and around.type not in FUNCTIONS:
        around = around.parent
    return around


def parameters(function: Node) -> list[Node]:
    """The parameters of a function as patterns: names, objects, arrays, rests, with or without defaults."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        return [single]
    listed = function.child_by_field_name("parameters")
    found = []
    for node in kids(listed) if listed is not None else []:
        if node.type in PARAMETERS:
            pattern = node.child_by_field_name("pattern")
            if pattern is None or pattern.type == "this":
                continue
            node = node if node.child_by_field_name("value") is not None else pattern
        found.append(node)
    return found


def is_optional(pattern: Node) -> bool:
    """Whether TypeScript declares a parameter as optional: `b` of `(a, b?)`."""
    return pattern.parent is not None and pattern.parent.type == "optional_parameter"


def places(pattern: Node) -> list[Node | None]:
    """The parts of an array pattern; None for those that are omitted, such as the first of `[, b]`."""
    found: list[Node | None] = []
    is_left_out = True
    for part in pattern.children[1:-1]:
        if part.type == "comment":
            continue
        if part.type != ",":
            found.append(part)
        elif is_left_out:
            found.append(None)
        is_left_out = part.type == ","
    return found


def is_list_of_names(pattern: Node) -> bool:
    """Whether a pattern is `[a, , b]`, with names and omitted parts only."""
    return pattern.type == "array_pattern" and all(p is None or p.type == "identifier" for p in places(pattern))


def is_tuple_of_names(pattern: Node) -> bool:
    """Whether a pattern is `[a, b]`, which can be the target of a loop: several names, and no omitted parts."""
    return is_list_of_names(pattern) and len(places(pattern)) > 1 and None not in places(pattern)


def is_part(node: Node) -> bool:
    """Whether a node is a part of a destructuring pattern, with or without a default."""
    around = node.parent
    around = around.parent if around is not None and around.type in _DEFAULTS else around
    return around is not None and around.type in PATTERNS


def default_of(parameter: Node) -> tuple[Node, Node | None]:
    """The pattern of a parameter or of a part of a pattern, and its default."""
    if parameter.type in _DEFAULTS:
        return field(parameter, "left"), field(parameter, "right")
    if parameter.type in PARAMETERS:
        return field(parameter, "pattern"), optional(parameter, "value")
    return parameter, None


def returned(function: Node) -> list[Node]:
    """The expressions that a function returns."""
    body = field(function, "body")
    if body.type != "statement_block":
        return [body]
    return [kids(n)[0] for n in walk_own(body) if n.type == "return_statement" and kids(n)]


def keys(literal: Node) -> dict[str, Node]:
    """The values of an object literal, by key; for methods, their nodes."""
    found = {}
    for part in kids(literal):
        if part.type == "pair":
            found[text(field(part, "key")).strip("'\"")] = field(part, "value")
        elif part.type in ("shorthand_property_identifier", "method_definition"):
            found[text(part.child_by_field_name("name") or part)] = part
    return found


def initializes(node: Node) -> bool:
    """Whether an expression gives a value to something without one: `x || (x = …)`, `x ??= …`."""
    sign = text(node.child_by_field_name("operator"))
    if node.type == "augmented_assignment_expression":
        return sign in ("||=", "??=")
    if node.type != "binary_expression" or sign not in ("||", "??"):
        return False
    left, right = field(node, "left"), field(node, "right")
    return right.type == "assignment_expression" and text(field(right, "left")) == text(left)


def block_around(function: Node) -> Node:
    """The script or block of the statement that consists of a call with a function as its argument."""
    around = function
    for _ in ("arguments", "call", "statement", "block"):
        around = around.parent or around
    return around


def is_static_getter(member: Node) -> bool:
    """Whether a member of a class is `static get x() {…}` that does more than return a literal."""
    is_getter = member.type == "method_definition" and has(member, "static") and has(member, "get")
    return is_getter and literal_of(member) is None


def literal_of(getter: Node) -> Node | None:
    """The literal that a getter returns, if it does nothing else."""
    body = kids(field(getter, "body"))
    if len(body) == 1 and body[0].type == "return_statement" and kids(body[0]):
        value = kids(body[0])[0]
        return value if value.type in ("string", "number", "true", "false") else None
    return None


def base_of(owner: Node) -> Node | None:
    """The base class of a class; None if it has none."""
    heritage = next((kid for kid in kids(owner) if kid.type == "class_heritage"), None)
    clause = kids(heritage)[0] if heritage is not None else None
    if clause is None or clause.type == "implements_clause":
        return None
    return field(clause, "value") if clause.type == "extends_clause" else clause


def path_of(node: Node) -> list[str] | None:
    """The parts of `a.b.c`; None if a node is no such path. `[].m.call` is `Array.prototype.m.call`."""
    node = bare(node)
    if node.type in ("identifier", "this"):
        return [text(node)]
    if node.type == "member_expression":
        borrowed = _BORROWED.fullmatch(text(node))
        head = ["Array", "prototype", borrowed[1]] if borrowed else path_of(field(node, "object"))
        return None if head is None else [*head, text(field(node, "property"))]
    return None
