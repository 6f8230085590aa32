"""Methods of NDArrayMath become functions of the new API; scopes become `tf.tidy`."""

from __future__ import annotations

import libcst as cst

from tfpy.legacy.migration.successors import snake, successor
from tfpy.migrate.kind import Function
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.templates import CannotRewrite, bind, expression, fill, parenthesized

DROPPED = ("math", "keep", "track")
_OWN = {
    "start_scope": "tf.engine().start_scope()",
    "end_scope": "tf.engine().end_scope()",
    "keep": "tf.keep()",
    "enable_debug_mode": "tf.enable_debug_mode()",
    "get_num_arrays": "tf.memory().num_data_buffers",
}


def call(kinds: Kinds, original: cst.Call, updated: cst.Call, tf: str) -> cst.BaseExpression:
    """A call of a method of NDArrayMath."""
    assert isinstance(updated.func, cst.Attribute)
    name = snake("math", updated.func.attr.value)
    if name == "scope":
        return scope(kinds, original, updated, tf)
    if name == "track" and len(updated.args) == 1:
        return updated.args[0].value
    if name in _OWN:
        new = expression(_OWN[name], {}, {}, tf)
        return new.with_changes(args=updated.args) if isinstance(new, cst.Call) else new
    if name == "time":
        new = expression("tf.time().wall_ms", {}, {}, tf)
        return new.with_deep_changes(new.value, args=updated.args)  # type: ignore[attr-defined]
    if name == "gradients":
        return gradients(original, updated, tf)
    found = successor("math", name)
    if found is None:
        raise CannotRewrite(f"math.{name} has no counterpart")
    if found.path:
        return updated.with_changes(func=expression(found.path, {}, {}, tf))
    if not found.forms:
        raise CannotRewrite(found.reason)
    return fill(found, bind(found.parameters, updated.args), tf)


def scope(kinds: Kinds, original: cst.Call, updated: cst.Call, tf: str) -> cst.BaseExpression:
    """`math.scope(f)`: `tf.tidy(f)`, whose f has no parameters; an async f is simply called.

    Python frees a tensor without references, so that an async function needs no scope.
    """
    tidy = expression("tf.tidy()", {}, {}, tf)
    if not original.args:
        return tidy
    kind = kinds.of(original.args[0].value)
    if not isinstance(kind, Function):
        raise CannotRewrite("the parameters of the scope's function are unknown here")
    function = kind.node
    known = kinds.variables.known.get(function, {})
    for param in function.params.params:
        name = param.name.value
        stays = function in kinds.variables.escaped or known.get(name) not in DROPPED
        if name != "self" and param.default is None and stays:
            raise CannotRewrite("the scope's function is called in other ways, too")
    if isinstance(function, cst.FunctionDef) and function.asynchronous is not None:
        return cst.Call(_callee(updated.args[0].value))
    return tidy.with_changes(args=updated.args)


def _callee(node: cst.BaseExpression) -> cst.BaseExpression:
    return parenthesized(node) if isinstance(node, cst.Lambda) else node


def gradients(original: cst.Call, updated: cst.Call, tf: str) -> cst.BaseExpression:
    """`math.gradients(lambda: y, x)`: `tf.grad(lambda x: y)(x)`; for a dict of arrays `tf.grads`."""
    if len(updated.args) == 2:
        f, x = (arg.value for arg in updated.args)
        if isinstance(f, cst.Lambda) and not f.params.params:
            if isinstance(x, cst.Name):
                return expression("tf.grad(f)(x)", {"f": _taking(f, [x]), "x": x}, {}, tf)
            names = _names_of(x)
            if names is not None:
                keys, arrays = names
                given = {"f": _taking(f, arrays), "k": _listed(keys), "x": _listed(arrays)}
                return expression("dict(zip(k, tf.grads(f)(x)))", given, {}, tf)
    raise CannotRewrite("use tf.grads, whose function takes the arrays as arguments")


def _taking(f: cst.Lambda, arrays: list[cst.Name]) -> cst.Lambda:
    params = cst.Parameters([cst.Param(cst.Name(a.value)) for a in arrays])
    return f.with_changes(params=params, whitespace_after_lambda=cst.SimpleWhitespace(" "))


def _names_of(node: cst.BaseExpression) -> tuple[list[cst.BaseExpression], list[cst.Name]] | None:
    """The keys and the named arrays of a dict literal."""
    if not isinstance(node, cst.Dict):
        return None
    items = [e for e in node.elements if isinstance(e, cst.DictElement) and isinstance(e.value, cst.Name)]
    if len(items) < len(node.elements):
        return None
    return [e.key for e in items], [e.value for e in items if isinstance(e.value, cst.Name)]


def _listed(nodes: list[cst.Name] | list[cst.BaseExpression]) -> cst.List:
    return cst.List([cst.Element(n) for n in nodes])
