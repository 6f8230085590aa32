"""Finding, reading and writing of scripts, for the commands that convert them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from tfpy.core.io.new_files import replacing

LARGEST = 1_000_000  # characters; scripts written by hand are far smaller


class FileError(Exception):
    """A file that cannot be converted; the message has the reason."""


def files_in(folder: Path, is_left_out: Callable[[Path], bool]) -> Iterator[Path]:
    """The files in a folder and its subfolders, in the order of their names.

    Pipes, which may never end, are skipped, and links that lead out of the folder, where nothing may be written.
    Folders that cannot be listed are yielded after the files: reading them raises an error that has the reason.

    Args:
        folder: the folder.
        is_left_out: whether to skip a subfolder.
    """
    unlisted: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=lambda error: unlisted.append(Path(error.filename))):
        here = Path(place)
        folders[:] = sorted(f for f in folders if not is_left_out(here / f))
        yield from (here / file for file in sorted(files) if _belongs(here / file, folder))
    yield from unlisted


def _belongs(path: Path, folder: Path) -> bool:
    """Whether a path is an ordinary file inside a folder; a missing or forbidden one is reported when it is read."""
    if os.path.islink(path) and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        return False
    return os.path.isfile(path) or not os.path.exists(path)  # pathlib would raise for a forbidden one


def write_script(path: Path, text: str) -> None:
    """Write a script atomically; a replaced file keeps its permissions.

    Raises:
        FileError: it cannot be written; an existing file is unchanged.
    """
    try:
        target = Path(os.path.realpath(path))  # Path.resolve has another error for links in a circle
        with replacing(target) as file:
            if target.exists():
                os.chmod(file.name, stat.S_IMODE(target.stat().st_mode))
            file.write(text.encode())
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}") from None


def read_script(path: Path, encoding: str = "utf-8", newline: str | None = None) -> str:
    """The text of a script.

    Args:
        path: the file.
        encoding: UTF-8, with or without a mark at the beginning.
        newline: how line ends are treated, as in `open`.

    Raises:
        FileError: it is not text, too large, or cannot be read.
    """
    try:
        with path.open(encoding=encoding, newline=newline) as file:
            text = file.read(LARGEST + 1)  # devices and pipes may have no end
    except UnicodeDecodeError:
        raise FileError("is not text in UTF-8") from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}") from None
    if len(text) > LARGEST:
        raise FileError(f"has more than {LARGEST} characters, too many for a script")
    return text
