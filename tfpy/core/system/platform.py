"""The services of the platform: the clock, text encoding, and fetching files."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy.core.calling.ready import Ready
from tfpy.core.system.urls import has_scheme, local_path
from tfpy.core.system.web import is_granted, open_web

if TYPE_CHECKING:
    from urllib.request import Request


class Platform:
    """The services of the platform: the clock, text encoding, and fetching files.

    Any object with these methods can take its place (`set_platform`).
    """

    def now(self) -> float:
        """The time in milliseconds, with fractions; only differences are meaningful."""
        return time.perf_counter() * 1000

    def encode(self, text: str, encoding: str) -> bytes:
        """A string as bytes."""
        return text.encode(encoding)

    def decode(self, data: bytes, encoding: str) -> str:
        """Bytes as a string; invalid bytes are replaced."""
        return bytes(data).decode(encoding, errors="replace")

    def fetch(self, path: str, init: Mapping[str, Any] | None = None) -> Response:
        """Fetch an http, https or file URL; `init` may hold a method, headers and a body.

        An error status of a server, such as not found, does not raise: see `status`.

        Raises:
            OSError: no server responds, or the file cannot be read.
        """
        if has_scheme(path, "file"):
            return Response(Path(local_path(path)).read_bytes(), 200, path)
        with open_web(request_of(path, init or {})) as answer:
            return Response(answer.read(), answer.status, path)

    def is_typed_array(self, value: object) -> bool:
        """Whether a value is an array of numbers."""
        return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


class Response(Ready):
    """The result of `fetch`; awaitable.

    Attributes:
        content: the bytes of the file.
        status: the status of the response.
        ok: whether the status reports success.
        url: where the file is.
    """

    def __init__(self, content: bytes, status: int, url: str) -> None:
        self.content = content
        self.status = status
        self.ok = is_granted(status)
        self.url = url

    def text(self) -> str:
        """The content as a string."""
        return self.content.decode()

    def json(self) -> Any:
        """The content parsed as JSON."""
        import json

        return json.loads(self.content)


def request_of(url: str, init: Mapping[str, Any]) -> Request:
    """The request that `fetch` makes of a URL and of a method, headers and a body."""
    from urllib.request import Request  # it takes as long to import as all of the core

    body = init.get("body")
    data = body.encode() if isinstance(body, str) else body
    return Request(url, data, dict(init.get("headers") or {}), method=init.get("method"))
