"""The descriptions of options in option_descriptions.toml, for docstrings and the reference."""

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


def descriptions_of(declared: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[dict[str, OptionText]]:
    """The descriptions of the options of classes, each given as its lineage and the names of its options.

    Raises SystemExit for options without a description, and for descriptions without an option.
    """
    tables = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    unused = {(table, name) for table, descriptions in tables.items() for name in descriptions}
    missing, found = [], []
    for lineage, names in declared:
        own = {}
        for name in names:
            table = next((t for t in (*lineage, "options") if name in tables.get(t, {})), None)
            if table is None:
                missing.append(f"{lineage[0]}.{name}")
                continue
            unused.discard((table, name))
            entry = tables[table][name]
            own[name] = OptionText(entry) if isinstance(entry, str) else OptionText(**entry)
        found.append(own)
    if missing or unused:
        raise SystemExit(f"{TABLE.name}: without description: {missing}; descriptions of no option: {sorted(unused)}")
    return found
