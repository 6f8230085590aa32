"""Folders that may not be entered. Tests in containers run as root, whom file permissions do not stop."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def forbid(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let the system refuse to list a folder, and to tell anything of what is in it."""

    def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *args: Any, **keywords: Any) -> Any:
            if isinstance(path, (str, os.PathLike)):
                of_inner = real is not os_scandir and folder in Path(path).parents
                if of_inner or (real is os_scandir and Path(path) == folder):
                    raise PermissionError(13, "Permission denied", str(path))
            return real(path, *args, **keywords)

        return call

    os_scandir = os.scandir
    for name in ("scandir", "stat", "lstat"):
        monkeypatch.setattr(os, name, guarded(getattr(os, name)))
