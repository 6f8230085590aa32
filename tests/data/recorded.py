"""Results of TF.js 4.22 on data sets, recorded by record_tfjs.mjs, and their comparison."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf

TFJS: dict[str, Any] = json.loads((Path(__file__).parent / "tfjs.json").read_text(encoding="utf-8"))


def number(value: Any) -> Any:
    """Decode a recorded number; NaN and infinities are recorded as strings."""
    special = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    return special.get(value, value) if isinstance(value, str) else value


def assert_matches(found: Any, recorded: Any, rtol: float) -> None:
    """Assert that a result matches the recorded one in structure and values."""
    if isinstance(recorded, Mapping) and set(recorded) == {"tensor", "shape", "dtype"}:
        assert (list(found.shape), found.dtype) == (recorded["shape"], recorded["dtype"])
        values = [number(v) if found.dtype != "string" else v for v in recorded["tensor"]]
        if found.dtype == "string":
            assert list(found.data_sync()) == values
        else:
            np.testing.assert_allclose(found.data_sync(), np.float32(values), rtol=rtol)
    elif isinstance(recorded, Mapping):
        assert list(found) == list(recorded)
        for key in recorded:
            assert_matches(found[key], recorded[key], rtol)
    elif isinstance(recorded, list):
        assert len(found) == len(recorded)
        for mine, theirs in zip(found, recorded, strict=True):
            assert_matches(mine, theirs, rtol)
    elif isinstance(recorded, float) and isinstance(found, float):
        assert found == pytest.approx(recorded, rel=rtol, abs=0)
    else:
        assert found == recorded


def assert_same_outcome(compute: Callable[[], Any], recorded: Mapping[str, Any], rtol: float = 2e-6) -> None:
    """Assert that a result matches the recorded one, or raises where TF.js raises."""
    if recorded.get("error"):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            compute()
    else:
        assert_matches(compute(), recorded["value"], rtol)


ROWS = TFJS["rows"]

SETS: dict[str, Callable[[], Any]] = {
    "plain": lambda: tf.data.array(ROWS).batch(3),
    "endless": lambda: tf.data.array(ROWS).repeat().batch(2),
    "short": lambda: tf.data.array(ROWS).batch(4),
    "shuffled": lambda: tf.data.array(ROWS).shuffle(4, "seed").batch(3),
    "filtered": lambda: tf.data.array(ROWS).filter(lambda row: row["xs"][0] > -0.6).batch(2),
    "nothing": lambda: tf.data.array([]),
    "unbatched": lambda: tf.data.array(ROWS),
    "pairs": lambda: tf.data.array([[row["xs"], row["ys"]] for row in ROWS]).batch(2),
    "uneven": lambda: tf.data.array([{"xs": tf.ones([3, 2]), "ys": tf.ones([2, 1])}]),
    "unlabelled": lambda: tf.data.array([{"xs": row["xs"]} for row in ROWS]).batch(2),
    "tensors": lambda: (tf.tensor2d([row["xs"] for row in ROWS]), tf.tensor2d([row["ys"] for row in ROWS])),
}
"""The data sets on which the recorded models are trained."""
