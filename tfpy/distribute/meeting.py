"""Where processes that train together meet in the course of a training, and which callbacks each of them calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tfpy.core.types import Logs
from tfpy.distribute.agreement import Agreement
from tfpy.layers.callbacks.base import Callback, CallbackList, History
from tfpy.layers.training.loops import RunKeeper, TrainingRun


class Following(CallbackList):
    """The callbacks of a training in a process after the first, which calls only some of them."""

    def __init__(self, callbacks: Iterable[Callback], called: Iterable[Callback]) -> None:
        super().__init__(callbacks)
        self._called = CallbackList(called)

    def call(self, event: str, *args: Any) -> None:
        self._called.call(event, *args)


class Meeting(RunKeeper):
    """The last callback of each process: there all take over what callbacks have done in the first one."""

    def __init__(self, agreement: Agreement, history: History) -> None:
        self._agreement = agreement
        self._history = history

    def resume(self, run: TrainingRun) -> None:
        agreement, source = self._agreement, run.source
        agreement.compare("the beginning of a training", [*_described(run, self.params)])
        agreement.take_model(run.model)
        agreement.take_random_numbers()
        source.restore(agreement.take(source.state()))

    def _agree(self, place: str) -> None:
        model: Any = self.model
        self._agreement.agree(place, model, model.optimizer)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._agree(f"the beginning of epoch {epoch + 1}")
        self._agreement.take_random_numbers()

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._agree(f"the end of batch {batch + 1}")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._agree(f"the end of epoch {epoch + 1}")

    def on_train_end(self, logs: Logs | None = None) -> None:
        self._agree("the end of the training")
        self._agreement.take_random_numbers()
        self._history.history = self._agreement.take(self._history.history)


def _described(run: TrainingRun, params: Mapping[str, Any]) -> Iterator[str]:
    """What must be the same in all processes."""
    yield f"a model with {type(run.compiled.optimizer).__name__}"
    for number, layer in enumerate(run.model.layers):
        yield f"layer {number}: {type(layer).__name__}"
    for number, weight in enumerate(run.model.weights):
        kind = "" if weight.trainable else ", not trained"
        yield f"weight {number}: {weight.dtype} {list(weight.shape)}{kind}"
    for name in ("samples", "steps", "batch_size", "initial_epoch", "epochs", "do_validation", "metrics"):
        yield f"{name}: {params[name]}"
    yield f"epoch {run.epoch} and batch {run.batch} to go on from"
