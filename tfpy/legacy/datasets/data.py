"""Input providers, which supply training examples, and data sets in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.core.results import Record
from tfpy.core.utils.shuffling import create_shuffled_indices
from tfpy.engine.arguments import as_int, as_list, as_shape
from tfpy.engine.backend import Array
from tfpy.engine.dispatch import alias
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.scope import outlive_scopes
from tfpy.legacy.arrays.ndarray import NDArray, shared
from tfpy.legacy.datasets._camel import (
    InMemoryDatasetCamel,
    InMemoryShuffledInputProviderBuilderCamel,
    InputProviderCamel,
)

_STATISTICS_SKIP = 0.1  # of the shuffled examples


class InputProvider(InputProviderCamel):
    """Supplies arrays one by one. A provider defines both methods; it need not be a subclass.

    Source: deeplearn.js `InputProvider`.
    """

    def get_next_copy(self, math: Any = None) -> Handle:
        """The next array, which the caller must return with `dispose_copy`."""
        raise TypeError(f"{type(self).__name__}: a provider must define get_next_copy.")

    def dispose_copy(self, math: Any, copy: Any = None) -> None:
        """Accept a returned array; deeplearn.js 0.5 passes only the array."""
        raise TypeError(f"{type(self).__name__}: a provider must define dispose_copy.")


class ShuffledInputProvider(InputProvider):
    """One of the providers of a builder."""

    def __init__(self, builder: InMemoryShuffledInputProviderBuilder, input_id: int) -> None:
        self._builder = builder
        self._input_id = input_id

    def get_next_copy(self, math: Any = None) -> NDArray:
        """A copy of the next example's array."""
        return self._builder.copy_of(self._builder.get_next_input(self._input_id))

    def dispose_copy(self, math: Any, copy: Handle | None = None) -> None:
        """Dispose a copy; deeplearn.js 0.5 passes only the copy."""
        (math if copy is None else copy).dispose()


class InMemoryShuffledInputProviderBuilder(InMemoryShuffledInputProviderBuilderCamel):
    """Providers of several lists of examples, shuffled in the same order.

    The order is drawn once and repeated after the last example. The next example becomes current once as many arrays
    have been taken as there are lists, from whichever providers.

    Args:
        inputs: lists of arrays, all of the same length; the arrays of a list have the same shape.

    Raises:
        ValueError: no lists, lists of different lengths, or arrays of different shapes.

    Source: deeplearn.js `InMemoryShuffledInputProviderBuilder`.
    """

    def __init__(self, inputs: Sequence[Sequence[Handle]]) -> None:
        given = as_list(type(self).__name__, "inputs", inputs, "lists of arrays")
        self.inputs = [_examples(f"inputs[{i}]", examples) for i, examples in enumerate(given)]
        lengths = [len(examples) for examples in self.inputs]
        if not lengths or len(set(lengths)) != 1 or not lengths[0]:
            expected = "lists with the same number of examples, at least one"
            raise argument_error(type(self).__name__, "inputs", expected, f"lists of {lengths} examples")
        self.shuffled_indices = create_shuffled_indices(lengths[0])
        self._at = 0
        self._taken = 0
        self._epoch = 0

    def get_current_example_index(self) -> int:
        """The position of the current example in the shuffled order; counts as taking one of its arrays."""
        current = self._at
        self._taken += 1
        if self._taken >= len(self.inputs):
            self._taken = 0
            self._at += 1
            if self._at >= len(self.inputs[0]):
                self._at = 0
                self._epoch += 1
        return current

    def get_next_input(self, input_id: int) -> NDArray:
        """The array of the current example in a list."""
        return self.inputs[input_id][int(self.shuffled_indices[self.get_current_example_index()])]

    def get_epoch(self) -> int:
        """The number of completed passes over all examples."""
        return self._epoch

    def get_input_provider(self, input_id: int) -> ShuffledInputProvider:
        """The provider of one list."""
        if not 0 <= as_int("get_input_provider", "input_id", input_id) < len(self.inputs):
            raise argument_error("get_input_provider", "input_id", f"below {len(self.inputs)}", input_id)
        return ShuffledInputProvider(self, input_id)

    def get_input_providers(self) -> list[ShuffledInputProvider]:
        """A provider for each list."""
        return [self.get_input_provider(i) for i in range(len(self.inputs))]

    def copy_of(self, array: NDArray) -> NDArray:
        """The copy that a provider returns: it shares the data until one of the two is written to."""
        return alias(type(array), array)


class InCPUMemoryShuffledInputProviderBuilder(InMemoryShuffledInputProviderBuilder):
    """The builder for arrays in the CPU's memory. Source: deeplearn.js `InCPUMemoryShuffledInputProviderBuilder`."""


class InGPUMemoryShuffledInputProviderBuilder(InMemoryShuffledInputProviderBuilder):
    """The builder for arrays in the GPU's memory. Source: deeplearn.js `InGPUMemoryShuffledInputProviderBuilder`."""


def _examples(argument: str, examples: Any) -> list[NDArray]:
    """A list of arrays of the same shape."""
    if isinstance(examples, Handle) or not isinstance(examples, Sequence):
        raise argument_error("InMemoryShuffledInputProviderBuilder", argument, "a list of arrays", examples, TypeError)
    for example in examples:
        if not isinstance(example, Handle):
            raise argument_error("InMemoryShuffledInputProviderBuilder", argument, "arrays only", example, TypeError)
        if example.spec.shape != examples[0].spec.shape:
            expected = f"arrays of one shape, {list(examples[0].spec.shape)}"
            raise argument_error("InMemoryShuffledInputProviderBuilder", argument, expected, example)
    return _held([e if isinstance(e, NDArray) else shared(e) for e in examples])


class DataStats(Record):
    """The result of `InMemoryDataset.get_stats` for one list. Source: deeplearn.js `DataStats`."""

    example_count: int
    input_min: float
    input_max: float
    shape: tuple[int, ...]


class _Bounds:
    """The normalization of a list of examples: from each element's range over the examples to a common range."""

    def __init__(self, examples: Sequence[NDArray]) -> None:
        values = np.stack([np.asarray(e, dtype=np.float64).reshape(-1) for e in examples])
        self.low: Array = values.min(axis=0)
        self.high: Array = values.max(axis=0)
        self.normalized: tuple[float, float] | None = None

    @property
    def current(self) -> tuple[Any, Any]:
        """The current range of the examples."""
        return (self.low, self.high) if self.normalized is None else self.normalized


class InMemoryDataset(InMemoryDatasetCamel):
    """Lists of examples in memory, which can be normalized. A subclass sets `dataset` in `fetch_data`.

    Args:
        data_shapes: the shape of the examples of each list.
        math: accepted, and of no effect.

    Attributes:
        dataset: the lists of arrays, or None before `fetch_data`.

    Source: deeplearn.js `InMemoryDataset`.
    """

    def __init__(self, data_shapes: Sequence[Sequence[int]], math: Any = None) -> None:
        if not isinstance(data_shapes, (list, tuple)):
            raise argument_error("InMemoryDataset", "data_shapes", "a list of shapes", data_shapes, TypeError)
        self.data_shapes = [as_shape("InMemoryDataset", shape, "data_shapes") for shape in data_shapes]
        self.dataset = None

    @property
    def dataset(self) -> list[list[NDArray]] | None:
        return self._dataset

    @dataset.setter
    def dataset(self, dataset: list[list[NDArray]] | None) -> None:
        """Take ownership of lists of arrays, which scopes then do not dispose, and which are not normalized yet."""
        self._dataset = None if dataset is None else [_held(examples) for examples in dataset]
        self._bounds: dict[int, _Bounds] = {}

    def get_data_shape(self, data_index: int) -> tuple[int, ...]:
        """The shape of the examples of a list."""
        return self.data_shapes[self._checked("get_data_shape", data_index, len(self.data_shapes))]

    def fetch_data(self) -> Any:
        """Fill `dataset`."""
        raise TypeError(f"{type(self).__name__}: a data set must define fetch_data.")

    def get_data(self) -> list[list[NDArray]] | None:
        """The lists of examples; None before `fetch_data`."""
        return self.dataset

    def get_stats(self) -> list[DataStats]:
        """For each list the number of examples, their shape, and the range of the values in 90 % of them.

        Raises:
            ValueError: a list without examples. RuntimeError: nothing has been fetched yet.
        """
        data = self._loaded("get_stats")
        for index, examples in enumerate(data):
            _check_filled("get_stats", index, examples)
        return [_statistics(examples) for examples in data]

    def normalize_within_bounds(self, data_index: int, lower_bound: float, upper_bound: float) -> None:
        """Map each element's range over the examples of a list to a common range.

        An element that is the same in all examples becomes the lower bound. May be repeated with other bounds.

        Args:
            data_index: which list.
            lower_bound: the lower end of the new range.
            upper_bound: its upper end.

        Raises:
            ValueError: no such list, or one without examples. RuntimeError: nothing has been fetched yet.
        """
        data = self._loaded("normalize_within_bounds")
        index = self._checked("normalize_within_bounds", data_index, len(data))
        _check_filled("normalize_within_bounds", index, data[index])
        bounds = self._bounds.setdefault(index, _Bounds(data[index]))
        data[index] = _held(_mapped(data[index], bounds.current, (lower_bound, upper_bound)))
        bounds.normalized = lower_bound, upper_bound

    def is_normalized(self, data_index: int) -> bool:
        """Whether a list is normalized."""
        bounds = self._bounds.get(data_index)
        return bounds is not None and bounds.normalized is not None

    def remove_normalization(self, data_index: int) -> None:
        """Restore the original values of a list."""
        data = self._loaded("remove_normalization")
        index = self._checked("remove_normalization", data_index, len(data))
        data[index] = _held(self.unnormalize_examples(data[index], index))
        if index in self._bounds:
            self._bounds[index].normalized = None

    def unnormalize_examples(self, examples: Sequence[NDArray], data_index: int) -> list[NDArray]:
        """Examples in the normalized range of a list, mapped back to the original values."""
        if not self.is_normalized(data_index):
            return list(examples)
        bounds = self._bounds[data_index]
        return _mapped(examples, bounds.current, (bounds.low, bounds.high))

    def dispose(self) -> None:
        """Dispose all examples."""
        for examples in self.dataset or []:
            for example in examples:
                example.dispose()
        self.dataset = []

    def _loaded(self, op: str) -> list[list[NDArray]]:
        if self.dataset is None:
            raise RuntimeError(f"{op}: there is no data yet; call fetch_data first.")
        return self.dataset

    def _checked(self, op: str, data_index: int, count: int) -> int:
        index = as_int(op, "data_index", data_index)
        if not 0 <= index < count:
            raise argument_error(op, "data_index", f"from 0 to {count - 1}", data_index)
        return index


def _held(examples: Sequence[NDArray]) -> list[NDArray]:
    """Examples that live as long as they are referenced."""
    return [outlive_scopes(example) for example in examples]


def _check_filled(op: str, index: int, examples: Sequence[NDArray]) -> None:
    if not examples:
        raise ValueError(f"{op}: list {index} of the data set has no examples.")


def _statistics(examples: Sequence[NDArray]) -> DataStats:
    order = create_shuffled_indices(len(examples))[int(len(examples) * _STATISTICS_SKIP) :]
    values = [np.asarray(examples[i]) for i in order]
    low = min((float(v.min()) for v in values if v.size), default=float("inf"))
    high = max((float(v.max()) for v in values if v.size), default=float("-inf"))
    return DataStats(len(examples), low, high, examples[0].shape)


@np.errstate(over="ignore", invalid="ignore")  # the numbers of a file may be infinite or NaN
def _mapped(examples: Sequence[NDArray], old: tuple[Any, Any], new: tuple[Any, Any]) -> list[NDArray]:
    """Examples mapped linearly from one range to another; bounds are numbers, or one for each element."""
    (low, high), (to_low, to_high) = old, new
    spread = np.asarray(high - low, dtype=np.float64)
    scale = np.asarray(to_high - to_low, dtype=np.float64)
    out = []
    for example in examples:
        values = np.asarray(example, dtype=np.float64).reshape(-1)
        moved = to_low + scale * (values - low) / np.where(spread == 0, 1, spread)
        result = np.where(spread == 0, to_low, moved).reshape(example.shape)
        out.append(NDArray.make(example.shape, {"values": result}))
    return out
