"""tf.data pipelines: elements and sizes, batches, laziness, sources, disposal, and invalid arguments."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from data.recorded import TFJS
from hypothesis import given
from hypothesis import strategies as st

import tfpy as tf
from tfpy.core.calling.ready import finish
from tfpy.data.iterators import LazyIterator

THREE = [1, 2, 3]


def three() -> tf.data.Dataset:
    return tf.data.array(THREE)


# Sizes and elements


@pytest.mark.parametrize(
    ("make", "elements", "size"),
    [
        (lambda d: d.take(), [1, 2, 3], 3),
        (lambda d: d.take(-1), [1, 2, 3], 3),
        (lambda d: d.take(0), [], 0),
        (lambda d: d.take(2), [1, 2], 2),
        (lambda d: d.take(5), [1, 2, 3], 3),
        (lambda d: d.skip(), [1, 2, 3], 3),
        (lambda d: d.skip(-1), [1, 2, 3], 3),
        (lambda d: d.skip(0), [1, 2, 3], 3),
        (lambda d: d.skip(2), [3], 1),
        (lambda d: d.skip(5), [], 0),
        (lambda d: d.repeat(0), [], 0),
        (lambda d: d.repeat(2), [1, 2, 3, 1, 2, 3], 6),
        (lambda d: d.repeat().take(7), [1, 2, 3, 1, 2, 3, 1], 7),
        (lambda d: d.filter(lambda x: x != 2).repeat(2), [1, 3, 1, 3], None),
        (lambda d: d.filter(lambda x: False).repeat(), [], math.inf),
        (lambda d: d.take(0).repeat(), [], 0),
        (lambda d: d.filter(lambda x: x > 1), [2, 3], None),
        (lambda d: d.map(lambda x: x * x), [1, 4, 9], 3),
        (lambda d: d.filter(lambda x: x > 1).map(lambda x: -x), [-2, -3], None),
        (lambda d: d.concatenate(d.take(1)), [1, 2, 3, 1], 4),
        (lambda d: d.concatenate(d.filter(lambda x: x > 2)), [1, 2, 3, 3], None),
        (lambda d: d.filter(lambda x: x > 2).concatenate(d), [3, 1, 2, 3], None),
        (lambda d: d.prefetch(2), [1, 2, 3], 3),
        (lambda d: d.prefetch(9), [1, 2, 3], 3),
        (lambda d: tf.data.zip([d, d.skip(1)]), [[1, 2], [2, 3]], 2),
        (lambda d: tf.data.zip((d, d.map(str))), [(1, "1"), (2, "2"), (3, "3")], 3),
        (lambda d: tf.data.zip({"a": d, "b": {"c": d.take(2)}}), [{"a": 1, "b": {"c": 1}}, {"a": 2, "b": {"c": 2}}], 2),
        (lambda d: tf.data.zip({"a": d, "b": d}), [{"a": n, "b": n} for n in THREE], 3),
        (lambda d: tf.data.zip([d, d.repeat()]), [[1, 1], [2, 2], [3, 3]], 3),
        (lambda d: tf.data.zip([d, d.filter(lambda x: x > 1)]), [[1, 2], [2, 3]], None),
        (lambda d: tf.data.zip(d), [1, 2, 3], 3),
        (lambda d: tf.data.array([]), [], 0),
        (lambda d: tf.data.array(()), [], 0),
    ],
)
def test_elements_and_sizes(make: Callable[[Any], Any], elements: list[Any], size: Any) -> None:
    d = make(three())
    assert d.size == size
    if size != math.inf:
        assert d.to_array() == d.toArray() == elements, "a data set can be read repeatedly"
    assert list(d) == elements
    assert d.prefetch(3).iterator().to_array_for_test() == elements


def test_infinite_sizes() -> None:
    endless = three().repeat()
    for d in (
        endless,
        endless.batch(2),
        endless.filter(bool),
        endless.map(abs),
        endless.skip(3),
        endless.repeat(2),
        three().concatenate(endless),
        endless.concatenate(three()),
        endless.concatenate(three().filter(bool)),
        endless.shuffle(2),
        endless.prefetch(1),
    ):
        assert d.size == math.inf
        with pytest.raises(ValueError, match="is infinite"):
            d.to_array()
        with pytest.raises(ValueError, match="is infinite"):
            d.toArrayForTest()


def test_small_last_batch() -> None:
    d = tf.data.array([1, 2, 3, 4, 5])
    assert [b.array_sync() for b in d.batch(2)] == [[1, 2], [3, 4], [5]]
    assert [b.array_sync() for b in d.batch(2, False)] == [[1, 2], [3, 4]]
    assert d.batch(2).size == 3
    assert d.batch(2, smallLastBatch=False).size == 2
    assert d.filter(bool).batch(2).size is None
    assert [b.array_sync() for b in d.batch(batch_size=9)] == [[1, 2, 3, 4, 5]]
    assert d.take(0).batch(3).to_array() == []


@pytest.mark.parametrize("case", TFJS["shuffles"], ids=str)
def test_shuffle_order_matches_tfjs(case: dict[str, Any]) -> None:
    d = tf.data.array(list(range(case["count"]))).shuffle(*case["args"])
    assert [d.to_array(), d.to_array(), d.take(3).to_array()] == case["passes"]


@given(st.integers(0, 30), st.integers(1, 40), st.integers(0, 5))
def test_shuffle_is_a_permutation_within_the_window(count: int, window: int, seed: int) -> None:
    found = tf.data.array(list(range(count))).shuffle(window, seed).to_array()
    assert sorted(found) == list(range(count))
    assert all(found.index(n) >= n - window + 1 for n in range(count)), "no element comes before it enters the window"


def test_shuffle_without_seed_follows_the_global_seed() -> None:
    items = list(range(100))
    assert tf.data.array(items).shuffle(100).to_array() != tf.data.array(items).shuffle(100).to_array()
    found = []
    for _ in range(2):
        tf.set_seed(3)
        found.append(tf.data.array(items).shuffle(100, 0).to_array())
    tf.set_seed(None)
    assert found[0] == found[1]


# Batches


class Pair(NamedTuple):
    x: Any
    y: Any


@pytest.mark.parametrize(
    ("rows", "dtype", "values"),
    [
        ([1, 2.5], "float32", [1, 2.5]),
        ([True, False], "bool", [True, False]),
        (["a", "ä"], "string", ["a", "ä"]),
        ([[1, 2], [3, 4]], "float32", [[1, 2], [3, 4]]),
        ([[[1], [2]], [[3], [4]]], "float32", [[[1], [2]], [[3], [4]]]),
        ([np.array([1, 2]), np.array([3, 4])], "int32", [[1, 2], [3, 4]]),
        ([np.array([1.5]), np.array([2.5])], "float32", [[1.5], [2.5]]),
        ([np.uint8(3), np.uint8(4)], "int32", [3, 4]),
        (np.array([[1, 2], [3, 4]], np.float64), "float32", [[1, 2], [3, 4]]),
        ([["a"], ["b"]], "string", [["a"], ["b"]]),
        ([None, 2], "float32", [math.nan, 2]),
        (["a", None], "string", ["a", ""]),
        ([None, "a"], "string", ["", "a"]),
        (["a", 1, 2.5], "string", ["a", "1", "2.5"]),
    ],
)
def test_batch_dtypes_and_values(rows: Any, dtype: str, values: Any) -> None:
    batch = tf.data.array(rows).batch(9).to_array()[0]
    assert batch.dtype == dtype
    np.testing.assert_array_equal(batch.array_sync(), values)


def test_batches_keep_the_structure_of_elements() -> None:
    rows = [{"a": (n, [n, n]), "b": {"c": f"{n}"}, "d": Pair(n, -n)} for n in THREE]
    batch = tf.data.array(rows).batch(2).to_array()[0]
    assert batch["a"][0].array_sync() == [1, 2]
    assert batch["a"][1].array_sync() == [[1, 1], [2, 2]]
    assert batch["b"]["c"].array_sync() == ["1", "2"]
    assert batch["d"].y.array_sync() == [-1, -2]


def test_missing_keys_become_nan_or_empty_strings() -> None:
    batch = tf.data.array([{"a": 1, "b": "x"}, {"b": "y"}, {"a": 3}]).batch(3).to_array()[0]
    np.testing.assert_array_equal(batch["a"].array_sync(), [1, math.nan, 3])
    assert batch["b"].array_sync() == ["x", "y", ""]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 2], [3]], "element"),
        ([{"a": [1]}, {"a": [1, 2]}], "'a'"),
        ([{"a": 1}, 3], "same form"),
        ([(1, 2), 3], "same form"),
        ([np.zeros(2), np.zeros(3)], "one shape"),
        ([1, "a"], "all of one kind"),
        ([[{"a": 1}], [{"a": 2}]], "element"),
        ([object(), object()], "element"),
        (
            [{"xs": tf.ones([2])}, {"xs": tf.ones([3])}],
            r"batch: argument 'xs'.*one shape in every row.*\[\[2\], \[3\]\]",
        ),
        ([{"xs": tf.ones([2])}, {}], "batch: argument 'xs' must be a tensor in every row"),
    ],
)
def test_batching_incompatible_elements_raises(rows: list[Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        tf.data.array(rows).batch(2).to_array()


def test_batches_stack_tensors(backend: str) -> None:
    rows = [tf.tensor1d([1, 2], "int32"), tf.tensor1d([3, 4], "int32")]
    batch = tf.data.array(rows).batch(2).to_array()[0]
    assert batch.dtype == "int32"
    assert batch.array_sync() == [[1, 2], [3, 4]]
    assert rows[0].array_sync() == [1, 2], "tf.data.array copies its items"


# Laziness and order


def test_elements_are_computed_lazily() -> None:
    log: list[Any] = []

    def recorder(name: str) -> Callable[[Any], Any]:
        def record(x: Any) -> Any:
            log.append((name, x))
            return x

        return record

    d = three().map(recorder("a")).filter(recorder("b")).map(recorder("c"))
    iterator = d.iterator()
    assert log == []
    assert iterator.next().value == 1
    assert log == [("a", 1), ("b", 1), ("c", 1)]
    log.clear()
    prefetching = d.prefetch(2).iterator()
    assert log == []
    next(prefetching)
    assert [x for name, x in log if name == "c"] == [1, 2]


def test_iterator_protocols_of_tfjs_and_python() -> None:
    iterator = three().iterator()
    assert next(iterator) == 1
    value, done = iterator.next()
    assert (value, done) == (2, False)
    assert [*iterator] == [3]
    result = iterator.next()
    assert (result.value, result.done, result["done"]) == (None, True, True)
    assert iterator.next().done
    assert [n for n in three() if n > 1] == [2, 3]


def test_results_are_awaitable() -> None:
    async def run() -> list[Any]:
        log: list[Any] = []
        iterator = await three().iterator()
        first = await iterator.next()
        nothing = await three().forEachAsync(log.append)
        return [first.value, nothing, log, await three().toArray(), await three().toArrayForTest()]

    assert asyncio.run(run()) == [1, None, THREE, THREE, THREE]


async def double_async(x: Any) -> Any:
    await asyncio.sleep(0)
    return x * 2


def test_async_functions_are_awaited() -> None:
    def run_all() -> list[Any]:
        log: list[Any] = []

        async def record(x: Any) -> None:
            log.append(await double_async(x))

        async def odd(x: Any) -> bool:
            return x % 2 == 1

        three().for_each_async(record)
        return [
            three().map_async(double_async).to_array(),
            three().mapAsync(lambda x: x + 1).to_array(),
            three().map(double_async).to_array(),
            three().filter(odd).to_array(),
            log,
        ]

    expected = [[2, 4, 6], [2, 3, 4], [2, 4, 6], [1, 3], [2, 4, 6]]
    assert run_all() == expected

    async def within_event_loop() -> list[Any]:
        return run_all()

    assert asyncio.run(within_event_loop()) == expected
    assert finish(3) == 3


def test_reading_continues_after_an_error() -> None:
    def fail_at_two(x: int) -> int:
        if x == 2:
            raise KeyError(x)
        return x

    iterator = three().map(fail_at_two).iterator()
    assert iterator.next().value == 1
    with pytest.raises(KeyError):
        iterator.next()
    assert iterator.next().value == 3
    assert iterator.next().done


def test_iterator_methods() -> None:
    def stream() -> Any:
        return three().iterator()

    assert stream().flatmap(lambda x: [x] * x).to_array() == [1, 2, 2, 3, 3, 3]
    assert stream().rowMajorBatch(2).to_array() == [[1, 2], [3]]
    assert stream().row_major_batch(2, small_last_batch=False).to_array() == [[1, 2]]
    assert stream().concatenate(stream()).to_array() == THREE * 2
    assert stream().skip(1).take(1).to_array() == [2]
    assert stream().map_async(double_async).filter(lambda x: x > 2).to_array() == [4, 6]
    assert sorted(stream().shuffle(2, "s")) == THREE
    with pytest.raises(ValueError, match="window_size"):
        stream().shuffle(0)


# Sources


def test_func_sources() -> None:
    for result in (
        lambda n, done: {"value": n, "done": done},
        lambda n, done: (n, done),
        lambda n, done: tf.data.array([] if done else [n]).iterator().next(),
    ):
        numbers = iter(range(9))

        def give(result: Any = result, numbers: Any = numbers) -> Any:
            n = next(numbers)
            return result(n, n >= 3)

        d = tf.data.func(give)
        assert d.size is None
        assert d.to_array() == [0, 1, 2]
        assert d.to_array() == [], "every pass continues with the same function"


def test_generator_sources() -> None:
    passes = []

    def count() -> Iterator[int]:
        passes.append(1)
        yield from THREE

    async def count_async() -> AsyncIterator[int]:
        for n in THREE:
            await asyncio.sleep(0)
            yield n

    class TfjsCounter:
        """An iterator with the protocol of TF.js."""

        def __init__(self) -> None:
            self.n = 0

        def next(self) -> dict[str, Any]:
            self.n += 1
            return {"value": self.n, "done": self.n > 3}

    def as_dict() -> dict[str, Any]:
        iterator = TfjsCounter()
        return {"next": lambda: iterator.next()}

    async def as_coroutine() -> Iterator[int]:
        return iter(THREE)

    sources: list[Any] = [
        count,
        count_async,
        TfjsCounter,
        as_dict,
        as_coroutine,
        lambda: THREE,
        lambda: three().iterator(),
    ]
    for source in sources:
        d = tf.data.generator(source)
        assert d.size is None
        assert d.to_array() == d.to_array() == THREE
        assert d.take(2).to_array() == [1, 2]
    assert len(passes) == 3
    slow = tf.data.generator(count_async)
    assert [b.array_sync() for b in slow.batch(2).to_array()] == [[1, 2], [3]], (
        "stages may call next again after the end"
    )
    assert slow.prefetch(2).to_array() == sorted(slow.shuffle(9).to_array()) == THREE


def test_custom_dataset() -> None:
    class Squares(tf.data.Dataset):
        size = 3

        def iterator(self) -> Any:
            return (n * n for n in THREE)

    assert Squares().map(lambda x: x + 1).to_array() == [2, 5, 10]
    assert Squares().batch(2).to_array()[1].array_sync() == [9]
    assert list(Squares()) == Squares().toArray() == [1, 4, 9]
    assert repr(Squares()) == "Squares(size=3)"
    with pytest.raises(TypeError, match="iterator"):
        tf.data.Dataset().to_array()


class TfjsIterator:
    def __init__(self) -> None:
        self.remaining = list(THREE)

    async def next(self) -> dict[str, Any]:
        return {"done": False, "value": self.remaining.pop(0)} if self.remaining else {"done": True, "value": None}


class TfjsLazyIterator(TfjsIterator, LazyIterator):  # type: ignore[misc]
    pass


@pytest.mark.parametrize("kind", [TfjsIterator, TfjsLazyIterator])
def test_custom_dataset_with_tfjs_iterator(kind: type) -> None:
    class Three(tf.data.Dataset):
        async def iterator(self) -> Any:
            return kind()

    assert list(Three()) == Three().to_array() == THREE
    assert [b.array_sync() for b in Three().batch(2)] == [[1, 2], [3]]


def test_array_source_copies_elements() -> None:
    numbers = np.ones((2, 3), np.float32)
    for source in (numbers, list(numbers), [{"a": row} for row in numbers]):
        for element in tf.data.array(source):
            row = element["a"] if isinstance(element, dict) else element
            row *= 2  # a user's function may modify elements
    assert (numbers == 1).all()
    items = [{"a": [1, 2]}, {"a": [3, 4]}]

    def change(item: dict[str, Any]) -> Any:
        item["a"].append(0)
        return item

    assert tf.data.array(items).map(change).to_array()[0] == {"a": [1, 2, 0]}
    assert items[0] == {"a": [1, 2]}


# Memory


def scalars(*numbers: float) -> list[tf.Tensor]:
    return [tf.scalar(n) for n in numbers]


def test_intermediate_elements_are_disposed() -> None:
    given: list[tf.Tensor] = []

    def give() -> Iterator[dict[str, tf.Tensor]]:
        for n in range(4):
            given.append(tf.scalar(n))
            yield {"a": given[-1]}

    d = tf.data.generator(give)
    for use, kept in (
        (lambda: d.map(lambda x: {"a": x["a"].add(1)}).to_array(), []),
        (lambda: d.map(lambda x: x).to_array(), [0, 1, 2, 3]),
        (lambda: d.filter(lambda x: bool(x["a"].greater(1))).to_array(), [2, 3]),
        (lambda: d.skip(3).to_array(), [3]),
        (lambda: d.batch(3).to_array(), []),
        (lambda: d.for_each_async(lambda x: x["a"].square()), []),
        (lambda: d.map_async(to_float_async).to_array(), []),
        (lambda: d.iterator().flatmap(lambda x: [x["a"], x["a"].neg()]).to_array(), [0, 1, 2, 3]),
    ):
        given.clear()
        result = use()  # type: ignore[no-untyped-call]
        assert [n for n, t in enumerate(given) if not t.is_disposed] == kept
        del result
    given.clear()


async def to_float_async(x: dict[str, tf.Tensor]) -> float:
    return float(x["a"])


def test_user_functions_run_in_a_tidy() -> None:
    intermediate: list[tf.Tensor] = []

    def double(x: tf.Tensor) -> tf.Tensor:
        intermediate.append(x.add(0))
        return intermediate[-1].mul(2)

    def large(x: tf.Tensor) -> tf.Tensor:
        intermediate.append(x.greater(1))
        return intermediate[-1]

    numbers = scalars(1, 2, 3)
    before = tf.memory().num_tensors
    found = tf.data.array(numbers).map(double).filter(large).to_array()
    assert [float(t) for t in found] == [2, 4, 6]
    assert all(t.is_disposed for t in intermediate)
    assert tf.memory().num_tensors == before + 3
    assert not any(t.is_disposed for t in numbers)


def test_reading_within_a_tidy() -> None:
    total = tf.tidy(lambda: sum((batch.sum() for batch in three().batch(2)), start=tf.scalar(0)))
    assert float(total) == 6


# Invalid arguments


def containing_itself() -> list[Any]:
    items: list[Any] = [1]
    items.append(items)
    return items


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.data.array(3), "array.*items"),
        (lambda: tf.data.zip(containing_itself()), "zip: .*'datasets'.* a structure that does not contain itself"),
        (lambda: tf.data.array(containing_itself()).to_array(), "array: .*'items'.* do not contain themselves"),
        (lambda: tf.data.array(tf.ones([2])), r"array.*items.*t\.unstack\(\)"),
        (lambda: tf.data.array("text"), "array.*items"),
        (lambda: tf.data.array({"a": 1}), "array.*items"),
        (lambda: tf.data.array(np.float32(3)), "array.*items"),
        (lambda: tf.data.zip(3), "zip.*datasets"),
        (lambda: tf.data.zip([three(), 3]), "zip.*data sets only"),
        (lambda: tf.data.zip({"a": [1, 2]}), "zip.*data sets only"),
        (lambda: tf.data.func(3), "func.*function"),
        (lambda: tf.data.func(lambda: 3).to_array(), "done"),
        (lambda: tf.data.generator(iter(THREE)), "generator.*function"),
        (lambda: tf.data.generator(lambda: 3).to_array(), "generator.*iterator"),
        (lambda: three().batch(0), "batch_size"),
        (lambda: three().batch(1.5), "batch_size"),
        (lambda: three().batch("3"), "batch_size"),
        (lambda: three().map(3), "map.*transform"),
        (lambda: three().map_async(None), "map_async.*transform"),
        (lambda: three().filter(True), "filter.*predicate"),
        (lambda: three().for_each_async(1), "for_each_async.*f"),
        (lambda: three().concatenate([1]), "concatenate.*dataset"),
        (lambda: three().take(1.5), "take.*count"),
        (lambda: three().skip("a"), "skip.*count"),
        (lambda: three().repeat([]), "repeat.*count"),
        (lambda: three().prefetch(None), "prefetch.*buffer_size"),
        (lambda: three().prefetch(0), "prefetch.*buffer_size"),
        (lambda: three().shuffle(None), "shuffle.*buffer_size.*3 for a perfect"),
        (lambda: three().filter(bool).shuffle(None), "shuffle.*buffer_size"),
        (lambda: three().shuffle(-1), "shuffle.*buffer_size"),
        (lambda: three().shuffle(2**32), "shuffle.*buffer_size.*at most 4294967295"),
        (lambda: three().shuffle(2, reshuffle=True), "shuffle.*reshuffle"),
        (
            lambda: three().iterator().map(3),
            "map: argument 'transform' must be a function of one argument, the element ",
        ),
        (lambda: three().iterator().map_async(None), "map_async: argument 'transform'"),
        (lambda: three().iterator().flatmap("a"), "flatmap: argument 'transform'"),
        (lambda: three().iterator().filter([]), "filter: argument 'predicate'"),
        (lambda: three().iterator().forEachAsync(1), "for_each_async: argument 'f'"),
        (lambda: three().iterator().handle_errors(1), "handle_errors: argument 'handler'"),
        (lambda: three().iterator().take([]), "take: argument 'count' must be a whole number"),
        (lambda: three().iterator().skip(np.ones(2)), "skip: argument 'count' must be a whole number"),
        (lambda: tf.data.webcam(), "webcam.*browser"),
        (lambda: tf.data.microphone({"fftSize": 64}), "microphone.*browser"),
    ],
)
def test_invalid_arguments_raise(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError, RuntimeError), match=message):
        call()


def test_len_is_the_known_size() -> None:
    numbers = tf.data.array([1, 2, 3])
    assert (len(numbers), len(numbers.batch(2)), len(tf.data.array([]))) == (3, 2, 0)
    assert tf.data.array([])  # an empty data set is truthy, as in TensorFlow's tf.data
    assert list(numbers.filter(lambda x: x > 1)) == [2, 3]
    with pytest.raises(TypeError, match="unknown size"):
        len(numbers.filter(lambda x: x > 1))
    with pytest.raises(TypeError, match="is infinite"):
        len(numbers.repeat())


def _failing_at(wrong: int) -> Any:
    def checked(x: Any) -> Any:
        if x == wrong:
            raise ValueError("wrong")
        return x

    return tf.data.array([1, 2, 3, 4, 5, 6]).map(checked)


@pytest.mark.parametrize("size", [1, 2, 3, 6, 9])
def test_error_in_shuffled_stream_loses_no_other_element(size: int) -> None:
    kept = _failing_at(3).shuffle(size, seed="a").iterator().handle_errors(lambda error: True).to_array()
    assert sorted(kept) == [1, 2, 4, 5, 6]


@pytest.mark.parametrize("size", [1, 2, 4, 9])
def test_prefetch_raises_errors_in_order(size: int) -> None:
    data = _failing_at(3).prefetch(size)
    assert data.take(2).to_array() == [1, 2]
    seen: list[Any] = []
    with pytest.raises(ValueError, match="wrong"):
        seen.extend(data)
    assert seen == [1, 2]
    assert data.iterator().handle_errors(lambda error: True).to_array() == [1, 2, 4, 5, 6]


@pytest.mark.parametrize("empty", [[], {}])
def test_zip_of_no_data_sets_is_empty(empty: Any) -> None:
    assert tf.data.zip(empty).to_array() == []
