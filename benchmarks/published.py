"""Published models of TF.js: a prediction in tfpy, on each backend, and in TF.js itself.

    python benchmarks/published.py [--tfjs NODE_MODULES] [--backends cpu,webgl] [--runs N] [--side N] MODEL.json …

The models are files, such as those of the npm package `@vladmandic/human`; their inputs are one image, of --side pixels
per side if a model takes any size. TF.js is looked for in the given folder of node modules, with the wasm backend if
that is there, too. The output is medians in milliseconds, including reading the outputs, and the time of tfpy's first
prediction. The sums of the outputs' absolute values are compared, since detectors may return boxes in another order;
"!" marks differences.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from peers import FOLDER, Contender

import tfpy as tf
from tfpy.saved_models import opened


class Found(NamedTuple):
    """The time of a prediction in seconds: the first, and a later one; and the sum of the outputs."""

    first: float
    later: float
    check: float


def inputs_of(model: Any, side: int) -> dict[str, dict[str, Any]]:
    """The shapes and dtypes of a model's inputs for one image."""

    def sizes(port: Any) -> list[int]:
        return [1 if i == 0 else side if n is None or n < 0 else n for i, n in enumerate(port.shape)]

    return {port.name: {"shape": sizes(port), "dtype": port.dtype} for port in model.inputs}


def image(shape: list[int], dtype: str) -> tf.Tensor:
    values = np.sin(np.arange(np.prod(shape)) * 0.37) / 2 + 0.5
    return tf.tensor(np.round(values * 255) if dtype == "int32" else values, shape, dtype)


def measured(file: Path, side: int, runs: int) -> Found:
    """A model's predictions on the current backend."""
    model = opened(str(file))
    given = {name: image(**spec) for name, spec in inputs_of(model, side).items()}
    of_graph = isinstance(model, tf.GraphModel)

    def predict() -> float:
        found = model.execute(given, [p.name for p in model.outputs]) if of_graph else model.predict([*given.values()])
        return sum(float(np.abs(t.numpy()).sum()) for t in (found if isinstance(found, list) else [found]))

    times = []
    for _ in range(runs + 3):
        start = time.perf_counter()
        check = predict()
        times.append(time.perf_counter() - start)
    return Found(times[0], statistics.median(times[3:]), check)  # plans are made in the second run, or the third


def main() -> None:
    parser = argparse.ArgumentParser(description="Predictions of published models, here and in TF.js.")
    parser.add_argument("--tfjs", default="")
    parser.add_argument("--backends", default="cpu")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--side", type=int, default=64)
    parser.add_argument("models", nargs="+", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    backends = options.backends.split(",")
    rival = Contender("tfjs", ["node", str(FOLDER / "published.cjs"), options.tfjs], 0) if options.tfjs else None
    if rival is not None:
        ready = rival.answer()
        print(f"TF.js {ready['version']}" if ready else "TF.js is not installed, left out")
    print(" " * 36 + "".join(f"{name + ': first':>16}{'later':>9}" for name in backends) + f"{'TF.js':>12}{'ratio':>8}")
    for file in options.models:
        found = {}
        for name in backends:
            tf.set_backend(name)
            found[name] = measured(file, options.side, options.runs)
        line = f"{file.parent.name + '/' + file.name:36}"
        line += "".join(f"{f.first * 1e3:16.1f}{f.later * 1e3:9.2f}" for f in found.values())
        ours = found[backends[0]]
        checks = [f.check for f in found.values()]
        if rival is not None:
            question = {
                "file": str(file.resolve()),
                "inputs": inputs_of(opened(str(file)), options.side),
                "runs": options.runs,
            }
            answer = rival.ask(question)
            if "seconds" in answer:
                line += f"{answer['seconds'] * 1e3:12.2f}{ours.later / answer['seconds']:8.2f}"
                checks.append(answer["check"])
            else:
                line += f"  {answer['skipped'][:60]}"
        print(line + ("" if np.allclose(checks, ours.check, rtol=1e-3) else "  !"), flush=True)
    if rival is not None:
        rival.close()


if __name__ == "__main__":
    main()
