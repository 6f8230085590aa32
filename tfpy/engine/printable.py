"""Text that is safe to print."""

from __future__ import annotations


def visible(text: object) -> str:
    """A line of text in which files have a say, with what would steer the terminal written out."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))
