"""Interrupts: KeyboardInterrupt at any point leaves no scope, tape or recorder open."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import pytest

import tfpy as tf
import tfpy.legacy as dl
from tfpy.core import memory
from tfpy.engine import block as block_module
from tfpy.engine import recording, scope, tape
from tfpy.engine.state import local
from tfpy.layers.training import fitting
from tfpy.legacy import scopes

FILES = [module.__file__ for module in (block_module, scope, memory, scopes)]
MOMENTS = [("open_scope", "return"), ("close_scope", "call")]


@pytest.fixture(autouse=True)
def no_scopes() -> Iterator[None]:
    """Isolate the scope stack of each test."""
    outer, local.state.scopes = local.state.scopes, []
    yield
    local.state.scopes = outer


def run_interrupted(work: Callable[[], Any], function: str, event: str, times: int = 1) -> None:
    """Run work, and interrupt it at the given call or return of a function of the scope modules."""
    counter = itertools.count(1)

    def matches(frame: FrameType, what: str) -> bool:
        code = frame.f_code
        return what == event and code.co_name == function and code.co_filename in FILES and next(counter) == times

    with pytest.raises(KeyboardInterrupt):
        run_until(matches, work)


def run_until(matches: Callable[[FrameType, str], bool], work: Callable[[], Any]) -> None:
    """Run work, and raise KeyboardInterrupt at the first profiling event that matches."""

    def watch(frame: FrameType, what: str, _: Any) -> None:
        if matches(frame, what):
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(watch)
    try:
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
def test_interrupted_tidy_closes_its_scope(function: str, event: str) -> None:
    run_interrupted(lambda: tf.tidy(lambda: tf.ones([2])), function, event)
    assert not local.state.scopes


@pytest.mark.parametrize("work", [fit, run_session, minimize])
@pytest.mark.parametrize("times", [1, 2])
def test_interrupt_while_opening_scope_closes_it(work: Callable[[], None], times: int) -> None:
    run_interrupted(work, "open_scope", "return", times if work is fit else 1)
    assert not local.state.scopes


@pytest.mark.parametrize("work", [fit, run_session, minimize])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_interrupt_while_closing_scope_closes_it(work: Callable[[], None], times: int) -> None:
    run_interrupted(work, "close_scope", "call", times if work is fit else 1)
    assert not local.state.scopes


def test_interrupt_during_fit_ends_training_state() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    model.compile(optimizer="sgd", loss="meanSquaredError")

    def train() -> None:
        model.fit(tf.ones([4, 2]), tf.ones([4, 1]), epochs=1, verbose=0)

    codes = {f.__code__ for f in (fitting._exclusively, memory.tidy, type(model).__setattr__)}
    seen: set[CodeType] = set()

    def is_next(frame: FrameType, what: str) -> bool:
        nonlocal left
        if what in ("call", "return") and frame.f_code in codes:
            seen.add(frame.f_code)
            left -= 1
        return left < 0

    for moments in range(100):
        left = moments
        try:
            run_until(is_next, train)
        except KeyboardInterrupt:
            assert not model.training_state.training
        else:
            break
    assert seen == codes
    assert moments < 99, "not all moments have been tried"


@pytest.mark.parametrize("block", [tf.tidy, lambda: dl.ENV.math.scope()])
def test_interrupt_while_entering_block_closes_scope(block: Callable[[], Any]) -> None:
    def work() -> None:
        with block():
            raise AssertionError("the block was entered")

    run_interrupted(work, "open_scope", "return")
    assert not local.state.scopes


@pytest.mark.parametrize("block", [tf.tidy, lambda: dl.ENV.math.scope()])
def test_interrupt_while_leaving_block_closes_scope(block: Callable[[], Any]) -> None:
    def work() -> None:
        with block():
            tf.ones([2])

    run_interrupted(work, "__exit__", "call")
    assert not local.state.scopes


def test_interrupt_in_block_constructor_is_not_unraisable(monkeypatch: pytest.MonkeyPatch) -> None:
    complaints: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    run_interrupted(tf.tidy, "__init__", "call")
    assert not complaints


def test_long_lived_scope_forgets_freed_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "_MANY_HANDLES", 10)
    with tf.tidy():
        held = [tf.scalar(i) for i in range(15)]
        for _ in range(100):
            tf.tidy(lambda: tf.scalar(1))
        assert len(local.state.scopes[-1].handles) < 50
    assert all(t.is_disposed for t in held)


def predict() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    for _ in range(3):
        model.predict(tf.ones([1, 2]))


def differentiate() -> None:
    for _ in range(3):
        tf.grad(lambda x: x.mul(x).sum())(tf.ones([2]))


@pytest.mark.parametrize("work", [minimize, predict, differentiate])
def test_no_tape_or_recorder_left_after_interrupt(work: Callable[[], None]) -> None:
    """CPython handles signals when a function is entered, and after calls of C functions."""

    def interrupt_at(moment: int) -> bool:
        moments = itertools.count()

        def matches(frame: FrameType, what: str) -> bool:
            known = what in ("call", "c_return") and frame.f_code.co_filename in (tape.__file__, recording.__file__)
            return known and next(moments) == moment

        try:
            run_until(matches, work)
        except KeyboardInterrupt as error:
            kept.append(error)  # keeps the frames of the traceback alive
            return True
        return False

    kept: list[BaseException] = []
    moments = 0
    while interrupt_at(moments):
        moments += 1
        assert not local.state.tapes
        assert local.state.recorder is None
        kept.clear()
    assert moments > 10


def test_interrupted_pause_does_not_end_later_tape() -> None:
    """The rest of `paused` runs only when the error is no longer referenced, here while another tape records."""
    kept: list[BaseException] = []

    def pause() -> None:
        with tape.paused():
            pass

    def matches(frame: FrameType, what: str) -> bool:
        return what == "call" and frame.f_code.co_name == "__exit__" and frame.f_code.co_filename == contextlib.__file__

    def square(x: tf.Tensor) -> tf.Tensor:
        kept.clear()
        return x.mul(x)

    try:
        run_until(matches, pause)
    except KeyboardInterrupt as error:
        kept.append(error)
    assert kept
    assert tf.grad(square)(tf.scalar(3)).array_sync() == 6
    assert not local.state.tapes
