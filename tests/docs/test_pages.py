"""The how-to pages: the code on them runs, in order, as the site runs it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs/how-to").glob("*.md"))
BLOCK = re.compile(r'^```python exec="on"[^\n]*session="(\w+)"[^\n]*\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_on_a_page_runs(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    assert len(blocks) == text.count("```python"), "every block is executed"
    sessions: dict[str, dict[str, Any]] = {}
    for session, code in blocks:
        line = text[: text.index(code)].count("\n")
        scope = sessions.setdefault(session, {"__name__": session})
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile("\n" * line + code, str(page), "exec"), scope)
        assert printed.getvalue().strip(), f"line {line + 1}: nothing is shown"
