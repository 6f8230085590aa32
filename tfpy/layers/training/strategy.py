"""Strategy: several processes that train one model together, as seen by the training loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.tensor import Tensor

if TYPE_CHECKING:
    from tfpy.layers.callbacks.base import Callback
    from tfpy.layers.callbacks.callback_list import CallbackList
    from tfpy.layers.callbacks.history import History
    from tfpy.layers.trainable_model import TrainableModel
    from tfpy.layers.training.batch import Batch

Mean = Callable[[list[Tensor], Tensor | None], list[Tensor]]
"""An all-reduce: means over all processes of what each has computed for its part of a batch. They are weighted by the
sizes of the parts: the numbers of samples, or of the unmasked steps of sequences."""

ReplicaStep = Callable[["Batch", Mean], list[Tensor]]
"""A step on one process's part of a batch. It returns means over all parts, and applies mean gradients."""


class Strategy(ABC):
    """Processes that train one model together, each computing a part of every batch.

    Attributes:
        size: how many processes there are.
        first: whether this process prints and saves the results.
    """

    size: int
    first: bool

    @abstractmethod
    def step(self, model: TrainableModel, optimizer: Any, batch: Batch, run: ReplicaStep) -> list[Tensor]:
        """Run a step on this process's part of a batch."""

    @abstractmethod
    def callbacks(self, callbacks: Sequence[Callback], history: History) -> CallbackList:
        """The callbacks of `fit`, including those that this process does not call."""


def single_replica_mean(values: list[Tensor], steps: Tensor | None) -> list[Tensor]:
    """The `Mean` of a process that trains alone."""
    return values
