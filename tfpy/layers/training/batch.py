"""Batch: the tensors of some samples, and how samples are divided into batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tfpy.core.convert import to_tensor
from tfpy.core.tensor import Tensor


class Batch(NamedTuple):
    """The tensors of some samples."""

    inputs: list[Tensor]
    targets: list[Tensor]
    weights: list[Tensor | None]

    @property
    def size(self) -> int:
        return self.inputs[0].shape[0]

    def rows(self, start: int, end: int) -> Batch:
        """Consecutive samples."""
        return self._map(lambda t: _rows(t, start, end))

    def gather(self, indices: npt.NDArray[np.int32]) -> Batch:
        """The samples of the given indices."""
        picked = to_tensor("fit", "indices", indices)
        return self._map(lambda t: t.gather(picked))

    def _map(self, part: Callable[[Tensor], Tensor]) -> Batch:
        weights = [None if w is None else part(w) for w in self.weights]
        return Batch([part(t) for t in self.inputs], [part(t) for t in self.targets], weights)


def _rows(tensor: Tensor, start: int, end: int) -> Tensor:
    return tensor if (start, end) == (0, tensor.shape[0]) else tensor.slice(start, end - start)


def batch_spans(count: int, size: int) -> list[tuple[int, int]]:
    """The start and end of each batch of the given size; the last may be smaller."""
    return [(start, min(count, start + size)) for start in range(0, count, size)]
