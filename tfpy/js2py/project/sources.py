"""Reading of JavaScript and TypeScript, from files of their own and from HTML pages."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from tfpy.scripts import FileError, read_script

PAGES = (".html", ".htm")
_TYPES = ("", "application/javascript", "module", "text/babel", "text/javascript")


class NoScriptError(FileError):
    """A page that has no script in it; the message has the files that it loads."""


def source_of(path: Path) -> str:
    """The text of a script, or the scripts in a page.

    Raises:
        FileError: the file cannot be read; NoScriptError: there is no script in the page.
    """
    source = read_script(path, "utf-8-sig")
    return _scripts_in(source) if path.suffix in PAGES else source


def _scripts_in(page: str) -> str:
    """The scripts of a page, each on its lines of the page, so that remarks have the page's line numbers."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    if not any(script.strip() for _, script in reader.scripts):
        loaded = f"; convert what it loads: {', '.join(reader.loaded)}" if reader.loaded else ""
        raise NoScriptError(f"has no script in it{loaded}")
    text = ""
    for line, script in reader.scripts:
        text += "\n" * max(line - 1 - text.count("\n"), bool(text)) + script
    return text


class _Reader(HTMLParser):
    """Finds the scripts in a page.

    Attributes:
        scripts: the scripts, and the lines where they begin.
        loaded: the files of the other scripts, except those from other servers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[tuple[int, str]] = []
        self.loaded: list[str] = []
        self._is_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        source = given.get("src")
        self._is_script = tag == "script" and source is None and (given.get("type") or "").lower() in _TYPES
        if tag == "script" and source and "//" not in source:
            self.loaded.append(source)
        if self._is_script:
            self.scripts.append((self.getpos()[0] + (self.get_starttag_text() or "").count("\n"), ""))

    def handle_data(self, data: str) -> None:
        if self._is_script:
            line, script = self.scripts[-1]
            self.scripts[-1] = line, script + data

    def handle_endtag(self, tag: str) -> None:
        self._is_script = False
