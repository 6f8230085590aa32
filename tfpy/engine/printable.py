"""Text that is safe to print."""

from __future__ import annotations

import sys


def visible(text: object) -> str:
    """A line of text, parts of which may come from a file, with control characters as escape sequences."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def encodable(text: str) -> str:
    """Text with escape sequences for the characters that standard output cannot encode, as in a pipe on Windows."""
    output = getattr(sys.stdout, "rich_proxied_file", sys.stdout)  # while rich draws a bar
    encoding = getattr(output, "encoding", None)
    return text.encode(encoding, "backslashreplace").decode(encoding) if isinstance(encoding, str) else text


def put(*parts: object, end: str = "\n", flush: bool = False) -> None:
    """Print what may have names from users and files in it: a long training must not fail when a name is shown."""
    print(encodable(" ".join(map(str, parts))), end=end, flush=flush)
