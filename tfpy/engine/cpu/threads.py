"""Threads: work on a batch is split into shards, one for each core.

Kernels with much work on each sample (recurrent sequences, convolutions) run one shard of the batch per core, each with
BLAS on one thread. That is faster than one shard with BLAS on all cores: everything runs in parallel, not only the
products, and no thread waits at barriers, which is most expensive on a busy machine. Sums over shards are added in a
fixed order, so that results are bit-identical for the same number of shards. `TFPY_SHARDS=1` in the environment, or
`set_most_shards(1)` of `engine/machine.py`, keeps everything on one core.
"""

from __future__ import annotations

import itertools
import math
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tfpy.engine.cpu.blas import one_blas_thread
from tfpy.engine.locks import ProcessLock
from tfpy.engine.machine import most_shards

Job = Callable[[], object]


_shares_interpreter: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)
"""Whether only one thread at a time runs Python code."""


def spans(batch: int, work: int, least: int) -> list[tuple[int, int]]:
    """Where to split a batch, given the total work and the least work that makes a shard worthwhile.

    For shards that consist of a few long numpy calls.
    """
    return _even(batch, work // least)


def spans_in_turns(batch: int, work: int, least: int) -> list[tuple[int, int]]:
    """Like `spans`, for shards of many short numpy calls, between which they contend for the interpreter.

    Each additional shard makes all of them wait, by about as long as `least` takes. So one is added while it saves each
    of them more work than that: while `work / count - work / (count + 1)` is above `least`.
    """
    if not _shares_interpreter():
        return spans(batch, work, least)
    return _even(batch, (1 + math.isqrt(1 + 4 * (work // least))) // 2)


def _even(batch: int, count: int) -> list[tuple[int, int]]:
    count = max(1, min(most_shards(), batch, count))
    edges = [batch * i // count for i in range(count + 1)]
    return list(itertools.pairwise(edges))


class _Call:
    """The jobs of one call, which idle threads take one by one."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = deque(jobs)
        self.count = len(jobs)
        self.finished: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def work(self) -> None:
        """Run jobs until all have been taken."""
        while True:
            try:
                job = self._jobs.popleft()
            except IndexError:
                return
            try:
                job()
            except BaseException as error:
                self.finished.put(error)
            else:
                self.finished.put(None)

    def end(self) -> None:
        """Run the jobs that no thread has taken, and wait for the others. Raises what one of the jobs raised."""
        self.work()
        errors = [self.finished.get() for _ in range(self.count)]
        for error in errors:
            if error is not None:
                raise error


class _Workers:
    """Threads that wait for calls. They are started on first use, and again after a fork."""

    def __init__(self) -> None:
        self._lock = ProcessLock()
        self.forget()

    def forget(self) -> None:
        """Start afresh: a forked process has no threads."""
        self._calls: queue.SimpleQueue[_Call] = queue.SimpleQueue()
        self._started = 0
        self._running: set[_Call] = set()

    def run(self, jobs: Sequence[Job]) -> None:
        """Run jobs in parallel; return when all are done. Raises what one of them raised.

        The calling thread works, too, and does not wait for workers that are not scheduled: on a busy machine it runs
        all jobs itself.
        """
        call = _Call(jobs)
        try:
            self._running.add(call)
            self.offer(call, len(jobs) - 1)
            call.end()
        finally:
            self._running.discard(call)

    def idle(self, shards: int) -> int:
        """How many cores are idle while this many shards run, at most one for each shard; starts workers for them."""
        running = sum([call.count for call in [*self._running]])
        count = max(0, min(shards, most_shards() - max(shards, running)))
        if count:
            self.start(shards - 1 + count)
        return count

    def offer(self, call: _Call, workers: int) -> None:
        """Let a number of workers run the jobs of a call, while this thread continues."""
        self.start(workers)
        for _ in range(workers):
            self._calls.put(call)

    def start(self, workers: int) -> None:
        """Start workers until there are that many."""
        with self._lock():
            while self._started < workers:
                threading.Thread(target=self._work, args=(self._calls,), name="tfpy", daemon=True).start()
                self._started += 1

    @staticmethod
    def _work(calls: queue.SimpleQueue[_Call]) -> None:
        np.seterr(all="ignore")
        while True:
            call = calls.get()
            call.work()
            del call


_workers = _Workers()


def run_sharded(function: Callable[[int, int], object], cuts: list[tuple[int, int]]) -> None:
    """Call function(start, end) for all shards in parallel, with BLAS on one thread."""
    if len(cuts) == 1:
        one_blas_thread.run(function, *cuts[0])
    else:
        run_concurrently([partial(function, a, b) for a, b in cuts])


def run_split(function: Callable[[int, int], object], cuts: list[tuple[int, int]]) -> None:
    """Like `run_sharded`, for a function that does not call BLAS: a single shard need not change BLAS's threads."""
    if len(cuts) == 1:
        function(*cuts[0])
    else:
        run_sharded(function, cuts)


def run_concurrently(jobs: Sequence[Job]) -> None:
    """Run jobs in parallel, with BLAS on one thread."""
    one_blas_thread.run(_workers.run, jobs)


def idle_cores(shards: int) -> int:
    """How many cores are idle while this many shards run, at most one for each shard."""
    return _workers.idle(shards)


class SerialExecutor:
    """Runs jobs one after the other, each while the submitting thread continues until the next one.

    Their sums are accumulated in order, in the background or not.
    """

    def __init__(self, in_background: bool) -> None:
        self._in_background = in_background
        self._call: _Call | None = None

    def submit(self, job: Job) -> None:
        """Finish the previous job, and start this one."""
        self.join()
        if self._in_background:
            self._call = _Call([job])
            _workers.offer(self._call, 1)
        else:
            job()

    def join(self) -> None:
        """Finish the last job, by running it here if no worker has started it."""
        call, self._call = self._call, None
        if call is not None:
            call.end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_workers.forget)
