"""Maps from symbolic tensors to arrays, which sessions and optimizers exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfpy.core.ops.arith import add
from tfpy.core.tensor import Tensor as CoreTensor
from tfpy.engine.handle import Handle
from tfpy.legacy.arrays.ndarray import NDArray, as_tensor, shared

if TYPE_CHECKING:
    from tfpy.legacy.graphs.graph import Tensor


class TensorArrayMap:
    """Arrays by symbolic tensor. Source: deeplearn.js `TensorArrayMap`."""

    def __init__(self) -> None:
        self._arrays: dict[int, Handle] = {}

    def set(self, tensor: Tensor, array: Handle) -> None:
        """Set the array of a tensor."""
        self._arrays[tensor.id] = array

    def get(self, tensor: Tensor) -> NDArray:
        """The array of a tensor.

        Raises:
            ValueError: it has no array.
        """
        array = self.handle(tensor)
        return array if isinstance(array, NDArray) else shared(array)

    def handle(self, tensor: Tensor) -> Handle:
        """The array of a tensor, of the class with which it was set."""
        if tensor.id not in self._arrays:
            raise ValueError(f"TensorArrayMap: there is no array for {tensor!r}.")
        return self._arrays[tensor.id]

    def tensor(self, tensor: Tensor) -> CoreTensor:
        """The array of a tensor as a Tensor of the core."""
        return as_tensor(self.handle(tensor))

    def has(self, tensor: Tensor) -> bool:
        """Whether a tensor has an array."""
        return tensor.id in self._arrays

    def delete(self, tensor: Tensor) -> None:
        """Remove the array of a tensor."""
        self._arrays.pop(tensor.id, None)

    def size(self) -> int:
        """The number of tensors that have an array."""
        return len(self._arrays)

    def dispose(self) -> None:
        """Remove all arrays."""
        self._arrays.clear()


class SummedTensorArrayMap(TensorArrayMap):
    """A map that accumulates the arrays added to a tensor. Source: deeplearn.js `SummedTensorArrayMap`."""

    def add(self, tensor: Tensor, array: Handle) -> None:
        """Add an array to that of a tensor."""
        old = self._arrays.get(tensor.id)
        self._arrays[tensor.id] = array if old is None else add(array, old)
