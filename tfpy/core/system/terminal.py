"""What the commands print for people."""

from __future__ import annotations

import sys


def visible(text: object) -> str:
    """A line of text in which files have a say, with what would steer the terminal written out."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def say(line: object) -> None:
    """Print a line to standard error, so that what a command makes can be piped."""
    print(visible(line), file=sys.stderr)
