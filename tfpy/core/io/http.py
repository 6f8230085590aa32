"""Models on servers: fetched, and sent as a form, as browsers do."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import Any, Unpack

from tfpy.core.calling.registry import export
from tfpy.core.io.artifacts import JSON_NAME, ModelArtifacts, SaveResult, get_model_artifacts_info_for_json
from tfpy.core.io.buffers import concatenate_array_buffers
from tfpy.core.io.errors import MAX_ARCHIVE_BYTES, MAX_JSON_BYTES, ModelNotFoundError, ModelReadError
from tfpy.core.io.http_client import HttpClient, WeightsOnServer, is_http_scheme
from tfpy.core.io.json_text import parse_json
from tfpy.core.io.load_handler import Loaded, LoadHandler
from tfpy.core.io.load_options import LoadOptions, read_load_options
from tfpy.core.io.reading import is_archive, read_model, read_parts
from tfpy.core.io.router import register_load_router, register_save_router
from tfpy.core.io.writing import model_json_text
from tfpy.engine.errors import argument_error

WEIGHTS_NAME = "model.weights.bin"


class ServedModel(LoadHandler):
    """Loads a model from the URL of its JSON, its folder or a zip archive, or from a pair of URLs of its JSON and its
    weights; saves by sending a form.
    """

    def __init__(self, path: Any, options: LoadOptions) -> None:
        urls = _listed(path)
        if not 1 <= len(urls) <= 2 or not all(is_http_scheme(url) for url in urls):
            raise argument_error("http", "path", "an http:// or https:// URL, or a pair of them", path)
        self._url: str = urls[0]
        self._weights_url: str | None = urls[1] if len(urls) == 2 else None
        self._options = options
        self._client = HttpClient(options)

    def read(self) -> Loaded:
        url, found = self._found()
        if not is_archive(found[:4], url):
            return read_parts(parse_json(found, url), self._weight_files(url), self._options)
        if len(found) > MAX_JSON_BYTES:  # it is not complete
            found = self._client.get(url, MAX_ARCHIVE_BYTES)
        if len(found) > MAX_ARCHIVE_BYTES:
            problem = f"archives of more than {MAX_ARCHIVE_BYTES} bytes are only read from files"
            raise ModelReadError(f"{url}: {problem}; download it, and load the file.")
        elsewhere = self._weights_url is not None or self._options.get("weight_path_prefix") is not None
        from tfpy.core.io.archive import Archive  # imported lazily

        with Archive(found, url, self._weight_files(url) if elsewhere else None) as archive:
            return read_model(archive, self._options)

    def _found(self) -> tuple[str, bytes]:
        """The URL of the model.json or the archive, and what is there."""
        url = self._url + JSON_NAME if self._url.endswith("/") else self._url
        if not self._may_be_folder:
            return url, self._client.get(url, MAX_JSON_BYTES)
        with contextlib.suppress(ModelNotFoundError):
            found = self._client.get(url, MAX_JSON_BYTES)
            if found.lstrip().startswith(b"{") or is_archive(found[:4], url):
                return url, found
        # A folder without a trailing slash: servers return its index page, or not found.
        url += f"/{JSON_NAME}"
        return url, self._client.get(url, MAX_JSON_BYTES)

    @property
    def _may_be_folder(self) -> bool:
        last = self._url.rpartition("/")[2]
        return self._weights_url is None and last != "" and not set(last) & set(".?#")

    def _weight_files(self, url: str) -> WeightsOnServer:
        prefix, suffix = _parse_url(self._weights_url or url)
        given = self._options.get("weight_path_prefix")
        return WeightsOnServer(self._client, url, prefix if given is None else given, suffix)

    def save(self, artifacts: ModelArtifacts) -> SaveResult:
        """Send the model as a form with two files, as TF.js does."""
        files = {JSON_NAME: ("application/json", model_json_text(artifacts, [f"./{WEIGHTS_NAME}"], self._url))}
        if artifacts.weight_data is not None:
            files[WEIGHTS_NAME] = ("application/octet-stream", concatenate_array_buffers(artifacts.weight_data))
        response = self._client.post(self._url, *form(files))
        info = get_model_artifacts_info_for_json(artifacts)
        return SaveResult({"model_artifacts_info": info, "responses": [response]})


def form(files: Mapping[str, tuple[str, bytes]]) -> tuple[str, bytes]:
    """Files as multipart/form-data: the content type, and the body."""
    boundary = f"tfpy-{os.urandom(16).hex()}"
    parts = []
    for name, (kind, data) in files.items():
        head = f'Content-Disposition: form-data; name="{name}"; filename="{name}"\r\nContent-Type: {kind}'
        parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + data + b"\r\n")
    return f"multipart/form-data; boundary={boundary}", b"".join([*parts, f"--{boundary}--\r\n".encode()])


def _listed(path: Any) -> list[Any]:
    """One URL, or a pair of them, as a list."""
    return list(path) if isinstance(path, (list, tuple)) else [path]


def _parse_url(url: str) -> tuple[str, str]:
    """The parts of a URL before and after the last part of its path."""
    path, mark, query = url.partition("?")
    return path[: path.rfind("/") + 1], mark + query


@export(namespace="io", doc="Models / Loading", options="load_options")
def http(path: Any, load_options: Mapping[str, Any] | None = None, **options: Unpack[LoadOptions]) -> ServedModel:
    """A handler that loads a model from a server, and saves one by sending it there.

    Args:
        path: the URL of the model.json, its folder or a zip archive, or a pair of URLs of the JSON and of the weights;
            to save, where the form goes.
        load_options: the options below as a dict.
        **options: see `tf.io.LoadOptions`; `request_init` also applies to saving.

    Source: TF.js `tf.io.http`.
    """
    return ServedModel(path, options)


@export(namespace="io", doc="Models / Loading")
def browser_http_request(path: Any, load_options: Mapping[str, Any] | None = None) -> ServedModel:
    """`http` under its deprecated name, with the options in a dict.

    Source: TF.js `tf.io.browserHTTPRequest`.
    """
    return ServedModel(path, read_load_options(load_options, "browser_http_request"))


def _router(url: Any, load_options: Any = None) -> ServedModel | None:
    urls = _listed(url)
    if not urls or not all(is_http_scheme(u) for u in urls):
        return None
    return ServedModel(url, read_load_options(load_options, "load"))


register_load_router(_router)
register_save_router(_router)
