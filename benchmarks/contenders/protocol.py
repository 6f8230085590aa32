"""The protocol between a contender and `peers.py`: a workload in one line, its time and a checksum in the next."""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

Step = Callable[[], float]
Make = Callable[[Mapping[str, Any], dict[str, np.ndarray]], Step]


def arrays_from(folder: str) -> dict[str, np.ndarray]:
    """The arrays written by `peers.py`: raw numbers, and their shapes."""
    shapes = json.loads((Path(folder) / "shapes.json").read_text())
    return {name: np.fromfile(Path(folder) / name, np.float32).reshape(shape) for name, shape in shapes.items()}


def in_order(arrays: Mapping[str, np.ndarray]) -> Iterator[np.ndarray]:
    """The weights w0, w1, …"""
    return (arrays[f"w{i}"] for i in itertools.count())


def _median(step: Step, count: int) -> float:
    """The median time of a step, since the system may interrupt some of them."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def serve(make: Make) -> None:
    """Answer requests until there are no more. `make` returns a workload's step, which returns a number to compare."""
    name, step = "", None
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        workload = json.loads(line)
        try:
            if workload["name"] != name or step is None:
                name, step = workload["name"], make(workload, arrays_from(workload["folder"]))
                check = step()
                for _ in range(3):
                    step()
            print(json.dumps({"seconds": _median(step, workload["steps"]), "check": check}), flush=True)
        except NotImplementedError as error:
            print(json.dumps({"skipped": str(error)}), flush=True)
