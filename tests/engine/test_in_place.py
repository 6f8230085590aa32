"""Kernels of a plan that overwrite an input: which do, and which must not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import registry
from tfpy.engine.cpu.passes.fusion import fuse
from tfpy.engine.cpu.passes.in_place import write_in_place
from tfpy.engine.recording import recording_plan

pytestmark = pytest.mark.cpu

A, B = np.random.default_rng(1).normal(size=(2, 5, 5)).astype(np.float32)


def overwriting_kernels(f: Callable[..., Any]) -> list[str]:
    """The kernels of f that overwrite an input; also checks that two replays equal the direct results."""
    inputs = [tf.tensor(A), tf.tensor(B)]
    found, recorder = recording_plan(lambda: f(*inputs), registry.default(), inputs, [])
    replay = recorder.compiled(found)
    assert replay is not None
    for _ in range(2):
        again = replay.run(Tensor, inputs)
        assert again is not None
        for a, b in zip(found, again[0], strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
    np.testing.assert_array_equal(inputs[0].numpy(), A)
    np.testing.assert_array_equal(inputs[1].numpy(), B)
    before = fuse(replay.plan)
    pairs = zip(before.nodes, write_in_place(before).nodes, strict=True)
    return [old.kernel for old, new in pairs if len(new.inputs) > len(old.inputs)]


@pytest.mark.parametrize(
    ("f", "kernels"),
    [
        (lambda a, b: [a.mul(b).add(a).exp()], ["Add", "Exp"]),
        (lambda a, b: [a.sub(b).sub(a).relu()], ["Sub", "Relu"]),
        (lambda a, b: [b.sub(a.mul(b))], ["Sub"]),
        (lambda a, b: [a.mat_mul(b).exp().sqrt()], ["Exp", "Sqrt"]),
        (lambda a, b: [a.mul(b).square().mean()], ["Square"]),
        (lambda a, b: [a.exp().step().mul(b.sqrt())], ["ReluGrad"]),
        (lambda a, b: [a.step().mul(b.exp())], ["ReluGrad"]),
    ],
)
def test_unneeded_values_are_overwritten(f: Callable[..., Any], kernels: list[str]) -> None:
    assert overwriting_kernels(f) == kernels


@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: [a.add(b)],  # inputs
        lambda a, b: [y := a.mul(b), y.exp()],  # an output
        lambda a, b: [(y := a.mul(b)).reshape([25]), y.exp()],  # an output is a view of it
        lambda a, b: [(y := a.mul(b)).transpose(), y.exp()],
        lambda a, b: [(y := a.mul(b)).slice([1, 0], [2, 5]), y.exp()],
        lambda a, b: [a.mul(b).sum(0).add(b)],  # a different shape
        lambda a, b: [a.mul(b).greater(a)],  # a different dtype
        lambda a, b: [a.mul(b).maximum(b)],  # not an elementwise ufunc kernel
        lambda a, b: [a.transpose().exp()],  # a view of an input
        lambda a, b: [a.reshape([25]).exp()],
    ],
)
def test_needed_values_are_not_overwritten(f: Callable[..., Any]) -> None:
    assert overwriting_kernels(f) == []


def test_values_read_earlier_may_be_overwritten() -> None:
    """Sums and products read the array, but their results are not views of it."""

    def f(a: Any, b: Any) -> Any:
        y = a.mul(b)
        return [y.sum(0), y.mat_mul(b), y.exp()]

    assert overwriting_kernels(f) == ["Exp"]
