"""Methods of user-defined providers, and the arguments that a session passes to them."""

from __future__ import annotations

import libcst as cst

from tfpy.migrate.legacy_kinds import NEXT_COPY
from tfpy.migrate.names import dotted

DISPOSE_COPY = ("dispose_copy", "disposeCopy")


def own_parameters(method: cst.FunctionDef) -> list[cst.Param]:
    """The parameters of a method that its callers pass."""
    params = [*method.params.posonly_params, *method.params.params]
    is_static = any(dotted(d.decorator) == "staticmethod" for d in method.decorators)
    return params if is_static else params[1:]


def math_of(method: cst.FunctionDef) -> cst.Param | None:
    """The parameter that is the math, under any name; sessions pass it only to methods that have a parameter for it.

    It is the first one of `get_next_copy(math)`, and of `dispose_copy(math, copy)`, which is `dispose_copy(copy)` in
    0.5.
    """
    others = {**dict.fromkeys(NEXT_COPY, 0), **dict.fromkeys(DISPOSE_COPY, 1)}.get(method.name.value)
    own = own_parameters(method)
    return own[0] if others is not None and len(own) > others else None
