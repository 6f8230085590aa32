"""Goes through a file until the kinds of its variables are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from tfpy.migrate.kind import UNKNOWN, UNSEEN, Kind, element, functions, holds_arrays, is_function
from tfpy.migrate.names import Names, asname, dotted
from tfpy.migrate.providers import math_of
from tfpy.migrate.variables import SCOPES, Kinds, Staying, arguments
from tfpy.migrate.versions import labels

_ROUNDS = 8  # of kinds going from calls to parameters to results; more than files need
_WITH_KEY = ("max", "min", "sorted")
_TRANSPARENT = ("staticmethod", "classmethod", "property", "abstractmethod", "abc.abstractmethod")
_WRITES = ("set", "add", "fill")
_ARRAYS = ("array", "ndarray")


def infer(module: cst.Module, names: Names, staying: Staying) -> Kinds:
    """The kinds of a file's variables.

    Args:
        module: the file.
        names: its imports.
        staying: the parts of the file whose graphs are left as they are.
    """
    pinned: set[Any] = set()
    called_apart = labels(module)
    while True:
        kinds = Kinds(names, called_apart, staying, pinned)
        for kinds.settled in (False, True):
            for _ in range(_ROUNDS):
                kinds.changed = False
                module.visit(_Round(kinds))
                if not kinds.changed:
                    break
        before = len(pinned)
        module.visit(_Writes(kinds))
        while module.visit(_Passing(kinds)) and kinds.changed:
            kinds.changed = False
        if len(pinned) == before:
            return kinds


class Scoped:
    """What visitors share that know the scopes around a node."""

    kinds: Kinds

    def enter(self, node: cst.CSTNode) -> None:
        if isinstance(node, SCOPES):
            self.kinds.scopes.append(node)

    def leave(self, node: cst.CSTNode) -> None:
        if isinstance(node, SCOPES):
            self.kinds.scopes.pop()


class ScopedVisitor(Scoped, cst.CSTVisitor):
    """A visitor that knows the scopes around a node."""

    def __init__(self, kinds: Kinds) -> None:
        super().__init__()
        self.kinds = kinds

    def on_visit(self, node: cst.CSTNode) -> bool:
        proceed = super().on_visit(node)
        self.enter(node)
        return proceed

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self.leave(original_node)
        super().on_leave(original_node)


class _Round(ScopedVisitor):
    """One pass over assignments, loops, functions and calls."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.kinds.define(node.name, ("function", node))
        if any(dotted(d.decorator) not in _TRANSPARENT for d in node.decorators):
            self.kinds.escaped.add(node)
        if self.kinds.scopes and isinstance(self.kinds.scopes[-1], cst.ClassDef):
            methods = self.kinds.methods.setdefault(node.name.value, [])
            if node not in methods:
                methods.append(node)
        self._parameters(node)

    def visit_Lambda(self, node: cst.Lambda) -> None:
        self._parameters(node)

    def _parameters(self, node: cst.FunctionDef | cst.Lambda) -> None:
        """Annotated parameters, those called `math` where nothing else has that name, and the math of providers."""
        table = self.kinds.known.setdefault(node, {})
        in_class = bool(self.kinds.scopes) and isinstance(self.kinds.scopes[-1], cst.ClassDef)
        provided = math_of(node) if in_class and isinstance(node, cst.FunctionDef) else None
        for param in [*node.params.params, *node.params.kwonly_params]:
            kind = self.kinds.annotated(param.annotation.annotation) if param.annotation is not None else None
            if param is provided or (param.name.value == "math" and "math" not in self.kinds.names.others):
                kind = "math"
            if table.get(param.name.value) is None:
                table[param.name.value] = kind
            default = self.kinds.of(param.default)
            if is_function(default) or holds_arrays(default) or default == "math":
                self.kinds.note(table, param.name.value, default, (node, param.name.value))

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.kinds.define(node.name, ("type", node))

    def visit_Import(self, node: cst.Import) -> None:
        self._imported(node.names)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if not isinstance(node.names, cst.ImportStar):
            self._imported(node.names)

    def _imported(self, names: Sequence[cst.ImportAlias]) -> None:
        """What a function imports hides variables of that name outside of it."""
        for alias in names:
            name = asname(alias).partition(".")[0]
            if isinstance(self.kinds.scopes[-1], cst.FunctionDef) and name not in self.kinds.names.legacy:
                self.kinds.note(self.kinds.known[self.kinds.scopes[-1]], name, UNKNOWN)

    def visit_Global(self, node: cst.Global) -> None:
        self.kinds.outer.setdefault(self.kinds.scopes[-1], set()).update(n.name.value for n in node.names)

    def visit_Nonlocal(self, node: cst.Nonlocal) -> None:
        self.kinds.outer.setdefault(self.kinds.scopes[-1], set()).update(n.name.value for n in node.names)

    def visit_Expr(self, node: cst.Expr) -> None:
        self.kinds.unused.add(node.value)

    def leave_Assign(self, original_node: cst.Assign) -> None:
        kind = self.kinds.of(original_node.value)
        for target in original_node.targets:
            self.kinds.define(target.target, kind)
            self._view(target.target, original_node.value)

    def leave_AnnAssign(self, original_node: cst.AnnAssign) -> None:
        annotated = self.kinds.annotated(original_node.annotation.annotation)
        if isinstance(self.kinds.scopes[-1], cst.ClassDef) and isinstance(original_node.target, cst.Name):
            name = original_node.target.value  # a field of a dataclass
            self.kinds.note(self.kinds.attributes, name, annotated, ("self", name))
        self.kinds.define(original_node.target, annotated or self.kinds.of(original_node.value))

    def leave_NamedExpr(self, original_node: cst.NamedExpr) -> None:
        self.kinds.define(original_node.target, self.kinds.of(original_node.value))

    def leave_AugAssign(self, original_node: cst.AugAssign) -> None:
        self.kinds.define(original_node.target, self.kinds.of(original_node.value))

    def _view(self, target: cst.CSTNode, value: cst.BaseExpression) -> None:
        """Remember of which array the flat values are, for they may be written to."""
        if self.kinds.of(value) == "values" and isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
            self.kinds.views[self.kinds.key(target)] = value.func.value

    def visit_For(self, node: cst.For) -> None:
        self.kinds.define(node.target, element(self.kinds.of(node.iter)))

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self.kinds.define(node.target, element(self.kinds.of(node.iter)))

    def leave_With(self, original_node: cst.With) -> None:
        for item in original_node.items:
            if item.asname is not None:
                self.kinds.define(item.asname.name, "block" if self.kinds.of(item.item) in UNSEEN else None)

    def leave_Return(self, original_node: cst.Return) -> None:
        function = next((s for s in reversed(self.kinds.scopes) if isinstance(s, cst.FunctionDef)), None)
        if function is not None and original_node.value is not None:
            self._returned(function, original_node.value)

    def leave_Yield(self, original_node: cst.Yield) -> None:
        function = next((s for s in reversed(self.kinds.scopes) if isinstance(s, cst.FunctionDef)), None)
        given = original_node.value if isinstance(original_node.value, cst.BaseExpression) else None
        kind = self.kinds.of(given) if given is not None else None
        if function is not None and kind is not None:
            self.kinds.note(self.kinds.returns, function, ("list", kind))

    def leave_Lambda(self, original_node: cst.Lambda) -> None:
        self.kinds.scopes.append(original_node)
        self._returned(original_node, original_node.body)
        self.kinds.scopes.pop()

    def _returned(self, function: cst.CSTNode, value: cst.BaseExpression) -> None:
        self.kinds.note(self.kinds.returns, function, self.kinds.of(value))

    def leave_Call(self, original_node: cst.Call) -> None:
        func = original_node.func
        if isinstance(func, cst.Attribute) and self.kinds.of(func.value) == "math" and func.attr.value == "scope":
            self._scope(original_node)
            return
        if isinstance(func, cst.Attribute) and func.attr.value in ("append", "extend") and len(original_node.args) == 1:
            kind = self.kinds.of(original_node.args[0].value)
            self.kinds.append(func.value, kind if func.attr.value == "append" else element(kind))
        if isinstance(func, cst.Name):
            self._for_each(func.value, original_node.args)
        for function, method in called(self.kinds, original_node):
            table = self.kinds.known.setdefault(function, {})
            for param, arg in arguments(function, original_node.args, method):
                name = param.name.value
                if not name == table.get(name) == "math":  # a decorator may give the math, and the call other arguments
                    self.kinds.note(table, name, self.kinds.of(arg.value), (function, name))
        if self.kinds.settled:
            self._escape(original_node)

    def _escape(self, node: cst.Call) -> None:
        """Note functions whose calls cannot be rewritten with their parameters."""
        meant = {function for function, _ in called(self.kinds, node)}
        passed = {part for arg in node.args for part in _nodes(self.kinds.of(arg.value))} if not meant else set()
        unseen = len(meant) < len(functions(self.kinds.of(node.func))) or any(arg.star for arg in node.args)
        before = len(self.kinds.escaped)
        self.kinds.escaped |= passed
        if unseen or meant & self.kinds.escaped:
            self.kinds.escaped |= meant
        self.kinds.changed |= len(self.kinds.escaped) > before

    def _for_each(self, name: str, args: Sequence[cst.Arg]) -> None:
        """A function that `map`, `filter`, or the `key` of `sorted` and the like calls with each item."""
        named = {arg.keyword.value: arg.value for arg in args if arg.keyword is not None}
        plain = [arg.value for arg in args if arg.keyword is None]
        function, items = (named.get("key"), plain[:1]) if name in _WITH_KEY else (None, plain)
        if name in ("map", "filter") and len(plain) > 1:
            function, items = plain[0], plain[1:]
        for node in _nodes(self.kinds.of(function)):
            table = self.kinds.known.setdefault(node, {})
            for param, item in zip(node.params.params, items, strict=False):
                self.kinds.note(table, param.name.value, element(self.kinds.of(item)), (node, param.name.value))

    def _scope(self, node: cst.Call) -> None:
        """The parameters of a scope's function are keep and track."""
        kind = self.kinds.of(node.args[0].value) if node.args else None
        if isinstance(kind, tuple) and kind[0] == "function":
            table = self.kinds.known.setdefault(kind[1], {})
            params = kind[1].params.params
            own = params[1:] if params and params[0].name.value == "self" else params
            for param, what in zip(own, ("keep", "track"), strict=False):
                self.kinds.note(table, param.name.value, what)


def _nodes(kind: Kind) -> list[Any]:
    """The functions of the file that a kind may mean."""
    return [part[1] for part in functions(kind) if isinstance(part, tuple) and part[0] == "function"]


def called(kinds: Kinds, call: cst.Call) -> list[tuple[Any, bool]]:
    """The functions of the file that a call may mean, each with whether its first parameter is `self`."""
    func = call.func
    if kinds.of(func) == "object":
        return [(m, True) for m in kinds.methods.get("__call__", [])]
    if kinds.path(func) is not None:
        return []
    kind = kinds.of(func)
    if isinstance(func, cst.Attribute) and func.attr.value in kinds.methods:
        owner = kinds.of(func.value)
        if owner in UNSEEN or owner == "object" or (isinstance(owner, tuple) and owner[0] == "custom"):
            return [(m, True) for m in kinds.methods[func.attr.value]]
        return []
    if isinstance(func, cst.Name) and isinstance(kind, tuple) and kind[0] == "type":
        return [(m, True) for m in kinds.methods.get("__init__", []) if any(m is i for i in kind[1].body.body)]
    return [(function, False) for function in _nodes(kind)]


class _Writes(ScopedVisitor):
    """Finds the arrays that are written to: they stay NDArrays."""

    def leave_Call(self, original_node: cst.Call) -> None:
        if is_write(self.kinds, original_node):
            assert isinstance(original_node.func, cst.Attribute)
            self._pin(original_node.func.value)

    def leave_AssignTarget(self, original_node: cst.AssignTarget) -> None:
        self._written(original_node.target)

    def leave_AugAssign(self, original_node: cst.AugAssign) -> None:
        self._written(original_node.target)

    def _written(self, target: cst.CSTNode) -> None:
        if isinstance(target, cst.Subscript) and self.kinds.of(target.value) == "values":
            value = target.value
            array = value.func.value if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) else None
            if array is None:
                array = self.kinds.views.get(self.kinds.key(value))
            if array is not None:
                self._pin(array)

    def _pin(self, node: cst.CSTNode) -> None:
        while isinstance(node, cst.Subscript):
            node = node.value
        key = self.kinds.key(node)
        if key is not None:
            self.kinds.pinned.add(key)


class _Passing(ScopedVisitor):
    """Arrays that go by several names: when one is pinned, so are the others."""

    def _both(self, a: cst.CSTNode, b: Any) -> None:
        keys = self.kinds.key(a), self.kinds.key(b) if isinstance(b, cst.CSTNode) else b
        if None not in keys and len(self.kinds.pinned & set(keys)) == 1:
            self.kinds.pinned.update(keys)
            self.kinds.changed = True

    def leave_Assign(self, original_node: cst.Assign) -> None:
        for target in original_node.targets:
            self._both(target.target, original_node.value)

    def visit_For(self, node: cst.For) -> None:
        if isinstance(node.target, cst.Name):
            self._both(node.target, node.iter)

    def leave_Call(self, original_node: cst.Call) -> None:
        for function, method in called(self.kinds, original_node):
            for param, arg in arguments(function, original_node.args, method):
                self._both(arg.value, (function, param.name.value))


def is_write(kinds: Kinds, call: cst.Call) -> bool:
    """Whether a call writes into an array: `a.set(…)`, `a.add(…)`, `a.fill(…)`.

    `a.add(b)` of two arrays does not: it gives their sum. So it is where something is done with what `a.add(b)` gives.
    """
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in _WRITES:
        return False
    may_sum = func.attr.value == "add" and len(call.args) == 1
    if may_sum and (call not in kinds.unused or kinds.of(call.args[0].value) in _ARRAYS):
        return False
    return kinds.of(func.value) in _ARRAYS
