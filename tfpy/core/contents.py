"""What collections and arrays hold, to be compared with what they hold later."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from operator import is_
from typing import Any

import numpy as np


class Contents:
    """What mutable things hold: lists, sets and dicts, and arrays of numbers. Other things hold nothing."""

    def __init__(self, things: Iterable[Any]) -> None:
        things = list(things)
        self._views = [view for thing in things for view in _views(thing)]
        self._sizes = [*map(len, self._views)]
        self._items = [*chain.from_iterable(self._views)]
        self._arrays = [(thing, thing.tobytes()) for thing in things if isinstance(thing, np.ndarray)]

    def are_same(self) -> bool:
        """Whether they still hold the identical objects, and equal numbers. This runs no Python code for each item."""
        if self._sizes != [*map(len, self._views)]:
            return False
        if not all(map(is_, chain.from_iterable(self._views), self._items)):
            return False
        return all([array.tobytes() == then for array, then in self._arrays])


def _views(thing: Any) -> Sequence[Collection[Any]]:
    """Collections that show what a list, set or dict holds, also later."""
    if isinstance(thing, dict):
        return thing.keys(), thing.values()
    return (thing,) if isinstance(thing, (list, set)) else ()
