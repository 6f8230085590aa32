"""Models on servers: fetched, and sent as a form, as browsers do."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import Any, Unpack

from tfpy.core.io.artifacts import (
    ModelArtifacts,
    SaveResult,
    get_model_artifacts_info_for_json,
)
from tfpy.core.io.buffers import concatenate_array_buffers
from tfpy.core.io.faults import MAX_ARCHIVE_BYTES, MAX_JSON_BYTES, ModelNotFoundError, ModelReadError
from tfpy.core.io.files import is_archive
from tfpy.core.io.json_text import parse_json
from tfpy.core.io.load_options import LoadOptions, read_load_options
from tfpy.core.io.reading import read_model, read_parts, read_pieces
from tfpy.core.io.router import register_load_router, register_save_router
from tfpy.core.io.writing import JSON_NAME, model_json_text
from tfpy.core.platform import Response, request_of
from tfpy.core.ready import finish
from tfpy.core.registry import export
from tfpy.core.results import call_with_as_many
from tfpy.core.urls import has_scheme
from tfpy.core.web import TIMEOUT, open_web
from tfpy.engine.errors import argument_error, show

WEIGHTS_NAME = "model.weights.bin"


class HttpServer:
    """Loads a model from the URL of its JSON, its folder or a zip archive, or from a pair of URLs of its JSON and its
    weights; saves by sending a form.
    """

    def __init__(self, path: Any, options: LoadOptions) -> None:
        urls = [path] if isinstance(path, str) else list(path) if isinstance(path, (list, tuple)) else []
        if not 1 <= len(urls) <= 2 or not all(is_http_scheme(url) for url in urls):
            raise argument_error("http", "path", "an http:// or https:// URL, or a pair of them", path)
        self._init = dict(options.get("request_init") or {})
        if self._init.get("body") is not None:
            raise argument_error("http", "request_init", "without a body", self._init)
        self.label: str = urls[0]
        self._options = options
        self._has_weights_url = len(urls) == 2
        self._prefix, self._suffix = parse_url(urls[-1])

    def load(self) -> ModelArtifacts:
        """The model's artifacts."""
        found = self.read_json(MAX_JSON_BYTES)
        if not is_archive(found[:4], self.label):
            return read_parts(parse_json(found, self.label), self, self._options)
        from tfpy.core.io.archive import Archive

        if len(found) > MAX_JSON_BYTES:  # that is not all of it
            found = self._get(self.label, MAX_ARCHIVE_BYTES)
        if len(found) > MAX_ARCHIVE_BYTES:
            problem = f"archives of more than {MAX_ARCHIVE_BYTES} bytes are only read from files"
            raise ModelReadError(f"{self.label}: {problem}; download it, and load the file.")
        elsewhere = self._has_weights_url or self._options.get("weight_path_prefix") is not None
        with Archive(found, self.label, self if elsewhere else None) as archive:
            self.label = archive.label
            return read_model(archive, self._options)

    def read_json(self, limit: int) -> bytes:
        if self.label.endswith("/"):
            self.label += JSON_NAME
        if not self._may_be_folder:
            return self._get(self.label, limit)
        with contextlib.suppress(ModelNotFoundError):
            found = self._get(self.label, limit)
            if found.lstrip().startswith(b"{") or is_archive(found[:4], self.label):
                return found
        # A folder without the slash at its end: servers answer with its page, or that there is nothing.
        self.label += f"/{JSON_NAME}"
        self._prefix = parse_url(self.label)[0]
        return self._get(self.label, limit)

    @property
    def _may_be_folder(self) -> bool:
        last = self.label.rpartition("/")[2]
        return not self._has_weights_url and last != "" and not set(last) & set(".?#")

    def weight_place(self, path: str) -> str:
        prefix = self._options.get("weight_path_prefix")
        return (self._prefix if prefix is None else prefix) + path.removeprefix("./") + self._suffix

    def read_weights(self, place: str, limit: int) -> bytes:
        if not is_http_scheme(place):
            raise ModelReadError(f"{self.label}: the weight file {place!r} must have an http:// or https:// URL.")
        return self._get(place, limit)

    def save(self, artifacts: ModelArtifacts) -> SaveResult:
        """Send the model as a form with two files, as TF.js does."""
        files = {JSON_NAME: ("application/json", model_json_text(artifacts, [f"./{WEIGHTS_NAME}"], self.label))}
        if artifacts.weight_data is not None:
            files[WEIGHTS_NAME] = ("application/octet-stream", concatenate_array_buffers(artifacts.weight_data))
        kind, body = form(files)
        headers = {**self._init.get("headers", {}), "Content-Type": kind}
        response = self._request(self.label, {"method": "POST", **self._init, "headers": headers, "body": body})
        if self._options.get("fetch_func") is None:  # else it is the user's
            response = Response(_content(response, self.label, MAX_JSON_BYTES), response.status, self.label)
        info = get_model_artifacts_info_for_json(artifacts)
        return SaveResult({"model_artifacts_info": info, "responses": [response]})

    def _get(self, url: str, limit: int) -> bytes:
        return _content(self._request(url, self._init), url, limit)

    def _request(self, url: str, init: Mapping[str, Any]) -> Any:
        fetch = self._options.get("fetch_func")
        response = _fetch(url, init) if fetch is None else finish(call_with_as_many(fetch, url, dict(init)))
        status = getattr(response, "status", getattr(response, "status_code", 200))
        if isinstance(status, int) and not 200 <= status < 300:
            if fetch is None:
                response.close()
            raise (ModelNotFoundError if status == 404 else ModelReadError)(f"{url}: the server answers {status}.")
        return response


def fetch_bytes(url: str, limit: int, options: LoadOptions) -> bytes:
    """What a URL holds, one byte more than the limit at most."""
    return HttpServer(url, options).read_weights(url, limit)


def _fetch(url: str, init: Mapping[str, Any]) -> Any:
    """The open answer to a request over http; other schemes are not followed anywhere."""
    from http.client import HTTPException

    try:
        return open_web(request_of(url, init), init.get("timeout", TIMEOUT))
    except (OSError, ValueError, HTTPException) as error:
        raise ModelReadError(f"{url}: cannot be fetched: {error}.") from error


def _content(response: Any, url: str, limit: int) -> bytes:
    """The body of a response, one byte more than the limit at most where it can be read in pieces."""
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


def form(files: Mapping[str, tuple[str, bytes]]) -> tuple[str, bytes]:
    """Files as multipart/form-data: the content type, and the body."""
    boundary = f"tfpy-{os.urandom(16).hex()}"
    parts = []
    for name, (kind, data) in files.items():
        head = f'Content-Disposition: form-data; name="{name}"; filename="{name}"\r\nContent-Type: {kind}'
        parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + data + b"\r\n")
    return f"multipart/form-data; boundary={boundary}", b"".join([*parts, f"--{boundary}--\r\n".encode()])


def parse_url(url: str) -> tuple[str, str]:
    """What comes before the last part of a URL's path, and the query after it."""
    path, mark, query = url.partition("?")
    return path[: path.rfind("/") + 1], mark + query


@export(namespace="io", doc="Models / Loading")
def is_http_scheme(url: str) -> bool:
    """Whether a URL begins with http:// or https://.

    Source: TF.js `tf.io.isHTTPScheme`.
    """
    return has_scheme(url, "http", "https")


@export(namespace="io", doc="Models / Loading", options="load_options")
def http(path: Any, load_options: Mapping[str, Any] | None = None, **options: Unpack[LoadOptions]) -> HttpServer:
    """A handler that loads a model from a server, and saves one by sending it there.

    Args:
        path: the URL of the model.json, its folder or a zip archive, or a pair of URLs of the JSON and of the weights;
            to save, where the form goes.
        load_options: the options below as a dict.
        **options: see `tf.io.LoadOptions`; `request_init` is for saving, too.

    Source: TF.js `tf.io.http`.
    """
    return HttpServer(path, options)


@export(namespace="io", doc="Models / Loading")
def browser_http_request(path: Any, load_options: Mapping[str, Any] | None = None) -> HttpServer:
    """`http` under its old name, with the options in a dict.

    Source: TF.js `tf.io.browserHTTPRequest`.
    """
    return HttpServer(path, read_load_options(load_options, "browser_http_request"))


def _router(url: Any, load_options: Any = None) -> HttpServer | None:
    urls = url if isinstance(url, (list, tuple)) else [url]
    if not urls or not all(is_http_scheme(u) for u in urls):
        return None
    return HttpServer(url, read_load_options(load_options, "load"))


register_load_router(_router)
register_save_router(_router)
