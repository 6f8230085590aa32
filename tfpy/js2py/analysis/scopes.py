"""Scopes: JavaScript's blocks and functions, their variables, and the Python name of each variable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import FUNCTIONS, bare, default_of, kids, optional, text
from tfpy.node_rules import NodeRules

# Calls of these with a function become a loop or a `with`, so that the function's body joins the enclosing scope.
_LOOPS = {"forEach", "forEachAsync"}
_BLOCKS = {"statement_block", "for_statement", "for_in_statement", "catch_clause", "class_body", "switch_body"}
_BRANCHES = {"for_statement", "for_in_statement", "while_statement", "if_statement"}


class Export(NamedTuple):
    """An export of a script.

    Attributes:
        python: its name in Python, in the file that exports it.
        binding: the variable; None if it is not a variable.
    """

    python: str
    binding: Binding | None


@dataclass(eq=False)
class Binding:
    """A declared name.

    Attributes:
        name: the name in the script.
        kind: "variable", "function", "class", "parameter", "loop" (of a for statement), "import" or "catch".
        scope: where it is declared.
        node: the declaring identifier.
        value: its initial value, if that is one expression.
        python: its name in the converted code.
        writes: assignments after the declaration.
        reads: where it is used.
        origin: for an import, the variable in the file that exports it, if known.
        members: for a file imported as a whole, its exports.
    """

    name: str
    kind: str
    scope: Scope
    node: Node
    value: Node | None = None
    python: str = ""
    writes: list[Node] = field(default_factory=list)
    reads: list[Node] = field(default_factory=list)
    origin: Binding | None = None
    members: dict[str, Export] = field(default_factory=dict)


@dataclass(eq=False)
class Scope:
    """A block or a function.

    Attributes:
        node: the node that opens it.
        parent: the enclosing scope.
        is_function: whether it is a function in Python, too; a loop of jasmine tests becomes one.
        bindings: its declarations, by name.
        used: bindings of any scope that are used in it or below.
    """

    node: Node
    parent: Scope | None
    is_function: bool
    bindings: dict[str, Binding] = field(default_factory=dict)
    used: dict[Binding, None] = field(default_factory=dict)

    @property
    def function(self) -> Scope:
        """The enclosing function; the script counts as one."""
        return self if self.is_function or self.parent is None else self.parent.function

    def find(self, name: str) -> Binding | None:
        """The variable that a name refers to here."""
        return self.bindings.get(name) or (self.parent.find(name) if self.parent else None)

    def around(self) -> Iterator[Scope]:
        """The scope and its enclosing scopes, from the inside out."""
        yield self
        if self.parent is not None:
            yield from self.parent.around()


# Nodes that declare names, besides functions.
declaration: NodeRules[str, Callable[[Scopes, Node, Scope], None]] = NodeRules()


class Scopes:
    """All scopes of a script.

    Attributes:
        bindings: the binding of each identifier, by the id of its node; shared by files that are converted together.
        by_node: the scope that a node opens, by its id.
    """

    def __init__(self, root: Node, bindings: dict[int, Binding] | None = None) -> None:
        self.bindings: dict[int, Binding] = {} if bindings is None else bindings
        self.by_node: dict[int, Scope] = {}
        repeating = [_repeating(node) for node in parse.walk(root) if node.type in FUNCTIONS]
        self._tests = {statement.id for statement in repeating if statement is not None}
        self.top = self._open(root, None)
        self._names: list[tuple[Node, Scope]] = []
        for node in root.children:
            self._visit(node, self.top)
        for node, scope in self._names:
            self._refer(node, scope)
        for scope in list(self.by_node.values()):
            _name(scope)

    def of(self, node: Node) -> Scope:
        """The innermost scope of a node."""
        found: Node | None = node
        while found is not None:
            if found.id in self.by_node:
                return self.by_node[found.id]
            found = found.parent
        return self.top

    def resolve(self, node: Node) -> Binding | None:
        """The variable of a name, or of `a.b` of an imported file a, in the file that declares it."""
        if node.type == "member_expression":
            export = self.export(node)
            return export.binding if export is not None else None
        binding = self.bindings.get(node.id)
        return binding.origin if binding is not None and binding.origin is not None else binding

    def export(self, node: Node) -> Export | None:
        """The export that `a.b` refers to for an imported file a; None for anything else."""
        module = self.resolve(parse.field(node, "object"))
        return module.members.get(text(parse.field(node, "property"))) if module is not None else None

    def outer_writes(self, function: Node) -> list[Binding]:
        """Variables of outer functions that a function assigns to."""
        scope = self.by_node[function.id]
        return [
            b
            for b in scope.used
            if b.scope.function is not scope
            and any(o.function is b.scope.function for o in scope.around())
            and any(self.of(w).function is scope for w in b.writes)
        ]

    def _open(self, node: Node, parent: Scope | None) -> Scope:
        is_def = node.type in FUNCTIONS and not is_inlined(node)
        is_function = parent is None or is_def or node.id in self._tests
        scope = self.by_node[node.id] = Scope(node, parent, is_function)
        return scope

    def _visit(self, node: Node, scope: Scope) -> None:
        kind = node.type
        if kind in FUNCTIONS:
            self._function(node, scope)
            return
        if kind in ("type_annotation", "type_arguments", "interface_declaration", "type_alias_declaration"):
            return
        if kind == "export_statement" and node.child_by_field_name("source") is not None:
            return  # its names belong to another file
        if kind in _BLOCKS or node.id in self._tests:
            scope = self._open(node, scope)
        if kind in declaration:
            declaration[kind](self, node, scope)
        if kind in ("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"):
            self._names.append((node, scope))
        for child in node.children:
            self._visit(child, scope)

    def _function(self, node: Node, scope: Scope) -> None:
        name = node.child_by_field_name("name")
        if name is not None and node.type.endswith("declaration"):
            self._declare(name, "function", scope, node)
        inner = self._open(node, scope)
        if name is not None and node.type in ("function_expression", "generator_function"):
            self._declare(name, "function", inner, node)
        for parameter in parse.parameters(node):
            pattern, default = default_of(parameter)
            self._pattern(pattern, "parameter", inner, None)
            if default is not None:
                self._visit(default, inner)
        body = node.child_by_field_name("body")
        if body is None:
            return
        if body.type == "statement_block":
            self.by_node[body.id] = inner
            for child in body.children:
                self._visit(child, inner)
        else:
            self._visit(body, inner)

    @declaration("variable_declarator")
    def _declare_variable(self, node: Node, scope: Scope) -> None:
        if node.parent is not None and node.parent.type == "variable_declaration":
            scope = scope.function
        in_for = (
            node.parent is not None and node.parent.parent is not None and node.parent.parent.type == "for_statement"
        )
        value = optional(node, "value")
        self._pattern(parse.field(node, "name"), "loop" if in_for else "variable", scope, value)

    @declaration("for_in_statement")
    def _declare_loop(self, node: Node, scope: Scope) -> None:
        if node.child_by_field_name("kind") is not None:
            self._pattern(parse.field(node, "left"), "loop", scope, None)

    @declaration("catch_clause")
    def _declare_caught(self, node: Node, scope: Scope) -> None:
        parameter = optional(node, "parameter")
        if parameter is not None:
            self._pattern(parameter, "catch", scope, None)

    @declaration("class_declaration", "abstract_class_declaration", "enum_declaration")
    def _declare_class(self, node: Node, scope: Scope) -> None:
        self._declare(parse.field(node, "name"), "class", scope, node)

    @declaration("import_clause")
    def _declare_imported(self, node: Node, scope: Scope) -> None:
        for child in parse.walk(node):
            if child.type == "import_specifier":
                self._declare(kids(child)[-1], "import", scope, child)
            elif child.type == "identifier" and child.parent is not None and child.parent.type != "import_specifier":
                self._declare(child, "import", scope, child)

    def _pattern(self, pattern: Node, kind: str, scope: Scope, value: Node | None) -> None:
        """Declare the names of a pattern, and visit the expressions in it."""
        pattern, default = default_of(pattern)
        if pattern.type in ("identifier", "shorthand_property_identifier_pattern"):
            self._declare(pattern, kind, scope, value)
        elif pattern.type in ("object_pattern", "array_pattern", "rest_pattern"):
            for child in kids(pattern):
                self._pattern(child, kind, scope, None)
        elif pattern.type == "pair_pattern":
            self._pattern(parse.field(pattern, "value"), kind, scope, None)
        if default is not None:
            self._visit(default, scope)

    def _declare(self, node: Node, kind: str, scope: Scope, value: Node | None) -> None:
        binding = scope.bindings.get(text(node))
        if binding is None:
            binding = scope.bindings[text(node)] = Binding(text(node), kind, scope, node, value)
        else:
            binding.writes.append(node)
        self.bindings[node.id] = binding

    def _refer(self, node: Node, scope: Scope) -> None:
        binding = self.bindings.get(node.id) or scope.find(text(node))
        if binding is None:
            return
        for inner in scope.around():
            inner.used[binding] = None
            if inner is binding.scope.function:
                break
        if node.id in self.bindings:
            return
        self.bindings[node.id] = binding
        (binding.writes if is_written(node) else binding.reads).append(node)


def is_written(node: Node) -> bool:
    """Whether an identifier is assigned to, alone or within a pattern."""
    parent = node.parent
    while parent is not None and parent.type in ("array_pattern", "object_pattern", "pair_pattern", "rest_pattern"):
        node, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type in ("assignment_expression", "augmented_assignment_expression", "for_in_statement"):
        return parent.child_by_field_name("left") == node
    return parent.type == "update_expression"


def is_inlined(function: Node) -> bool:
    """Whether a function is passed to `forEach`, `then` or `tidy` in a statement of its own, so that it is inlined.

    The same holds for those that jasmine's `describe` and `toThrow` call, and for tests in loops.
    """
    if is_described(function) or _is_raising(function) or is_repeated(function):
        return True
    arguments = function.parent
    call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
    if call is None or call.type != "call_expression" or kids(arguments or function) != [function]:
        return False
    outer = _statement_of(call)
    callee = bare(parse.field(call, "function"))
    if outer.type != "expression_statement" or callee.type != "member_expression":
        return False
    body = parse.field(function, "body")
    name = text(parse.field(callee, "property"))
    if name in _LOOPS:
        return len(parse.parameters(function)) <= 2 and not _returns_in_a_loop(body)
    returns = body.type != "statement_block" or any(n.type == "return_statement" for n in parse.walk_own(body))
    if name in ("then", "catch", "finally"):
        return not returns or body.type != "statement_block"
    return name == "tidy" and not returns and not parse.parameters(function)


def is_described(function: Node) -> bool:
    """Whether a function is the argument of jasmine's `describe`, at the top level or in another one."""
    call = _call_with(function, "describe", "fdescribe", "xdescribe")
    block = parse.block_around(function) if call is not None else None
    if block is None or parse.field(function, "body").type != "statement_block":
        return False
    return block.type == "program" or (block.parent is not None and is_described(block.parent))


def is_repeated(function: Node) -> bool:
    """Whether a function is a jasmine test that a loop or a condition directly inside `describe` contains."""
    return _repeating(function) is not None


def _repeating(function: Node) -> Node | None:
    """The loop or condition directly inside `describe` that contains a function, if this is a jasmine test."""
    call = _call_with(function, "it", "fit")
    statement = call.parent if call is not None and not parse.parameters(function) else None
    within = False
    while statement is not None and statement.parent is not None and statement.parent.parent is not None:
        around = statement.parent.parent
        within = within or statement.type in FUNCTIONS or statement.type in _BRANCHES
        if around.type in FUNCTIONS and statement.parent.type == "statement_block" and is_described(around):
            returns = any(n.type == "return_statement" for n in parse.walk_own(function))
            return statement if within and not returns else None
        if statement.type in FUNCTIONS and not is_inlined(statement):
            return None
        statement = statement.parent
    return None


def _is_raising(function: Node) -> bool:
    """Whether a function is a block that is expected to raise an error or not: `expect(() => {…}).toThrow()`."""
    call, body = _call_with(function, "expect"), parse.field(function, "body")
    matcher = call.parent if call is not None else None
    while matcher is not None and text(matcher.child_by_field_name("property")) == "not":
        matcher = matcher.parent
    is_raising = matcher is not None and text(matcher.child_by_field_name("property")).startswith("toThrow")
    return (
        is_raising
        and body.type == "statement_block"
        and not any(n.type == "return_statement" for n in parse.walk_own(body))
    )


def _call_with(function: Node, *names: str) -> Node | None:
    """The call of one of some functions with a function as its last argument; None for any other parent."""
    call = function.parent.parent if function.parent is not None and function.parent.type == "arguments" else None
    is_call = call is not None and text(call.child_by_field_name("function")) in names
    return call if is_call and kids(function.parent or function)[-1] == function else None


def _statement_of(call: Node) -> Node:
    """The statement that consists of a call, except for `await` and for `catch` and `finally` after it."""
    outer = call.parent
    while outer is not None and outer.parent is not None:
        guarded = outer.type == "member_expression" and text(outer.child_by_field_name("property")) in (
            "catch",
            "finally",
        )
        if not guarded and outer.type != "await_expression":
            return outer
        outer = outer.parent.parent if guarded else outer.parent
    return call


def _returns_in_a_loop(body: Node) -> bool:
    loops = [
        n
        for n in parse.walk_own(body)
        if n.type in ("for_statement", "for_in_statement", "while_statement", "do_statement")
    ]
    inside = any(n.type == "return_statement" for loop in loops for n in parse.walk_own(loop))
    return inside or any(n.type == "return_statement" and kids(n) for n in parse.walk_own(body))


def _name(scope: Scope) -> None:
    """Set the Python names of the bindings of a scope."""
    for binding in scope.bindings.values():
        if not binding.python:
            binding.python = _free(names.variable(binding.name), binding)


def _free(wanted: str, binding: Binding) -> str:
    """The first of wanted, wanted_2, … that has no other meaning where the binding is used."""
    scope = binding.scope
    taken = {b.python for b in (*scope.function.used, *scope.bindings.values()) if _clashes(b, binding)}
    found, number = wanted, 1
    while found in taken:
        number += 1
        found = f"{wanted}_{number}"
    return found


def _clashes(other: Binding, binding: Binding) -> bool:
    """Whether two variables must have different names: they belong to two functions, or to nested blocks."""
    if other is binding or not other.python:
        return False
    if other.scope.function is not binding.scope.function:
        return True
    if any(is_described(around.node) for around in (*other.scope.around(), *binding.scope.around())):
        return True  # tests run after the whole file
    return binding.scope in other.scope.around() or other.scope in binding.scope.around()
