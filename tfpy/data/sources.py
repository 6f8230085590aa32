"""Data sources: files and URLs as streams of bytes, read piece by piece, and bytes as streams of text."""

from __future__ import annotations

import codecs
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.system.gunzip import gunzip
from tfpy.core.system.urls import has_scheme, local_path
from tfpy.core.system.web import open_web_file
from tfpy.data._camel import ByteChunkIteratorCamel
from tfpy.data.iterators import LazyIterator, PythonIterator
from tfpy.engine.arguments import as_int, as_positive
from tfpy.engine.errors import argument_error

if TYPE_CHECKING:
    from urllib.request import Request

_CHUNK = 1 << 20
# The maximum number of characters between two separators: a small compressed file can unpack to any size.
_LONGEST_PART = 1 << 28
_GZIP_MAGIC = b"\x1f\x8b"


class ByteChunkIterator(ByteChunkIteratorCamel, PythonIterator):
    """A stream of `bytes`. Source: TF.js `ByteChunkIterator`."""

    def decode_utf8(self) -> StringIterator:
        """The bytes as text, in pieces; invalid UTF-8 becomes U+FFFD, and a byte order mark is dropped."""
        return StringIterator(_decoded(self))


class StringIterator(PythonIterator):
    """A stream of text in pieces with arbitrary boundaries. Source: TF.js `StringIterator`."""

    def split(self, separator: str) -> LazyIterator:
        """The text between the separators; an empty end is omitted."""
        return PythonIterator(_parts(self, separator))


class DataSource:
    """A source that streams of bytes can be read from repeatedly. Source: TF.js `DataSource`."""

    def iterator(self) -> ByteChunkIterator:
        """A new stream of the bytes."""
        raise TypeError(f"{type(self).__name__}: a data source must define iterator().")


@export(namespace="data", doc="Data / Classes")
class FileDataSource(DataSource):
    """The bytes of a file.

    Args:
        input: a path, a file URL, or the bytes themselves (bytes, or a uint8 array).
        options: the options below as a dict.
        offset: where to start.
        chunk_size: how many bytes to read at once.

    Source: TF.js `tf.data.FileDataSource`; its File and Blob are Python's paths and bytes.
    """

    @accepts_options("options", where="FileDataSource")
    def __init__(
        self, input: Any, options: Mapping[str, Any] | None = None, *, offset: int = 0, chunk_size: int = _CHUNK
    ) -> None:
        self.input = _path_or_bytes(input)
        self.offset = as_int("FileDataSource", "offset", offset)
        self.chunk_size = as_positive("FileDataSource", "chunk_size", chunk_size)
        if self.offset < 0:
            raise argument_error("FileDataSource", "offset", "0 or more", offset)

    def iterator(self) -> ByteChunkIterator:
        """A new stream of the bytes. The file is opened when the first bytes are requested.

        Raises (while reading):
            RuntimeError: the file cannot be read.
        """
        return ByteChunkIterator(self._chunks())

    def _chunks(self) -> Iterator[bytes]:
        if isinstance(self.input, bytes):
            for start in range(self.offset, len(self.input), self.chunk_size):
                yield self.input[start : start + self.chunk_size]
            return
        try:
            with open(self.input, "rb") as file:
                file.seek(self.offset)
                yield from _pieces(file, self.chunk_size)
        except (OSError, ValueError) as error:  # ValueError: an invalid file name
            reason = getattr(error, "strerror", None) or error
            raise RuntimeError(f"The file {str(self.input)!r} cannot be read: {reason}.") from error


@export(namespace="data", doc="Data / Classes")
class URLDataSource(DataSource):
    """The bytes behind a URL. They are read as they arrive, and fetched again for each stream.

    Args:
        url: a file, http or https URL; a plain path; or a `urllib.request.Request`.
        file_options: the options below as a dict.
        offset: where to start.
        chunk_size: how many bytes to read at once.

    Source: TF.js `tf.data.URLDataSource`, which loads the whole file first.
    """

    @accepts_options("file_options", where="URLDataSource")
    def __init__(
        self, url: Any, file_options: Mapping[str, Any] | None = None, *, offset: int = 0, chunk_size: int = _CHUNK
    ) -> None:
        self.url = url
        self._request = _web_request(url)
        self.file = FileDataSource(b"" if self._request else url, offset=offset, chunk_size=chunk_size)

    def iterator(self) -> ByteChunkIterator:
        """A new stream of the bytes.

        Raises (while reading):
            RuntimeError: the URL cannot be read.
        """
        return self.file.iterator() if self._request is None else ByteChunkIterator(self._chunks(self._request))

    def _chunks(self, request: Request) -> Iterator[bytes]:
        from http.client import HTTPException

        try:
            with open_web_file(request) as response:
                _discard(response, self.file.offset)
                yield from _pieces(response, self.file.chunk_size)
        except (OSError, ValueError, HTTPException) as error:
            raise RuntimeError(f"{request.full_url} cannot be read: {error}.") from error


def source_of(where: str, source: Any) -> DataSource:
    """A data source from a path, a URL or bytes, or the given one."""
    if isinstance(source, DataSource):
        return source
    if isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview, np.ndarray)) or _is_request(source):
        return URLDataSource(source)
    raise argument_error(where, "source", "a path, a URL, bytes or a data source", source, TypeError)


# The web modules are slow to import, so they are only imported when needed.


def _is_request(value: Any) -> bool:
    return hasattr(value, "full_url")


def _web_request(url: Any) -> Request | None:
    """A web request for a URL, or the given one; None if it is not a web URL."""
    if _is_request(url):
        request: Request = url
        return request
    if has_scheme(url, "http", "https"):
        from urllib.request import Request

        return Request(url)
    return None


def _path_or_bytes(value: Any) -> Path | bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, np.ndarray) and value.dtype == np.uint8:
        return value.tobytes()
    if isinstance(value, os.PathLike):
        return Path(value)
    if isinstance(value, str) and (has_scheme(value, "file") or "://" not in value):
        return Path(local_path(value))
    raise argument_error("FileDataSource", "input", "a path, a file URL, bytes or a uint8 array", value, TypeError)


def _pieces(file: IO[bytes], size: int) -> Iterator[bytes]:
    while piece := file.read(size):
        yield piece


def _discard(file: IO[bytes], count: int) -> None:
    while count > 0 and (piece := file.read(min(count, _CHUNK))):
        count -= len(piece)


def name_of(source: DataSource) -> str:
    """The name of a source in messages: its path or URL if it has one."""
    given = getattr(source, "url", getattr(source, "input", None))
    given = getattr(given, "full_url", given)
    return str(given) if isinstance(given, (str, os.PathLike)) else "the given data"


def decompressed(source: DataSource) -> Iterator[bytes]:
    """The bytes of a source as they are, or decompressed if they start like gzip; never much more than a chunk is in
    memory.

    Raises:
        ValueError: broken gzip data.
    """
    chunks = source.iterator()
    first = next(chunks, b"")
    while 0 < len(first) < len(_GZIP_MAGIC) and (more := next(chunks, b"")):
        first += more
    whole = chain([first], chunks)
    if not first.startswith(_GZIP_MAGIC):
        yield from whole
        return
    try:
        yield from gunzip(whole)
    except zlib.error as error:
        raise ValueError(f"{name_of(source)}: the gzip data are damaged: {error}.") from error


def _decoded(chunks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    for chunk in chunks:
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def _parts(pieces: Iterable[str], separator: str) -> Iterator[str]:
    rest: list[str] = []
    size = 0
    for piece in pieces:
        first, *others = piece.split(separator)
        rest.append(first)
        if others:
            yield "".join(rest)
            rest, size = [others.pop()], 0
            yield from others
        size += len(rest[-1])
        if size > _LONGEST_PART:
            raise ValueError(f"the text has more than {_LONGEST_PART} characters without a {separator!r} between them.")
    last = "".join(rest)
    if last:
        yield last
