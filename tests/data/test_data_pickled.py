"""Pickling and copying data sets, for example for other processes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tfpy as tf

NUMBERS = tf.data.array([3, 1, 2, 5, 4])
LETTERS = tf.data.array(["a", "b", "c"])


def count_to_four() -> Iterator[int]:
    yield from range(4)


def double(x: float) -> float:
    return 2 * x


def five() -> int:
    return 5


async def half(x: float) -> float:
    return x / 2


def is_odd(x: int) -> bool:
    return x % 2 == 1


def end() -> dict[str, Any]:
    return {"value": None, "done": True}


SETS: dict[str, Callable[[], tf.data.Dataset]] = {
    "array": lambda: NUMBERS,
    "rows": lambda: tf.data.array(np.arange(6).reshape(3, 2)),
    "generator": lambda: tf.data.generator(count_to_four),
    "func": lambda: tf.data.func(end),
    "zip": lambda: tf.data.zip({"number": NUMBERS, "letter": [LETTERS, NUMBERS]}),
    "batch": lambda: NUMBERS.batch(2),
    "concatenate": lambda: NUMBERS.concatenate(LETTERS),
    "filter": lambda: NUMBERS.filter(is_odd),
    "map": lambda: NUMBERS.map(double),
    "map without the element": lambda: NUMBERS.map(five),
    "map_async": lambda: NUMBERS.map_async(half),
    "prefetch": lambda: NUMBERS.prefetch(2),
    "repeat": lambda: NUMBERS.repeat(2),
    "infinite": lambda: NUMBERS.repeat().take(12),
    "skip": lambda: NUMBERS.skip(2),
    "shuffle": lambda: NUMBERS.shuffle(3, seed=7),
    "all": lambda: NUMBERS.map(double).shuffle(5, seed="x").batch(2, False).repeat(2).prefetch(1),
}


def plain(elements: list[Any]) -> str:
    return repr([e.array_sync() if isinstance(e, tf.Tensor) else e for e in elements])


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("duplicate", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
def test_copy_has_the_same_elements(name: str, duplicate: Callable[[Any], Any]) -> None:
    dataset = SETS[name]()
    copied = duplicate(dataset)
    assert copied.size == dataset.size
    assert plain(copied.to_array()) == plain(SETS[name]().to_array())


def test_copy_of_shuffled_set_continues_in_the_same_order() -> None:
    dataset = NUMBERS.shuffle(5, seed=1)
    first = dataset.to_array()
    copied = pickle.loads(pickle.dumps(dataset))
    second = dataset.to_array()
    assert copied.to_array() == second != first
