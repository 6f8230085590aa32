"""Options with a fixed set of values, in the spelling of TF.js or Keras."""

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


def enum_option(where: str, option: str, value: Any, known: Mapping[str, str]) -> str:
    """An option's value in TF.js's spelling; ValueError, with the option and its valid values, for any other."""
    if isinstance(value, str) and value in known:
        return known[value]
    words = ", ".join(repr(w) for w in dict.fromkeys(known.values()))
    raise argument_error(where, option, f"one of {words}", value)
