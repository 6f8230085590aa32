"""Wrappers, which apply another layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from tfpy.core.ops.join import concat, stack
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.layers.added_losses import activity_regularizer
from tfpy.layers.base import Layer
from tfpy.layers.calling import one_tensor
from tfpy.layers.config import config_value
from tfpy.layers.enum_options import enum_option, words
from tfpy.layers.inner_layers import build_inner, inner_layer
from tfpy.layers.kinds.recurrent import RNN, TakesStates
from tfpy.layers.naming import name_scope
from tfpy.layers.shapes import one_shape
from tfpy.layers.specs import InputSpec, check_shapes
from tfpy.layers.symbolic import PartialShape, to_list
from tfpy.layers.weights import LayerVariable


class Wrapper(Layer):
    """A layer that applies another one; its weights are the inner layer's.

    Source: TF.js's `Wrapper`.
    """

    layer: Layer

    takes_custom_objects = True

    def configure(self) -> None:
        if not isinstance(self.layer, Layer):
            raise argument_error(self.class_name, "layer", "a layer", self.layer, TypeError)

    @property
    def trainable(self) -> bool:
        """Whether training changes the inner layer's weights."""
        return self.layer.trainable

    @trainable.setter
    def trainable(self, trainable: bool) -> None:
        self.layer.trainable = trainable

    @property
    def layers_within(self) -> Sequence[Layer]:
        """The inner layer."""
        return (self.layer,)

    # As in TF.js, only the inner layers decide what is trained: one may be unfrozen after `trainable = False`.

    @property
    def trainable_weights(self) -> list[LayerVariable]:
        """Those added to it directly, and those of the inner layers."""
        own = [w for w in self._trainable_weights if w.trainable]
        return own + [w for layer in self.layers_within for w in layer.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[LayerVariable]:
        """The non-trainable weights, its own and those of the inner layers."""
        own = [*(w for w in self._trainable_weights if not w.trainable), *self._non_trainable_weights]
        return own + [w for layer in self.layers_within for w in layer.non_trainable_weights]

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """A wrapper with its inner layer, from a configuration."""
        return cls({**config, "layer": inner_layer(config_value(config, "layer"), "layer", custom_objects)})


class TimeDistributed(Wrapper, class_name="TimeDistributed", factory="layers.time_distributed"):
    """Applies a layer to every time step: (batch, time, …) → (batch, time, …)."""

    def configure(self) -> None:
        super().configure()
        self.supports_masking = True
        if not self._trainable:
            self.trainable = False

    def build(self, input_shape: Any) -> None:
        shape = one_shape(self.name, input_shape)
        if len(shape) < 3:
            raise argument_error(self.name, "input_shape", "of rank 3 or more", list(shape))
        # TF.js also fixes it to the number of samples and steps of the first call.
        self.input_spec = [InputSpec(shape=(None, None, *shape[2:]))]
        step = (shape[0], *shape[2:])
        check_shapes(self.layer.name, self.layer.input_spec, [step])
        build_inner(self.layer, step)
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(self.name, input_shape)
        inner = self.layer.compute_output_shape((shape[0], *shape[2:]))
        return (inner[0], shape[1], *inner[1:])

    def call(self, inputs: Any, training: bool = False) -> Tensor:
        x = one_tensor(self.name, inputs)
        if self.layer.per_sample and activity_regularizer(self.layer) is None and not current().in_steps:
            return self._all_at_once(x)
        steps = [one_tensor(self.name, self.layer.invoke(step, {"training": training})) for step in x.unstack(1)]
        return stack(steps, 1)

    def _all_at_once(self, x: Tensor) -> Tensor:
        """The time steps as samples of one batch: the same result in one call."""
        batch, time = x.shape[:2]
        y = one_tensor(self.name, self.layer.invoke(x.reshape([batch * time, *x.shape[2:]]), {}))
        return y.reshape([batch, time, *y.shape[1:]])


_MERGE_MODES = words("concat", "sum", "ave", "mul")


class Bidirectional(TakesStates, Wrapper, class_name="Bidirectional", factory="layers.bidirectional"):
    """Runs a recurrent layer over a sequence, and a second one like it over the reversed sequence.

    The outputs are merged: 'concat', 'sum', 'ave' (their mean) or 'mul'; with an explicit merge_mode of None the layer
    returns both. With return_state the states of both layers follow, the forward ones first. Initial states are passed
    in the same order.

    The two layers are copies of the given layer, named with the prefixes 'forward_' and 'backward_'.
    """

    merge_mode: str | None = "concat"

    def _read(self, config: Any, options: Mapping[str, Any], *others: Any) -> dict[str, Any]:
        values = super()._read(config, options, *others)
        for given in (config or {}, options):
            if any(given.get(key, "") is None for key in ("merge_mode", "mergeMode")):
                values["merge_mode"] = None
        return values

    def configure(self) -> None:
        super().configure()
        if not isinstance(self.layer, RNN):
            raise argument_error(self.class_name, "layer", "a recurrent layer", self.layer, TypeError)
        if self.merge_mode is not None:
            self.merge_mode = enum_option(self.class_name, "merge_mode", self.merge_mode, _MERGE_MODES)
        config = self.layer.get_config()
        kind, backwards = type(self.layer), self.layer.go_backwards
        self.forward_layer = kind.from_config({**config, "name": f"forward_{self.layer.name}"})
        self.backward_layer = kind.from_config(
            {**config, "name": f"backward_{self.layer.name}", "go_backwards": not backwards}
        )
        self.supports_masking = True
        self.stateful = self.layer.stateful
        self.input_spec = self.layer.input_spec
        if not self._trainable:
            self.trainable = False

    @property
    def both(self) -> tuple[RNN, RNN]:
        """The forward and the backward layer."""
        return self.forward_layer, self.backward_layer

    @property
    def trainable(self) -> bool:
        """Whether training changes the weights of the two layers."""
        return self._trainable

    @trainable.setter
    def trainable(self, trainable: bool) -> None:
        self._trainable = trainable
        for layer in self.both:
            layer.trainable = trainable

    @property
    def layers_within(self) -> Sequence[Layer]:
        """Both layers. The original layer has none of the weights."""
        return self.both

    def expect_states(self, specs: list[InputSpec]) -> None:
        for layer, own in zip(self.both, self._halves(specs), strict=True):
            layer.expect_states(own)

    def _halves(self, states: list[Any]) -> tuple[list[Any], list[Any]]:
        """The states of the forward layer and those of the backward layer."""
        half = len(states) // 2
        if len(states) % 2:
            raise argument_error(
                self.name, "initial_state", "states for both layers", Unquoted(f"{len(states)} of them")
            )
        return states[:half], states[half:]

    def build(self, input_shape: Any) -> None:
        for layer in self.both:
            with name_scope(layer.name):
                layer.build(input_shape)
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        found = self.forward_layer.compute_output_shape(input_shape)
        output, *states = found if self.forward_layer.return_state else [found]
        outputs: list[PartialShape] = [output]
        if self.merge_mode is None:
            outputs = [output, output]
        elif self.merge_mode == "concat":
            outputs = [(*output[:-1], None if output[-1] is None else 2 * output[-1])]
        return [*outputs, *states, *states] if len(outputs) > 1 or states else outputs[0]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        output = to_list(mask)[0] if self.forward_layer.return_sequences else None
        outputs = [output] * (2 if self.merge_mode is None else 1)
        states = [None] * (2 * len(self.forward_layer.state_sizes) if self.forward_layer.return_state else 0)
        return [*outputs, *states] if len(outputs) > 1 or states else output

    def call(self, inputs: Any, mask: Any = None, training: bool = False, initial_state: Any = None) -> Any:
        x, *listed = to_list(inputs)
        given = self._halves(list(initial_state or listed))
        found = [
            to_list(layer.invoke(x, {"mask": mask, "training": training, "initial_state": states or None}))
            for layer, states in zip(self.both, given, strict=True)
        ]
        forward, backward = (outputs[0] for outputs in found)
        states = [state for outputs in found for state in outputs[1:]]
        if self.forward_layer.return_sequences:
            backward = backward.reverse(1)
        merged = self._merged(forward, backward)
        return [*merged, *states] if len(merged) > 1 or states else merged[0]

    def _merged(self, forward: Tensor, backward: Tensor) -> list[Tensor]:
        if self.merge_mode is None:
            return [forward, backward]
        if self.merge_mode == "concat":
            return [concat([forward, backward], -1)]
        if self.merge_mode == "mul":
            return [forward.mul(backward)]
        total = forward.add(backward)
        return [total.mul(0.5) if self.merge_mode == "ave" else total]

    def reset_states(self, states: Any = None) -> None:
        """Reset both layers to zeros, or to given states, those of the forward layer first."""
        halves = (None, None) if states is None else self._halves(to_list(states))
        for layer, own in zip(self.both, halves, strict=True):
            layer.reset_states(own)
