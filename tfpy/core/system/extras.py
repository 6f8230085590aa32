"""Optional packages, imported when a feature needs them."""

from __future__ import annotations

import importlib
from typing import Any


def optional_module(name: str, extra: str, feature: str) -> Any:
    """A module of a package installed by an extra of tfpy.

    Args:
        name: the module.
        extra: the extra of tfpy that installs its package.
        feature: what needs it, for the message.

    Raises:
        ImportError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        message = f"{feature} needs the extra {extra!r} of tfpy; pip install 'tfpy[{extra}]' installs it."
        raise ImportError(message) from error
