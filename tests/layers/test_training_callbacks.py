"""The built-in callbacks: when they act, what they write, and invalid arguments."""

from __future__ import annotations

import errno
import io
import math
import pickle
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tfpy as tf

X = np.linspace(-1, 1, 12).reshape(6, 2).astype(np.float32)
Y = X.sum(1, keepdims=True)


def linear(learning_rate: float = 0.1, metrics: Any = None) -> tf.Sequential:
    model = tf.sequential(layers=[tf.layers.dense(units=1, kernel_initializer="zeros", input_shape=[2])])
    model.compile(optimizer=tf.train.sgd(learning_rate), loss="meanSquaredError", metrics=metrics)
    return model


def fit(model: Any, callbacks: Any, **options: Any) -> tf.History:
    return model.fit(X, Y, verbose=0, shuffle=False, batch_size=3, callbacks=callbacks, **options)


def test_best_weights_are_restored_if_baseline_is_never_reached() -> None:
    x = np.arange(8, dtype=np.float32)[:, None]
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[1], kernel_initializer="ones")])
    model.compile(optimizer=tf.train.sgd(1), loss="meanSquaredError")
    weights = []
    stopping = tf.callbacks.early_stopping(monitor="loss", baseline=0, patience=3, restore_best_weights=True)
    recorder = {"on_epoch_end": lambda epoch, logs: weights.append(model.get_weights()[0].array_sync())}
    losses = model.fit(x, 2 * x, epochs=10, batch_size=8, verbose=0, callbacks=[stopping, recorder]).history["loss"]
    assert len(losses) == 3
    assert losses[0] == min(losses)
    assert model.get_weights()[0].array_sync() == weights[0]


def test_event_with_keras_name_warns() -> None:
    class KerasStyle(tf.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            raise AssertionError

    model = tf.sequential([tf.layers.dense(units=1, input_shape=[1])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    with pytest.warns(UserWarning, match=r"KerasStyle.on_train_batch_end is not called; here it is on_batch_end\."):
        model.fit(np.ones((2, 1)), np.ones((2, 1)), verbose=0, callbacks=KerasStyle())


def test_event_with_a_typing_error_warns() -> None:
    class Misspelt(tf.Callback):
        def on_epoch_ends(self, epoch: int, logs: Any = None) -> None:
            raise AssertionError

        def once_more(self) -> None:
            raise AssertionError

    model = tf.sequential([tf.layers.dense(units=1, input_shape=[1])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    with pytest.warns(UserWarning, match=r"Misspelt.on_epoch_ends is not called; here it is on_epoch_end\."):
        model.fit(np.ones((2, 1)), np.ones((2, 1)), verbose=0, callbacks=Misspelt())


class AddToLogs(tf.Callback):
    """Adds given values to the logs of epochs, for the callbacks after it."""

    def __init__(self, name: str, values: list[float]) -> None:
        self.name, self.values = name, values

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs[self.name] = self.values[epoch]


def test_factories_are_classes_in_both_spellings() -> None:
    for name, camel_name, cls in (
        ("early_stopping", "earlyStopping", tf.EarlyStopping),
        ("model_checkpoint", "modelCheckpoint", tf.ModelCheckpoint),
        ("csv_logger", "csvLogger", tf.CSVLogger),
        ("learning_rate_scheduler", "learningRateScheduler", tf.LearningRateScheduler),
        ("reduce_lr_on_plateau", "reduceLROnPlateau", tf.ReduceLROnPlateau),
        ("terminate_on_nan", "terminateOnNaN", tf.TerminateOnNaN),
        ("lambda_callback", "lambdaCallback", tf.LambdaCallback),
        ("tensor_board", "tensorBoard", tf.TensorBoard),
    ):
        assert getattr(tf.callbacks, name) is getattr(tf.callbacks, camel_name) is cls


# Learning rates


def test_schedule_sets_learning_rate_before_each_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    used: list[float] = []
    model = linear()
    watch = tf.callbacks.lambda_callback(on_batch_begin=lambda batch: used.append(model.optimizer.learning_rate))
    history = fit(model, [tf.callbacks.learning_rate_scheduler(lambda epoch: 0.1 / (epoch + 1)), watch], epochs=3)
    assert used == pytest.approx([0.1, 0.1, 0.05, 0.05, 0.1 / 3, 0.1 / 3])
    assert history.history["learning_rate"] == pytest.approx([0.1, 0.05, 0.1 / 3])
    halved = tf.callbacks.learningRateScheduler(lambda epoch, rate: rate / 2, {"verbose": 1})
    fit(model, halved, epochs=2, initial_epoch=1)
    assert model.optimizer.learning_rate == pytest.approx(0.1 / 6)
    assert "Epoch 2" in capsys.readouterr().out


def test_reduce_lr_on_plateau(capsys: pytest.CaptureFixture[str]) -> None:
    values = [5.0, 4.0, 4.0, 3.99995, 4.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    model = linear(1e-3)
    callback = tf.callbacks.reduce_lr_on_plateau(
        monitor="v", factor=0.5, patience=2, cooldown=1, verbose=1, min_lr=3e-4
    )
    history = fit(model, [AddToLogs("v", values), callback], epochs=10).history
    # 4.0 and 3.99995 are no improvement (min_delta is 1e-4); the epoch after a reduction does not count.
    expected = [1e-3, 1e-3, 1e-3, 1e-3, 5e-4, 5e-4, 5e-4, 5e-4, 3e-4, 3e-4]
    assert history["learning_rate"] == pytest.approx(expected)
    assert capsys.readouterr().out.count("reduce_lr_on_plateau") == 2


def test_reduce_lr_on_plateau_is_reset_by_each_fit() -> None:
    model = linear(1.0)
    callback = tf.callbacks.reduce_lr_on_plateau(monitor="v", factor=0.5, patience=1, cooldown=9)
    for expected, values in ((0.5, [1.0, 1.0]), (0.25, [5.0, 5.0])):
        fit(model, [AddToLogs("v", values), callback], epochs=2)
        assert model.optimizer.learning_rate == expected


@pytest.mark.parametrize(
    ("name", "mode", "reduced"),
    [("acc", "auto", True), ("loss2", "auto", False), ("x", "max", True), ("x", "min", False)],
)
def test_mode_defines_improvement(name: str, mode: str, reduced: bool) -> None:
    model = linear(1.0)
    callback = tf.callbacks.reduceLROnPlateau({"monitor": name, "mode": mode, "patience": 1, "minDelta": 0})
    fit(model, [AddToLogs(name, [3, 2, 1]), callback], epochs=3)
    assert (model.optimizer.learning_rate < 1) == reduced


# Stopping


def test_terminate_on_nan_stops_training(capsys: pytest.CaptureFixture[str]) -> None:
    model = linear(1e30)
    history = fit(model, tf.callbacks.terminate_on_nan(), epochs=50)
    assert len(history.epoch) < 5
    assert not math.isfinite(history.history["loss"][-1])
    assert "training ends" in capsys.readouterr().out
    assert len(fit(linear(), tf.callbacks.terminateOnNaN(), epochs=3).epoch) == 3


def test_early_stopping_on_missing_metric_warns() -> None:
    with pytest.warns(UserWarning, match="early_stopping: there is no 'val_loss'.*loss"):
        fit(linear(), tf.callbacks.early_stopping(), epochs=1)


# LambdaCallback


def test_lambda_callback_takes_keywords_or_dict() -> None:
    log: list[Any] = []
    fit(linear(), tf.callbacks.lambda_callback(on_epoch_end=lambda epoch: log.append(epoch)), epochs=2)
    fit(linear(), tf.LambdaCallback({"onEpochEnd": lambda e, logs: log.append(sorted(logs))}), epochs=1)
    fit(linear(), tf.callbacks.lambdaCallback(onTrainBegin=lambda: log.append("begin")), epochs=1)
    assert log == [0, 1, ["loss"], "begin"]
    with pytest.raises(TypeError, match="on_epoch_ends.*on_epoch_end"):
        tf.callbacks.lambda_callback(on_epoch_ends=print)


# Files


def test_csv_logger_writes_one_row_per_epoch(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    model = linear(metrics=["mae"])
    logged = fit(model, tf.callbacks.csv_logger(path), epochs=2, validation_data=(X, Y)).history
    lines = path.read_text().splitlines()
    assert lines[0] == "epoch,loss,mae,val_loss,val_mae"
    assert [float(v) for v in lines[2].split(",")] == [1, *(logged[name][1] for name in lines[0].split(",")[1:])]
    fit(model, tf.callbacks.csvLogger(str(path), {"append": True}), epochs=3, initial_epoch=2)
    lines = path.read_text().splitlines()
    assert len(lines) == 4
    assert lines[3].startswith("2,")
    assert lines[3].endswith("NA,NA")
    fit(model, tf.CSVLogger(path, separator=";"), epochs=1)
    assert path.read_text().splitlines()[0] == "epoch;loss;mae"
    scheduled = [tf.callbacks.learning_rate_scheduler(lambda epoch: 0.5), tf.callbacks.csv_logger(path)]
    fit(model, scheduled, epochs=1)
    assert path.read_text().splitlines()[0] == "epoch,loss,mae,learning_rate"


@pytest.mark.parametrize("text", [b"\xff\xfe,\n", b"a" * 200_000 + b",b\n"])
def test_csv_logger_appending_to_invalid_file_raises(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(text)
    with pytest.raises(ValueError, match=r"csv_logger: .*log\.csv has no header to append to"):
        fit(linear(), tf.callbacks.csv_logger(tmp_path / "log.csv", append=True), epochs=1)
    assert (tmp_path / "log.csv").read_bytes() == text


def test_csv_logger_keeps_rows_when_training_fails(tmp_path: Path) -> None:
    def fail(epoch: int) -> None:
        if epoch == 2:
            raise KeyError

    callbacks = [tf.callbacks.csv_logger(tmp_path / "log.csv"), tf.callbacks.lambda_callback(on_epoch_begin=fail)]
    with pytest.raises(KeyError):
        fit(linear(), callbacks, epochs=5)
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 3


def test_csv_logger_with_missing_folder_raises_before_training(tmp_path: Path) -> None:
    model = linear()
    with pytest.raises(FileNotFoundError, match=r"csv_logger: .*log\.csv cannot be written: No such file"):
        fit(model, tf.callbacks.csv_logger(tmp_path / "none" / "log.csv"), epochs=1)
    assert model.optimizer.iterations == 0


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda path: tf.callbacks.model_checkpoint(path / "m" / "{epoch}" / "m"), "model_checkpoint: .*/m"),
        (lambda path: tf.callbacks.model_checkpoint(f"file://{path}/{{epoch}}"), "model_checkpoint: .*"),
        (lambda path: tf.callbacks.backup_and_restore(path / "none"), "backup_and_restore: .*/none"),
        (lambda path: tf.callbacks.tensor_board(path / "none" / "logs"), "tensor_board: .*/none/logs"),
    ],
)
def test_unwritable_folder_raises_before_training(written: list[Any], tmp_path: Path, make: Any, name: str) -> None:
    model = linear()
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=f"^{name}: cannot be written: Not a directory"):
        fit(model, make(tmp_path / "file"), epochs=1)
    assert model.optimizer.iterations == 0


def test_folder_check_leaves_no_files(tmp_path: Path) -> None:
    fit(linear(), tf.callbacks.model_checkpoint(tmp_path / "a" / "b", save_freq=99), epochs=1)
    assert not [*tmp_path.iterdir()]


def delete_folder_at(folder: Path, epoch: int) -> Any:
    """A callback that deletes a folder when an epoch begins."""
    return tf.callbacks.lambda_callback(on_epoch_begin=lambda e: shutil.rmtree(folder) if e == epoch else None)


def test_training_continues_if_folder_of_csv_log_vanishes(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    callbacks = [delete_folder_at(tmp_path / "logs", 1), tf.callbacks.csv_logger(tmp_path / "logs" / "log.csv")]
    with pytest.warns(
        UserWarning, match=r"log\.csv cannot be written: No such file.* It has no row for epoch 1; train"
    ):
        assert fit(linear(), callbacks, epochs=2).epoch == [0, 1]


class FullDisk(io.BytesIO):
    """A file on a disk with room for 5 more bytes."""

    def __init__(self, path: Path) -> None:
        self.path, self.room = path, 5
        super().__init__(path.read_bytes())
        self.seek(0, io.SEEK_END)

    def write(self, data: Any) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = super().write(data[: self.room])
        self.room -= written
        return written

    def close(self) -> None:
        self.path.write_bytes(self.getvalue())
        super().close()


def test_full_disk_leaves_no_partial_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, original_open = tmp_path / "log.csv", Path.open

    def full_in_the_second_epoch(file: Path, mode: str = "r", **options: Any) -> Any:
        full = mode == "ab" and logger.model.optimizer.iterations == 4
        return FullDisk(file) if full else original_open(file, mode, **options)

    monkeypatch.setattr(Path, "open", full_in_the_second_epoch)
    logger: Any = tf.callbacks.csv_logger(path)
    with pytest.warns(UserWarning, match=r"csv_logger: .*No space left on device. It has no row for epoch 1"):
        fit(linear(), logger, epochs=3)
    assert [line.partition(",")[0] for line in path.read_text().splitlines()] == ["epoch", "0", "2"]


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The paths and options that models were saved with."""
    calls: list[tuple[str, dict[str, Any]]] = []

    def save(self: Any, path: str, **options: Any) -> None:
        calls.append((path, options))

    monkeypatch.setattr(tf.LayersModel, "save", save, raising=False)
    return calls


def test_model_checkpoint_saves_at_expected_times(
    saved: list[tuple[str, dict[str, Any]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit(linear(), tf.callbacks.model_checkpoint("m/{epoch:02d}-{loss:.1f}", verbose=1), epochs=2)
    assert [path.split("-")[0] for path, _ in saved] == ["m/01", "m/02"]
    assert all(options == {} for _, options in saved)
    assert "m/02" in capsys.readouterr().out
    saved.clear()
    best = tf.callbacks.modelCheckpoint(
        tmp_path / "best", {"monitor": "v", "saveBestOnly": True, "includeOptimizer": True}
    )
    fit(linear(), [AddToLogs("v", [3, 4, 2, 2, 1]), best], epochs=5)
    assert saved == [(str(tmp_path / "best"), {"include_optimizer": True})] * 3
    saved.clear()
    thresholded = tf.callbacks.model_checkpoint(
        "{epoch}", monitor="acc", save_best_only=True, initial_value_threshold=0.5
    )
    fit(linear(), [AddToLogs("acc", [0.4, 0.6, 0.5, 0.7]), thresholded], epochs=4)
    assert [path for path, _ in saved] == ["2", "4"]
    saved.clear()
    fit(linear(), tf.callbacks.model_checkpoint("{epoch}.{batch}", save_freq=3), epochs=3)
    assert [path for path, _ in saved] == ["2.1", "3.2"]
    saved.clear()
    third = tf.callbacks.model_checkpoint("{epoch}.{batch}", save_freq=3)
    for _ in range(2):
        fit(linear(), third, epochs=2)
    assert [path for path, _ in saved] == ["2.1", "2.1"]


def test_model_checkpoint_of_weights_only(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    model = linear()
    kept = tf.callbacks.model_checkpoint(tmp_path / "{epoch}.safetensors", save_weights_only=True)
    fit(model, kept, epochs=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.safetensors", "2.safetensors"]
    again = linear()
    again.load_weights(tmp_path / "2.safetensors")
    assert [w.array_sync() for w in again.get_weights()] == [w.array_sync() for w in model.get_weights()]


def test_model_checkpoint_with_unknown_placeholder_or_metric(saved: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"model_checkpoint.*filepath.*epoch, loss"):
        fit(linear(), tf.callbacks.model_checkpoint("{val_loss}"), epochs=1)
    with pytest.raises(ValueError, match=r"model_checkpoint.*filepath.*epoch, loss"):
        fit(linear(), tf.callbacks.model_checkpoint("{epoch.number}"), epochs=1)
    with pytest.warns(UserWarning, match="no 'val_loss'"):
        fit(linear(), tf.callbacks.model_checkpoint("m", save_best_only=True), epochs=1)
    assert saved == []


# TensorBoard


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The calls of a fake tensorboardX."""
    calls: list[tuple[Any, ...]] = []

    class SummaryWriter:
        def __init__(self, logdir: str, max_queue: int) -> None:
            self.folder = Path(logdir).name

        def add_scalar(self, name: str, value: float, step: int) -> None:
            calls.append((self.folder, name, step))

        def add_histogram(self, name: str, values: Any, step: int) -> None:
            calls.append((self.folder, values.shape, step))

        def close(self) -> None:
            calls.append((self.folder, "closed"))

    monkeypatch.setitem(sys.modules, "tensorboardX", SimpleNamespace(SummaryWriter=SummaryWriter))
    return calls


def test_tensorboard_events(written: list[tuple[Any, ...]]) -> None:
    fit(linear(), tf.callbacks.tensor_board("logs"), epochs=2, validation_data=(X, Y))
    assert written == [
        ("val", "epoch_loss", 1),
        ("train", "epoch_loss", 1),
        ("val", "epoch_loss", 2),
        ("train", "epoch_loss", 2),
        ("val", "closed"),
        ("train", "closed"),
    ]
    written.clear()
    fit(linear(), tf.callbacks.tensorBoard("logs", {"updateFreq": "batch", "histogramFreq": 1}), epochs=1)
    assert written[:3] == [("train", "batch_loss", 1), ("train", "batch_loss", 2), ("train", "epoch_loss", 1)]
    assert written[3:5] == [("train", (2, 1), 1), ("train", (1,), 1)]
    written.clear()
    fit(linear(), tf.TensorBoard(update_freq=3), epochs=2)
    assert [call[2] for call in written if call[1] == "batch_loss"] == [3]


def test_tensorboard_writes_event_files(tmp_path: Path) -> None:
    fit(linear(), tf.callbacks.tensor_board(tmp_path, histogram_freq=1), epochs=1, validation_data=(X, Y))
    assert [len(list((tmp_path / part).glob("events.*"))) for part in ("train", "val")] == [1, 1]


def test_training_continues_if_tensorboard_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "val").write_text("in the way")
    with pytest.warns(UserWarning, match=r"tensor_board: .*val cannot be written: Not a directory") as warned:
        assert fit(linear(), tf.callbacks.tensor_board(tmp_path), epochs=2, validation_data=(X, Y)).epoch == [0, 1]
    assert len(warned) == 1
    assert len(list((tmp_path / "train").glob("events.*"))) == 1


def test_training_continues_if_tensorboard_writer_has_stopped(
    written: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = SimpleNamespace(event_writer=SimpleNamespace(_worker=SimpleNamespace(is_alive=lambda: False)))
    monkeypatch.setattr(sys.modules["tensorboardX"].SummaryWriter, "file_writer", dead, raising=False)
    with pytest.warns(UserWarning, match="its writer has stopped. Training goes on without its values"):
        fit(linear(), tf.callbacks.tensor_board("logs"), epochs=2)
    assert written == []


def test_missing_tensorboardx_raises_with_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(ImportError, match=r"extra 'tensorboard'.*tfpy\[tensorboard\]"):
        tf.callbacks.tensor_board("logs")


# Invalid arguments


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.callbacks.early_stopping(mode="best"), "early_stopping.*mode"),
        (lambda: tf.callbacks.model_checkpoint("m", mode="best"), "model_checkpoint.*mode"),
        (lambda: tf.callbacks.model_checkpoint("m", save_freq="batch"), "model_checkpoint.*save_freq"),
        (lambda: tf.callbacks.model_checkpoint("m", save_freq=0), "model_checkpoint.*save_freq"),
        (lambda: tf.callbacks.reduce_lr_on_plateau(factor=1), "reduce_lr_on_plateau.*factor"),
        (lambda: tf.callbacks.reduce_lr_on_plateau(patience=0), "reduce_lr_on_plateau.*patience"),
        (lambda: tf.callbacks.reduce_lr_on_plateau({"patiense": 3}), "patiense.*patience"),
        (lambda: tf.callbacks.learning_rate_scheduler(0.1), "learning_rate_scheduler.*schedule"),
        (lambda: fit(linear(), tf.callbacks.learning_rate_scheduler(lambda e: "x")), "learning_rate_scheduler.*number"),
        (lambda: fit(linear(), tf.callbacks.learning_rate_scheduler(lambda e: -1)), "schedule.*0 or more, but got -1"),
        (lambda: fit(linear(), tf.callbacks.learning_rate_scheduler(lambda e: math.nan)), "schedule.*0 or more"),
        (lambda: tf.callbacks.model_checkpoint("m.keras", save_weights_only=True), "filepath.*weights.h5 or .safetens"),
        (
            lambda: tf.callbacks.model_checkpoint("m.safetensors", save_weights_only=True, include_optimizer=True),
            "include_optimizer.*only weights",
        ),
        (lambda: tf.callbacks.csv_logger("log.csv", separator="--"), "csv_logger.*separator"),
        (lambda: tf.callbacks.tensor_board("logs", update_freq="step"), "tensor_board.*update_freq"),
    ],
)
def test_invalid_arguments_raise(make: Callable[[], Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()


def record_epoch(epoch: int) -> None:
    """A module-level function, which can be pickled."""


def test_callbacks_can_be_pickled(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    callbacks = [tf.CustomCallback({"onEpochEnd": record_epoch}), tf.callbacks.tensor_board(tmp_path)]
    fit(linear(), pickle.loads(pickle.dumps(callbacks)), epochs=1)
    assert any(tmp_path.rglob("*tfevents*"))
