"""Reading a model.json and the weight files that it names, from any source; nothing is read beyond its size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.ready import finish
from tfpy.core.io.artifacts import artifacts_from
from tfpy.core.io.buffers import CompositeArrayBuffer
from tfpy.core.io.errors import MAX_JSON_BYTES, ModelFileError
from tfpy.core.io.json_text import check_depth, parse_json
from tfpy.core.io.load_handler import Loaded
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.specs import WeightGroup, read_manifest
from tfpy.core.io.weights import byte_ranges

_PIECE = 2**20

# Reads the file at a location: at most this many bytes, plus one.
ReadFile = Callable[[str, int], bytes]


class WeightFiles(Protocol):
    """A source of weight files.

    Attributes:
        label: the name of the model.json in messages.
    """

    @property
    def label(self) -> str: ...

    def weight_place(self, path: str) -> str:
        """The location of a weight file of the manifest."""

    def read_weights(self, place: str, limit: int) -> bytes:
        """A weight file; at most `limit` + 1 bytes."""


class ModelFiles(WeightFiles, Protocol):
    """A source of all files of a model: a folder, an archive."""

    def read_json(self, limit: int) -> bytes:
        """The model.json; at most `limit` + 1 bytes."""


def read_model(files: ModelFiles, options: LoadOptions) -> Loaded:
    """A model's artifacts: its JSON, and the bytes of its weights, checked against each other.

    Raises:
        ModelFileError: naming the file and what is wrong with it.
    """
    return read_parts(parse_json(files.read_json(MAX_JSON_BYTES), files.label), files, options)


def read_parts(model_json: dict[str, Any], files: WeightFiles, options: LoadOptions) -> Loaded:
    """`read_model` with the JSON already parsed."""
    check_depth(model_json, files.label)
    manifest = model_json.get("weightsManifest")
    data = None if manifest is None else _read_weights(manifest, files, options)
    return Loaded(artifacts_from(model_json, data), files.label)


def _read_weights(manifest: Any, files: WeightFiles, options: LoadOptions) -> list[bytes]:
    groups = read_manifest(manifest, files.label)
    total = sum(len(group.paths) for group in groups)
    data: list[bytes] = []
    _report_progress(options, 0, total)
    for number, group in enumerate(groups):
        places = (_place_of(path, files, options) for path in group.paths)
        for piece in read_group(group, places, files.read_weights, files.label, number):
            data.append(piece)
            _report_progress(options, len(data), total)
    return data


def read_pieces(read: Callable[[int], Any], limit: int) -> bytes:
    """Everything `read(n)` returns piece by piece, at most one byte beyond the limit. Memory grows with the data."""
    pieces: list[bytes] = []
    left = limit + 1
    while left > 0:
        piece = finish(read(min(left, _PIECE)))
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _place_of(path: str, files: WeightFiles, options: LoadOptions) -> str:
    convert = options.get("weight_url_converter")
    return files.weight_place(path) if convert is None else str(finish(convert(path)))


def _report_progress(options: LoadOptions, done: int, total: int) -> None:
    """Report how many of the weight files have been read."""
    on_progress = options.get("on_progress")
    if on_progress is not None:
        call_with_as_many(on_progress, done / total if total else 1.0)


def read_group(group: WeightGroup, places: Iterable[str], read: ReadFile, source: str, number: int) -> Iterator[bytes]:
    """The files of a group of a manifest, one after the other, none read beyond what the group's weights take.

    Args:
        group: the expected content of the files.
        places: where they are.
        read: reads one.
        source: what messages call the manifest.
        number: that of the group in the manifest.

    Raises:
        ModelFileError: the files have fewer bytes than the weights, or more.
    """
    field = f"weightsManifest[{number}]"
    pieces: list[bytes] = []
    seen: list[str] = []
    left = group.max_bytes
    for place in places:
        seen.append(place)
        pieces.append(read(place, left))
        left -= len(pieces[-1])
        if left < 0:
            raise _size_error(source, field, group.max_bytes, seen, "more")
        yield pieces[-1]
    have = group.max_bytes - left
    need = _last_end(pieces, group, f"{source}: {field}") if group.nbytes is None else group.nbytes
    if have != need:
        raise _size_error(source, field, need, seen, str(have))


def _size_error(source: str, field: str, need: int, places: Sequence[str], have: str) -> ModelFileError:
    files = ", ".join(places) or "no file at all"
    verb = "has" if len(places) < 2 else "have together"
    return ModelFileError(f"{source}: the weights of {field} take {need} bytes, but {files} {verb} {have}.")


def _last_end(data: Sequence[bytes], group: WeightGroup, source: str) -> int:
    """The end of the last weight of a group, in bytes."""
    *_, end = (0, *(end for _, _, end in byte_ranges(CompositeArrayBuffer(list(data)), group.specs, source)))
    return end


def is_archive(start: bytes, label: str) -> bool:
    """Whether a file that starts with these bytes is a zip archive.

    Raises:
        ModelFileError: it is a Keras archive.
    """
    if start.startswith(b"\x89HDF"):
        raise ModelFileError(f"{label}: is an HDF5 file; tf.load_layers_model reads it from its path.")
    return start.startswith((b"PK\x03\x04", b"PK\x05\x06"))
