"""The results of the functions of deeplearn.js 0.5: `dl.sum(x)`, `dl.grad(f)`."""

from __future__ import annotations

import functools

import tfpy
from tfpy import legacy
from tfpy.core.naming.names import in_both_spellings
from tfpy.legacy._eager import __all__ as EAGER
from tfpy.legacy.naming.registry import MATH_OPS
from tfpy.migrate.kind import DictOf, FunctionOf, Kind, ListOf, RecordOf

_LIST = ListOf("array")
_OWN: dict[str, Kind] = {
    "moments": "record",
    "basic_lstm_cell": _LIST,
    "multi_rnn_cell": ListOf(_LIST),
    "grad": FunctionOf("array"),
    "grads": FunctionOf(_LIST),
    "custom_grad": FunctionOf("array"),
    "value_and_grad": FunctionOf(RecordOf((("value", "array"), ("grad", "array")))),
    "value_and_grads": FunctionOf(RecordOf((("value", "array"), ("grads", _LIST)))),
    "variable_grads": RecordOf((("value", "array"), ("grads", DictOf(((None, "array"),))))),
    "buffer": "buffer",
}
_OWN_IN_NAMESPACES = in_both_spellings({path: path for op in MATH_OPS.values() for path in op.eager if "." in path})


@functools.cache
def results() -> dict[str, Kind]:
    """The kinds of their results, by their names in both spellings; for those of one array, by their types."""
    found: dict[str, Kind] = {}
    for name in EAGER:
        if getattr(getattr(legacy, name), "__annotations__", {}).get("return") == "Tensor":
            found[name] = "array"
    return found | in_both_spellings(_OWN)


def is_own(path: str) -> bool:
    """Whether a function of 0.5 is one of legacy/ops, which takes other arguments than the new API's."""
    return path in _OWN_IN_NAMESPACES or (path in EAGER and not is_in_both(path))


def is_in_both(name: str) -> bool:
    """Whether a legacy name also exists in the new API; functions that return tensors there are wrapped."""
    old, new = getattr(legacy, name, None), getattr(tfpy, name, None)
    return new is not None and (old is new or getattr(old, "__wrapped__", None) is new)
