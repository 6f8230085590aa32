"""Repeated passes over a file until the kinds of its variables are known."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from tfpy.migrate import call_kinds, expression_kinds
from tfpy.migrate.assignments import append, define
from tfpy.migrate.functions import arguments, called, own_functions
from tfpy.migrate.kind import (
    UNKNOWN,
    UNSEEN,
    Class,
    Function,
    FunctionNode,
    Kind,
    ListOf,
    element,
    functions,
    holds_arrays,
    is_function,
)
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.names import Names, asname, dotted
from tfpy.migrate.pinning import pin
from tfpy.migrate.providers import math_of
from tfpy.migrate.scoped import ScopedVisitor
from tfpy.migrate.variables import Key, Staying, Variables
from tfpy.migrate.versions import labels

# The modules of the rules; importing them fills the tables.
RULES = (call_kinds, expression_kinds)
_ROUNDS = 8  # of passing kinds from calls to parameters to results; more than files need
_WITH_KEY = ("max", "min", "sorted")
_TRANSPARENT = ("staticmethod", "classmethod", "property", "abstractmethod", "abc.abstractmethod")


def infer(module: cst.Module, names: Names, staying: Staying) -> Kinds:
    """The kinds of a file's variables.

    Args:
        module: the file.
        names: its imports.
        staying: the parts of the file whose graphs stay.
    """
    pinned: set[Key] = set()
    called_apart = labels(module)
    while True:
        kinds = Kinds(Variables(names, called_apart, staying, pinned))
        _follow(module, kinds)
        kinds.settled = True
        _follow(module, kinds)
        if not pin(module, kinds):
            return kinds


def _follow(module: cst.Module, kinds: Kinds) -> None:
    """Make passes over a file until nothing new is found."""
    for _ in range(_ROUNDS):
        kinds.variables.changed = False
        module.visit(_Round(kinds))
        if not kinds.variables.changed:
            return


class _Round(ScopedVisitor):
    """One pass over assignments, loops, functions and calls."""

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        define(self.kinds, node.name, Function(node))
        if any(dotted(d.decorator) not in _TRANSPARENT for d in node.decorators):
            self.variables.escaped.add(node)
        if self.variables.in_class():
            methods = self.variables.methods.setdefault(node.name.value, [])
            if node not in methods:
                methods.append(node)
        self._parameters(node)

    def visit_Lambda(self, node: cst.Lambda) -> None:
        self._parameters(node)

    def _parameters(self, node: FunctionNode) -> None:
        """Annotated parameters, those named `math` if nothing else has that name, and the math of providers."""
        table = self.variables.known.setdefault(node, {})
        provided = math_of(node) if self.variables.in_class() and isinstance(node, cst.FunctionDef) else None
        for param in [*node.params.params, *node.params.kwonly_params]:
            kind = self.kinds.annotated(param.annotation.annotation) if param.annotation is not None else None
            if param is provided or (param.name.value == "math" and "math" not in self.variables.names.others):
                kind = "math"
            if table.get(param.name.value) is None:
                table[param.name.value] = kind
            default = self.kinds.of(param.default)
            if is_function(default) or holds_arrays(default) or default == "math":
                self.variables.note(node, param.name.value, default)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        define(self.kinds, node.name, Class(node))

    def visit_Import(self, node: cst.Import) -> None:
        self._imported(node.names)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if not isinstance(node.names, cst.ImportStar):
            self._imported(node.names)

    def _imported(self, names: Sequence[cst.ImportAlias]) -> None:
        """Names that a function imports hide outer variables of the same name."""
        scope = self.variables.scopes[-1]
        bound = [asname(alias).partition(".")[0] for alias in names]
        for name in bound if isinstance(scope, cst.FunctionDef) else ():
            if name not in self.variables.names.legacy:
                self.variables.note(scope, name, UNKNOWN)

    def visit_Global(self, node: cst.Global | cst.Nonlocal) -> None:
        outer = self.variables.outer.setdefault(self.variables.scopes[-1], set())
        outer.update(item.name.value for item in node.names)

    visit_Nonlocal = visit_Global

    def visit_Expr(self, node: cst.Expr) -> None:
        self.kinds.unused.add(node.value)

    def leave_Assign(self, original_node: cst.Assign) -> None:
        kind = self.kinds.of(original_node.value)
        for target in original_node.targets:
            define(self.kinds, target.target, kind)
            self._view(target.target, original_node.value)

    def leave_AnnAssign(self, original_node: cst.AnnAssign) -> None:
        annotated = self.kinds.annotated(original_node.annotation.annotation)
        if self.variables.in_class() and isinstance(original_node.target, cst.Name):
            self.variables.note("self", original_node.target.value, annotated)  # a field of a dataclass
        define(self.kinds, original_node.target, annotated or self.kinds.of(original_node.value))

    def leave_NamedExpr(self, original_node: cst.NamedExpr) -> None:
        define(self.kinds, original_node.target, self.kinds.of(original_node.value))

    def leave_AugAssign(self, original_node: cst.AugAssign) -> None:
        define(self.kinds, original_node.target, self.kinds.of(original_node.value))

    def _view(self, target: cst.CSTNode, value: cst.BaseExpression) -> None:
        """Record the array whose flat values a variable holds, since they may be written to."""
        if self.kinds.of(value) == "values" and isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
            self.variables.views[self.variables.key(target)] = value.func.value

    def visit_For(self, node: cst.For) -> None:
        define(self.kinds, node.target, element(self.kinds.of(node.iter)))

    def visit_CompFor(self, node: cst.CompFor) -> None:
        define(self.kinds, node.target, element(self.kinds.of(node.iter)))

    def leave_With(self, original_node: cst.With) -> None:
        for item in original_node.items:
            if item.asname is not None:
                define(self.kinds, item.asname.name, "block" if self.kinds.of(item.item) in UNSEEN else None)

    def leave_Return(self, original_node: cst.Return) -> None:
        function = self.variables.function_around()
        if function is not None and original_node.value is not None:
            self.variables.note_result(function, self.kinds.of(original_node.value))

    def leave_Yield(self, original_node: cst.Yield) -> None:
        function, given = self.variables.function_around(), original_node.value
        kind = self.kinds.of(given) if isinstance(given, cst.BaseExpression) else None
        if function is not None and kind is not None:
            self.variables.note_result(function, ListOf(kind))

    def leave_Lambda(self, original_node: cst.Lambda) -> None:
        with self.variables.within(original_node):
            self.variables.note_result(original_node, self.kinds.of(original_node.body))

    def leave_Call(self, original_node: cst.Call) -> None:
        func, args = original_node.func, original_node.args
        if isinstance(func, cst.Attribute) and self.kinds.of(func.value) == "math" and func.attr.value == "scope":
            self._scope(args)
            return
        if isinstance(func, cst.Attribute) and func.attr.value in ("append", "extend") and len(args) == 1:
            kind = self.kinds.of(args[0].value)
            append(self.kinds, func.value, kind if func.attr.value == "append" else element(kind))
        if isinstance(func, cst.Name):
            self._for_each(func.value, args)
        for function, method in called(self.kinds, original_node):
            known = self.variables.known.setdefault(function, {})
            for param, arg in arguments(function, args, method):
                name = param.name.value
                if not name == known.get(name) == "math":  # a decorator may pass the math, and the call other arguments
                    self.variables.note(function, name, self.kinds.of(arg.value))
        if self.kinds.settled:
            self._escape(original_node)

    def _escape(self, node: cst.Call) -> None:
        """Record functions whose calls cannot be rewritten with their parameters."""
        meant = {function for function, _ in called(self.kinds, node)}
        if not meant:
            self.variables.escape({f for arg in node.args for f in own_functions(self.kinds.of(arg.value))})
        unseen = len(meant) < len(functions(self.kinds.of(node.func))) or any(arg.star for arg in node.args)
        if unseen or meant & self.variables.escaped:
            self.variables.escape(meant)

    def _for_each(self, name: str, args: Sequence[cst.Arg]) -> None:
        """A function that `map`, `filter`, or the `key` of `sorted` and the like call with each item."""
        named = {arg.keyword.value: arg.value for arg in args if arg.keyword is not None}
        plain = [arg.value for arg in args if arg.keyword is None]
        function, items = (named.get("key"), plain[:1]) if name in _WITH_KEY else (None, plain)
        if name in ("map", "filter") and len(plain) > 1:
            function, items = plain[0], plain[1:]
        for node in own_functions(self.kinds.of(function)):
            for param, item in zip(node.params.params, items, strict=False):
                self.variables.note(node, param.name.value, element(self.kinds.of(item)))

    def _scope(self, args: Sequence[cst.Arg]) -> None:
        """Set the parameters of a scope's function to keep and track."""
        function = self.kinds.of(args[0].value) if args else None
        if isinstance(function, Function):
            params = function.node.params.params
            own = params[1:] if params and params[0].name.value == "self" else params
            given: tuple[Kind, ...] = ("keep", "track")
            for param, kind in zip(own, given, strict=False):
                self.variables.note(function.node, param.name.value, kind)
