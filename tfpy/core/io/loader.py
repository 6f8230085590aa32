"""Weights without a model: fetched by a manifest, all or by name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tfpy.core.calling.ready import ReadyDict, finish
from tfpy.core.calling.registry import export
from tfpy.core.io.buffers import CompositeArrayBuffer, concatenate_array_buffers
from tfpy.core.io.folder import read_file
from tfpy.core.io.http_client import HttpClient, is_http_scheme
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.reading import ReadFile, read_group
from tfpy.core.io.specs import read_manifest
from tfpy.core.io.weights import decode
from tfpy.core.system.urls import local_path
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error, unknown_name_error

Fetch = Callable[[list[str]], Any]


@export(namespace="io", doc="Models / Loading")
def load_weights(
    manifest: Sequence[Any],
    file_path_prefix: str = "",
    weight_names: Sequence[str] | None = None,
    request_init: Mapping[str, Any] | None = None,
) -> ReadyDict[str, Tensor]:
    """The weights that a manifest describes.

    Args:
        manifest: a list of {'paths', 'weights'}.
        file_path_prefix: the folder or URL that the files are under.
        weight_names: the names to load; all by default. Only the files of groups that contain them are read.
        request_init: for http: {'headers', 'timeout'}.

    Returns:
        The tensors by name; awaitable.

    Raises:
        ModelFileError: an invalid manifest, or files that are not as it says.

    Source: TF.js `tf.io.loadWeights`.
    """
    client = HttpClient(LoadOptions(request_init=request_init))

    def read(place: str, limit: int) -> bytes:
        if is_http_scheme(place):
            return client.get(place, limit)
        return read_file(Path(local_path(place)), limit)

    return _load(manifest, file_path_prefix, weight_names, lambda places: read)


@export(namespace="io", doc="Models / Loading")
def weights_loader_factory(fetch_weights_function: Fetch) -> Callable[..., ReadyDict[str, Tensor]]:
    """`load_weights` with a custom function that fetches the files.

    Args:
        fetch_weights_function: called once, with the paths or URLs of all files; returns a list of their bytes. It may
            be `async`.

    Returns:
        A function of (manifest, file_path_prefix, weight_names).

    Source: TF.js `tf.io.weightsLoaderFactory`.
    """

    def load(
        manifest: Sequence[Any], file_path_prefix: str = "", weight_names: Sequence[str] | None = None
    ) -> ReadyDict[str, Tensor]:
        def fetched(places: list[str]) -> ReadFile:
            found = finish(fetch_weights_function(places))
            if isinstance(found, (list, tuple)) and len(found) == len(places):
                with contextlib.suppress(TypeError):
                    files = iter([concatenate_array_buffers(content) for content in found])
                    return lambda place, limit: next(files)
            expected = f"a function that returns a list of the bytes of {len(places)} files"
            raise argument_error("weights_loader_factory", "fetch_weights_function", expected, found, TypeError)

        return _load(manifest, file_path_prefix, weight_names, fetched)

    return load


def _load(
    manifest: Any, prefix: str, names: Sequence[str] | None, reader_of: Callable[[list[str]], ReadFile]
) -> ReadyDict[str, Tensor]:
    """The weights of a manifest, or those of given names.

    Args:
        manifest: a list of {'paths', 'weights'}.
        prefix: the folder or URL that the files are under.
        names: the weights to load; None for all.
        reader_of: called with the locations of all required files; returns a function that reads one after the other.
    """
    source = "load_weights"
    groups = read_manifest(manifest, source)
    known = [spec.name for group in groups for spec in group.specs]
    for name in names or ():
        if name not in known:
            raise unknown_name_error("weight in the manifest", name, known)
    wanted = set(known if names is None else names)
    before = prefix if not prefix or prefix.endswith("/") else f"{prefix}/"
    places = {
        number: [before + path for path in group.paths]
        for number, group in enumerate(groups)
        if not wanted.isdisjoint(spec.name for spec in group.specs)
    }
    read = reader_of([place for listed in places.values() for place in listed])
    found: ReadyDict[str, Tensor] = ReadyDict()
    for number, listed in places.items():
        data = CompositeArrayBuffer(list(read_group(groups[number], listed, read, source, number)))
        decoded = decode(data, groups[number].specs, source)
        found |= {name: tensor for name, tensor in decoded.items() if name in wanted}
    return found
