"""Normalization by the moments of its input: the fused kernel equals the composed ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED, DOUBLE, GRADIENT, ROUNDING, SECOND_STEP, TRAINED, central_difference

import tfpy as tf
from tfpy.core.ops.normalize_by_moments import normalize_by_moments
from tfpy.engine.backend import registry
from tfpy.engine.cpu import lines, moments, normalization

EPSILON = 1e-3
# The tolerance for variances below 1 of values around 1000, which float32 resolves to 3e-5.
AROUND_1000 = 1e-3

CASES = [  # shape, axes of the moments, axes of offset and scale
    ((4, 5, 6, 3), (0, 1, 2), [3]),
    ((9, 13, 13, 8), (0, 1, 2), [3]),
    ((7, 3), (0,), [1]),
    ((1, 5), (0,), [1]),
    ((64, 70), (0,), [1]),
    ((4, 5, 6), (2,), [2]),
    ((31, 17), (1,), [1]),
    ((3, 7, 9), (1, 2), [1, 2]),
    ((3, 1, 1, 2), (1, 2, 3), [1, 2, 3]),
]
UNFUSED_CASES = [((4, 5, 6), (0, 2), [1]), ((4, 5, 6), (1,), [1]), ((4, 5, 6), (1, 2), [2, 1]), ((2, 3), (0, 1), [1])]


def _random(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).standard_normal(shape) * 2 + 3


def _results(shape: Any, axes: Any, along: Any, shifted: bool, scaled: bool) -> list[np.ndarray]:
    """The normalized tensor, its moments, and the gradients of all inputs."""
    sizes = [shape[i] for i in along]
    given = [tf.tensor(_random(*shape))]
    given += [tf.tensor(np.sin(_random(*sizes)))] * shifted + [tf.tensor(np.cos(_random(*sizes)))] * scaled
    weights = tf.tensor(np.sin(7 * _random(*shape)))

    def run(x: Any, *parameters: Any) -> Any:
        offset = parameters[0] if shifted else None
        scale = parameters[-1] if scaled else None
        return normalize_by_moments(x, axes, offset, scale, along, EPSILON)

    slopes = tf.grads(lambda *inputs: tf.sum(tf.mul(run(*inputs).y, weights)))(given)
    return [t.numpy() for t in (*run(*given), *slopes)]


def _kernels(function: Any) -> set[str]:
    return {kernel.name for kernel in tf.profile(function).kernels}


@pytest.mark.parametrize(("shifted", "scaled"), [(True, True), (False, False), (True, False), (False, True)])
@pytest.mark.parametrize(("shape", "axes", "along"), CASES)
@pytest.mark.parametrize("block", [None, 50])
def test_fused_kernel_equals_composed_ops(
    shape: Any, axes: Any, along: Any, shifted: bool, scaled: bool, block: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.use("double")
    if block:  # several blocks, and a partial one
        monkeypatch.setattr(lines, "_BLOCK_ELEMENTS", block)
        monkeypatch.setattr(lines, "_SHARD_ELEMENTS", block)
        monkeypatch.setattr(lines, "_LINE_ELEMENTS", 24)
        monkeypatch.setattr(moments, "_SMALL_ELEMENTS", 0)
        monkeypatch.setattr(moments, "_ROW_BLOCK_ELEMENTS", block)
        monkeypatch.setattr(moments, "_ROW_SHARD_ELEMENTS", block)
        monkeypatch.setattr(normalization, "_LARGE_ELEMENTS", 0)
    lines._rows_in_line.cache_clear()
    found = _results(shape, axes, along, shifted, scaled)
    monkeypatch.setattr("tfpy.core.ops.normalize_by_moments._has_kernels", lambda *args: False)
    for value, expected in zip(found, _results(shape, axes, along, shifted, scaled), strict=True):
        assert value.shape == expected.shape
        np.testing.assert_allclose(value, expected, rtol=DOUBLE, atol=DOUBLE)
    lines._rows_in_line.cache_clear()


@pytest.mark.parametrize(("shape", "axes", "along"), CASES[:2] + CASES[5:8])
def test_fused_equals_composed_on_each_backend(
    shape: Any, axes: Any, along: Any, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _results(shape, axes, along, True, True)
    monkeypatch.setattr("tfpy.core.ops.normalize_by_moments._has_kernels", lambda *args: False)
    for value, expected in zip(found, _results(shape, axes, along, True, True), strict=True):
        np.testing.assert_allclose(value, expected, rtol=TRAINED, atol=2 * ACCUMULATED)


@pytest.mark.parametrize(
    ("case", "fused"), [*[(case, True) for case in CASES], *[(case, False) for case in UNFUSED_CASES]]
)
def test_supported_axes_run_in_one_kernel(case: Any, fused: bool) -> None:
    assert ("NormalizeByMoments" in _kernels(lambda: _results(*case, True, True))) == fused


def test_second_derivative_of_normalization() -> None:
    registry.use("double")
    x, along = _random(5, 4), np.cos(_random(5, 4))

    def slope(t: Any) -> Any:
        inner = tf.grad(lambda z: tf.sum(tf.pow(normalize_by_moments(z, (0,), None, None, [1], EPSILON).y, 3)))
        return tf.sum(tf.mul(inner(t), tf.tensor(np.sin(_random(5, 4)))))

    exact = float(np.sum(tf.grad(slope)(tf.tensor(x)).numpy() * along))
    numeric = central_difference(lambda h: slope(tf.tensor(x + h * along)), SECOND_STEP)
    assert exact == pytest.approx(numeric, rel=GRADIENT)


@pytest.mark.parametrize("axes", [[0], [1], [0, 2], [0, 1, 2], [2]])
def test_second_derivative_of_moments(axes: list[int]) -> None:
    registry.use("double")
    x, along = _random(3, 4, 2), np.cos(_random(3, 4, 2))

    def slope(t: Any) -> Any:
        def both(z: Any) -> Any:
            found = tf.moments(z, axes)
            return tf.add(tf.sum(tf.pow(found.mean, 3)), tf.sum(tf.square(found.variance)))

        return tf.sum(tf.mul(tf.grad(both)(t), tf.tensor(np.sin(_random(3, 4, 2)))))

    exact = float(np.sum(tf.grad(slope)(tf.tensor(x)).numpy() * along))
    numeric = central_difference(lambda h: slope(tf.tensor(x + h * along)), SECOND_STEP)
    assert exact == pytest.approx(numeric, rel=GRADIENT)


def test_variance_of_values_far_from_zero() -> None:
    """The variance is not computed as a difference of large squares."""
    x = (_random(600, 300) * 0.01 + 1000).astype(np.float32)
    found = tf.moments(tf.tensor(x), 0)
    np.testing.assert_allclose(found.variance.numpy(), x.astype(np.float64).var(0), rtol=AROUND_1000)


def test_mean_gradient_is_independent_of_nan(backend: str) -> None:
    x = tf.tensor([[1, np.nan], [2, 4]])
    found = tf.grad(lambda x: tf.moments(x, 0).mean)(x).numpy()
    np.testing.assert_array_equal(found, np.full((2, 2), 0.5))
    both = tf.grad(lambda x: tf.add(*tf.moments(x, 0)))(x).numpy()
    np.testing.assert_array_equal(both, [[0, np.nan], [1, np.nan]])


def test_moments_of_long_columns_far_from_zero() -> None:
    x = (np.random.default_rng(0).normal(size=(200_000, 2)) * 0.15 + 1000).astype(np.float32)
    exact = x.astype(np.float64)
    for values, axis in ((x, 0), (x[None], 1)):
        mean, variance = tf.moments(values, axis)
        np.testing.assert_allclose(mean.numpy().reshape(-1), exact.mean(0), rtol=4 * ROUNDING)
        np.testing.assert_allclose(variance.numpy().reshape(-1), exact.var(0), rtol=2 * AROUND_1000)


@pytest.mark.parametrize("training", [False, True])
def test_batch_norm_of_one_channel_with_many_pixels(training: bool, backend: str) -> None:
    x = tf.tensor(np.random.default_rng(0).normal(size=(100, 28, 28, 1)))
    layer = tf.layers.batch_normalization()
    found = layer.apply(x, training=training).numpy()
    mean, variance = (x.numpy().mean(), x.numpy().var()) if training else (0, 1)
    np.testing.assert_allclose(found, (x.numpy() - mean) / np.sqrt(variance + 1e-3), rtol=TRAINED, atol=ACCUMULATED)
    if training:
        assert tf.layers.layer_normalization(axis=[1, 2, 3], center=False, scale=False).apply(x).shape == x.shape
        mean, variance = tf.moments(x, [0, 1, 2], True)
        np.testing.assert_allclose(tf.batch_norm(x, mean, variance).numpy(), found, rtol=EPSILON, atol=TRAINED)
