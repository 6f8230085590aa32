"""BackupAndRestore: interrupted training gives the results of uninterrupted training; damaged backups raise."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.layers.training.packing import pack

SCRIPT = Path(__file__).with_name("killed_training.py")
NAME = "backup.npz"


def run(kind: str, folder: Path, ticks: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), kind, str(folder), str(ticks)]
    return subprocess.run(command, cwd=SCRIPT.parents[2], capture_output=True, text=True, check=False)


def run_until_done(kind: str, folder: Path, ticks: int) -> tuple[str, int]:
    """The output of a training that is restarted each time it is killed after `ticks`, and the number of kills."""
    for count in range(60):
        result = run(kind, folder, ticks)
        if result.returncode == 0:
            assert not (folder / NAME).exists()
            return result.stdout, count
        assert result.returncode == 9, result.stderr
    raise AssertionError("training does not finish")


@pytest.mark.parametrize(
    ("kind", "ticks"),
    [
        ("arrays", 31),
        pytest.param("epochs", 29, marks=pytest.mark.slow),
        pytest.param("stream", 37, marks=pytest.mark.slow),
        pytest.param("passes", 47, marks=pytest.mark.slow),
    ],
)
def test_repeatedly_killed_training_gives_same_result(kind: str, ticks: int, tmp_path: Path) -> None:
    expected = run(kind, tmp_path / "expected", 0)
    assert expected.returncode == 0, expected.stderr
    found, count = run_until_done(kind, tmp_path / "cut", ticks)
    assert count >= 2
    assert found == expected.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["arrays", "epochs", "stream", "passes"])
def test_training_killed_at_any_tick_gives_same_result(kind: str, tmp_path: Path) -> None:
    """Each training is killed once and then runs to its end."""
    expected = run(kind, tmp_path / "expected", 0)
    for ticks in range(1, 400, 3):
        folder = tmp_path / str(ticks)
        first = run(kind, folder, ticks)
        if first.returncode == 0:
            break
        assert run(kind, folder, 0).stdout == expected.stdout, ticks
    assert 60 < ticks < 397


def model_of(units: int = 2) -> Any:
    model = tf.sequential(layers=[tf.layers.dense(units=units, input_shape=[3])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    return model


def fit(model: Any, folder: Path, count: int = 8, **options: Any) -> Any:
    x, y = np.ones((count, 3), np.float32), np.ones((count, model.outputs[0].shape[1]), np.float32)
    callback = tf.BackupAndRestore(folder, delete_checkpoint=False)
    given = {"epochs": 2, "batch_size": 4, "verbose": 0, "callbacks": [callback], **options}
    return model.fit(x, y, **given)


def test_kept_backup_continues_with_more_epochs(tmp_path: Path) -> None:
    """With the same number of epochs, nothing is left to train."""
    fit(model_of(), tmp_path)
    assert fit(model_of(), tmp_path).epoch == [0, 1]
    history = fit(model_of(), tmp_path, epochs=5)
    assert history.epoch == [0, 1, 2, 3, 4]
    assert history.history["loss"] == sorted(history.history["loss"], reverse=True)


@pytest.mark.parametrize(("options", "count"), [({}, 3), ({"save_freq": 1}, 6), ({"save_freq": 4}, 1)])
def test_save_freq_sets_number_of_backups(
    options: Any, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (written.append(Path(new).name), replace(old, new)))
    callback = tf.BackupAndRestore(tmp_path, delete_checkpoint=False, **options)
    for _ in range(2):
        written.clear()
        (tmp_path / NAME).unlink(missing_ok=True)
        fit(model_of(), tmp_path, epochs=3, callbacks=[callback])
        assert written == [NAME] * count


def test_resume_with_initial_epoch_continues_data_stream(tmp_path: Path) -> None:

    def fit(model: Any, epochs: int, folder: Path) -> Any:
        x = np.random.default_rng(5).normal(size=(22, 3)).astype(np.float32)
        data = tf.data.zip((tf.data.array(x), tf.data.array(x[:, :2]))).shuffle(9, seed=5).repeat().batch(4)
        callback = tf.BackupAndRestore(folder, delete_checkpoint=False)
        options = {"batches_per_epoch": 2, "initial_epoch": 2, "verbose": 0, "callbacks": [callback]}
        return model.fit_dataset(data, epochs=epochs, validation_data=(x, x[:, :2]), **options)

    uninterrupted, resumed = model_of(), model_of()
    resumed.set_weights(uninterrupted.get_weights())
    expected = fit(uninterrupted, 6, tmp_path / "uninterrupted")
    fit(resumed, 4, tmp_path / "resumed")
    found = fit(resumed, 6, tmp_path / "resumed")
    assert found.epoch == expected.epoch == [2, 3, 4, 5]
    assert found.history == expected.history
    assert len(found.history["val_loss"]) == 4


def test_early_stopped_training_is_not_continued(tmp_path: Path) -> None:
    stop = tf.callbacks.early_stopping(monitor="loss", min_delta=1e9)
    callbacks = [stop, tf.callbacks.backup_and_restore(tmp_path, delete_checkpoint=False)]
    first = fit(model_of(), tmp_path, epochs=9, callbacks=callbacks)
    assert fit(model_of(), tmp_path, epochs=9, callbacks=callbacks).epoch == first.epoch
    assert len(first.epoch) == 2


def test_freezing_layer_during_training_keeps_weight_order(tmp_path: Path) -> None:
    def make_model() -> Any:
        model = tf.sequential([tf.layers.dense(units=3, input_shape=[3]), tf.layers.dense(units=3)])
        model.compile(optimizer="adam", loss="meanSquaredError")
        return model

    def values(model: Any) -> list[Any]:
        return [w.array_sync() for layer in model.layers for w in layer.get_weights()]

    first, second = make_model(), make_model()
    freeze = {"on_epoch_end": lambda: setattr(first.layers[0], "trainable", False)}
    fit(first, tmp_path, callbacks=[tf.BackupAndRestore(tmp_path, delete_checkpoint=False), freeze])
    fit(second, tmp_path)
    assert values(second) == values(first)


class MomentumOptimizer(tf.Optimizer):
    """An optimizer with its own state: a momentum of each variable, and a global factor."""

    def __init__(self, learning_rate: float = 0.1) -> None:
        super().__init__(learning_rate)
        self.momenta: dict[str, Any] = {}
        self.push = 1.0

    def apply_gradients(self, variable_gradients: Any) -> None:
        for name, grad in variable_gradients.items():
            variable = tf.engine().registered_variables[name]
            if name not in self.momenta:
                self.momenta[name] = tf.variable(tf.zeros(grad.shape), False)
            self.momenta[name].assign(self.momenta[name].mul(0.9).add(grad))
            variable.assign(variable.sub(self.momenta[name].mul(self.learning_rate * self.push)))
        self.push *= 0.9
        self.increment_iterations()

    def get_weights(self) -> Any:
        momenta = [{"name": f"{name}/momentum", "tensor": tensor} for name, tensor in self.momenta.items()]
        return [self.save_iterations(), {"name": "push", "tensor": tf.scalar(self.push)}, *momenta]

    def set_weights(self, weight_values: Any) -> None:
        push, *momenta = self.extract_iterations(weight_values)
        self.push = float(push.tensor.data_sync()[0])
        self.momenta = {name.rpartition("/")[0]: tf.variable(tensor, False) for name, tensor in momenta}


class ScheduledAdam(tf.AdamOptimizer):
    """Adam with a factor that is computed from the number of iterations."""

    def __init__(self) -> None:
        super().__init__(0.1)
        self.factor = 1.0

    def apply_gradients(self, variable_gradients: Any) -> None:
        super().apply_gradients({name: grad.mul(self.factor) for name, grad in variable_gradients.items()})
        self.factor = 1 + self.iterations % 3

    def set_weights(self, weight_values: Any) -> Any:
        found = super().set_weights(weight_values)
        self.factor = 1 + self.iterations % 3
        return found


@pytest.mark.parametrize("optimizer", [MomentumOptimizer, ScheduledAdam])
def test_custom_optimizer_state_is_restored(optimizer: Any, tmp_path: Path) -> None:
    def make_model(shared: Any = None) -> Any:
        model = tf.sequential([tf.layers.dense(units=2, input_shape=[3], kernel_initializer="ones")])
        model.compile(optimizer=shared or optimizer(), loss="meanSquaredError")
        return model

    def slots_of(optimizer: Any, weight: Any) -> list[Any]:
        return [e["tensor"].array_sync() for e in optimizer.get_weights() if e["name"].startswith(f"{weight.name}/")]

    expected = fit(make_model(), tmp_path / "expected", epochs=4).history["loss"]
    fit(make_model(), tmp_path, epochs=2)
    second = make_model()
    other = make_model(second.optimizer)
    fit(other, tmp_path / "other", epochs=1)
    before = slots_of(second.optimizer, other.weights[0])
    assert fit(second, tmp_path, epochs=4).history["loss"] == expected
    assert before
    assert slots_of(second.optimizer, other.weights[0]) == before, "the slots of another model are unchanged"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda folder: fit(model_of(3), folder), r"weights of shapes \[\[3, 2\], \[2\]\], not \[\[3, 3\], \[3\]\]"),
        (lambda folder: fit(model_of(), folder, 12), "it is from 8 samples in batches of 4, not from 12 samples"),
        (lambda folder: fit(model_of(), folder, batch_size=2), "not from 8 samples in batches of 2"),
        (lambda folder: fit(model_of(), folder, callbacks=[tf.callbacks.early_stopping(), tf.callbacks.backup_and_restore(folder)]), "saved with the callbacks"),
    ],
)  # fmt: skip
def test_backup_of_different_training_raises(other: Any, message: str, tmp_path: Path) -> None:
    fit(model_of(), tmp_path)
    with pytest.raises(ValueError, match=rf"backup\.npz: this training cannot be resumed.*{message}.*Remove the file"):
        other(tmp_path)


def test_damaged_backup_raises(tmp_path: Path) -> None:
    fit(model_of(), tmp_path)
    intact = (tmp_path / NAME).read_bytes()
    for damaged in (b"", b"PK", intact[: len(intact) // 2], intact.replace(b"epoch", b"epock")):
        (tmp_path / NAME).write_bytes(damaged)
        with pytest.raises(tf.io.ModelFileError, match=r"backup\.npz: this training cannot be resumed"):
            fit(model_of(), tmp_path)


def read(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON and the arrays of a backup."""
    with np.load(folder / NAME) as file:
        arrays = {name: file[name] for name in file.files}
    return json.loads(bytes(arrays.pop("state"))), arrays


def write(folder: Path, state: dict[str, Any], arrays: dict[str, Any]) -> None:
    np.savez(folder / NAME, state=np.frombuffer(json.dumps(state).encode(), np.uint8), **arrays)


def set_entry(place: str, value: Any) -> Any:
    """A function that sets one entry of a backup's JSON, as 'model/slots/0', or the array that the entry refers to."""

    def change(state: Any, arrays: dict[str, Any]) -> None:
        *path, last = [int(key) if key.isdigit() else key for key in place.split("/")]
        for key in path:
            state = state[key]
        if isinstance(state[last], dict) and "array in this file" in state[last]:
            arrays[state[last]["array in this file"]] = np.asarray(value)
        else:
            state[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state, arrays: arrays.pop("array0"), "KeyError"),
        (set_entry("epoch", -1), "entry 'epoch': it must be a whole number of 0 or more"),
        (set_entry("batch", "x"), "entry 'batch': it must be a whole number"),
        (set_entry("means", {"seen": 1, "totals": {"loss": "x"}}), "'loss' must be a number"),
        (set_entry("logs", [1]), "its entry 'logs'"),
        (set_entry("stopped", 2), "its entry 'stopped': it must be true or false, but is 2"),
        (set_entry("random/1", [-1] * 625), "the state of the random streams is invalid"),
        (set_entry("began/1/1", []), "the state of the random streams is invalid"),
        (set_entry("began/0/order", [0] * 8), "it has no sample order"),
        (set_entry("began/0/order", ["x"] * 8), "it has no sample order"),
        (set_entry("began/0", {}), "it is not from training on arrays"),
        (set_entry("began/0/batch_size", "x"), "'batch_size' must be a whole number"),
        (set_entry("epoch", 2.0), "entry 'epoch': it must be a whole number"),
        (set_entry("epoch", 3), "it is from batch 0 of epoch 3, not from epochs 0 to 2"),
        (set_entry("epoch", 10**15), "not from epochs 0 to 2"),
        (set_entry("batch", 1), "it is from batch 1 of epoch 2, not from epochs 0 to 2"),
        (set_entry("batch", 9), "'means.seen' must be a sample or more for each of 9 batches"),
        (set_entry("model/weights/1", np.zeros(2, "c8")), "must be an array of numbers"),
        (set_entry("model/weights/1", "x"), "weights of shapes"),
        (
            set_entry("model/slots/0/2", np.zeros((3, 3))),
            r"the slot m of a weight of shape \[3, 2\] is of shape \[3, 3\]",
        ),
        (set_entry("model/slots/0/2", np.zeros((3, 2), "c8")), "the slot m must be an array of numbers"),
        (set_entry("model/slots/0/0", 9), "list index out of range"),
        (set_entry("model/slots/0/0", -1), "a whole number of 0 or more"),
        (set_entry("model/slots/0/0", 1), "of a weight of shape"),
        (set_entry("model/slots/0/1", "q"), "Unknown slot 'q'"),
        (set_entry("model/optimizer", "SGD"), "it is from training with 'SGD', not Adam"),
        (set_entry("model/iterations", "x"), "'iterations' must be a whole number"),
        (set_entry("model/iterations", 2**40), "'iterations' must be at most 2147483647"),
        (set_entry("model/learning_rate", {}), "'learning_rate' must be a number"),
        (set_entry("callbacks/0/values", {}), "its state of BackupAndRestore is incomplete"),
        (set_entry("callbacks/0", 3), "not subscriptable"),
    ],
)
def test_invalid_backup_entry_raises_and_changes_nothing(change: Any, message: str, tmp_path: Path) -> None:
    def make_model() -> Any:
        model = model_of()
        model.compile(optimizer="adam", loss="meanSquaredError")
        return model

    fit(make_model(), tmp_path)
    state, arrays = read(tmp_path)
    change(state, arrays)
    write(tmp_path, state, arrays)
    model = make_model()
    before = [w.array_sync() for w in model.get_weights()]
    with pytest.raises(tf.io.ModelFileError, match=rf"backup\.npz: this training cannot be resumed.*{message}"):
        fit(model, tmp_path)
    assert [w.array_sync() for w in model.get_weights()] == before
    assert model.optimizer.iterations == 0


def interrupt_at(epoch: int, batch: int) -> dict[str, Any]:
    """A callback that raises KeyboardInterrupt at a batch."""
    at = [0]

    def stop(number: int) -> None:
        if (at[0], number) == (epoch, batch):
            raise KeyboardInterrupt

    return {"on_epoch_begin": lambda number: at.__setitem__(0, number), "on_batch_end": stop}


def train_on_arrays(folder: Path, *more: Any) -> Any:
    """A model, and its training on arrays with callbacks that have state."""
    tf.set_seed(1)
    model = model_of()
    model.compile(optimizer=tf.train.adam(0.05), loss="meanSquaredError", metrics=["mae"])
    x = np.arange(60, dtype=np.float32).reshape(20, 3) / 60
    callbacks = [
        tf.callbacks.early_stopping(monitor="loss", patience=9, restore_best_weights=True),
        tf.callbacks.reduce_lr_on_plateau(monitor="val_loss", patience=1),
        tf.callbacks.model_checkpoint(folder / "best", save_best_only=True, monitor="loss", save_freq=99),
        tf.callbacks.csv_logger(folder / "log.csv", append=True),
        tf.callbacks.backup_and_restore(folder, save_freq=1),
        *more,
    ]
    return model, lambda: model.fit(
        x, x[:, :2], epochs=3, batch_size=8, seed=3, validation_split=0.2, verbose=0, callbacks=callbacks
    )


def train_on_dataset(folder: Path, *more: Any) -> Any:
    """A stateful model, and its training on a data set of unknown size."""
    tf.set_seed(1)
    rnn = tf.layers.simple_rnn(units=2, stateful=True, batch_input_shape=[4, 2, 2])
    model = tf.sequential(layers=[rnn, tf.layers.dense(units=1)])
    model.compile(optimizer="adagrad", loss="meanSquaredError")
    x = np.arange(64, dtype=np.float32).reshape(16, 2, 2) / 64
    data = tf.data.zip((tf.data.array(x), tf.data.array(x[:, 0, :1]))).filter(lambda _: True).batch(4)
    callbacks = [tf.callbacks.backup_and_restore(folder, save_freq=1), *more]
    return model, lambda: model.fit_dataset(data, epochs=3, verbose=0, callbacks=callbacks)


def leaf_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a backup's JSON; of long lists such as random states, only the last two entries."""
    if not isinstance(value, (dict, list)) or not value or "array in this file" in value:
        yield path
        return
    entries = [*(value.items() if isinstance(value, dict) else enumerate(value))]
    for key, inner in entries if len(entries) < 99 else entries[-2:]:
        yield from leaf_paths(inner, (*path, key))


HOSTILE: list[Any] = [
    None, True, -1, 0, 1, 2, 2.0, 0.5, 2**31, 2**40, 2 * 10**8, 10**15, 10**400, 1e300, float("nan"), "", "x", "1",
    [], [1, 2], [{}] * 20, {}, np.zeros(()), np.zeros(20), np.ones((3, 2), np.int32), np.full((3, 2), 1e300),
    np.zeros((3, 2), "c8"), np.array(["x"] * 20), np.zeros(2, "M8[s]"), np.zeros(1, "i4,f4"),
]  # fmt: skip


def damaged(state: Any, arrays: dict[str, Any], path: tuple[Any, ...], value: Any) -> tuple[Any, dict[str, Any]]:
    """A copy of a backup with one value replaced."""
    state = json.loads(json.dumps(state))
    if isinstance(value, np.ndarray):
        arrays, value = {**arrays, "hostile": value}, {"array in this file": "hostile"}
    place = state
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return state, arrays


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Fail what takes longer, on systems with timers."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def out(*_: Any) -> None:
        raise AssertionError(f"not finished after {seconds} s")

    before = signal.signal(signal.SIGALRM, out)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def state_of(model: Any) -> list[Any]:
    return [*(w.array_sync() for w in model.get_weights()), model.optimizer.iterations, model.optimizer.learning_rate]


def raises_cleanly(training: Any, folder: Path, entry: str) -> bool:
    """Whether training raises for a backup, naming `entry` and changing nothing; if not, it must run to its end."""
    model, fit = training(folder)
    before = state_of(model)
    try:
        with time_limit(20):
            history = fit()
    except tf.io.ModelFileError as error:
        message = str(error)
    else:
        assert history.epoch[-1:] == [2] or model.stop_training
        return False
    assert "backup.npz: this training cannot be resumed from the backup" in message
    assert "Remove the file to start over." in message
    assert entry in message
    assert state_of(model) == before
    return True


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")  # overflow and NaN
@pytest.mark.parametrize("training", [train_on_arrays, train_on_dataset])
@pytest.mark.parametrize(
    ("place", "each"),
    [((1, 1), 3), *(pytest.param(place, 12, marks=pytest.mark.slow) for place in [(1, 1), (1, 0), (2, 0), (0, 1)])],
)
def test_backup_with_replaced_value_raises_or_completes(
    training: Any, place: tuple[int, int], each: int, tmp_path: Path
) -> None:
    """Each value of a backup in turn is replaced by random hostile values."""
    with pytest.raises(KeyboardInterrupt):
        training(tmp_path, interrupt_at(*place))[1]()
    backup, rng, count = read(tmp_path), random.Random(7), 0
    for path in leaf_paths(backup[0]):
        for value in rng.sample(HOSTILE, each):
            write(tmp_path, *damaged(*backup, path, value))
            try:
                count += raises_cleanly(training, tmp_path, str(path[0]))
            except Exception as error:
                raise AssertionError(f"{value!r} in place of {path}") from error
    assert count > 100


@pytest.mark.parametrize("save_freq", ["epoch", 1, 3])
@pytest.mark.parametrize(("epoch", "batch"), [(1, 0), (2, 0), (2, 1)])
def test_resumed_log_has_one_row_per_epoch(save_freq: Any, epoch: int, batch: int, tmp_path: Path) -> None:
    """Rows that were written after the last backup are removed; those of earlier runs stay."""

    def train(log: Path, *more: Any) -> str:
        tf.set_seed(1)
        callbacks = [
            tf.callbacks.backup_and_restore(tmp_path / log.stem, save_freq=save_freq),
            tf.callbacks.csv_logger(log, append=True),
            *more,
        ]
        fit(model_of(), tmp_path, epochs=3, callbacks=callbacks)
        return log.read_text()

    def stop(number: int) -> None:
        if number == epoch:
            raise KeyboardInterrupt

    whole = [train(tmp_path / "whole.csv") for _ in range(2)]
    assert train(tmp_path / "cut.csv") == whole[0]
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "cut.csv", interrupt_at(epoch, batch) if batch else {"on_epoch_end": stop})
    assert train(tmp_path / "cut.csv") == whole[1]


@pytest.mark.parametrize(
    ("callback", "name", "value"),
    [
        ("CSVLogger", "_length", -1),
        ("EarlyStopping", "wait", "x"),
        ("EarlyStopping", "best", None),
        ("EarlyStopping", "_best_weights", [1.0]),
        ("EarlyStopping", "_best_weights", [np.zeros((2, 2)), np.zeros(2)]),
        ("ReduceLROnPlateau", "_cooling", -1),
        ("ModelCheckpoint", "_batches", 0.5),
        ("BackupAndRestore", "_batches", []),
        ("History", "epoch", ["x"]),
        ("History", "history", {"loss": 3}),
    ],
)
def test_invalid_callback_state_raises(callback: str, name: str, value: Any, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_on_arrays(tmp_path, interrupt_at(1, 0))[1]()
    state, arrays = read(tmp_path)
    place = [known["class"] for known in state["callbacks"]].index(callback)
    state["callbacks"][place]["values"][name] = pack("backup", value, arrays)
    write(tmp_path, state, arrays)
    assert raises_cleanly(train_on_arrays, tmp_path, "callbacks")


def test_epoch_shorter_than_backup_position_raises(tmp_path: Path) -> None:
    """The size of a generator data set is known only after it has been read."""

    def data(count: int) -> Any:
        def batches() -> Iterator[Any]:
            for _ in range(count):
                yield tf.ones([4, 3]), tf.ones([4, 2])

        return tf.data.generator(batches)

    folder = tf.callbacks.backup_and_restore(tmp_path, save_freq=3)
    with pytest.raises(KeyboardInterrupt):
        model_of().fit_dataset(data(4), epochs=2, verbose=0, callbacks=[folder, interrupt_at(0, 3)])
    model = model_of()
    before = state_of(model)
    with pytest.raises(tf.io.ModelFileError, match=r"backup\.npz.*batch 3 of an epoch, not from 2 batches\. Remove"):
        model.fit_dataset(data(2), epochs=2, verbose=0, callbacks=[folder])
    assert state_of(model) == before


def test_backup_with_excessive_unpacked_size_raises(tmp_path: Path) -> None:
    fit(model_of(), tmp_path)
    np.savez_compressed(tmp_path / NAME, state=np.zeros(2**20, np.uint8))
    with pytest.raises(tf.io.ModelFileError, match="it is truncated"):
        fit(model_of(), tmp_path)


def test_invalid_options_raise(tmp_path: Path) -> None:
    for make in (lambda: tf.callbacks.backup_and_restore(3), lambda: tf.callbacks.backup_and_restore("a", save_freq=0)):
        with pytest.raises((ValueError, TypeError), match="backup_and_restore: argument"):
            make()


def test_mismatch_of_data_or_model_is_reported_first(tmp_path: Path) -> None:
    """A backup from other batches or another model is reported as such, not as a mismatch of position or weights."""

    class Stop(Exception):
        pass

    def train(units: int, batch_size: int, callbacks: list[Any]) -> None:
        model = tf.sequential(layers=[tf.layers.dense(units=units, input_shape=[2])])
        model.compile(optimizer="sgd", loss="meanSquaredError")
        kept = [
            tf.callbacks.backup_and_restore(tmp_path, save_freq=1),
            tf.callbacks.early_stopping(monitor="loss"),
            *callbacks,
        ]
        model.fit(np.ones((6, 2)), np.ones((6, units)), epochs=3, batch_size=batch_size, verbose=0, callbacks=kept)

    def stop(batch: int) -> None:
        if batch == 2:
            raise Stop

    with pytest.raises(Stop):
        train(1, 2, [{"onBatchEnd": stop}])
    with pytest.raises(
        tf.io.ModelFileError, match="from 6 samples in batches of 2, not from 6 samples in batches of 6"
    ):
        train(1, 6, [])
    with pytest.raises(tf.io.ModelFileError, match="a model with weights of shapes"):
        train(2, 2, [])
