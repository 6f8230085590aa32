"""Signal handlers are delayed while moderngl creates a program, which does not survive exceptions."""

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
    """Restore the signal handlers after each test."""
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def handled() -> list[int]:
    """The numbers of the handled signals; one handler is installed for all."""
    found: list[int] = []
    for number in SIGNALS:
        signal.signal(number, lambda number, _: found.append(number))
    return found


def send() -> None:
    for number in SIGNALS:
        signal.raise_signal(number)


def test_handlers_run_after_the_work(handled: list[int]) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]

    def work(result: str) -> str:
        send()
        assert not handled
        return result

    assert undisturbed(work, "made") == "made"
    assert sorted(handled) == sorted(SIGNALS)
    assert [signal.getsignal(number) for number in SIGNALS] == before
    send()
    assert len(handled) == 4


def test_exception_of_handler_is_raised_and_loses_no_signal(handled: list[int]) -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        handled.append(number)
        raise KeyboardInterrupt(number)

    for number in SIGNALS:
        signal.signal(number, interrupt)
    with pytest.raises(KeyboardInterrupt):
        undisturbed(send)
    assert sorted(handled) == sorted(SIGNALS)
    assert [signal.getsignal(number) for number in SIGNALS] == [interrupt] * 2


def test_error_in_work_restores_handlers(handled: list[int]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError):
        undisturbed(lambda: [send(), 1 // 0])
    assert sorted(handled) == sorted(SIGNALS)
    assert signal.getsignal(signal.SIGINT) == before


def test_signal_while_handlers_are_restored(handled: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception then leaves some handlers replaced, which must forward signals to the original ones."""
    original_signal = signal.signal

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    original_signal(signal.SIGINT, interrupt)

    def disturbed(number: int, handler: Any) -> Any:
        found = original_signal(number, handler)
        if handler is interrupt:
            signal.raise_signal(number)
        return found

    monkeypatch.setattr(signal, "signal", disturbed)
    with pytest.raises(KeyboardInterrupt):
        undisturbed(lambda: None)
    signal.raise_signal(signal.SIGTERM)
    assert handled == [signal.SIGTERM]


def test_no_handlers_are_set_on_other_threads(handled: list[int]) -> None:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(undisturbed(str, 7)))
    thread.start()
    thread.join()
    assert found == ["7"]


def test_signal_during_program_creation_is_delayed(
    device: Device, handled: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    moderngl = pytest.importorskip("_moderngl")
    init: Callable[[object], None] = moderngl.Uniform.__init__
    handled_during_creation = []

    def disturbed(uniform: object) -> None:
        send()
        handled_during_creation.append(list(handled))
        init(uniform)

    monkeypatch.setattr(moderngl.Uniform, "__init__", disturbed)
    device.programs.compile(
        "layout(local_size_x = 1) in;\nuniform uvec4 P[1];\n"
        "layout(std430, binding = 0) writeonly buffer A { uint a[]; };\nvoid main() { a[0] = P[0].x; }\n"
    )
    assert handled_during_creation == [[]]
    assert sorted(handled) == sorted(SIGNALS)


def test_interrupt_during_program_creation_is_raised(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def disturbed(source: str) -> Any:
        signal.raise_signal(signal.SIGINT)
        return source

    signal.signal(signal.SIGINT, signal.default_int_handler)
    with monkeypatch.context() as patch:
        patch.setattr(type(device.context), "compute_shader", lambda _, source: disturbed(source))
        with pytest.raises(KeyboardInterrupt):
            device._compile("#version 430\nlayout(local_size_x = 1) in;\nvoid main() {}\n")
    assert tf.ones([2]).add(1).array_sync() == [2, 2]
