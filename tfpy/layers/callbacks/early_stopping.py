"""EarlyStopping: ends training when a monitored value stops improving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.tensor import Tensor
from tfpy.core.types import Logs
from tfpy.engine.arguments import as_count, as_int, as_number
from tfpy.engine.printable import put
from tfpy.engine.scope import outlive_scopes
from tfpy.layers.callbacks._camel import EarlyStoppingCamel
from tfpy.layers.callbacks.base import Callback, Check
from tfpy.layers.callbacks.monitor import Monitor
from tfpy.layers.weights import as_values, in_creation_order, set_values, values_of


@export(doc="Callbacks", aliases="callbacks.early_stopping")
class EarlyStopping(EarlyStoppingCamel, Callback):
    """Ends training when a loss or metric has not improved for a number of epochs.

    Args:
        args: the options below as a dict.
        monitor: the value to monitor.
        min_delta: the smallest change that counts as an improvement (exclusive).
        patience: the number of epochs without improvement after which training ends; 0 and 1 are equivalent.
        verbose: whether to print a message when it does.
        mode: 'min', 'max', or 'auto': 'max' if the monitored name contains 'acc'.
        baseline: the value that the first epoch must improve on.
        restore_best_weights: whether to restore the weights of the best epoch at the end (beyond TF.js).

    Attributes:
        best: the best value so far.
        stopped_epoch: the epoch, counted from 0, at which training was stopped; 0 if it was not.

    Source: TF.js `tf.callbacks.earlyStopping`.
    """

    _backup_checks: ClassVar[dict[str, Check]] = {"wait": as_count, "stopped_epoch": as_count, "best": as_number}
    backed_up = (*_backup_checks, "_best_weights")

    min_delta: float
    restore_best_weights: bool
    stopped_epoch: int

    @accepts_options("args", where="early_stopping")
    def __init__(
        self,
        args: Mapping[str, Any] | None = None,
        *,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        self._monitor = Monitor("early_stopping", monitor, mode, min_delta)
        self.monitor = monitor
        self.min_delta = abs(min_delta)
        self.patience = as_int("early_stopping", "patience", patience)
        self.verbose = verbose
        self.mode = mode
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        self._restart()

    def _restart(self) -> None:
        self.wait = 0
        self.stopped_epoch = 0
        self.best = self._monitor.worst
        self._best_weights: list[Tensor] | None = None

    def from_backup(self, values: Mapping[str, Any]) -> dict[str, Any]:
        weights = values["_best_weights"]
        if weights is not None:
            tensors = as_values("the model", in_creation_order(self.model.weights), weights)
            weights = [outlive_scopes(tensor) for tensor in tensors]
        return super().from_backup(values) | {"_best_weights": weights}

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._restart()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        current = self._monitor.value(logs)
        if current is None:
            return
        if self._monitor.improves(current, self.best):
            self.best = current
            self._remember()
            if self.baseline is None or self._monitor.improves(current, self.baseline):
                self.wait = 0
                return
        self.wait += 1
        if self.wait >= self.patience and self.model is not None:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def _remember(self) -> None:
        if self.restore_best_weights and self.model is not None:
            self._best_weights = [outlive_scopes(w) for w in values_of(in_creation_order(self.model.weights))]

    def on_train_end(self, logs: Logs | None = None) -> None:
        if self._best_weights is not None and self.model is not None:
            set_values("the model", in_creation_order(self.model.weights), self._best_weights)
            self._best_weights = None
        if self.stopped_epoch > 0 and self.verbose:
            put(f"Epoch {self.stopped_epoch}: early stopping.")
