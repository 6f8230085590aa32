"""Where processes that train together meet in the course of a training, and which callbacks each of them calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.layers.callbacks.base import Callback, CallbackList, History, Logs
from tfpy.layers.training.loops import RunKeeper, TrainingRun

if TYPE_CHECKING:
    from tfpy.distribute.ranks import Ranks


class Listeners(CallbackList):
    """The callbacks of a training, of which a process may call only some."""

    def __init__(self, callbacks: Sequence[Callback], called: Sequence[Callback] | None) -> None:
        super().__init__(callbacks)
        self._called = self if called is None else CallbackList(called)
        for callback in callbacks:
            if isinstance(callback, RunKeeper):
                callback.writes = called is None

    def call(self, event: str, *args: Any) -> None:
        if self._called is self:
            super().call(event, *args)
        else:
            self._called.call(event, *args)


class Meeting(RunKeeper):
    """The last callback of each process: there all take over what callbacks have done in the first one."""

    def __init__(self, ranks: Ranks, history: History) -> None:
        self._ranks = ranks
        self._history = history

    def resume(self, run: TrainingRun) -> None:
        ranks, source = self._ranks, run.source
        ranks.compare("the beginning of a training", [*_described(run, self.params)])
        ranks.take_model(run.model)
        ranks.share_random_numbers()
        state = ranks.take(source.state())
        if not ranks.first:
            source.restore(state, 0, lambda: None)

    def _agree(self, place: str) -> None:
        model: Any = self.model
        self._ranks.agree(place, model, model.optimizer)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._agree(f"the beginning of epoch {epoch + 1}")
        self._ranks.share_random_numbers()

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._agree(f"the end of batch {batch + 1}")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._agree(f"the end of epoch {epoch + 1}")

    def on_train_end(self, logs: Logs | None = None) -> None:
        self._agree("the end of the training")
        self._ranks.share_random_numbers()
        self._history.history = self._ranks.take(self._history.history)


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
