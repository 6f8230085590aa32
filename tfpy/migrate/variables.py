"""What the variables of a file hold: found by going through its assignments and calls."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import libcst as cst

from tfpy.legacy import successors
from tfpy.migrate import eager
from tfpy.migrate.kind import (
    UNKNOWN,
    UNSEEN,
    Kind,
    as_pinned,
    dict_of,
    element,
    functions,
    holds_arrays,
    is_dict,
    is_function,
    is_record,
    join,
    parts_of,
    text_of,
    value,
)
from tfpy.migrate.names import Names, dotted
from tfpy.migrate.versions import Labels
from tfpy.node_rules import NodeRules

Function = cst.FunctionDef | cst.Lambda
Scopes = list[cst.CSTNode]
Staying = Mapping[cst.CSTNode, tuple[cst.CSTNode, str]]  # a function or the module -> where and why its graphs stay
SCOPES = (
    cst.Module,
    cst.FunctionDef,
    cst.Lambda,
    cst.ClassDef,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.GeneratorExp,
)

ARRAYS = ("NDArray", "Scalar", "Array1D", "Array2D", "Array3D", "Array4D")
MATHS = ("NDArrayMath", "NDArrayMathCPU", "NDArrayMathGPU")
BUILDERS = tuple(f"In{place}MemoryShuffledInputProviderBuilder" for place in ("CPU", "GPU", ""))
_OF_CLASS = {
    **dict.fromkeys(ARRAYS, "array"),
    **dict.fromkeys(MATHS, "math"),
    **dict.fromkeys(BUILDERS, "builder"),
    **dict.fromkeys(successors.table("initializer"), "initializer"),
    "VarianceScalingInitializer": "initializer",
    "Graph": "graph",
    "Tensor": "symbol",
    "Session": "session",
    "FeedEntry": "feed",
    "GraphRunner": "runner",
    "ENV.math": "math",
}
_OF_MATH = {
    "time": "number",
    "get_num_arrays": "number",
    "top_k": "record",
    "moments": "record",
    "basic_lstm_cell": ("list", "array"),
    "multi_rnn_cell": ("list", ("list", "array")),
}
_NO_ARRAYS = ("value_and_gradients", "variable_gradients", "conv2d_back_prop", "custom_gradient", "vjp")
_OF_GRAPH = {"variable": "variable", "constant": "constant", "placeholder": "placeholder"}
_KEEPING = ("list", "tuple", "sorted", "reversed", "iter")
_NUMBERS = ("len", "float", "int", "round", "abs", "sum", "min", "max")
SCALARS = {"ZERO": "0", "ONE": "1", "TWO": "2", "NEG_ONE": "-1"}
NEXT_COPY = ("get_next_copy", "getNextCopy")


# What expressions hold, by their type.
_kind_of: NodeRules[type, Callable[[Kinds, Any], Kind]] = NodeRules()


class Kinds:
    """The kinds of a file's names, attributes and functions.

    Attributes:
        names: its imports.
        labels: what tells apart the variables of one name.
        staying: the parts of the file whose graphs are left as they are, so that sessions give NDArrays.
        pinned: names and attributes of arrays that are written to, and stay NDArrays.
        scopes: the scopes around the node that is looked at, the innermost last.
        unused: the expressions that are statements: nothing is done with what they give.
        settled: whether all calls of the file's functions have been followed, so that what is still not known of a
            call's result cannot be seen.
        escaped: functions that are called in ways that cannot be seen, and must keep their parameters.
    """

    def __init__(self, names: Names, labels: Labels, staying: Staying, pinned: set[Any]) -> None:
        self.names = names
        self.labels = labels
        self.staying = staying
        self.pinned = pinned
        self.scopes: Scopes = []
        self.known: dict[cst.CSTNode, dict[str, Kind]] = {}
        self.attributes: dict[str, Kind] = {}
        self.returns: dict[cst.CSTNode, Kind] = {}
        self.methods: dict[str, list[cst.FunctionDef]] = {}
        self.outer: dict[cst.CSTNode, set[str]] = {}
        self.views: dict[Any, cst.BaseExpression] = {}
        self.unused: set[cst.CSTNode] = set()
        self.settled = False
        self.escaped: set[cst.CSTNode] = set()
        self.changed = False

    @property
    def graphs_stay(self) -> bool:
        """Whether the graphs around the node that is looked at are left as they are."""
        return any(scope in self.staying for scope in self.scopes)

    # Names

    def scope_of(self, name: str) -> cst.CSTNode | None:
        """The scope that defines a name; that of a class is seen from within the class alone, not from its methods."""
        for scope in reversed(self.scopes):
            if name in self.known.get(scope, {}) and (scope is self.scopes[-1] or not isinstance(scope, cst.ClassDef)):
                return scope
        return None

    def label(self, node: cst.Name) -> str:
        """What a name is called among the variables of its scope."""
        return self.labels.get(node, node.value)

    def key(self, node: cst.CSTNode) -> Any:
        """What identifies the variable that an expression names: (scope, name), or ('self', attribute); else None."""
        if isinstance(node, cst.Name):
            label = self.label(node)
            return self.scope_of(label), label
        if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self":
            return "self", node.attr.value
        return None

    def define(self, target: cst.CSTNode, kind: Kind) -> None:
        """Note what a target of an assignment holds."""
        if isinstance(target, (cst.Tuple, cst.List)):
            stars = [isinstance(item, cst.StarredElement) for item in target.elements]
            each = parts_of(kind) if not any(stars) else None
            parts = each if each is not None else [("list", element(kind)) if star else element(kind) for star in stars]
            for item, part in zip(target.elements, parts, strict=False):
                self.define(item.value, part)
        elif isinstance(target, cst.Name):
            label = self.label(target)
            scope = self._defining(label)
            self.note(self.known.setdefault(scope, {}), label, kind, (scope, label))
            if isinstance(scope, cst.ClassDef) and not (is_function(kind) and kind[0] == "function"):
                self.note(self.attributes, target.value, kind, ("self", target.value))
        elif isinstance(target, cst.Attribute) and self.key(target) is not None:
            self.note(self.attributes, target.attr.value, kind, self.key(target))
        elif isinstance(target, cst.Subscript) and is_dict(self.of(target.value)):
            self.define(target.value, dict_of([(text_of(_index(target)), kind)]))
        elif isinstance(target, cst.Subscript) and self.of(target.value) == ("list", None):
            self.define(target.value, ("list", kind))

    def _defining(self, name: str) -> cst.CSTNode:
        scope = self.scopes[-1]
        if name in self.outer.get(scope, ()):
            return next((s for s in reversed(self.scopes[:-1]) if name in self.known.get(s, {})), self.scopes[0])
        return scope

    def note(self, table: dict[Any, Kind], name: Any, kind: Kind, key: Any = None) -> None:
        """Join a kind to what a table says of a name; `key` is that of the variable."""
        if key in self.pinned:
            kind = as_pinned(kind)
        new = join(table.get(name), kind)
        if name not in table or new != table[name]:
            table[name] = new
            self.changed = True

    def append(self, target: cst.CSTNode, kind: Kind) -> None:
        """Note that a list gets another element."""
        key = self.key(target)
        if kind is not None and isinstance(target, cst.Subscript):
            self.define(target, ("list", kind))
        if kind is None or key is None:
            return
        if key[0] == "self":
            self.note(self.attributes, key[1], ("list", kind), key)
        elif key[0] is not None:
            self.note(self.known[key[0]], key[1], ("list", kind), key)

    # Expressions

    def of(self, node: cst.CSTNode | None) -> Kind:
        """The kind of an expression; None when nothing is known."""
        path = self.path(node)
        if path is not None:
            return self._of_path(path)
        rule = _kind_of.get(type(node))
        return rule(self, node) if rule is not None else None

    def path(self, node: cst.CSTNode | None) -> str | None:
        """The path under tfpy.legacy that an expression means, unless the file gives its name another meaning."""
        text = dotted(node)
        if text is None or self.scope_of(text.partition(".")[0]) is not None:
            return None
        path = self.names.path(node)
        values = ("ENV.math.", *[f"Scalar.{name}." for name in SCALARS])
        return None if path is not None and path.startswith(values) else path  # what follows is no name of the package

    def _of_path(self, path: str) -> Kind:
        if path.startswith("Scalar.") and path.split(".")[1] in SCALARS:
            return "array"
        if path == "ENV.math":
            return "math"
        head, _, name = path.partition(".")
        if head in ARRAYS and (name == "new" or successors.successor("static", name)):
            return "gives", "ndarray"
        result = eager.results().get(path)
        return None if result is None else ("gives", result if eager.is_in_both(path) else as_pinned(result))

    def annotated(self, node: cst.BaseExpression) -> Kind:
        """The kind that an annotation says: of a class, or of a list of instances."""
        if isinstance(node, cst.Subscript) and dotted(node.value) in ("list", "List", "Sequence", "Iterable"):
            index = node.slice[0].slice
            inner = self.annotated(index.value) if isinstance(index, cst.Index) else None
            return None if inner is None else ("list", inner)
        path = self.path(node)
        return None if path is None else self.instance(path)

    def instance(self, path: str) -> Kind:
        """The kind of the instances of a legacy class, and of what its functions give."""
        head, _, rest = path.partition(".")
        if rest and head in ARRAYS:
            return "array"
        return "optimizer" if head.endswith("Optimizer") else _OF_CLASS.get(path)

    @_kind_of(cst.Name)
    def _of_name(self, node: cst.Name) -> Kind:
        if node.value in ("True", "False"):
            return "truth"
        label = self.label(node)
        scope = self.scope_of(label)
        if scope is None:
            return UNKNOWN if self.settled and label in self.names.others else None
        return self.known[scope][label]

    @_kind_of(cst.Integer, cst.Float)
    def _of_integer(self, node: cst.CSTNode) -> Kind:
        return "number"

    @_kind_of(cst.UnaryOperation)
    def _of_unaryoperation(self, node: cst.UnaryOperation) -> Kind:
        return "truth" if isinstance(node.operator, cst.Not) else self.of(node.expression)

    @_kind_of(cst.Comparison)
    def _of_comparison(self, node: cst.Comparison) -> Kind:
        return "truth"

    @_kind_of(cst.BinaryOperation)
    def _of_binaryoperation(self, node: cst.BinaryOperation) -> Kind:
        left, right = self.of(node.left), self.of(node.right)
        if isinstance(left, tuple) and (left == right or right == "number"):
            return left
        return "number" if left == right == "number" else None

    @_kind_of(cst.Await)
    def _of_await(self, node: cst.Await) -> Kind:
        return self.of(node.expression)

    @_kind_of(cst.IfExp)
    def _of_ifexp(self, node: cst.IfExp) -> Kind:
        return join(self.of(node.body), self.of(node.orelse))

    @_kind_of(cst.NamedExpr)
    def _of_namedexpr(self, node: cst.NamedExpr) -> Kind:
        return self.of(node.value)

    @_kind_of(cst.Lambda)
    def _of_lambda(self, node: cst.Lambda) -> Kind:
        return "function", node

    @_kind_of(cst.List, cst.Tuple)
    def _of_list(self, node: cst.List | cst.Tuple) -> Kind:
        kinds = [self.of(e.value) for e in node.elements]
        if not kinds:
            return None
        same = all(k == kinds[0] for k in kinds)
        if same and isinstance(node, cst.List):
            return "list", kinds[0]
        return "tuple", tuple(kinds)

    @_kind_of(cst.ListComp, cst.GeneratorExp)
    def _of_listcomp(self, node: cst.ListComp | cst.GeneratorExp) -> Kind:
        self.scopes.append(node)
        try:
            return "list", self.of(node.elt)
        finally:
            self.scopes.pop()

    @_kind_of(cst.Dict)
    def _of_dict(self, node: cst.Dict) -> Kind:
        pairs = [(text_of(e.key), self.of(e.value)) for e in node.elements if isinstance(e, cst.DictElement)]
        return dict_of(pairs)

    @_kind_of(cst.DictComp)
    def _of_dictcomp(self, node: cst.DictComp) -> Kind:
        self.scopes.append(node)
        try:
            return dict_of([(None, self.of(node.value))])
        finally:
            self.scopes.pop()

    @_kind_of(cst.BooleanOperation)
    def _of_booleanoperation(self, node: cst.BooleanOperation) -> Kind:
        return join(self.of(node.left), self.of(node.right))

    @_kind_of(cst.Subscript)
    def _of_subscript(self, node: cst.Subscript) -> Kind:
        kind = self.of(node.value)
        if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Slice):
            return kind
        number = _index(node)
        if is_dict(kind) or is_record(kind) or kind == "kept":
            return kind if kind == "kept" else value(kind, number)
        if isinstance(kind, tuple) and kind[0] == "tuple" and isinstance(number, cst.Integer):
            return kind[1][int(number.value)] if int(number.value) < len(kind[1]) else None
        return element(kind)

    @_kind_of(cst.Attribute)
    def _of_attribute(self, node: cst.Attribute) -> Kind:
        key = self.key(node)
        if key is not None and node.attr.value in self.attributes:
            return self.attributes[node.attr.value]
        owner, name = self.of(node.value), node.attr.value
        if owner == "math":
            return self._of_math_method(name)
        if self.may_be_object(node.value, owner):
            found = self.attributes.get(name)
            for method in self.methods.get(name, []):
                found = join(found, self.returns.get(method)) if _is_property(method) else found
            if found == "math" or is_function(found) or holds_arrays(found):
                return found
        if key is not None and len(self.methods.get(name, [])) == 1:
            return "function", self.methods[name][0]
        if owner == "graph" and name == "layers":
            return "layers"
        if owner == "variable" and name == "node":
            return "node"
        if owner == "node" and name == "data":
            return "ndarray" if self.graphs_stay else "array"
        if is_record(owner):
            return dict(owner[1]).get(name)
        if owner in ("record", "kept"):
            return "array" if owner == "record" else owner
        if name in ("size", "rank"):
            return "number"
        if name == "shape":
            return "shape"
        return UNKNOWN if self.settled and (dotted(node) or "").partition(".")[0] in self.names.others else None

    def may_be_object(self, node: cst.CSTNode, kind: Kind) -> bool:
        """Whether an expression of a kind may be an object or a class of the file."""
        if dotted(node) in self.names.others:
            return False
        return kind in UNSEEN or kind == "object" or (isinstance(kind, tuple) and kind[0] == "type")

    def _of_math_method(self, name: str) -> Kind:
        """A method of the math that is not called here: its successor, if that takes the same arguments."""
        found = successors.successor("math", name)
        if found is None or found.own or not found.forms:
            return None
        result = _OF_MATH.get(successors.snake("math", name), "array")
        return "gives", result if found.function else as_pinned(result)

    @_kind_of(cst.Call)
    def _of_call(self, node: cst.Call) -> Kind:
        found = self._seen(node)
        return UNKNOWN if found is None and self.settled and self._is_unseen(node.func) else found

    def _is_unseen(self, function: cst.BaseExpression) -> bool:
        """Whether what is called is neither a function of the file nor one of Python's own."""
        if self.path(function) is not None or is_function(self.of(function)):
            return False
        if isinstance(function, cst.Attribute):
            return function.attr.value not in self.methods
        return not isinstance(function, cst.Name) or self._is_of_file(function) or not hasattr(builtins, function.value)

    def _is_of_file(self, name: cst.Name) -> bool:
        return name.value in self.names.others or self.scope_of(self.label(name)) is not None

    def _seen(self, node: cst.Call) -> Kind:
        """What a call gives as far as it can be seen."""
        path = self.path(node.func)
        if path is not None:
            return self.instance(path) or self._of_eager(node, path)
        text = dotted(node.func) or ""
        if self.names.tf is not None and text in (f"{self.names.tf}.tidy", f"{self.names.tf}.keep"):
            return self._of_eager(node, text.removeprefix(f"{self.names.tf}."))  # of a script that is migrated already
        function = self.of(node.func)
        if is_function(function) and not self.is_method(node.func):
            return self._result(function)
        if function == "object":
            return self._returned("__call__")
        if isinstance(node.func, cst.Attribute):
            return self._of_method(node, self.of(node.func.value), node.func.attr.value)
        if isinstance(node.func, cst.Name):
            return self._of_function(node, node.func.value)
        return None

    def _of_eager(self, node: cst.Call, path: str) -> Kind:
        """What a function of deeplearn.js 0.5 gives."""
        if path == "variable":
            return "ndarray" if self.graphs_stay else "array"
        if path == "keep" and node.args:
            return self.of(node.args[0].value)
        if path == "tidy" and node.args:
            return self._result(self.of(node.args[-1].value))
        return eager.results().get(path)

    def _result(self, function: Kind) -> Kind:
        """What a function gives, or one of several."""
        found = None
        for one in functions(function) if is_function(function) else ():
            found = join(found, one[1] if one[0] == "gives" else self.returns.get(one[1]))
        return found

    def is_method(self, function: cst.BaseExpression) -> bool:
        """Whether an expression names a method of the math, or one that classes of the file have."""
        if not isinstance(function, cst.Attribute):
            return False
        return self.of(function.value) == "math" or function.attr.value in self.methods

    def _of_function(self, node: cst.Call, name: str) -> Kind:
        kind = self.of(node.func)
        if kind in ("keep", "track") and node.args:
            return self.of(node.args[0].value)
        if isinstance(kind, tuple) and kind[0] == "type":
            found = [f for f in NEXT_COPY if any(_class_of(kind[1], m) for m in self.methods.get(f, []))]
            return ("custom", found[0]) if found else "object"
        if kind not in UNSEEN or not node.args:
            return None
        first = self.of(node.args[0].value)
        if name == "map" and is_function(first):
            return "list", self._result(first)
        if name == "reduce" and is_function(first):
            return join(self._result(first), element(self.of(node.args[1].value)) if len(node.args) > 1 else None)
        if name == "partial" and is_function(first):
            return "gives", self._result(first)
        if name == "next":
            return element(first)
        if name == "filter" and len(node.args) == 2:
            return "list", element(self.of(node.args[1].value))
        if name in ("max", "min") and len(node.args) == 2 and node.args[1].keyword is not None:
            return element(first)
        if name == "dict" and not node.args[0].star:
            return dict_of([(a.keyword.value, self.of(a.value)) for a in node.args if a.keyword is not None])
        if name in _KEEPING:
            return ("list", element(first)) if isinstance(first, tuple) else first
        if name == "zip":
            return "list", ("tuple", tuple(element(self.of(a.value)) for a in node.args))
        if name == "enumerate":
            return "list", ("tuple", ("number", element(first)))
        if name == "range":
            return "range"
        return "number" if name in _NUMBERS else None

    def _of_method(self, node: cst.Call, owner: Kind, name: str) -> Kind:
        if name in ("buffer", "buffer_sync", "bufferSync"):
            return "buffer"  # has a method `get`, too
        if owner == "math":
            return self._of_math(node, successors.snake("math", name))
        if owner == "graph":
            return _OF_GRAPH.get(name, "symbol")
        if owner == "layers":
            return "symbol"
        result = "ndarray" if self.graphs_stay else "array"
        if owner == "session":
            return ("list", result) if name in ("eval_all", "evalAll") else result
        if owner == "builder":
            many = name in ("get_input_providers", "getInputProviders")
            return ("list", "provider") if many else "provider" if "nput" in name else "number"
        if owner == "provider" or (isinstance(owner, tuple) and owner[0] == "custom" and name in NEXT_COPY):
            return result
        if owner == "optimizer" and name == "minimize":
            return result
        if owner == "initializer":
            return "array"
        if owner in ("array", "ndarray"):
            if name in ("get", "val"):
                return "number"
            reads = ("get_values", "getValues", "data_sync", "dataSync", "data", "get_values_async", "getValuesAsync")
            return None if name.startswith("array_sync") else "values" if name in reads else owner
        if name == "pop" and isinstance(owner, tuple) and owner[0] == "list":
            return element(owner)
        return self._of_dicts(node, owner, name) if is_dict(owner) else self._returned(name)

    def _of_dicts(self, node: cst.Call, owner: Kind, name: str) -> Kind:
        """What a method of a dict gives."""
        if name in ("get", "pop", "setdefault"):
            return value(owner, node.args[0].value if node.args else None)
        if name == "values":
            return "list", value(owner, None)
        if name == "items":
            return "list", ("tuple", (None, value(owner, None)))
        return owner if name == "copy" else None

    def _returned(self, name: str) -> Kind:
        """What the methods of a name give."""
        found = None
        for method in self.methods.get(name, []):
            found = join(found, self.returns.get(method))
        return found

    def _of_math(self, node: cst.Call, name: str) -> Kind:
        if name in ("keep", "track", "scope", "start_scope", "end_scope", "gradients"):
            if name in ("keep", "track"):
                return self.of(node.args[0].value) if node.args else None
            if name == "gradients":
                kind = self.of(node.args[1].value) if len(node.args) > 1 else None
                return kind if holds_arrays(kind) else None
            return self._result(self.of(node.args[0].value)) if name == "scope" and node.args else None
        found = successors.successor("math", name)
        if name in _NO_ARRAYS:
            return "kept"
        if found is None:
            return None
        return _OF_MATH.get(name, "array" if found.forms else "ndarray")


def _index(node: cst.Subscript) -> cst.BaseExpression | None:
    """What is between the brackets, if it is one expression."""
    index = node.slice[0].slice if len(node.slice) == 1 else None
    return index.value if isinstance(index, cst.Index) else None


def _is_property(method: cst.FunctionDef) -> bool:
    return any(
        dotted(d.decorator) in ("property", "cached_property", "functools.cached_property") for d in method.decorators
    )


def _class_of(owner: cst.ClassDef, method: cst.FunctionDef) -> bool:
    return any(item is method for item in owner.body.body)


def arguments(function: Function, call: Sequence[cst.Arg], method: bool) -> list[tuple[cst.Param, cst.Arg]]:
    """The parameters of a function of the file with the arguments of a call of it."""
    params = list(function.params.params)[1 if method else 0 :]
    named = [*params, *function.params.kwonly_params]
    found = []
    for i, arg in enumerate(call):
        if arg.star:
            break
        if arg.keyword is not None:
            found += [(p, arg) for p in named if p.name.value == arg.keyword.value]
        elif i < len(params):
            found.append((params[i], arg))
    return found
