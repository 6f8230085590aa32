"""Options and names: both spellings, dict or keywords, None for a default, and what unknown names are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tfpy as tf
from tfpy.core.names import EXCEPTIONS, camel, spellings
from tfpy.core.options import accepts_options, read_options


@accepts_options("args")
def recipe(dish: str, args: Any = None, *, oven_heat: int = 200, time: float = 1) -> tuple[str, int, float]:
    return dish, oven_heat, time


@pytest.mark.parametrize(
    "call",
    [
        lambda: recipe("pie", {"ovenHeat": 150, "time": 2}),
        lambda: recipe("pie", {"oven_heat": 150}, time=2),
        lambda: recipe("pie", ovenHeat=150, time=2),
        lambda: recipe("pie", None, oven_heat=150, time=2),
        lambda: recipe(dish="pie", args={"ovenHeat": 150}, time=2),
    ],
)
def test_every_form_is_the_same(call: Callable[[], Any]) -> None:
    assert call() == ("pie", 150, 2)


def test_none_stands_for_the_default() -> None:
    assert recipe("pie", {"ovenHeat": None, "time": None}) == ("pie", 200, 1)
    assert tf.one_hot([0], 2, None, None).array_sync() == [[1, 0]]
    assert tf.sum([[1.0, 2]], None, None).array_sync() == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: recipe("pie", {"ovenheat": 1}), "recipe.*'ovenheat'.*oven_heat"),
        (lambda: recipe("pie", ofen=1), "recipe.*unknown option 'ofen'"),
        (lambda: recipe("pie", {"ovenHeat": 1}, oven_heat=2), "given twice"),
        (lambda: recipe("pie", {"ovenHeat": 1, "oven_heat": 2}), "given twice"),
        (lambda: recipe("pie", 3), "recipe.*args.*dict"),
        (lambda: tf.layers.dense(unit=3), "Dense.*'unit'.*units"),
        (lambda: tf.layers.dense(), "Dense.*'units'.*required"),
        (lambda: tf.layers.dense({"units": 3}, units=4), "given twice"),
        (lambda: tf.one_hot([0], 2, onvalue=3), "one_hot.*onvalue"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()


def test_camel_case_is_computed_and_has_exceptions() -> None:
    assert camel("one_hot") == "oneHot"
    assert camel("simple_rnn", "layers") == "simpleRNN"
    assert camel("_private_name") == "_privateName"
    assert camel("add") == "add"
    assert spellings(["is_nan"]) == {"isNaN": "is_nan", "is_nan": "is_nan"}
    for namespace, names in EXCEPTIONS.items():
        for snake, spelling in names.items():
            assert camel(snake, namespace) == spelling


def test_read_options_leaves_out_what_is_none() -> None:
    assert read_options({"keepDims": True, "axis": None}, ["keep_dims", "axis"], "sum") == {"keep_dims": True}
