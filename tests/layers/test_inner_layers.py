"""Layers within layers: which weights are trained and saved, and warnings about the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from layers.linear import fit, values

import tfpy as tf


class Block(tf.layers.Layer):
    """A layer made of layers, as Keras's users write it."""

    def __init__(self, listing: bool, **options: Any) -> None:
        super().__init__(**options)
        self.listing = listing
        self.inner = tf.layers.dense(units=2, name="inner")
        self.others = [tf.layers.dropout(rate=0.1), tf.layers.dense(units=2, name="outer")]

    def build(self, input_shape: tf.Shape) -> None:
        self.others[1].apply(self.inner.apply(tf.input(batch_shape=input_shape)))

    @property
    def trainable_weights(self) -> list[tf.LayerVariable]:
        return [*self.inner.trainable_weights, *self.others[1].trainable_weights] if self.listing else []

    def call(self, inputs: tf.Tensor) -> Any:
        return self.others[1].apply(self.inner.apply(inputs))


def block(listing: bool) -> tf.Sequential:
    model = tf.sequential([Block(listing, name="block", input_shape=[2]), tf.layers.dense(units=1)])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    return model


def test_weights_of_layers_in_layers_are_missed(tmp_path: Path) -> None:
    model = block(listing=False)
    missed = r"the weights of block\.inner, block\.others are not part of the model.* trainable_weights"
    with pytest.warns(UserWarning, match=f"fit: {missed}"):
        fit(model)
    with pytest.warns(UserWarning, match="no class Block"), pytest.warns(UserWarning, match=f"save: {missed}"):
        model.save(tmp_path)
    model.layers[0].inner.trainable = model.layers[0].others[1].trainable = False
    fit(model)


def test_weights_of_layers_in_layers_are_trained_where_they_are_listed() -> None:
    model = block(listing=True)
    before = values(model)
    fit(model)
    assert [w.original_name for w in model.weights[:2]] == ["block/inner/kernel", "block/inner/bias"]
    assert all(now != then for now, then in zip(values(model), before, strict=True))


class Holder(Block):
    @property
    def layers_within(self) -> list[tf.layers.Layer]:
        return [self.inner, *self.others]

    trainable_weights = tf.layers.Layer.trainable_weights


def test_a_layer_may_name_the_layers_that_it_holds() -> None:
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
