"""Shards: how a batch is cut, that errors arrive, that BLAS has its threads back."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from tfpy.engine.cpu import threads


def test_spans_cover_the_batch_in_even_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_most", 4)
    assert threads.spans(10, 100, 10) == [(0, 2), (2, 5), (5, 7), (7, 10)]
    assert threads.spans(10, 15, 10) == [(0, 10)]
    assert threads.spans(2, 1000, 10) == [(0, 1), (1, 2)]
    assert threads.spans(0, 0, 10) == [(0, 0)]


def test_all_shards_run_and_each_on_a_thread_of_its_own() -> None:
    seen: dict[int, int] = {}
    barrier = threading.Barrier(3, timeout=10)

    def work(a: int, b: int) -> None:
        barrier.wait()
        seen[a] = threading.get_ident()

    threads.run_sharded(work, [(0, 1), (1, 2), (2, 3)])
    assert sorted(seen) == [0, 1, 2]
    assert len(set(seen.values())) == 3


@pytest.mark.parametrize("bad", [0, 1])
def test_what_a_shard_raises_arrives_after_all_have_ended(bad: int) -> None:
    done = []

    def work(a: int, b: int) -> None:
        if a == bad:
            raise KeyError("shard")
        done.append(a)

    with pytest.raises(KeyError, match="shard"):
        threads.run_sharded(work, [(0, 1), (1, 2)])
    assert done == [1 - bad]


def test_numpy_is_quiet_in_shards(recwarn: pytest.WarningsRecorder) -> None:
    def work(a: int, b: int) -> None:
        if a:
            np.log(np.zeros(3))

    threads.run_sharded(work, [(0, 1), (1, 2)])
    assert not recwarn.list


def test_a_setting_keeps_everything_on_one_core() -> None:
    code = "from tfpy.engine.cpu import threads; print(threads.spans(100, 10**6, 1))"
    for value, expected in (("1", 1), ("3", 3)):
        run = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "TFPY_SHARDS": value}, capture_output=True, text=True
        )
        assert run.stdout.count("(") == expected, run.stderr


def test_the_allocator_can_be_left_alone() -> None:
    code = "from tfpy.engine.cpu.allocator import keep_freed_memory; print(keep_freed_memory())"
    run = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TFPY_MALLOC": "0"}, capture_output=True, text=True
    )
    assert run.stdout.strip() == "False", run.stderr
