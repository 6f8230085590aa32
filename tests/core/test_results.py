"""Result objects as dicts, and user functions that take fewer arguments than are available."""

from __future__ import annotations

import copy
import functools
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import tfpy as tf
from tfpy.core.calling.callables import call_with_as_many, positional_count


class Kinds:
    def method(self, a: Any, b: Any) -> None: ...

    @classmethod
    def of_class(cls, a: Any) -> None: ...

    @staticmethod
    def static(a: Any) -> None: ...

    def __call__(self, a: Any, b: Any, c: Any) -> None: ...


def wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any) -> Any:
        return function(*args)

    return call


def named_only(a: Any, *, b: int = 1) -> None: ...


FUNCTIONS: dict[str, tuple[Any, int]] = {
    "none": (lambda: 0, 0),
    "two": (lambda a, b: 0, 2),
    "default": (lambda a, b=1: 0, 2),
    "any number": (lambda *a: 0, 4),
    "any number after one": (lambda a, *more: 0, 4),
    "more than there are": (lambda a, b, c, d, e: 0, 4),
    "by name only": (named_only, 1),
    "method": (Kinds().method, 2),
    "class method": (Kinds.of_class, 1),
    "static method": (Kinds.static, 1),
    "object": (Kinds(), 3),
    "partial": (functools.partial(lambda a, b: 0, 1), 1),
    "wrapped": (wrapping(lambda a: 0), 1),
    "built in": (len, 1),
}


@pytest.mark.parametrize("copy_of", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_results_can_be_copied_and_pickled(copy_of: Callable[[Any], Any]) -> None:
    counts = tf.memory()
    assert copy_of(counts).num_bytes == counts["numBytes"]
    assert dict(copy_of(tf.version)) == dict(tf.version)


def test_results_are_dicts_with_both_spellings() -> None:
    counts = tf.memory()
    assert json.loads(json.dumps(counts)) == dict(counts)
    assert [key in counts for key in ("num_bytes", "numBytes", "no_bytes", 3)] == [True, True, False, False]
    assert [counts.get("num_bytes"), counts.get("no_bytes")] == [counts["numBytes"], None]
    counts.update({"num_bytes": 1}, num_tensors=2)
    assert [counts["numBytes"], counts.setdefault("num_tensors", 3), counts.setdefault("new_one", 4)] == [1, 2, 4]
    assert [counts.newOne, counts.pop("new_one"), counts.pop("new_one", 5)] == [4, 4, 5]
    del counts["num_bytes"]
    assert "numBytes" not in dict(counts)
    more = counts.copy() | {"foo_bar": 5}
    assert "fooBar=5" in repr(more)
    counts |= {"num_bytes": 6}
    assert [more["fooBar"], more.num_tensors, counts["numBytes"]] == [5, 2, 6]


def test_membership_and_missing_key_of_records() -> None:
    found = tf.topk([1.0, 3.0], 1)
    assert [key in found for key in ("values", "indices", "nope", 0)] == [True, True, False, False]
    with pytest.raises(KeyError, match="nope"):
        found["nope"]


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_number_of_positional_arguments(kind: str) -> None:
    function, count = FUNCTIONS[kind]
    assert positional_count(function, 4) == count


def test_surplus_arguments_are_dropped() -> None:
    assert call_with_as_many(lambda a, b: a + b, 1, 2, 3) == 3
    assert call_with_as_many(lambda *all: all, 1, 2, 3) == (1, 2, 3)
