"""Migration of a corpus of old scripts: same printed numbers, comments kept, idempotent."""

from __future__ import annotations

import contextlib
import io
import re
import tokenize
import warnings
from pathlib import Path
from typing import Any

import pytest

import tfpy as tf
from tfpy import legacy as dl
from tfpy.migrate.rewrite import Migration, migrate

CORPUS = {path.stem: path for path in sorted((Path(__file__).parent / "corpus").glob("*.py"))}
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)(?!\w)")

# The number of constructs without counterpart in each script, which get a comment.
LEFT = {
    "data_set": 1,
    "fed_intermediate": 1,
    "functions": 1,
    "gradients": 1,
    "in_parts": 7,
    "graph_runner": 1,
    "own_numbers": 1,
    "written_arrays": 3,
}


def migrated(name: str) -> Migration:
    return migrate(CORPUS[name].read_text(encoding="utf-8"))


def numbers(code: str, name: str) -> list[float]:
    """The numbers that a script prints."""
    tf.set_seed(0)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as printed:
        warnings.simplefilter("ignore")  # NDArrayMathGPU warns without a GPU
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    return [float(n) for n in NUMBER.findall(printed.getvalue())]


@pytest.fixture(autouse=True)
def _fresh() -> Any:
    dl.ENV.reset()
    yield
    dl.ENV.reset()
    dl.numerics("tfjs")


@pytest.mark.parametrize("name", CORPUS)
def test_migrated_script_prints_the_same_numbers(name: str) -> None:
    old = numbers(CORPUS[name].read_text(encoding="utf-8"), name)
    assert old, "the script prints no numbers"
    dl.ENV.reset()
    new = numbers(migrated(name).code, f"{name} (migrated)")
    assert new == pytest.approx(old, rel=1e-4, abs=1e-5, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPUS)
def test_migration_is_idempotent(name: str) -> None:
    once = migrated(name)
    twice = migrate(once.code)
    assert twice.code == once.code
    assert twice.left == once.left


@pytest.mark.parametrize("name", CORPUS)
def test_number_of_remarks(name: str) -> None:
    found = migrated(name)
    assert len(found.left) == LEFT.get(name, 0), found.left
    assert found.rewritten or name == "own_numbers"
    if name not in LEFT:
        assert "legacy" not in re.sub(r"#.*", "", found.code)


def comments(code: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [t.string for t in tokens if t.type == tokenize.COMMENT and not t.string.startswith("# tfpy migrate:")]


@pytest.mark.parametrize("name", CORPUS)
def test_comments_are_kept(name: str) -> None:
    assert comments(migrated(name).code) == comments(CORPUS[name].read_text(encoding="utf-8"))


@pytest.mark.slow
def test_most_of_the_corpus_is_rewritten() -> None:
    found = [migrated(name) for name in CORPUS]
    rewritten, left = sum(m.rewritten for m in found), sum(len(m.left) for m in found)
    assert len(found) >= 25
    assert rewritten > 50 * left, f"{rewritten} constructs rewritten, {left} left with a comment"


def test_corpus_covers_most_methods() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in CORPUS.values())
    used = set(re.findall(r"\.(\w+)\(?", text))
    from tfpy.legacy.migration.successors import snake, table

    for kind, share in (("math", 0.7), ("graph", 0.85), ("array", 0.5)):
        names = {name for name, found in table(kind).items() if found.forms}
        covered = {snake(kind, name) for name in used} & names
        assert len(covered) >= share * len(names), sorted(names - covered)
