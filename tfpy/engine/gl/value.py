"""Values, the backend's payloads: on the host, on the GPU, a repeated number, or deferred.

Kernels do not compute. A deferred value is computed when it is needed (see fusion.py), together with the values around
it; one that is no longer needed by then is never stored.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.dtypes import NUMPY, DType
from tfpy.engine.gl.memory_pool import aligned
from tfpy.engine.gl.structures import NUMBER, STORED
from tfpy.engine.gl.templates import WIDTH
from tfpy.engine.spec import Spec, spec

if TYPE_CHECKING:
    from tfpy.engine.gl.device import Device
    from tfpy.engine.gl.maps import Map
    from tfpy.engine.gl.memory_pool import Lease
    from tfpy.engine.gl.trace import Trace

BUFFER_NUMPY = NUMPY | {"bool": np.int32}
"""numpy's type for the elements of a buffer: booleans are numbers 0 and 1."""

_MAX_CONSTANTS = 256

Maps = tuple["Map | None", ...]


class Pointwise(Protocol):
    """An operation whose output elements each depend on few input elements, at computable positions.

    Such operations are fused: into one another, into a subsequent reduction, onto a preceding matrix product.
    """

    def trace(self, trace: Trace, v: Value, index: int) -> int:
        """Add the computation of the element of `v` at `index` to the trace; returns its id."""


class Task(Protocol):
    """An operation with its own shader.

    Attributes:
        takes_epilogue: its shader may also compute the elementwise operations that follow (see `EpilogueTask`).
    """

    takes_epilogue: bool

    def run(self, device: Device, value: Value) -> Lease:
        """Compute the value that has this operation."""


class Value:
    """A payload.

    Attributes:
        spec: its shape and dtype.
        structure: its form, for those that compute with it.
        lease: its buffer, if it is on the GPU.
        host: its values in an array of its shape, if they are on the host.
        word: the bits of its number, if all its elements are equal.
        op: how to compute it, if none of these is set; otherwise None. The structure tells whether it is pointwise
            (`fuses`).
        inputs: the inputs of `op`.
        maps: for each input, where its elements are found, None for the same position; None if all are None.
        words: parameters, as the bits of numbers; shaders are compiled without them.
    """

    __slots__ = ("host", "inputs", "lease", "maps", "op", "spec", "structure", "word", "words")

    def __init__(
        self, spec: Spec, host: Array | None = None, lease: Lease | None = None, word: int | None = None
    ) -> None:
        self.spec = spec
        self.structure = (STORED if word is None else NUMBER)[spec.dtype]
        self.host = host
        self.lease = lease
        self.word = word
        self.op: Pointwise | Task | None = None
        self.inputs: tuple[Value, ...] = ()
        self.maps: Maps | None = None
        self.words: Sequence[int] = () if word is None else (word,)

    @property
    def payload(self) -> Value:
        """Itself: in plans, values take the place of handles."""
        return self

    def settle(self, lease: Lease) -> None:
        """Store the computed value; what it was computed from is released."""
        self.lease = lease
        if self.op is not None:
            self.op = None
            self.inputs, self.maps = (), None
            self.structure = STORED[self.spec.dtype]


def constant(device: Device, key: Hashable, dtype: DType, make: Callable[[], Array]) -> Value:
    """A small array that depends only on the key, created once, on the host."""
    known = device.constants
    found = known.get(key)
    if found is None:
        if len(known) >= _MAX_CONSTANTS:
            known.clear()
        array = make().astype(BUFFER_NUMPY[dtype])
        found = known[key] = Value(spec(array.shape, dtype), host=array)
    return found


def stored_bytes(of: Spec) -> int:
    """The number of bytes of the elements in a buffer."""
    return of.size * WIDTH[of.dtype]


def part_bytes(of: Spec) -> int:
    """The size in bytes of a part of a buffer for the elements."""
    return aligned(stored_bytes(of))


def bits(number: Any, dtype: str) -> int:
    """A number of a dtype as a 32-bit parameter; as an integer, a non-finite one is 0."""
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
    """Whether values are float32 and not empty."""
    return all(v.spec.size and v.spec.dtype == "float32" for v in values)


def number_of(word: int, dtype: str) -> Any:
    """The number that a parameter represents."""
    if dtype == "float32":
        return _float.unpack(_unsigned.pack(word))[0]
    return bool(word) if dtype == "bool" else word - (word >> 31 << 32)


_float = struct.Struct("f")
_unsigned = struct.Struct("I")
