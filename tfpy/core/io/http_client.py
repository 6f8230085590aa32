"""An HTTP client: files fetched from servers, and sent to them, according to the load options."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.ready import finish
from tfpy.core.calling.registry import export
from tfpy.core.io.errors import MAX_JSON_BYTES, ModelNotFoundError, ModelReadError
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.reading import read_pieces
from tfpy.core.system.platform import Response, request_of
from tfpy.core.system.urls import has_scheme
from tfpy.core.system.web import TIMEOUT, is_granted, open_web
from tfpy.engine.errors import argument_error, show


@export(namespace="io", doc="Models / Loading")
def is_http_scheme(url: str) -> bool:
    """Whether a URL begins with http:// or https://.

    Source: TF.js `tf.io.isHTTPScheme`.
    """
    return has_scheme(url, "http", "https")


class HttpClient:
    """Sends requests to servers, through the user's `fetch_func` if given."""

    def __init__(self, options: LoadOptions) -> None:
        self._init = dict(options.get("request_init") or {})
        self._fetch_func = options.get("fetch_func")
        if self._init.get("body") is not None:
            raise argument_error("http", "request_init", "without a body", self._init)

    def get(self, url: str, limit: int) -> bytes:
        """The bytes at a URL, at most one more than the limit.

        Raises:
            ModelReadError: it cannot be fetched.
        """
        return _content(self._request(url, self._init), url, limit)

    def post(self, url: str, kind: str, body: bytes) -> Any:
        """The response to a form."""
        headers = {**(self._init.get("headers") or {}), "Content-Type": kind}
        response = self._request(url, {"method": "POST", **self._init, "headers": headers, "body": body})
        if self._fetch_func is not None:  # then it belongs to the user
            return response
        return Response(_content(response, url, MAX_JSON_BYTES), response.status, url)

    def _request(self, url: str, init: Mapping[str, Any]) -> Any:
        fetch = self._fetch_func
        response = _fetch(url, init) if fetch is None else finish(call_with_as_many(fetch, url, dict(init)))
        status = getattr(response, "status", getattr(response, "status_code", 200))
        if isinstance(status, int) and not is_granted(status):
            if fetch is None:
                response.close()
            raise (ModelNotFoundError if status == 404 else ModelReadError)(
                f"{url}: the server responds with {status}."
            )
        return response


class WeightsOnServer:
    """Weight files on servers: each under a prefix, its path and a suffix.

    Args:
        client: sends the requests.
        label: the name of the model.json in messages.
        prefix: what comes before a path in a URL.
        suffix: what comes behind it.
    """

    def __init__(self, client: HttpClient, label: str, prefix: str, suffix: str = "") -> None:
        self.label = label
        self._client, self._prefix, self._suffix = client, prefix, suffix

    def weight_place(self, path: str) -> str:
        return self._prefix + path.removeprefix("./") + self._suffix

    def read_weights(self, place: str, limit: int) -> bytes:
        if not is_http_scheme(place):
            raise ModelReadError(f"{self.label}: the weight file {place!r} must have an http:// or https:// URL.")
        return self._client.get(place, limit)


def _fetch(url: str, init: Mapping[str, Any]) -> Any:
    """The open response to a request over http; redirects to other schemes are not followed."""
    from http.client import HTTPException

    try:
        return open_web(request_of(url, init), init.get("timeout", TIMEOUT))
    except (OSError, ValueError, HTTPException) as error:
        raise ModelReadError(f"{url}: cannot be fetched: {error}.") from error


def _content(response: Any, url: str, limit: int) -> bytes:
    """The body of a response, at most one byte beyond the limit if it can be read in pieces."""
    from http.client import HTTPException

    try:
        content = getattr(response, "content", response)
        if isinstance(content, (bytes, bytearray, memoryview)):
            return bytes(content)
        if hasattr(response, "read"):
            with contextlib.closing(response) if hasattr(response, "close") else contextlib.nullcontext():
                return read_pieces(response.read, limit)
    except (OSError, ValueError, TypeError, HTTPException, AttributeError) as error:
        raise ModelReadError(f"{url}: cannot be fetched: {error}.") from error
    raise TypeError(f"{url}: fetch_func must return bytes or a response, but got {show(response)}.")
