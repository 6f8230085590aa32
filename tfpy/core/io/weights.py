"""Weights as bytes and back: little-endian, one after the other, quantized or not."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.core.calling.ready import Ready, ReadyDict
from tfpy.core.calling.registry import export
from tfpy.core.convert import to_tensor
from tfpy.core.io.buffers import CompositeArrayBuffer, pieces_of, views_of
from tfpy.core.io.errors import ModelFileError
from tfpy.core.io.specs import STORED_AS, WeightSpec, read_specs
from tfpy.core.results import Record, named_tensors
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.backend import Array
from tfpy.engine.dtypes import TYPED_ARRAY
from tfpy.engine.errors import argument_error
from tfpy.engine.javascript_numbers import round_half_up, to_int32

_LENGTH = struct.Struct("<I")
_LITTLE_ENDIAN = {dtype: np.dtype(kind).newbyteorder("<") for dtype, kind in TYPED_ARRAY.items()}


class EncodedWeights(Record, Ready):
    """The bytes of weights, and their specs."""

    data: bytes
    specs: list[dict[str, Any]]


@export(namespace="io", doc="Models / Loading")
def encode_weights(tensors: Mapping[str, Any] | Sequence[Any], group: str | None = None) -> EncodedWeights:
    """Tensors as bytes.

    Args:
        tensors: tensors by name, or a list of {'name', 'tensor'}.
        group: recorded with each weight; 'optimizer' for those of an optimizer.

    Returns:
        `data`, the bytes of all tensors one after the other, and `specs`, a list of {'name', 'shape', 'dtype'};
        awaitable. Strings are UTF-8 with their length before them; the real and imaginary parts of complex numbers
        alternate.

    Source: TF.js `tf.io.encodeWeights`.
    """
    parts, specs = [], []
    for name, value in named_tensors("encode_weights", "tensors", tensors):
        tensor = to_tensor("encode_weights", str(name), value, "any")
        specs.append({"name": name, "shape": list(tensor.shape), "dtype": tensor.dtype})
        if group is not None:
            specs[-1]["group"] = group
        parts.append(_bytes_of(tensor))
    return EncodedWeights(b"".join(parts), specs)


def _bytes_of(tensor: Tensor) -> bytes:
    values = dispatch.read(tensor, "encode_weights")
    if tensor.dtype == "string":
        return b"".join(_LENGTH.pack(len(v)) + v for v in values.flat)
    return values.astype(_LITTLE_ENDIAN[tensor.dtype]).tobytes()


@export(namespace="io", doc="Models / Loading")
def decode_weights(weight_data: Any, specs: Sequence[Any]) -> dict[str, Tensor]:
    """Tensors from bytes.

    Args:
        weight_data: bytes, or a list of consecutive bytes.
        specs: {'name', 'shape', 'dtype', 'quantization'} of each weight, in order.

    Returns:
        The tensors by name. Numbers quantized to uint8 or uint16 are q · scale + min, computed in double precision.

    Raises:
        ModelFileError: an invalid spec, two weights with the same name, or too few bytes.

    Source: TF.js `tf.io.decodeWeights`.
    """
    data = CompositeArrayBuffer(views_of("decode_weights", "weight_data", weight_data))
    return decode(data, read_specs(specs, "decode_weights", "specs"), "decode_weights")


def decode(data: CompositeArrayBuffer, specs: Iterable[WeightSpec], source: str) -> dict[str, Tensor]:
    """The weights in bytes by name; none is created unless the bytes contain them all."""
    found = list(byte_ranges(data, specs, source))
    return {
        spec.name: dispatch.make(Tensor, _values(data.view(start, end), spec), spec.dtype) for spec, start, end in found
    }


def byte_ranges(
    data: CompositeArrayBuffer, specs: Iterable[WeightSpec], source: str
) -> Iterator[tuple[WeightSpec, int, int]]:
    """The start and end of each weight in the data.

    Raises:
        ModelFileError: the data ends before a weight does.
    """
    start = 0
    for spec in specs:
        end = start + (_string_bytes(data, spec, start, source) if spec.nbytes is None else spec.nbytes)
        if end > data.byte_length:
            raise ModelFileError(
                f"{source}: weight {spec.name!r} takes bytes {start} to {end} of the weights' data, which have only "
                f"{data.byte_length}."
            )
        yield spec, start, end
        start = end


def _string_bytes(data: CompositeArrayBuffer, spec: WeightSpec, start: int, source: str) -> int:
    """The bytes of a weight of strings, found by going from length to length."""
    at = start
    for i in range(spec.size):
        if at + 4 > data.byte_length:
            raise ModelFileError(f"{source}: string {i} of weight {spec.name!r} starts after the end of the data.")
        at += 4 + _LENGTH.unpack(data.view(at, at + 4))[0]
    return at - start


def _values(data: memoryview, spec: WeightSpec) -> Array:
    if spec.dtype == "string":
        return _strings(data, spec)
    quantization = spec.quantization
    if quantization is None:
        return np.frombuffer(data, _LITTLE_ENDIAN[spec.dtype]).reshape(spec.shape)
    stored = np.frombuffer(data, STORED_AS[quantization.dtype]).reshape(spec.shape)
    if quantization.dtype == "float16":
        return stored.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        values = stored * np.float64(quantization.scale) + quantization.min
        return to_int32(round_half_up(values)) if spec.dtype == "int32" else values.astype(np.float32)


def _strings(data: memoryview, spec: WeightSpec) -> Array:
    values = np.empty(spec.size, object)
    at = 0
    for i in range(spec.size):
        start = at + 4
        at = start + _LENGTH.unpack_from(data, at)[0]
        values[i] = bytes(data[start:at])
    return values.reshape(spec.shape)


@export(namespace="io", doc="Models / Loading")
def decode_weights_stream(weight_stream: Any, specs: Sequence[Any]) -> ReadyDict[str, Tensor]:
    """Tensors from a stream of bytes.

    Args:
        weight_stream: an iterable or async iterable of bytes; or a file object.
        specs: as in `decode_weights`.

    Returns:
        The tensors by name; awaitable.

    Source: TF.js `tf.io.decodeWeightsStream`.
    """
    pieces = pieces_of(weight_stream)
    if pieces is None:
        expected = "a file object, bytes, or an iterable of them"
        raise argument_error("decode_weights_stream", "weight_stream", expected, weight_stream, TypeError)
    return ReadyDict(decode_weights(pieces, specs))
