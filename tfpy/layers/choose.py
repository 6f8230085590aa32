"""Options that are one of a few words, in TF.js's or in Keras's spelling."""

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
    """TF.js's spelling of a word, or ValueError naming the option and the words that it may be."""
    if isinstance(value, str) and value in known:
        return known[value]
    words = ", ".join(repr(w) for w in dict.fromkeys(known.values()))
    raise argument_error(where, option, f"one of {words}", value)
