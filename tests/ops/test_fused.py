"""Fused ops: values and gradients equal those of the composed ops, in one kernel or several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerance import FORWARD

import tfpy as tf
from tfpy.engine.backend import registry
from tfpy.engine.rows.fused import ACTIVATIONS

_RNG = np.random.default_rng(5)
A, B = _RNG.uniform(-2, 2, (3, 4)), _RNG.uniform(-2, 2, (4, 5))
X, W, D = _RNG.uniform(-2, 2, (2, 5, 4, 3)), _RNG.uniform(-2, 2, (2, 3, 3, 5)), _RNG.uniform(-2, 2, (2, 2, 3, 2))

OPS: dict[str, tuple[Any, dict[str, Any], Any, int]] = {
    "mat_mul": (tf.fused.mat_mul, {"a": A, "b": B}, lambda o: tf.mat_mul(o["a"], o["b"]), 5),
    "conv2d": (
        tf.fused.conv2d,
        {"x": X, "filter": W, "strides": [1, 2], "pad": "same"},
        lambda o: tf.conv2d(o["x"], o["filter"], o["strides"], o["pad"]),
        5,
    ),
    "depthwise_conv2d": (
        tf.fused.depthwise_conv2d,
        {"x": X, "filter": D, "strides": 1, "pad": "valid", "dilations": 2},
        lambda o: tf.depthwise_conv2d(o["x"], o["filter"], o["strides"], o["pad"], "NHWC", 2),
        6,
    ),
}


def _tensors(options: dict[str, Any]) -> dict[str, Any]:
    return {k: tf.tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}


def _activated(y: Any, activation: str, alpha: Any) -> Any:
    if activation == "prelu":
        return tf.prelu(y, alpha)
    if activation == "leakyrelu":
        return tf.leaky_relu(y, 0.3)
    return y if activation == "linear" else getattr(tf, activation)(y)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("use_bias", [True, False])
def test_fused_equals_composed_ops(name: str, activation: str, use_bias: bool, backend: str) -> None:
    op, options, composed, channels = OPS[name]
    given = _tensors(options) | {"activation": activation, "leakyrelu_alpha": 0.3}
    bias, alpha = tf.linspace(-1, 1, channels), tf.linspace(0.1, 0.5, channels)
    if activation == "prelu":
        given["prelu_activation_weights"] = alpha
    expected = composed(given)
    if use_bias:
        given["bias"] = bias
        expected = tf.add(expected, bias)
    relative, absolute = FORWARD[backend]
    np.testing.assert_allclose(
        op(given).numpy(), _activated(expected, activation, alpha).numpy(), rtol=relative, atol=10 * absolute
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("name", OPS)
def test_gradients_equal_those_of_composed_ops(name: str, activation: str) -> None:
    op, options, composed, channels = OPS[name]
    constants = {k: v for k, v in options.items() if not isinstance(v, np.ndarray)}
    names = [k for k in options if k not in constants]
    xs = [tf.tensor(options[k]) for k in names] + [tf.linspace(-1, 1, channels), tf.linspace(0.1, 0.5, channels)]

    def fused(a: Any, b: Any, bias: Any, alpha: Any) -> Any:
        given = constants | dict(zip(names, (a, b), strict=True)) | {"bias": bias, "activation": activation}
        extra = {"prelu_activation_weights": alpha} if activation == "prelu" else {"leakyrelu_alpha": 0.3}
        return tf.add(op(given | extra), tf.mul(tf.sum(alpha), 0))

    def unfused(a: Any, b: Any, bias: Any, alpha: Any) -> Any:
        y = tf.add(composed(constants | dict(zip(names, (a, b), strict=True))), bias)
        return tf.add(_activated(y, activation, alpha), tf.mul(tf.sum(alpha), 0))

    for found, expected in zip(tf.grads(fused)(xs), tf.grads(unfused)(xs), strict=True):
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.cpu
def test_fused_kernel_is_used_unless_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = registry.find("cpu")
    ran: list[str] = []
    run = cpu.run
    monkeypatch.setattr(cpu, "run", lambda kernel, *rest: ran.append(kernel) or run(kernel, *rest))
    tf.fused.matMul({"a": A, "b": B, "bias": [1, 2, 3, 4, 5], "activation": "relu"})
    assert ran == ["_FusedMatMul"]
    ran.clear()
    tf.grad(lambda a: tf.fused.matMul({"a": a, "b": B, "activation": "relu"}))(A)
    assert ran[:2] == ["BatchMatMul", "Relu"]


def test_channels_first_equals_channels_last() -> None:
    bias, alpha = tf.linspace(-1, 1, 5), tf.tensor(_RNG.uniform(0, 1, (4, 3, 5)))
    options = {"filter": W, "strides": 1, "pad": 0, "bias": bias, "activation": "prelu"}
    channels_last = tf.fused.conv2d({**options, "x": X, "pad": "valid", "preluActivationWeights": alpha[:, :2]})
    channels_first = tf.fused.conv2d(
        {
            **options,
            "x": np.moveaxis(X, -1, 1),
            "pad": "valid",
            "dataFormat": "NCHW",
            "preluActivationWeights": tf.transpose(alpha[:, :2], [2, 0, 1]),
        }
    )
    np.testing.assert_array_equal(np.moveaxis(channels_first.numpy(), 1, -1), channels_last.numpy())


def test_integers_run_as_composed_ops() -> None:
    y = tf.fused.mat_mul(a=np.array([[1, 2]], np.int32), b=np.array([[3], [4]], np.int32), bias=[0.5])
    assert y.dtype == "float32"
    assert y.data_sync().tolist() == [11.5]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"activation": "tanh"}, "activation"),
        ({"activation": "prelu"}, "prelu_activation_weights"),
        ({"bias": [1, 2]}, "bias"),
        ({"bias": np.ones((3, 3, 5))}, "bias"),
        ({"activation": "prelu", "prelu_activation_weights": [1, 2]}, "prelu_activation_weights"),
    ],
)
def test_invalid_option_raises(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=rf"fused.mat_mul: argument '{named}'"):
        tf.fused.mat_mul(a=A, b=B, **options)


def test_invalid_shapes_or_missing_argument_raise() -> None:
    with pytest.raises(ValueError, match="mat_mul: inner sizes"):
        tf.fused.mat_mul(a=A, b=A)
    with pytest.raises(ValueError, match=r"fused\.conv2d: argument 'filter'"):
        tf.fused.conv2d(x=X, filter=B, strides=1, pad="same")
    with pytest.raises(ValueError, match=r"fused\.depthwise_conv2d: argument 'filter'"):
        tf.fused.depthwise_conv2d(x=X, filter=W[:, :, :1], strides=1, pad="same")
    with pytest.raises(TypeError, match="conv2d"):
        tf.fused.conv2d({"x": X, "strides": 1, "pad": "same"})
