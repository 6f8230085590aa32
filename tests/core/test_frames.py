"""pandas data frames and masked arrays as tensor values."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import tfpy as tf

MISSING = {
    "int": pd.array([1, None, 3], dtype="Int64"),
    "float": pd.array([None, 0.5, 2], dtype="Float64"),
    "numpy": [7, 8, 9],
    "bool": [True, False, True],
}


def test_missing_values_become_nan() -> None:
    found = tf.tensor(pd.DataFrame(MISSING))
    assert found.dtype == "float32"
    expected = [[1, math.nan, 7, 1], [math.nan, 0.5, 8, 0], [3, 2, 9, 1]]
    np.testing.assert_array_equal(found.numpy(), np.array(expected, np.float32))


def test_frame_without_missing_values_keeps_dtypes() -> None:
    frame = pd.DataFrame(MISSING).dropna()
    np.testing.assert_array_equal(tf.tensor(frame).numpy(), [[3, 2, 9, 1]])
    assert tf.tensor(frame[["int"]]).dtype == "int32"
    assert tf.tensor(frame[["bool"]]).dtype == "bool"


def test_frame_of_strings() -> None:
    assert tf.tensor(pd.DataFrame({"a": ["x", "y"], "b": ["z", ""]})).array_sync() == [["x", "z"], ["y", ""]]


@pytest.mark.parametrize(
    ("column", "description"),
    [
        (["x", "y", "z"], r"bad \("),
        (pd.array([True, None, False], dtype="boolean"), r"bad \(boolean with missing values\)"),
    ],
)
def test_non_numeric_columns_raise(column: object, description: str) -> None:
    with pytest.raises(
        TypeError, match=rf"tensor: argument 'values' .* these columns are not of numbers: {description}"
    ):
        tf.tensor(pd.DataFrame({**MISSING, "bad": column}))


def test_masked_elements_raise() -> None:
    unmasked = np.ma.masked_array([1.0, 2.0], mask=[False, False])
    assert tf.tensor(unmasked).array_sync() == [1, 2]
    with pytest.raises(ValueError, match="tensor: argument 'values' must be without masked elements"):
        tf.tensor(np.ma.masked_array([1.0, 2.0], mask=[False, True]))
