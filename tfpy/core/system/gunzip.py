"""Unpacking gzip data piece by piece."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

# How much is unpacked at once.
_PIECE = 1 << 16
# zlib's number for 'a gzip header is expected'.
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


def gunzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The contents of gzip data, one member after the other; never much more than a chunk is in memory.

    Raises:
        zlib.error: data that are not gzip, damaged or truncated. Empty data are allowed.
    """
    data = next(chunks, b"")
    while data:
        inflater = zlib.decompressobj(_GZIP_WINDOW)
        while not inflater.eof:
            if not data:
                raise zlib.error("the data are truncated")
            yield inflater.decompress(data, _PIECE)
            data = inflater.unconsumed_tail or inflater.unused_data or next(chunks, b"")
        # A file may be padded with zeros, as the standard allows.
        while data and not (data := data.lstrip(b"\0")):
            data = next(chunks, b"")
