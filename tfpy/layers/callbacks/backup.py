"""BackupAndRestore: resumes an interrupted training run as if it had not been interrupted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.io.errors import ModelFileError
from tfpy.core.io.new_files import check_folder, new_file
from tfpy.core.types import Logs
from tfpy.engine import rng
from tfpy.engine.arguments import as_count, as_number, as_positive
from tfpy.engine.errors import argument_error, show
from tfpy.layers.callbacks.base import Callback, Check
from tfpy.layers.training.loops import TrainingRun
from tfpy.layers.training.packing import Arrays, pack, unpack
from tfpy.layers.training.resuming import Position, RunCallback
from tfpy.layers.training.run_state import entry, restorer, state_of_model

_NAME = "backup.npz"
# The JSON entry of the file; the others are arrays that it refers to.
_STATE = "state"
_FIELDS = ("epoch", "batch", "began", "model", "callbacks", "means", "logs", "stopped", "random")


@export(doc="Callbacks", aliases="callbacks.backup_and_restore")
class BackupAndRestore(RunCallback):
    """Resumes a training run that was interrupted at any point, with the exact results of an uninterrupted one.

    Run the same program again. `fit` then continues from the backup, with the weights, the state of the optimizer, the
    random streams, the order of the samples, and the state of the callbacks; its history covers the whole run. Backups
    are made after each epoch or a number of batches, each replacing the previous one atomically. At the end of training
    the backup is removed.

    Arrays may be shuffled with or without a seed. A data set is read again up to that point, so it must be repeatable:
    its `shuffle` needs a seed. Other random states, such as that of `numpy.random`, are not saved. A custom optimizer
    is saved by its `get_weights` and restored by its `set_weights`.

    Args:
        backup_dir: a folder used by this training run only.
        args: the options below as a dict.
        save_freq: 'epoch', or the number of batches between backups.
        delete_checkpoint: whether to remove the backup when training is finished.

    Raises:
        ModelFileError: at the start of training, if the folder cannot be written, or the backup cannot be read, or
            belongs to another model, other data, other callbacks, or an epoch that this run does not have.

    Source: Keras `BackupAndRestore` (beyond TF.js).
    """

    _backup_checks: ClassVar[dict[str, Check]] = {"_batches": as_count}
    backed_up = (*_backup_checks,)

    @accepts_options("args", where="backup_and_restore")
    def __init__(
        self,
        backup_dir: str | os.PathLike[str],
        args: Mapping[str, Any] | None = None,
        *,
        save_freq: str | int = "epoch",
        delete_checkpoint: bool = True,
    ) -> None:
        if not isinstance(backup_dir, (str, os.PathLike)) or not os.fspath(backup_dir):
            raise argument_error("backup_and_restore", "backup_dir", "the path of a folder", backup_dir, TypeError)
        self.path = Path(backup_dir) / _NAME
        self.delete_checkpoint = delete_checkpoint
        self._every = 0 if save_freq == "epoch" else as_positive("backup_and_restore", "save_freq", save_freq)
        self._batches = 0

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._batches = 0

    def resume(self, run: TrainingRun) -> None:
        if run.compiled.first:
            check_folder("backup_and_restore", self.path.parent)
        if not self.path.exists():
            return
        try:
            state = self._read()
            with entry("began"):
                run.iterator.set_start("backup", Position(state["epoch"], state["batch"], state["began"]))
            restore = self._restorer(run, state)
        except ValueError as error:
            raise self._fault(error) from error
        except Exception as error:  # a damaged file can cause any exception in its reader
            raise self._fault(f"it cannot be read ({type(error).__name__}: {error})") from error
        run.iterator.fast_forward(restore)

    def _read(self) -> dict[str, Any]:
        with self.path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            if sum(member.file_size for member in file.zip.infolist()) > self.path.stat().st_size:
                raise ValueError("it is truncated")
            arrays = {name: file[name] for name in file.files}
        state = json.loads(bytes(arrays.pop(_STATE)))
        read = {}
        for name in _FIELDS:
            with entry(name):
                read[name] = unpack(state[name], arrays)
        return _checked(read)

    def _restorer(self, run: TrainingRun, state: dict[str, Any]) -> Callable[[], None]:
        """A function that restores the run; everything is checked beforehand."""
        # The model first, since callbacks may hold weights of it.
        restore_model = restorer("backup", run.model, run.model.optimizer, state["model"])
        with entry("callbacks"):
            callbacks = _matched(run.callbacks.callbacks, state["callbacks"])

        def restore() -> None:
            batch, done = state["batch"], run.iterator.batch
            if done < batch:
                raise self._fault(f"it is from batch {batch} of an epoch, not from {done} batches")
            restore_model()
            for callback, values in callbacks:
                for name, value in values.items():
                    setattr(callback, name, value)
            run.means.restore(state["means"])
            run.logs = state["logs"]
            run.model.stop_training = state["stopped"]
            rng.restore_source(state["random"])

        return restore

    def _fault(self, error: object) -> ModelFileError:
        reason = str(error).removesuffix(".")
        return ModelFileError(
            f"{self.path}: this training cannot be resumed from the backup: {reason}. Remove the file to start over."
        )

    def after_batch(self, run: TrainingRun) -> None:
        self._batches += 1
        if self._every and self._batches % self._every == 0:
            self._save(run)

    def after_epoch(self, run: TrainingRun) -> None:
        if not self._every:
            self._save(run)

    def _save(self, run: TrainingRun) -> None:
        if not run.compiled.first:
            return
        arrays: Arrays = {}
        state = {
            **run.iterator.position()._asdict(),
            "model": state_of_model(run.model, run.model.optimizer),
            "callbacks": [
                {"class": type(c).__name__, "values": {name: getattr(c, name) for name in c.backed_up}}
                for c in run.callbacks.callbacks
                if c.backed_up
            ],
            "means": run.means.state(),
            "logs": {name: float(value) for name, value in run.logs.items()},
            "stopped": run.model.stop_training,
            "random": rng.source_state(),
        }
        text = json.dumps(pack("backup", state, arrays)).encode()
        with new_file(self.path) as file:
            np.savez(file, **{_STATE: np.frombuffer(text, np.uint8)}, **arrays)  # type: ignore[arg-type]

    def on_train_end(self, logs: Logs | None = None) -> None:
        if self.delete_checkpoint:
            self.path.unlink(missing_ok=True)


def _checked(state: dict[str, Any]) -> dict[str, Any]:
    """The state, with the entries of the run checked; data, model and callbacks check their own parts.

    Raises:
        ValueError: an invalid state.
    """
    checked = {}
    for name, check in _CHECKS.items():
        with entry(name):
            checked[name] = check(state[name])
    batch, seen = checked["batch"], checked["means"]["seen"]
    if seen < batch:
        raise argument_error("backup", "means.seen", f"a sample or more for each of {batch} batches", seen)
    return {**state, **checked}


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"it must be a whole number of 0 or more, but is {show(value)}")
    return value


def _stopped(value: Any) -> bool:
    if value not in (True, False):
        raise ValueError(f"it must be true or false, but is {show(value)}")
    return bool(value)


def _began(value: Any) -> tuple[dict[str, Any], Any]:
    data, random = value
    rng.check_source(random)
    return dict(data), random


def _random(value: Any) -> Any:
    rng.check_source(value)
    return value


def _means(value: Any) -> dict[str, Any]:
    return {"seen": _count(value["seen"]), "totals": _numbers(value["totals"])}


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: as_number("backup", name, value) for name, value in values.items()}


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "epoch": _count,
    "batch": _count,
    "began": _began,
    "stopped": _stopped,
    "random": _random,
    "means": _means,
    "logs": _numbers,
}


def _matched(callbacks: list[Callback], states: list[Any]) -> list[tuple[Callback, dict[str, Any]]]:
    """The callbacks that have state to restore, each with its values by name."""
    own = [c for c in callbacks if c.backed_up]
    if [type(c).__name__ for c in own] != [state["class"] for state in states]:
        raise ValueError("it was saved with the callbacks " + ", ".join(str(state["class"]) for state in states))
    found = []
    for callback, state in zip(own, states, strict=True):
        if not {*callback.backed_up} <= {*state["values"]}:
            raise ValueError(f"its state of {type(callback).__name__} is incomplete")
        found.append((callback, callback.from_backup(state["values"])))
    return found
