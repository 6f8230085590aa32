"""Recurrent layers with many units, step by step: products with the recurrent weights, and a shader for what follows.

All that does not depend on the previous step is computed before, and sums over the steps after, as for layers that one
shader runs over the whole sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tfpy.engine.gl import step_shaders as shaders
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import ensure, view
from tfpy.engine.gl.maps import sliced
from tfpy.engine.gl.matmul import split_k_matmul
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.sequence_shaders import LOADS, Variant
from tfpy.engine.gl.table import KERNELS
from tfpy.engine.gl.templates import GROUP
from tfpy.engine.gl.value import Value
from tfpy.engine.rows.sequence import GATES
from tfpy.engine.spec import Spec, spec

Leases = Sequence[Lease]


class _Product(NamedTuple):
    """A product with the recurrent weights, as parts to be added up."""

    lease: Lease
    parts: int


class Steps(NamedTuple):
    """The steps of a layer over a batch of sequences.

    Attributes:
        device: the GPU.
        variant: the cell and its options, for the shaders.
        batch, time: the number of samples and of steps.
        go_backwards: whether the last step in time is the first one.
        recurrent: the recurrent weights.
        state_bias: the bias of the product with these, or nothing.
        further: a mask, and what the state is multiplied by before each step, if they are given.
    """

    device: Device
    variant: Variant
    batch: int
    time: int
    go_backwards: bool
    recurrent: Value
    state_bias: Leases
    further: Leases

    def forward(self, pre: Lease, states: Leases, y: Leases, kept: Leases) -> Leases:
        """Run all steps; returns the last states.

        Args:
            pre: the inputs times their weights, and the bias, (time, batch, gates · units).
            states: the states before the first step.
            y: where the outputs are written, or nothing.
            kept: where what the backward pass needs is written, or nothing.
        """
        run = self._gru if self.variant.cell == "GRU" else self._one_product
        weights = self._weights()
        read = ensure(self.device, self._dropped(Value(self._shape, lease=states[0])))
        for number in range(self.time):
            following = [self._room(1) for _ in states]
            next_read = [self._room(1)] * self.variant.dropped
            run(number, weights, pre, read, states, [*following, *next_read, *y, *kept])
            states, read = following, [*next_read, *following][0]
        return states

    def backward(self, later: Leases, dy: Leases, loads: Leases, gradients: Leases) -> Leases:
        """Run all steps backwards; returns the gradients of the states before the first one.

        Args:
            later: the gradients of the last states.
            dy: those of the outputs, or nothing.
            loads: what is read of what `forward` has kept.
            gradients: where those of the gates are written, (time, batch, gates · units).
        """
        cell = self.variant.cell
        run = self._gru_back if cell == "GRU" else self._one_product_back
        weights = self._weights()
        last, cells = later[0], later[1:]
        carried: Leases = []
        if self.variant.carries:
            last, carried = ensure(self.device, Value(self._shape, word=0)), [last]
        through, reads = _Product(last, 1), [*loads, *dy, *self.further]
        for number in reversed(range(self.time)):
            through, carried, cells = run(number, weights, through, [*carried, *cells], reads, gradients)
        return [self._added(through, carried), *cells]

    # Each of these is a step.

    def _one_product(
        self, number: int, weights: Sequence[Value], pre: Lease, read: Lease, states: Leases, writes: Leases
    ) -> None:
        product = self._product(read, weights[0])
        self._dispatch(shaders.step, number, product, [pre, *self.state_bias, *states, *self.further], writes)

    def _gru(
        self, number: int, weights: Sequence[Value], pre: Lease, read: Lease, states: Leases, writes: Leases
    ) -> None:
        for_gates, for_content = weights
        opened, reset = self._room(2), self._room(1)
        product = self._product(read, for_gates)
        self._dispatch(shaders.gru_gates, number, product, [pre, *states, *self._drop], [opened, reset])
        product = self._product(reset, for_content)
        self._dispatch(shaders.gru_content, number, product, [pre, opened, reset, *states, *self.further], writes)

    def _one_product_back(
        self, number: int, weights: Sequence[Value], through: _Product, later: Leases, reads: Leases, gradients: Leases
    ) -> tuple[_Product, Leases, Leases]:
        carries = self.variant.carries
        now, following = self._room(GATES[self.variant.cell]), [self._room(1) for _ in later]
        self._dispatch(shaders.step_back, number, through, [*later, *reads], [now, *gradients, *following])
        return self._product(now, weights[0], back=True), following[:carries], following[carries:]

    def _gru_back(
        self, number: int, weights: Sequence[Value], through: _Product, later: Leases, reads: Leases, gradients: Leases
    ) -> tuple[_Product, Leases, Leases]:
        for_gates, for_content = weights
        content, gates, past, carried = self._room(1), self._room(2), self._room(1), self._room(1)
        writes = [content, gates, *gradients, past]
        self._dispatch(shaders.gru_content_back, number, through, [*later, *reads], writes)
        product = self._product(content, for_content, back=True)
        kept = [past, *reads[: len(LOADS["GRU"])], *self._drop]
        self._dispatch(shaders.gru_reset_back, number, product, kept, [gates, *gradients, carried])
        return self._product(gates, for_gates, back=True), [carried], []

    @property
    def _shape(self) -> Spec:
        """That of a state."""
        return spec((self.batch, self.variant.units), "float32")

    @property
    def _drop(self) -> Leases:
        return self.further[self.variant.masked :]

    def _dropped(self, value: Value) -> Value:
        """A state, or its gradient, times what the state is multiplied by before each step."""
        for drop in self._drop:
            value = KERNELS["Multiply"](self.device, (value, Value(self._shape, lease=drop)), {}, self._shape)
        return value

    def _weights(self) -> list[Value]:
        """The recurrent weights of each product: GRU has one for its gates, and one for the new content."""
        ensure(self.device, self.recurrent)
        if self.variant.cell != "GRU":
            return [self.recurrent]
        units = self.variant.units
        found = []
        for first, count in ((0, 2 * units), (2 * units, units)):
            columns = sliced((units, 3 * units), ((0, 1, units), (first, 1, count)))
            part = view(self.device, spec((units, count), "float32"), self.recurrent, columns)
            ensure(self.device, part)
            found.append(part)
        return found

    def _product(self, rows: Lease, weights: Value, back: bool = False) -> _Product:
        """A row for each sample times the weights, or times their transpose."""
        inner, width = reversed(weights.spec.shape) if back else weights.spec.shape
        a = Value(spec((self.batch, inner), "float32"), lease=rows)
        out = spec((self.batch, width), "float32")
        return _Product(*split_k_matmul(self.device, a, weights, out, transpose_b=back))

    def _added(self, product: _Product, carried: Leases) -> Lease:
        """The gradient of the first state: the product, and what is carried past it."""
        device, shape = self.device, self._shape
        parts = Value(spec((product.parts, *shape.shape), "float32"), lease=product.lease)
        total: Value = KERNELS["Sum"](device, (parts,), {"axes": (0,), "keep_dims": False}, shape)
        total = self._dropped(total)
        for lease in carried:
            total = KERNELS["Add"](device, (total, Value(shape, lease=lease)), {}, shape)
        return ensure(device, total)

    def _room(self, count: int) -> Lease:
        """Memory for this many numbers per unit of each sample."""
        return self.device.take(4 * self.batch * self.variant.units * count)

    def _dispatch(
        self, source: Callable[[Variant, int], str], number: int, product: _Product, reads: Leases, writes: Leases
    ) -> None:
        """Run the shader that follows a product."""
        key = source.__name__, self.variant, product.parts
        program = self.device.programs.get(key, source, self.variant, product.parts)
        words = self.batch, self.time, number, number + 1, int(self.go_backwards)
        groups = -(-self.batch * self.variant.units // GROUP)
        buffers = [lease.buffer for lease in (product.lease, *reads)]
        self.device.dispatch(program, buffers, [lease.buffer for lease in writes], words, groups)
