"""Random numbers: seeded ones equal TF.js's (prng_vectors.json); unseeded ones are repeatable after set_seed."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy.core.run import run
from tfpy.engine import rng
from tfpy.engine.backend import registry

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent.parent / "golden/prng_vectors.json").read_text("utf-8"))

MAKERS = {
    "randomUniform": lambda seed: tf.random_uniform([8], 0, 1, "float32", seed),
    "randomUniform_m1_3_int32": lambda seed: tf.random_uniform([8], -1, 3, "int32", seed),
    "randomUniform_bool_0_2": lambda seed: tf.random_uniform([8], 0, 2, "bool", seed),
    "randomUniformInt_0_10": lambda seed: tf.random_uniform_int([8], 0, 10, seed),
    "randomNormal_0_1": lambda seed: tf.random_normal([8], 0, 1, "float32", seed),
    "randomNormal_5_3": lambda seed: tf.random_normal([8], 5, 3, "float32", seed),
    "randomNormal_5_3_int32": lambda seed: tf.random_normal([8], 5, 3, "int32", seed),
    "truncatedNormal_0_1": lambda seed: tf.truncated_normal([8], 0, 1, "float32", seed),
    "truncatedNormal_1_05": lambda seed: tf.truncated_normal([8], 1, 0.5, "float32", seed),
    "randomGamma_2_1": lambda seed: tf.random_gamma([8], 2, 1, "float32", seed),
    "randomGamma_05_2": lambda seed: tf.random_gamma([8], 0.5, 2, "float32", seed),
    "randomGamma_3_2_int32": lambda seed: tf.random_gamma([8], 3, 2, "int32", seed),
    "multinomial_probs_2_3_5": lambda seed: tf.multinomial([0.2, 0.3, 0.5], 8, seed, True),
    "multinomial_logits_0_1_2": lambda seed: tf.multinomial([0.0, 1, 2], 8, seed),
    "dropout_05": lambda seed: tf.dropout(tf.ones([8]), 0.5, None, seed),
    "dropout_02": lambda seed: tf.dropout(tf.ones([8]), 0.2, None, seed),
}
RECORDED = [(name, seed) for name in MAKERS for seed in VECTORS[name] if seed != "args"]


@pytest.mark.parametrize(("name", "seed"), RECORDED)
def test_seeded_numbers_equal_tfjs(name: str, seed: str) -> None:
    found = MAKERS[name](json.loads(seed)).numpy()
    np.testing.assert_array_equal(found.astype(np.float64), np.array(VECTORS[name][seed], dtype=np.float64))


def test_each_row_of_multinomial_uses_the_same_draws() -> None:
    found = tf.multinomial([[0.2, 0.8], [0.5, 0.5]], 6, 42, True)
    np.testing.assert_array_equal(found.numpy(), VECTORS["multinomial_2d"]["values"])


@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_multinomial_converts_logits(dtype: tf.DataType) -> None:
    logits = tf.tensor([1, 0, 1], dtype=dtype)
    for normalized in (False, True):
        expected = tf.multinomial(logits.to_float(), 20, 7, normalized).numpy()
        np.testing.assert_array_equal(tf.multinomial(logits, 20, 7, normalized).numpy(), expected)


@pytest.mark.parametrize("name", [n for n in VECTORS["initializers"] if " " not in n and n != "args"])
def test_initializers_equal_tfjs(name: str) -> None:
    recorded = VECTORS["initializers"][name]
    initializer = getattr(tf.initializers, name.split("_")[0])({"seed": 42})
    np.testing.assert_allclose(initializer.apply(np.shape(recorded)).numpy(), np.float32(recorded), rtol=ROUNDING)


def test_fan_out_and_receptive_field_of_initializers() -> None:
    fan_out = tf.initializers.variance_scaling(scale=2, mode="fanOut", distribution="uniform", seed=42).apply([3, 2])
    recorded = VECTORS["initializers"]
    np.testing.assert_allclose(fan_out.numpy(), recorded["varianceScaling fanOut uniform 2"], rtol=ROUNDING)
    field = tf.initializers.glorot_uniform(seed=42).apply([2, 2, 3, 4]).numpy().ravel()[:8]
    np.testing.assert_allclose(field, recorded["glorotUniform conv [2,2,3,4] first 8"], rtol=ROUNDING)


def test_vectorized_stream_equals_serial_stream() -> None:
    """Long streams are generated in parallel lanes, with the numbers of the serial generator."""
    serial = rng.Alea(7)
    expected = [serial.next() for _ in range(5000)]
    np.testing.assert_array_equal(rng.Alea(7).take(5000), expected)
    split = rng.Alea(7)
    np.testing.assert_array_equal(np.concatenate([split.take(n) for n in (1, 999, 3000, 1000)]), expected)


@pytest.mark.parametrize(
    "state", [[1, 2, 3], [1, 2, 3, -1], [2**32, 2, 3, 4], [1.5, 2, 3, 4], [1e300, 2, 3, 4], [None] * 4, 3, "1234"]
)
def test_invalid_stream_state_raises(state: Any) -> None:
    stream = rng.Alea(7)
    before = stream.state
    with pytest.raises((ValueError, TypeError), match="random numbers: argument 'state'"):
        stream.state = state
    assert stream.state == before


def test_set_seed_makes_unseeded_streams_repeatable() -> None:
    tf.set_seed(5)
    first = [tf.random_normal([3]).array_sync(), tf.random_uniform([3]).array_sync()]
    tf.set_seed(5)
    assert [tf.random_normal([3]).array_sync(), tf.random_uniform([3]).array_sync()] == first
    tf.set_seed(None)
    assert tf.random_normal([3]).array_sync() != first[0]


def pcg3d(*words: int) -> list[int]:
    """The pcg3d hash of Jarzynski and Olano."""
    x, y, z = ((word * 1664525 + 1013904223) % 2**32 for word in words)
    for shift in (16, 0):
        x = (x + y * z) % 2**32
        y = (y + z * x) % 2**32
        z = (z + x * y) % 2**32
        if shift:
            x, y, z = (word ^ word >> shift for word in (x, y, z))
    return [x, y, z]


@pytest.mark.parametrize("shape", [(), (1,), (2,), (3, 5), (0, 4), (100_000,)])
def test_keyed_numbers_equal_on_each_backend(shape: tuple[int, ...], backend: str) -> None:
    key, count = [123456789, -987654321], math.prod(shape)
    found = run("RandomUniform", tf.tensor1d(key, "int32"), shape=shape, dtype="float32").numpy()
    third = -(-count // 3)
    assert found.shape == shape
    for place in {0, third - 1, third, 2 * third, count // 2, count - 1} & set(range(count)):
        word = pcg3d(place % third, key[0] % 2**32, key[1] % 2**32)[place // third]
        assert found.reshape(-1)[place] == (word >> 8) / 2**24


def test_keyed_numbers_are_uniform() -> None:
    """χ² of counts in 64 cells, of numbers and of pairs at some distances, is within five deviations of its mean."""
    u = run("RandomUniform", tf.tensor1d([1, 2], "int32"), shape=(300_000,), dtype="float32").numpy()
    pairs = [(u[:-apart] * 8).astype(int) * 8 + (u[apart:] * 8).astype(int) for apart in (1, 3, 128, 100_000)]
    for cells in [(u * 64).astype(int), (u * 2**16 % 1 * 64).astype(int), *pairs]:
        expected = len(cells) / 64
        chi_squared = ((np.bincount(cells, minlength=64) - expected) ** 2 / expected).sum()
        assert abs(chi_squared - 63) < 5 * math.sqrt(2 * 63)


def test_dropout_after_set_seed_equals_on_each_backend(backend: str) -> None:
    tf.set_seed(5)
    found = [tf.dropout(tf.ones([200]), 0.25).numpy() for _ in range(2)]
    registry.use("cpu")
    tf.set_seed(5)
    for kept in found:
        np.testing.assert_array_equal(kept, tf.dropout(tf.ones([200]), 0.25).numpy())
        assert 0.6 < (kept > 0).mean() < 0.9
    assert (found[0] != found[1]).any()


FORKED = """
import os, sys
import tfpy as tf

if sys.argv[1] == "seeded":
    tf.set_seed(5)
for _ in range(2):
    child = os.fork()
    if not child:
        print(*tf.random_uniform([3]).data_sync(), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
print(*tf.random_uniform([3]).data_sync())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.parametrize(("kind", "different"), [("unseeded", 3), ("seeded", 1)])
def test_forked_processes_draw_different_numbers_unless_seeded(kind: str, different: int) -> None:
    completed = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED, kind],
        env={**os.environ, "TFPY_BACKEND": "cpu"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = completed.stdout.splitlines()
    assert len(lines) == 3
    assert len(set(lines)) == different


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.random_normal([2], 0, 1, "bool"),
        lambda: tf.truncated_normal([2], 0, 1, "bool"),
        lambda: tf.random_uniform([-1]),
        lambda: tf.random_gamma([2], -1),
        lambda: tf.random_gamma([2], math.inf, 1, "int32"),
        lambda: tf.random_gamma([2], 1, math.nan, "int32"),
        lambda: tf.random_uniform([2], seed=2**2000),
        lambda: tf.random_uniform([2], seed=[1]),
        lambda: tf.set_seed([1]),
        lambda: tf.multinomial([0.5, 0.5], -1),
        lambda: tf.multinomial([[[0.5]]], 1),
        lambda: tf.dropout([1.0], 1.0),
        lambda: tf.dropout([1.0], -0.1),
    ],
)
def test_invalid_arguments_raise(make: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="must be|must "):
        make()
