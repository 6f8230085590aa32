"""Concurrent saving and loading of models in one folder."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import tfpy as tf
from tfpy.core.io import writing

needs_locks = pytest.mark.skipif(writing.fcntl is None, reason="the system has no locks of this kind")
X = np.ones((2, 3), np.float32)


def build(units: int) -> tf.Sequential:
    layers = [tf.layers.dense(units=units, input_shape=[3]), tf.layers.dense(units=1)]
    return tf.sequential(layers=layers)


def result(model: tf.LayersModel) -> list[float]:
    found: list[float] = model.predict(X).data_sync().tolist()
    return found


@pytest.mark.parametrize("units", [2, 5])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_model_replaced_while_loading_loads_the_new_one(units: int, times: int, tmp_path: Path) -> None:
    build(2).save(tmp_path)
    replacements = [build(units) for _ in range(times)]
    remaining = list(replacements)

    def replace(fraction: float) -> None:
        if remaining:
            remaining.pop(0).save(tmp_path)

    assert result(tf.load_layers_model(tmp_path, on_progress=replace)) == result(replacements[-1])


def test_model_replaced_at_every_step_still_loads(tmp_path: Path) -> None:
    model = build(2)
    model.save(tmp_path)
    loaded = tf.load_layers_model(tmp_path, on_progress=lambda fraction: model.save(tmp_path))
    assert result(loaded) == result(model)


def test_missing_weights_are_not_retried(tmp_path: Path) -> None:
    build(2).save(tmp_path)
    (tmp_path / "weights.bin").unlink()
    fractions: list[float] = []
    with pytest.raises(tf.io.ModelFileError, match=r"weights.bin.*is missing"):
        tf.load_layers_model(tmp_path, on_progress=fractions.append)
    assert fractions == [0]


@needs_locks
def test_save_waits_for_a_save_in_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = build(2), build(3)
    second.save(tmp_path)
    other = threading.Thread(target=second.save, args=(tmp_path,))
    link = writing._link

    def meanwhile(file: Path, name: Path) -> bool:
        if not other.ident:
            other.start()
            other.join(0.3)  # without the lock it would be finished by then
        return link(file, name)

    monkeypatch.setattr(writing, "_link", meanwhile)
    first.save(tmp_path)
    other.join()
    assert result(tf.load_layers_model(tmp_path)) == result(second)
    assert sorted(os.listdir(tmp_path)) == ["model.json", "weights.bin"]


SAVES = """
import sys
import tfpy as tf
model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[3])])
for _ in range(20):
    model.save(sys.argv[1])
"""


@needs_locks
def test_concurrent_processes_leave_a_complete_model(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SAVES, str(tmp_path)]
    running = [subprocess.Popen(command, env={**os.environ, "TFPY_BACKEND": "cpu"}) for _ in range(3)]
    assert [process.wait(timeout=120) for process in running] == [0, 0, 0]
    assert tf.load_layers_model(tmp_path).predict(X).shape == (2, 1)
    assert sorted(os.listdir(tmp_path)) == ["model.json", "weights.bin"]
