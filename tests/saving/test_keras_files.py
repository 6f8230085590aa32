"""Files of Keras: those written by Keras 2 and 3, those that tfpy writes, and invalid ones; and safetensors."""

from __future__ import annotations

import io
import json
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from layers.rows import ROWS
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf
from tfpy.layers.saving.keras.training_config import training_config_from_keras
from tfpy.layers.saving.training_config import compile_as

KERAS = Path(__file__).parents[1] / "data" / "keras"
CASES = ("dense", "images", "recurrent", "wrapped", "nested", "attention", "frames", "masked")
MASKING = ("averaged", "handed_on", "within", "attended")
WEIGHTS = "model.weights.h5"


def arrays(model: Any, xs: list[np.ndarray]) -> list[np.ndarray]:
    found = model.predict(xs if len(xs) > 1 else xs[0])
    return [t.numpy() for t in (found if isinstance(found, list) else [found])]


def recorded(version: str, case: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Inputs, and what Keras predicted for them."""
    with np.load(KERAS / version / "cases.npz") as file:
        return tuple([file[n] for n in sorted(file.files) if n.startswith(f"{case}.{kind}")] for kind in "xy")  # type: ignore[return-value]


def small() -> Any:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3], name="one")], name="m")
    model.compile(optimizer=tf.train.adam(0.01), loss="meanSquaredError", metrics=["mae"])
    return model


# Files that Keras has written


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
@pytest.mark.parametrize("case", CASES + MASKING)
@pytest.mark.parametrize("version", ["keras2", "keras3"])
def test_predictions_match_keras(version: str, case: str, suffix: str) -> None:
    model = tf.load_layers_model(KERAS / version / f"{case}{suffix}")
    xs, ys = recorded(version, case)
    for found, expected in zip(arrays(model, xs), ys, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-7)
    if case == "dense":
        assert model.optimizer.get_class_name() == "Adam"
        accuracy = "categorical_accuracy" if (version, suffix) == ("keras2", ".h5") else "acc"
        assert model.metrics_names == ["loss", accuracy]


@pytest.mark.parametrize("case", ["dense", "nested"])
@pytest.mark.parametrize("version", ["keras2", "keras3"])
def test_load_weights_from_files_of_keras(version: str, case: str) -> None:
    model = tf.load_layers_model(KERAS / version / f"{case}.h5")
    expected = [w.numpy() for w in model.get_weights()]
    for name in (f"{case}.weights.h5", f"{case}.keras", f"{case}.h5"):
        model.set_weights([tf.zeros(w.shape) for w in model.get_weights()])
        model.load_weights(KERAS / version / name)
        for found, value in zip(model.get_weights(), expected, strict=True):
            np.testing.assert_array_equal(found.numpy(), value)
    with pytest.raises(tf.io.ModelFileError, match="contains only weights"):
        tf.load_layers_model(KERAS / version / f"{case}.weights.h5")


# Resuming training

TRAINED = KERAS / "keras3" / "trained"
OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda: tf.train.sgd(0.05),
    "momentum": lambda: tf.train.momentum(0.05, 0.9),
    "nesterov": lambda: tf.train.momentum(0.05, 0.9, True),
    "rmsprop": lambda: tf.train.rmsprop(0.01),
    "centered": lambda: tf.train.rmsprop(0.01, 0.9, 0.5, None, True),
    "adagrad": lambda: tf.train.adagrad(0.1),
    "adadelta": lambda: tf.train.adadelta(1.0),
    "adam": lambda: tf.train.adam(0.02),
    "adamw": lambda: tf.train.adamw(0.02),
    "adamax": lambda: tf.train.adamax(0.02),
    "nadam": lambda: tf.train.nadam(0.02),
}


def train_one_epoch(model: Any, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Train for one epoch and return the weights."""
    model.fit(x, y, epochs=1, batch_size=4, shuffle=False, verbose=0)
    return [t.numpy() for t in model.get_weights()]


@pytest.mark.parametrize("path", sorted(p.name for p in TRAINED.iterdir() if p.suffix != ".npz"))
def test_training_resumes_as_in_keras(path: str) -> None:
    with np.load(TRAINED / "trained.npz") as file:
        data = dict(file)
    model = tf.load_layers_model(TRAINED / path)
    assert model.optimizer.iterations == 6
    train_one_epoch(model, data["x"], data["y"])
    found = [t.numpy() for layer in model.layers for t in layer.get_weights()]
    for i, w in enumerate(found):
        np.testing.assert_allclose(w, data[f"{path.partition('.')[0]}.{i}"], rtol=0, atol=ACCUMULATED)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_resumes_after_saving(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    x, y = (rng.normal(size=(12, n)).astype(np.float32) for n in (3, 2))
    model = small()
    model.compile(optimizer=OPTIMIZERS[name](), loss="meanSquaredError")
    model.save(tmp_path / "new.keras", include_optimizer=True)
    train_one_epoch(model, x, y)
    model.save(tmp_path / "model.keras", include_optimizer=True)
    expected = train_one_epoch(model, x, y)
    again = tf.load_layers_model(tmp_path / "model.keras")
    assert again.optimizer.iterations == 3
    for a, b in zip(train_one_epoch(again, x, y), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=ROUNDING, atol=1e-7)
    new = tf.load_layers_model(tmp_path / "new.keras")
    assert new.optimizer.iterations == 0
    train_one_epoch(new, x, y)
    for a, b in zip(train_one_epoch(new, x, y), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=ROUNDING, atol=1e-7)


@pytest.mark.parametrize("name", sorted(p.name for p in TRAINED.glob("*.keras")))
def test_optimizer_state_is_saved_in_the_order_of_keras(name: str, tmp_path: Path) -> None:
    """The order is: iterations, learning rate, then the slots of each weight."""
    model = tf.load_layers_model(TRAINED / name)
    model.save(tmp_path / name, include_optimizer=True)
    with h5py.File(weights_of(TRAINED / name)) as real, h5py.File(weights_of(tmp_path / name)) as own:
        assert set(real["optimizer/vars"]) == set(own["optimizer/vars"])
        for i, array in real["optimizer/vars"].items():
            np.testing.assert_allclose(own[f"optimizer/vars/{i}"][()], array[()], rtol=ROUNDING)
            assert own[f"optimizer/vars/{i}"].dtype == array.dtype


def weights_of(path: Path) -> io.BytesIO:
    with zipfile.ZipFile(path) as archive:
        return io.BytesIO(archive.read(WEIGHTS))


def change_state(path: Path, change: Any) -> None:
    """Change the state of the optimizer in a file."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    stream = io.BytesIO(parts[WEIGHTS])
    with h5py.File(stream, "r+") as file:
        change(file["optimizer/vars"])
    parts[WEIGHTS] = stream.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def put(group: Any, name: str, value: Any) -> None:
    del group[name]
    group[name] = value


@pytest.mark.parametrize(
    "change",
    [
        lambda g: put(g, "2", np.zeros((5, 5), np.float32)),
        lambda g: g.__delitem__("13"),
        lambda g: put(g, "1", np.zeros(3, np.float32)),
    ],
)
def test_mismatched_optimizer_state_is_ignored_with_a_warning(change: Any, tmp_path: Path) -> None:
    path = tmp_path / "adam.keras"
    path.write_bytes((TRAINED / "adam.keras").read_bytes())
    change_state(path, change)
    with pytest.warns(UserWarning, match="the state of the optimizer does not fit the model"):
        model = tf.load_layers_model(path)
    assert model.optimizer.iterations == 0


def test_values_beyond_float32_load_as_infinity(tmp_path: Path) -> None:
    path = tmp_path / "adam.keras"
    path.write_bytes((TRAINED / "adam.keras").read_bytes())
    change_state(path, lambda g: put(g, "2", np.full(g["2"].shape, 1e300)))
    state = [entry.tensor.numpy() for entry in tf.load_layers_model(path).optimizer.get_weights()]
    assert any(np.isinf(values).all() for values in state)
    path = keras_file(tmp_path, replaced(data=np.full((3, 2), 1e300)))
    assert np.isinf(tf.load_layers_model(path).weights[0].numpy()).all()
    header = json.dumps({"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}).encode()
    (tmp_path / "t.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + np.array([1e300]).tobytes())
    assert np.isinf(tf.io.load_safetensors(tmp_path / "t.safetensors")["a"].numpy()).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: put(g, "0", np.int64(-1)), "number of steps must be from 0"),
        (lambda g: put(g, "0", np.float64("nan")), "number of steps must be from 0"),
        (lambda g: put(g, "0", np.int64(2**40)), "number of steps must be from 0"),
        (lambda g: put(g, "2", np.array([[b"a"] * 3] * 4)), "must hold numbers"),
    ],
)
def test_invalid_optimizer_state_raises(change: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "adam.keras"
    path.write_bytes((TRAINED / "adam.keras").read_bytes())
    change_state(path, change)
    before = tf.memory().num_tensors
    with pytest.raises(ValueError, match=message):
        tf.load_layers_model(path)
    assert tf.memory().num_tensors == before


# Files that tfpy writes. `tests/data/keras/check.py` checks that Keras reads them.


@pytest.mark.parametrize("row", [r for r in ROWS if not r.call], ids=str)
def test_predictions_survive_a_round_trip(row: Any, tmp_path: Path) -> None:
    inputs = [tf.input(shape=list(shape[1:])) for shape in row.shapes]
    outputs = row.make().apply(inputs if len(inputs) > 1 else inputs[0])
    model = tf.model(inputs=inputs, outputs=outputs)
    rng = np.random.default_rng(1)
    model.set_weights([tf.tensor(rng.uniform(0.1, 0.6, w.shape).astype(np.float32)) for w in model.get_weights()])
    expected = arrays(model, row.arrays())
    for suffix in (".keras", ".h5"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about what Keras computes differently
            model.save(tmp_path / f"model{suffix}")
        again = tf.load_layers_model(tmp_path / f"model{suffix}")
        for a, b in zip(arrays(again, row.arrays()), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=ROUNDING, atol=1e-7)  # constraints are applied again


def test_nested_models_and_shared_layers_round_trip(tmp_path: Path) -> None:
    inner = tf.sequential(name="inner")
    inner.add(tf.layers.dense(units=2, input_shape=[3], name="d"))
    functional_input = tf.input(shape=[3])
    functional = tf.model(inputs=functional_input, outputs=tf.layers.dense(units=2).apply(functional_input), name="f")
    shared = tf.layers.dense(units=2, name="shared")
    a, b = tf.input(shape=[3], name="a"), tf.input(shape=[3], name="b")
    parts = [inner.apply(a), inner.apply(b), shared.apply(a), shared.apply(b), functional.apply(b)]
    outputs = [tf.layers.concatenate().apply(parts), inner.apply(b), functional.apply(a)]
    model = tf.model(inputs=[a, b], outputs=outputs)
    xs = [np.random.default_rng(i).normal(size=(2, 3)).astype(np.float32) for i in range(2)]
    for suffix in (".keras", ".h5"):
        with warnings.catch_warnings():
            warnings.simplefilter("error" if suffix == ".keras" else "ignore")
            model.save(tmp_path / f"model{suffix}")
        again = tf.load_layers_model(tmp_path / f"model{suffix}")
        for found, expected in zip(arrays(again, xs), arrays(model, xs), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_initial_states_and_call_arguments_round_trip(tmp_path: Path) -> None:
    x, state = tf.input(shape=[4, 3]), tf.input(shape=[2])
    y = tf.layers.simple_rnn(units=2).apply(x, {"initial_state": state})
    attended = tf.layers.multi_head_attention(num_heads=1, key_dim=2).apply([x, x], {"use_causal_mask": True})
    model = tf.model(inputs=[x, state], outputs=[y, attended])
    xs = [np.random.default_rng(0).normal(size=s).astype(np.float32) for s in ((2, 4, 3), (2, 2))]
    for suffix in (".keras", ".h5"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.save(tmp_path / f"model{suffix}")
        again = tf.load_layers_model(tmp_path / f"model{suffix}")
        for found, expected in zip(arrays(again, xs), arrays(model, xs), strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_compile_options_are_saved_on_request(suffix: str, tmp_path: Path) -> None:
    model = small()
    model.save(tmp_path / f"plain{suffix}")
    assert tf.load_layers_model(tmp_path / f"plain{suffix}").optimizer is None
    model.save(tmp_path / f"full{suffix}", include_optimizer=True)
    again = tf.load_layers_model(f"file://{tmp_path}/full{suffix}")
    assert again.optimizer.get_config() == model.optimizer.get_config()
    assert again.metrics_names == model.metrics_names


def test_layers_incompatible_with_keras_warn_or_raise(tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.lstm(units=2, input_shape=[3, 2], name="rnn")])
    with pytest.warns(UserWarning, match=r"layer 'rnn': hard_sigmoid has another slope in Keras 3"):
        model.save(tmp_path / "m.keras")
    with pytest.raises(ValueError, match="Nothing was saved"):
        model.save(tmp_path / "strict.keras", strict=True)
    assert not (tmp_path / "strict.keras").exists()
    model.save(tmp_path / "m.h5", strict=False)


class Doubled(tf.layers.Activation, class_name="Doubled"):
    """A custom layer, derived from a layer of Keras."""

    def call(self, inputs: Any) -> Any:
        return inputs.mul(2)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (lambda: Doubled(activation="relu"), "the class Doubled is user-defined"),
        (
            lambda: tf.layers.separable_conv1d(filters=1, kernel_size=2, padding="causal"),
            "does not support causal padding",
        ),
        (lambda: tf.layers.up_sampling1d(size=2), None),
        (lambda: tf.layers.separable_conv1d(filters=1, kernel_size=2, padding="same"), None),
    ],
)
def test_only_incompatible_layers_raise_in_strict_mode(layer: Any, message: str | None, tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.activation(activation="relu", input_shape=[4, 2]), layer()])
    if message is None:
        model.save(tmp_path / "m.keras", strict=True)
    else:
        with pytest.raises(ValueError, match=message):
            model.save(tmp_path / "m.keras", strict=True)


@pytest.mark.parametrize("suffix", [".keras", ".h5", ".weights.h5"])
def test_int32_weights_are_saved_exactly(suffix: str, tmp_path: Path) -> None:
    class Counter(tf.layers.Layer, class_name="Counter"):
        def build(self, input_shape: Any) -> None:
            self.count = self.add_weight("count", [2], "int32", "zeros", None, False)
            self.built = True

    def model() -> Any:
        return tf.sequential(layers=[Counter(input_shape=[1], name="counter")])

    saved, again = model(), model()
    saved.weights[0].write(tf.tensor([2**24 + 1, -(2**31)], dtype="int32"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the custom layer
        saved.save_weights(tmp_path / f"m{suffix}") if "weights" in suffix else saved.save(tmp_path / f"m{suffix}")
    again.load_weights(tmp_path / f"m{suffix}")
    assert again.weights[0].read().array_sync() == [2**24 + 1, -(2**31)]


def test_masked_steps_of_bidirectional_layers(tmp_path: Path) -> None:
    """Their outputs are zeros in Keras but not in TF.js; saving a model for the other library warns."""

    def model(**options: Any) -> Any:
        inner = tf.layers.simple_rnn(units=2, return_sequences=True, **options)
        layers = [tf.layers.embedding(input_dim=3, output_dim=2, input_length=3, mask_zero=True)]
        return tf.sequential(layers=[*layers, tf.layers.bidirectional(layer=inner, name="both")])

    x = np.array([[1, 2, 0]], np.float32)
    theirs, ours = model(zero_output_for_mask=True), model()
    ours.set_weights(theirs.get_weights())
    assert (theirs.predict(x).numpy()[0, 2] == 0).all()
    assert (ours.predict(x).numpy()[0, 2, :2] == ours.predict(x).numpy()[0, 1, :2]).all()
    with pytest.warns(UserWarning, match="layer 'both': Keras returns zeros where the sequence is masked"):
        ours.save(tmp_path / "ours.keras")
    theirs.save(tmp_path / "theirs.keras", strict=True)
    for name, saved in (("ours", ours), ("theirs", theirs)):
        again = tf.load_layers_model(tmp_path / f"{name}.keras")
        np.testing.assert_array_equal(again.predict(x).numpy(), saved.predict(x).numpy())
    with pytest.warns(UserWarning, match="does not heed zero_output_for_mask"):
        theirs.save(tmp_path / "web")


@pytest.mark.parametrize("name", ["m.weights.h5", "m.safetensors"])
def test_save_weights_round_trip(name: str, tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.lstm(units=2, input_shape=[3, 2]), tf.layers.dense(units=1)])
    expected = [w.numpy() for w in model.get_weights()]
    model.save_weights(tmp_path / name)
    model.set_weights([tf.zeros(w.shape) for w in model.get_weights()])
    model.load_weights(tmp_path / name)
    twin = tf.sequential(layers=[tf.layers.lstm(units=2, input_shape=[3, 2]), tf.layers.dense(units=1)])
    twin.load_weights(tmp_path / name)
    for read in (model, twin):
        for found, value in zip(read.get_weights(), expected, strict=True):
            np.testing.assert_array_equal(found.numpy(), value)
    with pytest.raises(ValueError, match="save_weights: argument 'path'"):
        model.save_weights(tmp_path / "m.bin")


def test_failed_save_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.keras"
    small().save(path)
    before = path.read_bytes()
    monkeypatch.setattr("tfpy.layers.saving.keras.writer._tree", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        small().save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.keras"]


def test_missing_h5py_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    for act in (lambda: small().save(tmp_path / "m.keras"), lambda: tf.load_layers_model(KERAS / "keras3/dense.h5")):
        with pytest.raises(ImportError, match=r"pip install 'tfpy\[keras\]'"):
            act()


# Invalid files


def keras_file(tmp_path: Path, change: Any) -> Path:
    """Write a `.keras` file whose weights a function has changed."""
    source = tmp_path / "m.keras"
    small().save(source)
    with zipfile.ZipFile(source) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    stream = io.BytesIO(parts[WEIGHTS])
    with h5py.File(stream, "r+") as file:
        change(file)
    parts[WEIGHTS] = stream.getvalue()
    with zipfile.ZipFile(source, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return source


KERNEL = "layers/dense/vars/0"


def replaced(**options: Any) -> Any:
    def change(file: Any) -> None:
        del file[KERNEL]
        file.create_dataset(KERNEL, **options)

    return change


def linked(link: Any) -> Any:
    def change(file: Any) -> None:
        del file[KERNEL]
        file[KERNEL] = link

    return change


def virtual(file: Any) -> None:
    del file[KERNEL]
    layout = h5py.VirtualLayout((3, 2), "f4")
    layout[...] = h5py.VirtualSource("/etc/passwd", "x", (3, 2))
    file.create_virtual_dataset(KERNEL, layout)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (linked(h5py.SoftLink("/layers/dense/vars/1")), "is a link; links are not followed"),
        (linked(h5py.ExternalLink("/etc/passwd", "/x")), "is a link; links are not followed"),
        (linked(h5py.ExternalLink("m.weights.h5", "/x")), "is a link; links are not followed"),
        (virtual, "is stored in another file"),
        (replaced(shape=(3, 2), dtype="f4", external=[("/etc/passwd", 0, 24)]), "is stored in another file"),
        (replaced(shape=(10**6, 10**6), dtype="f4", chunks=(1000, 1000)), r"is of shape \[1000000, 1000000\]"),
        (replaced(shape=(3, 2), dtype="S9"), "must hold numbers"),
        (replaced(shape=(3, 2), dtype=h5py.string_dtype()), "must hold numbers"),
        (replaced(data=h5py.Empty("f4")), "is of shape"),
        (lambda f: f.__delitem__(KERNEL), "lacks weights that the model has: 'one/kernel'"),
        (lambda f: f.__setitem__("layers/dense/vars/7", [1.0]), "has a weight 'layers/dense/vars/7' that the model lacks"),
        (lambda f: f["layers"].__setitem__("again", f["layers"]), "has more entries, or deeper nesting, than any saved model"),
    ],
)  # fmt: skip
def test_invalid_weights_raise(change: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(tf.io.ModelFileError, match=message):
        tf.load_layers_model(keras_file(tmp_path, change))


def test_excessive_compression_ratio_raises(tmp_path: Path) -> None:
    """The model needs a gigabyte of weights, which take a few bytes in the file."""
    inputs = {"class_name": "InputLayer", "config": {"batch_input_shape": [None, 2**14], "name": "i"}}
    layer = {"class_name": "Dense", "config": {"units": 2**14, "use_bias": False, "name": "d"}}
    config = {"class_name": "Sequential", "config": {"name": "s", "layers": [inputs, layer]}}
    path = tmp_path / "m.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(config)
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = [b"d"]
        part = group.create_group("d")
        part.attrs["weight_names"] = [b"kernel"]
        part.create_dataset("kernel", (2**14, 2**14), "f4", chunks=(1024, 1024))
    assert path.stat().st_size < 10_000
    with pytest.raises(tf.io.ModelFileError, match="would unpack to more than 100 times its size"):
        tf.load_layers_model(path)


def keras3_attributes(layer: str, *calls: Any, **options: Any) -> dict[str, str]:
    """The attributes of an .h5 file of Keras 3 with a functional model of an input and another layer."""
    shape = [None, *[4] * (4 if layer == "Conv3D" else 1)]
    inputs = {
        "class_name": "InputLayer",
        "config": {"batch_shape": shape, "name": "i"},
        "name": "i",
        "inbound_nodes": [],
    }
    other = {"class_name": layer, "config": {"name": "d", **options}, "name": "d", "inbound_nodes": list(calls)}
    config = {"name": "m", "layers": [inputs, other], "input_layers": [["i", 0, 0]], "output_layers": [["d", 0, 0]]}
    return {"model_config": json.dumps({"class_name": "Functional", "config": config}), "keras_version": "3.0.0"}


def nested(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (
            keras3_attributes("Dense", {"args": [], "kwargs": "x"}, units=1),
            "inbound_nodes: kwargs must be an object, but is 'x'",
        ),
        (
            keras3_attributes("Conv3D", filters=1, kernel_size=1, strides=2, padding="same"),
            "layer d: strides larger than the window",
        ),
        (keras3_attributes("Dense", units=nested(115)), r"layers\[1\] \('d'\): .*units"),
        (keras3_attributes("Dense", units=nested(250)), "levels deep"),
        ({"model_config": "{"}, "model_config"),
        ({"model_config": json.dumps([1])}, "must hold a JSON object"),
        ({"model_config": 3}, "must be a string"),
        ({"model_config": json.dumps({"class_name": "Dense", "config": {}})}, "model"),
        ({"model_config": "[" * 10_000 + "]" * 10_000}, "model_config"),
    ],
)
def test_invalid_configuration_raises(attributes: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.h5"
    with h5py.File(path, "w") as file:
        file.attrs.update(attributes)
    with pytest.raises(tf.io.ModelFileError, match=message) as error:
        tf.load_layers_model(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("name", ["keras3/dense.keras", "keras3/dense.h5", "keras2/nested.keras", "keras2/nested.h5"])
def test_damaged_files_raise_model_file_error_only(name: str, tmp_path: Path) -> None:
    intact = (KERAS / name).read_bytes()
    path = tmp_path / Path(name).name
    rng = np.random.default_rng(5)
    refused = 0
    for i in range(60):
        data = bytearray(intact)
        if i % 3 == 0:
            del data[int(rng.integers(8, len(data))) :]
        for at in rng.integers(8, len(data), 1 + i % 20) if i % 3 and len(data) > 8 else ():
            data[at] = rng.integers(256)
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tf.load_layers_model(path)
            except tf.io.ModelFileError:
                refused += 1
    assert refused >= 15


# Safetensors


def test_safetensors_round_trip_of_all_dtypes(tmp_path: Path) -> None:
    tensors = {
        "f": tf.tensor([[1.5, -2]]),
        "i": tf.tensor([1, 2], dtype="int32"),
        "b": tf.tensor([True, False]),
        "s": 3.0,
    }
    tf.io.save_safetensors(tensors, tmp_path / "t.safetensors")
    found = tf.io.load_safetensors(tmp_path / "t.safetensors")
    assert {name: (t.dtype, list(t.shape), t.array_sync()) for name, t in found.items()} == {
        "f": ("float32", [1, 2], [[1.5, -2.0]]),
        "i": ("int32", [2], [1, 2]),
        "b": ("bool", [2], [True, False]),
        "s": ("float32", [], 3.0),
    }
    with pytest.raises(TypeError, match="save_safetensors: argument 'x'"):
        tf.io.save_safetensors({"x": "text"}, tmp_path / "t.safetensors")
    with pytest.raises(TypeError, match="a dict of tensors"):
        tf.io.save_safetensors([1], tmp_path / "t.safetensors")


@pytest.mark.parametrize("name", ["m.h5", "m.onnx", "m.safetensors"])
def test_unpaired_surrogates_in_names_raise(name: str, tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1], name="\ud800")])
    path = tmp_path / name
    path.write_text("old")
    with pytest.raises(tf.io.ModelFileError, match=rf"{name}: cannot hold the name '\\ud800"):
        model.save_weights(path) if name == "m.safetensors" else model.save(path, strict=False)
    assert path.read_text() == "old"


def test_invalid_safetensors_raise(tmp_path: Path) -> None:
    path = tmp_path / "t.safetensors"
    tf.io.save_safetensors({"a": tf.ones([2, 2])}, path)
    intact = path.read_bytes()
    header = {"a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}

    def file(entries: dict[str, Any], data: bytes = bytes(16)) -> bytes:
        text = json.dumps(entries).encode()
        return len(text).to_bytes(8, "little") + text + data

    for data in (
        b"",
        intact[:-1],
        b"\xff" * 40,
        file({"a": {**header["a"], "data_offsets": [0, 2**60]}}),
        file({"a": {**header["a"], "shape": [2**40, 2**40]}}),
        file({"a": {**header["a"], "dtype": "F99"}}),
        file({"a": {"dtype": "I64", "shape": [2], "data_offsets": [0, 16]}}, b"\xff\xff\xff\xff\x7f\x00\x00\x00" * 2),
        file({"a": {"dtype": "I64", "shape": [2], "data_offsets": [0, 16]}}, b"\xff\xff\xff\x7f\xff\xff\xff\xff" * 2),
    ):
        path.write_bytes(data)
        with pytest.raises(tf.io.ModelFileError, match=r"t\.safetensors"):
            tf.io.load_safetensors(path)
    with pytest.raises(tf.io.ModelFileError, match="no such file"):
        tf.io.load_safetensors(tmp_path / "nothing.safetensors")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sgd", "SGD(learning_rate=0.01)"),
        ("Adam", "Adam(learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-07)"),
        ("rmsprop", "RMSProp(learning_rate=0.001, decay=0.9, momentum=0.0, epsilon=1e-07, centered=False)"),
        ("adagrad", "Adagrad(learning_rate=0.001, initial_accumulator_value=0.1)"),
        ("adamw", "AdamW(learning_rate=0.001, weight_decay=0.004, beta1=0.9, beta2=0.999, epsilon=1e-07)"),
    ],
)
def test_optimizer_given_by_name_has_the_defaults_of_keras(name: str, expected: str) -> None:
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[1])])
    training = training_config_from_keras({"optimizer": name, "loss": "mse"}, "optimizer")
    compile_as(model, training, "a file", lambda metric: metric)
    assert repr(model.optimizer) == expected


def test_rnn_is_saved_without_the_options_of_its_cell(tmp_path: Path) -> None:
    layer = tf.layers.rnn(cell=tf.layers.simple_rnn_cell(units=2), input_shape=[3, 2])
    tf.sequential(layers=[layer]).save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        saved = json.loads(archive.read("config.json"))["config"]["layers"][-1]["config"]
    assert "units" not in saved
    assert saved["cell"]["config"]["units"] == 2
