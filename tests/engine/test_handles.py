"""Handles: classes that kernels may return, and moving data from one handle to another."""

from __future__ import annotations

import pytest

import tfpy as tf
from tfpy.core.variable import VariableValue
from tfpy.engine.dispatch import run, runner
from tfpy.engine.handle import Handle, accounting, hand_over, kept
from tfpy.legacy import Array1D


@pytest.mark.parametrize("cls", [Array1D, tf.Variable, VariableValue])
def test_runner_rejects_classes_with_own_state(cls: type[Handle]) -> None:
    with pytest.raises(TypeError, match=f"runner: a {cls.__name__} is not a plain handle"):
        runner(cls)
    with pytest.raises(TypeError, match="not a plain handle"):
        run(cls, "Neg", tf.tensor([1.0]))


def test_hand_over_keeps_id_count_and_keep() -> None:
    tensors = accounting.tensors
    with tf.tidy():
        source = tf.keep(tf.tensor([1.0, 2.0]))
        handle_id, target = source.id, tf.Tensor.__new__(tf.Tensor)
        hand_over(source, target)
    assert source.is_disposed
    assert (target.id, target.array_sync()) == (handle_id, [1, 2])
    assert kept[handle_id] is target
    assert accounting.tensors == tensors + 1
    target.dispose()
    assert handle_id not in kept
    assert accounting.tensors == tensors
