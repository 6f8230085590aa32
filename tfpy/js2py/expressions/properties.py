"""Properties and items: attributes, keys of dicts, lengths, and members of tfpy."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from tfpy.js2py import builtins, names
from tfpy.js2py.analysis.kind import NAMESPACE, NDARRAY, NUMBERS, STRING, UNKNOWN, Kind
from tfpy.js2py.analysis.members import class_around
from tfpy.js2py.analysis.origins import is_module, origin_of, taken_from
from tfpy.js2py.analysis.scopes import Binding, is_written
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions import node_properties
from tfpy.js2py.expressions.conditions import is_none
from tfpy.js2py.expressions.indices import index, is_float, is_fraction
from tfpy.js2py.expressions.presence import may_be_missing
from tfpy.js2py.expressions.provenance import data_of, key_of, spelled_key
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, holes, py, string
from tfpy.js2py.syntax.parse import bare, kids, optional, path_of, text
from tfpy.js2py.syntax.printing import source

CONSTANTS = {
    "Math.PI": "math.pi", "Math.E": "math.e", "Math.LN2": "math.log(2)", "Math.LN10": "math.log(10)",
    "Math.LOG2E": "math.log2(math.e)", "Math.LOG10E": "math.log10(math.e)", "Math.SQRT1_2": "math.sqrt(0.5)",
    "Math.SQRT2": "math.sqrt(2)", "Number.MAX_SAFE_INTEGER": "2**53 - 1", "Number.MIN_SAFE_INTEGER": "1 - 2**53",
    "Number.MIN_VALUE": "math.ulp(0.0)", "Number.EPSILON": "sys.float_info.epsilon",
    "Number.MAX_VALUE": "sys.float_info.max", "Number.POSITIVE_INFINITY": "math.inf", "Number.NaN": "math.nan",
    "Number.NEGATIVE_INFINITY": "-math.inf", "Math.max": "max", "Math.min": "min",
    **node_properties.CONSTANTS,
}  # fmt: skip
# Globals that pages load as scripts, and their modules here.
GLOBALS = {"tf": ["tf"], "tfvis": ["tf", "vis"], "dl": ["dl"], "deeplearn": ["dl"]} | {
    name: ["dl", name] for name in names.legacy_classes()
}
# The Python code for properties of JavaScript's own objects, by their kind and the property.
_OF_KIND = {
    ("error", "message"): "str(_0)", ("match", "index"): "_0.start()", ("map", "size"): "len(_0)",
    ("set", "size"): "len(_0)", ("bytes", "byteLength"): "len(_0)", ("ndarray", "byteLength"): "_0.nbytes",
}  # fmt: skip
NUMBERS_AS_KEYS = (
    "numbers stay numbers as keys, in the order in which they come; in JavaScript they become strings, in ascending "
    "order"
)


@expression("member_expression")
def member(c: Converter, node: Node) -> ast.expr:
    """A property: an attribute, an item of a dict, a length, or a member of tfpy."""
    path = path_of(node)
    known = ".".join(path) if path is not None else ""
    if (known in CONSTANTS or known in builtins.FUNCTIONS) and c.scopes.bindings.get(_first(node).id) is None:
        return own(known)
    if known in ("console.log", "console.info"):
        return atom("print")
    found = _of_file(c, node) or module_member(c, node, path) or _of_node(c, node, path)
    if found is not None:
        return found
    owner, name = parse.field(node, "object"), text(parse.field(node, "property"))
    asked = node_properties.asked(c, owner, name)
    if asked is not None:
        return asked
    stepped = _stepped(c, owner) if name == "value" else None
    if stepped is not None:
        return py("next(iter(_0), None)" if _is_view(stepped) else "next(_0, None)", c.expr(stepped))
    if parse.is_chained(node):
        return chained(c, owner, lambda value: property_of(c, node, owner, value, name))
    return property_of(c, node, owner, c.expr(owner), name)


def _of_file(c: Converter, node: Node) -> ast.expr | None:
    """An export of another file that is imported as a whole; None for anything else."""
    found = c.scopes.export(node)
    return ast.Attribute(c.expr(parse.field(node, "object")), found.python) if found is not None else None


def own(name: str) -> ast.expr:
    """A constant or a function of JavaScript's own, as a value."""
    if name in CONSTANTS:
        return py(CONSTANTS[name])
    if name not in builtins.FUNCTIONS:
        raise NotConvertedError(f"{name} has no counterpart")
    if holes(builtins.FUNCTIONS[name][-1]) != 1:
        raise NotConvertedError(f"{name} as a value has no counterpart")
    template = py(builtins.FUNCTIONS[name][-1], atom("x"))
    if isinstance(template, ast.Call) and [build.name_of(a) for a in template.args] == ["x"]:
        return template.func
    arguments = build.no_arguments()
    arguments.args.append(ast.arg("x"))
    return ast.Lambda(arguments, template)


def _stepped(c: Converter, node: Node) -> Node | None:
    """The generator of `generator.next()`."""
    node = kids(node)[0] if node.type == "await_expression" else node
    callee = parse.field(node, "function") if node.type == "call_expression" else node
    if callee.type != "member_expression" or text(parse.field(callee, "property")) != "next":
        return None
    owner = parse.field(callee, "object")
    return owner if c.kinds.of(owner).name in ("generator", "set") and text(node).endswith("next()") else None


def _is_view(node: Node) -> bool:
    """Whether an expression is `map.keys()` or the like, which is a view in Python and no iterator."""
    callee = optional(node, "function") if node.type == "call_expression" else None
    return callee is not None and text(callee.child_by_field_name("property")) in ("keys", "values", "entries")


def _first(node: Node) -> Node:
    """The first name of a path."""
    while node.type == "member_expression":
        node = parse.field(node, "object")
    return node


def chained(c: Converter, owner: Node, then: Callable[[ast.expr], ast.expr]) -> ast.expr:
    """`a?.b`: None if a is None."""
    value = c.expr(owner)
    match value:
        case ast.IfExp(_, ast.Constant(None) as none, part) if is_cheap(part):  # of `a?.b?.c`
            return ast.IfExp(is_none(value), none, then(part))
    again = value if is_cheap(value) else atom(c.new_name("found", owner))
    return there(c, owner, value, "None if _1 is None else _2", then(again), again)


def there(
    c: Converter, node: Node, value: ast.expr, form: str, other: ast.expr, again: ast.expr | None = None
) -> ast.expr:
    """A value that is used twice, `_1` first and then `_0`: a computed one gets a name at its first use.

    Args:
        c: the converter.
        node: the node of the value.
        value: the value.
        form: a template.
        other: its `_2`.
        again: the name of the value, if the caller has chosen one.
    """
    if is_cheap(value):
        return py(form, value, value, other)
    again = again or atom(c.new_name("found", node))
    assert isinstance(again, ast.Name)
    return py(form, again, ast.NamedExpr(again, value), other)


def is_cheap(node: ast.expr) -> bool:
    """Whether an expression may be evaluated twice."""
    return not any(isinstance(n, (ast.Call, ast.NamedExpr)) and not is_get(n) for n in ast.walk(node))


def is_get(node: ast.AST) -> bool:
    """Whether an expression is a `get` of a dict's item."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"


def module_member(c: Converter, node: Node, path: list[str] | None) -> ast.expr | None:
    """A member of tfpy's namespaces; None for anything else."""
    if path is None:
        return None
    module = tfpy_path(c, _first(node), path)
    if module is None:
        return None
    found = names.resolve(module)
    if found is None:
        raise NotConvertedError(names.missing(module))
    return py(found[0])


def _of_node(c: Converter, node: Node, path: list[str] | None) -> ast.expr | None:
    """A member of one of Node's modules; None for anything else."""
    module = c.modules.get(path[0]) if path is not None else None
    if path is None or module is None or tfpy_path(c, _first(node), path) is not None:
        return None
    binding = c.scopes.bindings.get(_first(node).id)
    known = binding is None or binding.kind in ("import", "variable")
    return node_properties.constant(".".join([module, *path[1:]])) if known else None


def tfpy_path(c: Converter, first: Node, path: list[str], seen: Sequence[Binding] = ()) -> list[str] | None:
    """A path such as layers.dense, starting from tf; None if it is no path into tfpy.

    `seen` are the variables followed so far: some are declared with themselves, such as `var tf = tf || other`.
    """
    binding = c.scopes.bindings.get(first.id)
    if path[0] in c.modules and (binding is None or binding.kind in ("import", "variable")):
        module = c.modules[path[0]]
        if module is None:
            raise NotConvertedError(f"{path[0]} comes from a package that has no counterpart here")
        return [*module.split("."), *path[1:]] if module.partition(".")[0] in names.ROOTS else None
    if binding is None and path[0] in GLOBALS:
        return [*GLOBALS[path[0]], *path[1:]]
    space = namespace_of(c, first, seen) if binding is not None else None
    return [*space, *path[1:]] if space is not None else None


def namespace_of(c: Converter, node: Node, seen: Sequence[Binding] = ()) -> list[str] | None:
    """The path of the namespace that a variable is initialized with and never leaves; None for anything else."""
    binding = c.scopes.bindings.get(node.id)
    if binding is None or binding.kind != "variable" or binding.writes or binding in seen:
        return None
    taken, name = taken_from(binding)
    path = path_of(taken) if taken is not None else None
    found = tfpy_path(c, _first(taken), path, (*seen, binding)) if taken is not None and path is not None else None
    found = [*found, name] if found is not None and name != "*" else found
    return found if found is not None and names.namespace(".".join(found)) else None


def part_of(value: ast.expr, name: str) -> ast.expr | None:
    """A member of a tfpy namespace by its name in TF.js; None if the value is no namespace."""
    space = source(value)
    if space.partition(".")[0] not in names.ROOTS or not names.namespace(space):
        return None
    path = [*space.split("."), name]
    found = names.resolve(path)
    if found is None:
        raise NotConvertedError(names.missing(path))
    return py(found[0])


def is_of_tfpy(c: Converter, node: Node) -> bool:
    """Whether an expression is a path into tfpy, or a variable that is initialized with one."""
    binding = c.scopes.bindings.get(node.id)
    taken = taken_from(binding)[0] if binding is not None else None
    paths = [(n, path_of(n)) for n in (node, taken) if n is not None]
    return any(path is not None and tfpy_path(c, _first(n), path) is not None for n, path in paths)


def property_of(c: Converter, node: Node, owner: Node, value: ast.expr, name: str) -> ast.expr:
    """A property of an object that is no namespace."""
    kind = c.kinds.of(owner)
    if is_module(c.scopes.bindings.get(owner.id)):
        return ast.Attribute(value, names.variable(name))
    form = _form(kind, owner, name)
    if form is not None:
        made = text(owner.child_by_field_name("function"))
        return py(form, build.unlisted(value) if made in builtins.OF_OBJECTS else value)
    if kind == NAMESPACE and name not in c.kinds.flags and not is_written(node):
        return py("getattr(_0, _1, None)", value, string(names.attribute(name)))
    if _is_item(c, node, kind, name):
        return _item(c, node, owner, value, name)
    found = ast.Attribute(value, names.attribute(name.replace("#", "_") if name.startswith("#") else name))
    return call(found) if kind == Kind("class") and c.kinds.is_computed(owner, name) else found


def _form(kind: Kind, owner: Node, name: str) -> str | None:
    """The Python code for a property of JavaScript's own objects; None for any other."""
    if name == "length" and not kind.is_dict and not kind.name.startswith("."):
        return "len(_0)" if not node_properties.is_command_line(owner) else "len(sys.argv) + 1"
    if name == "name" and text(owner).endswith(".constructor"):
        return "_0.__name__"
    return "type(_0)" if name == "constructor" else _OF_KIND.get((kind.name, name))


def _item(c: Converter, node: Node, owner: Node, value: ast.expr, name: str) -> ast.expr:
    """An item of a dict, or None if it may be missing."""
    is_unknown = data_of(c, owner) == "config" and name not in (*names.config_keys(), "config")
    may_lack = text(owner) == "process.env" or is_unknown or c.kinds.lacks(owner, name)
    missing = may_be_missing(node) or (may_lack and not is_written(node) and not _fails_if_missing(node))
    key = string(key_of(c, owner, name))
    return py("_0.get(_1)", value, key) if missing else ast.Subscript(value, key)


def _is_item(c: Converter, node: Node, kind: Kind, name: str) -> bool:
    """Whether a property is an item of a dict, rather than an attribute."""
    if kind.is_dict:
        return True
    data = data_of(c, parse.field(node, "object")) if kind == UNKNOWN and not _is_called(node) else ""
    if data in ("read", "config") or (data == "written" and (name in c.kinds.keys or name not in names.attributes())):
        return True
    if kind != UNKNOWN or _is_called(node):
        return False
    if name not in c.kinds.keys:
        return False if name in names.attributes() or name in c.kinds.members.names else _is_data(c, node)
    if name in c.kinds.members.names or name in names.attributes():
        c.check(node, f"is `{name}` an item of a dict, as here, or an attribute?")
    return True


def _is_data(c: Converter, node: Node) -> bool:
    """Whether a property of unknown name is read from something that may be data: nothing from another file."""
    binding, owner = c.scopes.bindings.get(_first(node).id), parse.field(node, "object")
    return binding is not None and origin_of(binding) is None and owner.type != "this" and not is_of_tfpy(c, owner)


def _fails_if_missing(node: Node) -> bool:
    """Whether a script relies on a property, or removes it: it calls it, reads a part of it, or calculates with it."""
    parent = node.parent
    if parent is None or parse.is_chained(parent):
        return False
    sign = text(parent.child_by_field_name("operator")) if parent.type == "binary_expression" else ""
    is_part = _is_called(node) or parent.child_by_field_name("object") == node
    return is_part or sign in ("-", "*", "/", "%", "**") or parse.has(parent, "delete")


def _is_called(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.child_by_field_name("function") == node


@expression("subscript_expression")
def subscript(c: Converter, node: Node) -> ast.expr:
    """An item of a list, a dict or a string, or a member of tfpy by name; a key that may be missing uses `get`."""
    owner, at = parse.field(node, "object"), parse.field(node, "index")
    value = c.expr(owner)
    if parse.is_chained(node):
        return chained(c, owner, lambda found: ast.Subscript(found, c.expr(at)))
    if node_properties.is_command_line(owner) and text(at).isdigit() and text(at) != "0":
        return node_properties.argument(int(text(at)), may_be_missing(node))
    if c.kinds.of(owner) in (NAMESPACE, Kind("class")) and at.type == "string":
        return ast.Attribute(value, names.attribute(text(at)[1:-1]))
    if c.kinds.of(owner) == Kind("class"):
        raise NotConvertedError("the name of a value of an enum has no counterpart")
    if is_of_tfpy(c, owner) or (c.kinds.of(owner).name in names.classes() and c.kinds.of(at) == STRING):
        return py("getattr(_0, _1)", value, c.expr(at))
    if c.kinds.of(owner) == NDARRAY and not is_written(node):
        return py("_0.item(_1)", value, _place(c, node, owner, at))  # arithmetic with numpy's numbers wraps and rounds
    if c.kinds.of(owner).is_dict and may_be_missing(node):
        return py("_0.get(_1)", value, c.expr(at))
    if text(at) == "0" and _is_input_of_a_layer(c, owner):
        return py("_0[0] if isinstance(_0, (list, tuple)) else _0", value)
    if c.kinds.of(owner).is_dict and is_written(node) and c.kinds.of(at) in NUMBERS:
        c.check(node, NUMBERS_AS_KEYS)
    return ast.Subscript(value, _place(c, node, owner, at))


def _place(c: Converter, node: Node, owner: Node, at: Node) -> ast.expr:
    """The index in the brackets; negative for an index that counts from the end."""
    last = re.fullmatch(r"(.+)\.length\s*-\s*(\d+)", text(at))
    if last is not None and last[1] == text(owner):
        return py(f"-{last[2]}")
    if at.type == "unary_expression" and text(at).startswith("-"):
        c.check(node, "a negative index counts from the end in Python; in JavaScript it gives undefined")
    if not c.kinds.of(owner).is_dict and is_fraction(c, at):
        c.check(node, "an index that is not an integer gives undefined in JavaScript; here it is truncated")
        return index(c, at)
    if not c.kinds.of(owner).is_dict and is_float(c, at):
        return call("int", c.expr(at))
    return spelled_key(c, owner, at)


def _is_input_of_a_layer(c: Converter, node: Node) -> bool:
    """Whether an expression is the argument of `call` of a layer of the script: a list in TF.js, a tensor here."""
    binding = c.scopes.bindings.get(node.id)
    method = binding.scope.node if binding is not None and binding.kind == "parameter" else None
    if binding is None or method is None or method.type != "method_definition" or binding.writes:
        return False
    owner = class_around(method)
    base = parse.base_of(owner) if owner is not None else None
    is_call = text(parse.field(method, "name")) == "call" and "Layer" in text(base)
    return is_call and not _is_asked(node, f"Array.isArray({text(node)})")


def _is_asked(node: Node, condition: str) -> bool:
    """Whether an expression is within a conditional of that condition."""
    while node.parent is not None and node.parent.type not in parse.FUNCTIONS:
        node = node.parent
        if node.type in ("if_statement", "ternary_expression"):
            asked = parse.field(node, "condition")
            if text(bare(asked)) == condition:
                return True
    return False
