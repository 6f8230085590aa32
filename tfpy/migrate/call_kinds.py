"""The kinds of the results of calls: of functions of tfpy.legacy, of the file and of Python, and of methods."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence

import libcst as cst

from tfpy.legacy.migration.successors import snake, successor
from tfpy.migrate import eager, legacy_kinds
from tfpy.migrate.functions import is_of
from tfpy.migrate.kind import (
    UNKNOWN,
    UNSEEN,
    Class,
    DictOf,
    FunctionOf,
    Kind,
    ListOf,
    TupleOf,
    UserProvider,
    as_pinned,
    dict_of,
    element,
    holds_arrays,
    is_function,
    join,
    value,
)
from tfpy.migrate.kinds import Kinds, kind_of
from tfpy.migrate.legacy_kinds import NEXT_COPY
from tfpy.migrate.names import dotted
from tfpy.node_rules import NodeRules

Args = Sequence[cst.Arg]
# Rules for Python's functions, by name: they take the arguments, at least one, and the first one's kind.
_builtin: NodeRules[str, Callable[[Kinds, Args, Kind], Kind]] = NodeRules()
# Rules for methods, by the kind of the object: they take that kind, the method's name and the arguments.
_method_of: NodeRules[str | type, Callable[[Kinds, Kind, str, Args], Kind]] = NodeRules()

_BUFFERS = ("buffer", "buffer_sync", "bufferSync")  # their results also have a method `get`


@kind_of(cst.Call)
def call(kinds: Kinds, node: cst.Call) -> Kind:
    """A call; a result that cannot be inferred is unknown once everything else is known."""
    found = _seen(kinds, node)
    return UNKNOWN if found is None and kinds.settled and _is_unseen(kinds, node.func) else found


def _is_unseen(kinds: Kinds, function: cst.BaseExpression) -> bool:
    """Whether the callee is neither a function of the file nor one of Python's own."""
    if kinds.variables.path(function) is not None or is_function(kinds.of(function)):
        return False
    if isinstance(function, cst.Attribute):
        return function.attr.value not in kinds.variables.methods
    if isinstance(function, cst.Name):
        return kinds.variables.is_of_file(function) or not hasattr(builtins, function.value)
    return True


def _seen(kinds: Kinds, node: cst.Call) -> Kind:
    """The kind of a call's result as far as it can be inferred."""
    path = kinds.variables.path(node.func)
    if path is not None:
        return legacy_kinds.instance(path) or _of_eager(kinds, node.args, path)
    text, tf = dotted(node.func) or "", kinds.variables.names.tf
    if tf is not None and text in (f"{tf}.tidy", f"{tf}.keep"):
        return _of_eager(kinds, node.args, text.removeprefix(f"{tf}."))  # of a script that is already migrated
    function = kinds.of(node.func)
    if is_function(function) and not kinds.is_method(node.func):
        return kinds.result_of(function)
    if function == "object":
        return kinds.variables.results_of("__call__")
    if isinstance(node.func, cst.Attribute):
        return _of_method(kinds, kinds.of(node.func.value), node.func.attr.value, node.args)
    if isinstance(node.func, cst.Name):
        return _of_name(kinds, function, node.func.value, node.args)
    return None


def _of_eager(kinds: Kinds, args: Args, path: str) -> Kind:
    """The kind of the result of a function of deeplearn.js 0.5."""
    if path == "variable":
        return kinds.evaluated()
    if path == "keep" and args:
        return kinds.of(args[0].value)
    if path == "tidy" and args:
        return kinds.result_of(kinds.of(args[-1].value))
    return eager.results().get(path)


def _of_name(kinds: Kinds, function: Kind, name: str, args: Args) -> Kind:
    """The kind of a call of a name that is not a function of the file: one of its classes, or a function of Python."""
    if function in ("keep", "track") and args:
        return kinds.of(args[0].value)
    if isinstance(function, Class):
        return _instance(kinds, function.node)
    rule = _builtin.get(name)
    return rule(kinds, args, kinds.of(args[0].value)) if function in UNSEEN and args and rule is not None else None


def _instance(kinds: Kinds, owner: cst.ClassDef) -> Kind:
    methods = kinds.variables.methods
    found = [name for name in NEXT_COPY if any(is_of(owner, method) for method in methods.get(name, []))]
    return UserProvider(found[0]) if found else "object"


# Functions of Python


@_builtin("map")
def _map(kinds: Kinds, args: Args, first: Kind) -> Kind:
    return ListOf(kinds.result_of(first)) if is_function(first) else None


@_builtin("reduce")
def _reduce(kinds: Kinds, args: Args, first: Kind) -> Kind:
    if not is_function(first):
        return None
    return join(kinds.result_of(first), element(kinds.of(args[1].value)) if len(args) > 1 else None)


@_builtin("partial")
def _partial(kinds: Kinds, args: Args, first: Kind) -> Kind:
    return FunctionOf(kinds.result_of(first)) if is_function(first) else None


@_builtin("next")
def _next(kinds: Kinds, args: Args, first: Kind) -> Kind:
    return element(first)


@_builtin("filter")
def _filter(kinds: Kinds, args: Args, first: Kind) -> Kind:
    return ListOf(element(kinds.of(args[1].value))) if len(args) == 2 else None


@_builtin("max", "min")
def _largest(kinds: Kinds, args: Args, first: Kind) -> Kind:
    """By a key: one of the items."""
    return element(first) if len(args) == 2 and args[1].keyword is not None else "number"


@_builtin("dict")
def _dict(kinds: Kinds, args: Args, first: Kind) -> Kind:
    if args[0].star:
        return None
    return dict_of((a.keyword.value, kinds.of(a.value)) for a in args if a.keyword is not None)


@_builtin("list", "tuple", "sorted", "reversed", "iter")
def _same_items(kinds: Kinds, args: Args, first: Kind) -> Kind:
    return first if first is None or isinstance(first, str) else ListOf(element(first))


@_builtin("zip")
def _zip(kinds: Kinds, args: Args, first: Kind) -> Kind:
    return ListOf(TupleOf(tuple(element(kinds.of(a.value)) for a in args)))


@_builtin("enumerate")
def _enumerate(kinds: Kinds, args: Args, first: Kind) -> Kind:
    return ListOf(TupleOf(("number", element(first))))


@_builtin("range")
def _range(kinds: Kinds, args: Args, first: Kind) -> Kind:
    return "range"


@_builtin("len", "float", "int", "round", "abs", "sum")
def _number(kinds: Kinds, args: Args, first: Kind) -> Kind:
    return "number"


# Methods


def _of_method(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    """The kind of a method's result; for other objects, that of the file's methods of the same name."""
    if name in _BUFFERS:
        return "buffer"
    rule = _method_of.get(owner if isinstance(owner, str) else type(owner), _of_object)
    return rule(kinds, owner, name, args)


def _of_object(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return kinds.variables.results_of(name)


@_method_of("math")
def _of_math(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    name = snake("math", name)
    match name:
        case "keep" | "track":
            return kinds.of(args[0].value) if args else None
        case "scope":
            return kinds.result_of(kinds.of(args[0].value)) if args else None
        case "gradients":
            arrays = kinds.of(args[1].value) if len(args) > 1 else None
            return arrays if holds_arrays(arrays) else None
    found = successor("math", name)
    if found is None or name in ("start_scope", "end_scope"):
        return None
    return legacy_kinds.OF_MATH.get(name, "array" if found.forms else "ndarray")


@_method_of("graph")
def _of_graph(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return legacy_kinds.OF_GRAPH.get(name, "symbol")


@_method_of("layers")
def _of_layers(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return "symbol"


@_method_of("session")
def _of_session(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return ListOf(kinds.evaluated()) if name in ("eval_all", "evalAll") else kinds.evaluated()


@_method_of("builder")
def _of_builder(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return legacy_kinds.OF_BUILDER.get(name, "provider")


@_method_of("provider")
def _of_provider(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return kinds.evaluated()


@_method_of(UserProvider)
def _of_own_provider(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return kinds.evaluated() if name in NEXT_COPY else kinds.variables.results_of(name)


@_method_of("optimizer")
def _of_optimizer(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    found = _of_trainer(kinds, owner, name, args)
    return as_pinned(found) if kinds.variables.staying else found


@_method_of("trainer")
def _of_trainer(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    """Of an optimizer of `dl.train`, which is rewritten even if the graphs stay."""
    if name in ("compute_gradients", "computeGradients"):
        return eager.results()["variable_grads"]
    return "array" if name == "minimize" else kinds.variables.results_of(name)


@_method_of("initializer")
def _of_initializer(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return "array"


@_method_of("array", "ndarray")
def _of_array(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return legacy_kinds.OF_ARRAY.get(name, owner)


@_method_of(ListOf)
def _of_list(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    return element(owner) if name == "pop" else kinds.variables.results_of(name)


@_method_of(DictOf)
def _of_dict(kinds: Kinds, owner: Kind, name: str, args: Args) -> Kind:
    assert isinstance(owner, DictOf)
    match name:
        case "get" | "pop" | "setdefault":
            return value(owner, args[0].value if args else None)
        case "values":
            return ListOf(value(owner, None))
        case "items":
            return ListOf(TupleOf((None, value(owner, None))))
        case "copy":
            return owner
    return None
