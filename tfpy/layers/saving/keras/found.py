"""Whether a place is a file of Keras."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tfpy.core.io.folder import read_file
from tfpy.core.io.hdf5 import SIGNATURE
from tfpy.core.system.urls import ending, path_of

CONFIG, METADATA = "config.json", "metadata.json"
"""The entries of a .keras file that tell it from other archives."""


def found_keras_file(place: Any) -> Path | None:
    """The path of a Keras file, if a place is one: its content is decisive."""
    path = path_of(place)
    if path is None or not os.path.isfile(path):  # also False for a string that is too long for a path
        return None
    start = start_of(path)
    if start == SIGNATURE:
        return path
    if not start.startswith(b"PK"):
        return None
    import zipfile  # imported lazily

    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        names = set()
    return path if {CONFIG, METADATA} <= names or ending(path) == ".keras" else None


def start_of(path: Path) -> bytes:
    """As many bytes of a file as HDF5's signature has."""
    return read_file(path, len(SIGNATURE) - 1)  # which returns one more
