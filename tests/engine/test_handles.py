"""Handles: who may make them, and what stays with one whose data go elsewhere."""

from __future__ import annotations

import pytest

import tfpy as tf
from tfpy.core.variable import VariableValue
from tfpy.engine.dispatch import run, runner
from tfpy.engine.handle import Handle, accounting, hand_over, kept
from tfpy.legacy import Array1D


@pytest.mark.parametrize("cls", [Array1D, tf.Variable, VariableValue])
def test_kernels_give_no_objects_that_are_more_than_handles(cls: type[Handle]) -> None:
    with pytest.raises(TypeError, match=f"runner: a {cls.__name__} is not a plain handle"):
        runner(cls)
    with pytest.raises(TypeError, match="not a plain handle"):
        run(cls, "Neg", tf.tensor([1.0]))


def test_what_is_handed_over_is_counted_once_and_stays_kept() -> None:
    tensors = accounting.tensors
    with tf.tidy():
        source = tf.keep(tf.tensor([1.0, 2.0]))
        number, to = source.id, tf.Tensor.__new__(tf.Tensor)
        hand_over(source, to)
    assert source.is_disposed
    assert (to.id, to.array_sync()) == (number, [1, 2])
    assert kept[number] is to
    assert accounting.tensors == tensors + 1
    to.dispose()
    assert number not in kept
    assert accounting.tensors == tensors
