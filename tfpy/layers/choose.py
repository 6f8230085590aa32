"""Options with a fixed set of words, in the spelling of TF.js or Keras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy.engine.errors import argument_error

DATA_FORMATS = {
    "channelsLast": "channelsLast",
    "channels_last": "channelsLast",
    "channelsFirst": "channelsFirst",
    "channels_first": "channelsFirst",
}
PADDINGS = {"valid": "valid", "same": "same", "causal": "causal"}


def choose(where: str, option: str, value: Any, known: Mapping[str, str]) -> str:
    """TF.js's spelling of a word; ValueError, with the option and the valid words, if it is unknown."""
    if isinstance(value, str) and value in known:
        return known[value]
    words = ", ".join(repr(w) for w in dict.fromkeys(known.values()))
    raise argument_error(where, option, f"one of {words}", value)
