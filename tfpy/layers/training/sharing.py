"""Sharing: what the training of a model asks of whatever lets several processes do it together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.tensor import Tensor

if TYPE_CHECKING:
    from tfpy.layers.callbacks.base import Callback
    from tfpy.layers.callbacks.callback_list import CallbackList
    from tfpy.layers.callbacks.history import History
    from tfpy.layers.model import LayersModel
    from tfpy.layers.training.batch import Batch

Mean = Callable[[list[Tensor], Tensor | None], list[Tensor]]
"""Makes means over all processes of what one has computed for its part of a batch. They are weighted by the sizes of
the parts: the numbers of samples, or of the steps of sequences that masks do not hide."""

PartOfStep = Callable[["Batch", Mean], list[Tensor]]
"""A step on a part of a batch, which reports means over all parts, and changes variables by means."""


class Sharing(ABC):
    """Processes that train one model together: each computes a part of every batch.

    Attributes:
        size: how many processes there are.
        first: whether this is the one that shows and writes what all have found.
    """

    size: int
    first: bool

    @abstractmethod
    def step(self, model: LayersModel, optimizer: Any, batch: Batch, run: PartOfStep) -> list[Tensor]:
        """What `run` returns for this process's part of a batch."""

    @abstractmethod
    def callbacks(self, callbacks: Sequence[Callback], history: History) -> CallbackList:
        """The callbacks of a training; those that this process does not call are among them."""


def same(values: list[Tensor], steps: Tensor | None) -> list[Tensor]:
    """The `Mean` of a process that has the whole batch."""
    return values
