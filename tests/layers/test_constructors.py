"""User-defined classes are saved and restored, whatever form their constructor and from_config take."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tfpy as tf
from tfpy.layers.base import Layer


class Scaled(Layer):
    factor = 1.0

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        return inputs.mul(self.factor)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "factor": self.factor, "big_factor": 10 * self.factor}


class TakesDict(Scaled):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.factor = config["factor"]


class TakesOptionalDict(Scaled):
    def __init__(self, args: Any = None) -> None:
        super().__init__(args or {})
        self.factor = (args or {}).get("factor", 1.0)


class TakesKeywords(Scaled):
    def __init__(self, factor: float = 2.0, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.factor = factor


class TakesKeywordOnly(Scaled):
    def __init__(self, *, bigFactor: float, name: str | None = None) -> None:
        super().__init__(name=name)
        self.factor = bigFactor / 10


class TakesAnyKeywords(Scaled):
    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.factor = keywords["factor"]


class TakesPositional(Scaled):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor


class TakesNothing(Scaled):
    def __init__(self) -> None:
        super().__init__({})
        self.factor = 3.0


@pytest.mark.parametrize(
    ("cls", "make"),
    [
        (TakesDict, lambda: TakesDict({"factor": 3.0, "name": "s"})),
        (TakesOptionalDict, lambda: TakesOptionalDict({"factor": 3.0, "name": "s"})),
        (TakesKeywords, lambda: TakesKeywords(3.0, name="s")),
        (TakesKeywordOnly, lambda: TakesKeywordOnly(bigFactor=30.0, name="s")),
        (TakesAnyKeywords, lambda: TakesAnyKeywords(factor=3.0, name="s")),
        (TakesPositional, lambda: TakesPositional(3.0)),
        (TakesNothing, TakesNothing),
    ],
)
def test_custom_layer_is_restored_from_file(cls: type, make: Callable[[], Layer], tmp_path: Path) -> None:
    layer = make()
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[2]), layer])
    with pytest.warns(UserWarning, match="TF.js has no class"):
        model.save(tmp_path)
    name, expected = layer.name, model.predict(tf.ones([1, 2])).array_sync()
    del model, layer
    gc.collect()
    loaded = tf.load_layers_model(tmp_path, custom_objects={cls.__name__: cls})
    assert loaded.predict(tf.ones([1, 2])).array_sync() == expected
    assert (loaded.layers[1].name, loaded.layers[1].factor) == (name, 3.0)


class ForgetsFactor(Layer):
    def __init__(self, factor: float, **options: Any) -> None:
        super().__init__(**options)
        self.factor = factor


def test_option_that_get_config_does_not_return(tmp_path: Path) -> None:
    model = tf.sequential([ForgetsFactor(3.0, input_shape=[2], name="f")])
    lost = r"save: get_config of layer 'f' \(ForgetsFactor\) does not return 'factor', so the layer cannot be restored"
    with pytest.warns(UserWarning, match=lost), pytest.warns(UserWarning, match="TF.js has no class"):
        model.save(tmp_path)
    with pytest.raises(ValueError, match="missing 1 required positional argument: 'factor'"):
        tf.load_layers_model(tmp_path, custom_objects={"ForgetsFactor": ForgetsFactor})


def test_custom_initializer_from_config() -> None:
    class Filled(tf.initializers.Initializer):
        def __init__(self, value: float = 0.0) -> None:
            self.value = value

        def apply(self, shape: Any, dtype: Any = None) -> tf.Tensor:
            return tf.fill(shape, self.value)

    assert Filled.from_config({"value": 2.0}).value == 2.0
    assert Filled.from_config({}).value == 0.0


class RecordsClass(TakesDict):
    made_by: Any = None

    @classmethod
    def create(cls, config: Any) -> Any:
        layer = cls(config)
        layer.made_by = cls
        return layer


class PythonFromConfig(RecordsClass):
    @classmethod
    def from_config(cls, config: Any) -> Any:
        return cls.create(config)


class TfjsFromConfig(RecordsClass):
    @staticmethod
    def fromConfig(cls: Any, config: Any) -> Any:
        return cls.create(config)


class TfjsClassMethodFromConfig(RecordsClass):
    @classmethod
    def fromConfig(cls, of: Any, config: Any) -> Any:
        return of.create(config)


class SuperFromConfig(RecordsClass):
    @classmethod
    def fromConfig(cls, of: Any, config: Any) -> Any:
        layer: Any = super().fromConfig(of, config)
        layer.made_by = of
        return layer


class VariadicFromConfig(RecordsClass):
    @classmethod
    def from_config(cls, *given: Any) -> Any:
        return cls.create(given[0])


@pytest.mark.parametrize("cls", RecordsClass.__subclasses__(), ids=lambda cls: cls.__name__)
def test_from_config_may_omit_or_take_the_class(cls: Any) -> None:
    layer = cls({"factor": 3.0, "input_shape": [2]})
    config = layer.get_config()
    calls = [lambda c: c.from_config(config), lambda c: c.from_config(c, config), lambda c: c.fromConfig(c, config)]
    calls += [lambda c: c.fromConfig(config), lambda c: cls.fromConfig(c, config)]
    for call in calls:
        for wanted in (cls, type("Subclass", (cls,), {})):
            again = call(wanted)
            assert (again.factor, again.made_by, type(again)) == (3, wanted, wanted)
    tf.serialization.register_class(cls, name=cls.__name__)
    model = tf.model_from_json(tf.sequential(layers=[layer]).to_json())
    assert model.layers[0].made_by is cls


class CustomWrapper(type(tf.layers.time_distributed(layer=tf.layers.dense(units=1)))):  # type: ignore[misc]
    class_name = "CustomWrapper"

    @classmethod
    def from_config(cls, config: Any) -> Any:
        return cls({**config, "layer": tf.layers.dense(units=5)})


def test_from_config_without_custom_objects_parameter() -> None:
    tf.serialization.register_class(CustomWrapper)
    given = tf.sequential(layers=[CustomWrapper(layer=tf.layers.dense(units=1), input_shape=[3, 2])])
    assert tf.model_from_json(given.to_json()).output_shape == (None, 3, 5)


def test_optimizer_from_config_takes_class_as_in_tfjs() -> None:
    config = tf.train.adam(0.2).get_config()
    for optimizer in (tf.AdamOptimizer.fromConfig(tf.AdamOptimizer, config), tf.AdamOptimizer.from_config(config)):
        assert optimizer.get_config() == config
