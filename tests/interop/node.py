"""Running jobs in TF.js with tfjs.js."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf

HERE = Path(__file__).parent


def package(name: str) -> Path:
    """The folder of an npm package; fails the test if it is not installed."""
    modules = Path(os.environ.get("TFPY_NODE_MODULES", HERE / "node_modules"))
    if not (modules / name).is_dir():
        pytest.fail(f"{name} is not in {modules}: run `npm install` in {HERE}, or set TFPY_NODE_MODULES.")
    return modules / name


def run_jobs(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run jobs and return their results, each {'result': …} or {'error': message}; fails the test without TF.js."""
    node = shutil.which("node")
    if node is None:
        pytest.fail("node is not installed; these tests compare with the real TF.js.")
    modules = package("@tensorflow/tfjs").parents[1]
    done = subprocess.run(
        [node, str(HERE / "tfjs.js"), str(modules)], input=json.dumps(jobs), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def as_job(value: Any) -> dict[str, Any]:
    """Convert a tensor or array to its JSON form in jobs."""
    t = value if isinstance(value, tf.Tensor) else tf.tensor(value)
    return {"shape": list(t.shape), "dtype": t.dtype, "values": t.numpy().reshape(-1).tolist()}


def from_job(value: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Convert a tensor in a result to an array."""
    return np.array([float(v) for v in value["values"]], np.float64).reshape(value["shape"])
