"""EarlyStopping: ends training when a value no longer improves."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

from tfpy.core.options import accepts_options
from tfpy.core.registry import export
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.engine.scope import outlive_scopes
from tfpy.layers.callbacks import Callback, Logs


@export(doc="Callbacks")
class EarlyStopping(Callback):
    """Ends training when a loss or metric has not improved for a number of epochs.

    Args:
        args: the options below as a dict.
        monitor: the value to look at.
        min_delta: what counts as an improvement must be more than this.
        patience: after how many epochs without improvement training ends; 0 and 1 are the same.
        verbose: whether to print when it does.
        mode: 'min', 'max', or 'auto': 'max' if the monitored name contains 'acc'.
        baseline: the value that the first epoch must improve on.
        restore_best_weights: give the model the weights of its best epoch in the end (beyond TF.js).

    Source: TF.js `tf.callbacks.earlyStopping`.
    """

    @accepts_options("args")
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
        if mode not in ("auto", "min", "max"):
            raise argument_error("early_stopping", "mode", "'auto', 'min' or 'max'", mode)
        self.monitor = monitor
        self.min_delta = abs(min_delta)
        self.patience = patience
        self.verbose = verbose
        self.mode = mode
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        self.wait = 0
        self.stopped_epoch = 0
        # Improving is getting larger, after a multiplication by this.
        self._sign = 1 if mode == "max" or (mode == "auto" and "acc" in monitor) else -1
        self.best = math.inf
        self._best_weights: list[Tensor] | None = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self.wait = 0
        self.stopped_epoch = 0
        self.best = -self._sign * math.inf if self.baseline is None else self.baseline
        self._best_weights = None

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        current = (logs or {}).get(self.monitor)
        if current is None:
            known = ", ".join(logs or {})
            warnings.warn(f"early_stopping: there is no {self.monitor!r} to look at, only {known}.", stacklevel=2)
            return
        if self._sign * current - self.min_delta > self._sign * self.best:
            self.best = current
            self.wait = 0
            self._remember()
            return
        self.wait += 1
        if self.wait >= self.patience and self.model is not None:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def _remember(self) -> None:
        if self.restore_best_weights and self.model is not None:
            self._best_weights = [outlive_scopes(w) for w in self.model.get_weights()]

    def on_train_end(self, logs: Logs | None = None) -> None:
        if self._best_weights is not None and self.model is not None:
            self.model.set_weights(self._best_weights)
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch}: early stopping.")


@export(namespace="callbacks", doc="Callbacks", options="args")
def early_stopping(
    args: Mapping[str, Any] | None = None,
    *,
    monitor: str = "val_loss",
    min_delta: float = 0,
    patience: int = 0,
    verbose: int = 0,
    mode: str = "auto",
    baseline: float | None = None,
    restore_best_weights: bool = False,
) -> EarlyStopping:
    """A callback that ends training when a value no longer improves; see EarlyStopping for the options.

    Source: TF.js `tf.callbacks.earlyStopping`.
    """
    return EarlyStopping(
        monitor=monitor,
        min_delta=min_delta,
        patience=patience,
        verbose=verbose,
        mode=mode,
        baseline=baseline,
        restore_best_weights=restore_best_weights,
    )
