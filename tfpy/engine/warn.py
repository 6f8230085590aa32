"""Warnings that point to the user's line."""

from __future__ import annotations

import sys
import warnings

from tfpy.engine.package import PACKAGE


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn about what the program did, at the line that called the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
