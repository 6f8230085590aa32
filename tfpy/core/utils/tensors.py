"""`tf.tensor_util` and `tf.test_util`; type promotion; and `tf.op`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.core.calling.registry import export, op
from tfpy.core.memory import tidy
from tfpy.core.ops.common import binary_operands
from tfpy.core.tensor import Tensor
from tfpy.engine import scope
from tfpy.engine.arguments import as_dtype, as_list
from tfpy.engine.backend import Array, current
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
        ValueError: not exactly one name. TypeError: the value is not a function.

    Source: TF.js `tf.op`.
    """
    if not isinstance(f, Mapping) or len(f) != 1:
        raise argument_error("op", "f", "a dict with one name and one function", f)
    [(given, function)] = f.items()
    if not callable(function):
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


@export(namespace="test_util", doc="Util")
def test_epsilon() -> float:
    """The tolerance of numeric tests on the backend in use.

    Source: TF.js `tf.test_util.testEpsilon`.
    """
    return 1e-3 if current().epsilon() <= 1e-7 else 1e-1


@export(namespace="test_util", doc="Util")
def expect_arrays_close(actual: Any, expected: Any, epsilon: float | None = None) -> None:
    """Raise AssertionError unless numbers are close to each other, and have the same shape.

    Args:
        actual: the actual numbers: an array, such as `data_sync()` of a tensor, or numbers in any nesting.
        expected: the expected numbers. Of an array and a list only the values are compared, in row-major order; in a
            list, complex numbers may also be pairs of their parts, as TF.js stores them.
        epsilon: the tolerance; `test_epsilon()` by default.

    Source: TF.js `tf.test_util.expectArraysClose`.
    """
    limit = test_epsilon() if epsilon is None else epsilon
    arrays = [isinstance(values, np.ndarray) for values in (actual, expected)]
    a, e = np.asarray(actual), np.asarray(expected)
    if all(arrays) and a.dtype.kind != e.dtype.kind:
        raise AssertionError(f"An array of {e.dtype} was expected, but got one of {a.dtype}.")
    if any(arrays) and not all(arrays):
        a, e = _flat(a, e), _flat(e, a)
    if a.shape != e.shape:
        raise AssertionError(f"Values of shape {list(e.shape)} were expected, but got {list(a.shape)}: {actual}")
    if a.dtype.kind in "OSU" or e.dtype.kind in "OSU":  # strings
        np.testing.assert_array_equal(a, e)
    else:
        np.testing.assert_allclose(a, e, rtol=0, atol=limit)


def _flat(values: Array, other: Array) -> Array:
    """The values in row-major order; complex ones as pairs of their parts if the other values are real."""
    flat = values.reshape(-1)
    pairs = flat.dtype.kind == "c" and other.dtype.kind != "c"
    return flat.view(flat.real.dtype) if pairs else flat


@export(namespace="test_util", doc="Util")
def expect_arrays_equal(actual: Any, expected: Any) -> None:
    """Raise AssertionError unless numbers, booleans or strings are equal, and have the same shape.

    Args:
        actual: the actual values.
        expected: the expected values, compared as in `expect_arrays_close`.

    Source: TF.js `tf.test_util.expectArraysEqual`.
    """
    expect_arrays_close(actual, expected, 0.0)


@export(namespace="test_util", doc="Util")
def expect_numbers_close(a: float, e: float, epsilon: float | None = None) -> None:
    """Raise AssertionError unless two numbers are close to each other.

    Source: TF.js `tf.test_util.expectNumbersClose`.
    """
    expect_arrays_close(a, e, epsilon)


@export(namespace="test_util", doc="Util")
def expect_values_in_range(actual: Any, low: float, high: float) -> None:
    """Raise AssertionError unless all numbers are between low and high, inclusive.

    Source: TF.js `tf.test_util.expectValuesInRange`.
    """
    values = np.asarray(actual)
    if not ((values >= low) & (values <= high)).all():
        raise AssertionError(f"Values from {low} to {high} were expected, but got {values}.")


@export(namespace="test_util", doc="Util")
def expect_array_buffers_equal(actual: bytes, expected: bytes) -> None:
    """Raise AssertionError unless two byte strings are equal.

    Source: TF.js `tf.test_util.expectArrayBuffersEqual`.
    """
    expect_arrays_equal(list(bytes(actual)), list(bytes(expected)))


@export(namespace="test_util", doc="Util")
def encode_strings(a: Any) -> Any:
    """Strings in any nesting of lists as bytes.

    Source: TF.js `tf.test_util.encodeStrings`.
    """
    if isinstance(a, str):
        return a.encode()
    return [encode_strings(v) for v in as_list("encode_strings", "a", a, "strings")]
