"""A check that shaders wait for each other where they use the same memory.

Without a barrier between them, shaders that are dispatched one after the other may overlap on a GPU. Mesa's software
renderer runs them one by one, so that a missing barrier does not show in results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import moderngl

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.memory_pool import Buffer
from tfpy.engine.gl.programs import Program, Programs

_DECLARATION = re.compile(r"layout\(std430, binding = (\d+)\) ([\w ]*)buffer ")


class _Range(NamedTuple):
    """Bytes of a buffer, which is moderngl's inner object: OpenGL's names are used again."""

    buffer: Any
    start: int
    stop: int

    def overlaps(self, others: Iterable[_Range]) -> bool:
        return any(self.buffer is o.buffer and self.start < o.stop and o.start < self.stop for o in others)


class _Bind(NamedTuple):
    """Binds a buffer for shaders, and remembers the range."""

    inner: Callable[[int, int, int], None]
    buffer: Any

    def __call__(self, place: int, offset: int, size: int) -> None:
        _bound[place] = _Range(self.buffer, offset, offset + size)
        self.inner(place, offset, size)


_bound: dict[int, _Range] = {}
_read: list[_Range] = []  # by shaders, since the last barrier
_written: list[_Range] = []


def _check(read: list[_Range], written: list[_Range]) -> None:
    for found in (*read, *written):
        assert not found.overlaps(_written), f"no barrier after a shader that writes to {found}"
    for found in written:
        assert not found.overlaps(_read), f"no barrier after a shader that reads {found}"


def _end_overlap() -> None:
    _read.clear()
    _written.clear()


def check_barriers() -> None:
    """From now on, a shader or a copy raises AssertionError if it uses memory that a concurrent shader writes to, or
    writes to memory that a concurrent one uses."""
    create_buffer, compile_program, test_division = Buffer.__init__, Programs.compile, Device._divides_exactly

    def new_buffer(buffer: Buffer, gl: Any, *size_and_offset: int) -> None:
        create_buffer(buffer, gl, *size_and_offset)
        buffer.bind = _Bind(buffer.bind, gl.mglo)

    def with_checks(device: Device) -> bool:
        """Device._divides_exactly, which runs the first shader of a device."""
        _end_overlap()
        device.memory_barrier = _ending_overlap(device.memory_barrier)
        device.copy_bytes = _checked_copy(device.copy_bytes)
        return test_division(device)

    def new_program(programs: Programs, body: str) -> Program:
        program = compile_program(programs, body)
        program.run = _checked_run(program.run, body)
        return program

    def copy_buffer(
        context: Any, target: Any, source: Any, size: int, read_offset: int = 0, write_offset: int = 0
    ) -> None:
        _checked_copy(context.mglo.copy_buffer)(target.mglo, source.mglo, size, read_offset, write_offset)

    Buffer.__init__ = new_buffer  # type: ignore[method-assign, assignment]
    Device._divides_exactly = with_checks  # type: ignore[method-assign]
    Programs.compile = new_program  # type: ignore[method-assign]
    moderngl.Context.copy_buffer = copy_buffer  # type: ignore[method-assign, assignment]


def _checked_run(run: Callable[[int, int, int], None], body: str) -> Callable[[int, int, int], None]:
    """A shader's `run` that checks the ranges bound for its buffers."""
    declared = [(int(place), qualifiers) for place, qualifiers in _DECLARATION.findall(body)]
    reads = [place for place, qualifiers in declared if "writeonly" not in qualifiers]
    writes = [place for place, qualifiers in declared if "readonly" not in qualifiers]

    def checked(*groups: int) -> None:
        read, written = [_bound[place] for place in reads], [_bound[place] for place in writes]
        _check(read, written)
        _read.extend(read)
        _written.extend(written)
        run(*groups)

    return checked


def _checked_copy(copy: Callable[..., None]) -> Callable[..., None]:
    def checked(target: Any, source: Any, size: int, start: int, to: int) -> None:
        _check([_Range(source, start, start + size)], [_Range(target, to, to + size)])
        copy(target, source, size, start, to)

    return checked


def _ending_overlap(barrier: Callable[..., None]) -> Callable[..., None]:
    def ending(*bits: Any) -> None:
        _end_overlap()
        barrier(*bits)

    return ending
