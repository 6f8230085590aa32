"""Both directions of bidirectional layers run in parallel in plans: when they do, and with equal results."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.engine import machine
from tfpy.engine.cpu import sequence
from tfpy.engine.cpu.passes import parallel
from tfpy.engine.cpu.table import KERNELS, PLANNED

pytestmark = pytest.mark.cpu

CELLS = {"simple_rnn": "SimpleRNN", "gru": "GRU", "lstm": "LSTM"}


@pytest.fixture
def two_cores() -> Iterator[None]:
    machine.set_most_shards(2)
    yield
    machine.set_most_shards(0)


def _initial(seed: int) -> Any:
    return tf.initializers.random_normal(seed=seed)


def _losses(cell: str, mask: bool, stacked: bool = False) -> list[float]:
    """The losses of some steps, of which the third and later ones are planned."""
    model = tf.sequential()
    model.add(tf.layers.input_layer(input_shape=[6, 3]))
    if mask:
        model.add(tf.layers.masking(mask_value=0.0))
    for last in [False, True] if stacked else [True]:
        options = {"kernel_initializer": _initial(1), "recurrent_initializer": _initial(2)}
        layer = getattr(tf.layers, cell)(units=4, return_sequences=not last, **options)
        model.add(tf.layers.bidirectional(layer=layer, merge_mode="concat"))
    model.add(tf.layers.dense(units=2, kernel_initializer=_initial(3)))
    model.compile(optimizer="sgd", loss="meanSquaredError")
    x = np.sin(np.arange(5 * 6 * 3)).reshape(5, 6, 3)
    x[1, 4:] = 0
    return [model.train_on_batch(tf.tensor(x), tf.ones([5, 2])) for _ in range(5)]


def _record_pairs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, set[str]]]:
    """Record the kernels of each pair, and the threads that they ran on."""
    seen: list[tuple[str, str, set[str]]] = []
    ran: set[str] = set()

    def recording(function: Any) -> Any:
        def run(*args: Any, **attrs: Any) -> Any:
            ran.add(threading.current_thread().name)
            return function(*args, **attrs)

        return run

    for name in parallel.SEQUENCES:
        monkeypatch.setitem(KERNELS, name, recording(KERNELS[name]))
    pair = PLANNED["Parallel"]

    def both(*arrays: Any, nodes: Any) -> Any:
        ran.clear()
        found = pair(*arrays, nodes=nodes)
        seen.append((nodes[0].kernel, nodes[1].kernel, set(ran)))
        return found

    monkeypatch.setitem(PLANNED, "Parallel", both)
    return seen


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("cell", CELLS)
def test_parallel_directions_equal_serial_ones(
    cell: str, mask: bool, stacked: bool, two_cores: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    serial = _losses(cell, mask, stacked)
    monkeypatch.setattr(parallel, "_MIN_MULTIPLICATIONS", 0)
    seen = _record_pairs(monkeypatch)
    assert _losses(cell, mask, stacked) == serial
    name = f"{'Masked' if mask else ''}{CELLS[cell]}Sequence"
    assert {pair[:2] for pair in seen} == {(name, name), (f"{name}Grad", f"{name}Grad")}


def test_directions_run_concurrently(two_cores: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits for the other to start, so they would time out if they ran serially."""
    monkeypatch.setattr(parallel, "_MIN_MULTIPLICATIONS", 0)
    meeting = threading.Barrier(2, timeout=20)
    kernel = KERNELS["LSTMSequence"]

    def meet(*args: Any, **attrs: Any) -> Any:
        meeting.wait()
        return kernel(*args, **attrs)

    planned = parallel._parallel

    def both(*arrays: Any, nodes: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setitem(KERNELS, "LSTMSequence", meet)
            return planned(*arrays, nodes=nodes)

    monkeypatch.setitem(PLANNED, "Parallel", both)
    assert len(_losses("lstm", False)) == 5


@pytest.mark.parametrize(("least", "shard", "cores"), [(1 << 30, 1 << 20, 2), (0, 1, 2), (0, 1 << 20, 1)])
def test_directions_run_serially_if_not_worthwhile(
    least: int, shard: int, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With too little work, with enough work for all cores in one direction, or with one core."""
    machine.set_most_shards(cores)
    monkeypatch.setattr(parallel, "_MIN_MULTIPLICATIONS", least)
    monkeypatch.setattr(sequence, "_SHARD_MULTIPLICATIONS", shard)
    monkeypatch.setattr(parallel, "run_concurrently", lambda jobs: pytest.fail("side by side"))
    try:
        _losses("gru", False)
    finally:
        machine.set_most_shards(0)
