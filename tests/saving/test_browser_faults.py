"""Warnings about what TF.js in a browser cannot load or computes differently."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from saving.layer_models import Amplified

import tfpy as tf
from tfpy.core.io.artifacts import as_artifacts
from tfpy.layers.saving.tfjs_compatibility import browser_faults


def test_strict_save_raises_for_unsupported_layers(tmp_path: Path) -> None:
    model = tf.sequential(
        layers=[
            tf.layers.dense(units=1, input_shape=[1], activation="exponential", name="d"),
            Amplified(name="mine"),
            tf.layers.dense(units=1, activation="gelu_new", name="e"),
        ]
    )
    with pytest.raises(ValueError, match="Nothing was saved") as error:
        model.save(tmp_path / "m", strict=True)
    assert not (tmp_path / "m").exists()
    for fault in ("layer 'd' (Dense): TF.js has no activation 'exponential'", "layer 'mine' (Amplified)", "'gelu_new'"):
        assert fault in str(error.value)
    with pytest.warns(UserWarning, match="exponential"):
        model.save(tmp_path / "m")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.save(tmp_path / "m", strict=False)


@pytest.mark.parametrize(
    ("layer", "fault"),
    [
        (lambda: tf.layers.conv1d(filters=1, kernel_size=2, padding="causal"), "padding='causal'"),
        (lambda: tf.layers.conv1d(filters=1, kernel_size=2, padding="same"), None),
        (lambda: tf.layers.depthwise_conv2d(kernel_size=2, dilation_rate=[1, 2]), r"dilation_rate=\[1, 2\]"),
        (lambda: tf.layers.depthwise_conv2d(kernel_size=2), None),
        (lambda: tf.layers.elu(alpha=0.5), "alpha=0.5"),
        (lambda: tf.layers.elu(), None),
        (lambda: tf.layers.gru(units=1, reset_after=True), "reset_after=True"),
        (lambda: tf.layers.gru(units=1), None),
        (lambda: tf.layers.lstm(units=1, zero_output_for_mask=True), None),  # the model has no masks
        (lambda: tf.layers.lstm(units=1), None),
        (lambda: tf.layers.dense(units=1, activity_regularizer="l2"), "does not run layers with an activity_regularizer"),
        (lambda: tf.layers.resizing(height=2, width=2), "cannot use Resizing"),
        (lambda: tf.layers.up_sampling1d(size=2), "no class UpSampling1D"),
        (lambda: tf.layers.up_sampling2d(half_pixel_centers=True), None),
    ],
)  # fmt: skip
def test_unsupported_layers_and_options(layer: Any, fault: str | None, tmp_path: Path) -> None:
    built = layer()
    rank = 4 if built.get_class_name() in ("DepthwiseConv2D", "Resizing", "UpSampling2D") else 3
    model = tf.sequential(layers=[tf.layers.activation(activation="relu", input_shape=[3] * (rank - 1)), built])
    if fault is None:
        model.save(tmp_path, strict=True)
    else:
        with pytest.raises(ValueError, match=fault):
            model.save(tmp_path, strict=True)


def test_different_results_are_reported_separately(tmp_path: Path) -> None:
    lstm = tf.layers.lstm(units=1, return_sequences=True, zero_output_for_mask=True)
    both = tf.layers.bidirectional(layer=lstm, name="both")
    gru = tf.layers.gru(units=1, reset_after=True, name="g")
    with pytest.warns(UserWarning, match="will not load or run") as caught:
        tf.sequential([tf.layers.masking(input_shape=[3, 2]), both, gru], name="m").save(tmp_path)
    assert str(caught[0].message) == (
        "model m: TF.js 4.22 will not load or run this in a browser: layer 'g' (GRU): TF.js does not take "
        "reset_after=True: train with reset_after=False. TF.js 4.22 will compute otherwise: layer 'both' "
        "(Bidirectional): LSTM: TF.js does not heed zero_output_for_mask=True: train without it."
    )


def test_unsupported_training_configuration() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])]).to_json(return_string=False)
    training = {
        "loss": ["ctc", None],
        "metrics": {"a": "recall"},
        "optimizer_config": {"class_name": "Adamax", "config": {}},
    }
    given = {"modelTopology": model, "trainingConfig": training}
    assert [fault.text for fault in browser_faults(as_artifacts(given, "test"), ["a", "a", "b"])] == [
        "TF.js cannot restore the state of the optimizer Adamax",
        "TF.js does not read lists of losses with None; compile with a dict of the other outputs' losses",
        "TF.js has no loss 'ctc'",
        "TF.js has no metric 'recall'",
        "there are two weights of the name 'a'",
    ]


@pytest.mark.parametrize(("name", "accepted"), [("a-b/c.d_1", True), ("1", True), ("my layer", False), ("_a", False)])
def test_layer_names_that_tfjs_rejects(name: str, accepted: bool, tmp_path: Path) -> None:
    within = tf.layers.dense(units=1, name="wrapped layer")
    layer = tf.layers.time_distributed(layer=within, input_shape=[2, 1], name=name)
    model = tf.sequential([tf.sequential([layer])], name="the model")
    if accepted:
        model.save(tmp_path, strict=True)
    else:
        with pytest.raises(ValueError, match=f"layer '{name}': TF.js takes names of letters, digits"):
            model.save(tmp_path, strict=True)
