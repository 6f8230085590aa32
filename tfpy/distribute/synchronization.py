"""Callbacks in distributed training: the callbacks that each process calls, and the one that synchronizes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tfpy.core.types import Logs
from tfpy.distribute.coordinator import Coordinator
from tfpy.distribute.fingerprint import fingerprint
from tfpy.layers.callbacks.base import Callback
from tfpy.layers.callbacks.callback_list import CallbackList
from tfpy.layers.callbacks.history import History
from tfpy.layers.training.loops import TrainingRun
from tfpy.layers.training.resuming import RunCallback
from tfpy.layers.training.training_state import optimizer_for

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer
    from tfpy.layers.model import LayersModel

# The parameters of `fit` that must be the same in all processes.
_PARAMS = ("samples", "steps", "batch_size", "initial_epoch", "epochs", "do_validation", "metrics")


class PartialCallbackList(CallbackList):
    """The callbacks of a process other than the first, only some of which are called."""

    def __init__(self, callbacks: Iterable[Callback], called: Iterable[Callback]) -> None:
        super().__init__(callbacks)
        self._called = CallbackList(called)

    def call(self, event: str, *args: Any) -> None:
        self._called.call(event, *args)


class Synchronization(RunCallback):
    """The last callback of each process. It applies the changes that callbacks have made in the first process."""

    _run: TrainingRun

    def __init__(self, coordinator: Coordinator, history: History) -> None:
        self._coordinator = coordinator
        self._history = history

    def set_model(self, model: LayersModel) -> None:
        super().set_model(model)
        params = [f"{name}: {self.params[name]}" for name in _PARAMS]
        self._coordinator.compare("the beginning of a training", [*fingerprint(model, model.optimizer), *params])

    def resume(self, run: TrainingRun) -> None:
        self._run = run
        coordinator, iterator = self._coordinator, run.iterator
        start = [
            f"a model with {type(self._optimizer).__name__}",
            f"epoch {iterator.epoch} and batch {iterator.batch} to go on from",
        ]
        coordinator.compare("the first epoch", start)
        coordinator.broadcast_model(run.model, self._optimizer)
        coordinator.broadcast_random_numbers()
        iterator.source.restore("distribute", coordinator.broadcast(iterator.source.state()))

    @property
    def _optimizer(self) -> Optimizer:
        return optimizer_for(self._run.model, self._run.compiled)

    def _synchronize(self, place: str) -> None:
        self._coordinator.synchronize(place, self._run.model, self._optimizer)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._synchronize(f"the beginning of epoch {epoch + 1}")
        self._coordinator.broadcast_random_numbers()

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._synchronize(f"the end of batch {batch + 1}")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._synchronize(f"the end of epoch {epoch + 1}")

    def on_train_end(self, logs: Logs | None = None) -> None:
        self._synchronize("the end of the training")
        self._coordinator.broadcast_random_numbers()
        self._history.history = self._coordinator.broadcast(self._history.history)
