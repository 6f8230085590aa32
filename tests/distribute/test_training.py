"""Training in two MPI processes gives the results of training in one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from distribute.launch import HERE, start

SCRIPT = HERE / "training_program.py"
SAME = (
    "arrays",
    "batches",
    "several",
    "steps",
    "one_optimizer",
    "settings",
    "masked",
    "meddling",
    "files",
    "resumed",
)
OTHERS = ("statistics", "dropout_and_shuffling")


class Outcome(NamedTuple):
    """The output of a number of processes: their files, and their standard output."""

    folder: Path
    stdout: str

    def of(self, kind: str, rank: int = 0) -> dict[str, Any]:
        with np.load(self.folder / f"{kind}-{rank}.npz") as file:
            return {name: file[name] for name in file.files}

    def found(self, kind: str) -> Any:
        return json.loads(str(self.of(kind)["found"]))


def train(folder: Path, ranks: int, *kinds: str, backend: str = "cpu") -> Outcome:
    folder.mkdir()
    result = start(ranks, SCRIPT, folder, *kinds, backend=backend)
    assert result.returncode == 0, result.stderr
    return Outcome(folder, result.stdout)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return train(tmp_path_factory.mktemp("one") / "of", 1, *SAME, *OTHERS)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return train(tmp_path_factory.mktemp("two") / "of", 2, *SAME, *OTHERS)


def assert_close(found: Any, expected: Any, tolerance: float = 2e-5) -> None:
    """Compare numbers in nested lists and dicts up to rounding."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert_close(a, b, tolerance)
    else:
        assert found == pytest.approx(expected, rel=tolerance, abs=tolerance / 10)


def assert_same_bits(outcome: Outcome, kind: str, ranks: int) -> None:
    for rank in range(1, ranks):
        for name, value in outcome.of(kind, rank).items():
            assert value.tobytes() == outcome.of(kind)[name].tobytes(), (kind, rank, name)


@pytest.mark.parametrize("kind", SAME)
def test_two_processes_give_results_of_one(kind: str, one: Outcome, two: Outcome) -> None:
    expected, found = one.of(kind), two.of(kind)
    assert list(found) == list(expected)
    for name in expected:
        if name != "found":
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-5, atol=1e-6, err_msg=name)
    assert_close(two.found(kind), one.found(kind))


@pytest.mark.parametrize("kind", [*SAME, *OTHERS])
def test_all_processes_are_bit_identical(kind: str, two: Outcome) -> None:
    assert_same_bits(two, kind, 2)


@pytest.mark.slow
@pytest.mark.gl
def test_two_processes_on_the_gpu(one: Outcome, tmp_path: Path) -> None:
    two = train(tmp_path / "of", 2, "arrays", backend="webgl")
    assert_same_bits(two, "arrays", 2)
    assert_close(two.found("arrays"), one.found("arrays"), 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [3, 5])
def test_more_processes_than_samples_in_a_batch(ranks: int, one: Outcome, tmp_path: Path) -> None:
    more = train(tmp_path / "of", ranks, "arrays", "batches", "steps")
    for kind in ("arrays", "batches", "steps"):
        assert_close(more.found(kind), one.found(kind))
        assert_same_bits(more, kind, ranks)


def test_moving_averages_are_averaged_over_processes(one: Outcome, two: Outcome) -> None:
    """Means equal those of whole batches; variances lack the variance between the parts."""
    names = ["weight0", "weight1", "weight2", "weight3", "weight4", "weight5"]
    single, shared = ([outcome.of("statistics")[name] for name in names] for outcome in (one, two))
    by_size = [i for i, value in enumerate(single) if value.shape == (5,)]
    mean, variance = by_size[-2:]
    np.testing.assert_allclose(shared[mean], single[mean], rtol=1e-5)
    assert (shared[variance] < single[variance]).all()
    np.testing.assert_allclose(shared[variance], single[variance], rtol=0.1)


def test_processes_draw_different_noise(one: Outcome, two: Outcome) -> None:
    steps = [np.load(two.folder / f"noise-{rank}.npy") for rank in (0, 1)]
    drawn = [step.tobytes() for part in steps for step in part]
    assert len(drawn) == len(set(drawn)) == 8
    assert steps[0].shape == (4, 2, 40)
    assert len(np.load(one.folder / "noise-0.npy")) == 4


def test_only_first_process_calls_callbacks_prints_and_writes(one: Outcome, two: Outcome) -> None:
    events = [json.loads((two.folder / f"events-{rank}.json").read_text()) for rank in (0, 1)]
    assert events == [json.loads((one.folder / "events-0.json").read_text()), []]
    assert len(events[0]) == 3 * 5 + 2 + 1
    assert sorted(path.name for path in (two.folder / "written-by-0-of-2").iterdir()) == ["log.csv", "model"]
    assert not list((two.folder / "written-by-1-of-2").iterdir())
    epochs = len(two.found("files")[0])
    assert two.stdout.count("epoch ") == epochs
    assert two.stdout.count("early stopping") == two.stdout.count("\nloss ") == 1
    assert 3 < epochs < 30


def test_interrupted_training_is_resumed(two: Outcome, tmp_path: Path) -> None:
    tmp_path.joinpath("cut").touch()
    assert start(2, SCRIPT, tmp_path, "resumed").returncode != 0
    assert (tmp_path / "backup-2" / "backup.npz").exists()
    assert start(2, SCRIPT, tmp_path, "resumed").returncode == 0
    assert not (tmp_path / "backup-2" / "backup.npz").exists()
    for name, value in two.of("resumed").items():
        assert value.tobytes() == Outcome(tmp_path, "").of("resumed")[name].tobytes(), name
