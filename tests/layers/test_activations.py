"""Activations by name: their dtypes."""

from __future__ import annotations

import pytest

import tfpy as tf

# Recorded from TF.js 4.22.
OF_INTEGERS = {
    "relu": ("int32", [0, 2, 7]),
    "relu6": ("float32", [0, 2, 6]),
    "selu": ("int32", [-1, 2, 7]),
    "hardSigmoid": ("float32", [0.3, 0.9, 1]),
    "softplus": ("int32", [0, 2, 7]),
    "softsign": ("float32", [-0.5, 0.66666669, 0.875]),
    "logSoftmax": ("float32", [-8.0070486, -5.0070486, -0.007048503]),
    "swish": ("float32", [-0.26894143, 1.7615942, 6.9936228]),
    "gelu": ("float32", [-0.15865526, 1.9544998, 7]),
    "gelu_new": ("float32", [-0.15880802, 1.9545977, 7]),
    "linear": ("int32", [-1, 2, 7]),
}


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_activation_of_integers(name: str, backend: str) -> None:
    dtype, expected = OF_INTEGERS[name]
    found = tf.layers.activation(activation=name).apply(tf.tensor1d([-1, 2, 7], "int32"))
    assert found.dtype == dtype
    assert found.numpy().tolist() == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize("name", ["elu", "mish", "sigmoid", "softmax", "tanh"])
def test_activation_that_rejects_integers(name: str) -> None:
    with pytest.raises(TypeError, match="must be a float32 tensor"):
        tf.layers.activation(activation=name).apply(tf.tensor1d([-1, 2, 7], "int32"))
