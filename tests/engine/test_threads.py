"""Shards: splitting of batches, errors, settings, forks, equal results, and background jobs."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from functools import partial
from typing import Any

import numpy as np
import pytest
from tolerance import DOUBLE

import tfpy as tf
from tfpy.engine import machine
from tfpy.engine.cpu import batches, matmul, threads
from tfpy.engine.cpu.table import KERNELS, PLANNED
from tfpy.engine.windows import sliding_window


def test_spans_split_batch_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.share, "shards", 4)
    assert threads.spans(10, 100, 10) == [(0, 2), (2, 5), (5, 7), (7, 10)]
    assert threads.spans(10, 15, 10) == [(0, 10)]
    assert threads.spans(2, 1000, 10) == [(0, 1), (1, 2)]
    assert threads.spans(0, 0, 10) == [(0, 0)]


@pytest.mark.parametrize(("work", "count"), [(19, 1), (20, 2), (59, 2), (60, 3), (120, 4), (10**6, 12)])
def test_fewer_shards_if_they_share_the_interpreter(work: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more shard saves work / count - work / (count + 1), and costs 10."""
    monkeypatch.setattr(machine.share, "shards", 12)
    monkeypatch.setattr(threads, "_shares_interpreter", lambda: True)
    assert len(threads.spans_in_turns(100, work, 10)) == count
    monkeypatch.setattr(threads, "_shares_interpreter", lambda: False)
    assert threads.spans_in_turns(100, work, 10) == threads.spans(100, work, 10)


def test_shards_run_concurrently() -> None:
    seen: dict[int, int] = {}
    barrier = threading.Barrier(3, timeout=10)

    def work(a: int, b: int) -> None:
        barrier.wait()
        seen[a] = threading.get_ident()

    threads.run_sharded(work, [(0, 1), (1, 2), (2, 3)])
    assert sorted(seen) == [0, 1, 2]
    assert len(set(seen.values())) == 3


@pytest.mark.parametrize("failing", [0, 1])
def test_error_of_shard_is_raised_after_all_have_ended(failing: int) -> None:
    done = []

    def work(a: int, b: int) -> None:
        if a == failing:
            raise KeyError("shard")
        done.append(a)

    with pytest.raises(KeyError, match="shard"):
        threads.run_sharded(work, [(0, 1), (1, 2)])
    assert done == [1 - failing]


def test_numpy_error_state_applies_in_shards(recwarn: pytest.WarningsRecorder) -> None:
    def work(a: int, b: int) -> None:
        time.sleep(0.01)
        np.log(np.zeros(3))

    with np.errstate(all="ignore"):  # as the backend does on the calling thread; workers have their own settings
        threads.run_sharded(work, [(0, 1), (1, 2)])
    assert not recwarn.list


def test_environment_variable_limits_shards() -> None:
    code = "from tfpy.engine.cpu import threads; print(threads.spans(100, 10**6, 1))"
    for value, expected in (("1", 1), ("3", 3)):
        run = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "TFPY_SHARDS": value}, capture_output=True, text=True
        )
        assert run.stdout.count("(") == expected, run.stderr


def test_flag_sets_number_of_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_initial_shards", lambda: 4)
    monkeypatch.setattr(machine.share, "shards", None)
    tf.env().set("CPU_SHARDS", 1)
    assert threads.spans(100, 10**6, 1) == [(0, 100)]
    tf.env().reset()
    assert tf.env().get("CPU_SHARDS") == len(threads.spans(100, 10**6, 1)) == 4
    tf.env().reset()


def test_invalid_number_of_shards_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TFPY_SHARDS", "many")
    with pytest.raises(ValueError, match="TFPY_SHARDS.*whole number.*'many'"):
        machine._initial_shards.__wrapped__()


FORKED = """
import os, threading, time
import numpy as np
import tfpy as tf
from tfpy.engine import machine
from tfpy.engine.cpu import threads

tf.set_backend("cpu")
machine.set_most_shards(2)
a = tf.ones([600, 600])
expected = float(a.mat_mul(a).sum())
before = threads.one_blas_thread._get()
inside, over = threading.Event(), threading.Event()


def hold():
    with threads._workers._lock(), threads.one_blas_thread._lock():
        inside.set()
        over.wait()


threading.Thread(target=threads.one_blas_thread.run, args=[hold], daemon=True).start()
assert inside.wait(60)
child = os.fork()
if not child:
    right = float(a.mat_mul(a).sum()) == expected and threads.one_blas_thread._get() == before
    os._exit(0 if right else 3)
for _ in range(100):
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        break
    time.sleep(0.05)
else:
    os.kill(child, 9)
    raise SystemExit("the child hangs")
raise SystemExit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_forked_process_does_not_wait_for_missing_threads() -> None:
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_allocator_settings_can_be_disabled() -> None:
    code = "from tfpy.engine.cpu.allocator import keep_freed_memory; print(keep_freed_memory())"
    run = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TFPY_MALLOC": "0"}, capture_output=True, text=True
    )
    assert run.stdout.strip() == "False", run.stderr


SHARDED = [
    "Conv2D",
    "Conv2DBackpropInput",
    "Conv2DBackpropFilter",
    "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter",
    "MaxPool",
    "MaxPoolGrad",
    "AvgPool",
    "AvgPoolGrad",
]


@pytest.mark.parametrize("kernel", SHARDED)
@pytest.mark.parametrize("pad", ["valid", "same"])
def test_sharded_convolution_and_pooling_equal_unsharded(
    kernel: str, pad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    window = sliding_window("conv", (9, 8), (3, 2), (2, 1), pad)
    x, y = rng.normal(size=(5, 9, 8, 4)), rng.normal(size=(5, *window.out, 4))
    w = rng.normal(size=(3, 2, 4, 1 if "Depthwise" in kernel else 4))
    arguments: dict[str, tuple[list[np.ndarray], dict[str, object]]] = {
        "BackpropInput": ([y, w], {"input_shape": x.shape}),
        "BackpropFilter": ([x, y], {}),
        "MaxPoolGrad": ([y, x, KERNELS["MaxPool"](x, window=window)], {}),
        "AvgPoolGrad": ([y], {"input_shape": x.shape}),
        "Pool": ([x], {}),
        "": ([x, w], {}),
    }
    arrays, attrs = next(found for name, found in arguments.items() if kernel.endswith(name))
    monkeypatch.setattr(machine.share, "shards", 1)
    unsharded = KERNELS[kernel](*arrays, window=window, **attrs)
    monkeypatch.setattr(machine.share, "shards", 3)
    monkeypatch.setattr(batches, "_SHARD_MULTIPLICATIONS", 1)
    monkeypatch.setattr(batches, "_SHARD_OPERATIONS", 1)
    sharded = KERNELS[kernel](*arrays, window=window, **attrs)
    np.testing.assert_allclose(sharded, unsharded, rtol=DOUBLE, atol=DOUBLE)
    np.testing.assert_array_equal(sharded, KERNELS[kernel](*arrays, window=window, **attrs))


IMAGE_WINDOWS = [  # size, strides, pad, dilations
    ((3, 2), (2, 1), "valid", 1),
    ((3, 3), 1, "same", 1),
    ((3, 3), 2, "same", 1),
    ((2, 3), 1, ((4, 3), (0, 2)), 1),
    ((3, 2), 1, ((-2, -1), (0, 0)), 1),
    ((3, 2), 1, "same", (3, 1)),
    ((1, 1), 1, "valid", 1),
    ((2, 2), (4, 1), ((5, 5), (0, 0)), 1),  # some rows lie entirely on padding
]


@pytest.mark.parametrize("shards", [2, 3, 20])
@pytest.mark.parametrize(("size", "strides", "pad", "dilations"), IMAGE_WINDOWS)
@pytest.mark.parametrize("kernel", ["Conv2D", "DepthwiseConv2dNative", "FusedConv2D", "FusedConv2DMaxPool"])
def test_image_sharded_by_rows_equals_unsharded(
    kernel: str, size: Any, strides: Any, pad: Any, dilations: Any, shards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    window = sliding_window("conv", (9, 8), size, strides, pad, dilations)
    arrays = [rng.normal(size=(1, 9, 8, 5)), rng.normal(size=(*size, 5, 1 if "Depthwise" in kernel else 6))]
    attrs: dict[str, Any] = {"window": window}
    if "Fused" in kernel:
        arrays.append(rng.normal(size=6))
        attrs |= {"activation": "relu", "leakyrelu_alpha": 0.2}
    if "Pool" in kernel:
        attrs["pool"] = sliding_window("pool", window.out, (3, 2), (2, 1), "valid")
    compute = (KERNELS | PLANNED)[kernel]
    unsharded = compute(*arrays, **attrs)
    monkeypatch.setattr(machine.share, "shards", shards)
    monkeypatch.setattr(batches, "_SHARD_MULTIPLICATIONS", 1)
    monkeypatch.setattr(batches, "_SHARD_OPERATIONS", 1)
    np.testing.assert_allclose(compute(*arrays, **attrs), unsharded, rtol=DOUBLE, atol=DOUBLE)


@pytest.mark.parametrize(("m", "k", "n"), [(300, 200, 400), (90, 500, 700), (0, 3, 4), (1, 200, 300), (3, 0, 2)])
def test_sharded_matmul_equals_unsharded(m: int, k: int, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    monkeypatch.setattr(matmul, "_SHARD_MULTIPLICATIONS", 1 << 16)
    monkeypatch.setattr(machine.share, "shards", 3)
    a, b = rng.normal(size=(m, k)), rng.normal(size=(n, k)).T
    np.testing.assert_allclose(matmul.product(a, b), a @ b, rtol=DOUBLE, atol=DOUBLE)
    stack = rng.normal(size=(4, m, k)), rng.normal(size=(4, k, n))
    np.testing.assert_allclose(matmul.product(*stack), np.matmul(*stack), rtol=DOUBLE, atol=DOUBLE)
    np.testing.assert_allclose(matmul.product(stack[0], b), np.matmul(stack[0], b), rtol=DOUBLE, atol=DOUBLE)


@pytest.mark.parametrize(("most", "shards", "idle"), [(1, 1, 0), (2, 1, 1), (2, 2, 0), (3, 2, 1), (8, 3, 3)])
def test_cores_without_shard_are_idle(most: int, shards: int, idle: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.share, "shards", most)
    assert threads.idle_cores(shards) == idle


def test_cores_used_by_other_jobs_are_not_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.share, "shards", 2)
    found: list[int] = []
    threads.run_concurrently([lambda: found.append(threads.idle_cores(1))] * 2)
    assert found == [0, 0]
    assert threads.idle_cores(1) == 1


@pytest.mark.parametrize("in_background", [False, True])
def test_serial_executor_runs_jobs_in_order(in_background: bool) -> None:
    done: list[int] = []

    def job(number: int) -> None:
        time.sleep(0.002 if number == 0 else 0)
        done.append(number)

    executor = threads.SerialExecutor(in_background)
    for number in range(20):
        executor.submit(partial(job, number))
    executor.join()
    assert done == [*range(20)]


def test_background_job_runs_concurrently() -> None:
    started, proceed = threading.Event(), threading.Event()

    def job() -> None:
        started.set()
        assert proceed.wait(10)

    threads._workers.start(1)
    executor = threads.SerialExecutor(True)
    executor.submit(job)
    assert started.wait(10)  # only a worker can have started it
    proceed.set()
    executor.join()


def test_error_of_background_job_is_raised_by_join() -> None:
    def job() -> None:
        raise KeyError("job")

    executor = threads.SerialExecutor(True)
    executor.submit(job)
    with pytest.raises(KeyError, match="job"):
        executor.join()
    executor.join()
