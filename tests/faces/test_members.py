"""Members of TF.js objects are accessible in the spelling of TF.js if tfpy has them.

The members are recorded from TF.js 4.22 by record_members.mjs.
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
    return maker(*[resolve(value) for value in args])


def resolve(value: Any) -> Any:
    if isinstance(value, list):
        return [resolve(inner) for inner in value]
    if isinstance(value, dict):
        return make(value["$make"]) if "$make" in value else {key: resolve(inner) for key, inner in value.items()}
    return value


def has(thing: Any, name: str) -> bool:
    try:
        getattr(thing, name)
    except AttributeError:
        return False
    except RuntimeError:  # the attribute exists, but the layer has not been called
        return True
    return True


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["make"][0])
def test_members_are_accessible_in_tfjs_spelling(row: dict[str, Any]) -> None:
    thing = make(row["make"])
    snake = {camel(name): name for name in {*dir(thing), *getattr(thing, "__dict__", {})} if "_" in name.strip("_")}
    both = [name for name in row["members"] if name in snake]
    assert [name for name in both if not has(thing, name)] == []


@pytest.mark.parametrize("path", ["layers.lstm", "train.adam", "sequential", "History", "CallbackList", "data.array"])
def test_several_members_exist(path: str) -> None:
    """The test above passes for an object that has none of the members."""
    row = next(row for row in TABLE if row["make"][0] == path)
    thing = make(row["make"])
    assert sum(has(thing, name) for name in row["members"]) >= 3
