"""The cells of recurrent layers: what happens in one time step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from tfpy.core.ops.join import concat, split
from tfpy.core.ops.random import dropout
from tfpy.core.registry import export
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.layers.activations import ActivationOption
from tfpy.layers.base import Layer
from tfpy.layers.config import build_object, is_object_config, spelt
from tfpy.layers.constraints import ConstraintOption
from tfpy.layers.core import one_shape, positive
from tfpy.layers.declared import Declared
from tfpy.layers.initializers import Initializer, InitializerOption
from tfpy.layers.naming import name_scope
from tfpy.layers.products import affine, dot
from tfpy.layers.regularizers import RegularizerOption
from tfpy.layers.symbolic import as_list
from tfpy.layers.weights import LayerVariable


@export(namespace="layers", doc="Layers / Classes")
class RNNCell(Layer):
    """One step of a recurrent layer: `call([inputs, *states])` returns [output, *new states].

    Attributes:
        state_size: the size of the state, or a list of the sizes of several.

    Source: TF.js `tf.layers.RNNCell`.
    """


class RecurrentOptions(Declared):
    """What all cells declare, and the recurrent layers made of them."""

    units: int
    activation: ActivationOption = "tanh"
    use_bias: bool = True
    kernel_initializer: InitializerOption = "glorotNormal"
    recurrent_initializer: InitializerOption = "orthogonal"
    bias_initializer: InitializerOption = "zeros"
    kernel_regularizer: RegularizerOption = None
    recurrent_regularizer: RegularizerOption = None
    bias_regularizer: RegularizerOption = None
    kernel_constraint: ConstraintOption = None
    recurrent_constraint: ConstraintOption = None
    bias_constraint: ConstraintOption = None
    dropout: float = 0.0
    recurrent_dropout: float = 0.0
    dropout_func: Callable[..., Tensor] | None = None


class GatedOptions(RecurrentOptions):
    """What cells with gates declare beyond that."""

    recurrent_activation: ActivationOption = "hardSigmoid"
    implementation: int | None = None


class GRUOptions(GatedOptions):
    """What GRU cells declare beyond that."""

    reset_after: bool = False


class LSTMOptions(GatedOptions):
    """What LSTM cells declare beyond that."""

    unit_forget_bias: bool | None = None


class _Cell(RecurrentOptions, RNNCell):
    """What the three cells share: weights for a number of gates, and dropout masks that hold for a whole sequence."""

    gates = 1

    def configure(self) -> None:
        self.units = positive(self.get_class_name(), "units", self.units)
        self.dropout = min(max(float(self.dropout or 0), 0.0), 1.0)
        self.recurrent_dropout = min(max(float(self.recurrent_dropout or 0), 0.0), 1.0)
        self.state_size: Any = self.units
        self._masks: dict[str, Tensor] = {}

    def build(self, input_shape: Any) -> None:
        size = one_shape(input_shape)[-1]
        if size is None:
            raise argument_error(self.name, "input_shape", "a shape whose last size is known", input_shape)
        width = self.units * self.gates
        self.kernel = self.add_weight(
            "kernel", (size, width), None, self.kernel_initializer, self.kernel_regularizer, True,
            self.kernel_constraint,
        )  # fmt: skip
        self.recurrent_kernel = self.add_weight(
            "recurrent_kernel", (self.units, width), None, self.recurrent_initializer, self.recurrent_regularizer, True,
            self.recurrent_constraint,
        )  # fmt: skip
        self.bias: LayerVariable | None = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", (width,), None, self.first_bias(), self.bias_regularizer, True, self.bias_constraint
            )
        self.built = True

    def first_bias(self) -> Any:
        """How the bias starts."""
        return self.bias_initializer

    def masked(self, which: str, x: Tensor, training: bool) -> Tensor:
        """x with the dropout of the inputs or of the state; the mask is the same at every step."""
        rate = self.dropout if which == "inputs" else self.recurrent_dropout
        if not training or not 0 < rate < 1:
            return x
        if which not in self._masks:
            drop = self.dropout_func or dropout
            self._masks[which] = drop(x.ones_like(), rate)
        return x.mul(self._masks[which])

    def new_sequence(self) -> None:
        """Draw dropout masks anew."""
        self._masks = {}

    def parts(self, name: str, inputs: Any, count: int) -> list[Tensor]:
        """The input and the states, checked to be as many as the cell has."""
        listed = as_list(inputs)
        if len(listed) != count:
            raise argument_error(name, "inputs", f"a list of {count} tensors, the input and the states", inputs)
        return listed


class SimpleRNNCell(_Cell, class_name="SimpleRNNCell", factory="layers.simple_rnn_cell"):
    """h' = activation(x · W + b + h · U)."""

    def call(self, inputs: Any, training: bool = False) -> list[Tensor]:
        x, state = self.parts("simple_rnn_cell", inputs, 2)
        h = affine(self.masked("inputs", x, training), self.kernel, self.bias)
        output = self.activation(h.add(dot(self.masked("state", state, training), self.recurrent_kernel)))
        return [output, output]


class GRUCell(GRUOptions, _Cell, class_name="GRUCell", factory="layers.gru_cell"):
    """A gated recurrent unit (Cho et al. 2014), its gates in the order z, r, h.

    z, r = σ(x · W + b + h · U);  h̃ = tanh(x · W + b + (r ∘ h) · U);  h' = z ∘ h + (1 - z) ∘ h̃.
    """

    gates = 3

    def configure(self) -> None:
        super().configure()
        if self.reset_after:
            raise argument_error("gru_cell", "reset_after", "false; TF.js has no other form", self.reset_after)

    def call(self, inputs: Any, training: bool = False) -> list[Tensor]:
        x, state = self.parts("gru_cell", inputs, 2)
        matrix_x = affine(self.masked("inputs", x, training), self.kernel, self.bias)
        state = self.masked("state", state, training)
        gates_kernel, h_kernel = split(self.recurrent_kernel, [2 * self.units, self.units], -1)
        x_z, x_r, x_h = split(matrix_x, 3, -1)
        state_z, state_r = split(dot(state, gates_kernel), 2, -1)
        z = self.recurrent_activation(x_z.add(state_z))
        r = self.recurrent_activation(x_r.add(state_r))
        candidate = self.activation(x_h.add(dot(r.mul(state), h_kernel)))
        h = z.mul(state).add(z.neg().add(1).mul(candidate))
        return [h, h]


class _ForgetBias(Initializer):
    """A bias that is 1 for the forget gate, and what another initializer gives for the others."""

    def __init__(self, others: Initializer, units: int) -> None:
        self.others = others
        self.units = units

    def apply(self, shape: Any, dtype: Any = None) -> Tensor:
        first = self.others.apply((self.units,))
        rest = self.others.apply((2 * self.units,))
        return concat([first, first.ones_like(), rest])


class LSTMCell(LSTMOptions, _Cell, class_name="LSTMCell", factory="layers.lstm_cell"):
    """A long short-term memory (Hochreiter and Schmidhuber 1997), its gates in the order i, f, c, o.

    i, f, o = σ(x · W + h · U + b);  c' = f ∘ c + i ∘ tanh(x · W + h · U + b);  h' = o ∘ tanh(c').
    """

    gates = 4

    def configure(self) -> None:
        super().configure()
        self.state_size = [self.units, self.units]

    def first_bias(self) -> Any:
        return _ForgetBias(self.bias_initializer, self.units) if self.unit_forget_bias else self.bias_initializer

    def call(self, inputs: Any, training: bool = False) -> list[Tensor]:
        x, state, carry = self.parts("lstm_cell", inputs, 3)
        z = dot(self.masked("inputs", x, training), self.kernel)
        z = z.add(dot(self.masked("state", state, training), self.recurrent_kernel))
        if self.bias is not None:
            z = z.add(self.bias)
        z_i, z_f, z_c, z_o = split(z, 4, -1)
        i = self.recurrent_activation(z_i)
        f = self.recurrent_activation(z_f)
        c = f.mul(carry).add(i.mul(self.activation(z_c)))
        h = self.recurrent_activation(z_o).mul(self.activation(c))
        return [h, h, c]


class StackedRNNCells(RNNCell, class_name="StackedRNNCells", factory="layers.stacked_rnn_cells"):
    """Several cells, each fed the output of the one before, as one cell. The states come in reverse order."""

    cells: list[Any]

    takes_custom_objects = True

    def configure(self) -> None:
        for i, cell in enumerate(self.cells):
            if not hasattr(cell, "state_size"):
                raise argument_error("stacked_rnn_cells", f"cells[{i}]", "a cell with a state_size", cell, TypeError)

    @property
    def state_size(self) -> list[int]:
        """The sizes of the states, those of the last cell first."""
        return [size for cell in reversed(self.cells) for size in as_list(cell.state_size)]

    def new_sequence(self) -> None:
        """Draw dropout masks anew."""
        for cell in self.cells:
            start_sequence(cell)

    def build(self, input_shape: Any) -> None:
        shape = one_shape(input_shape)
        for i, cell in enumerate(self.cells):
            with name_scope(f"RNNCell_{i}"):
                if not cell.built:
                    cell.build(shape)
                    cell.built = True
            shape = (shape[0], as_list(cell.state_size)[0])
        self.built = True

    def call(self, inputs: Any, training: bool = False) -> list[Tensor]:
        output, *states = as_list(inputs)
        of_cell = []
        for cell in reversed(self.cells):
            count = len(as_list(cell.state_size))
            of_cell.append(states[:count])
            states = states[count:]
        found = []
        for cell, own in zip(self.cells, reversed(of_cell), strict=True):
            output, *new = cell.invoke([output, *own], {"training": training})
            found.append(new)
        return [output, *(state for new in reversed(found) for state in new)]

    @property
    def trainable_weights(self) -> list[LayerVariable]:
        """The cells' trainable weights."""
        return [w for cell in self.cells for w in cell.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[LayerVariable]:
        """The cells' other weights."""
        others = [w for cell in self.cells for w in cell.non_trainable_weights]
        return others if self.trainable else [w for cell in self.cells for w in cell.trainable_weights] + others

    @property
    def weights(self) -> list[LayerVariable]:
        """The cells' weights, cell by cell."""
        return [w for cell in self.cells for w in cell.weights]

    @property
    def losses(self) -> list[Callable[[], Tensor]]:
        """The cells' losses."""
        return [loss for cell in self.cells for loss in cell.losses]

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """The cells that a configuration describes."""
        cells = [
            build_object(c, "cell", Layer, custom_objects) if is_object_config(c) else c
            for c in spelt(config, "cells", [])
        ]
        return cls({**config, "cells": cells})


def start_sequence(cell: Any) -> None:
    """Tell a cell that a new sequence begins; cells of one's own need not know."""
    begin = getattr(cell, "new_sequence", None)
    if begin is not None:
        begin()
