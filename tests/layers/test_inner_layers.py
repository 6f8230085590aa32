"""Layers that contain layers: which weights are trained and saved, and warnings about the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from layers.linear import fit, values

import tfpy as tf


class Block(tf.layers.Layer):
    """A layer made of layers, in the style of Keras."""

    def __init__(self, list_weights: bool, **options: Any) -> None:
        super().__init__(**options)
        self.list_weights = list_weights
        self.inner = tf.layers.dense(units=2, name="inner")
        self.other_layers = [tf.layers.dropout(rate=0.1), tf.layers.dense(units=2, name="outer")]

    def build(self, input_shape: tf.Shape) -> None:
        self.other_layers[1].apply(self.inner.apply(tf.input(batch_shape=input_shape)))

    @property
    def trainable_weights(self) -> list[tf.LayerVariable]:
        return [*self.inner.trainable_weights, *self.other_layers[1].trainable_weights] if self.list_weights else []

    def call(self, inputs: tf.Tensor) -> Any:
        return self.other_layers[1].apply(self.inner.apply(inputs))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "list_weights": self.list_weights}


def block(list_weights: bool) -> tf.Sequential:
    model = tf.sequential([Block(list_weights, name="block", input_shape=[2]), tf.layers.dense(units=1)])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    return model


def test_unlisted_weights_of_inner_layers_warn(tmp_path: Path) -> None:
    model = block(list_weights=False)
    warning = r"the weights of block\.inner, block\.other_layers are not part of the model.* trainable_weights"
    with pytest.warns(UserWarning, match=f"fit: {warning}"):
        fit(model)
    with pytest.warns(UserWarning, match="no class Block"), pytest.warns(UserWarning, match=f"save: {warning}"):
        model.save(tmp_path)
    model.layers[0].inner.trainable = model.layers[0].other_layers[1].trainable = False
    fit(model)


def test_listed_weights_of_inner_layers_are_trained() -> None:
    model = block(list_weights=True)
    before = values(model)
    fit(model)
    assert [w.original_name for w in model.weights[:2]] == ["block/inner/kernel", "block/inner/bias"]
    assert all(now != then for now, then in zip(values(model), before, strict=True))


class Holder(Block):
    @property
    def layers_within(self) -> list[tf.layers.Layer]:
        return [self.inner, *self.other_layers]

    trainable_weights = tf.layers.Layer.trainable_weights


def test_layers_within_lists_inner_layers() -> None:
    layer = Holder(False, name="block", input_shape=[2])
    model = tf.sequential([layer, tf.layers.dense(units=1)])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    before = values(model)
    fit(model)
    assert [w.original_name for w in model.weights[:4:2]] == ["block/inner/kernel", "block/outer/kernel"]
    assert all(now != then for now, then in zip(values(model), before, strict=True))
    layer.trainable = False
    assert len(layer.non_trainable_weights) == len(layer.weights) == 4
    assert len(model.trainable_weights) == 2
