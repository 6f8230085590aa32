"""Recipes are reused for work of known structure with other values, sizes, numbers and references."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gpu import Work, computed
from tolerance import assert_products, assert_sums

import tfpy as tf
from tfpy.engine.gl import recipes, structures
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.memory_pool import size_class

pytestmark = pytest.mark.gl

Measure = Callable[[Callable[[], object]], Work]


def on_gpu(shape: Any, seed: int = 0) -> tf.Tensor:
    """A random tensor with a buffer on the GPU."""
    return computed(tf.tensor(np.random.default_rng(seed).normal(size=shape).astype(np.float32)))


def test_other_sizes_and_numbers_reuse_recipes(device: Device) -> None:
    counts = []
    for shape, number in (((3, 5), 2.0), ((7, 11), 3.5), ((4, 1000), 0.5)):
        a, row = on_gpu(shape, 1), on_gpu(shape[1], 2)
        found = a.add(row).clip_by_value(-number, number).mul(number).sum(1)
        terms = np.clip(a.numpy() + row.numpy(), -number, number) * np.float32(number)
        assert_sums(found.numpy(), terms.sum(1, np.float64), np.abs(terms).sum(1))
        counts.append((len(device.recipes), len(device.structures)))
    assert counts[1:] == counts[:1] * 2


def test_op_on_same_tensor_twice_and_on_two_tensors(gpu: GlBackend) -> None:
    a, b = on_gpu(50, 1), on_gpu(50, 2)
    x, y = a.numpy(), b.numpy()
    for p, q, u, v in ((a, a, x, x), (a, b, x, y), (b, b, y, y), (b, a, y, x)):
        np.testing.assert_array_equal(p.sub(q).numpy(), u - v)
        np.testing.assert_array_equal(p.mul(q).sub(q).maximum(p).numpy(), np.maximum(u * v - v, u))


def test_op_on_tensor_and_numbers_needs_no_recipe(device: Device) -> None:
    a, positive = on_gpu(20, 1), computed(on_gpu(20, 1).greater(0))
    x = a.numpy()
    device.recipes.clear()
    np.testing.assert_array_equal(a.mul(2.5).numpy(), x * np.float32(2.5))
    np.testing.assert_array_equal(tf.sub(2.5, a).numpy(), np.float32(2.5) - x)
    np.testing.assert_array_equal(tf.where(positive, a, 7.0).numpy(), np.where(x > 0, x, np.float32(7)))
    np.testing.assert_array_equal(a.clip_by_value(-0.5, 0.5).numpy(), np.clip(x, np.float32(-0.5), np.float32(0.5)))
    assert not device.recipes


def test_numbers_buffers_and_host_arrays_as_operands(gpu: GlBackend) -> None:
    a = on_gpu(20, 1)
    others = [tf.scalar(3.0), tf.fill([20], 2.0), on_gpu(20, 2), tf.tensor(np.ones(20, np.float32)), on_gpu([], 3)]
    for b in [*others, *others[::-1]]:
        found = a.mul(b).add(b).mul(2).numpy()
        np.testing.assert_array_equal(found, (a.numpy() * b.numpy() + b.numpy()) * 2)


def test_slices_at_equal_and_different_offsets(gpu: GlBackend) -> None:
    """Two operands with one index map, and with two maps of the same form, are different work."""
    a, b = on_gpu(40, 1), on_gpu(40, 2)
    x, y = a.numpy(), b.numpy()
    for i, j in ((3, 3), (3, 5), (5, 3), (7, 7), (0, 2), (2, 0), (0, 0)):
        found = a.slice([i], [9]).mul(b.slice([j], [9])).add(a.slice([j], [9]))
        np.testing.assert_array_equal(found.numpy(), x[i : i + 9] * y[j : j + 9] + x[j : j + 9])


@pytest.mark.parametrize("first", [0, 1, 2])
def test_inputs_computed_in_between(gpu: GlBackend, first: int) -> None:
    """The cached structure tells which inputs were pending; some may be computed by now."""
    a, b = on_gpu(30, 1), on_gpu(30, 2)
    parts = [a.sub(b), a.mul(b), b.square()]
    combined = parts[0].mul(parts[1]).add(parts[2]).sub(parts[0])
    computed(parts[first])
    x, y = a.numpy(), b.numpy()
    np.testing.assert_array_equal(combined.numpy(), (x - y) * (x * y) + y * y - (x - y))
    for part, expected in zip(parts, (x - y, x * y, y * y), strict=True):
        np.testing.assert_array_equal(part.numpy(), expected)


def test_references_are_checked_each_time(work: Measure) -> None:
    a, b = on_gpu(300, 1), on_gpu(300, 2)

    def run(hold: str) -> list[tf.Tensor]:
        x = a.sub(b)
        y = x.mul(a)
        z = y.add(x)
        kept = [t for name, t in zip("xy", (x, y), strict=True) if name in hold]
        del x, y
        return [computed(z), *kept]

    for hold in ("", "x", "y", "", "xy", "x", ""):
        found = work(lambda hold=hold: run(hold))  # type: ignore[misc]
        assert found == Work(1, size_class(1200) * (1 + len(hold)))
        assert work(lambda hold=hold: [computed(t) for t in run(hold)]).dispatches == 1  # type: ignore[misc]
    u, v = a.numpy(), b.numpy()
    for t, expected in zip(run("xy"), ((u - v) * u + (u - v), u - v, (u - v) * u), strict=True):
        np.testing.assert_array_equal(t.numpy(), expected)


def test_matmul_with_and_without_fused_ops(gpu: GlBackend) -> None:
    x, w = on_gpu((40, 40), 1), on_gpu((40, 40), 2)
    z = computed(x.mat_mul(w)).numpy()
    assert_products(z, x.numpy(), w.numpy())
    for _ in range(2):
        np.testing.assert_array_equal(x.mat_mul(w).add(1).numpy(), z + 1)
        np.testing.assert_array_equal(computed(x.mat_mul(w)).add(1).numpy(), z + 1)
        np.testing.assert_array_equal(x.mat_mul(w).add(x.mat_mul(w).transpose()).numpy(), z + z.T)


UNARY = ["square", "neg", "relu", "abs"]
BINARY = ["add", "sub", "mul", "maximum", "minimum"]


def graph(seed: int, inputs: list[tf.Tensor], each: Callable[[tf.Tensor], tf.Tensor]) -> list[tf.Tensor]:
    """The outputs of random ops, some of whose results are dropped."""
    r = random.Random(seed)
    values = list(inputs)
    for _ in range(r.randrange(3, 25)):
        a, b = r.choice(values[-4:]), r.choice(values)
        kind = r.random()
        if kind < 0.3:
            result = getattr(a, r.choice(UNARY))()
        elif kind < 0.8:
            result = getattr(a, r.choice(BINARY))(b)
        elif kind < 0.9 and a.rank and a.shape[-1] > 4:
            start = r.randrange(3)
            result = a.slice([0] * (a.rank - 1) + [start], [-1] * (a.rank - 1) + [2]).sum(-1, True)
        else:
            result = a.mean(0, True) if a.rank else a.neg()
        values.append(each(result))
        if r.random() < 0.3 and len(values) > 5:
            values.pop(r.randrange(3, len(values)))
    return r.sample(values, min(3, len(values)))


@pytest.mark.parametrize("seed", range(60))
def test_random_work_is_bit_identical_to_single_ops(gpu: GlBackend, seed: int) -> None:
    """The second round reuses the recipes of the first."""
    for shape in ((6, 5), (9, 7)):
        inputs = [on_gpu(shape, seed), on_gpu(shape[1], seed + 1), tf.scalar(0.5), on_gpu(shape, seed + 2)]
        single = [t.numpy() for t in graph(seed, inputs, computed)]
        for t, expected in zip(graph(seed, inputs, lambda t: t), single, strict=True):
            np.testing.assert_array_equal(t.numpy(), expected)


def test_number_of_recipes_and_structures_is_limited(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "_MAX_RECIPES", 2)
    monkeypatch.setattr(structures, "_MAX_STRUCTURES", 3)
    device.recipes.clear()
    device.structures.clear()
    a, b = on_gpu(20, 1), on_gpu(20, 2)
    for _ in range(2):
        for name in BINARY:
            for other in BINARY:
                found = getattr(getattr(a.mul(b), name)(b), other)(a)
                expected = getattr(computed(getattr(computed(a.mul(b)), name)(b)), other)(a)
                np.testing.assert_array_equal(found.numpy(), expected.numpy())
                assert len(device.recipes) <= 2
                assert len(device.structures) <= 3
