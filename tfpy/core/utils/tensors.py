"""`tf.tensor_util`; type promotion; and `tf.op`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy.core.calling.registry import export, op
from tfpy.core.memory import tidy
from tfpy.core.ops.common import binary_operands
from tfpy.core.tensor import Tensor
from tfpy.engine import scope
from tfpy.engine.arguments import as_dtype
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.spec import upcast


@op(doc="Util", aliases="backend_util.upcast_type")
def upcast_type(type_a: DType, type_b: DType) -> DType:
    """The common dtype of two dtypes, in the order bool, int32, float32, complex64.

    Raises:
        ValueError: an unknown dtype. TypeError: string with another dtype.

    Source: TF.js `tf.upcastType`.
    """
    return upcast(as_dtype("upcast_type", type_a, "type_a"), as_dtype("upcast_type", type_b, "type_b"))


@op(doc="Util")
def sum_out_type(type: DType) -> DType:
    """The dtype of a sum: that of its terms, but int32 for booleans.

    Raises:
        ValueError: an unknown dtype. TypeError: string.

    Source: TF.js `tf.sumOutType`.
    """
    return upcast(as_dtype("sum_out_type", type, "type"), "int32", "sum_out_type")


@op(doc="Util")
def op_(f: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """A function as an op: it runs in a tidy with the op's name.

    Args:
        f: a dict with one name, which may end with an underscore, and one function.

    Raises:
        ValueError: not exactly one name. TypeError: it is not a string, or the value is not a function.

    Source: TF.js `tf.op`.
    """
    if not isinstance(f, Mapping) or len(f) != 1:
        raise argument_error("op", "f", "a dict with one name and one function", f)
    [(given, function)] = f.items()
    if not isinstance(given, str) or not callable(function):
        raise argument_error("op", "f", "a dict with one name and one function", f, TypeError)
    name = given.removesuffix("_")

    def run(*args: Any, **keywords: Any) -> Any:
        return tidy(name, lambda: function(*args, **keywords))

    run.__name__ = run.__qualname__ = name
    return run


@export(namespace="tensor_util", doc="Util")
def make_types_match(a: Tensor, b: Tensor) -> list[Tensor]:
    """Two tensors, cast to their common dtype.

    Raises:
        TypeError: one of them has strings, the other has not.

    Source: TF.js `tf.tensor_util.makeTypesMatch`.
    """
    return list(binary_operands("make_types_match", a, b, "any"))


@export(namespace="tensor_util", doc="Util")
def assert_types_match(a: Tensor, b: Tensor) -> None:
    """Raise TypeError unless two tensors have the same dtype.

    Source: TF.js `tf.tensor_util.assertTypesMatch`.
    """
    for name, t in (("a", a), ("b", b)):
        if not isinstance(t, Handle):
            raise argument_error("assert_types_match", name, "a tensor", t, TypeError)
    if a.dtype != b.dtype:
        raise argument_error("assert_types_match", "b", f"of dtype {a.dtype}", b, TypeError)


@export(namespace="tensor_util", doc="Util")
def is_tensor_in_list(tensor: Tensor, tensor_list: Sequence[Tensor]) -> bool:
    """Whether a tensor is in a list.

    Source: TF.js `tf.tensor_util.isTensorInList`.
    """
    return any(t is tensor for t in tensor_list)


@export(namespace="tensor_util", doc="Util")
def get_tensors_in_container(result: Any) -> list[Handle]:
    """Every tensor in any nesting of lists and dicts, each once.

    Source: TF.js `tf.tensor_util.getTensorsInContainer`.
    """
    return list(scope.handles_in(result))
