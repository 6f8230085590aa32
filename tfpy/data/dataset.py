"""Dataset: lazily computed elements, and the methods that transform data sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.ready import ReadyList, ReadyNone, finish
from tfpy.core.calling.registry import export
from tfpy.core.memory import tidy
from tfpy.core.naming.elsewhere import OF_DATASET_CLASS, OF_DATASETS
from tfpy.core.naming.hints import Hints, add_absent, without_absent
from tfpy.data._camel import DatasetCamel
from tfpy.data.iterators import ChainedIterator, LazyIterator, count_of, elements_of, of_an_element
from tfpy.data.structure import stacked
from tfpy.engine import rng
from tfpy.engine.arguments import as_positive
from tfpy.engine.errors import argument_error

Size = float | None
"""The number of elements: a whole number, infinity, or None if it is unknown."""

_MAX_ARRAY_LENGTH = 2**32 - 1
"""The maximum length of a JavaScript array, which buffers are in TF.js."""


@export(namespace="data", doc="Data / Classes")
class Dataset(DatasetCamel, Hints):
    """A lazily computed sequence of elements that is read again on each pass.

    An element is a number, a string, an array, a tensor, or a dict, list or tuple of these. A subclass defines
    `iterator()`, and may set `size`.

    Attributes:
        size: how many elements there are; infinity for an endless data set, None if unknown.

    Source: TF.js `tf.data.Dataset`.
    """

    MAX_BUFFER_SIZE: ClassVar[int] = 10000
    size: Size = None
    _elsewhere = OF_DATASETS

    def iterator(self) -> LazyIterator:
        """A new stream of the elements, for Python's `for` or TF.js's `next()`; awaitable."""
        raise TypeError(f"{type(self).__name__}: a data set must define iterator().")

    def __iter__(self) -> Iterator[Any]:
        return stream(self)

    def __len__(self) -> int:
        if self.size is None or not math.isfinite(self.size):
            raise TypeError(f"len: the data set {'is infinite' if self.size else 'has an unknown size'}.")
        return int(self.size)

    def __bool__(self) -> bool:
        return True

    def __dir__(self) -> list[str]:
        return without_absent(super().__dir__(), type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(size={self.size})"

    @accepts_options()
    def batch(self, batch_size: int, small_last_batch: bool = True) -> Dataset:
        """Batch elements: each batch becomes one element of tensors whose first axis is the batch.

        Dicts and tuples are traversed, with each entry as a separate column; numbers, strings, lists,
        arrays and tensors are stacked. A missing value (None) is NaN, or an empty string.

        Args:
            batch_size: how many elements form a batch.
            small_last_batch: whether to keep the last batch if it is smaller.

        Raises:
            ValueError: the batch size is not above 0; while reading, elements that differ in structure or shape.

        Source: TF.js `tf.data.Dataset.batch`. Tuples are Python's: a list is stacked as a whole, as in TF.js.
        """
        count = as_positive("batch", "batch_size", batch_size)
        size = self.size
        if size is not None and math.isfinite(size):
            size = math.ceil(size / count) if small_last_batch else size // count
        return FunctionDataset(partial(_batched, self, count, small_last_batch), size)

    def concatenate(self, dataset: Dataset) -> Dataset:
        """The elements of this data set, followed by those of another.

        Source: TF.js `tf.data.Dataset.concatenate`.
        """
        if not isinstance(dataset, Dataset):
            raise argument_error("concatenate", "dataset", "a data set", dataset, TypeError)
        size = None if self.size is None or dataset.size is None else self.size + dataset.size
        if math.inf in (self.size, dataset.size):
            size = math.inf
        return FunctionDataset(partial(_joined, self, dataset), size)

    def filter(self, predicate: Callable[[Any], Any]) -> Dataset:
        """The elements for which a function is true. It runs in a tidy; the tensors of the others are disposed.

        Source: TF.js `tf.data.Dataset.filter`.
        """
        test = of_an_element("filter", "predicate", predicate)
        size = math.inf if self.size == math.inf else None
        return self._then("filter", partial(_is_true, test), size=size)

    def for_each_async(self, f: Callable[[Any], Any]) -> ReadyNone:
        """Call a function, which may be async, with each element, whose tensors are then disposed.

        It is complete when the call returns; the result is awaitable.

        Source: TF.js `tf.data.Dataset.forEachAsync`.
        """
        return stream(self).for_each_async(of_an_element("for_each_async", "f", f))

    def map(self, transform: Callable[[Any], Any]) -> Dataset:
        """The results of a function for each element. It runs in a tidy: only the tensors it returns are kept.

        Tensors of the old element that are not in the new one are disposed.

        Source: TF.js `tf.data.Dataset.map`.
        """
        function = of_an_element("map", "transform", transform)
        return self._then("map", partial(_tidied, function), size=self.size)

    def map_async(self, transform: Callable[[Any], Any]) -> Dataset:
        """The results of an async function for each element. It is awaited, and must dispose its own tensors.

        Tensors of the old element that are not in the new one are disposed.

        Source: TF.js `tf.data.Dataset.mapAsync`.
        """
        function = of_an_element("map_async", "transform", transform)
        return self._then("map_async", function, size=self.size)

    @accepts_options()
    def prefetch(self, buffer_size: int) -> Dataset:
        """The same elements, prefetched `buffer_size` elements ahead.

        Prefetching happens on the same thread, between elements, and does not change the results.

        Source: TF.js `tf.data.Dataset.prefetch`.
        """
        count = as_positive("prefetch", "buffer_size", buffer_size)
        return self._then("prefetch", count, size=self.size)

    @accepts_options()
    def repeat(self, count: int | None = None) -> Dataset:
        """The elements repeated; endlessly if the count is None or negative.

        Repeating an empty data set endlessly yields nothing.

        Source: TF.js `tf.data.Dataset.repeat`.
        """
        times = count_of("repeat", count)
        if times is None:
            return FunctionDataset(partial(_without_end, self), 0 if self.size == 0 else math.inf)
        size = 0 if times == 0 else None if self.size is None else self.size * times
        return FunctionDataset(partial(_repeated, self, times), size)

    @accepts_options()
    def skip(self, count: int | None = None) -> Dataset:
        """All but the first elements; all of them if the count is None or negative.

        Source: TF.js `tf.data.Dataset.skip`.
        """
        first = count_of("skip", count)
        size = self.size if self.size is None or first is None else max(self.size - first, 0)
        return self._then("skip", first, size=size)

    @accepts_options()
    def shuffle(self, buffer_size: int, seed: rng.Seed | None = None, reshuffle_each_iteration: bool = True) -> Dataset:
        """The elements shuffled: each is drawn from the next `buffer_size` elements.

        Args:
            buffer_size: how many elements to draw from; the size of the data set for a perfect shuffle.
            seed: makes the order reproducible; 0 and '' count as no seed, as in TF.js.
            reshuffle_each_iteration: whether each pass draws two numbers for its own seed instead of one. Either way
                each pass has its own order, as in TF.js.

        Source: TF.js `tf.data.Dataset.shuffle`, number for number.
        """
        count = _buffer_size(buffer_size, self.size)
        seeds = rng.stream(rng.truthy_seed(seed))
        return FunctionDataset(partial(_shuffled, self, count, seeds, reshuffle_each_iteration), self.size)

    @accepts_options()
    def take(self, count: int | None = None) -> Dataset:
        """At most the first elements; all of them if the count is None or negative.

        Source: TF.js `tf.data.Dataset.take`.
        """
        most = count_of("take", count)
        size = self.size if self.size is None or most is None else min(self.size, most)
        return self._then("take", most, size=size)

    def to_array(self) -> ReadyList[Any]:
        """All elements as a list; awaitable.

        Raises:
            ValueError: the data set is endless.

        Source: TF.js `tf.data.Dataset.toArray`.
        """
        return self._finite("to_array").to_array()

    def to_array_for_test(self) -> ReadyList[Any]:
        """All elements as a list, prefetched by 100; awaitable.

        Source: TF.js `tf.data.Dataset.toArrayForTest`.
        """
        return self._finite("to_array_for_test").to_array_for_test()

    def _then(self, stage: str, option: Any, *, size: Size) -> Dataset:
        """This data set with a transformation of its streams, one of their methods."""
        return FunctionDataset(partial(_staged, self, stage, option), size)

    def _finite(self, where: str) -> LazyIterator:
        if self.size == math.inf:
            raise ValueError(f"{where}: the data set is infinite; take(n) returns its first elements.")
        return stream(self)


add_absent(Dataset, OF_DATASET_CLASS)


class FunctionDataset(Dataset):
    """A data set whose streams a function starts: one of a module, with its arguments, so that it can be pickled."""

    def __init__(self, start: Callable[[], LazyIterator], size: Size = None) -> None:
        self._start = start
        self.size = size

    def iterator(self) -> LazyIterator:
        return self._start()

    def __repr__(self) -> str:
        return f"Dataset(size={self.size})"


def stream(dataset: Dataset) -> LazyIterator:
    """A new stream of a data set's elements; a subclass may start any iterator of Python, or a TF.js-style one."""
    return elements_of(
        type(dataset).__name__, "iterator", "a method that returns an iterator", finish(dataset.iterator())
    )


# The functions that start the streams of derived data sets.


def _staged(dataset: Dataset, stage: str, option: Any) -> LazyIterator:
    started: LazyIterator = getattr(stream(dataset), stage)(option)
    return started


def _batched(dataset: Dataset, size: int, small_last: bool) -> LazyIterator:
    return stream(dataset).row_major_batch(size, small_last).map(stacked)


def _joined(first: Dataset, second: Dataset) -> LazyIterator:
    return stream(first).concatenate(stream(second))


def _repeated(dataset: Dataset, times: int) -> LazyIterator:
    return ChainedIterator(stream(dataset) for _ in range(times))


def _without_end(dataset: Dataset) -> LazyIterator:
    return ChainedIterator(_passes_without_end(dataset))


def _shuffled(dataset: Dataset, size: int, seeds: rng.Alea, reshuffle: bool) -> LazyIterator:
    own = seeds.int32() + (seeds.int32() if reshuffle else 0)
    return stream(dataset).shuffle(size, str(own))


def _tidied(function: Callable[[Any], Any], element: Any) -> Any:
    return tidy(lambda: finish(function(element)))


def _is_true(test: Callable[[Any], Any], element: Any) -> bool:
    return tidy(lambda: bool(finish(test(element))))


def _passes_without_end(dataset: Dataset) -> Iterator[LazyIterator]:
    """Streams of a data set, until one of them is empty."""
    while True:
        elements = 0

        def counted(element: Any) -> Any:
            nonlocal elements
            elements += 1
            return element

        yield stream(dataset).map(counted)
        if not elements:
            return


def _buffer_size(value: Any, size: Size) -> int:
    if value is None:
        hint = "" if size is None else f"; {size} for a perfect shuffle, if the data fit into memory"
        raise argument_error("shuffle", "buffer_size", f"given{hint}", value)
    count = as_positive("shuffle", "buffer_size", value)
    if count > _MAX_ARRAY_LENGTH:
        raise argument_error("shuffle", "buffer_size", f"at most {_MAX_ARRAY_LENGTH}", value)
    return count
