"""What `fit` and the like accept as a data set: one of `tf.data` or similar, an iterator, a generator function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any


class PlainDataset:
    """A Python iterator, or a function that returns one, as a data set."""

    def __init__(self, start: Callable[[], Any]) -> None:
        self.iterator = start


class _ReadOnce(PlainDataset):
    """An iterator, which can be read only once."""


def as_dataset(value: Any) -> Any:
    """A data set, an iterator or a generator function as an object with `iterator()`; None for anything else."""
    if callable(getattr(value, "iterator", None)):
        return value
    if isinstance(value, Iterator):
        return _ReadOnce(lambda: value)
    if inspect.isfunction(value) or inspect.ismethod(value):
        return PlainDataset(value)
    return None


def missing_batches(dataset: Any, limit: int | None, epochs: int) -> str | None:
    """The requirement that a data set certainly fails: a batch for the evaluation after each epoch; else None.

    Args:
        dataset: the result of `as_dataset`.
        limit: how many batches an evaluation reads; None for all.
        epochs: the number of evaluations.
    """
    if getattr(dataset, "size", None) == 0:
        return "a data set of at least one batch"
    if isinstance(dataset, _ReadOnce) and limit is None and epochs > 1:
        return f"a data set or a generator function, since an iterator cannot be read after each of {epochs} epochs"
    return None


def short_data_advice(dataset: Any) -> str:
    """Advice about data that ends too early, for messages."""
    if isinstance(dataset, PlainDataset):
        again = "without a number of batches a generator function is called for each epoch"
        return f"An infinite generator needs 'while True'; {again}."
    return "dataset.repeat() makes it infinite."
