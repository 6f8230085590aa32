"""Tensors as text: equal to TF.js 4.22 (printed.json, recorded by record_printed.mjs); repr and HTML."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from growth import growth

import tfpy as tf
from tfpy import legacy as dl

RECORDED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "printed.json").read_text(encoding="utf-8"))


def _tensor(case: dict[str, Any]) -> tf.Tensor:
    if case["dtype"] == "complex64":
        parts = [tf.tensor(case[part], case["shape"]) for part in ("real", "imag")]
        return tf.complex(*parts)
    values = case["values"]
    if case["dtype"] == "float32":
        values = [float(v.replace("Infinity", "inf")) if isinstance(v, str) else v for v in values]
    return tf.tensor(values, case["shape"], case["dtype"])


@pytest.mark.parametrize("case", RECORDED, ids=lambda c: f"{c['dtype']}{c['shape']}")
def test_string_equals_tfjs(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    tensor = _tensor(case)
    assert tensor.to_string() == case["text"]
    assert str(tensor) == case["text"]
    assert tensor.to_string(True) == case["verbose"]
    tensor.print()
    tf.print(tensor, True)
    assert capsys.readouterr().out == case["text"] + "\n" + case["verbose"] + "\n"


def test_repr_shows_shape_and_dtype() -> None:
    assert repr(tf.tensor([[1], [2]], dtype="int32")) == "Tensor(shape=[2, 1], dtype=int32)\n    [[1],\n     [2]]"
    variable = tf.variable(tf.ones([2]), False, "repr/shown")
    assert repr(variable) == "Variable(shape=[2], dtype=float32, name='repr/shown', trainable=False)\n    [1, 1]"
    disposed = tf.scalar(1)
    disposed.dispose()
    assert repr(disposed) == "Tensor(shape=[], dtype=float32, disposed)"
    assert str(disposed) == "Tensor (disposed)"


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1 / 3, "float32", "0.33333334"),
        (1e-9, "float32", "1e-9"),
        (2, "float32", "2"),
        (math.nan, "float32", "NaN"),
        (3, "int32", "3"),
        (True, "bool", "true"),
        ("a b", "string", "'a b'"),
    ],
)
def test_repr_of_a_scalar_is_one_line(value: Any, dtype: str, text: str) -> None:
    assert repr([tf.scalar(value, dtype)]) == f"[Tensor({text}, shape=[], dtype={dtype})]"
    if dtype != "string":
        assert repr(dl.Scalar.new(value, dtype)) == f"Scalar({text}, shape=[], dtype={dtype})"


def test_huge_empty_tensor_is_printed() -> None:
    assert str(tf.zeros([0, 2**31 - 1])) == str(tf.zeros([0, 3]))


def test_html_repr() -> None:
    html = tf.tensor([["<b>", "&"]])._repr_html_()
    assert "<b>Tensor</b> string, 1 × 2" in html
    assert "<b>Variable</b>" in tf.variable(tf.ones([2]))._repr_html_()
    assert "&lt;b&gt;" in html


def test_reprs_of_large_tensors_are_abbreviated() -> None:
    batch = tf.zeros([8, 16, 16, 3])
    assert len(repr(batch).split("\n")) < 100
    assert len(batch._repr_html_().split("\n")) < 100
    assert repr(tf.ones([3, 400, 2])).count("...") == 3  # in the middle of each axis but the short one
    assert len(str(batch).split("\n")) > 1000, "str is not abbreviated, as in TF.js"


def test_column_width_ignores_hidden_rows() -> None:
    wide = tf.concat([tf.ones([1000, 2]), tf.fill([1, 2], 123456.0), tf.ones([1000, 2])])
    assert repr(wide).split("\n")[1] == "    [[1, 1],"


def test_html_repr_of_variable_shows_its_name() -> None:
    variable = tf.variable(tf.ones([2]), False, "<shown>")
    assert ", name=&#x27;&lt;shown&gt;&#x27;, trainable=False<pre>" in variable._repr_html_()
    with pytest.raises(ValueError, match=r"already exists; .* Dispose of it first"):
        tf.variable(tf.ones([2]), name="<shown>")


@pytest.mark.parametrize("scale", [1e-7, 1, 1234.5, 1e9, 1e25])
@pytest.mark.parametrize("last", [0.0, np.nan, -np.inf, -9.9999999, 3e8])
def test_column_width_fits_longest_value(scale: float, last: float) -> None:
    values = np.random.default_rng(0).normal(0, scale, (1500, 3)).astype(np.float32)
    values[:, 1] = np.arange(1500) % 7
    values[-1] = last
    lines = str(tf.tensor(values)).split("\n")[1:]
    for i in range(2):
        widest = max(len(str(tf.tensor([value])).split("[")[1]) - 1 for value in values[:, i])
        assert len(lines[0].split("[[")[1].split(", ")[i]) == widest


def test_hidden_rows_are_not_formatted() -> None:
    """The time does not grow in proportion to the number of rows."""
    tensors = {rows: tf.random_normal([rows, 2]) for rows in (2_000, 20_000)}
    assert growth(lambda rows: str(tensors[rows]), 2_000) < 5
