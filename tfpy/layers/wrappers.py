"""Layers around layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from tfpy.core.ops.join import stack
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.layers.base import Layer
from tfpy.layers.config import build_object, is_object_config, spelt
from tfpy.layers.core import one_shape, one_tensor
from tfpy.layers.specs import InputSpec
from tfpy.layers.weights import LayerVariable


class Wrapper(Layer):
    """A layer that applies another one; its weights are the inner layer's.

    Source: TF.js's `Wrapper`.
    """

    layer: Layer

    takes_custom_objects = True

    def configure(self) -> None:
        if not isinstance(self.layer, Layer):
            raise argument_error(self.get_class_name(), "layer", "a layer", self.layer, TypeError)

    @property
    def trainable(self) -> bool:
        """Whether training changes the inner layer's weights."""
        return self.layer.trainable

    @trainable.setter
    def trainable(self, trainable: bool) -> None:
        self.layer.trainable = trainable

    @property
    def trainable_weights(self) -> list[LayerVariable]:
        """The inner layer's trainable weights."""
        return self.layer.trainable_weights

    @property
    def non_trainable_weights(self) -> list[LayerVariable]:
        """The inner layer's other weights."""
        return self.layer.non_trainable_weights

    @property
    def losses(self) -> list[Callable[[], Tensor]]:
        """The inner layer's losses."""
        return self.layer.losses

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """A wrapper around the layer that its configuration describes."""
        inner = spelt(config, "layer")
        built = build_object(inner, "layer", Layer, custom_objects) if is_object_config(inner) else inner
        return cls({**config, "layer": built})


class TimeDistributed(Wrapper, class_name="TimeDistributed", factory="layers.time_distributed"):
    """Applies a layer to every time step: (batch, time, …) → (batch, time, …)."""

    def configure(self) -> None:
        super().configure()
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        shape = one_shape(input_shape)
        if len(shape) < 3:
            raise argument_error("time_distributed", "input_shape", "of rank 3 or more", list(shape))
        self.input_spec = [InputSpec(ndim=len(shape))]
        if not self.layer.built:
            self.layer.build((shape[0], *shape[2:]))
            self.layer.built = True
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(input_shape)
        inner = self.layer.compute_output_shape((shape[0], *shape[2:]))
        return (inner[0], shape[1], *inner[1:])

    def call(self, inputs: Any, training: bool = False) -> Tensor:
        x = one_tensor(inputs)
        if self.layer.per_sample:
            return self._all_at_once(x)
        steps = [one_tensor(self.layer.invoke(step, {"training": training})) for step in x.unstack(1)]
        return stack(steps, 1)

    def _all_at_once(self, x: Tensor) -> Tensor:
        """The time steps as samples of one batch: the same numbers, in one call."""
        batch, time = x.shape[:2]
        y = one_tensor(self.layer.invoke(x.reshape([batch * time, *x.shape[2:]]), {}))
        return y.reshape([batch, time, *y.shape[1:]])
