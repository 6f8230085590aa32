"""A failure or difference in one process ends all processes with an explanation."""

from __future__ import annotations

import pytest
from distribute.launch import HERE, start

# The function in failing_program.py, and the texts that its error must contain.
CASES = {
    "error_before": (
        "FileNotFoundError: the data are not here",
        "the process of rank 1 has failed, and ends the others",
    ),
    "error_within": ("OSError: the disk is full", "the process of rank 0 has failed, and ends the others"),
    "other_models": ("rank 0 has layer 0: Dense with units=4, rank 1 layer 0: Dense with units=5.",),
    "other_optimizers": ("rank 0 has a model with AdamOptimizer, rank 1 a model with SGDOptimizer.",),
    "other_settings": (
        "rank 0 has an optimizer with momentum=0.9, use_nesterov=False, rank 1 an optimizer with momentum=0.1,",
    ),
    "other_bounds": ("rank 0 has an optimizer with clip_value=1.0, beta1=0.9,", "rank 1 an optimizer with beta1=0.9,"),
    "other_losses": ("rank 0 has output 0: loss mean_squared_error, metrics [], rank 1 output 0: loss mean_abs",),
    "other_compilation": ("rank 0 has output 0: loss mean_absolute_error, metrics [], rank 1 output 0: loss hinge",),
    "other_layers": (
        "rank 0 has layer 0.0: Dense with activation='tanh', rank 1 layer 0.0: Dense with activation='relu'.",
    ),
    "other_counts": ("rank 0 has samples: 12, rank 1 samples: 11.",),
    "other_data": ("on the same data, but rank 0 is at a batch of 12 samples (",),
    "other_batches": ("rank 0 is at a batch of 2 samples (", "rank 1 at the end of epoch 1"),
    "only_one": ("rank 0 is at a batch of 12 samples (", "rank 1 at the end of the program"),
    "exit_of_one": ("rank 0 is at the beginning of a training, rank 1 at the end of the program",),
    "caught_by_one": ("rank 0 is at the means of 22 numbers, rank 1 at the end of the program",),
    "new_optimizer": ("the end of epoch 1, with SGDOptimizer, rank 1 at the end of epoch 1, with AdamOptimizer",),
    "own_way": ("fit: SGD(learning_rate=0.1) has its own minimize, which cannot be distributed over processes.",),
}
FAST = ("error_before", "other_settings", "only_one")


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[] if kind in FAST else pytest.mark.slow) for kind in CASES])
def test_failure_in_one_process_ends_all(kind: str) -> None:
    result = start(2, HERE / "failing_program.py", kind)
    assert result.returncode != 0
    for text in CASES[kind]:
        assert text in result.stderr


@pytest.mark.slow
def test_longer_running_process_is_waited_for() -> None:
    result = start(2, HERE / "failing_program.py", "slow_end")
    assert (result.returncode, result.stdout, result.stderr) == (0, "done\n", "")
