"""Cells of recurrent layers, which compute one time step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from tfpy.core.calling.registry import export
from tfpy.core.convert import to_tensor
from tfpy.core.ops.common import full
from tfpy.core.ops.join import concat, split
from tfpy.core.ops.random import dropout
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_positive
from tfpy.engine.errors import argument_error
from tfpy.layers.activations import ActivationOption
from tfpy.layers.base import Layer
from tfpy.layers.config import config_value
from tfpy.layers.constraints import ConstraintOption
from tfpy.layers.declared import Declared
from tfpy.layers.initializers import Initializer, InitializerOption
from tfpy.layers.inner_layers import build_inner, inner_layer
from tfpy.layers.kinds._camel import RNNCellCamel, StackedRNNCellsCamel
from tfpy.layers.kinds.products import affine, dot
from tfpy.layers.kinds.rates import dropout_rate, drops
from tfpy.layers.naming import name_scope
from tfpy.layers.regularizers import RegularizerOption
from tfpy.layers.shapes import known_last_size, one_shape
from tfpy.layers.symbolic import to_list
from tfpy.layers.weights import LayerVariable


@export(namespace="layers", doc="Layers / Classes")
class RNNCell(RNNCellCamel, Layer):
    """One step of a recurrent layer: `call([inputs, *states])` returns [output, *new states].

    Attributes:
        state_size: the size of the state, or a list of the sizes of several.

    Source: TF.js `tf.layers.RNNCell`.
    """

    if TYPE_CHECKING:  # otherwise it would be a required option
        state_size: Any


class CellOptions(Declared):
    """Options of all cells, and of the recurrent layers made of them."""

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


class UnitsOptions(Declared):
    """Further options of cells whose states are vectors."""

    units: int


class RecurrentOptions(UnitsOptions, CellOptions):
    """Options of simple cells."""


class GatedOptions(CellOptions):
    """Further options of cells with gates."""

    recurrent_activation: ActivationOption = "hardSigmoid"
    implementation: int | None = None


class GRUOptions(UnitsOptions, GatedOptions):
    """Further options of GRU cells."""

    reset_after: bool = False


class BaseLSTMOptions(GatedOptions):
    """Further options of all LSTM cells."""

    unit_forget_bias: bool | None = None


class LSTMOptions(UnitsOptions, BaseLSTMOptions):
    """Options of LSTM cells whose states are vectors."""


class Cell(CellOptions, RNNCell):
    """Base of all cells: three weights, and dropout masks that are shared by a whole sequence."""

    # Redrawn for each sequence, so they only affect the training step in which they are drawn.
    transient = RNNCell.transient | {"_masks"}

    def configure(self) -> None:
        self.dropout = dropout_rate(self.class_name, "dropout", self.dropout or 0)
        self.recurrent_dropout = dropout_rate(self.class_name, "recurrent_dropout", self.recurrent_dropout or 0)
        self._masks: dict[tuple[str, int], Tensor] = {}

    def add_weights(self, kernel: Sequence[int], recurrent_kernel: Sequence[int], bias: Sequence[int]) -> None:
        """Add the weights, with the given shapes."""
        self.kernel = self._add_declared_weight("kernel", kernel)
        self.recurrent_kernel = self._add_declared_weight("recurrent_kernel", recurrent_kernel, "recurrent")
        self.bias: LayerVariable | None = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", bias, None, self.first_bias(), self.bias_regularizer, True, self.bias_constraint
            )

    def first_bias(self) -> Any:
        """The initializer of the bias."""
        return self.bias_initializer

    def masked(self, which: str, x: Tensor, training: bool, gate: int = 0) -> Tensor:
        """x with the dropout of the inputs or the state."""
        mask = self.mask_of(which, x, training, gate)
        return x if mask is None else x.mul(mask)

    def mask_of(self, which: str, x: Tensor, training: bool, gate: int = 0) -> Tensor | None:
        """What the dropout multiplies x by, of its shape; that of a gate is the same at every step."""
        rate = self.dropout if which == "inputs" else self.recurrent_dropout
        if not drops(rate, training):
            return None
        mask = self._masks.get((which, gate))
        if mask is None or mask.is_disposed:  # with the scope of an earlier call, if the cell is called by itself
            mask = self._masks[which, gate] = (self.dropout_func or dropout)(x.ones_like(), rate)
        return mask

    def masked_sequence(self, x: Tensor, training: bool) -> Tensor:
        """All steps of a new sequence, (batch, time, features), with the dropout of the inputs: one mask for all."""
        self.new_sequence()
        if not drops(self.dropout, training):
            return x
        batch, _, features = x.shape
        return x.mul(self.masked("inputs", full((batch, features), 1), training).expand_dims(1))

    def new_sequence(self) -> None:
        """Redraw the dropout masks."""
        self._masks = {}

    def __getstate__(self) -> dict[str, Any]:
        # A copy has no masks: those of the last step have been disposed with it.
        return {**super().__getstate__(), "_masks": {}}

    def parts(self, inputs: Any, count: int) -> list[Tensor]:
        """The input and the states, whose number is checked."""
        listed = to_list(inputs)
        if len(listed) != count:
            raise argument_error(self.name, "inputs", f"a list of {count} tensors, the input and the states", inputs)
        return [x if isinstance(x, Tensor) else to_tensor(self.name, "inputs", x) for x in listed]


class _VectorCell(RecurrentOptions, Cell):
    """Base of cells whose states are vectors: weights for a number of gates."""

    gates = 1

    def configure(self) -> None:
        super().configure()
        self.units = as_positive(self.class_name, "units", self.units)
        self.state_size: Any = self.units

    def build(self, input_shape: Any) -> None:
        size = known_last_size(self.name, input_shape)
        width = self.units * self.gates
        self.add_weights((size, width), (self.units, width), self.bias_shape())
        self.built = True

    def bias_shape(self) -> tuple[int, ...]:
        """The shape of the bias."""
        return (self.units * self.gates,)


class SimpleRNNCell(_VectorCell, class_name="SimpleRNNCell", factory="layers.simple_rnn_cell"):
    """h' = activation(x · W + b + h · U)."""

    def call(self, inputs: Any, training: bool = False) -> list[Tensor]:
        x, state = self.parts(inputs, 2)
        h = affine(self.masked("inputs", x, training), self.kernel, self.bias)
        output = self.activation(h.add(dot(self.masked("state", state, training), self.recurrent_kernel)))
        return [output, output]


class GRUCell(GRUOptions, _VectorCell, class_name="GRUCell", factory="layers.gru_cell"):
    """A gated recurrent unit (Cho et al. 2014), its gates in the order z, r, h.

    z, r = σ(x · W + b + h · U);  h̃ = tanh(x · W + b + (r ∘ h) · U);  h' = z ∘ h + (1 - z) ∘ h̃.

    With reset_after, which is beyond TF.js and the default in Keras, h̃ = tanh(x · W + b + r ∘ (h · U + c)), and the
    bias is a matrix of two rows, b and c.
    """

    gates = 3

    def bias_shape(self) -> tuple[int, ...]:
        return (2, 3 * self.units) if self.reset_after else super().bias_shape()

    def call(self, inputs: Any, training: bool = False) -> list[Tensor]:
        x, state = self.parts(inputs, 2)
        x, state = self.masked("inputs", x, training), self.masked("state", state, training)
        z, candidate = (self._reset_after if self.reset_after else self._reset_before)(x, state)
        h = z.mul(state).add(z.neg().add(1).mul(self.activation(candidate)))
        return [h, h]

    def _reset_before(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        x_z, x_r, x_h = split(affine(x, self.kernel, self.bias), 3, -1)
        gates_kernel, h_kernel = split(self.recurrent_kernel, [2 * self.units, self.units], -1)
        state_z, state_r = split(dot(state, gates_kernel), 2, -1)
        z = self.recurrent_activation(x_z.add(state_z))
        r = self.recurrent_activation(x_r.add(state_r))
        return z, x_h.add(dot(r.mul(state), h_kernel))

    def _reset_after(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        x_bias, state_bias = (None, None) if self.bias is None else self.bias.unstack()
        x_z, x_r, x_h = split(affine(x, self.kernel, x_bias), 3, -1)
        state_z, state_r, state_h = split(affine(state, self.recurrent_kernel, state_bias), 3, -1)
        z = self.recurrent_activation(x_z.add(state_z))
        r = self.recurrent_activation(x_r.add(state_r))
        return z, x_h.add(r.mul(state_h))


class ForgetBias(Initializer):
    """A bias that is 1 for the forget gate, with the values of another initializer for the other gates."""

    def __init__(self, others: Initializer, units: int) -> None:
        self.others = others
        self.units = units

    def apply(self, shape: Any, dtype: Any = None) -> Tensor:
        first = self.others.apply((self.units,))
        rest = self.others.apply((2 * self.units,))
        return concat([first, first.ones_like(), rest])


class BaseLSTMCell(BaseLSTMOptions, Cell):
    """Base of all LSTM cells: the initial bias, and the computation of the gates."""

    def first_bias(self) -> Any:
        return ForgetBias(self.bias_initializer, self.state_size[0]) if self.unit_forget_bias else self.bias_initializer

    def from_gates(self, gates: Sequence[Tensor], carry: Tensor) -> list[Tensor]:
        """The output and the new states, from the pre-activations of the gates i, f, c and o."""
        z_i, z_f, z_c, z_o = gates
        i = self.recurrent_activation(z_i)
        f = self.recurrent_activation(z_f)
        c = f.mul(carry).add(i.mul(self.activation(z_c)))
        h = self.recurrent_activation(z_o).mul(self.activation(c))
        return [h, h, c]


class LSTMCell(LSTMOptions, BaseLSTMCell, _VectorCell, class_name="LSTMCell", factory="layers.lstm_cell"):
    """A long short-term memory (Hochreiter and Schmidhuber 1997), its gates in the order i, f, c, o.

    i, f, o = σ(x · W + h · U + b);  c' = f ∘ c + i ∘ tanh(x · W + h · U + b);  h' = o ∘ tanh(c').
    """

    gates = 4

    def configure(self) -> None:
        super().configure()
        self.state_size = [self.units, self.units]

    def call(self, inputs: Any, training: bool = False) -> list[Tensor]:
        x, state, carry = self.parts(inputs, 3)
        z = dot(self.masked("inputs", x, training), self.kernel)
        z = z.add(dot(self.masked("state", state, training), self.recurrent_kernel))
        if self.bias is not None:
            z = z.add(self.bias)
        return self.from_gates(split(z, 4, -1), carry)


class StackedRNNCells(StackedRNNCellsCamel, RNNCell, class_name="StackedRNNCells", factory="layers.stacked_rnn_cells"):
    """Several cells, each fed the output of the one before, as one cell. The states come in reverse order."""

    cells: list[Any]

    takes_custom_objects = True

    def configure(self) -> None:
        if not self.cells:
            raise argument_error(self.class_name, "cells", "a list of at least one cell", self.cells)
        for i, cell in enumerate(self.cells):
            if not hasattr(cell, "state_size"):
                raise argument_error(self.class_name, f"cells[{i}]", "a cell with a state_size", cell, TypeError)

    @property
    def state_size(self) -> list[int]:
        """The sizes of the states, those of the last cell first."""
        return [size for cell in reversed(self.cells) for size in to_list(cell.state_size)]

    def new_sequence(self) -> None:
        """Redraw the dropout masks."""
        for cell in self.cells:
            start_sequence(cell)

    def build(self, input_shape: Any) -> None:
        shape = one_shape(self.name, input_shape)
        for i, cell in enumerate(self.cells):
            with name_scope(f"RNNCell_{i}"):
                build_inner(cell, shape)
            shape = (shape[0], to_list(cell.state_size)[0])
        self.built = True

    def call(self, inputs: Any, training: bool = False) -> list[Tensor]:
        output, *states = to_list(inputs)
        of_cell = []
        for cell in reversed(self.cells):
            count = len(to_list(cell.state_size))
            of_cell.append(states[:count])
            states = states[count:]
        found = []
        for cell, own in zip(self.cells, reversed(of_cell), strict=True):
            output, *new = cell.invoke([output, *own], {"training": training})
            found.append(new)
        return [output, *(state for new in reversed(found) for state in new)]

    @property
    def layers_within(self) -> Sequence[Layer]:
        """The cells."""
        return self.cells

    @property
    def weights(self) -> list[LayerVariable]:
        """The weights added to it directly, and the cells' weights, cell by cell."""
        own = [*self._trainable_weights, *self._non_trainable_weights]
        return own + [w for cell in self.cells for w in cell.weights]

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """Stacked cells from a configuration."""
        cells = [inner_layer(cell, "cell", custom_objects) for cell in config_value(config, "cells", [])]
        return cls({**config, "cells": cells})


def start_sequence(cell: Any) -> None:
    """Notify a cell that a new sequence begins; custom cells need not handle it."""
    begin = getattr(cell, "new_sequence", None)
    if begin is not None:
        begin()
