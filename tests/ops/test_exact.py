"""The exact backend is bit-identical to TF.js, including intermediate rounding; the values are recorded in Node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf

X = ((np.arange(8) * 37) % 11 / 7 - 0.6).astype(np.float32)
INDICES = np.int32([0, 1, 0, 0, 1, 0, 0, 1])

LABELS = np.float32([[1, 0, 0, 0], [0, 0, 1, 0]])
NORMALIZATION = tf.layers.layer_normalization()


def _gradient_of_kernel() -> tf.Tensor:
    layer = tf.layers.time_distributed(layer=tf.layers.dense(units=2, use_bias=False))
    x = tf.tensor(X.reshape(1, 4, 2))
    layer.apply(x)
    layer.set_weights([tf.tensor(X[:4].reshape(2, 2))])
    (gradient,) = tf.variable_grads(lambda: layer.apply(x).sin().sum()).grads.values()
    return gradient


CALLS: dict[str, Callable[[], Any]] = {
    "softmax": lambda: tf.softmax(X),
    "log_softmax": lambda: tf.log_softmax(X),
    "cumsum": lambda: tf.cumsum(X),
    "cumprod": lambda: tf.cumprod(X),
    "linspace": lambda: tf.linspace(-1, 2, 7),
    "range": lambda: tf.range(0, 1, 0.1),
    "fft8": lambda: tf.fft(tf.complex(X, X[::-1])),
    "ifft8": lambda: tf.ifft(tf.complex(X, X[::-1])),
    "rfft7": lambda: tf.rfft(tf.tensor(X[:7])),
    "q": lambda: tf.linalg.qr(tf.tensor(X.reshape(4, 2)))[0],
    "r": lambda: tf.linalg.qr(tf.tensor(X.reshape(4, 2)))[1],
    "scatter_nd": lambda: tf.scatter_nd(INDICES[:, None], X, [2]),
    "dense_bincount": lambda: tf.dense_bincount(INDICES, X, 2),
    "einsum": lambda: tf.einsum("ij,jk->ik", X.reshape(2, 4), tf.exp(X.reshape(4, 2))),
    "softmax_cross_entropy": lambda: tf.losses.softmax_cross_entropy(LABELS, 3 * X.reshape(2, 4), None, 0.1, 0),
    # Gradients in which the order of summation matters.
    "time_distributed": _gradient_of_kernel,
    "layer_normalization": lambda: tf.grad(lambda x: NORMALIZATION.apply(x).sin().square().sum())(X.reshape(2, 4)),
    "tile": lambda: tf.grad(lambda x: tf.tile(x, [5]).mul(tf.range(1, 41)).div(7).exp().sum())(X),
    "elu": lambda: tf.grad(lambda x: tf.elu(x.div(3)).sin().sum())(X),
    "sigmoid_cross_entropy": lambda: tf.grad(lambda x: tf.losses.sigmoid_cross_entropy(X > 0, x))(X),
}

RECORDED = """
softmax: 0.06094891 0.10792803 0.19111842 0.07030853 0.124502 0.22046751 0.08110546 0.14362115
log_softmax: -2.7977195 -2.2262907 -1.6548622 -2.6548622 -2.0834336 -1.512005 -2.5120049 -1.9405764
cumsum: -0.6 -0.62857145 -0.08571428 -0.54285717 -0.42857146 0.25714284 -0.057142884 0.19999999
cumprod: -0.6 0.017142858 0.0093061235 -0.004254228 -0.00048619747 -0.00033339256 0.00010478052 2.6943564e-05
linspace: -1.0 -0.5 0.0 0.5 1.0 1.5 2.0
range: 0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.70000005 0.8000001 0.9000001
fft8: 0.20000002 0.20000002 -0.10101529 -0.2438725 0.0 -1.7142857 -1.5295868 3.692749 -0.71428573 0.71428573
    0.10101529 -0.0418419 -1.4285715 0.0 -1.3275561 -0.5498918
ifft8: 0.025000002 0.025000002 -0.16594452 -0.06873648 -0.17857143 0.0 0.0126269115 -0.0052302377 -0.08928572
    0.08928572 -0.19119835 0.46159363 0.0 -0.21428572 -0.0126269115 -0.030484062
rfft7: -0.057142846 0.0 -0.77824724 0.16382854 -1.8443797 -0.7872951 0.5511983 0.32144466
q: -0.68530905 -0.25720698 0.62004155 -0.3551641 0.13053505 0.87698495 -0.35897142 0.19646984
r: 0.87551737 -0.2666645 -1.102365e-09 0.82159156
scatter_nd: -0.1428571045 0.3428571522
dense_bincount: -0.1428571045 0.3428571522
einsum: -0.1037299782 -0.1147045493 1.078235626 0.2538135946
softmax_cross_entropy: 3.52223134 3.259677649
time_distributed: -0.2973137498 -0.2708315551 0.4869573712 0.4300615489
layer_normalization: -0.1248579621 1.515067577 -0.6576821208 -0.732527554 -0.9268806577 -0.1237182915 0.1237182319
    0.9268807769
tile: 1.988789201 11.61219025 122.8497314 3.129469872 23.62038422 342.0684509 5.061151028 53.57494354
elu: 0.2684388161 0.3301589787 0.3278909028 0.2833662331 0.3330914974 0.3246636987 0.2986961007 0.3321096003
sigmoid_cross_entropy: 0.04429296032 0.06160720438 -0.04594039917 0.04845798016 -0.05893245339 -0.04187339544
    0.05275861919 -0.05450826883
"""
_LINES = RECORDED.strip().replace("\n    ", " ").split("\n")
EXPECTED = {line.split(":")[0]: line.split(":")[1].split() for line in _LINES}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_bit_identical_to_tfjs(name: str) -> None:
    tf.set_backend("exact")
    found = np.asarray(CALLS[name]().data_sync())
    found = found.view(np.float32) if np.iscomplexobj(found) else found
    np.testing.assert_array_equal(found, np.array(EXPECTED[name], np.float32))
