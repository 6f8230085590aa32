"""User-defined subclasses may override and call methods in the spelling of TF.js or of PEP 8."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl
from tfpy.core.naming.names import camel


def overriding(base: Any, name: str, calls: list[str]) -> Any:
    """A subclass that overrides a method by this name, records its calls, and calls the base method by the same name."""

    def method(self: Any, *args: Any, **keywords: Any) -> Any:
        calls.append(name)
        return getattr(super(cls, self), name)(*args, **keywords)

    cls: Any = type("Own", (base,), {name: method})
    return cls


class CustomDataset(tf.data.Dataset):
    def iterator(self) -> Any:
        return tf.data.array([1, 2, 3]).iterator()


CASES: dict[str, tuple[Any, tuple[Any, ...], str, tuple[Any, ...]]] = {
    "layer's config": (tf.layers.Layer, ({},), "get_config", ()),
    "dense's config": (type(tf.layers.dense(units=2)), ({"units": 2},), "get_config", ()),
    "layer's shape": (tf.layers.Layer, ({},), "compute_output_shape", ([None, 2],)),
    "layer's mask": (tf.layers.Layer, ({},), "compute_mask", (tf.zeros([1, 2]),)),
    "layer's weights": (tf.layers.Layer, ({},), "get_weights", ()),
    "states": (
        tf.layers.RNN,
        ({"cell": tf.layers.simple_rnn_cell(units=2)},),
        "get_initial_state",
        (tf.zeros([2, 3, 1]),),
    ),
    "initializer's config": (type(tf.initializers.constant(value=1)), ({"value": 1},), "get_config", ()),
    "regularizer's config": (type(tf.regularizers.l1()), ({},), "get_config", ()),
    "constraint's config": (type(tf.constraints.max_norm()), ({},), "get_config", ()),
    "optimizer's config": (tf.SGDOptimizer, (0.1,), "get_config", ()),
    "optimizer's weights": (tf.Optimizer, (0.1,), "get_weights", ()),
    "callback": (tf.Callback, (), "on_epoch_end", (0, {})),
    "built-in callback": (tf.EarlyStopping, (), "set_params", ({"epochs": 1},)),
    "deeplearn.js data set": (dl.XhrDataset, ({"data": []},), "fetch_data", ()),
    "data set": (CustomDataset, (), "to_array", ()),
    "model": (tf.Sequential, ({"layers": [tf.layers.dense(units=1, input_shape=[2])]},), "count_params", ()),
}


@pytest.mark.parametrize("case", CASES)
def test_overrides_apply_in_both_spellings(case: str) -> None:
    base, given, name, args = CASES[case]
    for own in (name, camel(name)):
        for called in (name, camel(name)):
            calls: list[str] = []
            expected = getattr(base(*given), name)(*args)
            found = getattr(overriding(base, own, calls)(*given), called)(*args)
            assert calls == [own]
            assert type(found) is type(expected)


def test_tfjs_style_optimizer() -> None:
    class Signs(tf.Optimizer):
        className = "Signs"

        def applyGradients(self, variableGradients: Any) -> None:
            for name, gradient in variableGradients.items():
                weight = weights[name]
                weight.assign(weight.sub(gradient.sign().mul(self.learningRate)))
            self.incrementIterations()

        def getWeights(self) -> Any:
            return [self.saveIterations()]

        def setWeights(self, weightValues: Any) -> None:
            self.remaining = self.extractIterations(weightValues)

    weight = tf.variable(tf.tensor([3.0, -2.0]))
    weights = {weight.name: weight}
    optimizer = Signs(0.5)
    for _ in range(2):
        optimizer.minimize(lambda: weight.square().sum())
    np.testing.assert_array_equal(weight.numpy(), [2.0, -1.0])
    again = Signs(0.5)
    again.set_weights(optimizer.get_weights())
    assert (optimizer.getClassName(), optimizer.iterations, again.iterations, again.remaining) == ("Signs", 2, 2, [])
    with pytest.raises(ValueError, match="extract_iterations: argument 'weight_values' must be records"):
        again.extract_iterations([])


@pytest.mark.parametrize("form", ["property", "attribute"])
def test_tfjs_style_cell(form: str) -> None:
    class Counting(tf.layers.RNNCell):
        """Adds 1 to its state."""

        def __init__(self, config: Any) -> None:
            super().__init__(config)
            if form == "attribute":
                self.stateSize = 2

        def call(self, inputs: Any, kwargs: Any) -> Any:
            state = inputs[1].add(1)
            return [state, state]

    class CountingWithProperty(Counting):
        @property
        def stateSize(self) -> int:
            return 2

    layer: Any = tf.layers.rnn(cell=CountingWithProperty({}) if form == "property" else Counting({}))
    np.testing.assert_array_equal(layer.apply(tf.zeros([1, 3, 4])).numpy(), [[3.0, 3.0]])


def test_deeplearnjs_style_graph_optimizer() -> None:
    class Signs(dl.Optimizer):
        def beforeBatch(self, *args: Any) -> None:
            super().beforeBatch(*args)
            self.batchSize = self.prevBatchSize

        def afterBatch(
            self, math: Any, batchSize: Any, runtime: Any, activationArrayMap: Any, gradientArrayMap: Any
        ) -> None:
            for node in self.variableNodes:
                gradient = self.variableGradients.get(node.output)
                old = activationArrayMap.get(node.output)
                new = math.keep(math.scaledArrayAdd(dl.Scalar.new(1), old, self.c, math.step(gradient, -1)))
                activationArrayMap.set(node.output, new)
                node.data = new
                old.dispose()

    math, graph = dl.NDArrayMathCPU(), dl.Graph()
    x = graph.placeholder("x", [2])
    w = graph.variable("w", dl.Array1D.new([1, 2]))
    cost = graph.reduceSum(graph.multiply(x, w))
    session = dl.Session(graph, math)
    examples = [[dl.Array1D.new([3, -4]), dl.Array1D.new([1, -1])]]
    (provider,) = dl.InCPUMemoryShuffledInputProviderBuilder(examples).getInputProviders()
    optimizer = Signs(0.5)
    session.train(cost, [{"tensor": x, "data": provider}], 2, optimizer, dl.CostReduction.MEAN)
    np.testing.assert_allclose(session.eval(w, []).getValues(), [0.75, 2.25])
    assert optimizer.batchSize == 2
    optimizer.dispose()
    w.node.data.dispose()


def test_callback_list_in_a_custom_training_loop() -> None:
    calls: list[Any] = []
    events = ("onTrainBegin", "onEpochBegin", "onBatchBegin", "onBatchEnd", "onEpochEnd", "onTrainEnd")
    callbacks = tf.CallbackList(
        [tf.CustomCallback({name: lambda *args: calls.append(args) for name in events}), tf.History()]
    )
    callbacks.onTrainBegin()
    callbacks.onEpochBegin(3)
    callbacks.onBatchBegin(0, {"size": 2})
    callbacks.onBatchEnd(0, {"loss": tf.scalar(0.5)})
    callbacks.onEpochEnd(3, {"loss": tf.scalar(0.25)})
    callbacks.onTrainEnd()
    assert calls == [({},), (3, {}), (0, {"size": 2}), (0, {"loss": 0.5}), (3, {"loss": 0.25}), ({},)]
    history: Any = callbacks.callbacks[1]
    assert (history.epoch, history.history) == ([3], {"loss": [0.25]})


def test_custom_callback_can_be_subclassed() -> None:
    calls: list[str] = []

    class Both(tf.CustomCallback):
        def onTrainBegin(self, logs: Any) -> None:
            calls.append("method")

        def onEpochEnd(self, epoch: int, logs: Any) -> None:
            calls.append("before")
            super().onEpochEnd(epoch, logs)

    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    callback = Both({"onEpochEnd": lambda epoch, logs: calls.append("function")})
    model.fit(tf.ones([2, 1]), tf.ones([2, 1]), {"callbacks": callback, "verbose": 0})
    assert calls == ["method", "before", "function"]
