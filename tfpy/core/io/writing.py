"""Writing models to folders and archives so that a crash at any moment leaves the old model or the new one, whole."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

try:
    import fcntl
except ImportError:  # not available on Windows
    fcntl = None  # type: ignore[assignment]

from tfpy.core.io.artifacts import (
    JSON_NAME,
    ModelArtifacts,
    SaveResult,
    get_model_artifacts_info_for_json,
    model_json_of,
)
from tfpy.core.io.buffers import CompositeArrayBuffer
from tfpy.core.io.errors import ModelFileError, ModelReadError
from tfpy.core.io.json_text import json_text
from tfpy.core.io.new_files import errors_naming, new_file, replacing
from tfpy.core.system.urls import ending

# The names of weight files, used alternately while a model is replaced.
_OURS = re.compile(r"(new-)?((.*\.)?weights\.bin|group1-shard\d+of\d+\.bin)")

# Files of other kinds: a folder with such a name would be mistaken for one.
_OF_OTHERS = (
    ".ckpt", ".h5", ".hdf5", ".joblib", ".keras", ".npy", ".npz", ".onnx", ".pb", ".pickle", ".pkl", ".pt", ".pth",
    ".tflite",
)  # fmt: skip


def write_model(path: Path, artifacts: ModelArtifacts, shard_bytes: int | None) -> SaveResult:
    """Write a model as a folder, as the model.json that the path names, or as an archive if it ends with '.zip'.

    Args:
        path: the destination.
        artifacts: the model.
        shard_bytes: split the weights into files of this many bytes.

    Raises:
        ModelFileError: a value that JSON cannot represent (nothing is written then), or a path that cannot be written.
    """
    if ending(path) in _OF_OTHERS:
        graph = artifacts.format == "graph-model"
        what, endings = ("graph models", "") if graph else ("models", ", .keras, .h5 or .onnx by model.save")
        raise ModelFileError(
            f"{path}: {what} are not written as {ending(path)} files; give a folder, or a .zip{endings}."
        )
    if ending(path) == ".safetensors":
        raise ModelFileError(f"{path}: can hold only weights; use save_weights, or give a folder for the model.")
    if os.path.isfile(path) and ending(path) not in (".zip", ".json"):
        raise ModelReadError(f"{path}: is a file; give a folder, or a path that ends with .json or .zip.")
    info = get_model_artifacts_info_for_json(artifacts)
    with errors_naming(path):
        if ending(path) == ".zip":
            _write_archive(path, artifacts, shard_bytes)
        elif ending(path) == ".json":
            _write_folder(path, artifacts, _shards(artifacts, f"{path.stem}.weights.bin", shard_bytes))
        else:
            _write_folder(path / JSON_NAME, artifacts, _shards(artifacts, "weights.bin", shard_bytes))
    return SaveResult({"model_artifacts_info": info})


def model_json_text(artifacts: ModelArtifacts, paths: Sequence[str], label: str) -> bytes:
    """The text of a model.json whose weights are in the given files."""
    manifest = [{"paths": list(paths), "weights": artifacts.weight_specs}]
    return json_text(model_json_of(artifacts, manifest if artifacts.weight_specs is not None else None), label).encode()


def _shards(artifacts: ModelArtifacts, name: str, shard_bytes: int | None) -> dict[str, memoryview]:
    """The weights' bytes by the names of the files that they go into."""
    if artifacts.weight_specs is None:
        return {}
    data = CompositeArrayBuffer(artifacts.weight_data)
    size = data.byte_length
    if shard_bytes is None or size <= shard_bytes:
        return {name: data.view(0, size)}
    count = -(-size // shard_bytes)
    return {
        f"group1-shard{i + 1}of{count}.bin": data.view(i * shard_bytes, min((i + 1) * shard_bytes, size))
        for i in range(count)
    }


def _write_archive(path: Path, artifacts: ModelArtifacts, shard_bytes: int | None) -> None:
    import zipfile

    shards = _shards(artifacts, "weights.bin", shard_bytes)
    text = model_json_text(artifacts, list(shards), str(path))
    with new_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(JSON_NAME, text)
        for name, data in shards.items():
            archive.writestr(name, data.tobytes())


def _write_folder(model_json: Path, artifacts: ModelArtifacts, shards: dict[str, memoryview]) -> None:
    """Write weights and JSON.

    The JSON says which files hold the weights, so that replacing it replaces the model. Files that the old JSON names
    are kept until it is replaced: the new ones have temporary names at first, and get their final ones then.
    """
    model_json.parent.mkdir(parents=True, exist_ok=True)
    with _locked(model_json.parent):
        _replace_model(model_json, artifacts, shards)


def _replace_model(model_json: Path, artifacts: ModelArtifacts, shards: dict[str, memoryview]) -> None:
    folder = model_json.parent
    old = _weight_files_of(model_json)
    names = list(shards)
    first = [f"new-{name}" for name in names] if old.intersection(names) else names
    # The text is created before anything is written, since this may fail.
    texts = [model_json_text(artifacts, paths, str(model_json)) for paths in (first, names)]
    written: set[str] = set()
    try:
        for name, data in zip(first, shards.values(), strict=True):
            with replacing(folder / name) as file:
                file.write(data)
            written.add(name)
        with replacing(model_json) as file:
            file.write(texts[0])
    except BaseException:  # interrupts, too: a full disk is not filled with files that no model names
        _remove(folder, written - _weight_files_of(model_json))  # it may already have been replaced
        raise
    kept = first
    if first != names and all(_link(folder / a, folder / b) for a, b in zip(first, names, strict=True)):
        kept = names
        with replacing(model_json) as file:
            file.write(texts[1])
    _remove(folder, {*old, *first} - {*kept})


def _remove(folder: Path, names: set[str]) -> None:
    """Delete files from a folder, but only those with this library's names.

    Windows keeps those that another process reads; no model names them any more.
    """
    for name in names:
        if _OURS.fullmatch(name):
            with contextlib.suppress(PermissionError):
                (folder / name).unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Wait until no other thread or process is saving a model to a folder, where the system supports it."""
    if fcntl is None or not os.access(folder, os.R_OK):
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # network file systems may not support locks
            fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.flock(place, fcntl.LOCK_UN)  # closing is not enough: a forked process may also have it open
        os.close(place)


def _weight_files_of(model_json: Path) -> set[str]:
    """The files beside a model.json that it names; none if it cannot be read."""
    if not model_json.is_file():  # does not block on a pipe
        return set()
    try:
        manifest = json.loads(model_json.read_bytes())["weightsManifest"]
        paths = {str(path).removeprefix("./") for group in manifest for path in group["paths"]}
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return set()
    return {path for path in paths if "/" not in path and "\\" not in path}


def _link(file: Path, name: Path) -> bool:
    """Give a file another name as well; False where the file system cannot."""
    try:
        name.unlink(missing_ok=True)
        os.link(file, name)
    except OSError:
        return False
    return True
