"""The feeds of a file's graphs: the entries passed to sessions, and the lists of entries that have names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from tfpy.migrate.kind import Kind, UserProvider
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.names import dotted
from tfpy.migrate.symbols import Problem, Symbols
from tfpy.migrate.variables import Key
from tfpy.migrate.versions import plain

_Entry = tuple[cst.BaseExpression, cst.BaseExpression]  # the tensor, and the data


class Feed(NamedTuple):
    """A value for a placeholder.

    Attributes:
        value: the expression in the script.
        kind: its kind.
        place: the expression to use instead, if the value must be evaluated only once: `feeds["x"]`.
    """

    value: cst.BaseExpression
    kind: Kind
    place: str = ""

    @property
    def provides(self) -> bool:
        """Whether it is a provider."""
        return self.kind == "provider" or isinstance(self.kind, UserProvider)

    @property
    def next_copy(self) -> str | None:
        """The method of a user-defined provider that returns the next array; None for anything else."""
        return self.kind.method if isinstance(self.kind, UserProvider) else None

    @property
    def has_name(self) -> bool:
        """Whether it is a name, or an item of one, so that it may be repeated."""
        value = self.value.value if isinstance(self.value, cst.Subscript) else self.value
        return dotted(value) is not None


class Feeds:
    """The feeds of a file.

    Attributes:
        lists: the named lists of feed entries.
    """

    def __init__(self, kinds: Kinds, symbols: Symbols) -> None:
        self.kinds = kinds
        self.symbols = symbols
        self.lists: dict[Key, dict[Key, Feed]] = {}

    def add(self, target: cst.BaseExpression, node: cst.Assign) -> None:
        """Record that a statement names a list of feeds; other statements have no effect."""
        key = self.kinds.variables.key(target)
        if key is None or self._entries(node.value) is None:
            return
        if key in self.lists:
            raise Problem(node, "the list of feeds is created more than once")
        self.lists[key] = _placed(target, self._listed(node.value))

    def of(self, node: cst.BaseExpression | None) -> dict[Key, Feed]:
        """The feeds in an argument of a session."""
        if node is None or (isinstance(node, (cst.List, cst.Tuple)) and not node.elements):
            return {}
        key = self.kinds.variables.key(node)
        return self.lists[key] if key is not None and key in self.lists else self._listed(node)

    def _listed(self, node: cst.BaseExpression) -> dict[Key, Feed]:
        """The feeds of a list literal."""
        entries = self._entries(node)
        if entries is None:
            raise Problem(node, "the feeds are not listed here")
        found: dict[Key, Feed] = {}
        for entry, (tensor, data) in entries:
            key = self.kinds.variables.key(tensor)
            if key not in self.symbols.placeholders:
                raise Problem(entry, "a tensor that is not a placeholder is fed")
            self.symbols.used.add(tensor)
            found[key] = Feed(data, self.kinds.of(data))
        return found

    def _entries(self, node: cst.BaseExpression) -> Sequence[tuple[cst.BaseExpression, _Entry]] | None:
        """The entries of a list of feeds; None for anything else."""
        if not isinstance(node, (cst.List, cst.Tuple)) or not node.elements:
            return None
        entries = [(e.value, self._entry(e.value)) for e in node.elements]
        found = [(node, entry) for node, entry in entries if entry is not None]
        return found if len(found) == len(entries) else None

    def _entry(self, node: cst.BaseExpression) -> _Entry | None:
        """The tensor and the data of a feed entry."""
        given: dict[str, cst.BaseExpression] = {}
        if isinstance(node, cst.Dict):
            for item in node.elements:
                if isinstance(item, cst.DictElement) and isinstance(item.key, cst.SimpleString):
                    given[str(item.key.evaluated_value)] = item.value
        elif isinstance(node, cst.Call) and self.kinds.variables.path(node.func) == "FeedEntry":
            for i, arg in enumerate(node.args):
                given[arg.keyword.value if arg.keyword is not None else ("tensor", "data")[min(i, 1)]] = arg.value
        return (given["tensor"], given["data"]) if set(given) == {"tensor", "data"} else None


def _placed(target: cst.BaseExpression, feeds: dict[Key, Feed]) -> dict[Key, Feed]:
    """The feeds of a named list: in a dict of that name, unless all of them have names."""
    local = isinstance(target, cst.Name)
    if all(feed.has_name and (local or (dotted(feed.value) or "").startswith("self.")) for feed in feeds.values()):
        return feeds
    return {key: feed._replace(place=f'{dotted(target)}["{plain(key[1])}"]') for key, feed in feeds.items()}
