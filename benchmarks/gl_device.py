"""Performance of this machine's GPU with the backend `webgl`: python benchmarks/gl_device.py > figures.json

Measures copies, elementwise kernels and reductions (GB/s), matrix products with each tile (GFLOP/s), transfers, the
cost of an op, and training steps; if PyTorch with CUDA is installed, the same with it, and the ratio. Progress goes to
standard error, one JSON document to standard output. On a software renderer sizes are small, and not representative.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gl_device_models as models
import gl_device_peer as peer
import numpy as np
from timing import median_seconds

import tfpy as tf
from tfpy.engine.gl import doctor, fusion, matmul, sequence
from tfpy.engine.gl import sequence_shaders as shaders
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.gemm import Tile

Rows = list[dict[str, Any]]

TILES = [
    Tile(128, 128, 8, 8, 8),
    Tile(128, 64, 8, 8, 4),
    Tile(64, 64, 16, 4, 4),
    Tile(64, 64, 16, 8, 4),
    Tile(32, 128, 16, 4, 4),
    Tile(128, 128, 16, 8, 8),
    Tile(128, 32, 16, 4, 4),
    Tile(32, 64, 16, 4, 4),
    Tile(32, 32, 16, 4, 4),
    Tile(16, 64, 32, 4, 4),
]
SQUARES = [(n, n, n) for n in (256, 512, 1024, 2048, 4096)]
OBLONG = [
    (32, 784, 128),
    (64, 1024, 1024),
    (32, 4096, 4096),
    (1024, 64, 1024),
    (784, 8192, 128),
    (8192, 64, 512),
    (32768, 576, 32),
    (1000, 1000, 1000),
]


class Bench:
    """The device, and how times are measured.

    Attributes:
        small: whether this is a software renderer, for which sizes are small.
        seconds: the approximate duration of a measurement.
    """

    def __init__(self, backend: GlBackend, seconds: float) -> None:
        self.backend, self.device = backend, backend.device
        self.small = backend.device.software
        self.seconds = seconds

    def seconds_of(self, function: Callable[[], object]) -> float:
        """The median time of a call, with many of them in flight."""
        return median_seconds(function, self.device.finish, self.seconds)

    def forced(self, function: Callable[[], tf.Tensor]) -> Callable[[], None]:
        """The function, with its result computed."""

        def run() -> None:
            t = function()
            self.backend.ensure(t.payload)

        return run

    def random(self, *shape: int) -> tf.Tensor:
        """Random numbers from 0 to 1 on the GPU."""
        t = tf.tensor(np.random.default_rng(0).random(shape, dtype=np.float32))
        self.backend.ensure(t.payload)
        return t


def device(bench: Bench) -> dict[str, Any]:
    info = bench.device.context.info
    limits = {name: info[key] for name, key in doctor.LIMITS.items() if key in info}
    return {
        "renderer": bench.device.renderer,
        "vendor": info["GL_VENDOR"],
        "version": info["GL_VERSION"],
        "software": bench.small,
        "exact_division": bench.device.exact_division,
        "shared_bytes": bench.device.shared_bytes,
        "limits": limits,
        "torch": peer.name(),
    }


def self_test(bench: Bench) -> dict[str, bool]:
    """Whether each check of `tfpy doctor` passes."""
    return {check.name: check.passed for check in doctor.self_test(bench.backend)}


def dispatches(bench: Bench) -> dict[str, float]:
    """Microseconds of the parts of an op, and of waiting for one number."""
    a = bench.random(64)
    program = bench.device.programs.compile(
        "layout(local_size_x = 64) in; layout(std430, binding = 0) buffer A { float a[]; };\n"
        "uniform uvec4 P[1]; void main() { if (P[0].x == 7u) a[gl_LocalInvocationIndex] += 1.; }\n"
    )
    leases = [bench.device.take(256) for _ in range(2)]
    one, other = (lease.buffer for lease in leases)
    found = {
        "same buffer: run and barrier": lambda: bench.device.dispatch(program, (), (one,), (0,), 1),
        "read of a scalar after a kernel": lambda: a.sum().numpy(),
        "op on 64 elements": bench.forced(lambda: a.add(a)),
    }
    turns = [one, other]

    def alternate() -> None:
        turns.reverse()
        bench.device.dispatch(program, (), (turns[0],), (0,), 1)

    found["two buffers in turn"] = alternate
    return {name: 1e6 * bench.seconds_of(f) for name, f in found.items()}


def transfers(bench: Bench) -> Rows:
    rows = []
    for n in (1 << 12, 1 << 20, 1 << 22 if bench.small else 1 << 26):
        values = np.ones(n, np.float32)
        up = bench.seconds_of(bench.forced(lambda values=values: tf.tensor(values)))
        t = bench.random(n)
        down = bench.seconds_of(lambda t=t: _download(bench, t))
        rows.append({"bytes": 4 * n, "upload GB/s": 4e-9 * n / up, "download GB/s": 4e-9 * n / down})
    return rows


def _download(bench: Bench, t: tf.Tensor) -> None:
    bench.device.download(fusion.ensure(bench.device, t.payload).buffer, np.empty(t.shape, np.float32))


def bandwidth(bench: Bench) -> Rows:
    """GB/s of the minimum memory traffic: inputs read once, results written once."""
    rows: Rows = []
    for n in (1 << 16, 1 << 20) if bench.small else (1 << 16, 1 << 20, 1 << 24, 1 << 27):
        if 4 * n > bench.device.block_size:
            continue
        rows.append({"kernel": "copy", "elements": n, "GB/s": 8e-9 * n / bench.seconds_of(_copy(bench, 4 * n))})
        for row in _kernels(bench, n):
            rows.append(row)
            _say(row)
    return rows


def _copy(bench: Bench, nbytes: int) -> Callable[[], None]:
    one, other = (bench.device.take(nbytes) for _ in range(2))
    return lambda: bench.device.context.copy_buffer(one.buffer.gl, other.buffer.gl, nbytes)


def _kernels(bench: Bench, n: int) -> Iterator[dict[str, Any]]:
    width = 1024
    torch_tensors = peer.tensors([(n // width, width)] * 3 + [(width,)])
    tensors = [bench.random(n // width, width) for _ in range(3)] + [bench.random(width)]
    for name, moved, scalar_too, function in _expressions(n):
        took = bench.seconds_of(bench.forced(lambda f=function: f(*tensors)))
        row = {"kernel": name, "elements": n, "GB/s": 1e-9 * moved / took}
        if scalar_too:
            usual, fusion.VECTOR_ELEMENTS = fusion.VECTOR_ELEMENTS, sys.maxsize
            row["GB/s, one element a thread"] = (
                1e-9 * moved / bench.seconds_of(bench.forced(lambda f=function: f(*tensors)))
            )
            fusion.VECTOR_ELEMENTS = 0
            row["GB/s, four elements a thread"] = (
                1e-9 * moved / bench.seconds_of(bench.forced(lambda f=function: f(*tensors)))
            )
            fusion.VECTOR_ELEMENTS = usual
        if torch_tensors is not None and name in peer.KERNELS:
            theirs = peer.seconds_of(lambda name=name: peer.KERNELS[name](*torch_tensors), bench.seconds)
            row |= {"torch GB/s": 1e-9 * moved / theirs, "torch time / ours": theirs / took}
        yield row


def _expressions(n: int) -> list[tuple[str, int, bool, Callable[..., tf.Tensor]]]:
    """(name, bytes moved, elementwise, function of three matrices and a vector)."""
    return [
        ("relu", 8 * n, True, lambda a, b, c, v: a.relu()),
        ("add", 12 * n, True, lambda a, b, c, v: a.add(b)),
        ("add of a row", 8 * n, True, lambda a, b, c, v: a.add(v)),
        ("tanh", 8 * n, True, lambda a, b, c, v: a.tanh()),
        ("chain of 6", 16 * n, True, lambda a, b, c, v: a.sub(b).square().mul(c).add(a).maximum(b).add(c)),
        ("transpose", 8 * n, False, lambda a, b, c, v: a.transpose()),
        ("sum", 4 * n, False, lambda a, b, c, v: a.sum()),
        ("mean of squares", 8 * n, False, lambda a, b, c, v: a.sub(b).square().mean()),
        ("sums of rows", 4 * n, False, lambda a, b, c, v: a.sum(1)),
        ("sums of columns", 4 * n, False, lambda a, b, c, v: a.sum(0)),
        ("argmax of rows", 4 * n, False, lambda a, b, c, v: a.arg_max(1)),
        ("softmax", 8 * n, False, lambda a, b, c, v: a.softmax()),
        ("cumsum", 8 * n, False, lambda a, b, c, v: a.cumsum(1)),
    ]


def products(bench: Bench) -> Rows:
    """GFLOP/s of x · y with the selected tile and with every other one."""
    rows: Rows = []
    shapes = [(128, 128, 128), (100, 100, 100)] if bench.small else [*SQUARES, *OBLONG]
    for m, k, n in shapes:
        a, b = bench.random(m, k), bench.random(k, n)
        rows.append(_product(bench, "NN", a, b, (m, k, n), TILES))
        _say(rows[-1])
    for form in ("NT", "TN"):
        for m, k, n in shapes if bench.small else [(1024, 1024, 1024), (4096, 4096, 4096)]:
            a, b = (
                bench.random(*((k, m) if form == "TN" else (m, k))),
                bench.random(*((n, k) if form == "NT" else (k, n))),
            )
            rows.append(_product(bench, form, a, b, (m, k, n), TILES[:5]))
            _say(rows[-1])
    return rows


def _product(
    bench: Bench, form: str, a: tf.Tensor, b: tf.Tensor, sizes: tuple[int, int, int], tiles: list[Tile]
) -> dict[str, Any]:
    work = 2e-9 * sizes[0] * sizes[1] * sizes[2]
    run = bench.forced(lambda: tf.mat_mul(a, b, form[0] == "T", form[1] == "T"))
    took = bench.seconds_of(run)
    row: dict[str, Any] = {"form": form, "m, k, n": sizes, "GFLOP/s": work / took}
    theirs = peer.product_seconds(form, sizes, bench.seconds)
    if theirs is not None:
        row |= {"torch GFLOP/s": work / theirs, "torch time / ours": theirs / took}
    chosen = matmul.tile_for
    try:
        for tile in tiles:
            if _shared(tile) <= bench.device.shared_bytes:
                matmul.tile_for = lambda *work, tile=tile: tile
                row[f"{tile.m}x{tile.n}x{tile.k}, {tile.tm}x{tile.tn} each"] = work / bench.seconds_of(run)
    finally:
        matmul.tile_for = chosen
    return row


def _shared(tile: Tile) -> int:
    """Bytes of shared memory that the tile uses at most."""
    return 8 * tile.k * (tile.m + tile.n + 8)


def ops(bench: Bench) -> Rows:
    """Microseconds per op on small tensors."""
    a, b, c = (bench.random(64) for _ in range(3))
    x, w = bench.random(8, 8), bench.random(8, 8)
    subjects: dict[str, tuple[int, Callable[[], tf.Tensor]]] = {
        "one op": (1, lambda: a.add(b)),
        "chain of 6": (6, lambda: a.sub(b).square().mul(c).add(a).maximum(b).add(c)),
        "mean of squares": (4, lambda: a.sub(b).square().mean()),
        "dense layer": (3, lambda: x.mat_mul(w).add(w).relu()),
    }
    rows = []
    for name, (count, function) in subjects.items():
        took = bench.seconds_of(bench.forced(function)) / count
        row = {"ops": name, "us per op": 1e6 * took}
        theirs = peer.op_seconds(name, bench.seconds)
        if theirs is not None:
            row |= {"torch us per op": 1e6 * theirs / count, "torch time / ours": theirs / count / took}
        rows.append(row)
    return rows


_CELLS = {"simple_rnn": "SimpleRNN", "gru": "GRU", "lstm": "LSTM"}


def sequences(bench: Bench) -> Rows:
    """Milliseconds of recurrent kernels, forward and with all gradients, by the work per group of threads."""
    rows: Rows = []
    usual = sequence.KEPT_WEIGHTS, sequence.rows_for
    for batch, time_, units in [(4, 5, 8)] if bench.small else [(64, 80, 128), (512, 80, 128), (32, 200, 256)]:
        x, y = bench.random(batch, time_, units), bench.random(batch, units)
        for factory in _CELLS:
            layer = getattr(tf.layers, factory)(units=units)
            layer.build((batch, time_, units))
            row: dict[str, Any] = {"layer": factory, "batch, time, units": (batch, time_, units)}
            for kept, samples in ((0, 1), (32, 1), (64, 1), (96, 1), (32, 2), (32, 4)):
                if shaders.shared_bytes(_CELLS[factory], units, samples) > bench.device.shared_bytes:
                    continue
                sequence.KEPT_WEIGHTS, sequence.rows_for = kept, lambda *_, samples=samples: samples
                forward = bench.seconds_of(bench.forced(lambda layer=layer, x=x: layer.apply(x)))
                both = bench.seconds_of(lambda layer=layer, x=x, y=y: _gradients(bench, layer, x, y))
                row[f"{kept} kept, {samples} samples: forward, both ms"] = (1e3 * forward, 1e3 * both)
            sequence.KEPT_WEIGHTS, sequence.rows_for = usual
            rows.append(row)
            _say(row)
    return rows


def _gradients(bench: Bench, layer: Any, x: tf.Tensor, y: tf.Tensor) -> None:
    found = tf.variable_grads(lambda: layer.apply(x).mul(y).sum())
    for t in found.grads.values():
        bench.backend.ensure(t.payload)


def steps(bench: Bench) -> Rows:
    """Milliseconds of training steps and predictions, on the GPU, on this machine's CPU, and with PyTorch."""
    rows: Rows = []
    for name in models.MODELS:
        row: dict[str, Any] = {"model": name}
        try:
            row |= _model(bench, name)
        except Exception as error:  # so that one failing model does not affect the others
            row["error"] = f"{type(error).__name__}: {error}"
        rows.append(row)
        _say(row)
    return rows


def _model(bench: Bench, name: str) -> dict[str, Any]:
    row: dict[str, Any] = {}
    counts = bench.device.counts
    for backend in ("webgl", "cpu"):
        tf.set_backend(backend)
        finish = bench.device.finish if backend == "webgl" else _nothing
        for what, run in models.tfpy_runs(name, bench.small).items():
            row[f"{what} ms, {backend}"] = 1e3 * median_seconds(run, finish, bench.seconds)
            if backend == "webgl":
                before = counts.dispatches
                run()
                row[f"{what} dispatches"] = counts.dispatches - before
        tf.dispose_variables()
    tf.set_backend("webgl")
    for what, run in peer.model_runs(name, models.sizes(name, bench.small)).items():
        took = 1e3 * peer.seconds_of(run, bench.seconds)
        row |= {f"{what} ms, torch": took, f"torch {what} time / ours": took / row[f"{what} ms, webgl"]}
    return row


def _nothing() -> None:
    pass


SECTIONS: dict[str, Callable[[Bench], Any]] = {
    "device": device,
    "self_test": self_test,
    "dispatches": dispatches,
    "transfers": transfers,
    "bandwidth": bandwidth,
    "products": products,
    "ops": ops,
    "sequences": sequences,
    "steps": steps,
}


def _say(row: Any) -> None:
    print(row, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the GPU backend on this machine's device.")
    parser.add_argument("--only", default=",".join(SECTIONS), help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--seconds", type=float, default=0.2, help="how long a measurement takes, about")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    tf.set_backend("webgl")
    backend = tf.backend()
    assert isinstance(backend, GlBackend)
    bench = Bench(backend, arguments.seconds)
    found: dict[str, Any] = {}
    for name in arguments.only.split(","):
        print(f"# {name}", file=sys.stderr, flush=True)
        start = time.perf_counter()
        try:
            found[name] = SECTIONS[name](bench)
            bench.device.check()
        except Exception as error:  # the other sections are still useful
            found[name] = {"error": f"{type(error).__name__}: {error}"}
            _say(found[name])
        found[f"{name}, seconds"] = round(time.perf_counter() - start, 1)
    json.dump(found, sys.stdout, indent=1, default=str)
    print()


if __name__ == "__main__":
    main()
