"""Invalid options of layers, models and callbacks raise errors that name the object and the argument."""

from __future__ import annotations

import math
import traceback
from typing import Any

import numpy as np
import pytest

import tfpy as tf

L = tf.layers
X = np.ones((2, 1))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: L.dense(units=3, use_bias="yes"), "Dense: argument 'use_bias' must be True or False, but got 'yes'"),
        (lambda: L.dense(units=3, trainable="no"), "Dense: argument 'trainable' must be True or False, but got 'no'"),
        (lambda: L.dense(units=3, name=3), "Dense: argument 'name' must be a string, but got 3"),
        (lambda: L.dropout(rate="a"), "Dropout: argument 'rate' must be a number, but got 'a'"),
        (lambda: L.dropout(rate=10**400), "Dropout: argument 'rate' must be a number, but got 1000"),
        (lambda: L.batch_normalization(momentum="a"), "BatchNormalization: argument 'momentum' must be a number"),
        (lambda: L.masking(mask_value="a"), "Masking: argument 'mask_value' must be a number"),
        (
            lambda: tf.sequential([L.conv2d(filters=1, kernel_size=12, input_shape=[8, 8, 1], name="c")]),
            "c: argument 'kernel_size' must be small enough for inputs of size [8, 8], but got [12, 12]",
        ),
        (
            lambda: tf.sequential([L.reshape(target_shape=[3], input_shape=[4], name="r")]),
            "r: argument 'target_shape' must be a shape of 4 elements, as a sample [4] has, but got [3]",
        ),
        (lambda: L.reshape(target_shape=3), "Reshape: argument 'target_shape' must be a list of whole numbers or None"),
        (lambda: L.permute(dims=1), "Permute: argument 'dims' must be a list of whole numbers, but got 1"),
        (
            lambda: L.dropout(rate=0.5, noise_shape=3),
            "Dropout: argument 'noise_shape' must be a list of whole numbers or None",
        ),
        (
            lambda: L.dense(units=1, kernel_initializer=tf.initializers.randomNormal),
            "an initializer: call the function, as in tf.initializers.random_normal(…), but got",
        ),
        (lambda: L.dense(units=1, kernel_regularizer=tf.regularizers.l2), "as in tf.regularizers.l2(…), but got"),
        (lambda: L.permute(dims=["a"]), "Permute: argument 'dims' must be a list of whole numbers, but got ['a']"),
        (lambda: L.gru(units="a"), "GRU: argument 'units' must be a whole number, but got 'a'"),
        (lambda: L.batch_normalization(axis=[3.5]), "BatchNormalization: argument 'axis' must be a whole number"),
        (lambda: L.dense(units=1, dtype=32), "Dense: argument 'dtype' must be the name of a dtype, but got 32"),
        (lambda: L.dense(units=1, weights=3), "Dense: argument 'weights' must be a list, but got 3"),
        (lambda: L.dense(units=1, input_dim="a"), "Dense: argument 'input_dim' must be a whole number, but got 'a'"),
        (lambda: L.gru(units=1, dropout_func=3), "GRU: argument 'dropout_func' must be a function, but got 3"),
        (lambda: L.lambda_(function=3), "Lambda: argument 'function' must be a function, but got 3"),
        (lambda: tf.sequential(layers=3), "sequential: argument 'layers' must be a list of layers, but got 3"),
        (
            lambda: L.dense(units=1, name="d").build(None),
            "d: argument 'input_shape' must be a shape that starts with the batch size",
        ),
        (lambda: L.dense(units=1, name="d").compute_output_shape([]), "d: argument 'input_shape' must be a shape"),
        (
            lambda: L.dense(units=1, name="d").set_weights([[[1.0]], [0.0]]),
            "the number of weights of layer d, which makes them when it is first built or called, but got 2 of them",
        ),
        *(
            (
                lambda layer=layer: layer.compute_output_shape([None, 6, 6]),
                "x: argument 'input_shape' must be of rank 4",
            )
            for layer in (
                L.conv2d(filters=1, kernel_size=1, name="x"),
                L.separable_conv2d(filters=1, kernel_size=1, name="x"),
                L.max_pooling2d(name="x"),
                L.global_max_pooling2d(name="x"),
                L.up_sampling2d(name="x"),
                L.permute(dims=[1, 3, 2], name="x"),
            )
        ),
        (
            lambda: L.repeat_vector(n=2, name="r").compute_output_shape([3]),
            "r: argument 'input_shape' must be of rank 2",
        ),
        (lambda: L.add(name="a").call([tf.scalar(1), tf.ones([1])]), "a: argument 'inputs' must be tensors whose"),
        (lambda: L.add(name="a").compute_output_shape(None), "a: argument 'input_shape' must be a shape that starts"),
        (lambda: L.dense(units=1, name="d").apply([[1.0]], 3), "d: argument 'kwargs' must be a dict of keywords"),
        (
            lambda: L.dense(units=1, name="d").apply([[1.0]], {"trainin": True}),
            "d: unknown option 'trainin'. Did you mean 'training'?",
        ),
        (
            lambda: L.lstm(units=1, name="l").apply(tf.input(shape=[2, 1]), initialStates=[tf.input(shape=[1])] * 2),
            "l: unknown option 'initialStates'. Did you mean 'initialState'?",
        ),
        (
            lambda: L.activation(activation="relu", name="a").call([None]),
            "a: argument 'inputs' must be a tensor or numbers",
        ),
        (lambda: L.dense(units=0, name="d"), "Dense: argument 'units' must be a whole number above 0, but got 0"),
        (lambda: L.conv2d(filters=0, kernel_size=1), "Conv2D: argument 'filters' must be a whole number above 0"),
        (lambda: L.dense(units=1, input_shape=[-1]), "Dense: argument 'input_shape' must be sizes of 0 or more, or"),
        (lambda: L.flatten(name="f").compute_output_shape([1, None]), "f: argument 'input_shape' must be fully known"),
        (lambda: L.dense(units=1).get_input_at("a"), "get_input_at: argument 'node_index' must be a whole number"),
        (
            lambda: L.dense(units=1).add_weight("w", [None, 2]),
            "add_weight: argument 'shape' must be a whole number, but got None",
        ),
        (lambda: L.dense(units=1).add_weight("w", None), "add_weight: argument 'shape' must be a list of whole"),
        (lambda: L.dense(units=1).from_config(3), "from_config: argument 'config' must be a dict, but got 3"),
        (lambda: L.gru_cell(units=1, name="c").call(3), "c: argument 'inputs' must be a list of 2 tensors"),
        (
            lambda: L.gru(units=1, name="g").apply(tf.ones([1, 2, 3]), initial_state="a"),
            "g: argument 'initial_state' must be a tensor of numbers or booleans, but got 'a'",
        ),
        (
            lambda: L.gru(units=1, name="g").apply(tf.ones([1, 2, 3]), initial_state=[]),
            "g: argument 'initial_state' must be a list of at least one state",
        ),
        (
            lambda: L.input_layer(input_shape=[2], batch_input_shape=[1, 2]),
            "InputLayer: argument 'input_shape' must be omitted if batch_input_shape is given, but got [2]",
        ),
        (
            lambda: L.input_layer(batch_size=1, batch_input_shape=[1, 2]),
            "InputLayer: argument 'batch_size' must be omitted if batch_input_shape is given, but got 1",
        ),
        (lambda: L.input_layer(input_shape=[2], name="i").apply(tf.ones([1, 2])), "i: an input layer cannot be called"),
        (
            lambda: tf.SymbolicTensor("float32", 3),
            "SymbolicTensor: argument 'shape' must be a list of sizes, but got 3",
        ),
        (lambda: tf.SymbolicTensor("float", [3]), "SymbolicTensor: argument 'dtype' must be one of 'float32', 'int32'"),
        (lambda: tf.input(shape=math.nan), "input: argument 'input_shape' must be a whole number, but got nan"),
        (lambda: tf.initializers.glorot_normal().apply([-1]), "apply: argument 'shape' must be sizes of 0 or more"),
        (lambda: tf.initializers.orthogonal().apply([2, -1]), "apply: argument 'shape' must be sizes of 0 or more"),
        (lambda: tf.initializers.glorot_normal().apply(None), "apply: argument 'shape' must be a list of whole"),
        (lambda: tf.regularizers.l2().apply(None), "apply: argument 'x' must be a tensor, but got None"),
        (lambda: tf.callbacks.early_stopping(monitor=3), "argument 'monitor' must be the name of a number in the"),
        (lambda: L.stacked_rnn_cells(cells=2), "StackedRNNCells: argument 'cells' must be a list, but got 2"),
        (lambda: L.stacked_rnn_cells(cells=[]), "argument 'cells' must be a list of at least one cell, but got []"),
        (lambda: L.rnn(cell=[]), "argument 'cells' must be a list of at least one cell, but got []"),
        (
            lambda: tf.sequential([L.random_width(factor=0.5, input_shape=[3], name="w")]),
            "w: argument 'inputs' must be images, of rank 3 or 4, but got the shape [None, 3]",
        ),
        (
            lambda: tf.sequential([L.time_distributed(layer=L.gru(units=2, name="g"), input_shape=[2, 3, 4, 5])]),
            "Input 0 does not fit layer g: expected rank 3, but got shape [None, 3, 4, 5].",
        ),
        (
            lambda: tf.sequential([L.dense(units=1, input_shape=[2])]).get_layer(index="a"),
            "get_layer: argument 'index' must be a whole number, but got 'a'",
        ),
        (lambda: tf.train.adam(0.1, beta1="a"), "adam: argument 'beta1' must be a number, but got 'a'"),
        (lambda: tf.callbacks.model_checkpoint(3), "model_checkpoint: argument 'filepath' must be a path, but got 3"),
        (lambda: tf.callbacks.early_stopping(patience="a"), "early_stopping: argument 'patience' must be a whole"),
        (lambda: tf.losses.huber_loss([[1]], [[1]], delta="a"), "huber_loss: argument 'delta' must be a number"),
        (lambda: tf.load_layers_model(3), "load_layers_model: argument 'path_or_io_handler' must be a path, a URL"),
        (lambda: tf.load_graph_model(3), "load_graph_model: argument 'model_url' must be a path, a URL"),
    ],
)
def test_invalid_option_raises(make: Any, text: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        make()
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: L.dropout(rate=50), "Dropout: rate is 50, not a fraction from 0 to 1"),
        (lambda: L.gru(units=1, recurrent_dropout=-0.1), "GRUCell: recurrent_dropout is -0.1"),
    ],
)
def test_rate_that_drops_nothing_warns(make: Any, text: str) -> None:
    with pytest.warns(UserWarning, match=text):
        make()


def test_variance_scaling_rejects_unknown_mode_and_distribution() -> None:
    for option in ("mode", "distribution"):
        with pytest.raises(ValueError, match=f"variance_scaling initializer.*{option}"):
            tf.initializers.variance_scaling(**{option: "cauchy"})
    both = [tf.initializers.variance_scaling(distribution=d) for d in ("truncatedNormal", "truncated_normal")]
    assert both[0].get_config() == both[1].get_config()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: L.dense(units=1, activation="foo"), "Known: elu, exponential, gelu, gelu_new, hard_sigmoid,"),
        (
            lambda: L.dense(units=1, kernel_initializer="foo"),
            "Known: constant, glorot_normal, glorot_uniform, he_normal",
        ),
        (lambda: L.dense(units=1, bias_regularizer="foo"), "Known: l1, l1l2, l2."),
        (lambda: L.dense(units=1, bias_constraint="foo"), "Known: max_norm, min_max_norm, non_neg, unit_norm."),
        (lambda: compiled(optimizer="foo"), "Known: adadelta, adagrad, adam, adamax, adamw, nadam, rmsprop, sgd."),
        (lambda: compiled(optimizer="momentum"), "pass tf.train.momentum(learning_rate, momentum)."),
        (
            lambda: compiled(loss="foo"),
            "Known: binary_crossentropy, binary_crossentropy_from_logits, categorical_crossentropy,",
        ),
        (
            lambda: compiled(metrics=["foo"]),
            "Known: accuracy, binary_accuracy, binary_crossentropy, categorical_accuracy",
        ),
        (lambda: compiled(metrics=["binary_acuracy"]), "'binary_acuracy'. Did you mean 'binary_accuracy'?"),
    ],
)
def test_error_of_unknown_name_lists_known_names(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match="Unknown") as caught:
        make()
    assert text in str(caught.value)


def compiled(**options: Any) -> None:
    tf.sequential([L.dense(units=1, input_shape=[1])]).compile(**{"optimizer": "sgd", "loss": "mse", **options})


def test_error_of_unknown_activation_lists_layers() -> None:
    with pytest.raises(ValueError, match="'PReLU'. Did you mean 'ReLU'?") as caught:
        L.dense(units=1, activation="PReLU")
    assert "or a layer: ELU, LeakyReLU, ReLU, Softmax, ThresholdedReLU." in caught.value.__notes__[0]


@pytest.mark.parametrize("make", [L.dense, L.simple_rnn, L.gru, L.lstm])
def test_activation_that_returns_no_tensor_raises(make: Any) -> None:
    for wrong in (len, lambda x: x.numpy()):
        with pytest.raises(TypeError, match=rf"activation {wrong.__name__}: must return a tensor, but returned"):
            make(units=1, activation=wrong).apply(tf.ones([1, 2, 3]))


def test_error_of_unknown_activation_names_the_option() -> None:
    with pytest.raises(ValueError, match="Unknown activation 'junk'") as caught:
        L.dense(units=1, activation="junk")
    assert "In option 'activation' of Dense." in traceback.format_exception_only(caught.value)[-1]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda m: m.call(None), "argument 'inputs' must be a tensor or numbers, but got None"),
        (
            lambda m: (
                m.compile(optimizer="sgd", loss="meanSquaredError", metrics=[lambda a, b: None])
                or m.train_on_batch([[1.0]], [[1.0]])
            ),
            "The metric '<lambda>' must return a tensor or numbers, but returned None",
        ),
        (
            lambda m: m.compile(optimizer="sgd", loss=lambda one: one),
            "compile: argument 'loss' must be a name or a function of (y_true, y_pred), but got <lambda>(one)",
        ),
        (
            lambda m: m.compile(optimizer="sgd", loss="mse", metrics=[lambda: 1]),
            "compile: argument 'metrics' must be names or functions of (y_true, y_pred), but got <lambda>()",
        ),
        (
            lambda m: m.fit([[1.0]], [[1.0]], validation_data=tf.data.array([1]).batch(1), verbose=0),
            "fit, validation_data: argument 'dataset' must be made of batches",
        ),
        (lambda m: m.call([[1.0], [1.0]]), "argument 'inputs' must be 1 tensors, but got 2"),
        (lambda m: m.apply(tf.tensor(["a"])), "argument 'inputs' must be of dtype float32"),
        (
            lambda m: m.fit(X, X, shuffle=np.ones(2), verbose=0),
            "fit: argument 'shuffle' must be True or False or a string",
        ),
        (lambda m: m.evaluate(X, X, verbose=np.ones(2)), "evaluate: argument 'verbose' must be a whole number"),
        (
            lambda m: m.fit(lambda: None, verbose=0),
            "fit: argument 'x' must be a function that returns an iterator",
        ),
        (
            lambda m: m.evaluate_dataset(lambda: None),
            "evaluate_dataset: argument 'dataset' must be a function that returns an iterator",
        ),
        (lambda m: m.get_layer(np.ones(2)), "get_layer: argument 'name_or_index' must be a string or a whole number"),
    ],
)
def test_invalid_method_arguments_of_model_raise(call: Any, text: str) -> None:
    model = tf.sequential([L.dense(units=1, input_shape=[1])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    with pytest.raises((ValueError, TypeError)) as caught:
        call(model)
    assert text in str(caught.value)


def test_invalid_return_cost_raises_before_any_update() -> None:
    v, optimizer = tf.variable([1.0]), tf.train.sgd(0.1)
    with pytest.raises(TypeError, match="minimize: argument 'return_cost' must be True or False"):
        optimizer.minimize(lambda: v.sum(), np.ones(2))
    assert optimizer.iterations == 0
    assert v.array_sync() == [1]


def test_numpy_scalars_as_options() -> None:
    layer = L.dropout(rate=np.float32(0.5), trainable=np.bool_(True))
    assert layer.rate == 0.5


@pytest.mark.cpu  # a GPU does not check indices that only it knows
def test_error_in_call_names_the_layer() -> None:
    model = tf.sequential([L.embedding(input_dim=3, output_dim=2, input_length=2, name="words")])
    with pytest.raises(ValueError, match="indices") as caught:
        model.predict([[0, 9]])
    assert "In layer words (Embedding), called on [1, 2]." in traceback.format_exception_only(caught.value)[-1]


class ConcatTwice(L.Layer):
    def call(self, inputs: Any) -> Any:
        return self.inner.apply(tf.concat([inputs, inputs], 1))


@pytest.mark.parametrize(
    ("call", "notes"),
    [
        (
            lambda: L.conv2d(filters=1, kernel_size=5, name="c").apply(tf.ones([1, 3, 3, 1])),
            ["In layer c (Conv2D), called on [1, 3, 3, 1]."],
        ),
        (
            lambda: L.lambda_(function=lambda x: x.reshape([7]), name="seven").apply(tf.ones([1, 4])),
            ["In layer seven (Lambda), called on [1, 4]."],
        ),
        (
            lambda: L.lambda_(function=lambda x: [][1], name="none").apply([[1.0], [2.0]]),
            ["In layer none (Lambda)."],
        ),
        (
            lambda: tf.sequential([L.dense(units=1, input_shape=[3], name="d")], name="s").apply(tf.ones([1, 4])),
            ["In layer s (Sequential), called on [1, 4]."],
        ),
        (lambda: L.dense(units=1, name="d").apply(None), []),
        (lambda: L.reshape(target_shape=[5], name="r").apply(tf.ones([1, 3])), []),
    ],
)
def test_direct_call_error_names_the_layer_once(call: Any, notes: list[str]) -> None:
    with pytest.raises((ValueError, TypeError, IndexError)) as caught:
        call()
    assert getattr(caught.value, "__notes__", []) == notes


def test_nested_layer_error_names_both_layers() -> None:
    outer, inner = ConcatTwice(name="outer"), L.lambda_(function=lambda x: x.reshape([7]), name="inner")
    outer.inner = inner
    with pytest.raises(ValueError, match="reshape") as caught:
        outer.apply(tf.ones([1, 4]))
    assert caught.value.__notes__ == [
        "In layer inner (Lambda), called on [1, 8].",
        "In layer outer (ConcatTwice), called on [1, 4].",
    ]


def test_repr_of_callback_shows_options() -> None:
    assert repr(tf.callbacks.terminate_on_nan()) == "TerminateOnNaN()"
    assert "patience=3" in repr(tf.callbacks.early_stopping(patience=3))
