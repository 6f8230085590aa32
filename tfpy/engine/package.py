"""Distinguishes the package's own code from the user's."""

from __future__ import annotations

import os
from pathlib import Path
from types import FunctionType

import numpy as np

# As in code objects: with links unresolved, and in a program of one file relative to something else than modules are.
ROOT = Path((lambda: None).__code__.co_filename).parent.parent
PACKAGE = f"{ROOT}{os.sep}"
"""The beginning of the paths of the package's files."""

_NAME, _WITHIN = ROOT.name, f"{ROOT.name}."
_NUMPY = f"{Path(np.__file__).parent}{os.sep}"
_PYTHON = f"{Path(os.__file__).parent}{os.sep}"


def is_ours(thing: type | FunctionType) -> bool:
    """Whether a class, or the code of a function, is the package's own.

    A function's `__module__` is not reliable: `functools.wraps` copies it.
    """
    module = thing.__module__ if isinstance(thing, type) else str(thing.__globals__.get("__name__"))
    return module == _NAME or module.startswith(_WITHIN)


def is_users(file: str) -> bool:
    """Whether code in this file is neither the package's, nor numpy's, nor the standard library's."""
    if file.startswith((PACKAGE, _NUMPY, "<frozen ")):
        return False
    return not file.startswith(_PYTHON) or "site-packages" in file
