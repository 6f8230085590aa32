"""Options of layers in files of Keras, supported and unsupported."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saving.keras_configs import called, entry, functional, keras_file, predicted, sequential, tensor

import tfpy as tf


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (entry("Resizing", name="r", height=1, width=2, crop_to_aspect_ratio=True), "layer r: crop_to_aspect_ratio=True"),
        (entry("Resizing", name="r", height=1, width=2, pad_to_aspect_ratio=True), "option pad_to_aspect_ratio of Resizing"),
        (entry("Conv2D", name="c", filters=2, kernel_size=1, groups=2), r"c: option groups of Conv2D is 2 in the file.*; use 1"),
        (entry("Resizing", name="c", height=1, width=1, data_format="channels_first"), "use 'channels_last'"),
        (entry("LayerNormalization", name="n", rms_scaling=True), "option rms_scaling of LayerNormalization is True"),
    ],
)  # fmt: skip
def test_unsupported_option_raises(layer: Any, message: str, tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", sequential([2, 4, 2], layer), {})
    with pytest.raises(tf.io.ModelFileError, match=message):
        tf.load_layers_model(path)


def test_channels_last_does_not_warn(tmp_path: Path) -> None:
    layer = entry("Resizing", name="r", height=1, width=2, data_format="channels_last")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.load_layers_model(keras_file(tmp_path / "m.keras", sequential([2, 4, 2], layer), {}))


def bidirectional(**backward: Any) -> dict[str, Any]:
    """A Bidirectional layer whose backward layer has these options in addition to those of the forward layer."""
    options = {"units": 1, "activation": "linear", "use_bias": False}
    forward = entry("SimpleRNN", name="f", **options)
    return sequential([2, 1], entry(
        "Bidirectional", name="b", merge_mode="sum", layer=forward,
        backward_layer=entry("SimpleRNN", name="g", go_backwards=True, **{**options, **backward}),
    ))  # fmt: skip


def test_backward_layer_with_a_different_computation_raises(tmp_path: Path) -> None:
    weights = {f"layers/bidirectional/{part}_layer/cell/vars/{i}": [[1.0]] for part in ("forward", "backward") for i in (0, 1)}  # fmt: skip
    ones = entry("Ones", module="keras.initializers")
    path = keras_file(tmp_path / "m.keras", bidirectional(kernel_initializer=ones), weights)
    assert predicted(path, [[[1], [2]]]) == 6
    with pytest.raises(tf.io.ModelFileError, match="b: option backward_layer of Bidirectional"):
        tf.load_layers_model(keras_file(tmp_path / "m.keras", bidirectional(activation="relu"), weights))


@pytest.mark.parametrize(("backwards", "kept"), [(False, [1, 0]), (True, [1, 1])])
@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_zero_output_for_mask_returns_zeros_at_a_masked_last_step(
    kind: str, backwards: bool, kept: list[int], tmp_path: Path
) -> None:
    """As in Keras 3.15, where Bidirectional sets the option only if it returns sequences."""
    options = {"units": 2, "go_backwards": backwards, "zero_output_for_mask": True}
    rnn = getattr(tf.layers, {"SimpleRNN": "simple_rnn"}.get(kind, kind.lower()))
    x, mask = tf.tensor([[[1.0], [2]], [[1], [2]]]), tf.tensor([[True, True], [True, False]])
    layer = rnn(**options, return_state=True)
    output, state, *_ = layer.apply(x, mask=mask)
    np.testing.assert_array_equal(output.numpy(), state.numpy() * np.array(kept)[:, None])
    assert state.numpy().all()


def test_center_crop_warns_about_differing_results(tmp_path: Path) -> None:
    config = sequential([4, 4, 1], entry("CenterCrop", name="c", height=2, width=3))
    with pytest.warns(UserWarning, match="layer c: Keras crops differently if the width shrinks by 1"):
        model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, {}))
    with pytest.raises(ValueError, match="layer 'c': Keras crops differently"):
        model.save(tmp_path / "again.keras", strict=True)


def test_class_name_of_wrong_type_raises(tmp_path: Path) -> None:
    layer = entry("Flatten", name="f")
    tf.load_layers_model(keras_file(tmp_path / "m.keras", {**sequential([2], layer), "numbers_of": []}, {}))
    with pytest.raises(tf.io.ModelFileError, match=r"layers\[1\]"):
        tf.load_layers_model(keras_file(tmp_path / "m.keras", sequential([2], {**layer, "class_name": []}), {}))


# Supported options


@pytest.mark.parametrize(
    ("layer", "shape", "expected"),
    [
        (entry("GlobalAveragePooling1D", name="g", keepdims=True), [2, 1], [[[0.5]]]),
        (entry("GlobalMaxPooling1D", name="g", keepdims=True, data_format="channels_first"), [1, 2], [[[2.0]]]),
        (entry("ReLU", name="r", negative_slope=0.5, threshold=1.0, max_value=1.5), [2], [[-1.0, 1.5]]),
        (entry("Flatten", name="f", data_format="channels_last"), [2], [[-1.0, 2.0]]),
        (entry("Identity", name="i", dtype="float32"), [2], [[-1.0, 2.0]]),
    ],
)
def test_supported_options_of_keras(layer: Any, shape: list[int], expected: Any, tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", sequential(shape, layer), {})
    x = np.reshape([-1.0, 2.0], [1, *shape])
    np.testing.assert_array_equal(predicted(path, x), expected)
    tf.load_layers_model(path).save(tmp_path / "again.keras", strict=True)
    np.testing.assert_array_equal(predicted(tmp_path / "again.keras", x), expected)


def test_layer_called_on_a_number_raises(tmp_path: Path) -> None:
    layer = called(entry("Multiply", name="m"), tensor("x"), 2.0)
    path = keras_file(tmp_path / "m.keras", functional("m", layer, shape=[2]), {})
    with pytest.raises(tf.io.ModelFileError, match=r"layer m: is called on the number 2\.0; only calls on tensors"):
        tf.load_layers_model(path)


def test_3d_pooling_with_strides_beyond_the_window(tmp_path: Path) -> None:
    pooling = {"pool_size": [1, 1, 2], "strides": [1, 2, 2], "padding": "same"}
    path = keras_file(tmp_path / "m.keras", sequential([4, 4, 4, 1], entry("MaxPooling3D", name="p", **pooling)), {})
    with pytest.raises(tf.io.ModelFileError, match="layer p: strides larger than the window, with padding 'same'"):
        tf.load_layers_model(path)
    model = tf.sequential(layers=[tf.layers.max_pooling3d(**pooling, input_shape=[4, 4, 4, 1])])
    with pytest.warns(UserWarning, match="Keras skips other elements if strides are larger"):
        model.save(tmp_path / "own.keras")
    x = np.arange(64).reshape(1, 4, 4, 4, 1)
    np.testing.assert_array_equal(
        predicted(tmp_path / "own.keras", x), model.predict(tf.tensor(x, dtype="float32")).numpy()
    )


@pytest.mark.parametrize("kind", ["zero_padding1d", "cropping1d", "up_sampling1d"])
def test_channels_first_sequences_warn(kind: str, tmp_path: Path) -> None:
    """Keras 3 has the option only for ZeroPadding1D."""
    model = tf.sequential(layers=[getattr(tf.layers, kind)(data_format="channelsFirst", input_shape=[2, 5])])
    x = np.ones((1, 2, 5), np.float32)
    for name in ("m.h5", "m.keras"):
        if kind == "zero_padding1d" and name == "m.keras":
            model.save(tmp_path / name, strict=True)
        else:
            with pytest.warns(UserWarning, match="Keras does not support channels-first sequences in it"):
                model.save(tmp_path / name)
        np.testing.assert_array_equal(predicted(tmp_path / name, x), model.predict(x).numpy())


def test_softmax_over_several_axes_cannot_be_saved_as_h5(tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.softmax(axis=[1, 2], input_shape=[2, 3])])
    model.save(tmp_path / "m.keras", strict=True)
    with pytest.raises(ValueError, match="Keras 3 does not support several axes in an .h5 file"):
        model.save(tmp_path / "m.h5", strict=True)
