"""What objects of TF.js have can be read in TF.js's spelling, wherever tfpy has it at all.

The table is recorded from TF.js 4.22 by record_members.mjs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tfpy as tf
from tfpy.core.naming.names import camel

TABLE = json.loads(Path(__file__).with_name("members.json").read_text(encoding="utf-8"))


def make(row: list[Any]) -> Any:
    path, *args = row
    maker: Any = tf
    for name in path.split("."):
        maker = getattr(maker, name)
    return maker(*[made(value) for value in args])


def made(value: Any) -> Any:
    if isinstance(value, list):
        return [made(inner) for inner in value]
    if isinstance(value, dict):
        return make(value["$make"]) if "$make" in value else {key: made(inner) for key, inner in value.items()}
    return value


def has(thing: Any, name: str) -> bool:
    try:
        getattr(thing, name)
    except AttributeError:
        return False
    except RuntimeError:  # it is there, and says that the layer has not been called
        return True
    return True


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["make"][0])
def test_members_in_tfjs_spelling(row: dict[str, Any]) -> None:
    thing = make(row["make"])
    snake = {camel(name): name for name in {*dir(thing), *getattr(thing, "__dict__", {})} if "_" in name.strip("_")}
    both = [name for name in row["members"] if name in snake]
    assert [name for name in both if not has(thing, name)] == []


@pytest.mark.parametrize("path", ["layers.lstm", "train.adam", "sequential", "History", "CallbackList", "data.array"])
def test_most_members_are_there(path: str) -> None:
    """The rule above does not cover an object that has none of them."""
    row = next(row for row in TABLE if row["make"][0] == path)
    thing = make(row["make"])
    assert sum(has(thing, name) for name in row["members"]) >= 3
