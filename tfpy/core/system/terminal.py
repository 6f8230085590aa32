"""What the commands print for people."""

from __future__ import annotations

import io
import sys

from tfpy.engine.printable import visible as visible


def print_code(text: str) -> None:
    """Print a part of a script: in UTF-8, the encoding of scripts, whatever the system's is, but to a terminal."""
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8", errors=sys.stdout.errors)
    print(text, end="")


def say(line: object) -> None:
    """Print a line to standard error, so that what a command makes can be piped."""
    print(visible(line), file=sys.stderr)
