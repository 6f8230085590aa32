"""TensorBoard: writes the losses and metrics for TensorBoard."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.io.new_files import check_folder
from tfpy.core.system.extras import optional_module
from tfpy.core.types import Logs
from tfpy.engine.arguments import as_count, as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.warn import warn_user
from tfpy.layers.callbacks.base import Callback, Check

_VALIDATION = "val_"
# So long that a writer whose thread ends never waits for it: `_has_stopped` is asked before each value.
_LONGEST_QUEUE = 100_000


@export(doc="Callbacks", aliases="callbacks.tensor_board node.tensor_board")
class TensorBoard(Callback):
    """Writes losses and metrics for TensorBoard, into the folders 'train' and 'val' of a log folder.

    `tensorboard --logdir FOLDER` shows them. It needs the extra `tensorboard` of tfpy. If a file cannot be written, for
    example since the disk is full, a warning says so, and training goes on without it.

    Args:
        logdir: the log folder.
        args: the options below as a dict.
        update_freq: 'epoch' for values after each epoch ('epoch_loss'), 'batch' for values after each batch as well
            ('batch_loss'), or the number of batches between writes.
        histogram_freq: the number of epochs between histograms of the weights; 0 for none.

    Raises:
        ImportError: the package tensorboardX is not installed.
        OSError: at the start of training, if the log folder cannot be written.

    Source: TF.js `tf.node.tensorBoard`.
    """

    _backup_checks: ClassVar[dict[str, Check]] = {"_batches": as_count}
    backed_up = (*_backup_checks,)

    @accepts_options("args", where="tensor_board")
    def __init__(
        self,
        logdir: str | os.PathLike[str] = "logs",
        args: Mapping[str, Any] | None = None,
        *,
        update_freq: str | int = "epoch",
        histogram_freq: int = 0,
    ) -> None:
        if isinstance(update_freq, str) and update_freq not in ("epoch", "batch"):
            raise argument_error("tensor_board", "update_freq", "'epoch', 'batch' or a number of batches", update_freq)
        package = optional_module("tensorboardX", "tensorboard", "The TensorBoard callback")
        self._kind = package.SummaryWriter
        self.logdir = Path(logdir)
        self._every = {"epoch": 0, "batch": 1}.get(update_freq) if isinstance(update_freq, str) else update_freq
        self._histograms = as_int("tensor_board", "histogram_freq", histogram_freq)
        self._writers: dict[str, Any] = {}
        self._lost: set[str] = set()
        self._batches = 0

    def wants(self, event: str) -> bool:
        return super().wants(event) and (event != "on_batch_end" or bool(self._every))

    def on_train_begin(self, logs: Logs | None = None) -> None:
        check_folder("tensor_board", self.logdir)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._batches += 1
        if self._every and self._batches % self._every == 0:
            self._write(logs, "batch_", self._batches)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._write(logs, "epoch_", epoch + 1)
        if self._histograms and (epoch + 1) % self._histograms == 0 and self.model is not None:
            for weight in self.model.weights:
                self._add("train", "add_histogram", weight.name, weight.read().numpy(), epoch + 1)

    def on_train_end(self, logs: Logs | None = None) -> None:
        for folder, writer in self._writers.items():
            try:
                writer.close()
            except OSError as error:
                self._give_up(folder, error)
        self._writers, self._lost = {}, set()

    def _write(self, logs: Logs | None, prefix: str, step: int) -> None:
        for name, value in (logs or {}).items():
            if name not in ("batch", "size"):
                folder = "val" if name.startswith(_VALIDATION) else "train"
                self._add(folder, "add_scalar", prefix + name.removeprefix(_VALIDATION), value, step)

    def _add(self, folder: str, method: str, *values: Any) -> None:
        if folder in self._lost:
            return
        try:
            if folder not in self._writers:
                self._writers[folder] = self._kind(str(self.logdir / folder), max_queue=_LONGEST_QUEUE)
            if _has_stopped(self._writers[folder]):
                raise OSError("its writer has stopped")
            getattr(self._writers[folder], method)(*values)
        except OSError as error:
            self._writers.pop(folder, None)
            self._give_up(folder, error)

    def _give_up(self, folder: str, error: OSError) -> None:
        self._lost.add(folder)
        reason = error.strerror or error
        warn_user(
            f"tensor_board: {self.logdir / folder} cannot be written: {reason}. Training goes on without its values."
        )


def _has_stopped(writer: Any) -> bool:
    """Whether a writer's thread has ended, as it does when it cannot write; it would wait for it forever."""
    events = getattr(getattr(writer, "file_writer", None), "event_writer", None)
    thread = getattr(events, "_worker", None)
    return thread is not None and not thread.is_alive()
