"""A training step in one process and distributed over several: python benchmarks/ranks.py [RANKS]

One process uses all cores by itself, so each of the several gets one core. They alternate.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

MPIEXEC = Path(sys.executable).with_name("mpiexec")
ROUNDS = 3
ONE_CORE = {"TFPY_SHARDS": "1", "OPENBLAS_NUM_THREADS": "1"}


def worker(name: str) -> None:
    """Print the milliseconds of a step."""
    import numpy as np

    import tfpy as tf

    shape, batch, layers = {
        "dense, 256": ([784], 256, [tf.layers.dense(units=512, activation="relu") for _ in range(2)]),
        "dense, 2048": ([784], 2048, [tf.layers.dense(units=512, activation="relu") for _ in range(2)]),
        "convnet, 128": (
            [28, 28, 1],
            128,
            [
                tf.layers.conv2d(filters=16, kernel_size=3, activation="relu"),
                tf.layers.max_pooling2d(pool_size=2),
                tf.layers.conv2d(filters=32, kernel_size=3, activation="relu"),
                tf.layers.flatten(),
            ],
        ),
        "lstm, 128": ([40, 32], 128, [tf.layers.lstm(units=64)]),
    }[name]
    ranks = tf.distribute.mpi()
    model = tf.sequential(layers=[tf.layers.input_layer(input_shape=shape), *layers, tf.layers.dense(units=10)])
    model.compile(optimizer="adam", loss="meanSquaredError", distribute=ranks)
    x, y = np.zeros((batch * 8, *shape), np.float32) + 0.1, np.ones((batch * 8, 10), np.float32)
    model.fit(x, y, batch_size=batch, verbose=0)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        model.fit(x, y, batch_size=batch, verbose=0)
        times.append((time.perf_counter() - start) / 8)
    if ranks.first:
        print(min(times) * 1e3, model.count_params())


def main(ranks: int) -> None:
    contenders = {
        "one process": ([], {}),
        "one process, one core": ([], ONE_CORE),
        f"{ranks} processes": ([str(MPIEXEC), "-n", str(ranks)], ONE_CORE),
    }
    for name in ("dense, 256", "dense, 2048", "convnet, 128", "lstm, 128"):
        times: dict[str, list[float]] = {contender: [] for contender in contenders}
        for _ in range(ROUNDS):
            for contender, (launcher, variables) in contenders.items():
                command = [*launcher, sys.executable, __file__, "--worker", name]
                environment = {**os.environ, "TFPY_BACKEND": "cpu", **variables}
                out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
                found, parameters = out.split()
                times[contender].append(float(found))
        shown = "  ".join(f"{who} {statistics.median(found):7.1f} ms" for who, found in times.items())
        print(f"{name:14} {int(parameters):9,} weights  {shown}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
