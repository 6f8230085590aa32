"""Random models train in TF.js with the same losses and weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interop.node import as_job, from_job, run_jobs
from random_models import network

import tfpy as tf

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]

SEEDS = range(200)
STEPS = 3
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def start(seed: int) -> tuple[tf.LayersModel, np.ndarray, np.ndarray]:
    """A model with random weights, inputs, and targets."""
    rng = np.random.default_rng(seed)
    model = network(seed, as_in_tfjs=True)
    model.set_weights([rng.uniform(-0.5 if w.rank > 1 else 0.1, 0.5, w.shape) for w in model.get_weights()])
    model.compile(optimizer=tf.train.sgd(0.02), loss="meanSquaredError")
    x = rng.normal(size=(6, *model.inputs[0].shape[1:])).astype(np.float32)
    return model, x, rng.normal(size=(6, 2)).astype(np.float32)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The losses and weights of the models after some steps in TF.js."""
    folder: Path = tmp_path_factory.mktemp("models")
    jobs = []
    for seed in SEEDS:
        model, x, y = start(seed)
        model.save(folder / str(seed), include_optimizer=True, strict=True)
        jobs.append({"job": "train", "dir": str(folder / str(seed)), "x": as_job(x), "y": as_job(y), "steps": STEPS})
    return run_jobs(jobs)


@pytest.mark.parametrize("seed", SEEDS)
def test_training_is_that_of_tfjs(seed: int, trained: list[dict[str, Any]]) -> None:
    found = trained[seed]
    assert "error" not in found, found["error"]
    model, x, y = start(seed)
    losses = [float(model.train_on_batch(x, y)) for _ in range(STEPS)]
    np.testing.assert_allclose(losses, found["result"]["losses"], **TOLERANCE)
    for ours, theirs in zip(model.get_weights(), found["result"]["weights"], strict=True):
        np.testing.assert_allclose(ours.numpy(), from_job(theirs), **TOLERANCE)
