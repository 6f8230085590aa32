"""The kinds of a script's expressions, as far as they can be inferred: numbers, strings, lists, tensors, …

In JavaScript, properties of plain objects and of instances look the same, `+` joins strings and adds numbers, and an
empty list is true. Which Python code is right depends on the kinds of the values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis import builtin_kinds, flags, uses
from tfpy.js2py.analysis.declared_types import DeclaredTypes
from tfpy.js2py.analysis.expected import expected
from tfpy.js2py.analysis.kind import (
    DICT,
    ERROR,
    FUNCTION,
    INDEX,
    LIST,
    NAMESPACE,
    NULL,
    NUMBER,
    NUMBERS,
    SHAPE,
    STRING,
    UNKNOWN,
    Kind,
    annotated,
    filled,
    joined,
    map_of,
    pair_of,
    refined,
)
from tfpy.js2py.analysis.members import Members, class_around
from tfpy.js2py.analysis.object_literals import ObjectLiterals
from tfpy.js2py.analysis.origins import origin_of, taken_from
from tfpy.js2py.analysis.scopes import Binding, Scopes
from tfpy.js2py.packages import NODE, root_of
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import FUNCTIONS, bare, kids, optional, path_of, text
from tfpy.node_rules import NodeRules

# The kinds of expressions, by the type of the node; the rules are in expression_kinds.py.
kind_of: NodeRules[str, Callable[[Inference, Node], Kind]] = NodeRules()

# Methods that change a list, and that nothing else in JavaScript or TF.js has.
_OF_LISTS_ALONE = {"pop", "push", "shift", "splice", "unshift"}
# The methods that add their arguments to a value, by its kind.
_ADDS = {"list": "push", "set": "add", "map": "set"}
_COMPOSITE = ("dict", *_ADDS)


class Inference:
    """The kinds of a script's expressions.

    Attributes:
        scopes: the declarations.
        members: the classes of the script.
        literals: the object literals in it.
        calls: the arguments of method calls, by the method's name.
        types: its TypeScript declarations.
        flags: the kinds of its command line arguments, by name.
        keys: the keys of the object literals in it.
    """

    def __init__(self, scopes: Scopes, root: Node) -> None:
        self.scopes = scopes
        self._known: dict[int, Kind] = {}
        self._bindings: dict[Binding, Kind] = {}
        self.members = Members(scopes, root)
        self.literals = ObjectLiterals(self, root)
        self.calls = uses.method_calls(root)
        self.types = DeclaredTypes(self.members, root)
        self.flags = {name: Kind(kind) for name, kind in flags.declared(root).items()}
        objects = [n for n in parse.walk(root) if n.type == "object" and not uses.is_options(n, self.path_to)]
        self.keys = {text(kids(n)[0] if n.type == "pair" else n).strip("'\"") for o in objects for n in kids(o)}

    def of(self, node: Node | None) -> Kind:
        """The kind of an expression."""
        if node is None:
            return UNKNOWN
        node = bare(node)
        if node.id not in self._known:
            self._known[node.id] = UNKNOWN  # unknown if needed for its own inference
            rule = kind_of.get(node.type)
            found = rule(self, node) if rule is not None else builtin_kinds.LITERALS.get(node.type, UNKNOWN)
            self._known[node.id] = refined(found, self._cast(node))
        return self._known[node.id]

    def _cast(self, node: Node) -> Kind:
        """The kind in a TypeScript cast: `x as Type`, `<Type>x`."""
        around, found = node.parent, UNKNOWN
        while around is not None and parse.is_wrapper(around) and found == UNKNOWN:
            found = joined([self.types.of(kid) for kid in parse.cast_in(around)])
            around = around.parent
        return found

    def is_computed(self, owner: Node, name: str) -> bool:
        """Whether a static property of a class of the script is a getter, which is a function here."""
        return any(parse.is_static_getter(member) for member in self.members.of(self.members.named(owner), name))

    def include(self, other: Inference, is_imported: bool) -> None:
        """Add the classes and types of another file."""
        self.members.include(other.members, is_imported)
        self.types.include(other.types)

    def item_of(self, node: Node) -> Kind:
        """The kind of the items of an iterable."""
        over = self.of(node)
        if over.name == "map":
            return pair_of(over)
        return builtin_kinds.ITEMS.get(over) or over.item or UNKNOWN

    def value_of(self, owner: Node) -> Kind:
        """The common kind of the values of an object or a map."""
        kind = self.of(owner)
        of_type = self.types.kind_of_key(kind, "") if kind.item is None else kind.item
        return of_type if of_type != UNKNOWN else joined([self.of(value) for value in self.literals.values(owner)])

    def lacks(self, owner: Node, name: str) -> bool:
        """Whether an expression, or a pattern, may be an object without some key: its type says so, or some are."""
        kind = self.of_pattern(owner) if owner.type == "object_pattern" else self.of(owner)
        key = self.types.key(kind, name) if kind.is_dict else None
        if key is None:
            return self.literals.lacks(owner, name)
        return key.is_optional and not self.literals.has(owner, name)

    def of_binding(self, binding: Binding) -> Kind:
        """The kind of a variable."""
        if binding.origin is not None:
            return self.of_binding(binding.origin)
        if binding not in self._bindings:
            declared = self.declared(binding.node)
            if declared.fixed and not binding.writes and binding.value is not None and binding.value.type == "array":
                declared = replace(declared, fixed=False)  # `const shape: Shape = [2, 3]`
            # The kind assumed where its own value is needed for its inference.
            assumed = LIST if declared == UNKNOWN and self._changes_as_lists_do(binding) else declared
            self._bindings[binding] = assumed
            # Calls elsewhere may pass other numbers to a parameter.
            is_known = declared == NUMBER and binding.kind == "parameter"
            found = declared if is_known else refined(declared, self._inferred(binding))
            if found.fixed and uses.is_changed_in_place(binding):
                found = replace(found, fixed=False)  # it gets a list
            self._bindings[binding] = assumed if found == UNKNOWN else found
        return self._bindings[binding]

    def declared(self, name: Node) -> Kind:
        """The kind of the TypeScript type of a variable or a pattern, or of the function type that a parameter has."""
        annotation = name.parent.child_by_field_name("type") if name.parent is not None else None
        return self.types.of(annotation)

    def _inferred(self, binding: Binding) -> Kind:
        parent = binding.node.parent
        if binding.kind in ("function", "class"):
            return FUNCTION if binding.kind == "function" else Kind("class")
        if binding.kind == "catch":
            return ERROR
        if parent is not None and parent.type == "rest_pattern":
            return DICT if parent.parent is not None and parent.parent.type == "object_pattern" else LIST
        if parse.is_part(binding.node):
            found = self.taken(binding.node)
        elif binding.kind == "parameter":
            found = self._parameter(binding.node)
        elif parent is not None and parent.type == "for_in_statement":
            found = self._looped(parent)
        else:
            found = self.of(binding.value) if binding.value is not None else NULL
        if found.name in _COMPOSITE or found.name.startswith("."):
            self._bindings[binding] = refined(self._bindings[binding], found)  # `x = x.next`, `x[key] = x[key] + 1`
        written = [self._written(write) for write in binding.writes if not self._is_part_of_itself(binding, write)]
        if NAMESPACE in written:
            return NAMESPACE
        return self._with_added(binding, found if found == STRING else joined([found, *written]))

    def _is_part_of_itself(self, binding: Binding, write: Node) -> bool:
        """Whether a variable is set to a part of its value of which nothing is known, as in `node = node.next`."""
        around = write.parent
        right = optional(around, "right") if around is not None and around.type == "assignment_expression" else None
        first = right
        while first is not None and first.type in ("member_expression", "subscript_expression"):
            first = parse.field(first, "object")
        is_part = first is not None and first != right and self.scopes.resolve(first) is binding
        return is_part and self.of(right) == UNKNOWN

    def _with_added(self, binding: Binding, kind: Kind) -> Kind:
        """The kind of a variable with those of the values that are added to it."""
        if kind.is_dict and kind.item is None and binding.value is not None and text(binding.value) == "{}":
            return replace(kind, item=joined([self.of(value) for value in uses.items_set(binding)]))
        method = _ADDS.get(kind.name, "") if kind.item is None else ""
        added = [[self.of(value) for value in values] for values in self.added(binding, method)]
        if kind.name == "map" and added:
            keys, values = zip(*(pair for pair in added if len(pair) == 2), strict=True)
            return map_of(joined(keys), joined(values))
        return replace(kind, item=joined([value for values in added for value in values])) if method else kind

    def _changes_as_lists_do(self, binding: Binding) -> bool:
        """Whether a method is called on a variable that only lists have, and no class of the script."""
        return any(
            (callee := read.parent) is not None
            and callee.child_by_field_name("object") == read
            and callee.parent is not None
            and callee.parent.child_by_field_name("function") == callee
            and text(callee.child_by_field_name("property")) in _OF_LISTS_ALONE - self.members.methods
            for read in binding.reads
        )

    def added(self, binding: Binding, method: str) -> list[list[Node]]:
        """The arguments of the calls of a method of a variable that adds them, such as `push` of a list."""
        found: list[list[Node]] = []
        for read in binding.reads:
            callee = read.parent
            call = callee.parent if callee is not None and callee.child_by_field_name("object") == read else None
            if call is not None and callee is not None and text(callee.child_by_field_name("property")) == method:
                given = call.child_by_field_name("arguments")
                found += [kids(given)] if given is not None else []
        return found

    def taken(self, part: Node) -> Kind:
        """The kind of a part of a destructuring pattern."""
        around = part.parent
        if around is None or not parse.is_part(part):
            return UNKNOWN
        if around.type not in parse.PATTERNS:
            return refined(self.taken(around), self.of(parse.default_of(around)[1]))
        if around.type == "array_pattern":
            whole, at = self.of_pattern(around), parse.places(around).index(part)
            return STRING if whole == STRING else [*whole.parts, whole.item or UNKNOWN][min(at, len(whole.parts))]
        pattern = around.parent if around.type == "pair_pattern" else around
        key = text(around.child_by_field_name("key") or part)
        return self._key_in(pattern, key) if pattern is not None else UNKNOWN

    def _key_in(self, pattern: Node, key: str) -> Kind:
        """The kind of the value under a key of the object that a pattern destructures."""
        value = optional(pattern.parent, "value") if pattern.parent is not None else None
        if value is not None and pattern.parent is not None and pattern.parent.type == "variable_declarator":
            return refined(self.types.kind_of_key(self.declared(pattern), key), self.of_member(value, key))
        return refined(self._property(self.of_pattern(pattern), key), self.literals.kind_of(pattern, key))

    def of_pattern(self, pattern: Node) -> Kind:
        """The kind of the value that a pattern destructures."""
        around = pattern.parent
        if around is None:
            return UNKNOWN
        if around.type == "for_in_statement":
            return self._looped(around)
        if around.type in ("variable_declarator", "assignment_expression"):
            value = optional(around, "value") or optional(around, "right")
            return refined(self.declared(pattern), self.of(value))
        found = self.taken(pattern)
        return found if found != UNKNOWN else refined(self.declared(pattern), self._parameter(pattern))

    def _written(self, identifier: Node) -> Kind:
        """The kind that an assignment gives to a variable."""
        parent = identifier.parent
        if parent is None:
            return UNKNOWN
        if parse.is_part(identifier):
            return self.taken(identifier)
        if parent.type == "update_expression":
            return INDEX if parse.has(parent, "++") else NUMBER
        if parent.type == "augmented_assignment_expression":
            right, sign = self.of(optional(parent, "right")), text(parent.child_by_field_name("operator"))
            return right if sign in ("+=", "*=") else NUMBER if right in NUMBERS else UNKNOWN
        return self.of(optional(parent, "right")) if parent.type == "assignment_expression" else UNKNOWN

    def _looped(self, loop: Node) -> Kind:
        over = self.of(parse.field(loop, "right"))
        if parse.has(loop, "in"):
            return STRING if over.is_dict else INDEX if over.name == "list" else UNKNOWN
        return self.item_of(parse.field(loop, "right"))

    def _parameter(self, pattern: Node) -> Kind:
        """The kind of a parameter: a name, or a pattern."""
        function = parse.function_around(pattern)
        given = [parse.default_of(p) for p in parse.parameters(function)] if function is not None else []
        at = next((i for i, (name, _) in enumerate(given) if name == pattern), None)
        if function is None or at is None:
            return UNKNOWN
        owner = function.parent
        found: list[Kind] = []
        known = expected(self, function).parts
        if at < len(known) and known[at] != UNKNOWN:
            return known[at]
        if owner is not None and owner.type == "arguments":
            found = [self._callback(owner, at)]
        elif function.type == "method_definition":
            found = self._method_given(function, at)
        elif owner is not None and owner.type == "pair":
            found = [(INDEX, DICT)[min(at, 1)] if text(kids(owner)[0]).startswith("on") else UNKNOWN]
        else:
            found = [self.of(a) for a in self.given(function, at)]
        default = given[at][1]
        return joined([*found, *([self.of(default)] if default is not None else [])])

    def _callback(self, arguments: Node, at: int) -> Kind:
        """A parameter of a function that is passed to a method of a list or a map."""
        call = arguments.parent
        callee = optional(call, "function") if call is not None else None
        if callee is None or callee.type != "member_expression":
            return UNKNOWN
        if text(callee) == "Array.from":
            return INDEX if at else self.item_of(kids(arguments)[0])
        owner = parse.field(callee, "object")
        over = self.of(owner)
        item = over.item or UNKNOWN if over.name == "map" else self.item_of(owner)
        method = text(parse.field(callee, "property"))
        if method in ("map", "filter", "forEach", "some", "every", "find", "findIndex", "flatMap"):
            known = over.name in ("list", "ndarray", "") and "Async" not in method
            key = over.parts[0] if over.name == "map" and over.parts else INDEX if known else UNKNOWN
            return (item, key, over)[min(at, 2)]
        if method == "reduce":
            start = kids(arguments)[1:]
            return (self.of(start[0]) if start else item) if at == 0 else (item, INDEX)[min(at - 1, 1)]
        if method in ("then", "catch"):
            return over if method == "then" else ERROR
        return item if method == "sort" else UNKNOWN

    def _method_given(self, method: Node, at: int) -> list[Kind]:
        """The kinds of the arguments that a method of a class of the script is called with."""
        owner = class_around(method)
        name = text(parse.field(method, "name"))
        if name in ("computeOutputShape", "build"):
            return [SHAPE]
        if name != "constructor" or owner is None:
            return [DICT] if name.startswith("on") and at else self._method_called(method, at)
        if "Layer" in text(parse.base_of(owner)):
            return [DICT] if at == 0 else []
        return [self.of(a) for a in self.given(method, at)]

    def _method_called(self, method: Node, at: int) -> list[Kind]:
        """The kinds of the arguments of a method's calls; none if no call is known to be of its class.

        Calls of other classes, and of unknown objects, may be of the same method; those of lists, tensors, … are not.
        """
        name = text(parse.field(method, "name"))
        calls = [(c, c.parent) for c in self.calls.get(name, []) if at < len(kids(c)) and c.parent is not None]
        owners = [self.of(parse.field(parse.field(call, "function"), "object")).name for _, call in calls]
        if not any(owner.startswith(".") for owner in owners):
            return []
        return [self.of(kids(c)[at]) for (c, _), owner in zip(calls, owners, strict=True) if owner[:1] in ("", ".")]

    def given(self, function: Node, at: int) -> list[Node]:
        """The arguments at one position of a function of the script, or of a constructor or a method of its classes."""
        name, role = function.child_by_field_name("name"), "function"
        if function.type == "method_definition" and text(name) != "constructor":
            return [kids(arguments)[at] for arguments in self.calls.get(text(name), []) if at < len(kids(arguments))]
        if function.type == "method_definition":
            owner = class_around(function)
            name, role = owner.child_by_field_name("name") if owner is not None else None, "constructor"
        elif name is None and function.parent is not None and function.parent.type == "variable_declarator":
            name = function.parent.child_by_field_name("name")
        binding = self.scopes.resolve(name) if name is not None else None
        return uses.arguments(binding, role, at)

    def of_member(self, owner: Node, name: str) -> Kind:
        """The kind of a property."""
        kind = self.of(owner)
        if name == "length" and not kind.is_dict:
            return INDEX
        if name in builtin_kinds.SHAPES and not kind.is_dict:
            return SHAPE
        if (name == "history" and kind.name in ("", "History")) or (name == "attrs" and kind == UNKNOWN):
            return DICT
        if path_of(owner) in (["Math"], ["process"]):
            return {"argv": Kind("list", STRING), "env": DICT}.get(name, NUMBER if text(owner) == "Math" else UNKNOWN)
        if kind == NAMESPACE:
            return self.flags.get(name, UNKNOWN)
        found = self._property(kind, name)
        return refined(found, self._value_in(owner, name)) if kind.is_dict else found

    def _property(self, kind: Kind, name: str) -> Kind:
        """The kind of a property of an object of some kind."""
        if kind.name.startswith("."):
            typed = f"{name}:" if self.members.of(kind.name[1:], f"{name}:") else name
            return filled(self._field(kind.name[1:], name), self.types.arguments(self.types.declaring(kind, typed)))
        if kind.name in names.classes():
            declared = annotated(names.result(getattr(names.classes()[kind.name], names.attribute(name), None)))
            return builtin_kinds.ATTRIBUTES.get(name, UNKNOWN) if declared == UNKNOWN else declared
        return self.types.kind_of_key(kind, name)

    def _field(self, owner: str, name: str) -> Kind:
        """The kind of an attribute of a class of the script: from its type, and values assigned or pushed to it."""
        declared = joined([self.types.of(node) for node in self.members.of(owner, f"{name}:")])
        found = joined([self.of(value) for value in self.members.of(owner, name)])
        pushed = [self.of(value) for value in self.members.of(owner, f"{name}.push")]
        return refined(declared, Kind("list", joined(pushed)) if found == LIST and pushed else found)

    def _value_in(self, owner: Node, name: str) -> Kind:
        """The kind of a value in a dict literal of the script, or in the environment."""
        if path_of(owner) == ["process", "env"]:
            return STRING
        return self.literals.kind_of(owner, name)

    def called(self, callee: Node) -> list[Node]:
        """The functions of the script that a call may refer to."""
        binding = self.scopes.resolve(callee)
        if binding is not None:
            return [binding.value] if binding.value is not None and not binding.writes else []
        if callee.type != "member_expression":
            return []
        owner = self.owner_of(parse.field(callee, "object")).name
        return self.members.of(owner[1:], text(parse.field(callee, "property"))) if owner.startswith(".") else []

    def path_to(self, node: Node, seen: Sequence[Binding] = ()) -> list[str]:
        """The parts of `a.b.c`, starting with `tf` if a is imported or comes from there; empty if it is no path.

        `seen` are the variables followed so far, which may be declared with themselves.
        """
        path = path_of(node) or []
        first = node
        while first.type == "member_expression":
            first = parse.field(first, "object")
        binding = self.scopes.bindings.get(first.id)
        found = origin_of(binding) if binding is not None and binding.origin is None else None
        if found is not None and found.source.removeprefix("node:") in NODE:
            inner = [] if found.name in ("*", "default") else [found.name]
            return [*filter(None, [NODE[found.source.removeprefix("node:")]]), *inner, *path[1:]]
        root = root_of(found.source) if found is not None and binding is not None and not binding.members else None
        if found is None or root is None:
            known = binding is not None and not binding.writes and binding not in seen
            value, name = taken_from(binding) if binding is not None and known else (None, "")
            whole = self.path_to(value, (*seen, binding)) if value is not None and name != "*" and binding else []
            return [*whole, name, *path[1:]] if whole and whole[0] in names.ROOTS else path
        return [*root.split("."), *([] if found.name in ("*", "default") else [found.name]), *path[1:]]

    def owner_of(self, node: Node) -> Kind:
        """The kind of the object that a method is called on: for a class and for `super`, that of an instance."""
        if node.type == "super":
            owner = class_around(node)
            return Kind(f".{self.members.named(parse.base_of(owner))}") if owner is not None else UNKNOWN
        found = self.of(node)
        return Kind(f".{self.members.named(node)}") if found == Kind("class") else found

    def result_of(self, function: Node) -> Kind:
        """The kind of the result of a function of the script."""
        function = bare(function)
        binding = self.scopes.resolve(function)
        declared = self.declared(binding.node).item if binding is not None else None
        if binding is not None and binding.value is not None:
            function = binding.value
        declared = refined(declared or UNKNOWN, self.types.of(function.child_by_field_name("return_type")))
        if function.type not in FUNCTIONS:
            return refined(declared, {"Number": NUMBER, "String": STRING}.get(text(function), UNKNOWN))
        if parse.has(function, "*") or function.type.startswith("generator"):
            return Kind("generator", declared.item)
        return refined(declared, joined([self.of(value) for value in parse.returned(function)]))
