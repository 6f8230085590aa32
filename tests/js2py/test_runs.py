"""Running converted scripts: output as in Node, recorded by record.mjs."""

from __future__ import annotations

import ast
import json

import pytest
from js2py.printing import HERE, assert_same, printed, snippets

from tfpy.js2py import convert

ALL = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
RECORDED = {name: found for name, found in ALL.items() if not name.startswith("projects/")}
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in sorted((HERE / "scripts").iterdir())}
SOURCES = {**snippets(), **SCRIPTS}


def code_of(name: str) -> str:
    """The converted code of a snippet or a script."""
    return convert(SOURCES[name], name.endswith(".ts")).code


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_script_converts_completely(name: str) -> None:
    found = convert(SOURCES[name], name.endswith(".ts"))
    ast.parse(found.code)
    assert [note for note in found.notes if note.left] == []


@pytest.mark.parametrize("name", list(RECORDED))
def test_output_matches_node(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(printed(code_of(name), monkeypatch), RECORDED[name])


def test_every_script_is_recorded() -> None:
    assert set(RECORDED) == set(SOURCES)


def test_comparison_detects_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    found = printed("print(1, 'a 2.5')", monkeypatch)
    for other in ([[2, "a 2.5"]], [[1, "a 2.6"]], [[1, "b 2.5"]], [[1]], [[None, "a 2.5"]]):
        with pytest.raises(AssertionError):
            assert_same(found, other)
