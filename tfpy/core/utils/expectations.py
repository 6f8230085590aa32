"""`tf.test_util`: what tests expect of numbers, arrays and bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.engine.arguments import as_list
from tfpy.engine.backend import Array, current


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
