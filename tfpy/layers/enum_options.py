"""Options with a fixed set of values, in the spelling of TF.js or Keras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy.engine.errors import argument_error
from tfpy.layers.naming import snake_class


def words(*values: str) -> dict[str, str]:
    """The values of an option by their spellings: that of TF.js, and in snake_case that of Keras."""
    return {spelling: value for value in values for spelling in (value, snake_class(value))}


DATA_FORMATS = words("channelsLast", "channelsFirst")
SAME_OR_VALID = words("valid", "same")
PADDINGS = words("valid", "same", "causal")
INTERPOLATIONS = words("bilinear", "nearest")


def enum_option(where: str, option: str, value: Any, known: Mapping[str, str]) -> str:
    """An option's value in TF.js's spelling; ValueError, with the option and its valid values, for any other."""
    if isinstance(value, str) and value in known:
        return known[value]
    words = ", ".join(repr(w) for w in dict.fromkeys(known.values()))
    raise argument_error(where, option, f"one of {words}", value)
