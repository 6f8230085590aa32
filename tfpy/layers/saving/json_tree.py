"""Traversal of JSON trees: nested dicts and lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def walk(value: Any) -> Iterator[Any]:
    """A value and all values in it, in pre-order."""
    yield value
    if isinstance(value, (Mapping, list)):
        for child in value.values() if isinstance(value, Mapping) else value:
            yield from walk(child)


def map_children(value: Any, function: Callable[[Any], Any]) -> Any:
    """A dict or list with the function applied to its values; anything else unchanged."""
    if isinstance(value, Mapping):
        return {key: function(v) for key, v in value.items()}
    return [function(v) for v in value] if isinstance(value, (list, tuple)) else value


def map_leaves(value: Any, function: Callable[[Any], Any]) -> Any:
    """A tree of the same structure, with the function applied to all leaves."""
    if isinstance(value, (Mapping, list, tuple)):
        return map_children(value, lambda child: map_leaves(child, function))
    return function(value)


def replace(
    value: Any, is_wanted: Callable[[Mapping[str, Any]], bool], function: Callable[[Mapping[str, Any]], Any]
) -> Any:
    """A tree with the function's results in place of the dicts that match."""
    if isinstance(value, Mapping) and is_wanted(value):
        return function(value)
    return map_children(value, lambda child: replace(child, is_wanted, function))


def is_keras_tensor(value: Any) -> bool:
    """Whether a value stands for a tensor: Keras 3 uses such dicts in the arguments of calls."""
    return isinstance(value, Mapping) and value.get("class_name") == "__keras_tensor__"
