"""ModelCheckpoint: saves the model during training."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.ready import finish
from tfpy.core.calling.registry import export
from tfpy.core.io.new_files import check_folder
from tfpy.core.system.urls import path_of
from tfpy.core.types import Logs
from tfpy.engine.arguments import as_count, as_number, as_positive
from tfpy.engine.errors import argument_error
from tfpy.engine.printable import put
from tfpy.layers.callbacks.base import Callback, Check
from tfpy.layers.callbacks.monitor import Monitor

_OF_WEIGHTS = (".weights.h5", ".safetensors")


@export(doc="Callbacks", aliases="callbacks.model_checkpoint")
class ModelCheckpoint(Callback):
    """Saves the model with `model.save`, after each epoch or after a number of batches.

    Args:
        filepath: the destination. Names in braces stand for the epoch, counted from 1, the batch and the values in the
            logs: 'models/{epoch:02d}-{val_loss:.3f}'. Without any, each save replaces the previous one.
        args: the options below as a dict.
        monitor: the value that decides which model is best.
        verbose: whether to print a message for each save.
        save_best_only: whether to save only models that are better than all before.
        mode: 'min', 'max', or 'auto': 'max' if the monitored name contains 'acc'.
        save_freq: 'epoch', or the number of batches between saves.
        initial_value_threshold: the value that the first save must be better than.
        include_optimizer: whether to save the state of the optimizer too.
        save_weights_only: whether to save with `model.save_weights`, to a path that ends with '.weights.h5' or
            '.safetensors'.

    Attributes:
        best: the best value so far.

    Raises:
        OSError: at the start of training, if the folder of the destination cannot be written.

    Source: Keras `ModelCheckpoint` (beyond TF.js).
    """

    _backup_checks: ClassVar[dict[str, Check]] = {"best": as_number, "_epoch": as_count, "_batches": as_count}
    backed_up = (*_backup_checks,)

    @accepts_options("args", where="model_checkpoint")
    def __init__(
        self,
        filepath: str | os.PathLike[str],
        args: Mapping[str, Any] | None = None,
        *,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        mode: str = "auto",
        save_freq: str | int = "epoch",
        initial_value_threshold: float | None = None,
        include_optimizer: bool = False,
        save_weights_only: bool = False,
    ) -> None:
        self._monitor = Monitor("model_checkpoint", monitor, mode)
        if not isinstance(filepath, (str, os.PathLike)):
            raise argument_error("model_checkpoint", "filepath", "a path", filepath, TypeError)
        self.filepath = os.fspath(filepath)
        self.verbose = verbose
        self.save_best_only = save_best_only
        self.save_freq = save_freq if save_freq == "epoch" else as_positive("model_checkpoint", "save_freq", save_freq)
        self.include_optimizer = include_optimizer
        self.save_weights_only = save_weights_only
        if save_weights_only and not self.filepath.lower().endswith(_OF_WEIGHTS):
            expected = f"a path that ends with {' or '.join(_OF_WEIGHTS)}, for weights only"
            raise argument_error("model_checkpoint", "filepath", expected, self.filepath)
        if save_weights_only and include_optimizer:
            expected = "False if only weights are saved"
            raise argument_error("model_checkpoint", "include_optimizer", expected, include_optimizer)
        self.best = self._monitor.worst if initial_value_threshold is None else initial_value_threshold
        self._epoch = 0
        self._batches = 0

    def wants(self, event: str) -> bool:
        return super().wants(event) and event != ("on_batch_end" if self.save_freq == "epoch" else "on_epoch_end")

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._batches = 0
        path = path_of(self.filepath)
        if path is not None:  # the folder, up to the part with a name that is not known yet
            known = itertools.takewhile(lambda part: "{" not in part, path.parent.parts)
            check_folder("model_checkpoint", Path(*known))

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._save_if_better({"epoch": epoch + 1, **(logs or {})})

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._batches += 1
        if self._batches % cast("int", self.save_freq) == 0:
            self._save_if_better({**(logs or {}), "epoch": self._epoch + 1, "batch": batch + 1})

    def _save_if_better(self, values: Logs) -> None:
        if not self.save_best_only:
            self._save(values)
            return
        current = self._monitor.value(values)
        if current is not None and self._monitor.improves(current, self.best):
            self._save(values)
            self.best = current

    def _save(self, values: Logs) -> None:
        path = self._path(values)
        options = {"include_optimizer": True} if self.include_optimizer else {}
        model = cast("Any", self.model)
        finish(model.save_weights(path) if self.save_weights_only else model.save(path, **options))
        if self.verbose:
            put(f"Epoch {values['epoch']}: the model is saved as {path}.")

    def _path(self, values: Logs) -> str:
        try:
            return self.filepath.format(**values)
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            expected = f"a path whose braces contain only {', '.join(values)}"
            raise argument_error("model_checkpoint", "filepath", expected, self.filepath) from error
