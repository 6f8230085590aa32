"""Command lists: recorded work of the device, as OpenGL calls to repeat, with everything possible decided beforehand.

A buffer that stays bound is bound once, parameters are set only if they change, and there are barriers only where a
shader has to wait. Memory that differs in each run, of inputs and results, is inserted into the calls first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfpy.engine.gl.device import BARRIER, Call, Copied, Device, Dispatched
from tfpy.engine.gl.memory_pool import Buffer, Lease, Span
from tfpy.engine.gl.programs import Program


class Input(NamedTuple):
    """Stands for one of the inputs, where a command uses a buffer."""

    number: int


class InputPart(NamedTuple):
    """Stands for a part of one of the inputs, where a command uses a buffer."""

    number: int
    start: int
    size: int


class Result(NamedTuple):
    """Stands for a part of the memory for the results, where a command uses a buffer."""

    start: int
    size: int


Place = Buffer | Input | InputPart | Result


class _Block(NamedTuple):
    """A program's required parameters at the start, also as bytes, and those at the end."""

    first: Sequence[int]
    packed: bytes
    last: Sequence[int]


class CommandList:
    """The calls, and what has to be inserted into them before a run."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._calls: list[Call] = []
        self._inputs: list[tuple[int, int, int]] = []  # call, input, binding place
        self._input_parts: list[tuple[int, InputPart, int]] = []  # call, part, binding place
        self._results: list[tuple[int, tuple[int, int, int]]] = []  # call, (place, start, size)
        self._copies: list[tuple[int, Place, Place, int]] = []  # call, source, target, bytes
        self._blocks: dict[Program, _Block] = {}
        self._bound: dict[int, Place] = {}
        self._dispatches = 0

    def add(self, action: Dispatched | Copied, buffers: Sequence[Place], waits: bool) -> None:
        """Add an action on these buffers; if it waits, a barrier precedes it."""
        if waits:
            self._calls.append((self._device.memory_barrier, BARRIER))
        if isinstance(action, Copied):
            source, target = buffers
            self._copies.append((self._later(), source, target, action.nbytes))
            return
        for place, buffer in enumerate(buffers):
            if self._bound.get(place) != buffer:
                self._bind(place, buffer)
        self._set(action.program, action.words)
        self._calls.append((action.program.run, (*self._device.in_rows(action.groups), action.layers)))
        self._dispatches += 1

    def _bind(self, place: int, buffer: Place) -> None:
        self._bound[place] = buffer
        if isinstance(buffer, Input):
            self._inputs.append((self._later(), buffer.number, place))
        elif isinstance(buffer, InputPart):
            self._input_parts.append((self._later(), buffer, place))
        elif isinstance(buffer, Result):
            self._results.append((self._later(), (place, *buffer)))
        else:
            self._calls.append((buffer.bind, (place, buffer.offset, buffer.size)))

    def _later(self) -> int:
        """The position of a call that is filled in for each run."""
        self._calls.append((_nothing, ()))
        return len(self._calls) - 1

    def _set(self, program: Program, words: Sequence[int]) -> None:
        if program.write is None:
            return
        packed = program.packed(words)
        block = self._blocks.get(program)
        if block is None:
            self._blocks[program] = _Block(words, packed, words)
        elif tuple(block.last) != tuple(words):
            self._calls.append((program.write, (packed,)))
            self._blocks[program] = block._replace(last=words)

    def run(self, inputs: Sequence[Lease], spans: Sequence[Span], results: Lease | None) -> None:
        """Run all commands with new inputs and new memory for the results.

        Args:
            spans: the inputs' spans.
        """
        self._device.check_thread()
        calls = self._calls
        for at, number, place in self._inputs:
            bind, offset, size = spans[number]
            calls[at] = bind, (place, offset, size)
        for at, part, place in self._input_parts:
            bind, offset, size = spans[part.number]
            calls[at] = bind, (place, offset + part.start, min(part.size, size - part.start))
        if results is not None:
            bind = results.buffer.bind
            for at, arguments in self._results:
                calls[at] = bind, arguments
        for at, source, target, nbytes in self._copies:
            (read, start), (write, to) = (_memory(place, inputs, results) for place in (source, target))
            calls[at] = self._device.copy_bytes, (write, read, nbytes, start, to)
        try:
            for program, (first, packed, last) in self._blocks.items():
                if program.words is not first and program.write is not None:
                    program.write(packed)
                program.words = last
            self._device.run_again(calls, self._dispatches, len(self._copies))
        except BaseException:  # such as Ctrl-C: it is unknown which parameters have been set
            for program in self._blocks:
                program.words = None
            raise


def _nothing() -> None:
    """Placeholder for a call that is not known yet."""


def _memory(place: Place, inputs: Sequence[Lease], results: Lease | None) -> tuple[Any, int]:
    """moderngl's inner object for a buffer, and an offset in it."""
    if isinstance(place, Result):
        assert results is not None
        return results.buffer.gl.mglo, place.start
    buffer = inputs[place.number].buffer if isinstance(place, (Input, InputPart)) else place
    return buffer.gl.mglo, buffer.offset + (place.start if isinstance(place, InputPart) else 0)
