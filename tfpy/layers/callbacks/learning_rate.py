"""Callbacks that change the learning rate while a model trains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.types import Logs
from tfpy.engine.arguments import as_count, as_number, as_positive
from tfpy.engine.errors import argument_error
from tfpy.engine.printable import put
from tfpy.layers.callbacks.base import Callback, Check
from tfpy.layers.callbacks.monitor import Monitor


class _LearningRate(Callback):
    """Reads and sets the learning rate of the model being trained."""

    @property
    def rate(self) -> float:
        """The learning rate."""
        return float(self.model.optimizer.learning_rate)

    def _set(self, where: str, epoch: int, rate: float, verbose: int) -> None:
        self.model.optimizer.set_learning_rate(rate)
        if verbose:
            put(f"Epoch {epoch + 1}: {where} sets the learning rate to {rate:g}.")


@export(doc="Callbacks", aliases="callbacks.learning_rate_scheduler")
class LearningRateScheduler(_LearningRate):
    """Sets the learning rate before each epoch, and adds it to the logs as 'learning_rate'.

    Args:
        schedule: a function of the epoch, counted from 0, and the current rate, which returns the new rate.
        args: the options below as a dict.
        verbose: whether to print each rate.

    Source: Keras `LearningRateScheduler` (beyond TF.js).
    """

    @accepts_options("args", where="learning_rate_scheduler")
    def __init__(
        self, schedule: Callable[..., float], args: Mapping[str, Any] | None = None, *, verbose: int = 0
    ) -> None:
        if not callable(schedule):
            raise argument_error("learning_rate_scheduler", "schedule", "a function of the epoch", schedule, TypeError)
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        rate: Any = call_with_as_many(self.schedule, epoch, self.rate)
        expected = "a function that returns a number of 0 or more"
        try:
            number = float(rate)
        except (TypeError, ValueError):
            raise argument_error("learning_rate_scheduler", "schedule", expected, rate, TypeError) from None
        if not number >= 0:
            raise argument_error("learning_rate_scheduler", "schedule", expected, number)
        self._set("learning_rate_scheduler", epoch, number, self.verbose)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        if logs is not None:
            logs["learning_rate"] = self.rate


@export(doc="Callbacks", aliases="callbacks.reduce_lr_on_plateau")
class ReduceLROnPlateau(_LearningRate):
    """Reduces the learning rate when a loss or metric stops improving; adds it to the logs as 'learning_rate'.

    Args:
        args: the options below as a dict.
        monitor: the value to monitor.
        factor: the factor that the rate is multiplied by; less than 1.
        patience: the number of epochs without improvement to wait for.
        verbose: whether to print a message when it does.
        mode: 'min', 'max', or 'auto': 'max' if the monitored name contains 'acc'.
        min_delta: the smallest change that counts as an improvement (exclusive).
        cooldown: the number of epochs after a reduction that are not counted.
        min_lr: the lower bound of the rate.

    Source: Keras `ReduceLROnPlateau` (beyond TF.js).
    """

    _backup_checks: ClassVar[dict[str, Check]] = {"best": as_number, "wait": as_count, "_cooling": as_count}
    backed_up = (*_backup_checks,)

    @accepts_options("args", where="reduce_lr_on_plateau")
    def __init__(
        self,
        args: Mapping[str, Any] | None = None,
        *,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        if not 0 < factor < 1:
            raise argument_error("reduce_lr_on_plateau", "factor", "between 0 and 1", factor)
        self._monitor = Monitor("reduce_lr_on_plateau", monitor, mode, min_delta)
        self.factor = factor
        self.patience = as_positive("reduce_lr_on_plateau", "patience", patience)
        self.verbose = verbose
        self.cooldown = cooldown
        self.min_lr = min_lr
        self._restart()

    def _restart(self) -> None:
        self.best = self._monitor.worst
        self.wait = 0
        self._cooling = 0

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._restart()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        if logs is not None:
            logs["learning_rate"] = self.rate
        current = self._monitor.value(logs)
        if current is None:
            return
        if self._cooling:
            self._cooling -= 1
            self.wait = 0
        if self._monitor.improves(current, self.best):
            self.best = current
            self.wait = 0
        elif not self._cooling:
            self.wait += 1
            if self.wait >= self.patience and self.rate > self.min_lr:
                self._set("reduce_lr_on_plateau", epoch, max(self.rate * self.factor, self.min_lr), self.verbose)
                self._cooling = self.cooldown
                self.wait = 0
