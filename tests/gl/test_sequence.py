"""Sequence kernels on the GPU: results equal to the CPU's, limits, and the number of shaders."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tolerance import GPU_FUNCTIONS

import tfpy as tf
from tfpy.engine.backend import registry
from tfpy.engine.gl import matmul, sequence
from tfpy.engine.gl.device import Device

pytestmark = pytest.mark.gl

RNG = np.random.default_rng(3)


def make_layer(factory: str, units: int, features: int, **options: Any) -> Any:
    layer = getattr(tf.layers, factory)(units=units, return_state=True, **options)
    layer.build((None, 5, features))
    rng = np.random.default_rng(units)
    scale = min(0.4, 2 / units**0.5)  # larger weights of many units would make the steps chaotic
    layer.set_weights([rng.normal(scale=scale, size=w.shape).astype(np.float32) for w in layer.weights])
    return layer


def results(factory: str, units: int, x: np.ndarray, masked: bool, **options: Any) -> list[np.ndarray]:
    """Outputs and states in training, and the gradients of a weighted sum of the outputs by all inputs."""
    layer = make_layer(factory, units, x.shape[-1], **options)
    rng = np.random.default_rng(1)
    states = [rng.normal(size=(len(x), units)).astype(np.float32) for _ in layer.state_sizes]
    mask = tf.tensor(rng.random(x.shape[:2]) > 0.4) if masked else None

    def apply(given: Any) -> Any:
        tf.set_seed(5)  # the same dropout each time
        return layer.apply(given[0], initial_state=list(given[1:]), mask=mask, training=True)

    tensors = [tf.tensor(x), *map(tf.tensor, states)]
    outputs = apply(tensors)
    weights = [tf.tensor(rng.normal(size=o.shape).astype(np.float32)) for o in outputs]

    def total(*given: Any) -> Any:
        return tf.add_n([o.mul(w).sum() for o, w in zip(apply(given), weights, strict=True)])

    by_weight = tf.variable_grads(lambda: total(*tensors)).grads
    found = [*outputs, *[by_weight[w.name] for w in layer.weights], *tf.grads(total)(tensors)]
    return [t.numpy() for t in found]


CELLS: list[tuple[str, dict[str, Any]]] = [
    ("simple_rnn", {}),
    ("gru", {}),
    ("gru", {"reset_after": True}),
    ("lstm", {}),
]
GATED = [{"recurrent_activation": name} for name in ("sigmoid", "hardSigmoid")]
OPTIONS = [
    (factory, {**dict(zip(("return_sequences", "go_backwards"), flags, strict=True)), **options, **dropout})
    for factory, cell in CELLS
    for options in ([cell] if factory == "simple_rnn" else [{**cell, **gated} for gated in GATED])
    for flags in itertools.product((False, True), repeat=2)
    for dropout in ({}, {"recurrent_dropout": 0.4})
]


def assert_equals_cpu(factory: str, units: int, x: np.ndarray, masked: bool = False, **options: Any) -> None:
    found = results(factory, units, x, masked, **options)
    with_gpu = registry.current
    registry.use("cpu")
    expected = results(factory, units, x, masked, **options)
    registry.current = with_gpu
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=GPU_FUNCTIONS, atol=GPU_FUNCTIONS * max(1.0, np.abs(b).max()))


@pytest.mark.parametrize("masked", [False, True], ids=["", "masked"])
@pytest.mark.parametrize(("factory", "options"), OPTIONS, ids=str)
def test_results_equal_cpu(device: Device, factory: str, options: dict[str, Any], masked: bool) -> None:
    before = dict(device.counts.fallbacks)
    assert_equals_cpu(factory, 7, RNG.normal(size=(3, 5, 4)).astype(np.float32), masked, **options)
    assert {k: n for k, n in device.counts.fallbacks.items() if "Sequence" in k and n > before.get(k, 0)} == {}


every_cell = pytest.mark.parametrize(("factory", "options"), CELLS, ids=str)
with_further_inputs = pytest.mark.parametrize(
    ("masked", "dropout"), [(False, 0), (True, 0), (True, 0.4)], ids=["", "masked", "masked, dropout"]
)


@with_further_inputs
@every_cell
def test_several_shaders_and_samples_per_workgroup(
    device: Device, factory: str, options: dict[str, Any], masked: bool, dropout: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence, "_MAX_MULTIPLICATIONS", 2 * 4 * 8 * 8)
    monkeypatch.setattr(sequence, "rows_for", lambda *a: 2)
    x = RNG.normal(size=(5, 7, 3)).astype(np.float32)
    assert_equals_cpu(factory, 8, x, masked, return_sequences=True, recurrent_dropout=dropout, **options)


@every_cell
def test_weights_in_registers(
    device: Device, factory: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "software", False)
    monkeypatch.setattr(sequence, "KEPT_WEIGHTS", 8)
    assert_equals_cpu(factory, 14, RNG.normal(size=(3, 4, 3)).astype(np.float32), return_sequences=True, **options)


@every_cell
def test_more_columns_than_threads(
    device: Device, factory: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    units = 350 if factory == "gru" else 300
    monkeypatch.setattr(sequence, "_MAX_UNITS", dict.fromkeys(sequence.GATES, units))
    assert_equals_cpu(factory, units, RNG.normal(size=(2, 3, 2)).astype(np.float32), **options)


@pytest.mark.parametrize("masked", [False, True], ids=["", "masked"])
@pytest.mark.parametrize(("factory", "options"), OPTIONS, ids=str)
def test_many_units_run_step_by_step(
    device: Device, factory: str, options: dict[str, Any], masked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence, "_MAX_UNITS", dict.fromkeys(sequence.GATES, 6))
    before = dict(device.counts.fallbacks)
    assert_equals_cpu(factory, 7, RNG.normal(size=(3, 5, 4)).astype(np.float32), masked, **options)
    assert {k: n for k, n in device.counts.fallbacks.items() if "Sequence" in k and n > before.get(k, 0)} == {}


@with_further_inputs
@every_cell
def test_products_in_parts(
    factory: str, options: dict[str, Any], masked: bool, dropout: float, device: Device
) -> None:  # fmt: skip
    units, samples = 512, 2
    assert not sequence.is_whole(device, "SimpleRNN", units)
    assert matmul.product(matmul.Sizes(1, samples, units, units, 0, 0), False, False, True).parts(device) > 1
    x = RNG.normal(size=(samples, 3, 2)).astype(np.float32)
    assert_equals_cpu(factory, units, x, masked, recurrent_dropout=dropout, **options)


@every_cell
def test_too_little_shared_memory(
    device: Device, factory: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "shared_bytes", 512)
    assert not sequence.is_whole(device, "LSTM", 30)
    assert_equals_cpu(factory, 30, RNG.normal(size=(1, 3, 2)).astype(np.float32), return_sequences=True, **options)


def test_samples_per_workgroup_depend_on_shared_memory(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = sequence._Sizes(2000, 5, 4, 64)
    taken = []
    for room in (49152, 32768, 8192, 4096):
        monkeypatch.setattr(device, "shared_bytes", room)
        taken.append(sequence.rows_for(device, "LSTM", sizes))
    assert taken == [4, 4, 2, 1]


def test_shared_memory_size_is_queried(device: Device) -> None:
    assert device.shared_bytes >= 32768


@pytest.mark.parametrize("masked", [False, True], ids=["", "masked"])
def test_number_of_shaders_of_a_sequence(device: Device, masked: bool) -> None:
    layer = make_layer("lstm", 8, 4)
    x = tf.tensor(RNG.normal(size=(3, 20, 4)).astype(np.float32))
    mask = tf.tensor(RNG.random((3, 20)) > 0.4) if masked else None
    run = lambda: layer.apply(x, mask=mask)[0].numpy()  # noqa: E731
    run()
    before = device.counts.dispatches
    run()
    assert device.counts.dispatches - before <= 4  # the product with the inputs, the sequence, two zero states


def dispatches_of(device: Device, layer: Any, time: int) -> int:
    """How many shaders the gradients of a sequence take."""
    x = tf.tensor(RNG.normal(size=(3, time, 4)).astype(np.float32))
    before = device.counts.dispatches
    for g in tf.variable_grads(lambda: layer.apply(x, training=True)[0].sum()).grads.values():
        g.numpy()
    return device.counts.dispatches - before


def test_number_of_gradient_shaders_is_independent_of_length(device: Device) -> None:
    layer = make_layer("lstm", 8, 4)
    assert dispatches_of(device, layer, 5) == dispatches_of(device, layer, 40) <= 14


@pytest.mark.parametrize("dropout", [0, 0.4])
@every_cell
def test_number_of_shaders_of_a_step(
    device: Device, factory: str, options: dict[str, Any], dropout: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence, "_MAX_UNITS", dict.fromkeys(sequence.GATES, 6))
    layer = make_layer(factory, 8, 4, recurrent_dropout=dropout, **options)
    per_step = 4 if layer.cell.get_class_name() == "GRUCell" and not layer.reset_after else 2
    forward_and_back = dispatches_of(device, layer, 15) - dispatches_of(device, layer, 5)
    assert forward_and_back == 10 * 2 * per_step
