"""Whether the graphs of a file can become functions, and how.

Each symbolic tensor with a name becomes a function of the placeholders that it depends on. That works when a graph is
built statement by statement, and its tensors are used for nothing but building, `eval` and `train`. Otherwise all
graphs of the file stay, and the first reason is told.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import libcst as cst

from tfpy.legacy.session import Session
from tfpy.legacy.successors import parameters, snake, successor, table
from tfpy.migrate.inference import ScopedVisitor
from tfpy.migrate.names import dotted
from tfpy.migrate.padding import default_pad
from tfpy.migrate.templates import CannotRewrite, bind, is_none
from tfpy.migrate.variables import NEXT_COPY, Kinds
from tfpy.migrate.versions import NESTED, plain

Key = Any
_GRAPHISH = ("graph", "session", "symbol", "placeholder", "layers", "runner", "builder")


class Symbol(NamedTuple):
    """A symbolic tensor that becomes a function.

    Attributes:
        name: the name of the function.
        placeholders: what it depends on, in order.
        size: for a vector, the expression of its size if it is known.
    """

    name: str
    placeholders: tuple[Key, ...]
    size: cst.BaseExpression | None


class Feed(NamedTuple):
    """A value for a placeholder.

    Attributes:
        value: the expression that the script gives.
        kind: its kind.
        place: where it is found instead, when it must be made only once: `feeds["x"]`.
    """

    value: cst.BaseExpression
    kind: Any
    place: str = ""

    @property
    def provides(self) -> bool:
        """Whether it is a provider."""
        return self.kind == "provider" or (isinstance(self.kind, tuple) and self.kind[0] == "custom")


class Problem(Exception):
    """A graph cannot become functions; at which node, and why."""

    def __init__(self, node: cst.CSTNode, reason: str) -> None:
        super().__init__(reason)
        self.node = node


class Graphs(ScopedVisitor):
    """What the graphs of a file consist of.

    Attributes:
        symbols: what becomes a function, by variable.
        placeholders: the order of placeholders, by variable, and the names of the arguments.
        operands: names in the arguments of graph methods that become calls.
        feeds: lists of feed entries with a name.
        variables: what an optimizer with a name trains, if it was told.
        problems: the parts of the file whose graphs must stay: where and why. A part is a function of the file, or all
            of it.
    """

    def __init__(self, kinds: Kinds) -> None:
        super().__init__(kinds)
        self.symbols: dict[Key, Symbol] = {}
        self.placeholders: dict[Key, int] = {}
        self.sizes: dict[Key, cst.BaseExpression | None] = {}
        self.operands: dict[cst.CSTNode, Symbol] = {}
        self.feeds: dict[Key, dict[Key, Feed]] = {}
        self.variables: dict[Key, cst.BaseExpression] = {}
        self.problems: dict[cst.CSTNode, tuple[cst.CSTNode, str]] = {}
        self.together: list[set[Key]] = []  # the providers of one builder
        self._used: set[cst.CSTNode] = set()
        self._nesting: list[cst.CSTNode] = []
        self._checking = False

    def study(self, module: cst.Module) -> None:
        """Go through a file: first to see what is built, then what is done with it."""
        module.visit(self)
        self._checking = True
        module.visit(self)

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._nesting.append(node)
        part = self._part()
        if part in self.problems or part in self.kinds.staying:
            everything = self._nesting[0] in self.kinds.staying
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
        scope = self.kinds.scope_of(self.kinds.label(node))
        outside = scope in self.kinds.scopes[:1] and part is not scope
        return outside and self.kinds.of(node) in _GRAPHISH

    # Building

    def visit_Assign(self, node: cst.Assign) -> None:
        if self._checking:
            return
        kind = self.kinds.of(node.value)
        target = node.targets[0].target
        if kind in ("graph", "session"):
            self._plain(node, kind)
        elif kind == "placeholder":
            self._placeholder(target, node.value, node)
        elif are_placeholders(kind) and isinstance(target, (cst.Tuple, cst.List)):
            if not isinstance(node.value, (cst.Tuple, cst.List)):
                raise Problem(node, "placeholders are not made one by one")
            for left, right in zip(target.elements, node.value.elements, strict=True):
                self._placeholder(left.value, right.value, node)
        elif kind == "symbol":
            self._symbol(node)
        elif kind == "optimizer":
            self.variables.update(self._trained(target, node.value))
        elif kind == "builder" and self.kinds.key(target) is not None:
            self._used.add(target)
        elif kind == ("list", "provider") and isinstance(target, (cst.Tuple, cst.List)):
            self.together.append({self.kinds.key(e.value) for e in target.elements})
        elif self._entries(node.value) is not None and self.kinds.key(target) is not None:
            key = self.kinds.key(target)
            if key in self.feeds:
                raise Problem(node, "the list of feeds is made more than once")
            self.feeds[key] = self._placed(target, self._read_entries(node.value))

    def _placed(self, target: cst.BaseExpression, feeds: dict[Key, Feed]) -> dict[Key, Feed]:
        """Feeds of a list with a name: in a dict of that name, unless all of them have names that are known as far."""
        local = isinstance(target, cst.Name)
        if all(_is_name(f.value) and (local or (dotted(f.value) or "").startswith("self.")) for f in feeds.values()):
            return feeds
        return {key: feed._replace(place=f'{dotted(target)}["{plain(key[1])}"]') for key, feed in feeds.items()}

    def _plain(self, node: cst.Assign, kind: str) -> None:
        """A graph or a session has a name of its own."""
        if self.kinds.key(node.targets[0].target) is None or len(node.targets) > 1:
            raise Problem(node, f"the {kind} has no simple name")
        if not isinstance(node.value, cst.Call):
            raise Problem(node, f"the {kind} has a second name")
        self._used.add(node.targets[0].target)
        self._consume(node.value)

    def _name_of(self, target: cst.BaseExpression, node: cst.Assign) -> str:
        """The name of what is built, which must be built once."""
        name, key = dotted(target), self.kinds.key(target)
        if key is None or name is None or len(node.targets) > 1:
            raise Problem(node, "a tensor of the graph has no simple name")
        inside: list[cst.CSTNode] = []
        for around in self._nesting:
            inside = [] if isinstance(around, (cst.FunctionDef, cst.Module)) else [*inside, around]
        if any(isinstance(around, NESTED) for around in inside):
            raise Problem(node, "the graph is built in a loop or under a condition")
        if key in self.symbols or key in self.placeholders:
            raise Problem(node, f"{name!r} names more than one tensor of the graph")
        self._used.add(target)
        return name

    def _placeholder(self, target: cst.BaseExpression, value: cst.BaseExpression, node: cst.Assign) -> None:
        name = self._name_of(target, node)
        if not isinstance(value, cst.Call):
            raise Problem(node, f"the placeholder {name!r} has a second name")
        self._consume(value.func)
        key = self.kinds.key(target)
        self.placeholders[key] = len(self.placeholders)
        given = _bound(node, "graph", "placeholder", value)
        shape = given.get("shape")
        one = isinstance(shape, (cst.List, cst.Tuple)) and len(shape.elements) == 1
        self.sizes[key] = shape.elements[0].value if one else None  # type: ignore[union-attr]

    def _symbol(self, node: cst.Assign) -> None:
        target = node.targets[0].target
        name = self._name_of(target, node)
        if not isinstance(node.value, cst.Call):
            raise Problem(node, f"the tensor {name!r} has a second name")
        found, size = self._built(node.value, top=True)
        order = sorted(found, key=self.placeholders.__getitem__)
        self.symbols[self.kinds.key(target)] = Symbol(name, tuple(order), size)

    def _built(self, call: cst.BaseExpression, top: bool) -> tuple[set[Key], cst.BaseExpression | None]:
        """The placeholders that an expression of the graph depends on, and its size if it is a vector's."""
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            return self._operand(call)
        owner = self.kinds.of(call.func.value)
        if owner == "layers":
            if not top:
                raise Problem(call, "a dense layer has no name")
            return self._dense(call)
        name = snake("graph", call.func.attr.value)
        if owner != "graph":
            return set(), None
        found = successor("graph", name)
        if found is None or not found.forms or (found.own and name not in ("constant", "placeholder")):
            raise Problem(call, f"graph.{name} has no counterpart")
        if name in ("placeholder", "variable"):
            raise Problem(call, f"a {name} has no name")
        self._consume(call.func)
        given = _bound(call, "graph", name, call)
        if name in ("conv2d", "max_pool") and default_pad(given) is None:
            raise Problem(call, "the default padding cannot be seen here; give zero_pad")
        if name == "constant" and _makes(given.get("value")):
            raise Problem(call, "a constant that is computed has no name")
        parts = [(key, self._built(value, top=False)) for key, value in given.items()] if name != "constant" else []
        size = next((part[1] for key, part in parts if key in ("x", "x1")), None)
        if name in ("reshape", "matmul", "reduce_sum", "conv2d", "max_pool", "variable") or name.startswith("concat"):
            size = None
        shape = given.get("shape")
        if name == "reshape" and isinstance(shape, cst.List) and len(shape.elements) == 1:
            size = shape.elements[0].value
        return set().union(*[part[0] for _, part in parts]), size

    def _operand(self, node: cst.BaseExpression) -> tuple[set[Key], cst.BaseExpression | None]:
        kind, key = self.kinds.of(node), self.kinds.key(node)
        if kind == "placeholder" and key in self.placeholders:
            self._used.add(node)
            return {key}, self.sizes[key]
        if kind == "symbol":
            if key not in self.symbols:
                raise Problem(node, "a tensor of the graph is made where it cannot be followed")
            self._used.add(node)
            self.operands[node] = self.symbols[key]
            return set(self.symbols[key].placeholders), self.symbols[key].size
        if kind in ("mixed", "placeholder") or kind in _GRAPHISH:
            raise Problem(node, "a tensor of the graph is made where it cannot be followed")
        return set(), None

    def _dense(self, call: cst.Call) -> tuple[set[Key], cst.BaseExpression | None]:
        given = _bound(call, "layers", "dense", call)
        self._consume(call.func)
        if "x" not in given or "units" not in given:
            raise Problem(call, "the layer's arguments are not all there")
        found, size = self._built(given["x"], top=False)
        if size is None:
            raise Problem(call, "the size of the layer's input cannot be seen here")
        activation = given.get("activation")
        if activation_of(activation, self.kinds) is not None:
            assert activation is not None
            self._consume(activation)
        elif not is_none(activation):
            raise Problem(call, "the layer's activation is a function of one's own")
        for name in ("kernel_initializer", "bias_initializer"):
            path = self.kinds.path(getattr(given.get(name), "func", None))
            if name in given and (path not in table("initializer") and path != "VarianceScalingInitializer"):
                raise Problem(call, f"the layer's {name} is not made in its place")
        return found, given["units"]

    # Using

    def visit_Call(self, node: cst.Call) -> None:
        if not self._checking or not isinstance(node.func, cst.Attribute):
            return
        owner, name = self.kinds.of(node.func.value), snake("session", node.func.attr.value)
        if owner == "session":
            self._consume(node.func)
            if name in ("eval", "eval_all", "train"):
                self.call(node, name)
            elif name != "dispose":
                raise Problem(node, f"session.{name} has no counterpart")
        elif owner == "builder":
            if node.func.attr.value in ("get_epoch", "getEpoch"):
                raise Problem(node, "the number of epochs is asked for; count the batches yourself")
            self._consume(node.func)
        elif owner == "graph" and snake("graph", node.func.attr.value) in ("variable", "constant"):
            self._consume(node.func)
        elif owner == "runner":
            raise Problem(node, "GraphRunner has no counterpart; write a loop that calls optimizer.minimize")

    def call(self, node: cst.Call, name: str) -> tuple[list[cst.BaseExpression], dict[Key, Feed], dict[str, Any]]:
        """The tensors that a call of a session is about, what it feeds, and all of its arguments."""
        try:
            given = bind(parameters(getattr(Session, name), 1), node.args)
        except CannotRewrite as error:
            raise Problem(node, str(error)) from None
        tensors = given.get({"eval": "tensor", "eval_all": "tensors", "train": "cost_tensor"}[name])
        if tensors is None or (name == "eval_all" and not isinstance(tensors, (cst.List, cst.Tuple))):
            raise Problem(node, "the tensors to compute are not listed here")
        wanted = [e.value for e in tensors.elements] if isinstance(tensors, (cst.List, cst.Tuple)) else [tensors]
        feeds = self._read_feeds(given.get("feed_entries"))
        for tensor in wanted:
            self._check(tensor, feeds, name)
        return wanted, feeds, given

    def _check(self, tensor: cst.BaseExpression, feeds: dict[Key, Feed], name: str) -> None:
        kind, key = self.kinds.of(tensor), self.kinds.key(tensor)
        self._check_providers(tensor, feeds)
        if kind in ("variable", "constant") and name != "train":
            return
        if key not in self.symbols and key not in self.placeholders:
            raise Problem(tensor, "the tensor to compute has no name, or it is not built in this place")
        self._used.add(tensor)
        for placeholder in self.depends(key):
            if placeholder not in feeds:
                raise Problem(tensor, f"the placeholder {plain(placeholder[1])!r} is not fed here")
            feed = feeds[placeholder]
            if name == "train" and not feed.provides:
                raise Problem(tensor, f"what is fed for {plain(placeholder[1])!r} cannot be seen to be a provider")
            if name == "train" and not feed.place and not _is_name(feed.value):
                raise Problem(tensor, f"the provider of {plain(placeholder[1])!r} has no name")
            if name == "eval_all" and feed.provides:
                raise Problem(tensor, "eval_all takes its examples from providers")

    def _check_providers(self, tensor: cst.BaseExpression, feeds: dict[Key, Feed]) -> None:
        """Providers must go on together: a session asks all that are fed, and a function those that it needs."""
        key = self.kinds.key(tensor)
        needed = self.depends(key) if key in self.symbols or key in self.placeholders else ()
        asked = {self.kinds.key(feed.value) for feed in feeds.values() if feed.kind == "provider"}
        if any(feed.provides and placeholder not in needed for placeholder, feed in feeds.items()):
            raise Problem(tensor, "a provider is fed that the tensor does not need")
        if any(asked & group and not group <= asked for group in self.together):
            raise Problem(tensor, "only some of the providers of a builder are fed")

    def depends(self, key: Key) -> tuple[Key, ...]:
        """The placeholders that a tensor depends on."""
        return self.symbols[key].placeholders if key in self.symbols else (key,)

    def _entries(self, node: cst.BaseExpression | None) -> list[cst.BaseExpression] | None:
        """The entries of a list of feeds; None when it is something else."""
        if not isinstance(node, (cst.List, cst.Tuple)) or not node.elements:
            return None
        entries = [e.value for e in node.elements]
        return entries if all(self._entry(e) is not None for e in entries) else None

    def _entry(self, node: cst.BaseExpression) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
        """The tensor and the data of a feed entry."""
        given: dict[str, cst.BaseExpression] = {}
        if isinstance(node, cst.Dict):
            for item in node.elements:
                if isinstance(item, cst.DictElement) and isinstance(item.key, cst.SimpleString):
                    given[str(item.key.evaluated_value)] = item.value
        elif isinstance(node, cst.Call) and self.kinds.path(node.func) == "FeedEntry":
            for i, arg in enumerate(node.args):
                given[arg.keyword.value if arg.keyword is not None else ("tensor", "data")[min(i, 1)]] = arg.value
        return (given["tensor"], given["data"]) if set(given) == {"tensor", "data"} else None

    def _read_feeds(self, node: cst.BaseExpression | None) -> dict[Key, Feed]:
        if node is None or (isinstance(node, (cst.List, cst.Tuple)) and not node.elements):
            return {}
        key = self.kinds.key(node)
        if key in self.feeds:
            return self.feeds[key]
        return self._read_entries(node)

    def _read_entries(self, node: cst.BaseExpression) -> dict[Key, Feed]:
        entries = self._entries(node)
        if entries is None:
            raise Problem(node, "the feeds are not listed here")
        found: dict[Key, Feed] = {}
        for entry in entries:
            parts = self._entry(entry)
            assert parts is not None
            key = self.kinds.key(parts[0])
            if key not in self.placeholders:
                raise Problem(entry, "a tensor that is no placeholder is fed")
            self._used.add(parts[0])
            found[key] = Feed(parts[1], self.kinds.of(parts[1]))
        return found

    def _trained(self, target: cst.CSTNode, value: cst.BaseExpression) -> dict[Key, cst.BaseExpression]:
        """The variables that an optimizer is told to train."""
        if not isinstance(value, cst.Call):
            return {}
        path = self.kinds.path(value.func)
        found = successor("class", path or "")
        if found is None or not found.forms:
            raise Problem(value, "the optimizer is one of one's own")
        given = _bound(value, "class", path or "", value)
        chosen = given.get("specified_variable_list")
        return {} if chosen is None else {self.kinds.key(target): chosen}

    # Checking that there is nothing else

    def _consume(self, node: cst.CSTNode) -> None:
        """Note the names in an expression as understood."""
        for child in [node, *node.children]:
            if isinstance(child, (cst.Name, cst.Attribute)):
                self._used.add(child)
            if child is not node:
                self._consume(child)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._expected(node)
        module = self._nesting[0]
        if self._checking and module not in self.kinds.staying and self._is_another_objects(node):
            self.problems[module] = (
                node,
                f"the {self.kinds.attributes[node.attr.value]} of an object is used outside of it",
            )

    def _is_another_objects(self, node: cst.Attribute) -> bool:
        """Whether an attribute may be the graph or the session of an object of the file, named by other than `self`."""
        if self.kinds.attributes.get(node.attr.value) not in ("graph", "session") or self.kinds.key(node) is not None:
            return False
        return self.kinds.may_be_object(node.value, self.kinds.of(node.value))

    def visit_Name(self, node: cst.Name) -> None:
        self._expected(node)

    def _expected(self, node: cst.Name | cst.Attribute) -> None:
        if not self._checking:
            return
        parent = self._nesting[-2] if len(self._nesting) > 1 else None
        naming = isinstance(parent, (cst.Param, cst.Arg)) and node is not getattr(parent, "value", None)
        if node in self._used or naming or (isinstance(parent, cst.Attribute) and parent.attr is node):
            return
        kind = self.kinds.of(node)
        if kind in _GRAPHISH and not (kind == "session" and isinstance(parent, cst.Param)):
            is_argument = isinstance(parent, cst.Arg) and kind in ("session", "graph", "builder")
            if not is_argument:
                raise Problem(node, f"{dotted(node)!r} is used in a way that has no counterpart")
            raise Problem(node, f"the {kind} is given to a function")


def activation_of(node: cst.BaseExpression | None, kinds: Kinds) -> str | None:
    """The method of the graph that an activation is: `graph.relu`, or `lambda x: graph.relu(x)`."""
    if isinstance(node, cst.Lambda) and len(node.params.params) == 1 and isinstance(node.body, cst.Call):
        args = [dotted(a.value) for a in node.body.args]
        node = node.body.func if args == [node.params.params[0].name.value] else None
    if isinstance(node, cst.Attribute) and kinds.of(node.value) == "graph":
        found = successor("graph", node.attr.value)
        return node.attr.value if found is not None and found.forms and not found.own else None
    return None


def are_placeholders(kind: Any) -> bool:
    """Whether a kind is that of several placeholders."""
    parts = kind[1] if isinstance(kind, tuple) and kind[0] == "tuple" else kind[1:] if isinstance(kind, tuple) else ()
    return bool(parts) and all(part == "placeholder" for part in parts)


def _bound(node: cst.CSTNode, kind: str, name: str, call: cst.Call) -> dict[str, cst.BaseExpression]:
    found = successor(kind, name)
    assert found is not None
    try:
        return bind(found.parameters, call.args)
    except CannotRewrite as error:
        raise Problem(node, str(error)) from None


def _makes(node: cst.CSTNode | None) -> bool:
    """Whether an expression calls something: repeated, it may give another value."""
    return node is not None and (isinstance(node, cst.Call) or any(_makes(child) for child in node.children))


def _is_name(node: cst.BaseExpression) -> bool:
    """Whether an expression names something that is there: it may be repeated."""
    return dotted(node.value if isinstance(node, cst.Subscript) else node) is not None


def next_copy(feed: Feed) -> str | None:
    """The method of one's own that gives the next array; None for a provider of a builder, and for an array."""
    if isinstance(feed.kind, tuple) and feed.kind[0] == "custom" and feed.kind[1] in NEXT_COPY:
        return str(feed.kind[1])
    return None
