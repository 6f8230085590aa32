"""What the commands print for people."""

from __future__ import annotations

import sys

from tfpy.engine.printable import visible as visible


def say(line: object) -> None:
    """Print a line to standard error, so that what a command makes can be piped."""
    print(visible(line), file=sys.stderr)
