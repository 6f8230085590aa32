"""The cells of the whole-sequence kernels: one step of SimpleRNN, GRU and LSTM forwards and backwards, in place.

A sigmoid is computed as (1 + tanh(x / 2)) / 2, with the factor ½ folded into the weights, so that one call of tanh
serves all gates; likewise for the slope of 0.2 of the hard sigmoid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.sequence import Pass, backward_kernel, forward_kernel
from tfpy.engine.cpu.table import KERNELS

_SLOPES = {"sigmoid": 0.5, "hard_sigmoid": 0.2}


def _apply_sigmoid(gates: Array, activation: str, numbers: tuple[Array, Array, Array]) -> None:
    """The sigmoid of gates, in place; their slope is in the weights, and tanh has been taken.

    The numbers are 0, ½ and 1 as arrays: converting a Python number in each step would cost as much as a kernel.
    """
    zero, half, one = numbers
    if activation == "sigmoid":
        np.multiply(gates, half, out=gates)
        np.add(gates, half, out=gates)
    else:
        np.add(gates, half, out=gates)
        np.minimum(gates, one, out=gates)
        np.maximum(gates, zero, out=gates)


def _numbers(dtype: Any) -> tuple[Array, Array, Array]:
    return np.asarray(0, dtype), np.asarray(0.5, dtype), np.asarray(1, dtype)


def _slope(gates: Array, activation: str, out: Array) -> None:
    """The derivative of a sigmoid, from its value."""
    if activation == "sigmoid":
        np.multiply(gates, gates, out=out)
        np.subtract(gates, out, out=out)
    else:  # the hard sigmoid is linear between its ends
        np.multiply((gates > 0) & (gates < 1), np.asarray(_SLOPES[activation], out.dtype), out=out)


def _one_less_square(x: Array, out: Array) -> None:
    """1 - x², the derivative of tanh from its value."""
    np.multiply(x, x, out=out)
    np.subtract(1, out, out=out)


def _columns(matrix: Array, units: int, gates: Sequence[int]) -> Array:
    """Some gates' columns of a matrix, in a given order."""
    return np.concatenate([matrix[..., g * units : (g + 1) * units] for g in gates], axis=-1)


class SimpleRNNPass(Pass):
    """h' = tanh(W · [h; x; 1])."""

    name = "SimpleRNN"
    gates = 1

    @staticmethod
    def prepare(kernel: Array, recurrent: Array, bias: Array, activation: str) -> Any:
        return np.concatenate([recurrent, kernel, bias[None]])

    def forward(self, states: list[Array]) -> list[Array]:
        w = self.transposed(self.weights)
        for z, h, before, masked in zip(self.z, self.states[1:], self.states, self.each_masked(), strict=False):
            np.dot(w, z, out=h)
            np.tanh(h, out=h)
            if masked is not None:
                np.copyto(h, before, where=masked)
        return []

    def start_backward(self, dlast: Sequence[Array]) -> None:
        self._dw = np.zeros(self.weights.shape[::-1], self.weights.dtype)
        self._recurrent = self.weights[: self.units]

    def derive(self, start: int, stop: int, d: Array) -> None:
        _one_less_square(self.states[start + 1 : stop + 1], d)

    def step_back(self, t: int, d: Array, dh: Array) -> None:
        d *= dh
        np.dot(self._recurrent, d, out=dh)

    def accumulate(self, inputs: Array, d: Array) -> None:
        self._dw += d @ inputs.T

    def input_weights(self) -> Array:
        return self.weights[self.units : -1]

    @property
    def sums(self) -> list[Array]:
        return _split_weight_gradients(self._dw.T, self.units)


def _split_weight_gradients(dw: Array, units: int) -> list[Array]:
    """The gradients of kernel, recurrent kernel and bias, from a stack with the states' rows first."""
    return [np.ascontiguousarray(part) for part in (dw[units:-1], dw[:units], dw[-1])]


class LSTMPass(Pass):
    """c' = f · c + i · g, h' = o · tanh(c'), with the gates in the order g (the new content), i, f, o."""

    name = "LSTM"
    gates = 4
    _ORDER = 2, 0, 1, 3  # where g, i, f and o are in the layers' weights
    _INVERSE = 1, 2, 0, 3

    @staticmethod
    def prepare(kernel: Array, recurrent: Array, bias: Array, activation: str) -> Any:
        units = len(recurrent)
        stacked = _columns(np.concatenate([recurrent, kernel, bias[None]]), units, LSTMPass._ORDER)
        scaled = stacked.copy()
        scaled[:, units:] *= _SLOPES[activation]
        return stacked, scaled

    def allocate(self) -> None:
        self._g = self.memory_of_steps(self.wide)
        self._tanh_c = self.memory_of_steps(self.units)
        self._c = self.memory(self.time + 1 if self.keeps else 1, self.units, self.batch)

    def forward(self, states: list[Array]) -> list[Array]:
        n = self.units
        w = self.transposed(self.weights[1])
        c = self._c[0]
        c[...] = states[0]
        product, numbers = np.empty((n, self.batch), c.dtype), _numbers(c.dtype)
        tanhs = n if self.activation == "hard_sigmoid" else self.wide
        parts = [self._g, self._g[:, n:], self._g[:, :tanhs], *(self._g[:, k * n : (k + 1) * n] for k in range(4))]
        after = self._c[1:] if self.keeps else self._c
        around = self.states[1:], self.states, self.each_masked()
        steps = zip(self.z, *around, *map(self.each, [*parts, after, self._tanh_c]), strict=False)
        for z, h, before, masked, gates, opened, curved, g, i, f, o, new, tanh_c in steps:
            np.dot(w, z, out=gates)
            np.tanh(curved, out=curved)
            _apply_sigmoid(opened, self.activation, numbers)
            if masked is not None:
                c = c.copy()  # without a backward pass the new one overwrites it
            np.multiply(f, c, out=new)
            np.multiply(i, g, out=product)
            np.add(new, product, out=new)
            np.tanh(new, out=tanh_c)
            np.multiply(o, tanh_c, out=h)
            if masked is not None:
                np.copyto(new, c, where=masked)
                np.copyto(h, before, where=masked)
            c = new
        return [c]

    def start_backward(self, dlast: Sequence[Array]) -> None:
        self._dw = np.zeros(self.weights[0].shape[::-1], self.weights[0].dtype)
        self._recurrent = self.weights[0][: self.units]
        self._dc = dlast[0].copy()
        self._product = np.empty_like(self._dc)

    def derive(self, start: int, stop: int, d: Array) -> None:
        n = self.units
        gates, tanh_c = self._g[start:stop], self._tanh_c[start:stop]
        g, i, f, o = (gates[:, k * n : (k + 1) * n] for k in range(4))
        dg, di, df, do = (d[:, k * n : (k + 1) * n] for k in range(4))
        _one_less_square(g, dg)
        dg *= i
        _slope(gates[:, n:], self.activation, d[:, n:])
        di *= g
        df *= self._c[start:stop]
        do *= tanh_c
        self._through = np.empty_like(tanh_c)  # how h depends on c
        _one_less_square(tanh_c, self._through)
        self._through *= o
        self._forget = f

    def step_back(self, t: int, d: Array, dh: Array) -> None:
        dc, last = self._dc, 3 * self.units
        dc += np.multiply(dh, self._through[t], out=self._product)
        inner = d[:last].reshape(3, self.units, -1)
        inner *= dc
        d[last:] *= dh
        dc *= self._forget[t]
        np.dot(self._recurrent, d, out=dh)

    def accumulate(self, inputs: Array, d: Array) -> None:
        self._dw += d @ inputs.T

    def input_weights(self) -> Array:
        return self.weights[0][self.units : -1]

    def carried(self) -> list[Array]:
        return [self._dc]

    first_gradients = carried

    @property
    def sums(self) -> list[Array]:
        return _split_weight_gradients(_columns(self._dw.T, self.units, self._INVERSE), self.units)


class GRUPass(Pass):
    """h' = z · h + (1 - z) · g, where g = tanh(W · [x; 1; r · h]). In memory r · h follows [h; x; 1]."""

    name = "GRU"
    gates = 3
    added = 1

    @staticmethod
    def prepare(kernel: Array, recurrent: Array, bias: Array, activation: str) -> Any:
        at = 2 * len(recurrent)
        opening = np.concatenate([recurrent[:, :at], kernel[:, :at], bias[None, :at]])
        content = np.concatenate([kernel[:, at:], bias[None, at:], recurrent[:, at:]])
        return opening, opening * np.asarray(_SLOPES[activation], opening.dtype), content, kernel

    def allocate(self) -> None:
        self._g = self.memory_of_steps(self.wide)

    def forward(self, states: list[Array]) -> list[Array]:
        n = self.units
        opening, content = self.transposed(self.weights[1]), self.transposed(self.weights[2])
        product, numbers = np.empty((n, self.batch), self.z.dtype), _numbers(self.z.dtype)
        parts = [self._g[:, : 2 * n], *(self._g[:, k * n : (k + 1) * n] for k in range(3))]
        rows = opening.shape[1]
        inputs = self.z[:, :rows], self.z[:, n:], self.z[:, rows:], self.states
        for z, zx, rh, h, new, masked, gates, keep, reset, g in zip(
            *inputs, self.states[1:], self.each_masked(), *map(self.each, parts), strict=False
        ):
            np.dot(opening, z, out=gates)
            if self.activation == "sigmoid":
                np.tanh(gates, out=gates)
            _apply_sigmoid(gates, self.activation, numbers)
            np.multiply(reset, h, out=rh)
            np.dot(content, zx, out=g)
            np.tanh(g, out=g)
            np.subtract(h, g, out=product)
            np.multiply(keep, product, out=product)
            np.add(g, product, out=new)
            if masked is not None:
                np.copyto(new, h, where=masked)
        return []

    def start_backward(self, dlast: Sequence[Array]) -> None:
        opening, _, content, _ = self.weights
        self._dw = tuple(np.zeros(w.shape[::-1], w.dtype) for w in (opening, content))
        self._recurrent = opening[: self.units], content[-self.units :]
        self._product = np.empty((self.units, self.batch), opening.dtype)
        self._reset_product = np.empty_like(self._product)

    def derive(self, start: int, stop: int, d: Array) -> None:
        n = self.units
        gates, h = self._g[start:stop], self.states[start:stop]
        keep, reset, g = (gates[:, k * n : (k + 1) * n] for k in range(3))
        dkeep, dreset, dg = (d[:, k * n : (k + 1) * n] for k in range(3))
        _slope(gates[:, : 2 * n], self.activation, d[:, : 2 * n])
        dkeep *= h - g
        dreset *= h
        _one_less_square(g, dg)
        dg *= 1 - keep
        self._keep, self._reset = keep, reset

    def step_back(self, t: int, d: Array, dh: Array) -> None:
        n = self.units
        kept, drh = self._product, self._reset_product
        d[:n] *= dh
        d[2 * n :] *= dh
        np.multiply(dh, self._keep[t], out=kept)
        np.dot(self._recurrent[1], d[2 * n :], out=drh)
        d[n : 2 * n] *= drh
        np.dot(self._recurrent[0], d[: 2 * n], out=dh)
        drh *= self._reset[t]
        dh += kept
        dh += drh

    def accumulate(self, inputs: Array, d: Array) -> None:
        opening, content = self._dw
        opening += d[: 2 * self.units] @ inputs[: opening.shape[1]].T
        content += d[2 * self.units :] @ inputs[self.units :].T

    def input_weights(self) -> Array:
        return self.weights[3]

    @property
    def sums(self) -> list[Array]:
        (opening, content), n = (w.T for w in self._dw), self.units
        kernel = np.concatenate([opening[n:-1], content[: self.features]], axis=1)
        recurrent = np.concatenate([opening[:n], content[-n:]], axis=1)
        return [kernel, recurrent, np.concatenate([opening[-1], content[self.features]])]


SEQUENCES: dict[str, Any] = {}
for _cell, _states in ((SimpleRNNPass, 1), (GRUPass, 1), (LSTMPass, 2)):
    for _prefix in ("", "Masked"):
        SEQUENCES[f"{_prefix}{_cell.name}Sequence"] = forward_kernel(_cell, bool(_prefix))
        SEQUENCES[f"{_prefix}{_cell.name}SequenceGrad"] = backward_kernel(_cell, _states, bool(_prefix))
KERNELS.update(SEQUENCES)
