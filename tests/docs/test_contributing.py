"""The source code quoted in the pages for contributors is up to date."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# A step, the file that it names first, and the code that it quotes.
STEP = re.compile(r"^\*\*\d\. .*?`([\w/]+\.py)`.*?```python\n(.*?)```", re.MULTILINE | re.DOTALL)


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
