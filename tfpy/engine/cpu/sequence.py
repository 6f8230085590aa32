"""numpy kernels that run a recurrent layer over a whole sequence, forwards and backwards.

Why they are fast: the batch is the last axis, so that a gate is one block of memory. The state, a one for the bias and
the input are stacked, (units + 1 + features, batch), so that a step has one matrix product, and the new state is
written to where the next step reads it. The backward pass computes the derivatives of many steps at once; the gradients
of the weights are one product for all these steps. The batch is split into shards, and if there are more cores, these
products are computed in parallel with the preceding steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from math import prod
from typing import Any, ClassVar

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.threads import SerialExecutor, idle_cores, run_sharded, spans_in_turns
from tfpy.engine.rows.sequence import SequenceKernel, workspace_rows

# The factor within each recurrent activation, which the weights of the forward pass are multiplied by.
SLOPES = {"": 1.0, "sigmoid": 0.5, "hard_sigmoid": 0.2}

# Below these numbers of elements in a state or multiplications in a step, threads wait longer than they work.
_SHARD_STATE_ELEMENTS = 4096
_SHARD_MULTIPLICATIONS = 1 << 20

# The bytes of gates that the backward pass processes at once: few enough to stay in the cache.
_CHUNK_BYTES = 1 << 20


class Pass:
    """The forward and backward pass of one shard of the batch through a sequence. Subclasses are the cells.

    In weights and gates, the gates are in a cell-specific order.

    Attributes:
        gates: the number of gates.
        wide: the number of their rows: gates · units.
        time, features, units, batch: the sizes.
        keeps: whether all steps are kept for a backward pass.
        masked: for each step, which samples it leaves unchanged, (time, 1, batch); None if there is no mask.
        drop: what the state is multiplied by before each step, (units, batch); None if it is not.
        z: for each step, and after the last one, state, one and input (and what a cell adds), with the batch last.
        states: the states before each step and after the last one, (time + 1, units, batch). They are in z, unless
            that has the multiplied ones.
    """

    gates: ClassVar[int]
    added: ClassVar[int] = 0  # rows of z beyond state, one and input, in units

    def __init__(
        self, x: Array, units: int, weights: Any, activation: str, mask: Array | None, drop: Array | None,
        workspace: Array | None,
    ) -> None:  # fmt: skip
        self.batch, self.time, self.features = x.shape
        self.units = units
        self.wide = self.gates * units
        self.weights = weights
        self.activation = activation
        self._workspace = workspace
        self.keeps = workspace is not None
        self.masked = None if mask is None else np.logical_not(mask).T[:, None]
        self.drop = None if drop is None else np.ascontiguousarray(drop.T)
        self._used = 0
        self._dtype = x.dtype
        self.z = self.memory(self.time + 1, units + 1 + self.features + self.added * units, self.batch)
        self.states = self.z[:, :units] if drop is None else self.memory(self.time + 1, units, self.batch)
        self.allocate()

    def memory(self, *shape: int) -> Array:
        """An array in the workspace, at the same place forwards and backwards; newly allocated without a workspace."""
        if self._workspace is None:
            return np.empty(shape, self._dtype)
        start = self._used
        self._used += prod(shape)
        return self._workspace[start : self._used].reshape(shape)

    def memory_of_steps(self, *shape: int) -> Array:
        """An array with a part for each step; with a single one if no backward pass follows."""
        return self.memory(self.time if self.keeps else 1, *shape, self.batch)

    def each(self, array: Array) -> Iterable[Array]:
        """The part of every step; if there is only one, the same part each time."""
        return array if len(array) == self.time else repeat(array[0], self.time)

    def each_stack(self, rows: int) -> Iterable[Array]:
        """The first rows of z before every step, which must be run before the next is taken."""
        stacks = self.z[:-1, :rows]
        return stacks if self.drop is None else self._dropping(stacks, self.drop)

    def _dropping(self, stacks: Array, drop: Array) -> Iterator[Array]:
        for stack, state in zip(stacks, self.states, strict=False):
            np.multiply(state, drop, stack[: self.units])
            yield stack

    def each_masked(self) -> Iterable[Array | None]:
        """The masked samples of every step."""
        return repeat(None, self.time) if self.masked is None else self.masked

    def fill(self, x: Array, state: Array) -> None:
        """Write the inputs, the ones and the first state."""
        first = self.units + 1
        self.z[:-1, first : first + self.features] = x.transpose(1, 2, 0)
        self.z[:, self.units] = 1
        self.states[0] = state.T

    def backward(self, dy: Array, dlast: Sequence[Array], dx: Array | None, in_background: bool) -> list[Array]:
        """Go back through all steps; returns the gradients of the first states. Those of the weights are in `sums`.

        Args:
            dy: the gradient of the outputs, (batch, time, units), or with no steps.
            dlast: the gradients of the last states, (units, batch).
            dx: where to write the gradient of the input.
            in_background: whether there is a core for work that can run in the background.
        """
        dh = dlast[0].copy()
        self.start_backward(dlast[1:])
        most = max(1, _CHUNK_BYTES // max(1, self.wide * self.batch * dh.itemsize))
        chunks = [*_chunks(self.time, most)]
        in_background = in_background and len(chunks) > 1
        executor = SerialExecutor(in_background)
        # The chunk of a background job and the next one are in separate memory.
        memory = np.empty((1 + in_background, min(most, self.time), self.wide, self.batch), dh.dtype)
        for number, (start, stop) in enumerate(chunks):
            d = memory[number % len(memory), : stop - start]
            steps = [*self.derive(start, stop, d)]
            given = np.ascontiguousarray(dy[:, start:stop].transpose(1, 2, 0)) if dy.size else None
            for t in reversed(range(stop - start)):
                if given is not None:
                    dh += given[t]
                if self.masked is None:
                    self._step_back(steps[t], dh)
                else:
                    self._step_back_seen(steps[t], dh, self.masked[start + t])
            executor.submit(partial(self._collect, start, stop, d, dx))
        executor.join()
        return [dh, *self.first_gradients()]

    def _collect(self, start: int, stop: int, d: Array, dx: Array | None) -> None:
        """Add what the gates' gradients of some steps contribute to the gradients of the weights and the input."""
        inputs = self.z[start:stop].transpose(1, 0, 2).reshape(self.z.shape[1], -1)
        d_flat = d.transpose(1, 0, 2).reshape(self.wide, -1)
        self.accumulate(inputs, d_flat)
        if dx is not None:
            dinputs = self.to_inputs(d_flat).reshape(self.features, stop - start, self.batch)
            dx[:, start:stop] = dinputs.transpose(2, 1, 0)

    def _step_back(self, step: tuple[Array, ...], dh: Array) -> None:
        """`step_back`, and through the multiplication before the step."""
        self.step_back(step, dh)
        if self.drop is not None:
            np.multiply(dh, self.drop, dh)

    def _step_back_seen(self, step: tuple[Array, ...], dh: Array, masked: Array) -> None:
        """`_step_back` for the samples that are not masked; the gradients of the others bypass the step."""
        carried = [dh, *self.carried()]
        by = [gradient * masked for gradient in carried]
        for gradient, part in zip(carried, by, strict=True):
            gradient -= part
        self._step_back(step, dh)
        for gradient, part in zip(carried, by, strict=True):
            gradient += part

    # Defined by cells

    @staticmethod
    def prepare(kernel: Array, recurrent: Array, bias: Array, slope: float) -> Any:
        """The weights in the form that the steps use, the sigmoids' times their slope; the same for all shards."""
        raise NotImplementedError

    def allocate(self) -> None:
        """Allocate the memory that the cell itself needs."""

    def forward(self, states: list[Array]) -> list[Array]:
        """Run all steps from the states beyond the first one, which is in z; returns these states after the last."""
        raise NotImplementedError

    def start_backward(self, dlast: Sequence[Array]) -> None:
        """Start with the gradients of the last states beyond the first one."""

    def carried(self) -> list[Array]:
        """The current gradients of the states beyond the first one."""
        return []

    def derive(self, start: int, stop: int, d: Array) -> Iterable[tuple[Array, ...]]:
        """Write the derivatives of the gates of some steps to d, (steps, wide, batch).

        Returns:
            For each step what `step_back` gets, parts of d among them.
        """
        raise NotImplementedError

    def step_back(self, step: tuple[Array, ...], dh: Array) -> None:
        """In place make a step's part of d the gradient of its gates, and dh that of the state that it reads."""
        raise NotImplementedError

    def accumulate(self, inputs: Array, d: Array) -> None:
        """Add to the gradients of the weights those of some steps; both arguments are (rows, steps · batch)."""
        raise NotImplementedError

    def to_inputs(self, d: Array) -> Array:
        """The gradients of the inputs of some steps, (features, steps · batch), from those of the gates."""
        raise NotImplementedError

    def first_gradients(self) -> list[Array]:
        """The gradients of the first states beyond the first one."""
        return []

    @property
    def sums(self) -> list[Array]:
        """The gradients of kernel, recurrent kernel and bias."""
        raise NotImplementedError


def forward_kernel(cell: type[Pass], which: SequenceKernel) -> Callable[..., list[Array]]:
    """The kernel of a row."""
    count = len(which.states)

    def run(
        x: Array, kernel: Array, recurrent_kernel: Array, bias: Array, *more: Array,
        go_backwards: bool, sequences: bool, training: bool, recurrent_activation: str = "",
    ) -> list[Array]:  # fmt: skip
        batch, time, features = x.shape
        states, (mask, drop) = more[:count], which.mask_and_drop(more[count:])
        units = len(recurrent_kernel)
        outputs = np.empty((batch, time if sequences else 0, units), x.dtype)
        last = [np.empty_like(s) for s in states]
        rows = workspace_rows(which.cell, which.dropped, time, features, units) if training else 0
        workspace = np.empty((batch, rows), x.dtype)
        weights = cell.prepare(kernel, recurrent_kernel, bias, SLOPES[recurrent_activation])
        inputs = x[:, ::-1] if go_backwards else x
        seen = mask[:, ::-1] if mask is not None and go_backwards else mask

        def shard(a: int, b: int) -> None:
            part = workspace[a:b].reshape(-1) if training else None
            if part is not None:
                part[-1] = b - a  # read by `_shards_of`
            way = cell(inputs[a:b], units, weights, recurrent_activation, _part(seen, a, b), _part(drop, a, b), part)
            way.fill(inputs[a:b], states[0][a:b])
            others = way.forward([s[a:b].T for s in states[1:]])
            for target, state in zip(last, [way.states[-1], *others], strict=True):
                target[a:b] = state.T
            if sequences:
                outputs[a:b] = way.states[1:].transpose(2, 0, 1)

        run_sharded(shard, cuts(x, kernel, recurrent_kernel))
        return [outputs, *last, workspace]

    return run


def backward_kernel(cell: type[Pass], which: SequenceKernel) -> Callable[..., list[Array]]:
    """The kernel of the gradient of a row."""
    count = len(which.states)

    def run(*inputs: Array, wanted: tuple[int, ...], go_backwards: bool, recurrent_activation: str = "") -> list[Array]:
        dy, *dlast = inputs[: 1 + count]
        x, kernel, recurrent, bias, *more, workspace = inputs[1 + count :]
        mask, drop = which.mask_and_drop(more[count:])
        seen = mask[:, ::-1] if mask is not None and go_backwards else mask
        units = dlast[0].shape[1]
        weights = cell.prepare(kernel, recurrent, bias, 1.0)
        dx = np.empty_like(x) if 0 in wanted else None
        target = dx[:, ::-1] if dx is not None and go_backwards else dx
        dfirst = [np.empty_like(d) for d in dlast]
        shards = _shards_of(workspace)
        helped = dict(zip(shards, range(idle_cores(len(shards))), strict=False))
        sums: dict[int, list[Array]] = {}

        def shard(a: int, b: int) -> None:
            kept = workspace[a:b].reshape(-1)
            way = cell(x[a:b], units, weights, recurrent_activation, _part(seen, a, b), _part(drop, a, b), kept)
            into = _part(target, a, b)
            found = way.backward(dy[a:b], [d[a:b].T for d in dlast], into, (a, b) in helped)
            for first, d in zip(dfirst, found, strict=True):
                first[a:b] = d.T
            sums[a] = way.sums

        run_sharded(shard, shards)
        total = sums[0]
        for a, _ in shards[1:]:  # always in the same order, so that equal shards yield equal bits
            total = [t + s for t, s in zip(total, sums[a], strict=True)]
        gradients = [dx, *total, *dfirst]
        return [gradients[i] for i in wanted]  # type: ignore[misc]

    return run


def _part(array: Array | None, a: int, b: int) -> Array | None:
    return None if array is None else array[a:b]


def multiplications(x: Array, kernel: Array, recurrent: Array) -> int:
    """How many multiplications a step takes."""
    return len(x) * kernel.shape[1] * (len(kernel) + len(recurrent) + 1)


def cuts(x: Array, kernel: Array, recurrent: Array) -> list[tuple[int, int]]:
    """The shards of the batch."""
    by_state = len(x) * len(recurrent) // _SHARD_STATE_ELEMENTS
    by_work = multiplications(x, kernel, recurrent) // _SHARD_MULTIPLICATIONS
    return spans_in_turns(len(x), max(by_state, by_work), 1)


def _shards_of(workspace: Array) -> list[tuple[int, int]]:
    """The shards that filled a workspace: each has its size as its last element. The current ones may differ."""
    shards: list[tuple[int, int]] = []
    stop = len(workspace)
    while stop or not shards:
        size = int(workspace[stop - 1, -1]) if stop else 0
        shards.append((stop - size, stop))
        stop -= size
    return shards[::-1]


def _chunks(time: int, most: int) -> Iterator[tuple[int, int]]:
    """The steps in chunks, starting from the end."""
    for stop in range(time, 0, -most):
        yield max(0, stop - most), stop
