"""Arrival counters: how many of the groups that work on one result have finished, so that the last one combines."""

from __future__ import annotations

from typing import Any

from tfpy.engine.gl.memory_pool import Buffer

MAX_COUNTERS = 512  # of a shader
_SETS = 16


class Arrivals:
    """Sets of counters, which are zero whenever no shader uses them: the last group to arrive resets its counter.

    Shaders take different sets in turn, so that they may overlap, and write to them as to any buffer, so that one that
    gets a set still in use waits.

    Attributes:
        gl: the buffer of all sets.
    """

    def __init__(self, context: Any) -> None:
        size = 4 * MAX_COUNTERS
        self.gl = context.buffer(bytes(_SETS * size))
        self._sets = [Buffer(self.gl, size, size * i) for i in range(_SETS)]
        self._turn = 0

    def take(self) -> Buffer:
        """A set of counters."""
        self._turn = (self._turn + 1) % _SETS
        return self._sets[self._turn]
