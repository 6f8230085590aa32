"""Tables of pandas as values: columns of many types, and such that know missing values; masked arrays."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import tfpy as tf

MISSING = {
    "whole": pd.array([1, None, 3], dtype="Int64"),
    "float": pd.array([None, 0.5, 2], dtype="Float64"),
    "plain": [7, 8, 9],
    "truth": [True, False, True],
}


def test_missing_numbers_are_nan() -> None:
    found = tf.tensor(pd.DataFrame(MISSING))
    assert found.dtype == "float32"
    expected = [[1, math.nan, 7, 1], [math.nan, 0.5, 8, 0], [3, 2, 9, 1]]
    np.testing.assert_array_equal(found.numpy(), np.array(expected, np.float32))


def test_none_of_them_missing() -> None:
    frame = pd.DataFrame(MISSING).dropna()
    np.testing.assert_array_equal(tf.tensor(frame).numpy(), [[3, 2, 9, 1]])
    assert tf.tensor(frame[["whole"]]).dtype == "int32"
    assert tf.tensor(frame[["truth"]]).dtype == "bool"


def test_texts() -> None:
    assert tf.tensor(pd.DataFrame({"a": ["x", "y"], "b": ["z", ""]})).array_sync() == [["x", "z"], ["y", ""]]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["x", "y", "z"], r"bad \("),
        (pd.array([True, None, False], dtype="boolean"), r"bad \(boolean with missing values\)"),
    ],
)
def test_columns_that_are_no_numbers_are_named(column: object, said: str) -> None:
    with pytest.raises(TypeError, match=rf"tensor: argument 'values' .* these columns are not of numbers: {said}"):
        tf.tensor(pd.DataFrame({**MISSING, "bad": column}))


def test_masked_arrays_are_not_taken_for_whole_ones() -> None:
    whole = np.ma.masked_array([1.0, 2.0], mask=[False, False])
    assert tf.tensor(whole).array_sync() == [1, 2]
    with pytest.raises(ValueError, match="tensor: argument 'values' must be without masked elements"):
        tf.tensor(np.ma.masked_array([1.0, 2.0], mask=[False, True]))
