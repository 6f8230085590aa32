"""The code in the documentation and in the README runs."""

from __future__ import annotations

import contextlib
import io
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(p for p in (ROOT / "docs").rglob("*.md") if 'exec="on"' in p.read_text(encoding="utf-8"))
# Blocks in tabs are indented.
BLOCK = re.compile(r'^( *)```python exec="on"([^\n]*)\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)
PLAIN = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(code: str, line: int, name: str, scope: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile("\n" * line + code, name, "exec", dont_inherit=True), scope)
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_on_page_runs(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    sessions: dict[str, dict[str, Any]] = {}
    for _, options, code in BLOCK.findall(text):
        line = text[: text.index(code)].count("\n")
        session = re.search(r'session="(\w+)"', options)
        scope = sessions.setdefault(session[1], {"__name__": "page"}) if session else {"__name__": "page"}
        assert run(textwrap.dedent(code), line, str(page), scope).strip(), f"line {line + 1}: nothing is shown"


def test_code_in_readme_runs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = PLAIN.findall(text)
    assert len(blocks) == 2
    for code in blocks:
        assert run(code, text[: text.index(code)].count("\n"), "README.md", {"__name__": "readme"}).strip()
