"""Feeds of sessions: arrays, and providers of arrays, for the symbolic tensors of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tfpy.core.calling.callables import positional_count
from tfpy.core.naming.names import camel
from tfpy.core.ops.common import cast_to
from tfpy.core.results import Record, member
from tfpy.core.run import run
from tfpy.core.tensor import Tensor as CoreTensor
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.legacy.arrays.ndarray import NDArray, as_tensor
from tfpy.legacy.graphs.graph import Graph
from tfpy.legacy.graphs.symbolic import Tensor

if TYPE_CHECKING:
    from tfpy.legacy.math import NDArrayMath


class FeedEntry(Record):
    """A value for a symbolic tensor: an array, or a provider of arrays. A dict {'tensor', 'data'} serves as well."""

    tensor: Tensor
    data: Any

    def __init__(self, tensor: Tensor, data: Any) -> None:
        super().__init__(tensor, data)


class Feed:
    """An entry as sessions use it: its tensor, and the array or the provider.

    Attributes:
        tensor: the tensor.
        data: the array or the provider.
        provides: whether it is a provider.
    """

    def __init__(self, tensor: Tensor, data: Any, math: NDArrayMath) -> None:
        self.tensor = tensor
        self.data = data
        self.provides = not isinstance(data, Handle)
        if self.provides:
            # Found once: inspecting a function takes longer than calling it.
            self._next = _given(provider_method(tensor, data, "get_next_copy"), 0, math)
            # Up to 0.4 it takes (math, copy), in 0.5 (copy).
            self._give_back = _given(provider_method(tensor, data, "dispose_copy"), 1, math)

    def next_copy(self) -> Handle:
        """The array, or the next one of the provider, checked to be of the tensor's shape."""
        array = self._next() if self.provides else self.data
        if not isinstance(array, Handle) or array.spec.shape != self.tensor.shape:
            expected = f"an array of shape {list(self.tensor.shape)} for {self.tensor.node.name!r}"
            raise argument_error("Session", "feed_entries", expected, array)
        return array

    def value(self, array: Handle) -> CoreTensor:
        """What the graph computes with: the array in float32, unless its dtype is that of its tensor."""
        tensor = as_tensor(array)
        return tensor if tensor.dtype == self.tensor.dtype else cast_to(tensor, "float32")

    def batch(self, arrays: Sequence[Handle]) -> CoreTensor:
        """The same for the arrays of a batch, as one tensor."""
        dtypes = {a.spec.dtype for a in arrays}
        alike = arrays if len(dtypes) == 1 else [cast_to(as_tensor(a), "float32") for a in arrays]
        return self.value(run("Pack", *alike, axis=0))

    def dispose_copy(self, array: Handle) -> None:
        """Give a provider its array back."""
        if self.provides:
            self._give_back(array)


def _given(method: Callable[..., Any], others: int, math: NDArrayMath) -> Callable[..., Any]:
    """A method of a provider with its first argument, the math, if it takes more than `others` arguments."""
    return partial(method, math) if positional_count(method, others + 1) > others else method


def provider_method(tensor: Tensor, provider: Any, name: str) -> Any:
    """A method of a tensor's provider, which may be a dict of functions, in either spelling."""
    found = member(provider, name)
    if found is None:
        expected = f"an NDArray, or an InputProvider with {camel(name)}, for {tensor.node.name!r}"
        raise argument_error("Session", "feed_entries", expected, provider, TypeError)
    return found


def read_feeds(op: str, entries: Sequence[Any], graph: Graph, math: NDArrayMath) -> list[Feed]:
    """The entries that a session is given, by increasing tensor id."""
    if isinstance(entries, (Mapping, FeedEntry)) or not isinstance(entries, Sequence):
        raise argument_error(op, "feed_entries", "a list of {'tensor', 'data'}", entries, TypeError)
    feeds: dict[int, Feed] = {}
    for i, entry in enumerate(entries):
        where = f"feed_entries[{i}]"
        if not isinstance(entry, (Mapping, FeedEntry)) or set(_keys(entry)) != {"tensor", "data"}:
            raise argument_error(op, where, "{'tensor': …, 'data': …}", entry, TypeError)
        tensor, data = entry["tensor"], entry["data"]
        graph._own(op, where, tensor)
        feeds[tensor.id] = Feed(tensor, data, math)
    return [feeds[i] for i in sorted(feeds)]


def _keys(entry: Any) -> Sequence[str]:
    return list(entry) if isinstance(entry, Mapping) else entry._fields


def as_it_is_now(array: Handle) -> Handle:
    """An array whose values stay: a provider may write the next example into the one that it gave before."""
    return as_tensor(array) if isinstance(array, NDArray) and array.written else array
