"""Interrupts: Ctrl-C anywhere leaves no scope open, and what was going on can go on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

import tfpy as tf
import tfpy.legacy as dl
from tfpy.core import memory
from tfpy.engine import block as block_module
from tfpy.engine import scope
from tfpy.engine.state import local
from tfpy.legacy import scopes

FILES = [module.__file__ for module in (block_module, scope, memory, scopes)]
MOMENTS = [("open_scope", "return"), ("close_scope", "call")]


@pytest.fixture(autouse=True)
def no_scopes() -> Iterator[None]:
    """The scopes that a test leaves open are no other test's."""
    outer, local.state.scopes = local.state.scopes, []
    yield
    local.state.scopes = outer


def interrupted(work: Callable[[], Any], function: str, event: str, times: int = 1) -> None:
    """Do work until a function of the scopes is called, or returns, so many times: then comes an interrupt."""
    left = times

    def watch(frame: FrameType, what: str, _: Any) -> None:
        nonlocal left
        if what == event and frame.f_code.co_name == function and frame.f_code.co_filename in FILES:
            left -= 1
            if not left:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(watch)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        sys.setprofile(None)


def fit() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    data = tf.data.array([{"xs": tf.ones([2]), "ys": tf.ones([1])}] * 4).batch(2)
    model.fit_dataset(data, epochs=1, verbose=0)


def run_session() -> None:
    graph = dl.Graph()
    x = graph.placeholder("x", [2])
    dl.Session(graph, dl.ENV.math).eval(graph.square(x), [{"tensor": x, "data": dl.Array1D.new([1, 2])}])


def minimize() -> None:
    weight = tf.variable(tf.scalar(1))
    tf.train.sgd(0.1).minimize(lambda: weight.square())


@pytest.mark.parametrize(("function", "event"), MOMENTS)
def test_a_tidy_that_is_interrupted_ends(function: str, event: str) -> None:
    interrupted(lambda: tf.tidy(lambda: tf.ones([2])), function, event)
    assert not local.state.scopes


@pytest.mark.parametrize("work", [fit, run_session, minimize])
@pytest.mark.parametrize("times", [1, 2])
def test_what_is_interrupted_when_a_scope_is_opened_closes_it(work: Callable[[], None], times: int) -> None:
    interrupted(work, "open_scope", "return", times if work is fit else 1)
    assert not local.state.scopes


@pytest.mark.parametrize("block", [tf.tidy, lambda: dl.ENV.math.scope()])
def test_a_block_that_is_interrupted_at_its_beginning_is_none(block: Callable[[], Any]) -> None:
    def work() -> None:
        with block():
            raise AssertionError("the block was entered")

    interrupted(work, "open_scope", "return")
    assert not local.state.scopes


@pytest.mark.parametrize("block", [tf.tidy, lambda: dl.ENV.math.scope()])
def test_a_block_that_is_interrupted_at_its_end_ends(block: Callable[[], Any]) -> None:
    def work() -> None:
        with block():
            tf.ones([2])

    interrupted(work, "__exit__", "call")
    assert not local.state.scopes


def test_a_scope_that_is_open_for_long_does_not_remember_what_was_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "_MANY", 10)
    with tf.tidy():
        held = [tf.scalar(i) for i in range(15)]
        for _ in range(100):
            tf.tidy(lambda: tf.scalar(1))
        assert len(local.state.scopes[-1].handles) < 50
    assert all(t.is_disposed for t in held)
