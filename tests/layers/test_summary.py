"""Summaries of models equal those of TF.js, line by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from layers.models import small

import tfpy as tf

SUMMARIES: dict[str, list[str]] = json.loads((Path(__file__).parent / "summaries.json").read_text(encoding="utf-8"))


def test_summary_of_sequential_equals_tfjs() -> None:
    model = tf.sequential(
        layers=[
            tf.layers.simple_rnn(units=20, input_shape=[80, 4], name="rnn"),
            tf.layers.repeat_vector(n=3, name="rep"),
            tf.layers.time_distributed(layer=tf.layers.dense(units=2), name="td"),
        ]
    )
    lines: list[str] = []
    model.summary(print_fn=lines.append)
    assert lines == SUMMARIES["chain"]


@pytest.mark.parametrize("name", ["two", "two_narrow"])
def test_summary_of_graph_equals_tfjs(name: str) -> None:
    a, b = tf.input(shape=[3], name="a"), tf.input(shape=[3], name="b")
    shared = tf.layers.dense(units=4, name="shared")
    x, y = shared.apply(a), shared.apply(b)
    model = tf.model(inputs=[a, b], outputs=[tf.layers.dense(units=2, name="out").apply(x), y])
    lines: list[str] = []
    narrow = (60, [0.3, 0.5, 0.7, 0.8, 1]) if name == "two_narrow" else (None, None)
    model.summary(*narrow, print_fn=lines.append)
    assert lines == SUMMARIES[name]


@pytest.mark.parametrize(
    ("positions", "head", "row"),
    [
        (
            np.array([20, 40, 60, 80]),
            "Layer (type)        Input Shape         Output shape        Param #             ",
            "first (Dense)       [[null,3]]          [null,2]            8                   ",
        ),
        (
            [0.3, 0.6, 1],
            "Layer (type)            Input Shape             Output shape                    Param #",
            "first (Dense)           [[null,3]]              [null,2]                        8",
        ),
        (
            (10, 30),
            "Layer (ty Input Shape         Output shap Param #",
            "first (De [[null,3]]          [null,2 8",
        ),
    ],
)
def test_summary_with_positions_equals_tfjs(positions: Any, head: str, row: str) -> None:
    lines: list[str] = []
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[3], name="first")])
    model.summary(80, positions, lines.append)
    assert [lines[1], lines[3]] == [head, row]


def test_summary_of_chain_with_inner_output() -> None:
    x = tf.input(shape=[3], name="in")
    first = tf.layers.dense(units=4, name="first").apply(x)
    second = tf.layers.dense(units=2, name="second").apply(first)
    lines: list[str] = []
    tf.model(inputs=x, outputs=[second, first]).summary(print_fn=lines.append)
    assert lines == SUMMARIES["tapped"]


def test_summary_prints_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    small().summary()
    assert "Total params: 13" in capsys.readouterr().out
