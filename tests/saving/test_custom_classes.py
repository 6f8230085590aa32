"""Saving and loading custom models, layers, cells and optimizers in every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import tfpy as tf
from tfpy.layers import registry

pytestmark = pytest.mark.filterwarnings("ignore:.*(TF.js 4.22 will not load or run this|Keras will not read)")


class Scale(tf.layers.Layer):
    """A layer with a non-trainable weight that it updates itself."""

    factor: float

    def __init__(self, factor: float = 2.0, **options: Any) -> None:
        super().__init__(**options)
        self.factor = factor

    def build(self, input_shape: Any) -> None:
        self.scale = self.add_weight("scale", [input_shape[-1]], initializer="ones")
        self.steps = self.add_weight("steps", [], trainable=False)

    def call(self, inputs: Any, training: bool = False) -> Any:
        if training:
            self.steps.write(self.steps.add(1))
        return inputs.mul(self.scale).mul(self.factor).add(self.steps.mul(0.01))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "factor": self.factor}


class Block(tf.layers.Layer):
    """A layer that contains layers; the second one has a weight of the same name as the block."""

    def __init__(self, units: int, mode: str = "inOut", sparse: bool | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.units, self.mode, self.sparse = units, mode, sparse
        self.parts = [Scale(1.5, name="scale"), tf.layers.dense(units=units, activation="tanh", name="dense")]

    @property
    def layers_within(self) -> Any:
        return self.parts

    def build(self, input_shape: Any) -> None:
        self.bias = self.add_weight("bias", [self.units], initializer="ones")
        for part in self.parts:
            part.build(input_shape)
            part.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        return [*input_shape[:-1], self.units]

    def call(self, inputs: Any, training: bool = False) -> Any:
        return self.parts[1].apply(self.parts[0].apply(inputs, training=training)).add(self.bias)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "units": self.units, "mode": self.mode, "sparse": self.sparse}


class LateBlock(Block):
    """A block whose layers are built in its first call."""

    def build(self, input_shape: Any) -> None:
        self.bias = self.add_weight("bias", [self.units], initializer="ones")


class Shifted(tf.LayersModel):
    """A functional model with weights and an option of its own."""

    def __init__(self, *given: Any, label: str = "", **options: Any) -> None:
        super().__init__(*given, **options)
        self.label = label
        self.shift = self.add_weight("shift", [2], initializer="ones")
        self.steps = self.add_weight("steps", [], trainable=False)

    def call(self, inputs: Any, training: bool = False, mask: Any = None) -> Any:
        if training:
            self.steps.write(self.steps.add(1))
        return super().call(inputs, training, mask).add(self.shift).add(self.steps)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "label": self.label}

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        model = super().from_config(config, custom_objects)
        model.label = config["label"]
        return model


class ShiftedStack(tf.Sequential):
    """A sequential model with a weight of its own."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.shift = self.add_weight("shift", [2], initializer="ones")

    def call(self, inputs: Any, training: bool = False, mask: Any = None) -> Any:
        return super().call(inputs, training, mask).add(self.shift)


class Perceptron(tf.LayersModel):
    """A model that creates its layers in its constructor."""

    def __init__(self, layers: list[int], name: str | None = None) -> None:
        x = y = tf.input(shape=[3])
        for i, units in enumerate(layers):
            y = tf.layers.dense(units=units, activation="tanh", name=f"d{i}").apply(y)
        super().__init__(inputs=x, outputs=y, name=name)
        self.sizes = layers
        self.shift = self.add_weight("shift", [2], initializer="ones")

    def get_config(self) -> dict[str, Any]:
        return {"layers": self.sizes, "name": self.name}

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        return cls(**config)


class Cells(tf.layers.StackedRNNCells):
    """Stacked cells with an additional weight."""

    def build(self, input_shape: Any) -> None:
        self.gain = self.add_weight("gain", [2], initializer="ones")
        super().build(input_shape)

    def call(self, inputs: Any, training: bool = False) -> Any:
        output, *states = super().call(inputs, training)
        return [output.mul(self.gain), *states]


def graph(cls: Any = Shifted, **options: Any) -> Any:
    """A functional model of a shared layer, a block, and a custom model that is called twice."""
    x = tf.input(shape=[3], name="x")
    shared = tf.layers.dense(units=3, name="shared", activation="hardSigmoid")
    y = Block(2, "fromTo", sparse=True, name="block").apply(shared.apply(shared.apply(x)))
    start = tf.input(shape=[2], name="start")
    inner = Shifted(inputs=start, outputs=tf.layers.leaky_relu(alpha=0.2, name="leaky").apply(start), name="inner")
    y = tf.layers.batch_normalization(name="norm").apply(inner.apply(inner.apply(y)))
    return cls(inputs=x, outputs=y, name="m", **options)


def stack(cls: Any = ShiftedStack) -> Any:
    return cls([tf.layers.dense(units=3, input_shape=[3], name="a"), Block(2, name="block")], name="s")


def cells() -> Any:
    first = tf.layers.reshape(target_shape=[3, 1], input_shape=[3])
    both = Cells(cells=[tf.layers.simple_rnn_cell(units=3), tf.layers.gru_cell(units=2)])
    return tf.sequential([first, tf.layers.rnn(cell=both)])


MODELS: dict[str, Callable[[], Any]] = {
    "functional": lambda: graph(label="anOption"),
    "functional of plain class": lambda: graph(tf.LayersModel),
    "sequential": stack,
    "sequential of plain class": lambda: stack(tf.Sequential),
    "functional first in sequential": lambda: tf.sequential([graph(), tf.layers.dense(units=2, name="top")]),
    "sequential first in sequential": lambda: tf.sequential([stack(), tf.layers.dense(units=2, name="top")]),
    "sequential later in sequential": lambda: tf.sequential([tf.layers.dense(units=3, input_shape=[3]), stack()]),
    "layers created in constructor": lambda: Perceptron([4, 2], name="p"),
    "layers created in constructor, in sequential": lambda: tf.sequential([Perceptron([4, 2], name="p")]),
    "cells": cells,
    "layers built in first call": lambda: tf.sequential(
        [LateBlock(3, input_shape=[3]), tf.layers.dropout(rate=0), LateBlock(2)]
    ),
    "layers built in first call of a wrapper": lambda: tf.sequential(
        [
            tf.layers.reshape(target_shape=[1, 3], input_shape=[3]),
            tf.layers.time_distributed(layer=LateBlock(2)),
            tf.layers.flatten(),
        ]
    ),
}
CLASSES = {cls.__name__: cls for cls in (Block, Cells, LateBlock, Perceptron, Scale, Shifted, ShiftedStack)}


def through_memory(model: Any, path: Path, **options: Any) -> Any:
    kept: list[Any] = []
    model.save(tf.io.with_save_handler(kept.append), include_optimizer=True)
    return tf.load_layers_model(tf.io.from_memory(kept[0]), **options)


def through_file(name: str) -> Any:
    def way(model: Any, path: Path, **options: Any) -> Any:
        model.save(path / name, include_optimizer=True)
        return tf.load_layers_model(path / name, **options)

    return way


def through_weights(name: str) -> Any:
    """Save only the weights and load them into a model rebuilt from its topology."""

    def way(model: Any, path: Path, **options: Any) -> Any:
        save = model.save_weights if name.endswith((".weights.h5", ".safetensors")) else model.save
        save(path / name)
        again = tf.model_from_json(model.to_json(), **options)
        again.load_weights(path / name)
        return again

    return way


# How a model is saved and loaded, and whether that includes the optimizer state.
FORMATS: dict[str, tuple[Any, bool]] = {
    "folder": (through_file("web"), True),
    "zip": (through_file("m.zip"), True),
    "handler": (through_memory, True),
    ".keras": (through_file("m.keras"), True),
    ".h5": (through_file("m.h5"), False),
    "weights of a folder": (through_weights("web"), False),
    "weights of .keras": (through_weights("m.keras"), False),
    "weights of .h5": (through_weights("m.h5"), False),
    ".weights.h5": (through_weights("m.weights.h5"), False),
    ".safetensors": (through_weights("m.safetensors"), False),
}
X, Y = (np.random.default_rng(2).normal(size=(8, n)).astype(np.float32) for n in (3, 2))


def fitted(model: Any, epochs: int = 2) -> list[float]:
    losses: list[float] = model.fit(X, Y, epochs=epochs, batch_size=4, shuffle=False, verbose=0).history["loss"]
    return losses


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", MODELS)
def test_model_round_trip(name: str, format: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    model.predict(X)  # builds the layers that are built in the first call
    model.compile(optimizer=tf.train.adam(0.05), loss="meanSquaredError")
    fitted(model)
    transfer, with_state = FORMATS[format]
    again = transfer(model, tmp_path, custom_objects=CLASSES)
    assert type(again) is type(model)
    assert getattr(again, "label", None) == getattr(model, "label", None)
    assert [w.original_name for w in again.weights] == [w.original_name for w in model.weights]
    for found, expected in zip(again.weights, model.weights, strict=True):
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
    for predict in (lambda m: m.predict(X), lambda m: m.apply(tf.tensor(X))):
        np.testing.assert_array_equal(predict(again).numpy(), predict(model).numpy())
    if with_state:
        assert fitted(again) == fitted(model)


@pytest.mark.parametrize("suffix", ["", ".keras", ".h5"])
def test_registered_classes_need_no_custom_objects(suffix: str, tmp_path: Path) -> None:
    registry.register(Block, "Scale")  # the name of another class
    for cls in CLASSES.values():
        tf.serialization.register_class(cls, "mine" if cls is Scale else None)
    model = graph(label="anOption")
    model.save(tmp_path / f"m{suffix}")
    again = tf.load_layers_model(tmp_path / f"m{suffix}")
    np.testing.assert_array_equal(again.predict(X).numpy(), model.predict(X).numpy())
    block = again.get_layer("block")
    assert (again.label, block.mode, block.sparse) == ("anOption", "fromTo", True)
    assert tf.serialization.get_registered_name(Scale) == "mine>Scale"


def test_registering_in_a_package_keeps_the_builtin_class() -> None:
    cls = type("Own", (tf.layers.Layer,), {})
    tf.serialization.register_class(cls, "mine", "Dense")
    assert registry.class_of("mine>Dense") is cls
    assert registry.class_of("Dense") is registry.class_of("Custom>Dense") is tf.layers.Dense


def test_top_level_weights_are_saved_where_keras_saves_them(tmp_path: Path) -> None:
    stack().save(tmp_path / "m.h5")
    with h5py.File(tmp_path / "m.h5", "a") as file:
        own = file["model_weights/top_level_model_weights"]
        assert list(own.attrs["weight_names"]) == [b"shift:0"]
        np.testing.assert_array_equal(own["shift:0"], [1, 1])
        own.attrs["weight_names"] = np.array([], "S")
    with pytest.raises(tf.io.ModelFileError, match="model 's' itself has 0 weights in the file, and 1 in the model"):
        tf.load_layers_model(tmp_path / "m.h5", custom_objects=CLASSES)
    with h5py.File(tmp_path / "m.h5", "a") as file:  # as in files of Keras before 2.6
        del file["model_weights/top_level_model_weights"]
    with pytest.raises(tf.io.ModelFileError, match="lacks weights that the model has: 'shift'"):
        tf.load_layers_model(tmp_path / "m.h5", custom_objects=CLASSES)
    tf.load_layers_model(tmp_path / "m.h5", strict=False, custom_objects=CLASSES)


def test_duplicate_weight_names_are_numbered(tmp_path: Path) -> None:
    model = stack()
    names = [w.name for w in model.get_named_weights()]
    assert {"block/bias", "block/bias_1"} < {*names}
    model.layers[1].parts[1].trainable = False
    with pytest.warns(UserWarning, match="there are two weights of the name 'block/bias'"):
        model.save(tmp_path)
    again = tf.load_layers_model(tmp_path, custom_objects=CLASSES)
    for found, expected in zip(again.layers[1].parts[1].weights, model.layers[1].parts[1].weights, strict=True):
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


def test_layer_shared_by_two_models_is_saved_twice(tmp_path: Path) -> None:
    """As in TF.js and Keras 2, a file has the layer once for each model that contains it."""
    shared = tf.layers.dense(units=3, name="shared")
    start, x = tf.input(shape=[3]), tf.input(shape=[3])
    inner = tf.model(inputs=start, outputs=shared.apply(start), name="inner")
    model = tf.model(inputs=x, outputs=inner.apply(shared.apply(x)))
    assert [w.name for w in model.get_named_weights()] == [
        f"shared/{n}{i}" for n in ("kernel", "bias") for i in ("", "_1")
    ]
    for transfer, _ in FORMATS.values():
        again = transfer(model, tmp_path)
        np.testing.assert_array_equal(again.predict(X).numpy(), model.predict(X).numpy())


class Held(tf.LayersModel):
    @property
    def trainable_weights(self) -> Any:
        return [*super().trainable_weights, self.held]


@pytest.mark.parametrize("save", ["save", "save_weights"])
@pytest.mark.parametrize("name", ["m.weights.h5", "m.safetensors", "web", "m.keras", "m.h5"])
def test_saving_a_plain_variable_raises(name: str, save: str, tmp_path: Path) -> None:
    x = tf.input(shape=[3])
    model: Any = Held(inputs=x, outputs=tf.layers.dense(units=2).apply(x), name="m")
    model.held = tf.variable(tf.ones([2]), True, "w")
    with pytest.raises(TypeError, match="'w', one of the weights of model m, is a plain variable"):
        getattr(model, save)(tmp_path / name)
    assert not list(tmp_path.iterdir())


class Signs(tf.Optimizer):
    """An optimizer with a slot and a two-word option."""

    class_name = "Signs"
    slot_names = ("mean",)

    def __init__(self, learning_rate: float = 0.1, far_off: float = 1.0) -> None:
        super().__init__(learning_rate)
        self.far_off = far_off

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "far_off": self.far_off}

    def update(self, value: Any, grad: Any, slots: Any) -> Any:
        mean = slots["mean"].mul(0.9).add(grad.sign())
        return value.sub(mean.mul(self.learning_rate * self.far_off)), {"mean": mean}


class Counting(Signs):
    """An optimizer with state beyond its slots, which files of Keras cannot hold."""

    class_name = "Counting"

    def get_weights(self) -> Any:
        return [*super().get_weights(), {"name": "count", "tensor": tf.scalar(3)}]

    def set_weights(self, weight_values: Any) -> Any:
        return super().set_weights(weight_values[:-1])


@pytest.mark.parametrize("cls", [Signs, Counting])
@pytest.mark.parametrize("format", ["folder", "handler", ".keras", ".h5"])
def test_custom_optimizers(format: str, cls: Any, tmp_path: Path) -> None:
    tf.serialization.register_class(cls)
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[3])])
    model.compile(optimizer=cls(0.01, far_off=2.0), loss="meanSquaredError", metrics=["mae"])
    fitted(model)
    transfer, with_state = FORMATS[format]
    again = transfer(model, tmp_path)
    assert (type(again.optimizer), again.optimizer.far_off) == (cls, 2)
    assert again.metrics_names == model.metrics_names
    lossy = format == ".keras" and cls is Counting
    assert (fitted(again) == fitted(model)) is (with_state and not lossy)
    if format in (".keras", ".h5"):
        loss = " and its state is not saved" if lossy else ""
        with pytest.raises(ValueError, match=rf"the optimizer {cls.class_name} is a class of your own{loss}\."):
            model.save(tmp_path / f"strict{format}", include_optimizer=True, strict=True)


def test_additional_optimizer_state_if_slots_are_matched_by_order() -> None:
    tf.serialization.register_class(Counting)
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[3])])
    model.compile(optimizer=Counting(), loss="meanSquaredError")
    fitted(model)
    kept: list[Any] = []
    model.save(tf.io.with_save_handler(kept.append), include_optimizer=True)
    for spec in kept[0].weight_specs:
        if spec.get("group") == "optimizer":
            spec["name"] = spec["name"].replace("dense_", "elsewhere_")
    assert fitted(tf.load_layers_model(tf.io.from_memory(kept[0]))) == fitted(model)


def test_custom_cell_weights_are_tracked() -> None:
    model = cells()
    assert {w.id for w in model.trainable_weights} <= {w.id for w in model.weights}
    assert model.layers[1].cell.weights[0] is model.layers[1].cell.gain


class Gated(tf.layers.TimeDistributed):
    """A wrapper with an additional weight."""

    def build(self, input_shape: Any) -> None:
        self.gate = self.add_weight("gate", [], initializer="ones")
        super().build(input_shape)


def test_custom_wrapper_weights_are_tracked() -> None:
    layer = Gated(layer=tf.layers.dense(units=2), input_shape=[2, 3], name="g")
    tf.sequential([layer])
    assert [w.original_name.rpartition("/")[2] for w in layer.weights] == ["gate", "kernel", "bias"]
    layer.gate.trainable = False
    assert layer.non_trainable_weights == [layer.gate]


class ValueDependent(LateBlock):
    def call(self, inputs: Any, training: bool = False) -> Any:
        largest = float(inputs.max().data_sync()[0])
        return super().call(inputs).mul(largest)


def test_value_dependent_layer_must_build_its_layers_itself(tmp_path: Path) -> None:
    model = tf.sequential([ValueDependent(2, input_shape=[3])])
    model.predict(X)
    model.save(tmp_path)
    with pytest.raises(tf.io.ModelFileError, match="it has weights that the model has not: 'scale/scale'"):
        tf.load_layers_model(tmp_path, custom_objects={"ValueDependent": ValueDependent})
