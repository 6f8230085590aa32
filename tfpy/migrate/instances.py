"""`isinstance(x, NDArray)`, which asks for a tensor in the new API."""

from __future__ import annotations

import libcst as cst

from tfpy.migrate.kinds import Kinds
from tfpy.migrate.legacy_kinds import ARRAYS
from tfpy.migrate.templates import CannotRewrite, expression

_SUCCESSORS = {"NDArray": "tf.Tensor", "Variable": "tf.Variable"}


def instance_check(kinds: Kinds, original: cst.Call, updated: cst.Call, tf: str) -> cst.BaseExpression | None:
    """The call of `isinstance` with the classes of the new API; None if it does not ask for an array.

    Raises:
        CannotRewrite: it asks for an array of a certain rank, or the value may be one of another file.
    """
    is_check = isinstance(original.func, cst.Name) and original.func.value == "isinstance" and len(original.args) == 2
    if not is_check or kinds.of(original.args[0].value) == "ndarray":
        return None
    asked = original.args[1].value
    classes = [e.value for e in asked.elements] if isinstance(asked, cst.Tuple) else [asked]
    paths = {path for path in map(kinds.variables.path, classes) if path in (*ARRAYS, *_SUCCESSORS)}
    if not paths & {*ARRAYS}:
        return None
    if kinds.of(original.args[0].value) != "array" or not paths <= {*_SUCCESSORS}:
        reason = min(paths - {*_SUCCESSORS}, default="NDArray")
        raise CannotRewrite(f"a tensor is no {reason}: ask for tf.Tensor, and for its rank")
    return updated.with_deep_changes(updated.args[1], value=_of_tensors(kinds, asked, updated.args[1].value, tf))


def _of_tensors(kinds: Kinds, asked: cst.BaseExpression, new: cst.BaseExpression, tf: str) -> cst.BaseExpression:
    if isinstance(asked, cst.Tuple) and isinstance(new, cst.Tuple):
        elements = [
            after.with_changes(value=_of_tensors(kinds, before.value, after.value, tf))
            for before, after in zip(asked.elements, new.elements, strict=True)
        ]
        return new.with_changes(elements=elements)
    successor = _SUCCESSORS.get(kinds.variables.path(asked) or "")
    return new if successor is None else expression(successor, {}, {}, tf)
