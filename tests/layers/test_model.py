"""Models: building, nesting, copying and compiling; invalid arguments leave a model unchanged."""

from __future__ import annotations

import copy
import math
import pickle
import re
from typing import Any

import numpy as np
import pytest
from layers.models import X, Y, compiled, small, values
from tolerance import ROUNDING

import tfpy as tf


def test_sequential_add_and_pop() -> None:
    model = small(name="mine")
    assert model.name == "mine"
    assert [layer.get_class_name() for layer in model.layers] == ["Dense", "Dense"]
    assert model.input_names[0].endswith("_input")
    assert (model.input.shape, model.output.shape) == ((None, 2), (None, 1))
    model.pop()
    assert model.predict(X).shape == (12, 3)
    model.add(tf.layers.dense(units=5))
    assert model.predict(X).shape == (12, 5)
    assert model.count_params() == 9 + 20


def test_nodes_have_tfjs_attributes() -> None:
    entry = tf.input(shape=[2])
    layer = tf.layers.dense(units=3)
    out = layer.apply(entry)
    (node,) = layer.inboundNodes
    assert (node.outboundLayer, node.inboundLayers) == (layer, [entry.source_layer])
    assert (node.inputTensors, node.outputTensors, node.callArgs) == ([entry], [out], {})
    assert (node.nodeIndices, node.tensorIndices) == ([0], [0])
    assert (node.inputShapes, node.outputShapes) == ([(None, 2)], [(None, 3)])
    assert entry.source_layer.outbound_nodes == [node]
    assert layer.id != entry.source_layer.id


def test_input_spec_in_both_spellings() -> None:
    spec = tf.InputSpec({"maxNDim": 3, "minNDim": 2})
    assert (spec.maxNDim, spec.minNDim, spec.max_ndim) == (3, 2, 3)
    with pytest.raises(AttributeError, match="no attribute 'maxDim'"):
        spec.maxDim  # noqa: B018
    assert [s.shape for s in tf.input(shape=[None, 2]).source_layer.input_spec] == [(None, None, 2)]


def test_sparse_input_is_treated_as_dense() -> None:
    entry = tf.input(shape=[2], sparse=True)
    model = tf.model(inputs=entry, outputs=tf.layers.dense(units=1, kernel_initializer="ones").apply(entry))
    assert tf.models.model_from_json(model.to_json()).layers[0].get_config()["sparse"] is True
    assert model.predict(np.ones((1, 2))).array_sync() == [[2]]


def test_layer_variable_arguments_are_those_of_tfjs() -> None:
    variable = tf.LayerVariable(tf.tensor([1.5, -2.0]), "float32", None, False, tf.constraints.non_neg())
    assert variable.write([-1, 2]).array_sync() == [0, 2]
    assert variable.original_name == "Variable"
    assert not variable.trainable
    integers = tf.tensor([1, 0], dtype="int32")
    assert [tf.LayerVariable(integers, *more).dtype for more in ((), ("int32",), ("bool", "w"))] == [
        "float32",
        "int32",
        "bool",
    ]
    with pytest.raises(ValueError, match="LayerVariable: argument 'dtype' must be one of .* but got 'w'"):
        tf.LayerVariable(integers, "w")
    with pytest.raises(TypeError, match=r"LayerVariable: argument 'val' must be a tensor, but got \[1\]"):
        tf.LayerVariable([1])
    variable.dispose()
    for use in (variable.read, lambda: variable.write([1, 2])):
        with pytest.raises(RuntimeError, match=r": LayerVariable 'Variable.*' is disposed"):
            use()


def test_symbolic_tensor_constructor() -> None:
    tensor = tf.SymbolicTensor("float32", [None, 3], None, [], {}, name="mine")
    layer = tf.layers.dense(units=2)
    out = layer.apply(tensor)
    assert (tensor.shape, tensor.rank, tensor.source_layer, tensor.inputs, tensor.call_args) == (
        (None, 3),
        2,
        None,
        [],
        {},
    )
    assert (out.shape, out.inputs, out.sourceLayer, layer.kernel.shape) == ((None, 2), [tensor], layer, (3, 2))
    assert tensor.original_name == "mine"
    assert tensor.id != out.id
    with pytest.raises(
        ValueError, match=r"name='mine.* does not come from a layer: a model starts with the results of tf\.input"
    ):
        tf.model(inputs=tensor, outputs=out)


def test_execute_returns_inner_outputs(backend: str) -> None:
    entry = tf.input(shape=[2])
    shared = tf.layers.dense(units=2)
    first = shared.apply(entry)
    second = shared.apply(first)
    model = tf.model(inputs=entry, outputs=tf.layers.dense(units=3).apply(second))
    before = tf.memory().num_tensors
    found = model.execute(X, [model.output.name, second.name, entry.name])
    assert tf.memory().num_tensors == before + 3
    np.testing.assert_allclose(found[0].numpy(), model.predict(X).numpy(), rtol=ROUNDING)
    np.testing.assert_allclose(found[1].numpy(), shared.apply(shared.apply(X)).numpy(), rtol=ROUNDING)
    np.testing.assert_allclose(found[2].numpy(), X, rtol=ROUNDING)
    for inputs in (tf.tensor(X), [tf.tensor(X)], {entry.name: X}, {model.inputLayers[0].name: X}):
        np.testing.assert_array_equal(model.execute(inputs, second.name).numpy(), found[1].numpy())
    stacked = tf.sequential(layers=[model, tf.layers.dropout(rate=0.5)])
    np.testing.assert_array_equal(stacked.execute(X, stacked.layers[1].output.name).numpy(), found[0].numpy())
    assert model.outputLayers == [model.layers[-1]]
    for inputs, outputs, text in (
        (X, [], "execute: argument 'outputs' must be at least one name"),
        (X, "x", "Unknown symbolic tensor 'x'. Known: "),
        (X, first, "execute: argument 'outputs' must be a list of names"),
        ({"x": X}, first.name, "execute: argument 'inputs' must be a dict with data for input"),
    ):
        with pytest.raises((ValueError, TypeError), match=text):
            model.execute(inputs, outputs)


class CustomModel(tf.LayersModel, class_name="CustomModel"):
    """A model whose constructor takes a dict, as in TF.js."""

    def __init__(self, args: Any) -> None:
        super().__init__(args)


class CustomSequential(tf.Sequential, class_name="CustomSequential"):
    """A sequential model whose constructor takes a dict."""

    def __init__(self, args: Any = None) -> None:
        super().__init__(args)


def test_custom_model_from_config_when_constructor_takes_dict() -> None:
    sequential_model = CustomSequential({"layers": small().layers[:1], "name": "own"})
    plain = CustomModel({"inputs": sequential_model.inputs, "outputs": sequential_model.outputs})
    for model in (sequential_model, plain):
        again = type(model).from_config(model.get_config())
        assert type(again) is type(model)
        assert again.name == model.name
        assert again.predict(X).shape == (12, 3)


def test_nested_models() -> None:
    inner = small()
    outer = tf.sequential(layers=[inner, tf.layers.dense(units=4)])
    assert outer.predict(X).shape == (12, 4)
    assert len(outer.weights) == 6
    np.testing.assert_allclose(
        outer.predict(X).numpy(), outer.layers[1].apply(inner.predict(X)).numpy(), rtol=ROUNDING, atol=1e-7
    )
    entry = tf.input(shape=[2])
    functional = tf.model(inputs=entry, outputs=tf.layers.dense(units=1).apply(inner.apply(entry)))
    functional.compile(optimizer="sgd", loss="meanSquaredError")
    before = values(inner)
    functional.train_on_batch(X, Y)
    assert values(inner) != before


def test_shared_layer_shares_weights() -> None:
    a, b = tf.input(shape=[3]), tf.input(shape=[3])
    shared = tf.layers.dense(units=2)
    model = tf.model(inputs=[a, b], outputs=[shared(a), shared(b)])
    assert len(model.weights) == 2
    x = np.ones((4, 3))
    first, second = model.predict([x, x])
    np.testing.assert_array_equal(first.numpy(), second.numpy())
    assert [shared.get_input_at(i) is t for i, t in enumerate((a, b))] == [True, True]
    assert [shared.get_output_at(i) is t for i, t in enumerate(model.outputs)] == [True, True]
    for index in (-1, 2):
        with pytest.raises(ValueError, match="below the 2 calls"):
            shared.get_input_at(index)
    with pytest.raises(RuntimeError, match="called 2 times"):
        shared.output  # noqa: B018


def test_built_and_stateful_follow_from_layers() -> None:
    model = tf.sequential()
    assert not model.built
    model.add(tf.layers.lstm(units=2, batch_input_shape=[1, 3, 2], stateful=True))
    assert model.built
    assert model.stateful
    with pytest.raises(AttributeError):
        model.stateful = False  # type: ignore[misc]
    model.layers[0].stateful = False
    assert not model.stateful
    model.pop()
    assert not model.built


def test_overridden_methods_of_subclass_are_called() -> None:
    class Recording(tf.Sequential):
        def fit(self, x: Any, y: Any = None, *args: Any, **options: Any) -> Any:
            calls.append("fit")
            return super().fit(x, y, *args, **options)

        def fitDataset(self, dataset: Any, *args: Any, **options: Any) -> Any:
            calls.append("fit_dataset")
            return super().fitDataset(dataset, *args, **options)

        def evaluate_dataset(self, dataset: Any, *args: Any, **options: Any) -> Any:
            calls.append("evaluate_dataset")
            return super().evaluate_dataset(dataset, *args, **options)

        def to_json(self, unused: Any = None, return_string: bool = True) -> Any:
            calls.append("to_json")
            return super().to_json(unused, return_string)

    calls: list[str] = []
    model = Recording([tf.layers.dense(units=1, input_shape=[2])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    batches = tf.data.array([{"xs": tf.ones([4, 2]), "ys": tf.ones([4, 1])}])
    model.fit(batches, epochs=1, verbose=0)
    model.evaluate(tf.data.array([{"xs": tf.ones([4, 2]), "ys": tf.ones([4, 1])}]))
    model.save(tf.io.with_save_handler_sync(lambda artifacts: {"modelArtifactsInfo": {}}), strict=False)
    assert calls == ["fit", "fit_dataset", "evaluate_dataset", "to_json"]


def test_sequential_starting_with_deep_branching_model() -> None:
    entry = x = tf.input(shape=[2])
    for _ in range(300):
        x = tf.layers.add().apply([x, tf.layers.activation(activation="relu").apply(x)])
    model = tf.sequential([tf.model(inputs=entry, outputs=x), tf.layers.dense(units=1)])
    assert model.inputs == [entry]


COPIES = [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]


@pytest.mark.parametrize("copy_model", COPIES)
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_copy_after_training_has_no_dropout_masks(copy_model: Any, activation: str) -> None:
    """Those of the last step have been disposed with it."""
    recurrent = tf.layers.gru(units=2, activation=activation, dropout=0.3, recurrent_dropout=0.3, input_shape=[3, 2])
    model = tf.sequential([recurrent])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    x = np.ones((4, 3, 2))
    model.train_on_batch(x, np.ones((4, 2)))
    np.testing.assert_array_equal(copy_model(model).predict(x).numpy(), model.predict(x).numpy())


@pytest.mark.parametrize("copy_model", COPIES)
def test_copies_of_models_are_independent(copy_model: Any) -> None:
    deep = tf.sequential([tf.layers.activation(activation="relu", input_shape=[2]) for _ in range(500)])
    assert len(copy_model(deep).layers) == 500
    entry, shared = tf.input(shape=[2]), tf.layers.dense(units=2)
    inner = small()
    twice_shared = shared.apply(tf.layers.dense(units=2).apply(shared.apply(entry)))
    model = tf.model(inputs=entry, outputs=inner.apply(twice_shared))
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    again = copy_model(model)
    assert [len(layer.outbound_nodes) for layer in again.layers] == [
        len(layer.outbound_nodes) for layer in model.layers
    ]
    before = model.predict(X).numpy()
    np.testing.assert_array_equal(again.predict(X).numpy(), before)
    again.fit(X, Y, epochs=1, verbose=0)
    assert not np.array_equal(again.predict(X).numpy(), before)
    np.testing.assert_array_equal(model.predict(X).numpy(), before)


def test_copy_of_layer_excludes_later_layers() -> None:
    model = small()
    alone = copy.deepcopy(model.layers[0])
    assert not alone.outbound_nodes
    assert alone.inbound_nodes[0].inbound_layers[0].outbound_nodes == alone.inbound_nodes
    np.testing.assert_array_equal(alone.apply(X).numpy(), model.layers[0].apply(X).numpy())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.sequential(layers=[tf.layers.dense(units=2)]), "input shape"),
        (lambda: tf.sequential().add("dense"), "add.*layer"),
        (lambda: tf.sequential(layers=[3]), "add.*layer"),
        (lambda: tf.model(inputs=tf.input(shape=[2])), "outputs"),
        (lambda: tf.model(inputs=3, outputs=4), "symbolic"),
        (lambda: tf.model(inputs=tf.input(shape=[2]), outputs=tf.layers.dense(units=1).apply(tf.input(shape=[2]))), "input"),
        (lambda: tf.input(), "shape"),
        (lambda: tf.input(shape=[2], batch_shape=[3, 2]), "shape"),
        (lambda: tf.input(shape=["a"]), "shape"),
        (lambda: tf.input(shape=[-2]), "shape"),
        (lambda: tf.layers.dense(units=0), "units"),
        (lambda: tf.layers.dense(units=2.5), "units"),
        (lambda: tf.layers.dense(units=2, activation="rellu"), "activation 'rellu'.*relu"),
        (lambda: tf.layers.dense(units=2, kernel_initializer="ones_"), "initializer"),
        (lambda: tf.layers.dense(units=2, kernel_regularizer="l3"), "regularizer"),
        (lambda: tf.layers.dense(units=2).apply(np.ones(3)), "rank|ndim"),
        (lambda: tf.sequential().predict(X), "no layers"),
        (lambda: small().predict(tf.data.array(X).batch(2)), "predict.*'x'.*for a data set, predict each batch"),
        (lambda: small().get_layer("nobody"), "layer 'nobody'"),
        (lambda: small().get_layer(index=5), "index"),
        (lambda: tf.sequential().pop(), "no layers"),
    ],
)  # fmt: skip
def test_invalid_construction_raises(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError, RuntimeError), match=words):
        make()


def test_ops_on_symbolic_tensors_raise() -> None:
    x = tf.input(shape=[2])
    for use in (
        lambda: tf.add(x, 1),
        lambda: tf.concat([x, x]),
        lambda: x + 1,
        lambda: 1 - x,
        lambda: tf.ones([2]) @ x,
        lambda: np.ones(2) * x,
        lambda: -x,
        lambda: x > 0,
        lambda: x[0],
        lambda: np.sqrt(x),
        lambda: bool(x),
        lambda: float(x),
        lambda: len(x),
        lambda: list(x),
        lambda: x.reshape([1]),
    ):
        with pytest.raises((TypeError, AttributeError), match="ymbolic.*: *use layers, not ops|symbolic; use layers"):
            use()
    assert not hasattr(x, "reshape")
    assert {x: 1}[x] == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"optimizer": "sgdd", "loss": "mse"}, "optimizer 'sgdd'.*sgd"),
        ({"optimizer": None, "loss": "mse"}, "optimizer"),
        ({"optimizer": 3, "loss": "mse"}, "optimizer"),
        ({"optimizer": "sgd"}, "loss"),
        ({"optimizer": "sgd", "loss": "meanSquareError"}, "loss.*meanSquaredError"),
        ({"optimizer": "sgd", "loss": ["mse", "mse"]}, "loss.*1"),
        ({"optimizer": "sgd", "loss": {"nobody": "mse"}}, "nobody"),
        ({"optimizer": "sgd", "loss": "mse", "metrics": ["accurracy"]}, "metric 'accurracy'.*accuracy"),
        ({"optimizer": "sgd", "loss": "mse", "metrics": {"nobody": "acc"}}, "nobody"),
        ({"optimizer": "sgd", "loss": "mse", "weights": 1}, "unknown option 'weights'"),
    ],
)
def test_invalid_compile_raises_and_leaves_model_unchanged(options: dict[str, Any], words: str) -> None:
    model = compiled()
    optimizer = model.optimizer
    with pytest.raises((ValueError, TypeError), match=words):
        model.compile(options)
    assert model.optimizer is optimizer
    assert model.loss == "meanSquaredError"


@pytest.mark.parametrize("use", ["fit", "evaluate", "train_on_batch"])
def test_uncompiled_model_raises(use: str) -> None:
    with pytest.raises(RuntimeError, match=f"{use}.*compile"):
        getattr(small(), use)(X, Y)


def test_sequential_takes_list_of_layers() -> None:
    def layers() -> list[tf.layers.Layer]:
        return [tf.layers.dense(units=3, input_shape=[2]), tf.layers.dense(units=1)]

    for model in (tf.sequential(layers()), tf.Sequential(layers()), tf.sequential({"layers": layers()})):
        assert [layer.units for layer in model.layers] == [3, 1]
    with pytest.raises(TypeError, match="Sequential: option 'layers' is given twice"):
        tf.sequential(layers(), layers=layers())


def test_html_repr_lists_layers() -> None:
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[3], name="<first>")])
    text = model._repr_html_()
    assert "<td>&lt;first&gt; (Dense)</td><td>[[null,3]]</td><td>[null,2]</td><td>8</td>" in text
    assert "8 params, 8 of them trainable" in text
    assert "sequential" in tf.sequential()._repr_html_()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda m: m.summary("wide"), "summary: argument 'line_length' must be a whole number"),
        (lambda m: m.summary(positions="wide"), "summary: argument 'positions' must be a list of numbers"),
        (lambda m: m.summary(positions=[math.nan, 1]), "summary: argument 'positions' must be finite numbers"),
        (lambda m: m.summary(positions=[1, math.inf]), "summary: argument 'positions' must be finite numbers"),
        (lambda m: m.summary(print_fn=3), "summary: argument 'print_fn' must be a function"),
        (lambda m: m.set_weights(3), "set_weights: argument 'weights' must be a list of tensors"),
        (lambda m: m.layers[0].set_weights(None), "set_weights: argument 'weights' must be a list of tensors"),
        (lambda m: tf.input(shape=[3], dtype="float"), "input: argument 'dtype' must be one of 'float32'"),
        (lambda m: tf.input(shape="3"), "must be a whole number, but got '3'"),
    ],
)
def test_invalid_method_arguments_raise(call: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call(tf.sequential([tf.layers.dense(units=2, input_shape=[3])]))
    assert text in str(caught.value)


def test_input_shape_may_be_a_number() -> None:
    assert tf.input(shape=3).shape == (None, 3)
    assert tf.input(shape=()).shape == (None,)


def test_inputs_are_cast_to_dtype_of_input_layer() -> None:
    entry = tf.input(shape=[2], dtype="int32")
    model = tf.model(inputs=entry, outputs=tf.layers.activation(activation="linear").apply(entry))
    found = model.predict(tf.tensor2d([[1.7, -2.3]]))
    assert (found.dtype, found.array_sync()) == ("int32", [[1, -2]])
    assert model.apply(tf.tensor2d([[2.9, 0]])).array_sync() == [[2, 0]]


class FirstTwo(tf.layers.Layer):
    def compute_output_shape(self, input_shape: Any) -> Any:
        return [input_shape[0], 2]

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return x[:, :2]


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ([6, 6, 3], "layer conv: expected rank 4, but got shape [6, 6, 3]"),
        ([1, 6, 6, 4], "layer conv: expected size 3 on axis 3, but got shape [1, 6, 6, 4]"),
        ([1, 6, 5, 3], "layer head: expected size 60 on axis -1, but got shape [1, 40]"),
    ],
)
def test_inner_layers_check_input_shapes(shape: list[int], words: str) -> None:
    conv = tf.layers.conv2d(filters=2, kernel_size=2, input_shape=[7, 6, 3], name="conv")
    inner = tf.sequential([conv, tf.layers.flatten()])
    model = tf.sequential([inner, tf.layers.dense(units=1, name="head")])
    assert model.apply(tf.ones([1, 7, 6, 3])).shape == (1, 1)
    with pytest.raises(ValueError, match=re.escape(words)):
        model.apply(tf.ones(shape))


def test_computed_output_shape_may_be_a_list() -> None:
    inner = tf.sequential(layers=[tf.layers.input_layer(input_shape=[3]), FirstTwo()])
    assert inner.apply(tf.input(shape=[3])).shape == (None, 2)
    assert inner.compute_output_shape([5, 3]) == (5, 2)


def test_losses_can_be_appended_to_layer() -> None:
    layer = tf.layers.dense(units=1, input_shape=[1], kernel_regularizer="l1l2")
    model = tf.sequential(layers=[layer])
    layer.losses.append(lambda: tf.scalar(5))
    assert (len(layer.losses), len(model.losses)) == (2, 2)


def test_model_level_weights_are_loaded_by_name() -> None:
    class Scaled(tf.LayersModel):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.factor = self.add_weight("factor", [1], "float32", "ones")

    x = tf.input(shape=[3])
    model = Scaled(inputs=x, outputs=tf.layers.dense(units=1).apply(x))
    saved = [(w.name, w.tensor) for w in model.get_named_weights()]
    model.factor.assign(tf.zeros([1]))
    model.load_weights(dict(saved))
    assert model.factor.array_sync() == [1]
