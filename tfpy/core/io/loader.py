"""Weights without a model: fetched by a manifest, all of them or those of given names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tfpy.core.io.buffers import CompositeArrayBuffer
from tfpy.core.io.faults import MAX_STRING_BYTES
from tfpy.core.io.files import read_file
from tfpy.core.io.http import fetch_bytes, is_http_scheme
from tfpy.core.io.router import LoadOptions
from tfpy.core.io.specs import WeightGroup, read_manifest
from tfpy.core.io.weights import decode
from tfpy.core.ready import ReadyDict, finish
from tfpy.core.registry import export
from tfpy.core.tensor import Tensor
from tfpy.core.urls import local_path
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
        weight_names: those wanted; all by default. Only the files of groups with some of them are read.
        request_init: for http: {'headers', 'timeout'}.

    Returns:
        The tensors by name; they may be awaited.

    Raises:
        ModelFileError: a manifest that makes no sense, or files that are not as it says.

    Source: TF.js `tf.io.loadWeights`.
    """
    options = LoadOptions(request_init=request_init)

    def fetch(places: Sequence[str], limits: Sequence[int]) -> Iterator[bytes]:
        for place, limit in zip(places, limits, strict=True):
            if is_http_scheme(place):
                yield fetch_bytes(place, limit, options)
            else:
                yield read_file(Path(local_path(place)), limit)

    return _load(manifest, file_path_prefix, weight_names, fetch)


@export(namespace="io", doc="Models / Loading")
def weights_loader_factory(fetch_weights_function: Fetch) -> Callable[..., ReadyDict[str, Tensor]]:
    """`load_weights` with a function of one's own that fetches the files.

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
        def fetch(places: Sequence[str], limits: Sequence[int]) -> Sequence[bytes]:
            found = finish(fetch_weights_function(list(places)))
            if not isinstance(found, (list, tuple)) or len(found) != len(places):
                expected = f"a function that returns a list of the bytes of {len(places)} files"
                raise argument_error("weights_loader_factory", "fetch_weights_function", expected, found, TypeError)
            return found

        return _load(manifest, file_path_prefix, weight_names, fetch)

    return load


def _load(
    manifest: Any,
    prefix: str,
    names: Sequence[str] | None,
    fetch: Callable[[Sequence[str], Sequence[int]], Iterable[bytes]],
) -> ReadyDict[str, Tensor]:
    groups = read_manifest(manifest, "load_weights")
    known = [spec.name for group in groups for spec in group.specs]
    for name in names or ():
        if name not in known:
            raise unknown_name_error("weight in the manifest", name, known)
    wanted = set(known if names is None else names)
    found: ReadyDict[str, Tensor] = ReadyDict()
    before = prefix if not prefix or prefix.endswith("/") else f"{prefix}/"
    needed = [group for group in groups if not wanted.isdisjoint(spec.name for spec in group.specs)]
    files = [(before + path, _most(group)) for group in needed for path in group.paths]
    pieces = iter(fetch([place for place, _ in files], [limit for _, limit in files]))
    for group in needed:
        data = CompositeArrayBuffer(list(islice(pieces, len(group.paths))))
        decoded = decode(data, group.specs, f"load_weights: {before}")
        found |= {name: tensor for name, tensor in decoded.items() if name in wanted}
    return found


def _most(group: WeightGroup) -> int:
    return group.least_bytes + MAX_STRING_BYTES if group.nbytes is None else group.nbytes
