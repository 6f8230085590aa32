"""Default options equal those of TF.js 4.22 (defaults.json, recorded by record_defaults.mjs)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tfpy as tf
from tfpy.core.naming.names import spellings

RECORDED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "defaults.json").read_text(encoding="utf-8"))
INNER = {
    "timeDistributed": lambda: {"layer": tf.layers.dense(units=2, name="inner")},
    "bidirectional": lambda: {"layer": tf.layers.gru(units=2, name="inner")},
}


def agrees(found: Any, recorded: Any) -> bool:
    """Whether a config equals the recorded one in all keys of the latter."""
    if isinstance(recorded, dict):
        names = spellings(found)
        return all(agrees(found.get(names.get(key)), value) for key, value in recorded.items())
    return list(found) == recorded if isinstance(found, tuple) else bool(found == recorded)


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["name"])
def test_default_config_equals_tfjs(case: dict[str, Any]) -> None:
    make = getattr(getattr(tf, case["family"]), case["name"])
    config = make({**case["options"], **INNER.get(case["name"], dict)()}).get_config()
    differing = {key: value for key, value in case["config"].items() if not agrees(config, {key: value})}
    assert not differing
