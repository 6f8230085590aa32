"""Classes: constructors, methods, properties, fields."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.members import is_attribute
from tfpy.js2py.converter import Converter, expression, statement
from tfpy.js2py.expressions.functions import define, reference
from tfpy.js2py.expressions.operators import INSTANCES
from tfpy.js2py.expressions.presence import looked_for
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.statements.docstrings import documented
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, name_of, py
from tfpy.js2py.syntax.comments import is_documentation
from tfpy.js2py.syntax.parse import kids, optional, string_in, text

_SPECIAL = {"constructor": "__init__", "toString": "__str__"}
_FIELDS = ("field_definition", "public_field_definition")


@statement("class_declaration", "abstract_class_declaration")
def class_declaration(c: Converter, node: Node) -> list[ast.stmt]:
    """A class."""
    made = class_of(c, node, name_of(c.name(parse.field(node, "name"))))
    documented(c, made, node)
    return [made]


@statement("enum_declaration")
def enum(c: Converter, node: Node) -> list[ast.stmt]:
    """An enum as a class of constants."""
    own: list[ast.stmt] = []
    following = 0
    for member in kids(parse.field(node, "body")):
        given = optional(member, "value")
        value = c.expr(given) if given is not None else atom(str(following))
        whole = build.whole(value)
        following = whole + 1 if whole is not None else following
        name = member if given is None else parse.field(member, "name")
        own.append(assign(atom(_of_enum(string_in(name) or text(name))), value))
    return [ast.ClassDef(name_of(c.name(parse.field(node, "name"))), [], [], build.filled(own), [])]


def _of_enum(name: str) -> str:
    """The name of a value of an enum in Python."""
    if not name.isidentifier():
        raise NotConvertedError(f"the name of the enum's value {name!r} has no counterpart")
    return names.attribute(name)


@expression("class")
def class_expression(c: Converter, node: Node) -> ast.expr:
    """A class as a value: it gets a name and is defined before the statement."""
    name = optional(node, "name")
    wanted = text(name) if name is not None else "Made"
    c.first(class_of(c, node, wanted), effects=False)
    return atom(wanted)


def class_of(c: Converter, node: Node, name: str) -> ast.ClassDef:
    """The class definition of a class."""
    bases = _bases(c, node)
    own: list[ast.stmt] = []
    fields: list[Node] = []
    members = _getters_first(parse.field(node, "body").named_children)
    for at, member in enumerate(members):
        if member.type in _FIELDS and not parse.has(member, "static"):
            fields.append(member)
            continue
        found = _member(c, member, members[at - 1] if at else None, own)
        if found and at and member.start_point.row - members[at - 1].end_point.row > 1:
            build.put_blank(found[0])
        own += found
    own[:0] = [assign(atom(names.attribute(name)), atom("None")) for name in looked_for(node)]
    initial = [*_properties(members), *(s for field in fields for s in _field(c, field))]
    _initialize(own, initial, bool(bases))
    return ast.ClassDef(name, bases, [], build.filled(own), [])


def _getters_first(members: list[Node]) -> list[Node]:
    """The members of a class with each getter before its setter, as Python's decorators require."""
    found: list[Node] = []
    for member in members:
        if parse.has(member, "get"):
            place = next((at for at, other in enumerate(found) if _is_setter_of(other, member)), len(found))
            found.insert(place, member)
        else:
            found.append(member)
    return found


def _is_setter_of(member: Node, getter: Node) -> bool:
    same = text(member.child_by_field_name("name")) == text(getter.child_by_field_name("name"))
    return same and parse.has(member, "set") and parse.has(member, "static") == parse.has(getter, "static")


def _bases(c: Converter, node: Node) -> list[ast.expr]:
    base = parse.base_of(node)
    if base is None:
        return []
    if base.type == "identifier" and text(base) in INSTANCES and base.id not in c.scopes.bindings:
        return [py(INSTANCES[text(base)])]
    return [c.expr(base)]


def _member(c: Converter, node: Node, before: Node | None, own: list[ast.stmt]) -> list[ast.stmt]:
    if node.type == "comment":
        if is_documentation(node):
            return []
        return c.comment(node, before, own)
    if node.type in _FIELDS:
        return _static_field(c, node)
    if node.type == "method_definition":
        found = c.by_rule(node, _method)
        return _raising(found) if found and isinstance(found[-1], ast.Raise) else found
    if node.type in ("abstract_method_signature", "method_signature", "index_signature"):
        return []
    raise NotConvertedError(f"{node.type.replace('_', ' ')} in a class has no counterpart")


def _raising(left: list[ast.stmt]) -> list[ast.stmt]:
    """A method that is not converted: the class is defined without it."""
    arguments = build.no_arguments()
    arguments.vararg = ast.arg("_")
    return [*left[:-1], build.function("not_converted", arguments, left[-1:])]


def _name(node: Node) -> str:
    found = node.child_by_field_name("property") or node.child_by_field_name("name")
    if text(found) in ("[Symbol.iterator]", "[Symbol.asyncIterator]") and parse.has(node, "*"):
        return "__iter__"
    if found is None or found.type not in ("property_identifier", "private_property_identifier"):
        raise NotConvertedError("a member whose name is computed has no counterpart")
    return text(found)


def _static_field(c: Converter, node: Node) -> list[ast.stmt]:
    def rule(c: Converter, node: Node) -> list[ast.stmt]:
        value = optional(node, "value")
        return [assign(atom(names.attribute(_name(node))), c.expr(value) if value is not None else atom("None"))]

    return c.by_rule(node, rule)


def _field(c: Converter, node: Node) -> list[ast.stmt]:
    """A field of an instance, which its constructor initializes."""

    def rule(c: Converter, node: Node) -> list[ast.stmt]:
        if parse.has(node, "declare") or parse.has(node, "abstract"):
            return []
        value = optional(node, "value")
        target = ast.Attribute(atom("self"), names.attribute(_name(node)))
        if value is None:
            return [assign(target, atom("None"))]
        return [assign(target, reference(c, value, _name(node)) if value.type in parse.FUNCTIONS else c.expr(value))]

    return c.by_rule(node, rule)


def _method(c: Converter, node: Node) -> list[ast.stmt]:
    """A method, a property or the constructor."""
    name, static = _name(node), parse.has(node, "static")
    constant = parse.literal_of(node) if static and parse.has(node, "get") else None
    if constant is not None:
        return [assign(atom(names.attribute(name)), c.expr(constant))]
    if node.child_by_field_name("body") is None:
        return []
    spelled = _SPECIAL.get(name) or names.attribute(name)
    if static and parse.has(node, "get") and name in names.attributes():
        raise NotConvertedError(f"a static getter that computes `{name}` has no counterpart; set it below the class")
    made = define(c, node, spelled, "" if static else "self")
    if static:
        made.decorator_list = [atom("staticmethod")]
    elif parse.has(node, "get"):
        made.decorator_list = [atom("property")]
    elif parse.has(node, "set"):
        return _setter(node, made)
    documented(c, made, node)
    return [made]


def _setter(node: Node, made: ast.FunctionDef) -> list[ast.stmt]:
    """A setter; one without a getter is added to a property explicitly."""
    others = kids(node.parent) if node.parent is not None else []
    if any(parse.has(other, "get") and _is_setter_of(node, other) for other in others):
        made.decorator_list = [atom(f"{made.name}.setter")]
        return [made]
    name, made.name = made.name, f"_set_{made.name}"
    return [made, assign(atom(name), py("property(fset=_0)", atom(made.name)))]


def _properties(members: list[Node]) -> list[ast.stmt]:
    """The assignments of TypeScript's parameter properties: `constructor(private x: number)`."""
    built = [m for m in members if m.type == "method_definition" and text(parse.field(m, "name")) == "constructor"]
    listed = [parameter for member in built for parameter in kids(parse.field(member, "parameters"))]
    given = [text(parse.field(parameter, "pattern")) for parameter in listed if is_attribute(parameter)]
    return [assign(ast.Attribute(atom("self"), names.attribute(g)), atom(names.variable(g))) for g in given]


def _start_of(made: ast.FunctionDef) -> int:
    """The position after a docstring, default values, and the call of the base class's constructor."""
    for at, s in enumerate(made.body):
        if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and ast.unparse(s).startswith("super().__init__("):
            return at + 1
    at = int(isinstance(made.body[0], ast.Expr) and isinstance(made.body[0].value, ast.Constant))
    given = [argument.arg for argument in made.args.args]
    while at < len(made.body) and any(_is_default_of(name, made.body[at]) for name in given):
        at += 1
    return at


def _is_default_of(name: str, s: ast.stmt) -> bool:
    """Whether a statement gives a parameter its default value."""
    match s:
        case ast.If(test, [ast.Assign([ast.Name(target)])], []):
            return target == name and ast.unparse(test) == f"{name} is None"
    return False


def _initialize(own: list[ast.stmt], fields: list[ast.stmt], derived: bool) -> None:
    """Put the initial values of the attributes into the constructor."""
    if not fields:
        return
    for made in own:
        if isinstance(made, ast.FunctionDef) and made.name == "__init__":
            at = _start_of(made)
            made.body = [s for s in [*made.body[:at], *fields, *made.body[at:]] if not isinstance(s, ast.Pass)]
            return
    arguments = build.no_arguments()
    arguments.args.append(ast.arg("self"))
    if derived:
        arguments.vararg = ast.arg("args")
        arguments.kwarg = ast.arg("options")
        fields = [ast.Expr(py("super().__init__(*args, **options)")), *fields]
    own.insert(0, build.function("__init__", arguments, fields))
