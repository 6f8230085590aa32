"""Values: what the backend hands to the engine: on the host, on the GPU, one number repeated, or still to do.

Kernels do not compute. A value that is still to do is worked on when somebody needs it (see fusion.py), together with
the values around it; one that nobody needs any more by then was never stored.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.dtypes import NUMPY, DType
from tfpy.engine.gl.pool import aligned
from tfpy.engine.gl.structures import NUMBER, THERE
from tfpy.engine.gl.templates import WIDTH
from tfpy.engine.spec import Spec, spec

if TYPE_CHECKING:
    from tfpy.engine.gl.device import Device
    from tfpy.engine.gl.maps import Map
    from tfpy.engine.gl.pool import Buffer, Lease
    from tfpy.engine.gl.templates import Fused
    from tfpy.engine.gl.trace import Trace

BUFFER_NUMPY = NUMPY | {"bool": np.int32}
"""numpy's type for the elements of a buffer: booleans are numbers 0 and 1."""

_MOST_CONSTANTS = 256

Maps = tuple["Map | None", ...]


class Pointwise(Protocol):
    """An operation each of whose output elements depends on few input elements, at places that can be computed.

    Such operations are fused: into one another, into the reduction that follows, onto the matrix product before.
    """

    def trace(self, trace: Trace, v: Value, index: int) -> int:
        """Write down the computation of the element of `v` at `index`; gives the id of its result."""


class Task(Protocol):
    """An operation with a shader of its own.

    Attributes:
        extends: the elementwise operations that follow may be computed by its shader.
    """

    extends: bool

    def run(self, device: Device, value: Value) -> Lease:
        """Compute the value that has this operation."""


class Extensible(Task, Protocol):
    """A task that extends."""

    def extend(
        self, device: Device, value: Value, fused: Fused, words: Sequence[int], others: Sequence[Buffer]
    ) -> list[Lease]:
        """Compute the value, and from each element of it what the steps say; a buffer for each result of them."""


class Value:
    """A payload.

    Attributes:
        spec: its shape and dtype.
        structure: what it is to those who compute with it.
        lease: its buffer, when it is on the GPU.
        host: its values in an array of its shape, when they are on the host.
        word: the bits of its one number, when all its elements are equal.
        op: how to compute it, when none of these is there; None when one is. Its structure tells whether that is
            pointwise (`fuses`).
        inputs: with what.
        maps: for each input where its elements are found, None standing for the same place; None when all are None.
        words: parameters, as the bits of numbers; a shader is compiled without them.
    """

    __slots__ = ("host", "inputs", "lease", "maps", "op", "spec", "structure", "word", "words")

    def __init__(
        self, spec: Spec, host: Array | None = None, lease: Lease | None = None, word: int | None = None
    ) -> None:
        self.spec = spec
        self.structure = (THERE if word is None else NUMBER)[spec.dtype]
        self.host = host
        self.lease = lease
        self.word = word
        self.op: Pointwise | Task | None = None
        self.inputs: tuple[Value, ...] = ()
        self.maps: Maps | None = None
        self.words: Sequence[int] = () if word is None else (word,)

    @property
    def payload(self) -> Value:
        """Itself: where plans run kernels, values stand in for handles."""
        return self

    def settle(self, lease: Lease) -> None:
        """The value is there now; what it was made of is not needed any more."""
        self.lease = lease
        if self.op is not None:
            self.op = None
            self.inputs, self.maps = (), None
            self.structure = THERE[self.spec.dtype]


def constant(device: Device, key: Hashable, dtype: DType, make: Callable[[], Array]) -> Value:
    """A small array that depends on the key alone, made on the host, once."""
    known = device.constants
    found = known.get(key)
    if found is None:
        if len(known) >= _MOST_CONSTANTS:
            known.clear()
        array = make().astype(BUFFER_NUMPY[dtype])
        found = known[key] = Value(spec(array.shape, dtype), host=array)
    return found


def stored_bytes(of: Spec) -> int:
    """How many bytes of a buffer the elements take."""
    return of.size * WIDTH[of.dtype]


def part_bytes(of: Spec) -> int:
    """How many bytes a part of a buffer has for the elements."""
    return aligned(stored_bytes(of))


def bits(number: Any, dtype: str) -> int:
    """A number of a dtype as a 32-bit parameter; as an integer, one that is not finite is 0."""
    if dtype == "float32":
        return float_bits(number)
    if dtype == "bool":
        return 1 if number else 0
    return int(number) & 0xFFFFFFFF if math.isfinite(number) else 0


def float_bits(number: float) -> int:
    """The bits of a number rounded to float32; beyond its range it is infinite."""
    try:
        return _unsigned.unpack(_float.pack(number))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return 0x7F800000 if number > 0 else 0xFF800000


def are_floats(*values: Value) -> bool:
    """Whether values are of float32 numbers, and of one or more."""
    return all(v.spec.size and v.spec.dtype == "float32" for v in values)


def number_of(word: int, dtype: str) -> Any:
    """The number that a parameter stands for."""
    if dtype == "float32":
        return _float.unpack(_unsigned.pack(word))[0]
    return bool(word) if dtype == "bool" else word - (word >> 31 << 32)


_float = struct.Struct("f")
_unsigned = struct.Struct("I")
