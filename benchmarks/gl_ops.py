"""The overhead of an op on the GPU backend beyond its kernel: python benchmarks/gl_ops.py

On Mesa's software renderer kernels run in the calling thread (LP_NUM_THREADS=0), and on 64 elements take less than a
microsecond, so that the times are those of Python, moderngl and the driver's front end; they carry over to a GPU.
"""

from __future__ import annotations

import os

os.environ.setdefault("LP_NUM_THREADS", "0")

import warnings
from collections.abc import Callable

import numpy as np
from timing import medians

import tfpy as tf
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.recording import recording_plan

_LAYERS = 20


def main() -> None:
    warnings.simplefilter("ignore", UserWarning)
    tf.set_backend("webgl")
    backend = tf.backend()
    assert isinstance(backend, GlBackend)
    device = backend.device
    rng = np.random.default_rng(0)
    a, b, c = (tf.tensor(rng.random(64, dtype=np.float32)) for _ in range(3))
    weights = tf.tensor(rng.random((8, 8), dtype=np.float32))
    x = tf.tensor(rng.random((8, 8), dtype=np.float32))

    def alone() -> None:
        force(a.add(b))

    def with_number() -> None:
        force(a.mul(2.5))

    def chain() -> None:
        force(a.sub(b).square().mul(c).add(a).maximum(b).add(c))

    def loss() -> None:
        force(a.sub(b).square().mean())

    def dense() -> None:
        force(x.mat_mul(weights).add(c.slice([0], [8])).relu())

    def force(t: tf.Tensor) -> None:
        backend.ensure(t.payload)

    print(f"{device.renderer}: microseconds per op, and dispatches per call\n")
    rows: list[tuple[str, int, Callable[[], None]]] = [
        ("one op, not fused", 1, alone),
        ("one op on a number", 1, with_number),
        ("chain of 6 ops, fused", 6, chain),
        ("mean((a - b)²): 4 ops", 4, loss),
        ("relu(x @ w + b): 4 ops", 4, dense),
    ]
    times = medians({name: run for name, _, run in rows}, repeats=21, inner=1000)
    for name, ops, run in rows:
        run()
        before = device.counts.dispatches
        run()
        print(f"  {name:26} {times[name] / ops * 1e6:6.2f} µs/op {device.counts.dispatches - before:3} dispatches")
    each = medians({"replayed": replayed(x, weights)}, repeats=21, inner=200)["replayed"] / _LAYERS
    print(f"  a plan, replayed           {each * 1e6:6.2f} µs/dispatch")


def replayed(x: tf.Tensor, weights: tf.Tensor) -> Callable[[], None]:
    """Small layers, each a dispatch, as a recorded plan."""

    def layers() -> tf.Tensor:
        y = x
        for _ in range(_LAYERS):
            y = y.mat_mul(weights).tanh()
        return y

    y, recorder = recording_plan(layers, tf.backend(), [x, weights], [])
    replay = recorder.compiled([y])
    assert replay is not None
    replay.run(tf.Tensor, [x, weights])

    def run() -> None:
        replay.run(tf.Tensor, [x, weights])

    return run


if __name__ == "__main__":
    main()
