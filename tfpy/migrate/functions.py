"""The functions of a file: the targets of calls, and the parameters of arguments."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from tfpy.migrate.kind import UNSEEN, Class, Function, FunctionNode, Kind, UserProvider, functions
from tfpy.migrate.kinds import Kinds


def arguments(function: FunctionNode, call: Sequence[cst.Arg], method: bool) -> list[tuple[cst.Param, cst.Arg]]:
    """The parameters of a function of the file, with the arguments of a call.

    Args:
        function: the function.
        call: the arguments.
        method: whether its first parameter is `self`.
    """
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


def own_functions(kind: Kind) -> list[FunctionNode]:
    """The functions of the file that a kind may refer to."""
    return [part.node for part in functions(kind) if isinstance(part, Function)]


def called(kinds: Kinds, call: cst.Call) -> list[tuple[FunctionNode, bool]]:
    """The functions of the file that a call may refer to, each with whether its first parameter is `self`."""
    func, methods = call.func, kinds.variables.methods
    kind = kinds.of(func)
    if kind == "object":
        return [(m, True) for m in methods.get("__call__", [])]
    if kinds.variables.path(func) is not None:
        return []
    if isinstance(func, cst.Attribute) and func.attr.value in methods:
        owner = kinds.of(func.value)
        may_be_own = owner in UNSEEN or owner == "object" or isinstance(owner, UserProvider)
        return [(m, True) for m in methods[func.attr.value]] if may_be_own else []
    if isinstance(func, cst.Name) and isinstance(kind, Class):
        return [(m, True) for m in methods.get("__init__", []) if is_of(kind.node, m)]
    return [(function, False) for function in own_functions(kind)]


def is_of(owner: cst.ClassDef, method: cst.FunctionDef) -> bool:
    """Whether a class has a method."""
    return any(item is method for item in owner.body.body)
