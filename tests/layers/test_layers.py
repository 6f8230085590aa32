"""Every layer, for each row of the table: construction, config, shapes, values, gradients, training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from layers.rows import ROWS
from layers.table import Row
from tolerance import FORWARD, GRADIENT, ROUNDING

import tfpy as tf
from tfpy.core.naming.names import camel
from tfpy.engine.backend import registry
from tfpy.layers.base import Layer
from tfpy.layers.symbolic import to_list

every_row = pytest.mark.parametrize("row", ROWS, ids=str)


def outputs(found: Any) -> list[np.ndarray]:
    return [t.numpy() for t in to_list(found)]


def built(row: Row, weights: Any = None, **more: Any) -> Any:
    layer = row.make(**more)
    layer.build([a.shape for a in row.arrays()] if len(row.shapes) > 1 else row.shapes[0])
    layer.built = True
    layer.set_weights([tf.tensor(w, dtype="float32") for w in (row.random_weights() if weights is None else weights)])
    return layer


@every_row
def test_options_as_dict_or_keywords_in_both_spellings(row: Row) -> None:
    factory = getattr(tf.layers, row.factory)
    assert getattr(tf.layers, camel(row.factory, "layers")) is factory
    forms = [
        factory({**row.options, **row.wraps(), "name": "x"}),
        factory(name="x", **row.options, **row.wraps()),
        factory({camel(k): v for k, v in {**row.options, **row.wraps(), "name": "x"}.items()}),
    ]
    configs = [_without_names(layer.get_config()) for layer in forms]
    assert configs[0] == configs[1] == configs[2]
    with pytest.raises(TypeError, match="nonsense"):
        factory({**row.options, **row.wraps(), "nonsense": 1})


def _without_names(config: Any) -> Any:
    if isinstance(config, dict):
        return {k: _without_names(v) for k, v in config.items() if k != "name"}
    return [_without_names(v) for v in config] if isinstance(config, list) else config


@every_row
def test_weight_shapes(row: Row) -> None:
    layer = built(row)
    assert [w.shape for w in layer.weights] == [tuple(s) for s in row.weights]
    assert layer.count_params() == sum(int(np.prod(s)) for s in row.weights)
    assert len({w.name for w in layer.weights}) == len(row.weights)


@every_row
def test_output_matches_reference(row: Row, backend: str) -> None:
    layer = built(row)
    found = outputs(layer.apply(row.inputs(), row.call))
    if row.reference is None:
        registry.use("double")
        expected = outputs(built(row).apply(row.inputs(), row.call))
    else:
        values = [np.float32(w).astype(np.float64) for w in row.random_weights()]
        expected = to_list(row.reference(*(a.astype(np.float64) for a in row.arrays()), *values))
    relative, absolute = FORWARD[backend]
    for f, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(f, e, rtol=20 * relative, atol=20 * absolute)


@every_row
def test_computed_output_shapes_match_outputs(row: Row) -> None:
    layer = built(row)
    found = [o.shape for o in outputs(layer.apply(row.inputs(), row.call))]
    shapes = [list(s) for s in row.shapes]
    for batch in (row.shapes[0][0], None):
        given = [(batch, *s[1:]) for s in shapes]
        computed = layer.shapes_of_call(given if len(given) > 1 else given[0], row.call)
        listed = computed if isinstance(computed, list) else [computed]
        assert [(batch, *s[1:]) for s in found] == [tuple(s) for s in listed]


@every_row
def test_config_round_trip(row: Row) -> None:
    layer = built(row)
    config = layer.get_config()
    again = type(layer).from_config(json.loads(json.dumps(config)))
    assert again.get_config() == config
    camel_cased = {camel(k): v for k, v in config.items()}
    assert type(layer).from_config(camel_cased).get_config() == config
    again.build([a.shape for a in row.arrays()] if len(row.shapes) > 1 else row.shapes[0])
    again.built = True
    again.set_weights(layer.get_weights())
    for a, b in zip(
        outputs(layer.apply(row.inputs(), row.call)), outputs(again.apply(row.inputs(), row.call)), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=2e-6)


@every_row
def test_model_output_equals_layer_output(row: Row) -> None:
    layer = row.make()
    entries = [tf.input(shape=s[1:]) for s in row.shapes]
    model = tf.model(inputs=entries, outputs=layer.apply(entries if len(entries) > 1 else entries[0], row.call))
    model.set_weights([tf.tensor(w, dtype="float32") for w in row.random_weights()])
    direct = outputs(layer.apply(row.inputs(), row.call))
    for a, b in zip(direct, outputs(model.predict(row.arrays() if len(entries) > 1 else row.arrays()[0])), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=ROUNDING)


@every_row
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_saved_model_predicts_the_same(row: Row, tmp_path: Path) -> None:
    entries = [tf.input(shape=s[1:]) for s in row.shapes]
    model = tf.model(inputs=entries, outputs=row.make().apply(entries if len(entries) > 1 else entries[0], row.call))
    model.set_weights([tf.tensor(w, dtype="float32") for w in row.random_weights()])
    model.save(tmp_path / "model")
    again = tf.load_layers_model(tmp_path / "model" / "model.json")
    x = row.arrays() if len(entries) > 1 else row.arrays()[0]
    for a, b in zip(outputs(model.predict(x)), outputs(again.predict(x)), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-6)


@every_row
def test_gradients_match_central_differences(row: Row) -> None:
    """Of a weighted sum of the outputs, with respect to inputs and weights, in float64."""
    registry.use("double")
    layer = built(row)
    rng = np.random.default_rng(5)
    arrays = [a.astype(np.float64) for a in row.arrays()]
    weights = [w.numpy().copy() for w in layer.weights]
    dys = [rng.normal(size=o.shape) for o in outputs(layer.apply(row.inputs(arrays), row.call))]

    def cost(*tensors: tf.Tensor) -> tf.Tensor:
        found = to_list(layer.apply(tensors[0] if len(tensors) == 1 else list(tensors), row.call))
        total = tf.scalar(0)
        for y, dy in zip(found, dys, strict=True):
            total = total.add(y.mul(tf.tensor(dy)).sum())
        return total

    def value(shift: float) -> float:
        layer.set_weights([tf.tensor(w + shift * d) for w, d in zip(weights, weight_directions, strict=True)])
        moved = [tf.tensor(a + shift * d) for a, d in zip(arrays, directions, strict=True)]
        return float(cost(*moved))

    changed = {w.name for w in layer.trainable_weights}
    weight_directions = [rng.normal(size=w.shape) if w.name in changed else np.zeros(w.shape) for w in layer.weights]
    directions = [rng.normal(size=a.shape) if row.differentiable else np.zeros(a.shape) for a in arrays]
    numeric = (value(1e-6) - value(-1e-6)) / 2e-6
    layer.set_weights([tf.tensor(w) for w in weights])
    tensors = [tf.tensor(a) for a in arrays]
    exact = 0.0
    if row.differentiable:
        exact += sum(float((g.numpy() * d).sum()) for g, d in zip(tf.grads(cost)(tensors), directions, strict=True))
    if weights:
        found = tf.variable_grads(lambda: cost(*tensors), layer.trainable_weights).grads
        for w, d in zip(layer.weights, weight_directions, strict=True):
            exact += float((found[w.name].numpy() * d).sum()) if w.name in found else 0.0
    np.testing.assert_allclose(exact, numeric, rtol=GRADIENT, atol=GRADIENT)


@every_row
def test_layer_trains_in_a_model(row: Row) -> None:
    layer = row.make()
    entries = [tf.input(shape=s[1:]) for s in row.shapes]
    found = layer.apply(entries if len(entries) > 1 else entries[0], row.call)
    flat = [y if len(y.shape) == 2 else tf.layers.flatten().apply(y) for y in to_list(found)]
    joined = tf.layers.concatenate().apply(flat) if len(flat) > 1 else flat[0]
    model = tf.model(inputs=entries, outputs=tf.layers.dense(units=2).apply(joined))
    model.compile(optimizer="sgd", loss="meanSquaredError")
    before = [w.numpy().copy() for w in layer.trainable_weights]
    batch = row.shapes[0][0]
    tensors = tf.memory().num_tensors
    losses = [
        model.train_on_batch(row.arrays() if len(entries) > 1 else row.arrays()[0], np.ones((batch, 2)))
        for _ in range(3)
    ]
    assert tf.memory().num_tensors == tensors, "training steps leaked tensors"
    assert np.isfinite(losses).all()
    for b, w in zip(before, layer.trainable_weights, strict=True):
        assert not np.array_equal(b, w.numpy()), f"{w.name} was not trained"


# The input rank of layers that accept only one, by the name of the factory or its suffix.
RANKS = {"1d": 3, "2d": 4, "3d": 5, "conv2d_transpose": 4, "conv3d_transpose": 5, "conv_lstm2d": 5, "repeat_vector": 2}
RANKS |= dict.fromkeys(("simple_rnn", "gru", "lstm", "rnn"), 3)
OF_ONE_RANK = {r.factory: r for r in ROWS if {r.factory, r.factory[-2:]} & set(RANKS)}


@pytest.mark.parametrize("row", OF_ONE_RANK.values(), ids=str)
def test_input_of_wrong_rank_raises(row: Row) -> None:
    rank = RANKS.get(row.factory) or RANKS[row.factory[-2:]]
    for other in (rank - 1, rank + 1):
        for layer in (row.make(), built(row)):
            with pytest.raises(ValueError, match=f"expected rank {rank}, but got shape"):
                layer.apply(tf.input(shape=[4] * (other - 1)))


# The layers that support masks in TF.js, and corresponding layers that TF.js does not have.
MASKING = {
    "Activation", "Add", "AlphaDropout", "Attention", "Average", "BatchNormalization", "Bidirectional", "Concatenate",
    "ConvLSTM2D", "Dense", "Dot", "Dropout", "GRU", "GaussianDropout", "GaussianNoise", "GroupNormalization", "LSTM",
    "LayerNormalization", "Masking", "Maximum", "Minimum", "MultiHeadAttention", "Multiply", "PReLU", "RNN", "ReLU",
    "SimpleRNN", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "Subtract", "TimeDistributed",
    "UnitNormalization",
}  # fmt: skip


@every_row
def test_mask_support_is_that_of_tfjs(row: Row) -> None:
    layer = row.make()
    assert layer.supports_masking == (type(layer).__name__ in MASKING or row.options.get("mask_zero", False))


def test_layers_and_weights_are_numbered_in_order_of_creation() -> None:
    class Numbered(tf.layers.Layer, class_name="Numbered"):
        def build(self, input_shape: Any) -> None:
            self.numbered = self.add_weight("numbered", [1])
            self.built = True

    layers = [Numbered() for _ in range(3)]
    for layer in layers:
        layer.build([None, 1])
    assert [layer.name for layer in layers] == [f"numbered_Numbered{i}" for i in (1, 2, 3)]
    assert [layer.weights[0].name for layer in layers] == ["numbered", "numbered_1", "numbered_2"]


def test_every_layer_has_a_row() -> None:
    elsewhere = {"InputLayer", "Layer", "RNNCell", "SimpleRNNCell", "GRUCell", "LSTMCell", "StackedRNNCells"}
    elsewhere |= {"ConvLSTM2DCell", "Lambda", "LayersModel", "RandomWidth", "Sequential"}
    elsewhere |= {"Normalization", "Operation"}  # created only when Keras files are loaded
    with_rows = {type(r.make()).__name__ for r in ROWS}
    ours = {cls.__name__ for cls in Layer.members.values() if cls.__module__.startswith("tfpy.")}
    missing = ours - with_rows - elsewhere
    assert not missing, f"no rows for {sorted(missing)}"
