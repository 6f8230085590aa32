"""The cells of the whole-sequence kernels: one step of SimpleRNN, GRU and LSTM forwards and backwards, in place.

A sigmoid is computed as (1 + tanh(x / 2)) / 2, with the factor ½ folded into the weights, so that one call of tanh
serves all gates; likewise for the slope of 0.2 of the hard sigmoid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy import add, dot, maximum, minimum, multiply, subtract, tanh  # looking up np.add takes a tenth of its time

from tfpy.engine.backend import Array
from tfpy.engine.cpu.allocator import aligned_empty
from tfpy.engine.cpu.matmul import product_function
from tfpy.engine.cpu.sequence import SLOPES, Pass, backward_kernel, forward_kernel
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.rows.sequence import SEQUENCE_KERNELS


def _apply_sigmoid(gates: Array, activation: str, numbers: tuple[Array, Array, Array]) -> None:
    """The sigmoid of gates, in place; their slope is in the weights, and tanh has been taken.

    The numbers are 0, ½ and 1 as arrays: converting a Python number in each step would cost as much as a kernel.
    """
    zero, half, one = numbers
    if activation == "sigmoid":
        multiply(gates, half, gates)
        add(gates, half, gates)
    else:
        add(gates, half, gates)
        minimum(gates, one, out=gates)
        maximum(gates, zero, out=gates)


def _numbers(dtype: Any) -> tuple[Array, Array, Array]:
    return np.asarray(0, dtype), np.asarray(0.5, dtype), np.asarray(1, dtype)


def _slope(gates: Array, activation: str, out: Array) -> None:
    """The derivative of a sigmoid, from its value."""
    if activation == "sigmoid":
        multiply(gates, gates, out=out)
        subtract(gates, out, out=out)
    else:  # the hard sigmoid is linear between its ends
        multiply((gates > 0) & (gates < 1), np.asarray(SLOPES[activation], out.dtype), out=out)


def _one_less_square(x: Array, out: Array) -> None:
    """1 - x², the derivative of tanh from its value."""
    multiply(x, x, out=out)
    subtract(1, out, out=out)


def _stacked(
    parts: Sequence[Array], units: int, gates: Sequence[int], slope: float = 1.0, scaled: slice = slice(0)
) -> Array:
    """Some gates' columns of matrices with the same columns, in a given order; the rows of one follow those of another.

    Those gates that `scaled` selects are multiplied by the slope.
    """
    rows = [len(part) for part in parts]
    stack = aligned_empty((sum(rows), len(gates), units), parts[0].dtype)
    for part, stop in zip(parts, accumulate(rows), strict=True):
        by_gate = part.reshape(len(part), part.shape[1] // units, units)
        np.take(by_gate, gates, 1, stack[stop - len(part) : stop], mode="clip")  # other modes copy once more
    if slope != 1:
        stack[:, scaled] *= slope
    return stack.reshape(len(stack), -1)


class SimpleRNNPass(Pass):
    """h' = tanh(W · [h; 1; x])."""

    gates = 1

    @staticmethod
    def prepare(kernel: Array, recurrent: Array, bias: Array, slope: float) -> Any:
        return _stacked([recurrent, bias[None], kernel], len(recurrent), [0])

    def forward(self, states: list[Array]) -> list[Array]:
        w = self.weights.T
        product = product_function(w.shape[0] * self.batch)
        stacks = self.each_stack(w.shape[1])
        for z, h, before, masked in zip(stacks, self.states[1:], self.states, self.each_masked(), strict=False):
            product(w, z, h)
            tanh(h, h)
            if masked is not None:
                np.copyto(h, before, where=masked)
        return []

    def start_backward(self, dlast: Sequence[Array]) -> None:
        self._dw = np.zeros(self.weights.shape[::-1], self.weights.dtype)
        self._recurrent = self.weights[: self.units]

    def derive(self, start: int, stop: int, d: Array) -> Iterable[tuple[Array, ...]]:
        _one_less_square(self.states[start + 1 : stop + 1], d)
        return zip(d, strict=True)

    def step_back(self, step: tuple[Array, ...], dh: Array) -> None:
        (d,) = step
        multiply(d, dh, d)
        dot(self._recurrent, d, dh)

    def accumulate(self, inputs: Array, d: Array) -> None:
        self._dw += d @ inputs.T

    def to_inputs(self, d: Array) -> Array:
        return self.weights[self.units + 1 :] @ d

    @property
    def sums(self) -> list[Array]:
        return _split_weight_gradients(self._dw.T, self.units)


def _split_weight_gradients(dw: Array, units: int) -> list[Array]:
    """The gradients of kernel, recurrent kernel and bias, from a stack with the states' rows first."""
    return [np.ascontiguousarray(part) for part in (dw[units + 1 :], dw[:units], dw[units])]


class LSTMPass(Pass):
    """c' = f · c + i · g, h' = o · tanh(c'), with the gates in the order o, i, f, g (the new content).

    In memory the c of a step follows its gates, so that one product of [i, f] and [g, c] gives both terms of c'.
    """

    gates = 4
    _ORDER = 3, 0, 1, 2  # where o, i, f and g are in the layers' weights
    _INVERSE = 1, 2, 3, 0

    @staticmethod
    def prepare(kernel: Array, recurrent: Array, bias: Array, slope: float) -> Any:
        return _stacked([recurrent, bias[None], kernel], len(recurrent), LSTMPass._ORDER, slope, slice(3))

    def allocate(self) -> None:
        self._gates_c = self.memory_of_steps(self.wide + self.units)
        self._last_c = self.memory(self.units, self.batch)
        self._tanh_c = self.memory_of_steps(self.units)

    def forward(self, states: list[Array]) -> list[Array]:
        n = self.units
        w = self.weights.T
        cs = self._all_c()
        cs[0][...] = states[0]
        product = product_function(self.wide * self.batch)
        terms, numbers = np.empty((2 * n, self.batch), w.dtype), _numbers(w.dtype)
        kept, added = terms[n:], terms[:n]
        first = 3 * n if self.activation == "hard_sigmoid" else 0  # of the rows that tanh is applied to
        rows = slice(4 * n), slice(first, 4 * n), slice(3 * n), slice(n), slice(n, 3 * n), slice(3 * n, None)
        parts = [*(self._gates_c[:, part] for part in rows), self._tanh_c]
        around = self.states[1:], self.states, self.each_masked(), cs, cs[1:]
        steps = zip(self.each_stack(w.shape[1]), *around, *map(self.each, parts), strict=False)
        for z, h, before, masked, c, new, gates, curved, opened, o, i_f, g_c, tanh_c in steps:
            product(w, z, gates)
            tanh(curved, curved)
            _apply_sigmoid(opened, self.activation, numbers)
            if masked is not None:
                c = c.copy()  # without a backward pass the new one overwrites it
            multiply(i_f, g_c, terms)
            add(kept, added, new)
            tanh(new, tanh_c)
            multiply(o, tanh_c, h)
            if masked is not None:
                np.copyto(new, c, where=masked)
                np.copyto(h, before, where=masked)
        return [cs[-1]]

    def _all_c(self) -> list[Array]:
        """Where the c before each step and after the last one is; all in one place if no backward pass follows."""
        each = self._gates_c[:, self.wide :]
        return [*each, self._last_c] if self.keeps else [each[0]] * (self.time + 1)

    def start_backward(self, dlast: Sequence[Array]) -> None:
        self._dw = np.zeros(self.weights.shape[::-1], self.weights.dtype)
        self._recurrent = self.weights[: self.units]
        self._dc = dlast[0].copy()
        self._product = np.empty_like(self._dc)

    def derive(self, start: int, stop: int, d: Array) -> Iterable[tuple[Array, ...]]:
        n, last = self.units, 3 * self.units
        gates_c, tanh_c = self._gates_c[start:stop], self._tanh_c[start:stop]
        _slope(gates_c[:, :last], self.activation, d[:, :last])
        d[:, :n] *= tanh_c
        _one_less_square(gates_c[:, last : last + n], d[:, last:])
        d[:, last:] *= gates_c[:, n : 2 * n]
        d[:, n:last] *= gates_c[:, last:]
        through = np.empty_like(tanh_c)  # how h depends on c
        _one_less_square(tanh_c, through)
        through *= gates_c[:, :n]
        of_c = d[:, n:].reshape(len(d), 3, n, -1)
        return zip(d, d[:, :n], of_c, through, gates_c[:, 2 * n : last], strict=True)

    def step_back(self, step: tuple[Array, ...], dh: Array) -> None:
        d, do, of_c, through, forget = step
        dc, product = self._dc, self._product
        multiply(dh, through, product)
        add(dc, product, dc)
        multiply(of_c, dc, of_c)
        multiply(do, dh, do)
        multiply(dc, forget, dc)
        dot(self._recurrent, d, dh)

    def accumulate(self, inputs: Array, d: Array) -> None:
        self._dw += d @ inputs.T

    def to_inputs(self, d: Array) -> Array:
        return self.weights[self.units + 1 :] @ d

    def carried(self) -> list[Array]:
        return [self._dc]

    first_gradients = carried

    @property
    def sums(self) -> list[Array]:
        return _split_weight_gradients(_stacked([self._dw.T], self.units, self._INVERSE), self.units)


def _blend(keep: Array, h: Array, g: Array, room: Array, out: Array) -> None:
    """keep · h + (1 - keep) · g."""
    subtract(h, g, room)
    multiply(keep, room, room)
    add(g, room, out)


class GRUPass(Pass):
    """h' = z · h + (1 - z) · g, where g = tanh(W · [1; x; r · h]). In memory r · h follows [h; 1; x]."""

    gates = 3
    added = 1

    @staticmethod
    def prepare(kernel: Array, recurrent: Array, bias: Array, slope: float) -> Any:
        opening = _stacked([recurrent, bias[None], kernel], len(recurrent), [0, 1], slope, slice(2))
        content = _stacked([bias[None], kernel, recurrent], len(recurrent), [2])
        return opening, content, kernel

    def allocate(self) -> None:
        self._g = self.memory_of_steps(self.wide)

    def forward(self, states: list[Array]) -> list[Array]:
        n = self.units
        opening, content = (weights.T for weights in self.weights[:2])
        product = product_function(2 * n * self.batch)
        kept, numbers = np.empty((n, self.batch), self.z.dtype), _numbers(self.z.dtype)
        parts = [self._g[:, : 2 * n], *(self._g[:, k * n : (k + 1) * n] for k in range(3))]
        rows = opening.shape[1]
        inputs = self.each_stack(rows), self.z[:, n:], self.z[:, rows:], self.z[:, :n]
        around = self.states[1:], self.states, self.each_masked()
        steps = zip(*inputs, *around, *map(self.each, parts), strict=False)
        for z, zx, rh, h, new, before, masked, gates, keep, reset, g in steps:
            product(opening, z, gates)
            if self.activation == "sigmoid":
                tanh(gates, gates)
            _apply_sigmoid(gates, self.activation, numbers)
            multiply(reset, h, rh)
            product(content, zx, g)
            tanh(g, g)
            _blend(keep, h, g, kept, new)
            if masked is not None:
                np.copyto(new, before, where=masked)
        return []

    def start_backward(self, dlast: Sequence[Array]) -> None:
        opening, content, _ = self.weights
        self._dw = tuple(np.zeros(w.shape[::-1], w.dtype) for w in (opening, content))
        self._recurrent = opening[: self.units], content[-self.units :]
        self._product = np.empty((self.units, self.batch), opening.dtype)
        self._reset_product = np.empty_like(self._product)

    def derive(self, start: int, stop: int, d: Array) -> Iterable[tuple[Array, ...]]:
        n = self.units
        gates, h = self._g[start:stop], self.z[start:stop, :n]
        keep, reset, g = (gates[:, k * n : (k + 1) * n] for k in range(3))
        dkeep, dreset, dg = parts = [d[:, k * n : (k + 1) * n] for k in range(3)]
        _slope(gates[:, : 2 * n], self.activation, d[:, : 2 * n])
        dkeep *= h - g
        dreset *= h
        _one_less_square(g, dg)
        dg *= 1 - keep
        return zip(d[:, : 2 * n], *parts, keep, reset, strict=True)

    def step_back(self, step: tuple[Array, ...], dh: Array) -> None:
        opened, dkeep, dreset, dg, keep, reset = step
        kept, drh = self._product, self._reset_product
        multiply(dkeep, dh, dkeep)
        multiply(dg, dh, dg)
        multiply(dh, keep, kept)
        dot(self._recurrent[1], dg, drh)
        multiply(dreset, drh, dreset)
        dot(self._recurrent[0], opened, dh)
        multiply(drh, reset, drh)
        add(dh, kept, dh)
        add(dh, drh, dh)

    def accumulate(self, inputs: Array, d: Array) -> None:
        opening, content = self._dw
        opening += d[: 2 * self.units] @ inputs[: opening.shape[1]].T
        content += d[2 * self.units :] @ inputs[self.units :].T

    def to_inputs(self, d: Array) -> Array:
        return self.weights[2] @ d

    @property
    def sums(self) -> list[Array]:
        (opening, content), n = (w.T for w in self._dw), self.units
        kernel = np.concatenate([opening[n + 1 :], content[1:-n]], axis=1)
        recurrent = np.concatenate([opening[:n], content[-n:]], axis=1)
        return [kernel, recurrent, np.concatenate([opening[n], content[0]])]


class GRUResetAfterPass(Pass):
    """h' = z · h + (1 - z) · g, where g = tanh(p + r · s), s = U · [h; 1] and p = W · [1; x].

    The parts of a step are s, z, r and p, in this order: the first three have a product with [h; 1], the last three one
    with [1; x]. In memory g takes the place of p.
    """

    gates = 4
    _ORDER = 2, 0, 1  # where s, z and r are in the layer's recurrent weights
    _INVERSE = 1, 2, 0

    @staticmethod
    def prepare(kernel: Array, recurrent: Array, bias: Array, slope: float) -> Any:
        n = len(recurrent)
        of_state = _stacked([recurrent, bias[1:]], n, GRUResetAfterPass._ORDER, slope, slice(1, 3))
        return of_state, _stacked([bias[:1], kernel], n, range(3), slope, slice(2))

    def allocate(self) -> None:
        self._g = self.memory_of_steps(self.wide)

    def forward(self, states: list[Array]) -> list[Array]:
        n = self.units
        of_state, of_input = (weights.T for weights in self.weights)
        product = product_function(3 * n * self.batch)
        by_input, numbers = np.empty((3 * n, self.batch), self.z.dtype), _numbers(self.z.dtype)
        more, p, kept = by_input[: 2 * n], by_input[2 * n :], np.empty((n, self.batch), self.z.dtype)
        rows = slice(3 * n), slice(n), slice(n, 3 * n), slice(n, 2 * n), slice(2 * n, 3 * n), slice(3 * n, None)
        parts = (self._g[:, part] for part in rows)
        inputs = self.each_stack(n + 1), self.z[:, n:], self.z[:, :n]
        around = self.states[1:], self.states, self.each_masked()
        steps = zip(*inputs, *around, *map(self.each, parts), strict=False)
        for zh, zx, h, new, before, masked, by_state, s, gates, keep, reset, g in steps:
            product(of_state, zh, by_state)
            product(of_input, zx, by_input)
            add(gates, more, gates)
            if self.activation == "sigmoid":
                tanh(gates, gates)
            _apply_sigmoid(gates, self.activation, numbers)
            multiply(reset, s, g)
            add(g, p, g)
            tanh(g, g)
            _blend(keep, h, g, kept, new)
            if masked is not None:
                np.copyto(new, before, where=masked)
        return []

    def start_backward(self, dlast: Sequence[Array]) -> None:
        self._dw = tuple(np.zeros(w.shape[::-1], w.dtype) for w in self.weights)
        self._recurrent = self.weights[0][: self.units]
        self._product = np.empty((self.units, self.batch), self._recurrent.dtype)

    def derive(self, start: int, stop: int, d: Array) -> Iterable[tuple[Array, ...]]:
        n = self.units
        s, keep, reset, g = (self._g[start:stop, k * n : (k + 1) * n] for k in range(4))
        ds, dkeep, dreset, dp = (d[:, k * n : (k + 1) * n] for k in range(4))
        _slope(self._g[start:stop, n : 3 * n], self.activation, d[:, n : 3 * n])
        _one_less_square(g, dp)
        dp *= 1 - keep
        dkeep *= self.z[start:stop, :n] - g
        dreset *= s
        dreset *= dp
        multiply(dp, reset, ds)
        return zip(d.reshape(len(d), 4, n, -1), d[:, : 3 * n], keep, strict=True)

    def step_back(self, step: tuple[Array, ...], dh: Array) -> None:
        parts, by_state, keep = step
        multiply(parts, dh, parts)
        multiply(dh, keep, self._product)
        dot(self._recurrent, by_state, dh)
        add(dh, self._product, dh)

    def accumulate(self, inputs: Array, d: Array) -> None:
        n, (of_state, of_input) = self.units, self._dw
        of_state += d[: 3 * n] @ inputs[: n + 1].T
        of_input += d[n:] @ inputs[n:].T

    def to_inputs(self, d: Array) -> Array:
        return self.weights[1][1:] @ d[self.units :]

    @property
    def sums(self) -> list[Array]:
        of_state, of_input = _stacked([self._dw[0].T], self.units, self._INVERSE), self._dw[1].T
        return [np.ascontiguousarray(of_input[1:]), of_state[:-1], np.stack([of_input[0], of_state[-1]])]


_PASSES = {"SimpleRNN": SimpleRNNPass, "GRU": GRUPass, "GRUResetAfter": GRUResetAfterPass, "LSTM": LSTMPass}

SEQUENCES: dict[str, Any] = {}
for _which in SEQUENCE_KERNELS:
    SEQUENCES[_which.name] = forward_kernel(_PASSES[_which.cell], _which)
    SEQUENCES[f"{_which.name}Grad"] = backward_kernel(_PASSES[_which.cell], _which)
KERNELS.update(SEQUENCES)
