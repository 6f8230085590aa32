"""What files of Keras mean, in which it differs from TF.js: small files that are written here as Keras writes them."""

from __future__ import annotations

import copy
import json
import pickle
import re
import warnings
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import tfpy as tf


def keras_file(path: Path, config: Any, weights: Mapping[str, Any], version: str = "3.15.0") -> Path:
    """A `.keras` file of a configuration, and of weights by their paths."""
    stream = BytesIO()
    with h5py.File(stream, "w") as file:
        for name, value in weights.items():
            file[name] = np.asarray(value, np.float32)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("metadata.json", json.dumps({"keras_version": version}))
        archive.writestr("model.weights.h5", stream.getvalue())
    return path


def entry(kind: str, /, *, module: str = "keras.layers", **options: Any) -> dict[str, Any]:
    """An object as Keras 3 has it; a layer says that it is trained."""
    if module == "keras.layers":
        options.setdefault("trainable", True)
    return {"module": module, "class_name": kind, "config": options, "registered_name": None}


def sequential(shape: list[int], *layers: dict[str, Any]) -> dict[str, Any]:
    """A Sequential on inputs of a shape."""
    first = entry("InputLayer", batch_shape=[None, *shape], dtype="float32", name="x")
    del first["config"]["trainable"]
    return entry("Sequential", module="keras", name="m", trainable=True, layers=[first, *layers])


def tensor(name: str, output: int = 0) -> dict[str, Any]:
    """What a layer's first call has given."""
    return {"class_name": "__keras_tensor__", "config": {"shape": [None], "keras_history": [name, 0, output]}}


def called(layer: dict[str, Any], *args: Any, **arguments: Any) -> dict[str, Any]:
    """A layer of a functional model with its call, if it has one."""
    nodes = [{"args": list(args), "kwargs": arguments}] if args else []
    return {**layer, "name": layer["config"]["name"], "inbound_nodes": nodes}


def functional(output: str, *layers: dict[str, Any], shape: list[int]) -> dict[str, Any]:
    """A functional model of one input 'x'."""
    options = {"batch_shape": [None, *shape], "dtype": "float32", "name": "x"}
    first = called({"module": "keras.layers", "class_name": "InputLayer", "config": options})
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [[output, 0, 0]]}
    return entry("Functional", module="keras.src.models.functional", name="f", layers=[first, *layers], **ends)


def predicted(path: Path, x: Any) -> np.ndarray:
    found = tf.load_layers_model(path).predict(np.asarray(x, np.float32)).numpy()
    return np.asarray(found)


def test_weights_are_as_the_file_has_them_whatever_the_constraints(tmp_path: Path) -> None:
    """Keras applies a constraint after each step of a training: a new model may have other weights."""
    non_negative = entry("NonNeg", module="keras.constraints")
    config = sequential([1], entry("Dense", name="d", units=2, use_bias=False, kernel_constraint=non_negative))
    path = keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": [[-1.0, 2.0]]})
    np.testing.assert_array_equal(predicted(path, [[1]]), [[-1, 2]])


@pytest.mark.parametrize("name", ["LecunNormal", "LecunUniform"])
def test_initializers_by_the_names_of_keras(name: str, tmp_path: Path) -> None:
    made = entry(name, module="keras.initializers", seed=None)
    config = sequential([1], entry("Dense", name="d", units=1, use_bias=False, kernel_initializer=made))
    assert predicted(keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": [[3.0]]}), [[2]]) == 6


def embedded(*, mask: str = "not_equal", **options: Any) -> dict[str, Any]:
    """An embedding and a sum over the steps that are not masked, as Keras 3.15 writes it: the mask is an op."""
    embedding = entry("Embedding", name="e", input_dim=3, output_dim=1, **options)
    unequal = entry("NotEqual", module="keras.src.ops.numpy", name="not_equal")
    rnn = entry("SimpleRNN", name="r", units=1, activation="linear", use_bias=False)
    return functional(
        "r",
        called(embedding, tensor("x")),
        called(unequal, tensor("x"), 0),
        called(entry("Dropout", name="o", rate=0.5), tensor("e"), training=False),
        called(rnn, tensor("o"), training=False, mask=tensor(mask)),
        shape=[3],
    )


SUMMED = {
    "layers/embedding/vars/0": [[100.0], [1.0], [10.0]],
    **{f"layers/simple_rnn/cell/vars/{i}": [[1.0]] for i in range(2)},
}


def test_masks_that_keras_notes_as_ops(tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", embedded(mask_zero=True), SUMMED)
    np.testing.assert_array_equal(predicted(path, [[1, 2, 0], [0, 1, 1]]), [[11], [2]])
    tf.load_layers_model(path).save(tmp_path / "web", strict=True)  # of layers that TF.js has


def test_masks_of_masking_layers_that_keras_notes_as_ops(tmp_path: Path) -> None:
    rnn = entry("SimpleRNN", name="r", units=1, activation="linear", use_bias=False)
    config = functional(
        "r",
        called(entry("NotEqual", module="keras.src.ops.numpy", name="not_equal"), tensor("x"), 5.0),
        called(entry("Masking", name="k", mask_value=5.0), tensor("x")),
        called(entry("Any", module="keras.src.ops.numpy", name="any", axis=-1, keepdims=False), tensor("not_equal")),
        called(rnn, tensor("k"), mask=tensor("any")),
        shape=[3, 1],
    )
    weights = {f"layers/simple_rnn/cell/vars/{i}": [[1.0]] for i in range(2)}
    path = keras_file(tmp_path / "m.keras", config, weights)
    np.testing.assert_array_equal(predicted(path, [[[1], [5], [2]]]), [[3]])


def test_a_model_of_keras_keeps_to_its_rules_when_it_is_changed_or_copied(tmp_path: Path) -> None:
    config = sequential([3, 1], entry("Masking", name="k"), entry("GlobalAveragePooling1D", name="g"))
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, {}))
    x = np.array([[[1], [0], [3]]], np.float32)
    for again in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        again.add(tf.layers.dense(units=1, kernel_initializer="ones"))
        np.testing.assert_array_equal(again.predict(x).numpy(), [[2]])
        np.testing.assert_array_equal(again.execute(x, again.layers[-2].output.name).numpy(), [[2]])
        again.pop()
        again.save(tmp_path / "again.keras", strict=True)
        np.testing.assert_array_equal(predicted(tmp_path / "again.keras", x), [[2]])


def test_a_mask_that_is_not_that_of_the_inputs_is_refused(tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", embedded(mask_zero=False), SUMMED)
    with pytest.raises(
        tf.io.ModelFileError, match="layer r: argument 'mask' of a call must be the mask that its inputs"
    ):
        tf.load_layers_model(path)


def test_weights_alone_of_a_model_within_a_model(tmp_path: Path) -> None:
    """A functional model is a `functional` in the paths of Keras, not a `model`."""

    def model() -> Any:
        x = tf.input(shape=[1])
        inner = tf.model(inputs=x, outputs=tf.layers.dense(units=1, use_bias=False).apply(x))
        y = tf.input(shape=[1])
        return tf.model(inputs=y, outputs=inner.apply(y))

    path = tmp_path / "m.weights.h5"
    saved, again = model(), model()
    saved.set_weights([tf.tensor([[7.0]])])
    saved.save_weights(path)
    with h5py.File(path) as file:
        assert file["layers/functional/layers/dense/vars/0"][()] == 7
    again.load_weights(path)
    assert again.get_weights()[0].numpy() == 7


# Words that Keras and TF.js mean otherwise


def hard(**options: Any) -> dict[str, Any]:
    return sequential([1], entry("Activation", name="a", activation="hard_sigmoid", **options))


@pytest.mark.parametrize(("version", "slope"), [("3.15.0", 1 / 6), ("2.15.0", 1 / 5)])
def test_the_slope_of_hard_sigmoid_is_that_of_the_version(version: str, slope: float, tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", hard(), {}, version)
    np.testing.assert_allclose(predicted(path, [[1], [-9], [9]]), [[0.5 + slope], [0], [1]], rtol=1e-6)
    model = tf.load_layers_model(path)
    for suffix in (".keras", ".h5", ""):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the other version, or TF.js, that has another slope
            model.save(tmp_path / f"again{suffix}")
        assert predicted(tmp_path / f"again{suffix}", [[1]]) == model.predict(tf.tensor([[1.0]])).numpy()


def test_hard_sigmoid_of_keras_3_is_written_by_its_name_there(tmp_path: Path) -> None:
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", hard(), {}))
    assert model.layers[-1].get_config()["activation"] == "hardSigmoid6"
    model.save(tmp_path / "again.keras", strict=True)
    with zipfile.ZipFile(tmp_path / "again.keras") as archive:
        text = archive.read("config.json").decode()
    assert '"activation":"hard_sigmoid"' in text.replace(" ", "")
    with pytest.raises(ValueError, match="has another slope in Keras 2"):
        model.save(tmp_path / "again.h5", strict=True)
    with pytest.raises(ValueError, match="TF.js has no activation 'hard_sigmoid6'"):
        model.save(tmp_path / "web", strict=True)


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (entry("Resizing", name="r", height=1, width=2, interpolation="bilinear"), [0.5, 2.5]),
        (entry("Resizing", name="r", height=1, width=3, interpolation="nearest"), [0, 2, 3]),
        (entry("UpSampling2D", name="r", size=[1, 2], interpolation="bilinear"), [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]),
    ],
)  # fmt: skip
def test_pixels_are_placed_by_their_centers_as_in_keras(layer: Any, expected: list[float], tmp_path: Path) -> None:
    x = np.arange(4, dtype=np.float32).reshape(1, 1, 4, 1)
    path = keras_file(tmp_path / "m.keras", sequential([1, 4, 1], layer), {})
    np.testing.assert_allclose(predicted(path, x).ravel(), expected)
    for suffix in (".keras", ".h5"):
        tf.load_layers_model(path).save(tmp_path / f"again{suffix}", strict=True)
        np.testing.assert_allclose(predicted(tmp_path / f"again{suffix}", x).ravel(), expected)
    with pytest.raises(ValueError, match="does not heed half_pixel_centers=True|cannot use Resizing"):
        tf.load_layers_model(path).save(tmp_path / "web", strict=True)


def test_what_tfjs_means_stays_so_in_files_of_keras(tmp_path: Path) -> None:
    """Saving for Keras tells that it differs there; here the model is as it was."""
    layers = [
        tf.layers.up_sampling2d(size=[1, 2], interpolation="bilinear", input_shape=[1, 4, 1]),
        tf.layers.resizing(height=1, width=3),
        tf.layers.activation(activation="hardSigmoid"),
    ]
    model = tf.sequential(layers=layers)
    x = np.arange(4, dtype=np.float32).reshape(1, 1, 4, 1)
    for suffix in (".keras", ".h5"):
        with pytest.warns(UserWarning, match=r"places the pixels.*places the pixels.*another slope in Keras 3"):
            model.save(tmp_path / f"m{suffix}")
        np.testing.assert_array_equal(predicted(tmp_path / f"m{suffix}", x), model.predict(x).numpy())


# Options that are not supported


@pytest.mark.parametrize(
    ("layer", "words"),
    [
        (entry("Resizing", name="r", height=1, width=2, crop_to_aspect_ratio=True), "layer r: crop_to_aspect_ratio=True"),
        (entry("Resizing", name="r", height=1, width=2, pad_to_aspect_ratio=True), "option pad_to_aspect_ratio of Resizing"),
        (entry("Conv2D", name="c", filters=2, kernel_size=1, groups=2), r"c: option groups of Conv2D is 2 in the file.*; 1 is"),
        (entry("Resizing", name="c", height=1, width=1, data_format="channels_first"), "'channels_last' is"),
        (entry("LayerNormalization", name="n", rms_scaling=True), "option rms_scaling of LayerNormalization is True"),
    ],
)  # fmt: skip
def test_options_that_are_not_supported_are_refused(layer: Any, words: str, tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", sequential([2, 4, 2], layer), {})
    with pytest.raises(tf.io.ModelFileError, match=words):
        tf.load_layers_model(path)


def test_the_layout_of_pictures_is_not_warned_of(tmp_path: Path) -> None:
    layer = entry("Resizing", name="r", height=1, width=2, data_format="channels_last")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.load_layers_model(keras_file(tmp_path / "m.keras", sequential([2, 4, 2], layer), {}))


def bidirectional(**backward: Any) -> dict[str, Any]:
    """A Bidirectional whose backward layer has other options than the forward one."""
    options = {"units": 1, "activation": "linear", "use_bias": False}
    forward = entry("SimpleRNN", name="f", **options)
    return sequential([2, 1], entry(
        "Bidirectional", name="b", merge_mode="sum", layer=forward,
        backward_layer=entry("SimpleRNN", name="g", go_backwards=True, **{**options, **backward}),
    ))  # fmt: skip


def test_a_backward_layer_of_its_own_is_refused_if_it_computes_otherwise(tmp_path: Path) -> None:
    weights = {f"layers/bidirectional/{part}_layer/cell/vars/{i}": [[1.0]] for part in ("forward", "backward") for i in (0, 1)}  # fmt: skip
    ones = entry("Ones", module="keras.initializers")
    path = keras_file(tmp_path / "m.keras", bidirectional(kernel_initializer=ones), weights)
    assert predicted(path, [[[1], [2]]]) == 6
    with pytest.raises(tf.io.ModelFileError, match="b: option backward_layer of Bidirectional"):
        tf.load_layers_model(keras_file(tmp_path / "m.keras", bidirectional(activation="relu"), weights))


@pytest.mark.parametrize(("backwards", "shown"), [(False, [1, 0]), (True, [1, 1])])
@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_zeros_for_a_mask_are_the_output_where_the_last_step_is_masked(
    kind: str, backwards: bool, shown: list[int], tmp_path: Path
) -> None:
    """As in Keras 3.15, where Bidirectional asks for it only if sequences are returned."""
    options = {"units": 2, "go_backwards": backwards, "zero_output_for_mask": True}
    rnn = getattr(tf.layers, {"SimpleRNN": "simple_rnn"}.get(kind, kind.lower()))
    x, mask = tf.tensor([[[1.0], [2]], [[1], [2]]]), tf.tensor([[True, True], [True, False]])
    layer = rnn(**options, return_state=True)
    output, state, *_ = layer.apply(x, mask=mask)
    np.testing.assert_array_equal(output.numpy(), state.numpy() * np.array(shown)[:, None])
    assert state.numpy().all()


def test_where_keras_crops_otherwise_is_told(tmp_path: Path) -> None:
    config = sequential([4, 4, 1], entry("CenterCrop", name="c", height=2, width=3))
    with pytest.warns(UserWarning, match="layer c: Keras crops otherwise where the width shrinks by 1"):
        model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, {}))
    with pytest.raises(ValueError, match="layer 'c': Keras crops otherwise"):
        model.save(tmp_path / "again.keras", strict=True)


def test_words_that_are_none_are_faults_of_the_file(tmp_path: Path) -> None:
    layer = entry("Flatten", name="f")
    tf.load_layers_model(keras_file(tmp_path / "m.keras", {**sequential([2], layer), "numbers_of": []}, {}))
    with pytest.raises(tf.io.ModelFileError, match=r"layers\[1\]"):
        tf.load_layers_model(keras_file(tmp_path / "m.keras", sequential([2], {**layer, "class_name": []}), {}))


# How a model is compiled


def compiled(tmp_path: Path, outputs: int = 1, **said: Any) -> Any:
    """A model that a file says to be compiled so."""
    layers = [called(entry("Dense", name=f"d{i}", units=1, use_bias=False), tensor("x")) for i in range(outputs)]
    config = functional("d0", *layers, shape=[1])
    config["config"]["output_layers"] = [[f"d{i}", 0, 0] for i in range(outputs)]
    optimizer = entry("SGD", module="keras.optimizers", learning_rate=0.1, momentum=0.0)
    config["compile_config"] = {"optimizer": optimizer, "loss": "mse", "metrics": None, "loss_weights": None, **said}
    names = ["dense", *(f"dense_{i}" for i in range(1, outputs))]
    return tf.load_layers_model(
        keras_file(tmp_path / "m.keras", config, {f"layers/{name}/vars/0": [[1.0]] for name in names})
    )


def test_a_training_that_goes_on_without_constraints_is_warned_of(tmp_path: Path) -> None:
    config = sequential(
        [1], entry("Dense", name="d", units=1, kernel_constraint=entry("NonNeg", module="keras.constraints"))
    )
    weights = {"layers/dense/vars/0": [[1.0]], "layers/dense/vars/1": [0.0]}
    tf.load_layers_model(keras_file(tmp_path / "m.keras", config, weights))  # it is not compiled
    optimizer = entry("SGD", module="keras.optimizers", learning_rate=0.1, momentum=0.0)
    config["compile_config"] = {"optimizer": optimizer, "loss": "mse", "metrics": None}
    with pytest.warns(UserWarning, match=r"m\.keras: Keras brings d/kernel within constraints after each step"):
        model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, weights))
    model.train_on_batch(np.ones((1, 1)), np.full((1, 1), -99))
    assert model.get_weights()[0].array_sync()[0][0] < 0
    made_here = tf.sequential([tf.layers.dense(units=1, input_shape=[1], kernel_constraint="nonNeg")])
    made_here.compile(optimizer="sgd", loss="meanSquaredError")
    made_here.save(tmp_path / "own.keras")
    tf.load_layers_model(tmp_path / "own.keras")  # trained here as before


def judge(kind: str, family: str = "losses", **options: Any) -> dict[str, Any]:
    return entry(kind, module=f"keras.{family}", **options)


@pytest.mark.parametrize(
    ("said", "outputs", "words"),
    [
        ({"loss_weights": {"d0": 1.0, "other": 0.5}}, 2, "Unknown output in output_weights 'other'"),
        ({"loss_weights": [0.5]}, 2, "'output_weights' must be one weight for each of the 2 outputs"),
        ({"loss_weights": ["a"]}, 1, "'output_weights' must be a number"),
        ({"loss": judge("MeanSquaredError", name="m", reduction="sum")}, 1, "MeanSquaredError has options .*'sum'"),
        ({"loss": judge("Hinge", name="h", from_logits=True)}, 1, "'from_logits': True"),
        ({"loss": judge("BinaryCrossentropy", from_logits=True, label_smoothing=0.1)}, 1, "'label_smoothing': 0.1"),
        ({"loss": judge("Huber", name="h", delta=2.0)}, 1, "'delta': 2.0"),
    ],
)
def test_a_loss_that_is_not_known_leaves_a_model_uncompiled_and_with_its_optimizer(
    said: Any, outputs: int, words: str, tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match=f"loaded, but not compiled: .*{words}"):
        model = compiled(tmp_path, outputs, **said)
    assert model.optimizer.get_class_name() == "SGD"
    with pytest.raises(RuntimeError, match="compile the model first"):
        model.fit(np.ones((2, 1)), np.ones((2, 1)))
    model.save(tmp_path / "again.keras", include_optimizer=True)
    assert tf.load_layers_model(tmp_path / "again.keras").optimizer is None
    optimizer = model.optimizer
    model.compile(optimizer=optimizer, loss="meanSquaredError")
    assert model.optimizer is optimizer


@pytest.mark.parametrize(
    ("metrics", "words", "names"),
    [
        ([judge("BinaryAccuracy", "metrics", name="b", threshold=0.4), "mae"], "BinaryAccuracy has .*0.4", ["mae"]),
        (["AUC"], "'AUC'", []),
        ([["AUC", "mse"]], "'AUC'", ["mse"]),
        ({"d0": ["mae", judge("AUC", "metrics", name="auc", num_thresholds=200)]}, "AUC has", ["mae"]),
    ],
)
def test_a_metric_that_is_not_known_is_left_out(metrics: Any, words: str, names: list[str], tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=f"compiled without metrics that are not known here: .*{words}"):
        model = compiled(tmp_path, metrics=metrics)
    assert model.metrics_names == ["loss", *names]


# What Keras 3.15 gives for the labels and the scores.
LABELS, SCORES = np.float32([[0, 1, 0], [1, 0, 0]]), np.float32([[2, -1, 0.5], [-3, 4, 1]])
OF_SCORES = {
    "BinaryCrossentropy": [1.4714222, 2.793333],
    "CategoricalCrossentropy": [3.2413113, 7.0494556],
    "SparseCategoricalCrossentropy": [3.2413113, 7.0494556],
    "Huber": [1.0416666, 2.5],
}


@pytest.mark.parametrize("kind", OF_SCORES)
def test_losses_of_scores(kind: str, tmp_path: Path) -> None:
    loss = judge(kind, **({"delta": 1.0} if kind == "Huber" else {"from_logits": True}))
    d = entry("Dense", name="d", units=3, use_bias=False)
    training = {"optimizer": entry("SGD", module="keras.optimizers", learning_rate=0.1), "loss": loss}
    config = {**sequential([3], d), "compile_config": training}
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": np.eye(3)}))
    labels = LABELS.argmax(-1).astype(np.float32) if kind.startswith("Sparse") else LABELS
    assert float(model.evaluate(SCORES, labels)) == pytest.approx(np.mean(OF_SCORES[kind]), rel=1e-6)
    for name in ("again.keras", "again.h5"):
        model.save(tmp_path / name, include_optimizer=True)
        again = tf.load_layers_model(tmp_path / name)
        assert float(again.evaluate(SCORES, labels)) == pytest.approx(np.mean(OF_SCORES[kind]), rel=1e-6)


def test_losses_and_metrics_of_keras_whatever_their_names(tmp_path: Path) -> None:
    usual = {"reduction": "sum_over_batch_size", "axis": -1}
    model = compiled(
        tmp_path,
        loss=judge("CosineSimilarity", name="far", **usual),
        metrics=[judge("MeanAbsoluteError", "metrics", name="mine", dtype="float32"), "mse"],
        loss_weights=[1.0],
    )
    x = np.ones((2, 1), np.float32)
    np.testing.assert_allclose([float(t) for t in model.evaluate(x, 3 * x)], [-1, 2, 4], rtol=1e-6)


@pytest.mark.parametrize("weights", [[1.0, 0.5], {"d0": None, "d1": 0.5}, {"d1": 0.5}])
def test_losses_are_weighted_as_keras_says(weights: Any, tmp_path: Path) -> None:
    model = compiled(tmp_path, 2, loss_weights=weights)
    x = np.ones((2, 1), np.float32)
    np.testing.assert_allclose([float(t) for t in model.evaluate(x, [3 * x, 4 * x])], [8.5, 4, 9], rtol=1e-6)


def test_metrics_are_listed_by_output_in_keras(tmp_path: Path) -> None:
    model = compiled(tmp_path, 2, metrics=[["mae"], [judge("MeanSquaredError", "metrics", name="m")]])
    x = np.ones((2, 1), np.float32)
    np.testing.assert_allclose([float(t) for t in model.evaluate(x, [3 * x, 4 * x])], [13, 4, 9, 2, 9], rtol=1e-6)


# Options that layers have for the sake of Keras's files


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
def test_options_of_keras_that_layers_have(layer: Any, shape: list[int], expected: Any, tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", sequential(shape, layer), {})
    x = np.reshape([-1.0, 2.0], [1, *shape])
    np.testing.assert_array_equal(predicted(path, x), expected)
    tf.load_layers_model(path).save(tmp_path / "again.keras", strict=True)
    np.testing.assert_array_equal(predicted(tmp_path / "again.keras", x), expected)


def test_layers_that_are_called_on_numbers_are_refused(tmp_path: Path) -> None:
    layer = called(entry("Multiply", name="m"), tensor("x"), 2.0)
    path = keras_file(tmp_path / "m.keras", functional("m", layer, shape=[2]), {})
    with pytest.raises(tf.io.ModelFileError, match=r"layer m: is called on the number 2\.0; calls on tensors alone"):
        tf.load_layers_model(path)


def test_volumes_of_which_tfjs_leaves_out_other_elements(tmp_path: Path) -> None:
    pooling = {"pool_size": [1, 1, 2], "strides": [1, 2, 2], "padding": "same"}
    path = keras_file(tmp_path / "m.keras", sequential([4, 4, 4, 1], entry("MaxPooling3D", name="p", **pooling)), {})
    with pytest.raises(tf.io.ModelFileError, match="layer p: strides larger than the window, with padding 'same'"):
        tf.load_layers_model(path)
    model = tf.sequential(layers=[tf.layers.max_pooling3d(**pooling, input_shape=[4, 4, 4, 1])])
    with pytest.warns(UserWarning, match="Keras leaves out other elements where strides are larger"):
        model.save(tmp_path / "own.keras")
    x = np.arange(64).reshape(1, 4, 4, 4, 1)
    np.testing.assert_array_equal(
        predicted(tmp_path / "own.keras", x), model.predict(tf.tensor(x, dtype="float32")).numpy()
    )


@pytest.mark.parametrize("kind", ["zero_padding1d", "cropping1d", "up_sampling1d"])
def test_sequences_with_the_channels_first(kind: str, tmp_path: Path) -> None:
    """Keras 3 has the option for ZeroPadding1D alone."""
    model = tf.sequential(layers=[getattr(tf.layers, kind)(data_format="channelsFirst", input_shape=[2, 5])])
    x = np.ones((1, 2, 5), np.float32)
    for name in ("m.h5", "m.keras"):
        if kind == "zero_padding1d" and name == "m.keras":
            model.save(tmp_path / name, strict=True)
        else:
            with pytest.warns(UserWarning, match="Keras takes no sequences with the channels first there"):
                model.save(tmp_path / name)
        np.testing.assert_array_equal(predicted(tmp_path / name, x), model.predict(x).numpy())


def test_several_axes_are_not_for_h5_files(tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.softmax(axis=[1, 2], input_shape=[2, 3])])
    model.save(tmp_path / "m.keras", strict=True)
    with pytest.raises(ValueError, match="Keras 3 does not take several axes from an .h5 file"):
        model.save(tmp_path / "m.h5", strict=True)


# Ways that masks go


def summing(name: str) -> dict[str, Any]:
    """A layer that adds up the steps that are not masked, with weights of 1."""
    return entry("SimpleRNN", name=name, units=1, activation="linear", use_bias=False)


ONES = {f"layers/{name}/cell/vars/{i}": [[1.0]] for name in ("simple_rnn", "simple_rnn_1") for i in (0, 1)}
EMBEDDING = {"layers/embedding/vars/0": [[100.0], [1.0], [5.0]]}


def test_masks_end_where_keras_lets_them_end(tmp_path: Path) -> None:
    """In TF.js the mask of the first layer reaches the last one, whose inputs have none."""
    embedding = entry("Embedding", name="e", input_dim=3, output_dim=1, mask_zero=True)
    layers = [embedding, summing("a"), entry("RepeatVector", name="n", n=2), summing("b")]
    path = keras_file(tmp_path / "m.keras", sequential([2], *layers), {**ONES, **EMBEDDING})
    assert predicted(path, [[1, 0]]) == 2
    theirs = tf.load_layers_model(path)
    ours = tf.models.model_from_json(theirs.to_json(return_string=False))
    ours.set_weights(theirs.get_weights())
    for suffix in (".keras", ".h5"):
        theirs.save(tmp_path / f"theirs{suffix}", strict=True)
        with pytest.warns(UserWarning, match="layer 'b': masks hide other steps from it in Keras"):
            ours.save(tmp_path / f"ours{suffix}")
        assert predicted(tmp_path / f"theirs{suffix}", [[1, 0]]) == 2
        assert predicted(tmp_path / f"ours{suffix}", [[1, 0]]) == 1


@pytest.mark.parametrize(("kind", "expected"), [("Add", 205), ("Concatenate", 105)])
def test_masks_are_merged_as_in_keras_3(kind: str, expected: float, tmp_path: Path) -> None:
    """A step is there if one of the inputs has it; in TF.js if all have it."""
    config = functional(
        "r",
        called(entry("Embedding", name="e", input_dim=3, output_dim=1, mask_zero=True), tensor("x")),
        called(entry("Masking", name="k", mask_value=5.0), tensor("e")),
        called(entry(kind, name="m"), [tensor("e"), tensor("k")]),
        called(summing("r"), tensor("m")),
        shape=[2],
    )
    weights = {**ONES, **EMBEDDING}
    del weights["layers/simple_rnn_1/cell/vars/0"], weights["layers/simple_rnn_1/cell/vars/1"]
    if kind == "Concatenate":
        weights["layers/simple_rnn/cell/vars/0"] = [[1.0], [0.0]]
    assert predicted(keras_file(tmp_path / "m.keras", config, weights), [[0, 2]]) == expected


@pytest.mark.parametrize(
    ("kind", "hidden", "expected"),
    [("Multiply", 5, [0, 4, 5]), ("Maximum", -5, [-5, -2, -5]), ("Minimum", 5, [5, -2, 5]), ("Add", 5, [5, -4, 5])],
)
def test_what_is_masked_is_merged_as_in_keras_3(
    kind: str, hidden: float, expected: list[float], tmp_path: Path
) -> None:
    """Of the first step both inputs are masked, of the last the second one, which is 0 there."""
    config = functional(
        "m",
        called(entry("Embedding", name="e", input_dim=3, output_dim=1, mask_zero=True), tensor("x")),
        called(entry("Masking", name="k", mask_value=float(hidden)), tensor("e")),
        called(entry(kind, name="m"), [tensor("e"), tensor("k")]),
        shape=[3],
    )
    path = keras_file(tmp_path / "m.keras", config, {"layers/embedding/vars/0": [[hidden], [-2.0], [hidden]]})
    np.testing.assert_array_equal(predicted(path, [[0, 1, 2]])[0, :, 0], expected)


@pytest.mark.parametrize("version", ["3.15.0", "2.15.0"])
def test_masked_steps_count_in_neither_loss_nor_metrics_as_in_keras(version: str, tmp_path: Path) -> None:
    """The numbers are those of Keras 3.15, and of Keras 2 for what it reads."""
    embedding = entry("Embedding", name="e", input_dim=4, output_dim=1, mask_zero=True)
    config = sequential([3], embedding)
    optimizer = entry("SGD", module="keras.optimizers", learning_rate=0.01, momentum=0.0)
    config["compile_config"] = {"optimizer": optimizer, "loss": "mse", "metrics": ["mae"]}
    weights = {"layers/embedding/vars/0": [[0.0], [1.0], [2.0], [4.0]]}
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, weights, version))
    x, y = np.array([[1, 0, 0], [1, 2, 3], [0, 0, 0], [1, 2, 0]], np.float32), np.zeros((4, 3, 1), np.float32)

    def judged(**options: Any) -> list[float]:
        return [float(t) for t in model.evaluate(x, y, **options)]

    np.testing.assert_allclose(judged(), [4.5, 11 / 6], rtol=1e-6)
    np.testing.assert_allclose(judged(batch_size=2)[0], 4, rtol=1e-6)
    np.testing.assert_allclose(judged(sample_weight=np.arange(1.0, 5)), [10.5, 11 / 6], rtol=1e-6)
    np.testing.assert_array_equal([float(t) for t in model.evaluate(x[2:3], y[2:3])], [0, 0])  # nothing is to be seen
    model.fit(x, y, batch_size=4, epochs=1, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0].numpy()[:, 0], [0, 0.99, 1.9866667, 3.9866667], rtol=1e-6)


def hiding() -> Any:
    """An embedding that makes masks."""
    return tf.layers.embedding(input_dim=5, output_dim=2, mask_zero=True, input_length=4)


def in_a_row(*layers: Any) -> Any:
    return tf.sequential(layers=[hiding(), *layers])


def side_by_side(merge: Any, *layers: Any) -> Any:
    """Two masked inputs as one, and layers behind."""
    inputs = [tf.input(shape=[4]), tf.input(shape=[4])]
    x = merge.apply([hiding().apply(given) for given in inputs])
    for layer in layers:
        x = layer.apply(x)
    return tf.model(inputs=inputs, outputs=x)


def with_states() -> Any:
    given = tf.input(shape=[4])
    x, state = tf.layers.simple_rnn(units=2, return_sequences=True, return_state=True).apply(hiding().apply(given))
    return tf.model(inputs=given, outputs=rnn("last").apply(x, initial_state=[state]))


def residual() -> Any:
    given = tf.input(shape=[4])
    x = hiding().apply(given)
    return tf.model(inputs=given, outputs=rnn("last").apply(tf.layers.add().apply([x, tf.layers.elu().apply(x)])))


def rnn(name: str) -> Any:
    return tf.layers.simple_rnn(units=2, name=name)


LAST = "layer 'last': masks hide other steps from it in Keras"


@pytest.mark.parametrize(
    ("model", "of_keras3", "of_keras2"),
    [
        (lambda: in_a_row(tf.layers.conv1d(filters=2, kernel_size=1), rnn("last")), True, True),
        (lambda: in_a_row(tf.layers.rescaling(scale=2), rnn("last")), False, True),
        (lambda: in_a_row(tf.layers.global_average_pooling1d(name="last")), True, True),
        (lambda: in_a_row(rnn("first"), tf.layers.repeat_vector(n=4), rnn("last")), True, True),
        (lambda: side_by_side(tf.layers.add(), rnn("last")), True, False),
        (lambda: side_by_side(tf.layers.concatenate(), rnn("last")), True, False),
        (lambda: side_by_side(tf.layers.multiply(name="last")), True, False),
        (lambda: side_by_side(tf.layers.dot(axes=2), rnn("last")), True, True),
        (with_states, True, False),
        (lambda: in_a_row(tf.layers.global_max_pooling1d()), False, False),
        (lambda: in_a_row(tf.layers.leaky_relu(), tf.layers.dense(units=2), rnn("last")), False, False),
        (lambda: in_a_row(tf.layers.flatten(), tf.layers.dense(units=3), tf.layers.softmax()), False, False),
        (lambda: in_a_row(tf.sequential([tf.layers.elu(input_shape=[4, 2])]), rnn("last")), False, False),
        (lambda: side_by_side(tf.layers.add()), False, False),
        (lambda: side_by_side(tf.layers.concatenate(axis=1), rnn("last")), False, False),
        (lambda: side_by_side(tf.layers.attention(), rnn("last")), False, False),
        (residual, False, False),
    ],
)
def test_saving_warns_where_masks_hide_something_else_in_keras(
    model: Any, of_keras3: bool, of_keras2: bool, tmp_path: Path
) -> None:
    """For each of these models Keras 3.15 and Keras 2 predict something else where, and only where, that is said."""

    def told(name: str) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made.save(tmp_path / name)
        (text,) = [str(w.message) for w in caught] or [""]
        return [f"{version}" for version in (2, 3) if re.search(rf"{LAST}( 2 and)? {version}", text)]

    made = model()
    assert told("m.keras") == ["3"] * of_keras3
    assert told("m.h5") == ["2"] * of_keras2 + ["3"] * of_keras3


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "web"])
def test_an_input_that_no_output_depends_on_is_saved(name: str, tmp_path: Path) -> None:
    used, idle = tf.input(shape=[1], name="used"), tf.input(shape=[1], name="idle")
    output = tf.layers.dense(units=1, kernel_initializer="ones").apply(used)
    tf.model(inputs=[idle, used], outputs=output).save(tmp_path / name, strict=True)
    model = tf.load_layers_model(tmp_path / name)
    assert model.input_names == ["idle", "used"]
    assert model.predict([tf.tensor([[5.0]]), tf.tensor([[2.0]])]).numpy() == 2
