"""Writing files so that a crash at any moment leaves the old file or the new one, whole."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tfpy.core.io.errors import ModelFileError, ModelReadError
from tfpy.engine.errors import show

# How long to wait before each further attempt to move a file, in seconds.
_PAUSES = (0.01, 0.03, 0.1, 0.3, 1.0) if os.name == "nt" else ()


def check_folder(where: str, folder: Path) -> None:
    """Check that files can be created in a folder, which need not exist yet; nothing is left behind.

    Args:
        where: what will write to it, for messages.
        folder: the folder.

    Raises:
        ModelReadError: they cannot.
    """
    import tempfile  # here, to keep startup fast

    with errors_naming(f"{where}: {folder}"):
        existing = next((path for path in (folder, *folder.parents) if path.exists()), folder)
        with tempfile.TemporaryFile(dir=existing):
            pass


@contextlib.contextmanager
def errors_naming(path: object) -> Iterator[None]:
    """Make file system errors inside a `with` name the path that the user passed."""
    if "\0" in str(path):
        raise ModelReadError(f"{str(path)!r}: cannot be written: paths have no NUL characters.")
    try:
        yield
    except ModelReadError:
        raise
    except OSError as error:
        raise ModelReadError(f"{path}: cannot be written: {error.strerror or error}.") from error


@contextlib.contextmanager
def whole_characters(path: object) -> Iterator[None]:
    """Inside a `with` names are encoded as UTF-8, without lone surrogates, for a file of another library.

    Raises:
        ModelFileError: a name has one.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise ModelFileError(
            f"{path}: cannot hold the name {show(error.object)}, which has an unpaired surrogate."
        ) from None


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file requested by a user; its folder is created if needed. An existing file stays whole until the new one is
    complete.

    Raises:
        ModelReadError: it cannot be written.
    """
    with errors_naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            yield file


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file under a temporary name and then move it into place, so there is always a whole old or new file.

    Raises:
        OSError: it cannot be written; or the path is not a regular file but a folder, a device or a pipe.
    """
    if path.exists() and not path.is_file():
        raise OSError("it is not a regular file")
    beside = path.with_name(f".{path.name}-{os.urandom(4).hex()}.part")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _move(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _move(file: Path, name: Path) -> None:
    """Move a file into place. Windows refuses this while another process, or a virus scanner, reads one of the two."""
    for seconds in _PAUSES:
        try:
            os.replace(file, name)
        except PermissionError:
            time.sleep(seconds)
        else:
            return
    os.replace(file, name)
