"""The parts of a training that processes share, one process at a time: what the others say is made up."""

from __future__ import annotations

import copy
import sys
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.distribute import processes
from tfpy.distribute.coordinator import Coordinator
from tfpy.distribute.ranks import Ranks, _fingerprint
from tfpy.layers.training.batch import Batch


class Echoes:
    """Processes that all send what this one sends; of their sums, only this one's part is known."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size
        self.sums: list[np.ndarray] = []

    def gather(self, value: Any) -> list[Any]:
        return [value] * self.size

    def broadcast(self, value: Any) -> Any:
        assert value is not None, "only the first process can tell"
        return value

    def sum(self, array: np.ndarray) -> np.ndarray:
        self.sums.append(array)
        return array


def among(rank: int, size: int) -> Ranks:
    return Ranks(Coordinator(Echoes(rank, size)), lambda: among(rank, size))


def model_of(ranks: Any, **options: Any) -> Any:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    model.compile(**{"optimizer": "sgd", "loss": "meanSquaredError", "distribute": ranks, **options})
    return model


@pytest.mark.parametrize(
    ("size", "samples", "parts"),
    [(1, 3, [3]), (2, 8, [4, 4]), (2, 5, [2, 3]), (3, 8, [2, 3, 3]), (3, 2, [0, 1, 1]), (4, 1, [0, 0, 0, 1])],
)
def test_each_process_computes_its_part_of_a_batch(size: int, samples: int, parts: list[int]) -> None:
    """The parts are consecutive and make up the batch; a process that has none computes what counts for nothing."""
    batch = Batch([tf.range(0, samples).expand_dims(1)], [tf.zeros([samples, 1])], [tf.ones([samples])])
    found: list[int] = []
    for rank in range(size):
        ranks = among(rank, size)
        model = model_of(ranks)
        seen: list[Batch] = []

        def run(part: Batch, mean: Any, seen: list[Batch] = seen) -> Any:
            seen.append(part)
            return mean([tf.scalar(1)], None)

        ranks._coordinator.mark_synchronized(model, model.optimizer)
        share = float(ranks.step(model, model.optimizer, batch, run)[0])
        assert share == pytest.approx(parts[rank] / samples)
        rows = [int(v) for v in seen[0].inputs[0].numpy().ravel()]
        assert len(rows) == seen[0].targets[0].shape[0] == seen[0].weights[0].shape[0]
        found += rows if parts[rank] else []
        assert len(rows) == max(parts[rank], 1)
    assert found == list(range(samples))


def test_texts_are_compared_by_what_they_say() -> None:
    def of(*texts: str) -> int:
        made = ["".join(list(text)) for text in texts]  # others than those of the last call
        return _fingerprint(Batch([tf.tensor(made)], [tf.zeros([len(made)])], [None]))

    assert of("some", "texts") == of("some", "texts") != of("other", "texts")


def test_one_sum_for_each_step() -> None:
    """Loss, metric and gradients go in one buffer; recorded steps as well."""
    ranks = among(0, 2)
    model = model_of(ranks, metrics=["mae"])
    for _ in range(4):
        model.train_on_batch(tf.ones([4, 2]), tf.ones([4, 1]))
    assert [array.shape for array in ranks._coordinator.group.sums] == [(1 + 1 + 2 + 1,)] * 4
    assert len(model.plans) == 1


def test_frozen_weights_are_not_sent() -> None:
    ranks = among(0, 2)
    model = model_of(ranks)
    model.add(tf.layers.batch_normalization(trainable=False))
    model.compile(optimizer="sgd", loss="meanSquaredError", distribute=ranks)
    model.train_on_batch(tf.ones([4, 2]), tf.ones([4, 1]))
    assert ranks._coordinator.group.sums[0].size == 1 + 3 + 2  # the loss, a dense layer, moving averages


def test_a_single_process_trains_as_ever() -> None:
    x, y = np.eye(2, dtype=np.float32), np.ones((2, 1), np.float32)
    found = []
    for ranks in (None, among(0, 1)):
        tf.set_seed(1)
        model = model_of(ranks)
        found.append(model.fit(x, y, epochs=3, verbose=0).history)
    assert found[0] == found[1]
    assert model.training_state.compiled.strategy is None


def test_processes_that_say_other_things() -> None:
    class Others(Echoes):
        def gather(self, value: Any) -> list[Any]:
            place, said = value
            return [value, (place, [*said, "layer 1: GRU"])]

    with pytest.raises(RuntimeError, match="rank 0 has nothing, rank 1 layer 1: GRU"):
        Coordinator(Others(0, 2)).compare("here", ["layer 0: Dense"])


def test_what_compile_refuses() -> None:
    with pytest.raises(TypeError, match=r"compile: argument 'distribute' must be the result of tf.distribute.mpi\(\)"):
        model_of("mpi")
    model = tf.sequential(layers=[tf.layers.gru(units=1, stateful=True, batch_input_shape=[4, 3, 2])])
    with pytest.raises(
        ValueError, match="compile: argument 'distribute' must be omitted for a model that keeps states"
    ):
        model.compile(optimizer="sgd", loss="meanSquaredError", distribute=among(0, 2))


def test_a_copy_of_a_model_has_the_same_processes() -> None:
    model = copy.deepcopy(model_of(among(1, 2)))
    assert repr(model.training_state.compiled.strategy) == "Ranks(rank=1, size=2)"


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    processes._ranks.cache_clear()
    with pytest.raises(ImportError, match=r"tf.distribute.mpi needs the package mpi4py; pip install 'tfpy\[mpi\]'"):
        tf.distribute.mpi()


@pytest.mark.parametrize("variable", ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"])
def test_started_by_another_mpi(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "4")
    with pytest.raises(RuntimeError, match="4 processes were started, but mpi4py sees one"):
        processes._check_launcher(1)
    processes._check_launcher(4)
