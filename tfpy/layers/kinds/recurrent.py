"""Recurrent layers, which run a cell over the time steps of a sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

from tfpy.core.calling.registry import export
from tfpy.core.convert import to_tensor, to_tensors
from tfpy.core.naming.names import camel
from tfpy.core.ops.common import full
from tfpy.core.ops.join import stack
from tfpy.core.ops.logic import where
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.scope import outlive_scopes
from tfpy.layers.base import Layer
from tfpy.layers.config import build_object, config_value, is_object_config, options_in
from tfpy.layers.inner_layers import build_inner
from tfpy.layers.kinds._camel import RNNCamel
from tfpy.layers.kinds.cells import (
    GRUCell,
    GRUOptions,
    LSTMCell,
    LSTMOptions,
    RecurrentOptions,
    SimpleRNNCell,
    StackedRNNCells,
    start_sequence,
)
from tfpy.layers.kinds.sequence_kernels import fits_sequence_kernel, run_with_sequence_kernel
from tfpy.layers.shapes import are_several, one_shape, shapes_agree
from tfpy.layers.specs import InputSpec
from tfpy.layers.symbolic import PartialShape, SymbolicTensor, to_list

Step = Callable[[Tensor, list[Tensor]], tuple[Tensor, list[Tensor]]]


def run_steps(
    step: Step, inputs: Tensor, states: list[Tensor], mask: Tensor | None, go_backwards: bool
) -> Iterator[tuple[Tensor, list[Tensor], Tensor | None]]:
    """Run a step function over the second axis of the inputs.

    Args:
        step: (input of a step, states) → (output, new states).
        inputs: (batch, time, …).
        states: the first states.
        mask: (batch, time); where it is false, output and states keep their previous values.
        go_backwards: whether to process the steps in reverse order.

    Yields:
        The output and the states after each step, and its mask as factors, (batch, 1, …), or None.
    """
    order = range(inputs.shape[1])
    xs = inputs.unstack(1)
    masks = None if mask is None else _step_masks(mask, inputs.rank)
    for t in reversed(order) if go_backwards else order:
        output, new = step(xs[t], states)
        seen = None if masks is None else masks[t]
        if seen is not None:
            unseen = seen.ones_like().sub(seen)
            output = output.mul(seen).add(states[0].mul(unseen))
            new = [n.mul(seen).add(old.mul(unseen)) for n, old in zip(new, states, strict=True)]
        states = new
        yield output, states, seen


def _all_agree(found: Sequence[PartialShape | None], wanted: Sequence[PartialShape]) -> bool:
    return len(found) == len(wanted) and all(
        a is not None and shapes_agree((None, *a[1:]), b) for a, b in zip(found, wanted, strict=True)
    )


def _step_masks(mask: Tensor, rank: int) -> list[Tensor]:
    """The mask of each step, (batch, 1, …), as factors."""
    factors = mask.cast("bool").cast("float32")
    return factors.reshape([*factors.shape, *[1] * (rank - factors.rank)]).unstack(1)


class TakesStates(Layer):
    """A layer that accepts initial states, by name or in a list after its input."""

    def expect_states(self, specs: list[InputSpec]) -> None:
        """Record the shapes of the initial states before the layer is built."""

    def _apply(self, inputs: Any, arguments: dict[str, Any]) -> Any:
        states = arguments.pop("initial_state", arguments.pop("initialState", None))
        if isinstance(inputs, (list, tuple)) and len(inputs) > 1 and hasattr(inputs[0], "shape"):
            if states is not None:
                raise argument_error(self.name, "initial_state", "given once: in the inputs, or by name", states)
            inputs, *states = inputs
        if states is None:
            return super()._apply(inputs, arguments)
        states = [
            s if isinstance(s, SymbolicTensor) else to_tensor(self.name, "initial_state", s) for s in to_list(states)
        ]
        if not states:
            raise argument_error(self.name, "initial_state", "a list of at least one state", states)
        if not self.built:
            self.expect_states([InputSpec(shape=tuple(s.shape)) for s in states])
        if not isinstance(states[0], SymbolicTensor):
            return super()._apply(inputs, {**arguments, "initial_state": states})
        return super()._apply([*to_list(inputs), *states], arguments)

    def check_against_spec(self, inputs: Sequence[Any]) -> None:
        super().check_against_spec(inputs[:1])  # the states after it are checked when the layer is built


@export(namespace="layers", doc="Layers / Classes", aliases="RNN")
class RNN(RNNCamel, TakesStates, class_name="RNN", factory="layers.rnn"):
    """Runs a cell over a sequence: (batch, time, features) → (batch, units), or (batch, time, units).

    With zero_output_for_mask the outputs of masked steps are zeros instead of the previous output (beyond TF.js; Keras
    does so within Bidirectional). The states are not affected.

    Source: TF.js `tf.layers.RNN`.
    """

    cell: Any = None
    return_sequences: bool = False
    return_state: bool = False
    go_backwards: bool = False
    stateful: bool = False
    unroll: bool = False
    zero_output_for_mask: bool = False
    input_dim: int | None = None
    input_length: int | None = None

    takes_custom_objects = True

    def configure(self) -> None:
        self._states: list[Tensor] | None = None
        # The initial zero states are created lazily: a file may ask for any number of them.
        self._zeros: list[tuple[int, ...]] | None = None
        if self.cell is None:
            raise argument_error(self.class_name, "cell", "given: a cell, or a list of cells", None)
        if isinstance(self.cell, (list, tuple)):
            self.cell = StackedRNNCells(cells=list(self.cell))
        if not hasattr(self.cell, "state_size"):
            raise argument_error(self.class_name, "cell", "a cell with a state_size", self.cell, TypeError)
        self.supports_masking = True
        self.input_spec = [InputSpec(ndim=3)]
        self.state_spec: list[InputSpec] | None = None
        if self.batch_input_shape is None and self.input_dim is not None:
            self.set_input_shape((self.input_length, self.input_dim))

    @property
    def state_sizes(self) -> list[int]:
        """The sizes of the states."""
        return to_list(self.cell.state_size)

    def expect_states(self, specs: list[InputSpec]) -> None:
        self.state_spec = specs

    def build(self, input_shape: Any) -> None:
        shape = self._input_shape(input_shape)
        self.input_spec = [InputSpec(shape=(shape[0] if self.stateful else None, None, *shape[2:]))]
        build_inner(self.cell, (shape[0], *shape[2:]))
        wanted = [(None, *state[1:]) for state in self.state_shapes(shape)]
        if self.state_spec is None:
            self.state_spec = [InputSpec(shape=state) for state in wanted]
        elif not _all_agree([spec.shape for spec in self.state_spec], wanted):
            found = [spec.shape for spec in self.state_spec]
            raise argument_error(self.name, "initial_state", f"states of shapes {wanted}", found)
        if self.stateful:
            self.reset_states()
        self.built = True

    def _input_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of the sequence; those of initial states may follow it in a list."""
        return one_shape(self.name, input_shape[0] if are_several(input_shape) else input_shape)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = self._input_shape(input_shape)
        states = self.state_shapes(shape)
        output = (shape[0], shape[1], *states[0][1:]) if self.return_sequences else states[0]
        return [output, *states] if self.return_state else output

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        first = mask[0] if isinstance(mask, (list, tuple)) else mask
        output = first if self.return_sequences else None
        return [output, *[None] * len(self.state_sizes)] if self.return_state else output

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool = False,
        initial_state: Sequence[Tensor] | None = None,
    ) -> Any:
        x, *listed = to_list(inputs)
        states = self._first_states(x, initial_state or listed)
        seen = mask[0] if isinstance(mask, (list, tuple)) else mask
        if seen is not None:
            seen = self._of_steps(seen, x)
        zeros = seen is not None and self.zero_output_for_mask
        if not zeros and fits_sequence_kernel(self.cell, x, seen, training):
            outputs, states = run_with_sequence_kernel(
                self.cell, x, states, seen, self.go_backwards, self.return_sequences, training
            )
            output = outputs if self.return_sequences else states[0]
        else:
            output, states = self._step_by_step(x, states, seen, training)
        if zeros and not self.return_sequences:
            last = seen[:, 0 if self.go_backwards else -1]
            output = where(last.expand_dims(-1), output, 0)
        if self.stateful:
            self.reset_states(states)
        return [output, *states] if self.return_state else output

    def _of_steps(self, mask: Tensor, x: Tensor) -> Tensor:
        """The mask with one value per step. After a layer that shortens sequences it has more: as in TF.js, the first
        ones in the direction of processing are used.
        """
        batch, steps = x.shape[:2]
        if mask.rank < 2 or mask.shape[0] != batch or mask.shape[1] < steps:
            raise argument_error(self.name, "mask", f"a value for each step: {[batch, steps]}", mask)
        more = mask.shape[1] - steps
        first = more if self.go_backwards else 0
        return mask[:, first : first + steps] if more else mask

    def _step_by_step(
        self, x: Tensor, states: list[Tensor], mask: Tensor | None, training: bool
    ) -> tuple[Tensor, list[Tensor]]:
        start_sequence(self.cell)

        def step(step_input: Tensor, before: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
            output, *after = self.cell.invoke([step_input, *before], {"training": training})
            return output, after

        last, outputs = states[0] if states else x, []
        for output, after_step, seen in run_steps(step, x, states, mask, self.go_backwards):
            last, states = output, after_step
            if self.return_sequences:
                outputs.append(output.mul(seen) if seen is not None and self.zero_output_for_mask else output)
        return stack(outputs, 1) if self.return_sequences else last, states

    def _first_states(self, x: Tensor, given: Sequence[Tensor]) -> list[Tensor]:
        if given:
            states = list(given)
        elif self.stateful:
            states = list(self.states)
        else:
            states = self.get_initial_state(x)
        if len(states) != len(self.state_sizes):
            raise argument_error(
                self.name, "initial_state", f"{len(self.state_sizes)} states", Unquoted(f"{len(states)}")
            )
        return states

    def get_initial_state(self, inputs: Tensor) -> list[Tensor]:
        """Zero states for a batch of inputs."""
        return [full(shape, 0) for shape in self.state_shapes(inputs.shape)]

    # States kept from batch to batch

    @property
    def states(self) -> list[Any]:
        """The states kept from the last batch; None for each before the first batch."""
        if self._states is None and self._zeros is not None:
            self._states = [outlive_scopes(full(shape, 0)) for shape in self._zeros]
        return [None] * len(self.state_sizes) if self._states is None else self._states

    def get_states(self) -> list[Any]:
        """The states kept from the last batch."""
        return self.states

    def set_states(self, states: Sequence[Tensor]) -> None:
        """Set the states that the next batch starts from."""
        self.reset_states(states)

    def reset_states(self, states: Any = None, training: bool = False) -> None:
        """Reset the states for the next batch to zeros, or to given states.

        Args:
            states: a tensor, or a list of them.
            training: accepted but ignored: TF.js keeps the old states for gradients.

        Raises:
            RuntimeError: the layer is not stateful. ValueError: the batch size is unknown, or states do not fit.
        """
        if not self.stateful:
            raise RuntimeError(f"reset_states: layer {self.name} is not stateful.")
        shape = self.input_spec[0].shape if self.input_spec and self.input_spec[0] else None
        wanted = [] if shape is None else self.state_shapes(shape)
        if shape is None or any(None in state for state in wanted):
            raise ValueError(
                f"reset_states: layer {self.name} is stateful and needs a fixed batch size: set batch_input_shape of "
                "the first layer, or batch_shape to the input."
            )
        if states is None:
            self._states, self._zeros = None, wanted
            return
        given = to_list(states)
        if len(given) != len(wanted):
            raise argument_error("reset_states", "states", f"{len(wanted)} states", Unquoted(f"{len(given)}"))
        tensors = to_tensors("reset_states", "states", given)
        for state, shape in zip(tensors, wanted, strict=True):
            if tuple(state.shape) != shape:
                raise argument_error("reset_states", "states", f"of shape {list(shape)}", state)
        self._states = [outlive_scopes(state.clone()) for state in tensors]

    def state_shapes(self, input_shape: PartialShape) -> list[Any]:
        """The shapes of the states for a batch of sequences."""
        return [(input_shape[0], size) for size in self.state_sizes]

    @property
    def layers_within(self) -> Sequence[Layer]:
        """The cell. Freezing the layer does not affect it, as in TF.js."""
        return (self.cell,)

    def get_config(self) -> dict[str, Any]:
        """The options. An RNN of any cell repeats those of its cell, as in TF.js."""
        config = super().get_config()
        return {**config["cell"]["config"], **config} if type(self) is RNN else config

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """A layer from its configuration."""
        cell = config_value(config, "cell")
        if not is_object_config(cell):
            return cls(dict(config))
        own = without_options_of_cell(config) if cls is RNN else config
        return cls({**own, "cell": build_object(cell, "cell", Layer, custom_objects)})


def without_options_of_cell(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of an RNN without those options of its cell that it repeats."""
    own = set(map(camel, (*RNN.options, *RNN.base_options)))
    repeated = set(map(camel, options_in(config_value(config, "cell")))) - own
    return {key: value for key, value in config.items() if camel(key) not in repeated}


class CellLayer(RNN):
    """A recurrent layer that creates its cell from its options."""

    cell_class: ClassVar[type[Layer]]

    def configure(self) -> None:
        # As in TF.js, whatever cell is given: with another cell, files would not describe the computation.
        self.cell = self.cell_class({name: getattr(self, name) for name in self.cell_class.options})
        super().configure()

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["cell"]
        return config


class SimpleRNN(RecurrentOptions, CellLayer, class_name="SimpleRNN", factory="layers.simple_rnn"):
    """A fully connected recurrent layer: h' = activation(x · W + b + h · U).

    (batch, time, features) → (batch, units), or (batch, time, units) with return_sequences.
    """

    cell_class = SimpleRNNCell


class GRU(GRUOptions, CellLayer, class_name="GRU", factory="layers.gru"):
    """Gated recurrent units (Cho et al. 2014), in the form that resets the state before the product.

    With reset_after, the form that resets it after the product (beyond TF.js).

    (batch, time, features) → (batch, units), or (batch, time, units) with return_sequences.
    """

    cell_class = GRUCell


class LSTM(LSTMOptions, CellLayer, class_name="LSTM", factory="layers.lstm"):
    """Long short-term memory (Hochreiter and Schmidhuber 1997).

    (batch, time, features) → (batch, units), or (batch, time, units) with return_sequences.
    """

    cell_class = LSTMCell
