"""URLs: their schemes, and the files that they name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

_HAS_DRIVES = os.name == "nt"


def has_scheme(url: Any, *schemes: str) -> bool:
    """Whether something is a URL of one of the schemes."""
    return isinstance(url, str) and any(url.lower().startswith(f"{scheme}://") for scheme in schemes)


def local_path(place: str) -> str:
    """The path of a file:// URL, absolute or, as in tfjs-node, relative to the current folder; a path is unchanged."""
    if not has_scheme(place, "file"):
        return place
    path = place[len("file://") :]
    path = path.removeprefix("localhost") if path.startswith("localhost/") else path
    if _HAS_DRIVES and path[2:3] == ":":  # file:///C:/…
        path = path[1:]
    return unquote(path) if "%" in path and not Path(path).exists() else path


def path_of(place: Any) -> Path | None:
    """A location as a local path; None for anything else."""
    if not isinstance(place, (str, os.PathLike)):
        return None
    text = local_path(os.fspath(place))
    return None if "://" in text else Path(text)


def ending(path: Path) -> str:
    """The suffix of a path in lower case, which determines the kind of file."""
    return path.suffix.lower()
