"""BackupAndRestore: a training that is cut off, again and again, comes to the numbers of one that is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf

SCRIPT = Path(__file__).with_name("cut_off.py")
NAME = "backup.npz"


def run(kind: str, folder: Path, ticks: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), kind, str(folder), str(ticks)]
    return subprocess.run(command, cwd=SCRIPT.parents[2], capture_output=True, text=True, check=False)


def cut_off_until_done(kind: str, folder: Path, ticks: int) -> tuple[str, int]:
    """What a training comes to that is cut off after so many ticks, again and again, and how often it was."""
    for count in range(60):
        result = run(kind, folder, ticks)
        if result.returncode == 0:
            assert not (folder / NAME).exists()
            return result.stdout, count
        assert result.returncode == 9, result.stderr
    raise AssertionError("it never ends")


@pytest.mark.parametrize(
    ("kind", "ticks"),
    [
        ("arrays", 31),
        pytest.param("epochs", 29, marks=pytest.mark.slow),
        pytest.param("stream", 37, marks=pytest.mark.slow),
        pytest.param("passes", 47, marks=pytest.mark.slow),
    ],
)
def test_a_training_that_is_cut_off_comes_to_the_same_numbers(kind: str, ticks: int, tmp_path: Path) -> None:
    whole = run(kind, tmp_path / "whole", 0)
    assert whole.returncode == 0, whole.stderr
    found, count = cut_off_until_done(kind, tmp_path / "cut", ticks)
    assert count >= 2
    assert found == whole.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["arrays", "epochs", "stream", "passes"])
def test_at_many_points(kind: str, tmp_path: Path) -> None:
    """Cut off once, with what comes after left in peace."""
    whole = run(kind, tmp_path / "whole", 0)
    for ticks in range(1, 400, 3):
        folder = tmp_path / str(ticks)
        first = run(kind, folder, ticks)
        if first.returncode == 0:
            break
        assert run(kind, folder, 0).stdout == whole.stdout, ticks
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


def test_a_training_can_be_made_longer(tmp_path: Path) -> None:
    """With the backup kept, more epochs go on from it, and the same number has nothing to do."""
    fit(model_of(), tmp_path)
    assert fit(model_of(), tmp_path).epoch == [0, 1]
    history = fit(model_of(), tmp_path, epochs=5)
    assert history.epoch == [0, 1, 2, 3, 4]
    assert history.history["loss"] == sorted(history.history["loss"], reverse=True)


@pytest.mark.parametrize(("options", "count"), [({}, 3), ({"save_freq": 1}, 6), ({"save_freq": 4}, 1)])
def test_backups_are_as_many_as_wanted(
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


def test_a_training_that_began_at_a_later_epoch(tmp_path: Path) -> None:
    """What it goes on with is what comes next in its stream of data."""

    def fit(model: Any, epochs: int, folder: Path) -> Any:
        x = np.random.default_rng(5).normal(size=(22, 3)).astype(np.float32)
        data = tf.data.zip((tf.data.array(x), tf.data.array(x[:, :2]))).shuffle(9, seed=5).repeat().batch(4)
        callback = tf.BackupAndRestore(folder, delete_checkpoint=False)
        options = {"batches_per_epoch": 2, "initial_epoch": 2, "verbose": 0, "callbacks": [callback]}
        return model.fit_dataset(data, epochs=epochs, validation_data=(x, x[:, :2]), **options)

    whole, cut = model_of(), model_of()
    cut.set_weights(whole.get_weights())
    expected = fit(whole, 6, tmp_path / "whole")
    fit(cut, 4, tmp_path / "cut")
    found = fit(cut, 6, tmp_path / "cut")
    assert found.epoch == expected.epoch == [2, 3, 4, 5]
    assert found.history == expected.history
    assert len(found.history["val_loss"]) == 4


def test_a_training_that_stopped_early_stays_stopped(tmp_path: Path) -> None:
    stop = tf.callbacks.early_stopping(monitor="loss", min_delta=1e9)
    callbacks = [stop, tf.callbacks.backup_and_restore(tmp_path, delete_checkpoint=False)]
    first = fit(model_of(), tmp_path, epochs=9, callbacks=callbacks)
    assert fit(model_of(), tmp_path, epochs=9, callbacks=callbacks).epoch == first.epoch
    assert len(first.epoch) == 2


def test_weights_stay_in_their_places_when_a_part_is_frozen_meanwhile(tmp_path: Path) -> None:
    def model() -> Any:
        made = tf.sequential([tf.layers.dense(units=3, input_shape=[3]), tf.layers.dense(units=3)])
        made.compile(optimizer="adam", loss="meanSquaredError")
        return made

    def values(model: Any) -> list[Any]:
        return [w.array_sync() for layer in model.layers for w in layer.get_weights()]

    first, second = model(), model()
    freeze = {"on_epoch_end": lambda: setattr(first.layers[0], "trainable", False)}
    fit(first, tmp_path, callbacks=[tf.BackupAndRestore(tmp_path, delete_checkpoint=False), freeze])
    fit(second, tmp_path)
    assert values(second) == values(first)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda folder: fit(model_of(3), folder), r"weights of the shapes \[\[3, 2\], \[2\]\], and not \[\[3, 3\], \[3\]\]"),
        (lambda folder: fit(model_of(), folder, 12), "it is of 8 samples in batches of 4, and not of 12 samples"),
        (lambda folder: fit(model_of(), folder, batch_size=2), "and not of 8 samples in batches of 2"),
        (lambda folder: fit(model_of(), folder, callbacks=[tf.callbacks.early_stopping(), tf.callbacks.backup_and_restore(folder)]), "made with the callbacks"),
    ],
)  # fmt: skip
def test_the_backup_of_another_training_is_refused(other: Any, message: str, tmp_path: Path) -> None:
    fit(model_of(), tmp_path)
    with pytest.raises(ValueError, match=rf"backup\.npz: this training cannot go on.*{message}.*Remove the file"):
        other(tmp_path)


def test_a_damaged_backup_is_refused(tmp_path: Path) -> None:
    fit(model_of(), tmp_path)
    whole = (tmp_path / NAME).read_bytes()
    for damaged in (b"", b"PK", whole[: len(whole) // 2], whole.replace(b"epoch", b"epock")):
        (tmp_path / NAME).write_bytes(damaged)
        with pytest.raises(tf.io.ModelFileError, match=r"backup\.npz: this training cannot go on"):
            fit(model_of(), tmp_path)


def put(place: str, value: Any) -> Any:
    """A change of one entry of a backup: 'model/slots/0' is one of its JSON, 'order' the array of that name."""

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
        (put("epoch", -1), "'epoch' must be 0 or more"),
        (put("batch", "x"), "'batch' must be a whole number"),
        (put("means", {"seen": 1, "totals": {"loss": "x"}}), "'loss' must be a number"),
        (put("logs", [1]), "cannot be read"),
        (put("stopped", 1), "began and stopped"),
        (put("random/1", [-1] * 625), "the state of the random streams is none"),
        (put("began/1/1", []), "the state of the random streams is none"),
        (put("began/0/order", [0] * 8), "it has no order of the samples"),
        (put("began/0/order", ["x"] * 8), "it has no order of the samples"),
        (put("model/weights/1", np.zeros(2, "c8")), "must be an array of numbers"),
        (put("model/weights/1", "x"), "weights of the shapes"),
        (put("model/slots/0/2", np.zeros((3, 3))), r"the slot m of a weight of shape \[3, 2\] is of shape \[3, 3\]"),
        (put("model/slots/0/2", np.zeros((3, 2), "c8")), "the slot m must be an array of numbers"),
        (put("model/slots/0/0", 9), "list index out of range"),
        (put("model/slots/0/1", "q"), "Unknown slot 'q'"),
        (put("model/iterations", "x"), "'iterations' must be a whole number"),
        (put("model/learning_rate", {}), "'learning_rate' must be a number"),
        (put("callbacks/0/values", {}), "it has not all that BackupAndRestore knows"),
        (put("callbacks/0", 3), "not subscriptable"),
    ],
)
def test_of_a_backup_that_makes_no_sense_nothing_is_taken(change: Any, message: str, tmp_path: Path) -> None:
    def model() -> Any:
        made = model_of()
        made.compile(optimizer="adam", loss="meanSquaredError")
        return made

    fit(model(), tmp_path)
    with np.load(tmp_path / NAME) as file:
        arrays = {name: file[name] for name in file.files}
    state = json.loads(bytes(arrays.pop("state")))
    change(state, arrays)
    text = np.frombuffer(json.dumps(state).encode(), np.uint8)
    np.savez(tmp_path / NAME, state=text, **arrays)
    made = model()
    before = [w.array_sync() for w in made.get_weights()]
    with pytest.raises(tf.io.ModelFileError, match=rf"backup\.npz: this training cannot go on.*{message}"):
        fit(made, tmp_path)
    assert [w.array_sync() for w in made.get_weights()] == before
    assert made.optimizer.iterations == 0


def test_a_backup_that_unpacks_to_more_than_it_has_is_refused(tmp_path: Path) -> None:
    fit(model_of(), tmp_path)
    np.savez_compressed(tmp_path / NAME, state=np.zeros(2**20, np.uint8))
    with pytest.raises(tf.io.ModelFileError, match="it says to be larger than it is"):
        fit(model_of(), tmp_path)


def test_bad_options_are_refused(tmp_path: Path) -> None:
    for make in (lambda: tf.callbacks.backup_and_restore(3), lambda: tf.callbacks.backup_and_restore("a", save_freq=0)):
        with pytest.raises((ValueError, TypeError), match="backup_and_restore: argument"):
            make()
