"""Types of user code, checked by mypy as configured in `pyproject.toml`; this file is not run."""

from typing import Any, assert_type

import numpy as np

import tfpy as tf
from tfpy import legacy as dl

a = tf.tensor2d([[1, 2], [3, 4]])


def ops() -> None:
    assert_type(a.sub(1).square().mean(), tf.Tensor)
    assert_type((a + 1) @ a[0] > 2, tf.Tensor)
    assert_type(tf.tidy(lambda: a.add(a)), tf.Tensor)
    assert_type(tf.split(a, 2), list[tf.Tensor])
    assert_type(tf.moments(a).mean, tf.Tensor)
    values, indices = tf.topk(a)
    assert_type(values, tf.Tensor)
    assert_type(indices, tf.Tensor)


def gradients() -> None:
    w = tf.variable(tf.zeros([2]))
    assert_type(w, tf.Variable)
    assert_type(tf.grad(lambda x: x.square())(a), tf.Tensor)
    value, gradient = tf.value_and_grad(lambda x: x.square())(a)
    assert_type(value, tf.Tensor)
    assert_type(gradient, tf.Tensor)
    assert_type(tf.variable_grads(lambda: w.sum()).grads, dict[str, tf.Tensor])
    assert_type(tf.train.sgd(0.1).minimize(lambda: w.sum(), True), tf.Tensor)


def models() -> None:
    x = tf.input(shape=[3])
    y = tf.layers.dense({"units": 2}).apply(x)
    assert_type(y, tf.SymbolicTensor)
    model = tf.model(inputs=x, outputs=y)
    model.compile(optimizer="adam", loss="meanSquaredError", metrics=["mse"])
    assert_type(model.fit(a, a, {"epochs": 2, "batchSize": 4}), tf.History)
    assert_type(tf.sequential().predict(np.zeros([2, 3])), tf.Tensor)
    assert_type(tf.sequential().predict_on_batch(np.zeros([2, 3])), tf.Tensor)
    assert_type(model.get_weights(), list[tf.Tensor])
    assert_type(tf.load_layers_model("model.json"), tf.LayersModel)


def legacy_api() -> None:
    math = dl.NDArrayMathCPU()
    assert_type(dl.Array1D.new([1, 2]), dl.Array1D)
    assert_type(math.scope(lambda keep, track: math.sum(track(dl.Array1D.new([1, 2])))), dl.NDArray)
    graph = dl.Graph()
    x = graph.placeholder("x", [3])
    assert_type(graph.square(x), dl.Tensor)
    assert_type(dl.Session(graph, math).eval(graph.square(x)), dl.NDArray)
    v = dl.variable(dl.scalar(1))
    assert_type(dl.train.sgd(0.1).minimize(lambda: v.square(), True).get(), Any)
    assert_type(dl.SGDOptimizer(0.1).minimize(lambda: v.square(), True), dl.NDArray)
    dl.train.adam(0.1).compute_gradients(lambda: v.square()).grads["v"].square()
    dl.Session(graph, math).train(graph.square(x), [], 1, dl.train.sgd(0.1))
