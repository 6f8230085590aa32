"""Fusion of kernels in plans: which are fused, and that the results equal those of the single kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.core.ops.normalize_by_moments import normalize_by_moments
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import registry
from tfpy.engine.cpu import fused, matmul
from tfpy.engine.cpu.passes.fusion import fuse
from tfpy.engine.plan import Replay
from tfpy.engine.recording import recording_plan

pytestmark = pytest.mark.cpu

RNG = np.random.default_rng(5)
X = RNG.normal(size=(3, 9, 8, 2)).astype(np.float32)
W = RNG.normal(size=(3, 2, 2, 4)).astype(np.float32)
B = RNG.normal(size=4).astype(np.float32)


def record(f: Callable[..., Any], *arrays: np.ndarray) -> tuple[Replay, list[str]]:
    """The replay of f, and its kernels after fusion."""
    inputs = [tf.tensor(a) for a in arrays]
    found, recorder = recording_plan(lambda: f(*inputs), registry.default(), inputs, [])
    replay = recorder.compiled(found if isinstance(found, list) else [found])
    assert replay is not None
    return replay, [node.kernel for node in fuse(replay.plan).nodes]


def assert_same_results(f: Callable[..., Any], replay: Replay, *arrays: np.ndarray) -> None:
    inputs = [tf.tensor(a) for a in arrays]
    expected = f(*inputs)
    again = replay.run(Tensor, inputs)
    assert again is not None
    found, _ = again
    for a, b in zip(expected if isinstance(expected, list) else [expected], found, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def network(pool: Callable[[Any], Any]) -> Callable[..., Any]:
    def loss(x: Any, w: Any, b: Any) -> Any:
        return pool(x.conv2d(w, 1, "same").add(b).relu()).square().sum()

    return lambda x, w, b: list(tf.grads(loss)([x, w, b]))


@pytest.mark.parametrize("special", [0.0, np.nan, np.inf])
@pytest.mark.parametrize(("size", "stride", "pad"), [(2, 2, "valid"), (2, 2, "same"), (3, 2, "valid"), (2, 1, "same")])
def test_convolution_bias_relu_and_pooling_with_gradients(special: float, size: int, stride: int, pad: str) -> None:
    f = network(lambda y: y.max_pool(size, stride, pad))
    replay, kernels = record(f, X, W, B)
    assert kernels[:2] == ["FusedConv2D", "MaxPool"]
    assert "MaxPoolReluGrad" in kernels
    assert not {"Conv2D", "Relu", "Step"} & set(kernels)
    x = X.copy()
    x[1, 3, 4, 0] = special
    assert_same_results(f, replay, x, W, B)


@pytest.mark.parametrize("special", [0.0, np.nan, np.inf])
@pytest.mark.parametrize("activation", ["relu", "relu6", "linear"])
@pytest.mark.parametrize("size", [2, (3, 2)])
@pytest.mark.parametrize("shape", [(4,), (8, 4)])
def test_pooling_is_fused_into_convolution(special: float, activation: str, size: Any, shape: Any) -> None:
    def f(x: Any, w: Any, b: Any) -> Any:
        y = tf.fused.conv2d(x=x, filter=w, strides=1, pad="same", bias=b, activation=activation)
        return y.max_pool(size, 2, "valid")

    bias = RNG.normal(size=shape).astype(np.float32)
    replay, kernels = record(f, X, W, bias)
    assert kernels == ["FusedConv2DMaxPool"]
    x = X.copy()
    x[1, 3, 4, 0] = special
    assert_same_results(f, replay, x, W, bias)


@pytest.mark.parametrize(("activation", "pad"), [("elu", "valid"), ("relu", "same"), ("relu", 1)])
def test_pooling_that_is_not_fused(activation: str, pad: Any) -> None:
    def f(x: Any, w: Any, b: Any) -> Any:
        y = tf.fused.conv2d(x=x, filter=w, strides=1, pad="same", bias=b, activation=activation)
        return y.max_pool(2, 2, pad)

    replay, kernels = record(f, X, W, B)
    assert kernels == ["FusedConv2D", "MaxPool"]
    assert_same_results(f, replay, X, W, B)


def test_relu_gradient_without_pooling() -> None:
    f = network(lambda y: y)
    replay, kernels = record(f, X, W, B)
    assert "ReluGrad" in kernels
    assert_same_results(f, replay, X, W, B)


ACTIVATIONS = ("relu", "relu6", "elu", "sigmoid")


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_convolution_with_each_activation(activation: str) -> None:
    f = lambda x, w, b: getattr(x.conv2d(w, 2, "valid").add(b), activation)()  # noqa: E731
    replay, kernels = record(f, X, W, B)
    assert kernels == ["FusedConv2D"]
    assert_same_results(f, replay, X, W, B)


@pytest.mark.parametrize("shape", [(), (1,), (4,), (8, 4), (9, 8, 4), (3, 1, 1, 4), (2, 3, 9, 8, 4)])
def test_convolution_with_bias_of_any_shape(shape: tuple[int, ...]) -> None:
    f = lambda x, w, b: tf.add(b, x.conv2d(w, 1, "same")).relu()  # noqa: E731
    bias = RNG.normal(size=shape).astype(np.float32)
    replay, kernels = record(f, X, W, bias)
    assert kernels == ["FusedConv2D"]
    assert_same_results(f, replay, X, W, bias)


def test_depthwise_convolution_is_fused() -> None:
    f = lambda x, w, b: x.depthwise_conv2d(w, 1, "same").add(b).relu()  # noqa: E731
    bias = RNG.normal(size=8).astype(np.float32)
    replay, kernels = record(f, X, W, bias)
    assert kernels == ["FusedDepthwiseConv2D"]
    assert_same_results(f, replay, X, W, bias)


@pytest.mark.parametrize("special", [-0.0, np.nan, np.inf])
@pytest.mark.parametrize("shape", [(3, 9, 8, 4), (5, 70, 60, 4)])
def test_batch_norm_with_relu_and_clipping(special: float, shape: tuple[int, ...]) -> None:
    def f(x: Any, mean: Any, scale: Any) -> list[Any]:
        y = tf.batch_norm(x, mean, scale.square(), None, scale)
        return [y.relu().clip_by_value(0, 0.5), tf.batch_norm(x, mean, mean.square()).relu6()]

    x = RNG.normal(size=shape).astype(np.float32)
    x[1, 3, 4, 0] = special
    replay, kernels = record(f, x, B, B + 1)
    assert kernels.count("FusedBatchNorm") == 2
    assert not {"Relu", "Relu6", "ClipByValue"} & set(kernels)
    assert_same_results(f, replay, x, B, B + 1)


def test_training_batch_norm_with_relu() -> None:
    def f(x: Any, offset: Any, scale: Any) -> list[Any]:
        loss = lambda x, *more: normalize_by_moments(x, (0, 1, 2), *more, (3,), 1e-3).y.relu().square().sum()  # noqa: E731
        return list(tf.grads(loss)([x, offset, scale]))

    x = RNG.normal(size=(5, 70, 60, 4)).astype(np.float32)
    replay, kernels = record(f, x, B, B + 1)
    assert "NormalizeByMoments" in kernels
    assert "Relu" not in kernels
    assert_same_results(f, replay, x, B, B + 1)


def test_batch_norm_used_elsewhere_is_not_fused_with_relu() -> None:
    def f(x: Any, mean: Any) -> list[Any]:
        y = tf.batch_norm(x, mean, mean.square())
        return [y.relu(), y]

    x = RNG.normal(size=(3, 4)).astype(np.float32)
    replay, kernels = record(f, x, B)
    assert kernels[-2:] == ["FusedBatchNorm", "Relu"]
    assert_same_results(f, replay, x, B)


@pytest.mark.parametrize("special", [0.0, np.nan, np.inf])
def test_relu_gradient_in_blocks(special: float, monkeypatch: pytest.MonkeyPatch) -> None:
    x, dy = RNG.normal(size=(2, 7, 11)), RNG.normal(size=(2, 7, 11))
    x[1, 2, 3] = special
    expected = fused._relu_grad(dy, x)
    monkeypatch.setattr(fused, "_SMALL_ELEMENTS", 0)
    monkeypatch.setattr(fused, "_BLOCK_ELEMENTS", 16)
    monkeypatch.setattr(fused, "_SHARD_ELEMENTS", 1)
    np.testing.assert_array_equal(fused._relu_grad(dy, x), expected)


ROWS = RNG.normal(size=(6, 5, 40)).astype(np.float32)
WEIGHTS = RNG.normal(size=(40, 24)).astype(np.float32)


@pytest.fixture(params=["whole", "in shards"])
def matmul_sharding(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute products unsharded, or like large ones: in shards that are completed in blocks."""
    if request.param == "in shards":
        monkeypatch.setattr(matmul, "_SHARD_MULTIPLICATIONS", 1 << 8)
        monkeypatch.setattr(matmul, "_ONE_THREAD_MULTIPLICATIONS", 0)
        monkeypatch.setattr(fused, "_SHARD_ELEMENTS", 1)
        monkeypatch.setattr(fused, "_BLOCK_ELEMENTS", 100)


@pytest.mark.usefixtures("matmul_sharding")
@pytest.mark.parametrize("special", [0.0, np.nan, np.inf])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("rows", [30, 4])
def test_matmul_with_bias_and_activation(rows: int, activation: str, special: float) -> None:
    """With more and with fewer rows than columns."""
    f = lambda x, w, b: getattr(x.mat_mul(w).add(b), activation)()  # noqa: E731
    x, bias = ROWS.reshape(30, 40)[:rows].copy(), RNG.normal(size=24).astype(np.float32)
    replay, kernels = record(f, x, WEIGHTS, bias)
    assert kernels == ["_FusedMatMul"]
    x[2, 3] = special
    assert_same_results(f, replay, x, WEIGHTS, bias)


@pytest.mark.usefixtures("matmul_sharding")
@pytest.mark.parametrize("shape", [(), (24,), (5, 24), (5, 1), (6, 5, 24), (2, 6, 5, 24)])
def test_matmul_with_bias_of_any_shape(shape: tuple[int, ...]) -> None:
    f = lambda x, w, b: tf.add(b, x.mat_mul(w).reshape([6, 5, 24])).relu()  # noqa: E731
    x, bias = ROWS.reshape(30, 40), RNG.normal(size=shape).astype(np.float32)
    replay, kernels = record(f, x, WEIGHTS, bias)
    assert kernels == ["FusedMatMulReshape"]
    assert_same_results(f, replay, x, WEIGHTS, bias)


@pytest.mark.usefixtures("matmul_sharding")
def test_dense_layer_on_sequences_with_gradients() -> None:
    def f(x: Any, w: Any, b: Any) -> list[Any]:
        dense = tf.layers.dense(units=24, activation="relu")
        dense.build([None, None, 40])
        dense.kernel, dense.bias = w, b
        return list(tf.grads(lambda x, w, b: dense.apply(x).square().sum())([x, w, b]))

    bias = RNG.normal(size=24).astype(np.float32)
    replay, kernels = record(f, ROWS, WEIGHTS, bias)
    assert "FusedMatMulReshape" in kernels
    assert not {"Add", "Relu", "Step"} & set(kernels)
    assert_same_results(f, replay, ROWS, WEIGHTS, bias)


@pytest.mark.parametrize("columns", [[6, 5, 8, 3], [30, 12, 2]])
def test_bias_along_part_of_the_columns(columns: list[int]) -> None:
    f = lambda x, w, b: x.mat_mul(w).reshape(columns).add(b)  # noqa: E731
    bias = RNG.normal(size=columns[-1]).astype(np.float32)
    replay, _ = record(f, ROWS.reshape(30, 40), WEIGHTS, bias)
    assert_same_results(f, replay, ROWS.reshape(30, 40), WEIGHTS, bias)


def test_integer_matmul_is_not_fused() -> None:
    f = lambda x, w, b: x.mat_mul(w).add(b).relu()  # noqa: E731
    arrays = [RNG.integers(-9, 9, shape).astype(np.int32) for shape in ((4, 3), (3, 2), (2,))]
    replay, kernels = record(f, *arrays)
    assert kernels == ["BatchMatMul", "Add", "Relu"]
    assert_same_results(f, replay, *arrays)


def test_values_used_elsewhere_are_not_fused() -> None:
    def f(x: Any, w: Any, b: Any) -> list[Any]:
        y = x.conv2d(w, 1, "same")
        z = y.add(b)
        return [z, z.relu(), y.add(y), z.step().mul(z), z.step(0.5).mul(b)]

    replay, kernels = record(f, X, W, B)
    assert kernels == ["Conv2D", "Add", "Relu", "Add", "ReluGrad", "Step", "Multiply"]
    assert_same_results(f, replay, X, W, B)


def test_relu_gradient_with_broadcasting() -> None:
    """The two factors have different shapes."""
    f = lambda x, w, b: [b.step().mul(x.conv2d(w, 1, "same")), tf.transpose(x).step().mul(2)]  # noqa: E731
    replay, _ = record(f, X, W, B)
    assert_same_results(f, replay, X, W, B)
