"""Pooling, depthwise convolution and dilation against the CPU, in whole numbers, whose sums are exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gpu import Work, computed

import tfpy as tf
from tfpy.engine.gl import depthwise, pool
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.memory_pool import size_class

pytestmark = pytest.mark.gl

Function = Callable[..., tf.Tensor]
INPUTS = [(2, 9, 11, 4), (2, 8, 7, 3), (1, 16, 16, 8), (3, 1, 12, 5)]
DEPTHWISE = [
    # size, multiplier, strides, pad, dilations
    ((3, 3), 1, (1, 1), "same", (1, 1)),
    ((1, 3), 2, (1, 1), "valid", (1, 1)),
    ((1, 1), 4, (1, 2), "valid", (1, 1)),
    ((1, 4), 3, (2, 2), "same", (1, 1)),
    ((1, 3), 1, (1, 1), "same", (2, 3)),
]
POOLING = [
    # size, strides, pad
    ((1, 2), (1, 2), "valid"),
    ((3, 3), (2, 2), "same"),
    ((1, 4), (3, 3), "same"),
    ((1, 1), (2, 3), "valid"),
    ((1, 7), (1, 1), [[0, 0], [0, 0], [2, 3], [0, 0]]),
]


def whole_numbers(shape: Any, seed: int) -> tf.Tensor:
    return tf.tensor(np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32))


def assert_equal_to_cpu(function: Function, *shapes: Any, unit: int = 1) -> None:
    """The values and gradients of a function of arrays of these shapes, multiples of `unit`, are those of the CPU."""

    def results() -> list[np.ndarray]:
        inputs = [whole_numbers(shape, seed).mul(unit) for seed, shape in enumerate(shapes)]
        y = function(*inputs)
        slopes = tf.grads(function)(inputs, whole_numbers(y.shape, 9).mul(unit))
        return [t.numpy() for t in (y, *slopes)]

    tf.set_backend("webgl")
    actual = results()
    tf.set_backend("cpu")
    for value, expected in zip(actual, results(), strict=True):
        np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize("case", DEPTHWISE, ids=str)
@pytest.mark.parametrize("shape", INPUTS, ids=str)
def test_depthwise_convolution_equals_cpu(gpu: GlBackend, shape: Any, case: Any) -> None:
    size, multiplier, strides, pad, dilations = case
    filters = (*size, shape[-1], multiplier)
    assert_equal_to_cpu(lambda x, w: tf.depthwise_conv2d(x, w, strides, pad, "NHWC", dilations), shape, filters)


@pytest.mark.parametrize("few_results", [0, 1 << 14], ids=["one thread", "several threads"])
@pytest.mark.parametrize("case", POOLING, ids=str)
@pytest.mark.parametrize("shape", INPUTS, ids=str)
def test_pooling_equals_cpu(
    gpu: GlBackend, monkeypatch: pytest.MonkeyPatch, shape: Any, case: Any, few_results: int
) -> None:
    monkeypatch.setattr(pool, "_MANY_CELLS", 0)
    monkeypatch.setattr(pool, "_FEW_RESULTS", few_results)
    size, strides, pad = case
    assert_equal_to_cpu(lambda x: tf.max_pool(x, size, strides, pad), shape)
    assert_equal_to_cpu(lambda x: tf.avg_pool(x, size, strides, pad), shape, unit=2520)


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (2, 2)], ids=str)
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (1, 4, 1, 1), (1, 1, 8, 1), (1, 1, 1, 4)], ids=str)
def test_images_with_a_single_axis_equal_cpu(gpu: GlBackend, shape: Any, size: tuple[int, int]) -> None:
    """Axes of size 1 are left out of the shaders' index arithmetic."""
    assert_equal_to_cpu(lambda x: tf.max_pool(x, size, 1, "same"), shape)
    assert_equal_to_cpu(lambda x: tf.avg_pool(x, size, 2, "same"), shape, unit=12)
    assert_equal_to_cpu(lambda x, w: tf.depthwise_conv2d(x, w, 1, "same"), shape, (*size, shape[-1], 1))
    assert_equal_to_cpu(lambda x, w: tf.conv2d(x, w, 1, "same"), shape, (*size, shape[-1], 2))


@pytest.mark.parametrize("shape", INPUTS, ids=str)
def test_dilation_equals_cpu(gpu: GlBackend, shape: Any) -> None:
    assert_equal_to_cpu(lambda x, w: tf.dilation2d(x, w, 2, "same", 1), shape, (3, 2, shape[-1]))


@pytest.mark.parametrize("enough_sums", [0, 1 << 30])
def test_depthwise_filter_gradient_in_parts_equals_cpu(
    gpu: GlBackend, monkeypatch: pytest.MonkeyPatch, enough_sums: int
) -> None:  # fmt: skip
    monkeypatch.setattr(depthwise, "_ENOUGH_SUMS", enough_sums)
    assert_equal_to_cpu(lambda x, w: tf.depthwise_conv2d(x, w, 1, "same"), (3, 6, 7, 4), (3, 3, 4, 1))


def test_elementwise_ops_after_windows_are_fused(work: Callable[[Callable[[], object]], Work], gpu: GlBackend) -> None:
    x, w, bias = (
        computed(whole_numbers((2, 8, 8, 4), 0)),
        computed(whole_numbers((3, 3, 4, 1), 1)),
        computed(tf.ones([4]).mul(2)),
    )
    found = work(lambda: computed(tf.depthwise_conv2d(x, w, 1, "same").add(bias).relu()))
    assert found == Work(1, size_class(4 * x.size))
    assert work(lambda: computed(tf.avg_pool(x, 2, 2, "valid").tanh())).dispatches == 1


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: tf.max_pool(x, 3, 1, "same"), (1, 5, 5, 2)),
        (lambda x: tf.avg_pool(x, 3, 1, "same"), (1, 5, 5, 2)),
        (lambda x: tf.depthwise_conv2d(x, whole_numbers((3, 3, 2, 1), 3), 1, "same"), (1, 5, 5, 2)),
        (lambda w: tf.depthwise_conv2d(whole_numbers((1, 2, 9, 2), 3), w, 1, "same"), (2, 2, 2, 1)),
    ],
)
def test_loops_beyond_the_limit_run_on_cpu(
    device: Device, monkeypatch: pytest.MonkeyPatch, function: Function, shape: Any
) -> None:
    monkeypatch.setattr(device, "most_iterations", 8)
    assert_equal_to_cpu(function, shape)
    assert device.counts.fallbacks
