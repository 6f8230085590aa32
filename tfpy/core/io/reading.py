"""Reading a model.json and the weight files that it names, from wherever they are; nothing is read beyond its size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tfpy.core.io.artifacts import ModelArtifacts, artifacts_from
from tfpy.core.io.buffers import CompositeArrayBuffer
from tfpy.core.io.faults import MAX_JSON_BYTES, MAX_STRING_BYTES, ModelFileError
from tfpy.core.io.json_text import check_depth, parse_json
from tfpy.core.io.router import LoadOptions
from tfpy.core.io.specs import WeightGroup, read_manifest
from tfpy.core.io.weights import places
from tfpy.core.ready import finish

_PIECE = 2**20


class Place(Protocol):
    """Where a model is: a folder, an archive, a server.

    Attributes:
        label: what messages call the model.json.
    """

    @property
    def label(self) -> str: ...

    def read_json(self, limit: int) -> bytes:
        """The model.json; at most `limit` bytes and one more."""

    def weight_place(self, path: str) -> str:
        """Where a weight file of the manifest is."""

    def read_weights(self, place: str, limit: int) -> bytes:
        """A weight file; at most `limit` bytes and one more."""


def read_model(place: Place, options: LoadOptions) -> ModelArtifacts:
    """A model's artifacts: its JSON, and the bytes of its weights, checked against each other.

    Raises:
        ModelFileError: naming the file and what is wrong with it.
    """
    return read_parts(parse_json(place.read_json(MAX_JSON_BYTES), place.label), place, options)


def read_parts(model_json: dict[str, Any], place: Place, options: LoadOptions) -> ModelArtifacts:
    """`read_model` with the JSON at hand."""
    check_depth(model_json, place.label)
    manifest = model_json.get("weightsManifest")
    if manifest is None:
        return artifacts_from(model_json, None)
    groups = read_manifest(manifest, place.label)
    total = sum(len(group.paths) for group in groups)
    data: list[bytes] = []
    options.progress(0, total)
    for number, group in enumerate(groups):
        shards = _Shards(place, group, f"weightsManifest[{number}]")
        for path in group.paths:
            data.append(shards.read(_located(place, path, options)))
            options.progress(len(data), total)
        shards.check()
    return artifacts_from(model_json, data)


def read_pieces(read: Callable[[int], Any], limit: int) -> bytes:
    """What `read(n)` gives piece by piece, one byte more than the limit at most; room is made only for what comes."""
    pieces: list[bytes] = []
    left = limit + 1
    while left > 0:
        piece = finish(read(min(left, _PIECE)))
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _located(place: Place, path: str, options: LoadOptions) -> str:
    if options.weight_url_converter is not None:
        return str(finish(options.weight_url_converter(path)))
    return place.weight_place(path)


class _Shards:
    """The files of a group, read one after the other up to what the group's weights take."""

    def __init__(self, place: Place, group: WeightGroup, field: str) -> None:
        self._place, self._group, self._field = place, group, field
        self._most = group.least_bytes + MAX_STRING_BYTES if group.nbytes is None else group.nbytes
        self._read: list[bytes] = []
        self._have = 0
        self._places: list[str] = []

    def read(self, place: str) -> bytes:
        """The next file."""
        left = self._most - self._have
        data = self._place.read_weights(place, left)
        self._places.append(place)
        self._read.append(data)
        self._have += len(data)
        if len(data) > left:
            raise self._fault("more")
        return data

    def check(self) -> None:
        """Raise ModelFileError when the files have fewer bytes than the weights, or more."""
        need = self._group.nbytes
        if need is None:
            need = _last_end(self._read, self._group, f"{self._place.label}: {self._field}")
        if self._have != need:
            raise self._fault(str(self._have), need)

    def _fault(self, have: str, need: int | None = None) -> ModelFileError:
        files = ", ".join(self._places) or "no file at all"
        return ModelFileError(
            f"{self._place.label}: the weights of {self._field} take {self._most if need is None else need} bytes, but "
            f"{files} {'has' if len(self._places) < 2 else 'have together'} {have}."
        )


def _last_end(data: Sequence[bytes], group: WeightGroup, source: str) -> int:
    end = 0
    for _, _, end in places(CompositeArrayBuffer(list(data)), group.specs, source):  # noqa: B007
        pass
    return end
