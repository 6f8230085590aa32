"""The types that a TypeScript script declares, and the kinds of the values that have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import (
    BOOL,
    BYTES,
    DATE,
    DICT,
    ERROR,
    FUNCTION,
    INDEX,
    LIST,
    NDARRAY,
    NULL,
    NUMBER,
    SHAPE,
    STRING,
    TYPED_ARRAYS,
    UNKNOWN,
    Kind,
    filled,
    joined,
    map_of,
)
from tfpy.js2py.analysis.members import Members, class_around
from tfpy.js2py.analysis.origins import source_of
from tfpy.js2py.packages import root_of
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, text
from tfpy.node_rules import NodeRules

# The kinds of types, by the type of the node.
type_rule: NodeRules[str, Callable[[DeclaredTypes, Node], Kind]] = NodeRules()
# The keys of object types, by the type of the node.
key_rule: NodeRules[str, Callable[[DeclaredTypes, Node, str], Key | None]] = NodeRules()

_NAMED = {
    "number": NUMBER, "string": STRING, "boolean": BOOL, "object": DICT, "Function": FUNCTION, "Date": DATE,
    "Buffer": BYTES, "Error": ERROR, "RegExp": Kind("regex"), "null": NULL, "undefined": NULL, "Shape": SHAPE,
    "TypedArray": NDARRAY, "Array": LIST, **dict.fromkeys(TYPED_ARRAYS, NDARRAY),
}  # fmt: skip
_LITERALS = {
    "string": STRING, "number": NUMBER, "unary_expression": NUMBER, "true": BOOL, "false": BOOL, "null": NULL,
    "undefined": NULL,
}  # fmt: skip
_GENERIC: dict[str, Callable[[Kind, Kind], Kind]] = {
    **dict.fromkeys(("Array", "ReadonlyArray"), lambda item, _: Kind("list", item)),
    **dict.fromkeys(("Set", "ReadonlySet"), lambda item, _: Kind("set", item)),
    **dict.fromkeys(
        (f"{prefix}{name}" for prefix in ("", "Async") for name in ("Generator", "Iterator", "IterableIterator")),
        lambda item, _: Kind("generator", item),
    ),
    **dict.fromkeys(("Map", "ReadonlyMap"), map_of),
    "Record": lambda key, value: Kind("dict", value, parts=(key, value)),
    **dict.fromkeys(("Promise", "Awaited", "Readonly", "NonNullable", "Pick", "Omit"), lambda kind, _: kind),
}
# Generic types whose keys are those of their argument, and whether they are optional.
_ARE_OPTIONAL = {"Partial": True, "Required": False}
# Types of objects that may have no name of their own; it is their text then.
_OF_OBJECTS = ("object_type", "intersection_type", "union_type")


class Key(NamedTuple):
    """A key of an object type.

    Attributes:
        kind: the kind of its values.
        is_optional: whether an object may lack it.
    """

    kind: Kind
    is_optional: bool


class DeclaredTypes:
    """The types that a script declares: interfaces, aliases, enumerations, and types of objects without a name."""

    def __init__(self, members: Members, root: Node) -> None:
        self.members = members
        self._implemented: set[str] = set()
        self._types: dict[str, Node] = {}
        # The names of imported types where they are declared, and of modules; empty for those of other packages.
        self._imported: dict[str, str] = {}
        self._pending: set[int] = set()
        for node in parse.walk(root):
            if node.type in ("interface_declaration", "type_alias_declaration", "enum_declaration"):
                self._types[text(node.child_by_field_name("name"))] = node
            elif node.type in _OF_OBJECTS or _is_variant(node):
                self._types.setdefault(text(node), node)
            elif node.type == "implements_clause":
                self._implemented |= {_name_of(kid) for kid in kids(node)}
            elif node.type == "import_statement":
                self._imported |= _imported(node)

    def include(self, other: DeclaredTypes) -> None:
        """Add the types of another file."""
        self._types = other._types | self._types
        self._implemented |= other._implemented

    def of(self, node: Node | None) -> Kind:
        """The kind of the values of a type; unknown without one."""
        rule = type_rule.get(node.type) if node is not None else None
        if node is None or rule is None or node.id in self._pending:  # a type may contain itself
            return UNKNOWN
        self._pending.add(node.id)
        try:
            return rule(self, node)
        finally:
            self._pending.discard(node.id)

    def listed(self, arguments: Node) -> tuple[Kind, ...]:
        """The kinds of the arguments of a generic type."""
        return tuple(self.of(kid) for kid in kids(arguments))

    def is_known(self, module: str) -> bool:
        """Whether a module, by the name that it is imported by, is tfpy or is converted, too."""
        return self._imported.get(module, module) != ""

    def given(self, node: Node, arguments: tuple[Kind, ...]) -> dict[str, Kind]:
        """The arguments of a generic type, class or function by the names of its parameters; unknown if omitted."""
        parameters = _parameters(node)
        return dict(zip(parameters, (*arguments, *[UNKNOWN] * len(parameters)), strict=False))

    def instance(self, node: Node) -> Kind:
        """An instance of the class around a node."""
        owner = class_around(node)
        if owner is None:
            return UNKNOWN
        return Kind(f".{text(owner.child_by_field_name('name'))}", parts=_unfilled(owner))

    def named(self, name: str, arguments: tuple[Kind, ...] = ()) -> Kind:
        """The kind of the values of a type by its name; a generic one has arguments."""
        name = self._imported.get(name, name)
        if name in self._types:
            return self._of_declared(name, arguments)
        if name in self.members.classes:
            return Kind(f".{name}", parts=arguments)
        if arguments and name in _GENERIC:
            first, *others = arguments
            return _GENERIC[name](first, others[0] if others else UNKNOWN)
        return _NAMED.get(name) or Kind(name if name in names.classes() else "", type=name)

    def _of_declared(self, name: str, arguments: tuple[Kind, ...]) -> Kind:
        node = self._types[name]
        kind = self.of(node)
        if kind.type != text(node.child_by_field_name("value") or node):
            return filled(kind, self.given(node, arguments))
        return replace(kind, name="" if name in self._implemented else kind.name, type=name, parts=arguments)

    def is_plain(self, base: Node) -> bool:
        """Whether the base of an interface is not known to have methods."""
        name = _name_of(base)
        return self.of(self._types[name]).name == "dict" if name in self._types else self.named(name) == UNKNOWN

    def key(self, kind: Kind, name: str) -> Key | None:
        """A key of the objects of a kind, or the key "" for all that their type does not name; None if unknown."""
        node = self._types.get(kind.type)
        found = self.key_in(node, name) if node is not None else None
        return found._replace(kind=filled(found.kind, self.arguments(kind))) if found is not None else None

    def kind_of_key(self, kind: Kind, name: str) -> Kind:
        """The kind of the values of a key; unknown if the type does not say."""
        found = self.key(kind, name)
        return found.kind if found is not None else UNKNOWN

    def key_in(self, node: Node, name: str) -> Key | None:
        """The same for the node of a type."""
        rule = key_rule.get(node.type)
        return rule(self, node, name) if rule is not None else self.key(self.of(node), name)

    def declaring(self, kind: Kind, name: str) -> Kind:
        """The kind of the class, or the base class, that declares a member of the instances of a kind."""
        while not self.members.declares(kind.name[1:], name):
            base = parse.base_of(self.members.classes[kind.name[1:]])
            clause = base.parent if base is not None else None
            given = clause.child_by_field_name("type_arguments") if clause is not None else None
            parts = self.listed(given) if given is not None else ()
            kind = filled(Kind(f".{self.members.named(base)}", parts=parts), self.arguments(kind))
        return kind

    def arguments(self, kind: Kind) -> dict[str, Kind]:
        """The arguments of a generic type or class by the names of its parameters."""
        node = self._types.get(kind.type) or self.members.classes.get(kind.name[1:])
        return self.given(node, kind.parts) if node is not None else {}


def _is_variant(node: Node) -> bool:
    """Whether a type is `Partial<T>` or the like: T with other keys optional."""
    return node.type == "generic_type" and _name_of(node) in _ARE_OPTIONAL


def _imported(statement: Node) -> dict[str, str]:
    """The names that an import gives to types and modules, and their names where they are declared, if known."""
    source = source_of(statement) or ""
    is_known = source.startswith(".") or root_of(source) is not None
    found = {}
    for node in parse.walk(statement):
        if node.type in ("import_specifier", "namespace_import"):
            first, *_, last = [*kids(node), *kids(node)]
            found[text(last)] = text(first) if is_known else ""
    return found


def _name_of(node: Node) -> str:
    """The name of a type without its module and its arguments."""
    return text(node.child_by_field_name("name") or node).rpartition(".")[2]


def _parameters(node: Node) -> dict[str, Node]:
    """The parameters of a generic type or class, and of those around it."""
    found: dict[str, Node] = {}
    around: Node | None = node
    while around is not None:
        listed = around.child_by_field_name("type_parameters")
        for parameter in kids(listed) if listed is not None else []:
            found.setdefault(text(parameter.child_by_field_name("name")), parameter)
        around = around.parent
    return found


def _unfilled(node: Node) -> tuple[Kind, ...]:
    """The arguments of a generic type where it is declared, which are its parameters."""
    return tuple(Kind("", type=name) for name in _parameters(node))


def _of_objects(node: Node, is_plain: bool = True) -> Kind:
    """The kind of the objects of a type without a name."""
    return Kind("dict" if is_plain else "", type=text(node), parts=_unfilled(node))


def _bases_of(node: Node) -> list[Node]:
    """The types that an interface extends."""
    return [base for clause in kids(node) if clause.type == "extends_type_clause" for base in kids(clause)]


# Types


@type_rule("type_alias_declaration")
def _alias(types: DeclaredTypes, node: Node) -> Kind:
    return types.of(node.child_by_field_name("value"))


@type_rule("type_annotation", "readonly_type", "parenthesized_type", "constraint", "required_parameter")
def _inner(types: DeclaredTypes, node: Node) -> Kind:
    return types.of(kids(node)[-1])


@type_rule("predefined_type")
def _named(types: DeclaredTypes, node: Node) -> Kind:
    return types.named(text(node))


@type_rule("nested_type_identifier")
def _of_module(types: DeclaredTypes, node: Node) -> Kind:
    """`module.Type`."""
    return types.named(_name_of(node)) if types.is_known(text(parse.field(node, "module"))) else UNKNOWN


@type_rule("type_identifier")
def _identifier(types: DeclaredTypes, node: Node) -> Kind:
    """A type by its name, or what `T extends …` says of a parameter."""
    name, parameter = text(node), _parameters(node).get(text(node))
    if parameter is None:
        return types.named(name)
    constraint = types.of(parameter.child_by_field_name("constraint"))
    return constraint if constraint != UNKNOWN else Kind("", type=name)


@type_rule("generic_type")
def _generic(types: DeclaredTypes, node: Node) -> Kind:
    arguments = types.listed(parse.field(node, "type_arguments"))
    if _is_variant(node):
        return _of_objects(node, arguments[0].is_dict)
    return types.named(_name_of(node), arguments)


@type_rule("array_type")
def _array(types: DeclaredTypes, node: Node) -> Kind:
    return Kind("list", types.of(kids(node)[0]))


@type_rule("tuple_type")
def _tuple(types: DeclaredTypes, node: Node) -> Kind:
    """A list with a kind for each place; those after a rest are not known."""
    kinds = [types.of(kid) for kid in kids(node)]
    rests = [at for at, kid in enumerate(kids(node)) if text(kid).startswith("...")]
    items = [kind.item or UNKNOWN if at in rests else kind for at, kind in enumerate(kinds)]
    return Kind("list", joined(items), parts=tuple(kinds[: min([len(kinds), *rests])]))


@type_rule("union_type")
def _union(types: DeclaredTypes, node: Node) -> Kind:
    kind = joined([types.of(kid) for kid in kids(node)])
    return _of_objects(node) if kind.is_dict and not kind.type else kind


@type_rule("intersection_type")
def _intersection(types: DeclaredTypes, node: Node) -> Kind:
    kinds = [types.of(kid) for kid in kids(node)]
    others = [kind for kind in kinds if not kind.is_dict]
    return others[0] if others else _of_objects(node)


@type_rule("object_type", "interface_declaration")
def _object(types: DeclaredTypes, node: Node) -> Kind:
    """A dict, or something with attributes if it has methods."""
    bases = _bases_of(node)
    body = node.child_by_field_name("body") or node
    is_plain = not any(kid.type == "method_signature" for kid in kids(body))
    return _of_objects(node, is_plain and all(map(types.is_plain, bases)))


@type_rule("enum_declaration")
def _enumeration(types: DeclaredTypes, node: Node) -> Kind:
    return STRING if any(inner.type == "string" for inner in parse.walk(node)) else INDEX


@type_rule("literal_type")
def _literal(types: DeclaredTypes, node: Node) -> Kind:
    return _LITERALS.get(kids(node)[0].type, UNKNOWN)


@type_rule("template_literal_type", "index_type_query")
def _string(types: DeclaredTypes, node: Node) -> Kind:
    return STRING


@type_rule("type_predicate_annotation")
def _predicate(types: DeclaredTypes, node: Node) -> Kind:
    return BOOL


@type_rule("function_type")
def _function(types: DeclaredTypes, node: Node) -> Kind:
    parameters = kids(parse.field(node, "parameters"))
    result = types.of(node.child_by_field_name("return_type"))
    return Kind("function", result, parts=tuple(types.of(p.child_by_field_name("type")) for p in parameters))


@type_rule("lookup_type")
def _lookup(types: DeclaredTypes, node: Node) -> Kind:
    """`T['key']`, `T[number]`."""
    owner, at = kids(node)
    found = types.key(types.of(owner), text(at).strip("'\""))
    return found.kind if found is not None else (types.of(owner).item or UNKNOWN)


@type_rule("this_type")
def _this(types: DeclaredTypes, node: Node) -> Kind:
    return types.instance(node)


# Keys


@key_rule("object_type", "interface_body")
def _key_of_object(types: DeclaredTypes, node: Node, name: str) -> Key | None:
    """A key by its name, or by that of all others: `[name: string]: …`."""
    found = {"" if kid.type == "index_signature" else _name_of_key(kid): kid for kid in kids(node)}
    signature = found.get(name) or found.get("")
    if signature is None:
        return None
    is_method = signature.type == "method_signature"
    kind = _function(types, signature) if is_method else types.of(signature.child_by_field_name("type"))
    return Key(kind, parse.has(signature, "?"))


def _name_of_key(signature: Node) -> str:
    return text(signature.child_by_field_name("name")).strip("[]'\"")


@key_rule("interface_declaration")
def _key_of_interface(types: DeclaredTypes, node: Node, name: str) -> Key | None:
    return _first(types, [parse.field(node, "body"), *_bases_of(node)], name)


@key_rule("intersection_type")
def _key_of_intersection(types: DeclaredTypes, node: Node, name: str) -> Key | None:
    return _first(types, kids(node), name)


def _first(types: DeclaredTypes, nodes: list[Node], name: str) -> Key | None:
    found = (types.key_in(node, name) for node in nodes)
    return next((key for key in found if key is not None), None)


@key_rule("union_type")
def _key_of_union(types: DeclaredTypes, node: Node, name: str) -> Key | None:
    """A key of one of several types; where only some have it, a script has checked which one it is."""
    found = [key for kid in kids(node) if (key := types.key_in(kid, name)) is not None]
    return Key(joined([key.kind for key in found]), any(key.is_optional for key in found)) if found else None


@key_rule("type_alias_declaration")
def _key_of_alias(types: DeclaredTypes, node: Node, name: str) -> Key | None:
    return types.key_in(parse.field(node, "value"), name)


@key_rule("generic_type")
def _key_of_generic(types: DeclaredTypes, node: Node, name: str) -> Key | None:
    """A key of `Partial<T>`, which is optional."""
    if not _is_variant(node):
        return types.key(types.of(node), name)
    found = _first(types, kids(parse.field(node, "type_arguments")), name)
    return found._replace(is_optional=_ARE_OPTIONAL[_name_of(node)]) if found is not None else None
