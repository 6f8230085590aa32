"""LazyIterator: a stream of elements, read once; its methods return lazily computed streams.

Every stage is a class, not a generator, since a stream continues after an error: `handle_errors` skips the element
that caused it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Self

from tfpy.core.calling.callables import call_with_as_many, positional_count
from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.ready import Ready, ReadyList, ReadyNone, finish
from tfpy.core.memory import dispose
from tfpy.core.results import Record
from tfpy.core.streams import element_in, elements_in
from tfpy.data._camel import LazyIteratorCamel
from tfpy.data.structure import children, is_structure, like
from tfpy.engine import rng
from tfpy.engine.arguments import as_function_of, as_int, as_positive
from tfpy.engine.scope import handles_in

# How far `to_array_for_test` prefetches, as in TF.js.
_TEST_AHEAD = 100

_OF_AN_ELEMENT = "a function of one argument, the element (tuples and dicts are passed whole)"


def of_an_element(where: str, argument: str, function: Any) -> Callable[[Any], Any]:
    """A user's function of an element, which may ignore the element, as in JavaScript.

    Raises:
        TypeError: it is not a function, or needs further arguments.
    """
    taken = positional_count(function, 1)
    checked = as_function_of(where, argument, function, taken, _OF_AN_ELEMENT)
    return checked if taken else partial(call_with_as_many, checked)


class IteratorResult(Record, Ready):
    """The result of `next` of a LazyIterator: the element, and whether there was none left. It may be awaited."""

    value: Any
    done: bool


class LazyIterator(LazyIteratorCamel, Ready):
    """A stream of elements, read with `for` or as in TF.js with `next()`. It may be awaited.

    Source: TF.js `LazyIterator`.
    """

    def __repr__(self) -> str:
        return f"LazyIterator({type(self).__name__.lstrip('_')})"

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if type(self).next is LazyIterator.next:
            raise TypeError(f"{type(self).__name__}: a stream must define __next__() or next().")
        return element_in(self.next())

    def next(self) -> IteratorResult:
        """The next element: {value, done}; after the last one `done` is True."""
        try:
            return IteratorResult(next(self), False)
        except StopIteration:
            return IteratorResult(None, True)

    def map(self, transform: Callable[[Any], Any]) -> LazyIterator:
        """The result of a function, maybe async, for each element; tensors of the old one that are not in the new
        one are disposed."""
        return _MapIterator(self, of_an_element("map", "transform", transform))

    def map_async(self, transform: Callable[[Any], Any]) -> LazyIterator:
        """The same as `map`: both wait for an async function."""
        return _MapIterator(self, of_an_element("map_async", "transform", transform))

    def flatmap(self, transform: Callable[[Any], Iterable[Any]]) -> LazyIterator:
        """All results of a function for each element, flattened."""
        return _FlatMapIterator(self, of_an_element("flatmap", "transform", transform))

    def filter(self, predicate: Callable[[Any], Any]) -> LazyIterator:
        """The elements for which a function is true; the tensors of the others are disposed."""
        return _FilterIterator(self, of_an_element("filter", "predicate", predicate))

    def take(self, count: int | None) -> LazyIterator:
        """At most the first `count` elements; all of them if it is None or negative."""
        most = count_of("take", count)
        return self if most is None else _TakeIterator(self, most)

    def skip(self, count: int | None) -> LazyIterator:
        """All but the first `count` elements, which are disposed; all of them if it is None or negative."""
        first = count_of("skip", count)
        return self if first is None else _SkipIterator(self, first)

    @accepts_options()
    def row_major_batch(self, batch_size: int, small_last_batch: bool = True) -> LazyIterator:
        """Lists of `batch_size` elements; the last may be shorter, or is omitted."""
        return _RowMajorBatchIterator(self, as_positive("row_major_batch", "batch_size", batch_size), small_last_batch)

    def concatenate(self, iterator: Iterable[Any]) -> LazyIterator:
        """This stream, followed by another one."""
        return ChainedIterator(iter([self, iterator]))

    @accepts_options()
    def prefetch(self, buffer_size: int) -> LazyIterator:
        """The same elements, prefetched `buffer_size` elements ahead."""
        return _PrefetchIterator(self, as_positive("prefetch", "buffer_size", buffer_size))

    @accepts_options()
    def shuffle(self, window_size: int, seed: rng.Seed | None = None) -> LazyIterator:
        """The elements in random order: each is drawn from the next `window_size` ones."""
        return _ShuffleIterator(self, as_positive("shuffle", "window_size", window_size), seed)

    def handle_errors(self, handler: Callable[[Exception], Any]) -> LazyIterator:
        """The elements without those that raised an error, as long as a function of the error returns True."""
        function = as_function_of("handle_errors", "handler", handler, 1, "a function of one argument, the error")
        return _ErrorHandlingIterator(self, function)

    def to_array(self) -> ReadyList[Any]:
        """All remaining elements as a list; awaitable."""
        return ReadyList(self)

    def to_array_for_test(self) -> ReadyList[Any]:
        """All remaining elements as a list, prefetched by 100; awaitable."""
        return ReadyList(self.prefetch(_TEST_AHEAD))

    def resolve_fully(self) -> ReadyNone:
        """Read all remaining elements and drop them; awaitable."""
        deque(self, maxlen=0)
        return ReadyNone()

    def for_each_async(self, f: Callable[[Any], Any]) -> ReadyNone:
        """Call a function, which may be async, with each element, whose tensors are then disposed."""
        return _MapIterator(self, of_an_element("for_each_async", "f", f)).resolve_fully()


def count_of(where: str, count: Any) -> int | None:
    """A number of elements or passes; None if None or a negative number stands for all of them, or no end."""
    number = None if count is None else as_int(where, "count", count)
    return None if number is None or number < 0 else number


class PythonIterator(LazyIterator):
    """The elements of a Python iterable."""

    def __init__(self, elements: Iterable[Any]) -> None:
        self._elements = iter(elements)

    def __next__(self) -> Any:
        return next(self._elements)


def elements_of(function: str, argument: str, expected: str, source: Any) -> LazyIterator:
    """The stream of an iterable, or an error that says what the function's argument must be."""
    if isinstance(source, LazyIterator):
        return source
    return PythonIterator(elements_in(function, argument, expected, source))


class _End:
    """Stands for the end of a stream where an element is expected, which could be None."""


class _DerivedIterator(LazyIterator):
    """A stream derived from another one."""

    def __init__(self, upstream: Iterator[Any]) -> None:
        self._upstream = upstream


class _MapIterator(_DerivedIterator):
    def __init__(self, upstream: Iterator[Any], transform: Callable[[Any], Any]) -> None:
        super().__init__(upstream)
        self._transform = transform

    def __next__(self) -> Any:
        return _transform_element(next(self._upstream), self._transform)


def _transform_element(element: Any, transform: Callable[[Any], Any]) -> Any:
    """The result of a function for an element, whose other tensors are disposed. It may change the element in place."""
    before = list(handles_in(element))
    result = finish(transform(element))
    if before:
        after = {id(handle) for handle in handles_in(result)}
        dispose([handle for handle in before if id(handle) not in after])
    return result


class _FlatMapIterator(_DerivedIterator):
    def __init__(self, upstream: Iterator[Any], transform: Callable[[Any], Iterable[Any]]) -> None:
        super().__init__(upstream)
        self._transform = transform
        self._waiting: deque[Any] = deque()

    def __next__(self) -> Any:
        while not self._waiting:
            self._waiting.extend(
                _transform_element(next(self._upstream), lambda element: list(self._transform(element)))
            )
        return self._waiting.popleft()


class _FilterIterator(_DerivedIterator):
    def __init__(self, upstream: Iterator[Any], predicate: Callable[[Any], Any]) -> None:
        super().__init__(upstream)
        self._predicate = predicate

    def __next__(self) -> Any:
        while True:
            element = next(self._upstream)
            if finish(self._predicate(element)):
                return element
            dispose(element)


class _TakeIterator(_DerivedIterator):
    def __init__(self, upstream: Iterator[Any], count: int) -> None:
        super().__init__(upstream)
        self._left = count

    def __next__(self) -> Any:
        if self._left <= 0:
            raise StopIteration
        self._left -= 1
        return next(self._upstream)


class _SkipIterator(_DerivedIterator):
    def __init__(self, upstream: Iterator[Any], count: int) -> None:
        super().__init__(upstream)
        self._left = count

    def __next__(self) -> Any:
        while self._left > 0:
            self._left -= 1
            dispose(next(self._upstream))
        return next(self._upstream)


class _RowMajorBatchIterator(_DerivedIterator):
    def __init__(self, upstream: Iterator[Any], size: int, small_last: bool) -> None:
        super().__init__(upstream)
        self._size = size
        self._small_last = small_last

    def __next__(self) -> Any:
        rows: list[Any] = []
        for element in self._upstream:
            rows.append(element)
            if len(rows) == self._size:
                return rows
        if rows and self._small_last:
            return rows
        raise StopIteration


class _PrefetchIterator(_DerivedIterator):
    """Prefetches on the same thread: an element does not depend on when it is requested."""

    def __init__(self, upstream: Iterator[Any], size: int) -> None:
        super().__init__(upstream)
        self._size = size
        self._buffer: deque[Any] = deque()
        self._error: Exception | None = None  # raised after the elements that were read before it

    def __next__(self) -> Any:
        while self._error is None and len(self._buffer) < self._size:
            try:
                self._buffer.append(next(self._upstream))
            except Exception as error:
                self._error = error
        if self._buffer:
            return self._buffer.popleft()
        now, self._error = self._error, None
        assert now is not None
        raise now


class _ShuffleIterator(_DerivedIterator):
    """Draws as TF.js does: past the stream's end the buffer is filled with end marks, which are drawn like elements."""

    def __init__(self, upstream: Iterator[Any], size: int, seed: rng.Seed | None) -> None:
        super().__init__(upstream)
        self._size = size
        self._random = rng.stream(rng.truthy_seed(seed))
        self._buffer: list[Any] = []
        # It is refilled when the next element is requested, so that an error loses no element already drawn.
        self._lacks_one = True

    def __next__(self) -> Any:
        buffer = self._buffer
        if self._lacks_one:
            while len(buffer) < self._size:
                buffer.append(next(self._upstream, _End))
        self._lacks_one = False
        while buffer:
            i = int(self._random.next() * len(buffer))
            buffer[i], buffer[-1] = buffer[-1], buffer[i]
            element = buffer.pop()
            if element is not _End:
                self._lacks_one = True
                return element
        raise StopIteration


class _ErrorHandlingIterator(_DerivedIterator):
    def __init__(self, upstream: Iterator[Any], handler: Callable[[Exception], Any]) -> None:
        super().__init__(upstream)
        self._handler = handler

    def __next__(self) -> Any:
        while True:
            try:
                return next(self._upstream)
            except StopIteration:
                raise
            except Exception as error:
                if not self._handler(error):
                    raise StopIteration from None


class ChainedIterator(LazyIterator):
    """The elements of several streams, one after the other."""

    def __init__(self, streams: Iterator[Iterable[Any]]) -> None:
        self._streams = streams
        self._current: Iterator[Any] | None = None

    def __next__(self) -> Any:
        while True:
            if self._current is None:
                self._current = iter(next(self._streams))
            try:
                return next(self._current)
            except StopIteration:
                self._current = None


class ZipIterator(LazyIterator):
    """The elements of a structure of streams, in that structure; it ends with the first stream that does.

    A stream that occurs in several places is read once, and its element appears in all of them.
    """

    def __init__(self, streams: Any) -> None:
        self._streams = streams

    def __next__(self) -> Any:
        read: dict[int, Any] = {}
        element = self._read(self._streams, read)
        if not read or any(value is _End for value in read.values()):
            raise StopIteration
        return element

    def _read(self, streams: Any, read: dict[int, Any]) -> Any:
        if is_structure(streams):
            return like(streams, [self._read(stream, read) for stream in children(streams)])
        if id(streams) not in read:
            read[id(streams)] = next(streams, _End)
        return read[id(streams)]
