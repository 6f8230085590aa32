"""`dl.test_util`: comparisons for tests. A comparison that fails raises AssertionError."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.core.calling.options import accepts_options
from tfpy.engine import rng
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.legacy.arrays.ndarray import NDArray
from tfpy.legacy.helpers.util import is_val_nan

TEST_EPSILON = 1e-2
CPU_ENVS = [{"BACKEND": "cpu"}]
WEBGL_ENVS = [{"BACKEND": "webgl"}]
ALL_ENVS = ALL_FLOAT_ENVS = [*WEBGL_ENVS, *CPU_ENVS]
_CHI_SQUARE_2 = 5.991  # the 95 % point of the χ² distribution with 2 degrees of freedom


def _values(given: Any) -> Array:
    return np.asarray(given, dtype=np.float64).reshape(-1)


def _check(holds: bool, message: str) -> None:
    """An assertion that is also checked under `python -O`."""
    if not holds:
        raise AssertionError(message)


def _same_kind(actual: Any, expected: Any) -> None:
    if isinstance(actual, Handle) and isinstance(expected, Handle):
        _check(actual.spec == expected.spec, f"Arrays differ: {actual.spec} and {expected.spec}.")
    _check(_values(actual).size == _values(expected).size, "The arrays have different lengths.")


@accepts_options()
def expect_arrays_close(actual: Any, expected: Any, epsilon: float = TEST_EPSILON) -> None:
    """Assert that two arrays have the same shape and dtype, and that their values differ by at most epsilon."""
    _same_kind(actual, expected)
    for i, (a, b) in enumerate(zip(_values(actual), _values(expected), strict=True)):
        _check(_close(a, b, epsilon), f"Arrays differ: actual[{i}] = {a}, expected[{i}] = {b}.")


def expect_arrays_equal(actual: Any, expected: Any) -> None:
    """Assert that two arrays have the same shape, dtype and values."""
    expect_arrays_close(actual, expected, 0.0)


@accepts_options()
def expect_numbers_close(a: float, e: float, epsilon: float = TEST_EPSILON) -> None:
    """Assert that two numbers differ by at most epsilon."""
    _check(_close(a, e, epsilon), f"Numbers differ: actual {a}, expected {e}.")


def _close(a: float, b: float, epsilon: float) -> bool:
    return bool(a == b or (a != a and b != b) or abs(a - b) <= epsilon)


def expect_values_in_range(actual: Any, low: float, high: float) -> None:
    """Assert that all values lie in a range."""
    for value in _values(actual):
        _check(low <= value <= high, f"Value out of range: {value}, low {low}, high {high}.")


def assert_is_nan(val: float, dtype: str) -> None:
    """Assert that a value represents NaN in a dtype."""
    _check(is_val_nan(val, dtype), f"Value {val} does not stand for NaN in {dtype}.")


def random_array_in_range(n: int, min_value: float, max_value: float) -> Array:
    """n random numbers in a range."""
    return rng.uniform(None, n, min_value, max_value).astype(np.float32)


def make_identity(n: int) -> Array:
    """The identity matrix, flat."""
    return np.eye(n, dtype=np.float32).reshape(-1)


def set_value(array: Any, i: int, j: int, *rest: Any) -> None:
    """Write a value into a matrix.

    The arguments are (array, row, column, value), or of flat values (values, columns, value, row, column), or as in 0.1
    (values, rows, columns, value, row, column).
    """
    if isinstance(array, NDArray) and len(rest) == 1:
        array.set(rest[0], i, j)
    elif len(rest) == 2:
        array[rest[0] * i + rest[1]] = j
    elif len(rest) == 3:
        value, row, column = rest
        if not (0 <= row < i and 0 <= column < j):
            raise argument_error("set_value", "rest", f"a row below {i} and a column below {j}", rest[1:])
        array[row * j + column] = value
    else:
        raise argument_error("set_value", "rest", "a value, or a row and a column", rest)


def cpu_multiply_matrix(
    a: Sequence[float], a_row: int, a_col: int, b: Sequence[float], b_row: int, b_col: int
) -> Array:
    """The product of two flat matrices, flat."""
    return (_values(a).reshape(a_row, a_col) @ _values(b).reshape(b_row, b_col)).astype(np.float32).reshape(-1)


def cpu_dot_product(a: Sequence[float], b: Sequence[float]) -> float:
    """The sum of the products of two vectors' elements."""
    if len(a) != len(b):
        raise argument_error("cpu_dot_product", "b", f"of length {len(a)}, that of 'a'", list(b))
    return float(_values(a) @ _values(b))


def mean(values: Any) -> float:
    """The mean."""
    return float(_values(values).mean())


def standard_deviation(values: Any, mean: float) -> float:
    """The standard deviation about a mean."""
    return float(np.sqrt(((_values(values) - mean) ** 2).mean()))


def kurtosis(values: Any) -> float:
    """The fourth moment over the square of the second, about the mean."""
    v = _values(values) - _values(values).mean()
    return float((v**4).mean() / (v**2).mean() ** 2)


def skewness(values: Any) -> float:
    """The third moment over the power 3/2 of the (unbiased) second, about the mean."""
    v = _values(values) - _values(values).mean()
    return float((v**3).mean() / ((v**2).sum() / (v.size - 1)) ** 1.5)


def jarque_bera_normality_test(a: Any) -> None:
    """Assert that values could be normally distributed, by the test of Jarque and Bera (1980)."""
    n, s, k = _values(a).size, skewness(a), kurtosis(a)
    statistic = n / 6 * (s**2 + 0.25 * (k - 3) ** 2)
    _check(statistic <= _CHI_SQUARE_2, f"Not normal: the statistic is {statistic}.")


@accepts_options()
def expect_array_in_mean_std_range(
    actual: Any, expected_mean: float, expected_std_dev: float, epsilon: float = TEST_EPSILON
) -> None:
    """Assert that the mean and standard deviation are close to the expected ones."""
    found = mean(actual)
    expect_numbers_close(found, expected_mean, epsilon)
    expect_numbers_close(standard_deviation(actual, found), expected_std_dev, epsilon)


def _browser_only(name: str) -> Any:
    def refuse(*args: Any, **keywords: Any) -> Any:
        raise RuntimeError(f"{name}: this makes Jasmine tests in a browser; write a pytest function instead.")

    refuse.__name__ = name
    return refuse


describe_math_cpu = _browser_only("describe_math_cpu")
describe_math_gpu = _browser_only("describe_math_gpu")
describe_custom = _browser_only("describe_custom")
execute_math_tests = _browser_only("execute_math_tests")
execute_tests = _browser_only("execute_tests")
describe_with_flags = _browser_only("describe_with_flags")
