"""Losses and metrics by name."""

from __future__ import annotations

from typing import Any


class NamedValues(dict[str, Any]):
    """A dict whose KeyError lists the names in it: metrics may have other ones than in Keras, such as 'acc'."""

    def __missing__(self, name: object) -> Any:
        raise KeyError(f"there is no {name!r}, only {', '.join(self) or 'an empty dict'}")
