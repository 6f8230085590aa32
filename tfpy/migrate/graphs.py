"""Whether the graphs of a file can become functions, and how.

Each named symbolic tensor becomes a function of the placeholders that it depends on. That works if a graph is built
statement by statement, and its tensors are used only for building, `eval` and `train`. Otherwise all graphs of the
file stay, and the first reason is reported.
"""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from tfpy.legacy.graphs.session import Session
from tfpy.legacy.migration.successors import parameters, snake, successor
from tfpy.migrate.feeds import Feed, Feeds
from tfpy.migrate.kind import Kind, ListOf, TupleOf
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.names import dotted
from tfpy.migrate.scoped import ScopedVisitor
from tfpy.migrate.symbols import GRAPHISH, Problem, Symbols, bound
from tfpy.migrate.templates import CannotRewrite, Given, bind
from tfpy.migrate.variables import Key
from tfpy.migrate.versions import plain

_TENSORS = {"eval": "tensor", "eval_all": "tensors", "train": "cost_tensor"}  # parameters with the tensors to compute


class SessionCall(NamedTuple):
    """A call of a session.

    Attributes:
        tensors: the tensors that it computes.
        feeds: its feeds.
        given: all its arguments.
    """

    tensors: list[cst.BaseExpression]
    feeds: dict[Key, Feed]
    given: Given


class Graphs(ScopedVisitor):
    """The nodes of the graphs of a file.

    Attributes:
        symbols: its symbolic tensors.
        feeds: its feeds.
        trained: the variables that a named optimizer trains, if they are given.
        problems: the parts of the file whose graphs must stay: where and why. A part is a function of the file, or the
            whole file.
    """

    def __init__(self, kinds: Kinds) -> None:
        super().__init__(kinds)
        self._nesting: list[cst.CSTNode] = []
        self.symbols = Symbols(kinds, self._nesting)
        self.feeds = Feeds(kinds, self.symbols)
        self.trained: dict[Key | None, cst.BaseExpression] = {}
        self.problems: dict[cst.CSTNode, tuple[cst.CSTNode, str]] = {}
        self._together: list[set[Key | None]] = []  # the providers of one builder
        self._checking = False

    def study(self, module: cst.Module) -> None:
        """Visit a file twice: first for what is built, then for how it is used."""
        module.visit(self)
        self._checking = True
        module.visit(self)

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._nesting.append(node)
        part = self._part()
        if part in self.problems or part in self.variables.staying:
            everything = self._nesting[0] in self.variables.staying
            if isinstance(node, cst.Name) and not everything and self._is_from_outside(node, part):
                self.problems[self._nesting[0]] = node, "a graph is used in a function whose graphs stay"
            self.enter(node)
            return True
        try:
            return super().on_visit(node)
        except Problem as problem:
            self.problems[part] = problem.node, str(problem)
            self.enter(node)
            return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._nesting.pop()
        self.leave(original_node)

    def _part(self) -> cst.CSTNode:
        """The outermost function around the node, or the file."""
        return next((n for n in self._nesting if isinstance(n, (cst.FunctionDef, cst.ClassDef))), self._nesting[0])

    def _is_from_outside(self, node: cst.Name, part: cst.CSTNode) -> bool:
        scope = self.variables.scope_of(self.variables.label(node))
        outside = scope in self.variables.scopes[:1] and part is not scope
        return outside and self.kinds.of(node) in GRAPHISH

    # Building

    def visit_Assign(self, node: cst.Assign) -> None:
        if self._checking:
            return
        kind = self.kinds.of(node.value)
        if kind in ("graph", "session"):
            self._plain(node, str(kind))
        elif kind == "placeholder":
            self.symbols.add_placeholder(node.targets[0].target, node.value, node)
        elif are_placeholders(kind):
            self._placeholders(node)
        elif kind == "symbol":
            self.symbols.add(node)
        else:
            self._for_training(node, kind)

    def _plain(self, node: cst.Assign, kind: str) -> None:
        """Check that a graph or a session has its own name."""
        if self.variables.key(node.targets[0].target) is None or len(node.targets) > 1:
            raise Problem(node, f"the {kind} has no simple name")
        if not isinstance(node.value, cst.Call):
            raise Problem(node, f"the {kind} has a second name")
        self.symbols.used.add(node.targets[0].target)
        self.symbols.consume(node.value)

    def _placeholders(self, node: cst.Assign) -> None:
        """`x, y = graph.placeholder(…), graph.placeholder(…)`."""
        target = node.targets[0].target
        if not isinstance(target, (cst.Tuple, cst.List)):
            return
        if not isinstance(node.value, (cst.Tuple, cst.List)):
            raise Problem(node, "placeholders are not made one by one")
        for left, right in zip(target.elements, node.value.elements, strict=True):
            self.symbols.add_placeholder(left.value, right.value, node)

    def _for_training(self, node: cst.Assign, kind: Kind) -> None:
        """An optimizer, providers, or a list of feeds."""
        target = node.targets[0].target
        if kind == "optimizer":
            self._optimizer(target, node.value)
        elif kind == "builder" and self.variables.key(target) is not None:
            self.symbols.used.add(target)
        elif kind == ListOf("provider") and isinstance(target, (cst.Tuple, cst.List)):
            self._together.append({self.variables.key(e.value) for e in target.elements})
        else:
            self.feeds.add(target, node)

    def _optimizer(self, target: cst.CSTNode, value: cst.BaseExpression) -> None:
        """Record the variables that an optimizer is given to train."""
        if not isinstance(value, cst.Call):
            return
        path = self.variables.path(value.func) or ""
        found = successor("class", path)
        if found is None or not found.forms:
            raise Problem(value, "the optimizer is user-defined")
        chosen = bound(value, "class", path, value).get("specified_variable_list")
        if chosen is not None:
            self.trained[self.variables.key(target)] = chosen

    # Using

    def visit_Call(self, node: cst.Call) -> None:
        if not self._checking or not isinstance(node.func, cst.Attribute):
            return
        owner, name = self.kinds.of(node.func.value), node.func.attr.value
        if owner == "session":
            self.symbols.consume(node.func)
            self._session(node, snake("session", name))
        elif owner == "builder":
            if name in ("get_epoch", "getEpoch"):
                raise Problem(node, "the number of epochs is used; count the batches yourself")
            self.symbols.consume(node.func)
        elif owner == "graph" and snake("graph", name) in ("variable", "constant"):
            self.symbols.consume(node.func)
        elif owner == "runner":
            raise Problem(node, "GraphRunner has no counterpart; write a loop that calls optimizer.minimize")

    def _session(self, node: cst.Call, name: str) -> None:
        if name in _TENSORS:
            self.call(node, name)
        elif name != "dispose":
            raise Problem(node, f"session.{name} has no counterpart")

    def call(self, node: cst.Call, name: str) -> SessionCall:
        """The tensors that a session call computes, if it can become calls of functions."""
        try:
            given = bind(parameters(getattr(Session, name), 1), node.args)
        except CannotRewrite as error:
            raise Problem(node, str(error)) from None
        tensors = given.get(_TENSORS[name])
        if tensors is None or (name == "eval_all" and not isinstance(tensors, (cst.List, cst.Tuple))):
            raise Problem(node, "the tensors to compute are not listed here")
        wanted = [e.value for e in tensors.elements] if isinstance(tensors, (cst.List, cst.Tuple)) else [tensors]
        feeds = self.feeds.of(given.get("feed_entries"))
        for tensor in wanted:
            self._check(tensor, feeds, name)
        return SessionCall(wanted, feeds, given)

    def _check(self, tensor: cst.BaseExpression, feeds: dict[Key, Feed], name: str) -> None:
        """Check that a tensor can be computed from the feeds."""
        key = self.variables.key(tensor)
        self._check_providers(tensor, feeds)
        if self.kinds.of(tensor) in ("variable", "constant") and name != "train":
            return
        if key is None or not self.symbols.has(key):
            raise Problem(tensor, "the tensor to compute has no name, or it is not built in this place")
        self.symbols.used.add(tensor)
        for placeholder in self.symbols.depends(key):
            if placeholder not in feeds:
                raise Problem(tensor, f"the placeholder {plain(placeholder[1])!r} is not fed here")
            feed = feeds[placeholder]
            if name == "train" and not feed.provides:
                raise Problem(tensor, f"the feed for {plain(placeholder[1])!r} is not known to be a provider")
            if name == "train" and not feed.place and not feed.has_name:
                raise Problem(tensor, f"the provider of {plain(placeholder[1])!r} has no name")
            if name == "eval_all" and feed.provides:
                raise Problem(tensor, "eval_all takes its examples from providers")

    def _check_providers(self, tensor: cst.BaseExpression, feeds: dict[Key, Feed]) -> None:
        """Providers must advance together: a session asks all that are fed, but a function only those that it needs."""
        key = self.variables.key(tensor)
        needed = self.symbols.depends(key) if key is not None and self.symbols.has(key) else ()
        asked = {self.variables.key(feed.value) for feed in feeds.values() if feed.kind == "provider"}
        if any(feed.provides and placeholder not in needed for placeholder, feed in feeds.items()):
            raise Problem(tensor, "a provider is fed that the tensor does not need")
        if any(asked & group and not group <= asked for group in self._together):
            raise Problem(tensor, "only some of the providers of a builder are fed")

    # Checking that there are no other uses

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._expected(node)
        module = self._nesting[0]
        if self._checking and module not in self.variables.staying and self._is_another_objects(node):
            what = self.variables.attributes[node.attr.value]
            self.problems[module] = node, f"the {what} of an object is used outside of it"

    def _is_another_objects(self, node: cst.Attribute) -> bool:
        """Whether an attribute may be the graph or the session of another object than `self`."""
        may_be = self.variables.attributes.get(node.attr.value) in ("graph", "session")
        if not may_be or self.variables.key(node) is not None:
            return False
        return self.kinds.may_be_object(node.value, self.kinds.of(node.value))

    def visit_Name(self, node: cst.Name) -> None:
        self._expected(node)

    def _expected(self, node: cst.Name | cst.Attribute) -> None:
        """Raise an error for parts of graphs that have not been understood by now."""
        if not self._checking:
            return
        parent = self._nesting[-2] if len(self._nesting) > 1 else None
        naming = isinstance(parent, (cst.Param, cst.Arg)) and node is not getattr(parent, "value", None)
        if node in self.symbols.used or naming or (isinstance(parent, cst.Attribute) and parent.attr is node):
            return
        kind = self.kinds.of(node)
        if kind not in GRAPHISH or (kind == "session" and isinstance(parent, cst.Param)):
            return
        if isinstance(parent, cst.Arg) and kind in ("session", "graph", "builder"):
            raise Problem(node, f"the {kind} is passed to a function")
        raise Problem(node, f"{dotted(node)!r} is used in a way that has no counterpart")


def are_placeholders(kind: Kind) -> bool:
    """Whether a kind stands for several placeholders."""
    parts = kind.items if isinstance(kind, TupleOf) else (kind.item,) if isinstance(kind, ListOf) else ()
    return bool(parts) and all(part == "placeholder" for part in parts)
