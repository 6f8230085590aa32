"""Handlers of signals that wait until moderngl has made a program: it does not survive what they raise in it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

import tfpy as tf
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.signals import undisturbed

pytestmark = pytest.mark.gl

SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """The handlers of a test are no other test's."""
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def came() -> list[int]:
    """The signals that were handled, all of them by one handler."""
    found: list[int] = []
    for number in SIGNALS:
        signal.signal(number, lambda number, _: found.append(number))
    return found


def send() -> None:
    for number in SIGNALS:
        signal.raise_signal(number)


def test_handlers_run_afterwards(came: list[int]) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]

    def work(result: str) -> str:
        send()
        assert not came
        return result

    assert undisturbed(work, "made") == "made"
    assert sorted(came) == sorted(SIGNALS)
    assert [signal.getsignal(number) for number in SIGNALS] == before
    send()
    assert len(came) == 4


def test_what_a_handler_raises_is_raised_and_loses_no_other_signal(came: list[int]) -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt(number)

    for number in SIGNALS:
        signal.signal(number, interrupt)
    with pytest.raises(KeyboardInterrupt):
        undisturbed(send)
    assert sorted(came) == sorted(SIGNALS)
    assert [signal.getsignal(number) for number in SIGNALS] == [interrupt] * 2


def test_errors_pass_and_handlers_are_back(came: list[int]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError):
        undisturbed(lambda: [send(), 1 // 0])
    assert sorted(came) == sorted(SIGNALS)
    assert signal.getsignal(signal.SIGINT) == before


def test_a_signal_that_comes_as_handlers_are_put_back_is_handled(
    came: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is raised then leaves some of them where they are, and signals go on to the right ones."""
    put = signal.signal

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    put(signal.SIGINT, interrupt)

    def disturbed(number: int, handler: Any) -> Any:
        found = put(number, handler)
        if handler is interrupt:
            signal.raise_signal(number)
        return found

    monkeypatch.setattr(signal, "signal", disturbed)
    with pytest.raises(KeyboardInterrupt):
        undisturbed(lambda: None)
    signal.raise_signal(signal.SIGTERM)
    assert came == [signal.SIGTERM]


def test_other_threads_have_no_handlers(came: list[int]) -> None:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(undisturbed(str, 7)))
    thread.start()
    thread.join()
    assert found == ["7"]


def test_a_signal_that_comes_while_a_program_is_made_waits(
    device: Device, came: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    moderngl = pytest.importorskip("_moderngl")
    init: Callable[[object], None] = moderngl.Uniform.__init__
    made = []

    def disturbed(uniform: object) -> None:
        send()
        made.append(list(came))
        init(uniform)

    monkeypatch.setattr(moderngl.Uniform, "__init__", disturbed)
    device.programs.compile(
        "layout(local_size_x = 1) in;\nuniform uvec4 P[1];\n"
        "layout(std430, binding = 0) writeonly buffer A { uint a[]; };\nvoid main() { a[0] = P[0].x; }\n"
    )
    assert made == [[]]
    assert sorted(came) == sorted(SIGNALS)


def test_an_interrupt_while_a_program_is_made_is_an_interrupt(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def disturbed(source: str) -> Any:
        signal.raise_signal(signal.SIGINT)
        return source

    signal.signal(signal.SIGINT, signal.default_int_handler)
    with monkeypatch.context() as patch:
        patch.setattr(type(device.context), "compute_shader", lambda _, source: disturbed(source))
        with pytest.raises(KeyboardInterrupt):
            device._compile("")
    assert tf.ones([2]).add(1).array_sync() == [2, 2]
