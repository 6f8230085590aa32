"""Values: what the backend hands to the engine: on the host, on the GPU, one number repeated, or still to do.

Kernels make nodes, not results. A node is worked on when somebody needs its value (see fusion.py), together with the
nodes around it; a value that nobody needs any more by then was never stored.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.spec import Spec

if TYPE_CHECKING:
    from tfpy.engine.gl.device import Device
    from tfpy.engine.gl.maps import Map
    from tfpy.engine.gl.pool import Lease
    from tfpy.engine.gl.trace import Trace

STORED: dict[str, Any] = {"float32": np.float32, "int32": np.int32, "bool": np.int32, "complex64": np.complex64}
"""What the elements are in a buffer: truth values are numbers 0 and 1."""

WIDTH = {"float32": 4, "int32": 4, "bool": 4, "complex64": 8}


class Pointwise(Protocol):
    """An operation each of whose output elements depends on few input elements, at places that can be computed.

    Such operations are fused: into one another, into the reduction that follows, onto the matrix product before.
    """

    def trace(self, trace: Trace, node: Node, index: int) -> int:
        """Write down the computation of the element at `index`; gives the id of its result."""


class Task(Protocol):
    """An operation with a shader of its own.

    Attributes:
        extends: the elementwise operations that follow may be computed by its shader.
    """

    extends: bool

    def run(self, device: Device, value: Value) -> Lease:
        """Compute the value of a node that has this operation."""


class Node:
    """An operation still to do.

    Attributes:
        op: what to do.
        inputs: with what.
        maps: for each input where its elements are found, None standing for the same place; None when all are None.
        words: parameters, as the bits of numbers; a shader is compiled without them.
        weight, leaves: upper bounds of the operations and the buffers that fusing would bring together.
        depth: how many tasks have to be done one after the other.
    """

    __slots__ = ("depth", "inputs", "leaves", "maps", "op", "weight", "words")

    def __init__(
        self,
        op: Any,
        inputs: tuple[Value, ...],
        maps: tuple[Map | None, ...] | None,
        words: Sequence[int],
        weight: int,
        leaves: int,
        depth: int,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.maps = maps
        self.words = words
        self.weight = weight
        self.leaves = leaves
        self.depth = depth


class Value:
    """A payload.

    Attributes:
        spec: its shape and dtype.
        lease: its buffer, when it is on the GPU.
        host: its values in an array of its shape, when they are on the host.
        word: the bits of its one number, when all its elements are equal.
        node: how to compute it, when none of these is there.
        place: the memory where the result is wanted, if that matters.
    """

    __slots__ = ("host", "lease", "node", "place", "spec", "word")

    def __init__(
        self,
        spec: Spec,
        node: Node | None = None,
        host: Array | None = None,
        lease: Lease | None = None,
        word: int | None = None,
    ) -> None:
        self.spec = spec
        self.node = node
        self.host = host
        self.lease = lease
        self.word = word
        self.place: Lease | None = None


def stored_bytes(spec: Spec) -> int:
    """How many bytes of a buffer the elements take."""
    return spec.size * WIDTH[spec.dtype]


def bits(number: Any, dtype: str) -> int:
    """A number of a dtype as a 32-bit parameter."""
    if dtype == "float32":
        return float_bits(number)
    if dtype == "bool":
        return 1 if number else 0
    return int(number) & 0xFFFFFFFF


def float_bits(number: float) -> int:
    """The bits of a number rounded to float32; beyond its range it is infinite."""
    try:
        return _unsigned.unpack(_float.pack(number))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return 0x7F800000 if number > 0 else 0xFF800000


def number_of(word: int, dtype: str) -> Any:
    """The number that a parameter stands for."""
    if dtype == "float32":
        return _float.unpack(_unsigned.pack(word))[0]
    return bool(word) if dtype == "bool" else word - (word >> 31 << 32)


_float = struct.Struct("f")
_unsigned = struct.Struct("I")
