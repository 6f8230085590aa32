"""Requests to servers. Nothing else opens a connection."""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, urlsplit

from tfpy.core.system.gunzip import gunzip

if TYPE_CHECKING:
    from urllib.request import Request

# The timeout for a server's response, in seconds.
TIMEOUT = 60.0
# How many bytes of a response are unpacked at once.
_CHUNK = 1 << 16
# Characters kept in a URL: those with a meaning there, and those already written as %xx.
_MEANT = "%/:=&?~#+!$,;'@()*[]"


def _address(url: str) -> str:
    """A URL as browsers send it: spaces and non-ASCII letters as %xx, and IDNA in the host name."""
    user, at, server = urlsplit(url).netloc.rpartition("@")
    if not server.isascii():
        url = url.replace(f"{user}{at}{server}", f"{user}{at}{server.encode('idna').decode()}", 1)
    return quote(url, safe=_MEANT)


class _Answer:
    """A server's response, never truncated silently."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._answer, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def read(self, count: int = -1) -> bytes:
        """OSError if the connection ends too early, which http.client reports only for reads in one piece."""
        data: bytes = self._answer.read(count) if count >= 0 else self._answer.read()
        left = getattr(self._answer, "length", None)
        if count > 0 and not data and left:
            raise OSError(f"the connection ended {left} bytes too early")
        return data

    def close(self) -> None:
        self._answer.close()


class _Unpacked(_Answer):
    """A response compressed without being requested so, read decompressed."""

    def __init__(self, answer: Any) -> None:
        super().__init__(answer)
        self._pieces = gunzip(iter(partial(super().read, _CHUNK), b""))
        self._ready = bytearray()

    def read(self, count: int = -1) -> bytes:
        """OSError if the bytes are not a gzip file, or end too early."""
        try:
            while (count < 0 or len(self._ready) < count) and (piece := next(self._pieces, None)) is not None:
                self._ready += piece
        except zlib.error as error:
            raise OSError(f"the response is not a complete gzip file: {error}") from None
        end = len(self._ready) if count < 0 else count
        found = bytes(self._ready[:end])
        del self._ready[:end]
        return found


def is_granted(status: int) -> bool:
    """Whether a server's response reports success."""
    return 200 <= status < 300


def open_web(request: str | Request, timeout: float = TIMEOUT) -> Any:
    """A server's response, whatever its status, to be read and closed by the caller.

    Redirects can only lead to other servers: none makes the library read a local file.

    Raises:
        OSError, ValueError, http.client.HTTPException: there is no response.
    """
    import urllib.request as net  # importing it takes as long as the whole core
    from urllib.error import HTTPError

    opener = net.OpenerDirector()
    for handler in (
        net.ProxyHandler(),
        net.HTTPHandler(),
        net.HTTPSHandler(),
        net.HTTPDefaultErrorHandler(),
        net.HTTPErrorProcessor(),
        net.HTTPRedirectHandler(),
        net.UnknownHandler(),
    ):
        opener.add_handler(handler)
    request = net.Request(request) if isinstance(request, str) else request
    if (address := _address(request.full_url)) != request.full_url:
        request.full_url = address
    try:
        answer = opener.open(request, timeout=timeout)
    except HTTPError as error:
        answer = error.with_traceback(None)  # which would keep the callers' frames alive in a reference cycle
    packed = answer.headers.get("Content-Encoding", "").lower() in ("gzip", "x-gzip")
    return _Unpacked(answer) if packed else _Answer(answer)


def open_web_file(request: str | Request) -> Any:
    """The file in a server's response, to be read and closed by the caller.

    Raises:
        OSError, ValueError, http.client.HTTPException: there is no response, or an error status.
    """
    answer = open_web(request)
    if not is_granted(answer.status):
        answer.close()
        raise OSError(f"the server responds with {answer.status} ({answer.reason})")
    return answer
