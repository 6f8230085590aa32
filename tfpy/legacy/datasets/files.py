"""Reading files by path or URL, and images from PNG files."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

import numpy as np

from tfpy.core.io.errors import MAX_ARCHIVE_BYTES
from tfpy.core.io.folder import read_file
from tfpy.core.io.reading import read_pieces
from tfpy.core.system.urls import has_scheme, local_path
from tfpy.core.system.web import open_web_file
from tfpy.engine.backend import Array

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by PNG color type


def read_bytes(op: str, location: str, limit: int = MAX_ARCHIVE_BYTES) -> bytes:
    """The bytes of a path, a file:// URL or an http(s) URL.

    Args:
        op: the function, for messages.
        location: the path or URL.
        limit: the maximum number of bytes read from a server.

    Raises:
        ValueError: it cannot be read, is not a regular file, or a server sends more.
    """
    from http.client import HTTPException  # slow to import

    try:
        if not has_scheme(location, "http", "https"):
            return read_file(Path(local_path(location)), sys.maxsize)
        with open_web_file(location) as answer:
            data = read_pieces(answer.read, limit)
        if len(data) > limit:
            raise ValueError(f"the response has more than {limit} bytes")
        return data
    except (OSError, HTTPException, ValueError) as error:  # ValueError: no file has such a name
        raise ValueError(f"{op}: cannot read {str(location)!r}: {error}") from None


def decode_png(op: str, data: bytes) -> Array:
    """A PNG image as uint8 [height, width, channels]: 1 or 2 for grey, 3 or 4 for color, without and with alpha.

    Raises:
        ValueError: not a PNG image, damaged, or of an unsupported kind: interlaced, or not 8 bits per channel.
    """
    if not data.startswith(_SIGNATURE):
        raise ValueError(f"{op}: this is not a PNG image.")
    try:
        return _decoded(op, _chunks(data))
    except (struct.error, zlib.error, IndexError, KeyError) as error:
        raise ValueError(f"{op}: the PNG image is damaged: {error!r}") from None


def _chunks(data: bytes) -> dict[bytes, bytearray]:
    """The chunks by type; those of the same type are joined."""
    found: dict[bytes, bytearray] = {}
    at = len(_SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        found.setdefault(kind, bytearray()).extend(data[at + 8 : at + 8 + length])
        at += length + 12
    return found


def _decoded(op: str, chunks: dict[bytes, bytearray]) -> Array:
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if depth != 8 or interlaced or color not in _CHANNELS:
        raise ValueError(f"{op}: only non-interlaced PNG images with 8 bits per channel are supported.")
    channels = _CHANNELS[color]
    size = height * (1 + width * channels)
    # No more bytes are unpacked than the image has; the header of a damaged file may give any number.
    values = zlib.decompressobj().decompress(chunks[b"IDAT"], min(size, sys.maxsize))
    if not width or not height or len(values) != size:
        found = f"{width} · {height} pixels, but {len(values)} bytes of the {size} that they take"
        raise ValueError(f"{op}: the PNG image is damaged: it has {found}.")
    raw = np.frombuffer(values, np.uint8).reshape(height, 1 + width * channels)
    image = _unfiltered(raw, channels).reshape(height, width, channels)
    if color == 3:
        palette = chunks[b"PLTE"]
        return np.frombuffer(palette[: len(palette) // 3 * 3], np.uint8).reshape(-1, 3)[image[:, :, 0]]
    return image


def _unfiltered(raw: Array, channels: int) -> Array:
    """The rows, each of which says in its first byte how it was predicted from its neighbors (PNG standard, 9)."""
    above = np.zeros(raw.shape[1] - 1, np.uint8)
    out = np.empty((raw.shape[0], raw.shape[1] - 1), np.uint8)
    for i, row in enumerate(raw):
        above = out[i] = _unfiltered_row(int(row[0]), row[1:], above, channels)
    return out


def _unfiltered_row(kind: int, row: Array, above: Array, channels: int) -> Array:
    if kind == 0:
        return row
    if kind == 1:
        return np.add.accumulate(row.reshape(-1, channels), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return row + above
    if kind not in (3, 4):
        raise KeyError(f"filter {kind}")
    out, up = bytearray(row.tobytes()), above.tobytes()
    for i in range(len(out)):
        left = out[i - channels] if i >= channels else 0
        corner = up[i - channels] if i >= channels else 0
        guess = (left + up[i]) // 2 if kind == 3 else _paeth(left, up[i], corner)
        out[i] = (out[i] + guess) & 255
    return np.frombuffer(bytes(out), np.uint8)


def _paeth(left: int, up: int, corner: int) -> int:
    """The one of the three neighbors that is closest to left + up - corner."""
    guess = left + up - corner
    return min((left, up, corner), key=lambda n: abs(guess - n))
