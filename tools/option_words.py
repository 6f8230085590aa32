"""The descriptions of options in option_words.toml, for docstrings and the reference."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True)
class OptionText:
    """The description of an option, and its default, if that differs from the class's."""

    text: str
    default: str = ""


def explained(declared: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[dict[str, OptionText]]:
    """The words for the options of classes, each given as its lineage and the names of its options.

    Raises SystemExit for options without words, and for words without an option.
    """
    tables = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    needless = {(table, name) for table, words in tables.items() for name in words}
    missing, found = [], []
    for lineage, names in declared:
        own = {}
        for name in names:
            table = next((t for t in (*lineage, "options") if name in tables.get(t, {})), None)
            if table is None:
                missing.append(f"{lineage[0]}.{name}")
                continue
            needless.discard((table, name))
            words = tables[table][name]
            own[name] = OptionText(words) if isinstance(words, str) else OptionText(**words)
        found.append(own)
    if missing or needless:
        raise SystemExit(f"{TABLE.name}: without words: {missing}; words of no option: {sorted(needless)}")
    return found
