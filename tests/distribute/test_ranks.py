"""Distributed training in a single process, with fake messages of the other processes."""

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


class EchoGroup:
    """A group whose other processes send what this one sends; a sum is only this process's summand."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size
        self.sums: list[np.ndarray] = []

    def gather(self, value: Any) -> list[Any]:
        return [value] * self.size

    def broadcast(self, value: Any) -> Any:
        assert value is not None, "the first process must provide the value"
        return value

    def sum(self, array: np.ndarray) -> np.ndarray:
        self.sums.append(array)
        return array


def ranks_of(rank: int, size: int) -> Ranks:
    return Ranks(Coordinator(EchoGroup(rank, size)), lambda: ranks_of(rank, size))


def model_of(ranks: Any, **options: Any) -> Any:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    model.compile(**{"optimizer": "sgd", "loss": "meanSquaredError", "distribute": ranks, **options})
    return model


@pytest.mark.parametrize(
    ("size", "samples", "parts"),
    [(1, 3, [3]), (2, 8, [4, 4]), (2, 5, [2, 3]), (3, 8, [2, 3, 3]), (3, 2, [0, 1, 1]), (4, 1, [0, 0, 0, 1])],
)
def test_batch_is_split_between_processes(size: int, samples: int, parts: list[int]) -> None:
    """The parts are consecutive and cover the batch; a process without samples computes one with weight 0."""
    batch = Batch([tf.range(0, samples).expand_dims(1)], [tf.zeros([samples, 1])], [tf.ones([samples])])
    found: list[int] = []
    for rank in range(size):
        ranks = ranks_of(rank, size)
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


def test_fingerprint_of_strings_depends_on_content() -> None:
    def fingerprint(*texts: str) -> int:
        copies = ["".join(list(text)) for text in texts]  # new objects, with the same content
        return _fingerprint(Batch([tf.tensor(copies)], [tf.zeros([len(copies)])], [None]))

    assert fingerprint("some", "texts") == fingerprint("some", "texts") != fingerprint("other", "texts")


def test_one_sum_per_step() -> None:
    """Loss, metric and gradients are summed in one buffer, also in planned steps."""
    ranks = ranks_of(0, 2)
    model = model_of(ranks, metrics=["mae"])
    for _ in range(4):
        model.train_on_batch(tf.ones([4, 2]), tf.ones([4, 1]))
    assert [array.shape for array in ranks._coordinator.group.sums] == [(1 + 1 + 2 + 1,)] * 4
    assert len(model.plans) == 1


def test_frozen_weights_are_not_sent() -> None:
    ranks = ranks_of(0, 2)
    model = model_of(ranks)
    model.add(tf.layers.batch_normalization(trainable=False))
    model.compile(optimizer="sgd", loss="meanSquaredError", distribute=ranks)
    model.train_on_batch(tf.ones([4, 2]), tf.ones([4, 1]))
    assert ranks._coordinator.group.sums[0].size == 1 + 3 + 2  # the loss, a dense layer, moving averages


def test_single_process_trains_as_without_distribution() -> None:
    x, y = np.eye(2, dtype=np.float32), np.ones((2, 1), np.float32)
    found = []
    for ranks in (None, ranks_of(0, 1)):
        tf.set_seed(1)
        model = model_of(ranks)
        found.append(model.fit(x, y, epochs=3, verbose=0).history)
    assert found[0] == found[1]
    assert model.training_state.compiled.strategy is None


def test_difference_between_processes_raises() -> None:
    class DifferingGroup(EchoGroup):
        def gather(self, value: Any) -> list[Any]:
            place, description = value
            return [value, (place, [*description, "layer 1: GRU"])]

    with pytest.raises(RuntimeError, match="rank 0 has nothing, rank 1 layer 1: GRU"):
        Coordinator(DifferingGroup(0, 2)).compare("here", ["layer 0: Dense"])


def test_invalid_distribute_argument_raises() -> None:
    with pytest.raises(TypeError, match=r"compile: argument 'distribute' must be the result of tf.distribute.mpi\(\)"):
        model_of("mpi")
    model = tf.sequential(layers=[tf.layers.gru(units=1, stateful=True, batch_input_shape=[4, 3, 2])])
    with pytest.raises(
        ValueError, match="compile: argument 'distribute' must be omitted for a model that keeps states"
    ):
        model.compile(optimizer="sgd", loss="meanSquaredError", distribute=ranks_of(0, 2))


def test_copied_model_keeps_ranks() -> None:
    model = copy.deepcopy(model_of(ranks_of(1, 2)))
    assert repr(model.training_state.compiled.strategy) == "Ranks(rank=1, size=2)"


def test_missing_mpi4py_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    processes._ranks.cache_clear()
    with pytest.raises(
        ImportError, match=r"tf.distribute.mpi needs the extra 'mpi' of tfpy; pip install 'tfpy\[mpi\]'"
    ):
        tf.distribute.mpi()


@pytest.mark.parametrize("variable", ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"])
def test_launch_by_incompatible_mpi_raises(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "4")
    with pytest.raises(RuntimeError, match="4 processes were started, but mpi4py sees one"):
        processes._check_launcher(1)
    processes._check_launcher(4)
