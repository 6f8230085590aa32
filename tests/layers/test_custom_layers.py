"""Custom layers, written in the style of Python or TF.js."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from layers.models import X
from tolerance import ROUNDING

import tfpy as tf


def test_custom_layers_in_python_and_tfjs_style() -> None:
    class Scale(tf.layers.Layer, class_name="Scale"):
        """Multiplies by a weight."""

        factor: float = 2.0

        def build(self, input_shape: Any) -> None:
            self.scale = self.add_weight("scale", [1], "float32", tf.initializers.constant(value=self.factor))

        def call(self, inputs: Any) -> Any:
            return inputs.mul(self.scale)

    class Negate(tf.layers.Layer):
        className = "Negate"

        def call(self, inputs: Any, kwargs: Any) -> Any:
            self.invoked_with = kwargs
            return (inputs[0] if isinstance(inputs, list) else inputs).neg()

        def computeOutputShape(self, inputShape: Any) -> Any:
            return inputShape

    tf.serialization.register_class(Negate)
    negate = Negate()
    model = tf.sequential(layers=[Scale(factor=3.0, input_shape=[2]), negate])
    np.testing.assert_allclose(model.predict(X).numpy(), -3 * X, rtol=ROUNDING)
    again = tf.Sequential.from_config(model.get_config())
    np.testing.assert_allclose(again.predict(X).numpy(), -3 * X, rtol=ROUNDING)
    model.compile(optimizer="sgd", loss="meanSquaredError")
    model.fit(X, X, verbose=0)
    assert negate.invoked_with["training"] is True


def test_layer_written_as_in_tfjs_examples() -> None:
    """The TF.js example custom-layer: camelCase attributes and methods, and invokeCallHook."""

    class Antirectifier(tf.layers.Layer):
        def __init__(self) -> None:
            super().__init__({})
            self.supportsMasking = True

        def computeOutputShape(self, inputShape: Any) -> Any:
            return [*inputShape[:-1], 2 * inputShape[-1]]

        def call(self, inputs: Any, kwargs: Any) -> Any:
            self.invokeCallHook(inputs, kwargs)
            return tf.concat([inputs.relu(), inputs.neg().relu()], -1)

        def getClassName(self) -> str:
            return "BothSides"

    layer = Antirectifier()
    assert (layer.supports_masking, "supportsMasking" in vars(layer)) == (True, False)
    assert (layer.get_class_name(), layer.getClassName()) == ("BothSides", "BothSides")
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[3]), layer])
    assert model.predict(tf.ones([1, 3])).shape == (1, 4)


def test_attributes_in_both_spellings() -> None:
    layer = tf.layers.conv2d(filters=2, kernel_size=3, input_shape=[8, 8, 1])
    assert (layer.kernelSize, layer.batchInputShape, layer.inboundNodes) == ((3, 3), (None, 8, 8, 1), [])
    layer.inputSpec = None
    assert layer.input_spec is None
    assert tf.initializers.random_normal(stddev=2).getConfig()["stddev"] == 2
    with pytest.raises(AttributeError, match="Did you mean 'kernel_size'"):
        layer.kernelSizes  # noqa: B018
    assert tf.input(shape=[3]).nodeIndex == 0


@pytest.mark.parametrize(
    ("returned", "kind", "message"),
    [
        (lambda x: None, TypeError, "odd: call must return one or several tensors, but returned None"),
        (lambda x: [x, 1], TypeError, "odd: call must return one or several tensors, but returned 1"),
        (lambda x: [x, x], ValueError, "Layer odd: call returned 2 tensors, compute_output_shape 1 shapes"),
    ],
)
def test_invalid_result_of_call_raises(returned: Any, kind: type[Exception], message: str) -> None:
    class Odd(tf.layers.Layer):
        def call(self, inputs: Any) -> Any:
            return returned(inputs)

    model = tf.sequential([Odd(name="odd", input_shape=[2])])
    with pytest.raises(kind, match=message):
        model.predict(X)


def test_shapes_are_tuples_by_default() -> None:
    layer = tf.layers.masking()
    assert layer.compute_output_shape([None, 2, 3]) == (None, 2, 3)
    assert layer.compute_output_shape([[2, 3], (None, 4)]) == [(2, 3), (None, 4)]
    with pytest.raises(TypeError, match=r"'input_shape' must be .*, but got 'a'"):
        layer.compute_output_shape(["a"])


@pytest.mark.parametrize("shape", [5, None])
def test_invalid_result_of_compute_output_shape_raises(shape: Any) -> None:
    class Odd(tf.layers.Layer):
        def compute_output_shape(self, input_shape: Any) -> Any:
            return shape

    with pytest.raises(TypeError, match=f"odd: compute_output_shape must return a shape.*, but returned {shape}"):
        tf.sequential([Odd(name="odd", input_shape=[2])])


@pytest.mark.parametrize(
    "use",
    [lambda layer: layer.apply(X), lambda layer: tf.sequential([layer]), lambda layer: layer.add_weight("w", [2])],
)
def test_layer_whose_init_omits_super_init_raises(use: Any) -> None:
    class Unready(tf.layers.Layer):
        def __init__(self) -> None:
            self.factor = 2

    with pytest.raises(AttributeError, match=r"Unready: __init__ must call super\(\).__init__\(\), which sets"):
        use(Unready())


def test_result_of_unexpected_shape_warns() -> None:
    """As when a layer ported from TF.js uses `inputs[0]`, which is the tensor there and its first sample here."""

    class First(tf.layers.Layer):
        def call(self, inputs: Any) -> Any:
            return inputs[0]

    model = tf.sequential([First(name="first", input_shape=[2])])
    with pytest.warns(UserWarning, match=r"returned shape \[2\], but .* returned \[None, 2\]\. \(A layer with one"):
        model.apply(tf.ones([3, 2]))


def test_labels_of_unexpected_shape_warn_if_the_layer_returns_them() -> None:
    class FirstTwo(tf.layers.Layer):
        def call(self, inputs: Any) -> Any:
            return inputs[:, :2]

    model = tf.sequential(layers=[FirstTwo(input_shape=[3], name="odd")])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    with (
        pytest.warns(UserWarning, match=r"odd: call returned shape \[1, 2\], .* \[None, 3\]\. Define this method"),
        pytest.raises(ValueError, match=r"'y' must be of shape \[batch, 3\]"),
    ):
        model.fit(np.ones((5, 3)), np.ones((5, 2)), verbose=0)


def test_call_takes_keywords_as_dict() -> None:
    ones = tf.ones([1, 2])
    dense = tf.layers.dense(units=1, kernel_initializer="ones")
    dense.build([None, 2])
    assert dense.call(ones, {"training": True}).numpy().tolist() == [[2]]
    dropout = tf.layers.dropout(rate=0.5, seed=3)
    assert dropout.call(ones, {"training": False, "mask": None}).numpy().tolist() == [[1, 1]]
    assert dropout.call(ones, {"training": True}).numpy().tolist() == dropout.call(ones, True).numpy().tolist()

    class Twice(tf.layers.Dense):
        def call(self, inputs: Any, kwargs: Any) -> Any:
            return super().call(inputs, kwargs).mul(2)

    assert Twice(units=1, kernel_initializer="ones").apply(ones).numpy().tolist() == [[4]]

    class Thrice(tf.layers.Layer):
        def call(self, inputs: Any, kw: Any) -> Any:
            return inputs.mul(3 if kw["training"] else 0)

    assert Thrice().apply(ones, training=True).array_sync() == [[3, 3]]


@pytest.mark.parametrize("as_dict", [False, True])
def test_what_a_call_refers_to_is_freed(as_dict: bool) -> None:
    def used() -> weakref.ref[Any]:
        constant = tf.ones([1])

        class InPython(tf.layers.Layer):
            def call(self, inputs: Any, training: bool = False) -> Any:
                return inputs.add(constant)

        class AsInTfjs(tf.layers.Layer):
            def call(self, inputs: Any, kwargs: Any) -> Any:
                return inputs.add(constant)

        cls: Any = AsInTfjs if as_dict else InPython
        cls().apply(tf.ones([1]), training=True)
        cls().call(tf.ones([1]), {"training": True})
        return weakref.ref(constant)

    found = used()
    gc.collect()
    assert found() is None
