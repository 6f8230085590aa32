"""The source code quoted in the pages for contributors is up to date, and the files that they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A step, the file that it names first, and the code that it quotes.
STEP = re.compile(r"^\*\*\d\. .*?`([\w/]+\.py)`.*?```python\n(.*?)```", re.MULTILINE | re.DOTALL)

PAGES = sorted(page for folder in ("contributing", "explanation") for page in (ROOT / "docs" / folder).glob("*.md"))
# Where the paths in the pages begin.
STARTS = ("", "tfpy", "tfpy/engine", "tfpy/engine/gl", "tfpy/js2py", "benchmarks")


def test_add_a_layer_quotes_the_source() -> None:
    text = (ROOT / "docs/contributing/add-a-layer.md").read_text(encoding="utf-8")
    quoted = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(quoted) == 1
    assert quoted[0] in (ROOT / "tfpy/layers/kinds/core.py").read_text(encoding="utf-8")


def test_add_an_op_quotes_the_source() -> None:
    text = (ROOT / "docs/contributing/add-an-op.md").read_text(encoding="utf-8")
    quoted = STEP.findall(text)
    assert len(quoted) == text.count("```python") == 5
    for path, block in quoted:
        source = (ROOT / path).read_text(encoding="utf-8")
        for part in re.split(r"^ *…\n", block, flags=re.MULTILINE):
            assert part in source, f"{path} has no\n{part}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_files_exist(page: Path) -> None:
    for path in re.findall(r"`((?:[\w.]+/)*\w+\.py|tfpy/[\w/]+)`", page.read_text(encoding="utf-8")):
        assert any((ROOT / start / path).exists() for start in STARTS), path


def test_modules_in_the_table_of_the_gpu_backend_exist() -> None:
    text = (ROOT / "docs/explanation/gpu.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?`.*?) \|", text, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert len(named) > 20
    assert not {name for name in named if not (ROOT / f"tfpy/engine/gl/{name}.py").exists()}
