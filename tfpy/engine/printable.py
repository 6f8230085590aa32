"""Text that is safe to print."""

from __future__ import annotations


def visible(text: object) -> str:
    """A line of text, parts of which may come from a file, with control characters as escape sequences."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))
