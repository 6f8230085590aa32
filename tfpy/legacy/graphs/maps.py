"""Maps from symbolic tensors to arrays, which sessions and optimizers exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfpy.core.calling.options import accepts_options
from tfpy.core.ops.arith import add
from tfpy.core.tensor import Tensor as CoreTensor
from tfpy.engine.handle import Handle
from tfpy.legacy.arrays.ndarray import NDArray, as_tensor, shared
from tfpy.legacy.graphs._camel import TensorArrayMapCamel

if TYPE_CHECKING:
    from tfpy.legacy.graphs.symbolic import Tensor


class TensorArrayMap(TensorArrayMapCamel):
    """Arrays by symbolic tensor. Source: deeplearn.js `TensorArrayMap`."""

    def __init__(self) -> None:
        self._arrays: dict[int, Handle | None] = {}

    def set(self, tensor: Tensor, array: Handle | None) -> None:
        """Set the array of a tensor; None is a place without an array."""
        self._arrays[tensor.id] = array

    @accepts_options()
    def get(self, tensor: Tensor, skip_checks: bool = False) -> Any:
        """The array of a tensor.

        Args:
            tensor: the tensor.
            skip_checks: whether to return None if it has no array.

        Raises:
            ValueError: it has no array.
        """
        if skip_checks and not self.has(tensor):
            return None
        array = self.handle(tensor)
        return array if isinstance(array, NDArray) else shared(array)

    def handle(self, tensor: Tensor) -> Handle:
        """The array of a tensor, of the class with which it was set."""
        array = self._arrays.get(tensor.id)
        if array is None:
            raise ValueError(f"TensorArrayMap: there is no array for {tensor!r}.")
        return array

    def tensor(self, tensor: Tensor) -> CoreTensor:
        """The array of a tensor as a Tensor of the core."""
        return as_tensor(self.handle(tensor))

    def has(self, tensor: Tensor) -> bool:
        """Whether a tensor has an array."""
        return self._arrays.get(tensor.id) is not None

    def has_null_array(self, tensor: Tensor) -> bool:
        """Whether a tensor has a place without an array."""
        return tensor.id in self._arrays and not self.has(tensor)

    def delete(self, tensor: Tensor) -> None:
        """Remove the array of a tensor."""
        self._arrays.pop(tensor.id, None)

    def nullify(self, tensor: Tensor) -> None:
        """Remove the array of a tensor, but not its place."""
        self._arrays[tensor.id] = None

    def dispose_array(self, tensor: Tensor) -> None:
        """Dispose the array of a tensor, if it has one."""
        array = self._arrays.get(tensor.id)
        if array is not None:
            array.dispose()
            self.nullify(tensor)

    def size(self) -> int:
        """The number of tensors that have a place."""
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
