"""Kernels that run a recurrent layer over a whole sequence: equal to single steps, and when they are not used."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy.engine import machine
from tfpy.engine.backend import registry
from tfpy.engine.cpu import sequence as kernels
from tfpy.engine.hooks import observing

RNG = np.random.default_rng(3)
FACTORIES = ("simple_rnn", "gru", "lstm")


def make_layer(factory: str, units: int = 8, **options: Any) -> Any:
    layer = getattr(tf.layers, factory)(units=units, **options)
    layer.build((None, 5, 4))
    layer.set_weights([RNG.normal(size=w.shape) * 0.5 for w in layer.weights])
    return layer


def kernels_of(run: Any) -> set[str]:
    seen: set[str] = set()
    with observing(lambda found: seen.add(found.kernel)):
        run()
    return seen


def results(
    layer: Any, x: np.ndarray, states: list[np.ndarray], weights: list[np.ndarray], mask: Any = None
) -> list[np.ndarray]:
    """A layer's outputs in training, and the gradients of their weighted sum by inputs, states and weights."""

    def apply(given: Any) -> Any:
        tf.set_seed(5)  # the same dropout each time
        return layer.apply(given[0], initial_state=list(given[1:]), mask=mask, training=True)

    def total(*given: Any) -> Any:
        return tf.add_n([o.mul(w).sum() for o, w in zip(apply(given), weights, strict=True)])

    tensors = [tf.tensor(x), *map(tf.tensor, states)]
    outputs = apply(tensors)
    by_weight = tf.variable_grads(lambda: total(*tensors)).grads
    found = [*outputs, *[by_weight[w.name] for w in layer.weights], *tf.grads(total)(tensors)]
    return [t.numpy() for t in found]


GATED = [{"recurrent_activation": name} for name in ("sigmoid", "hardSigmoid")]
CELLS = [
    ("simple_rnn", {}),
    *[(factory, gated) for factory in ("gru", "lstm") for gated in GATED],
    *[("gru", {"reset_after": True, **gated}) for gated in GATED],
]
OPTIONS = [
    (factory, {**dict(zip(("return_sequences", "go_backwards", "use_bias"), flags, strict=True)), **options})
    for factory, options in CELLS
    for flags in itertools.product((False, True), repeat=3)
]


def step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfpy.layers.kinds.recurrent.fits_sequence_kernel", lambda *a: False)


def sequences_in(run: Any) -> set[str]:
    return {kernel for kernel in kernels_of(run) if "Sequence" in kernel}


@pytest.mark.parametrize("dropout", [{}, {"dropout": 0.3, "recurrent_dropout": 0.4}], ids=["", "dropout"])
@pytest.mark.parametrize("masked", [False, True], ids=["", "masked"])
@pytest.mark.parametrize(("factory", "options"), OPTIONS, ids=str)
@pytest.mark.parametrize(("backend_name", "batch", "units"), [("double", 3, 8), ("cpu", 3, 8), ("double", 270, 40)])
def test_results_equal_those_of_single_steps(
    factory: str,
    options: dict[str, Any],
    backend_name: str,
    batch: int,
    units: int,
    masked: bool,
    dropout: dict[str, float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Compares outputs, states and all gradients, with one and several shards and chunks of steps."""
    registry.use(backend_name)
    monkeypatch.setattr(machine.share, "shards", 3)
    monkeypatch.setattr("tfpy.engine.cpu.sequence._CHUNK_BYTES", 3 * 4 * units * batch * 8)
    layer = make_layer(factory, units, return_state=True, **options, **dropout)
    x = RNG.normal(size=(batch, 5, 4))
    states = [RNG.normal(size=(batch, units)) for _ in layer.state_sizes]
    weights = [RNG.normal(size=o.shape) for o in layer.apply(tf.tensor(x))]
    mask = tf.tensor(RNG.random((batch, 5)) > 0.4) if masked else None
    fused = results(layer, x, states, weights, mask)
    assert sequences_in(lambda: layer.apply(tf.tensor(x), mask=mask, training=True))
    step_by_step(monkeypatch)
    steps = results(layer, x, states, weights, mask)
    for a, b in zip(fused, steps, strict=True):
        tolerance = 1e-12 if backend_name == "double" else 2e-5
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, np.abs(b).max()))


KERNELS = {
    "SimpleRNN": ("simple_rnn", {}),
    "GRU": ("gru", {}),
    "GRUResetAfter": ("gru", {"reset_after": True}),
    "LSTM": ("lstm", {}),
}


@pytest.mark.parametrize("name", KERNELS)
def test_sequence_runs_in_one_kernel(name: str) -> None:
    factory, options = KERNELS[name]
    layer = make_layer(factory, recurrent_dropout=0.5, **options)
    x = tf.tensor(RNG.normal(size=(2, 5, 4)))
    assert sequences_in(lambda: layer.apply(x)) == {f"{name}Sequence"}
    slope = tf.grad(lambda t: layer.apply(t).sum())
    assert sequences_in(lambda: slope(x)) == {f"{name}Sequence", f"{name}SequenceGrad"}
    mask = tf.tensor(np.array([[True] * 3 + [False] * 2] * 2))
    assert sequences_in(lambda: layer.apply(x, mask=mask)) == {f"Masked{name}Sequence"}
    assert sequences_in(lambda: layer.apply(x, training=True)) == {f"Dropout{name}Sequence"}
    assert sequences_in(lambda: layer.apply(x, mask=mask, training=True)) == {f"MaskedDropout{name}Sequence"}


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize(
    ("options", "call"),
    [
        ({"activation": "relu"}, {}),
        ({"activation": lambda t: t.tanh().mul(2)}, {}),
        ({"recurrent_dropout": 0.5, "dropout_func": lambda t, rate: t}, {"training": True}),
        ({"zero_output_for_mask": True}, {"mask": np.ones((2, 5), bool)}),
    ],
    ids=["relu", "custom", "custom dropout", "zeros for mask"],
)
def test_unsupported_options_run_step_by_step(factory: str, options: Any, call: Any) -> None:
    layer = make_layer(factory, **options)
    call = {name: tf.tensor(v) if isinstance(v, np.ndarray) else v for name, v in call.items()}
    seen = kernels_of(lambda: layer.apply(tf.tensor(RNG.normal(size=(2, 5, 4))), call))
    assert not any("Sequence" in kernel for kernel in seen)


@pytest.mark.parametrize("option", ["dropout", "recurrent_dropout"])
@pytest.mark.parametrize("factory", FACTORIES)
def test_dropout_equals_that_of_single_steps(factory: str, option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layer = make_layer(factory, return_sequences=True, **{option: 0.4})
    x = tf.tensor(RNG.normal(size=(3, 5, 4)))

    def found() -> list[np.ndarray]:
        tf.set_seed(5)
        value, grads = tf.variable_grads(lambda: layer.apply(x, training=True).square().sum())
        return [value.numpy(), *[g.numpy() for g in grads.values()]]

    assert sequences_in(found)
    assert np.abs(layer.apply(x, training=True).numpy() - layer.apply(x).numpy()).max() > 0.01
    fused = found()
    step_by_step(monkeypatch)
    for a, b in zip(fused, found(), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5 * max(1.0, np.abs(b).max()))


def test_custom_cell_runs_step_by_step() -> None:
    class Doubled(type(tf.layers.lstm_cell(units=1))):  # type: ignore[misc]
        def call(self, inputs: Any, training: bool = False) -> Any:
            return [t.mul(2) for t in super().call(inputs, training)]

    layer = tf.layers.rnn(cell=Doubled(units=3))
    seen = kernels_of(lambda: layer.apply(tf.ones([2, 5, 4])))
    assert not any("Sequence" in kernel for kernel in seen)


def test_exact_backend_runs_step_by_step() -> None:
    registry.use("exact")
    layer = make_layer("lstm")
    assert not any("Sequence" in kernel for kernel in kernels_of(lambda: layer.apply(tf.ones([2, 5, 4]))))


@pytest.mark.parametrize("name", KERNELS)
def test_derivatives_match_central_differences(name: str) -> None:
    """The gradient kernel has no gradient, so the layer runs step by step under two tapes."""
    registry.use("double")
    factory, options = KERNELS[name]
    layer = make_layer(factory, recurrent_dropout=0.4, **options)
    x, v = (RNG.normal(size=(2, 5, 4)) for _ in range(2))
    along = lambda t: t.mul(tf.tensor(v)).sum()  # noqa: E731

    def total(t: Any) -> Any:
        tf.set_seed(5)
        return layer.apply(t, training=True).sum()

    slope = tf.grad(total)
    second = tf.grad(lambda t: along(slope(t)))
    above, below = tf.tensor(x + 1e-6 * v), tf.tensor(x - 1e-6 * v)
    found = along(slope(tf.tensor(x))), second(tf.tensor(x))
    for derivative, f in zip(found, (total, slope), strict=True):
        numeric = (f(above).numpy() - f(below).numpy()) / 2e-6
        np.testing.assert_allclose(derivative.numpy(), numeric, rtol=ROUNDING, atol=1e-7)


def test_only_requested_gradients_are_computed() -> None:
    layer = make_layer("lstm")
    found = tf.variable_grads(lambda: layer.apply(tf.ones([2, 5, 4])).sum(), [layer.cell.bias]).grads
    assert list(found) == [layer.cell.bias.name]


def test_sharded_gradients_are_deterministic(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = make_layer("lstm", 64)
    x = tf.tensor(RNG.normal(size=(200, 5, 4)))
    monkeypatch.setattr(machine.share, "shards", 3)

    def gradients() -> list[np.ndarray]:
        return [g.numpy() for g in tf.variable_grads(lambda: layer.apply(x).sum()).grads.values()]

    first = gradients()
    for _ in range(5):
        for a, b in zip(first, gradients(), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.cpu  # the test is about CPU cores
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("factory", FACTORIES)
def test_background_work_is_bit_identical(factory: str, masked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums over steps are added in the same order with and without background threads."""
    layer = make_layer(factory, 6)
    x = tf.tensor(RNG.normal(size=(3, 9, 4)))
    mask = tf.tensor(RNG.random((3, 9)) > 0.3) if masked else None
    monkeypatch.setattr(kernels, "_CHUNK_BYTES", 500)
    calls: list[int] = []

    class Counted(kernels.SerialExecutor):
        def __init__(self, in_background: bool) -> None:
            calls.append(in_background)
            super().__init__(in_background)

    monkeypatch.setattr(kernels, "SerialExecutor", Counted)

    def gradients(most: int) -> list[np.ndarray]:
        monkeypatch.setattr(machine.share, "shards", most)
        by_input = tf.grad(lambda t: layer.apply(t, mask=mask).sum())(x)
        by_weights = tf.variable_grads(lambda: layer.apply(x, mask=mask).sum()).grads
        return [by_input.numpy(), *[g.numpy() for g in by_weights.values()]]

    alone, together = gradients(1), gradients(2)
    assert calls == [False, False, True, True]
    for a, b in zip(alone, together, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.cpu  # the test is about CPU shards
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize(("before", "after"), [(3, 1), (1, 3), (2, 3)])
def test_shard_count_may_differ_in_backward_pass(
    factory: str, before: int, after: int, masked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer = make_layer(factory, 64)
    x = tf.tensor(RNG.normal(size=(200, 5, 4)))
    mask = tf.tensor(RNG.random((200, 5)) > 0.3) if masked else None

    def gradient(most: int) -> np.ndarray:
        def total(t: Any) -> Any:
            monkeypatch.setattr(machine.share, "shards", before)
            y = layer.apply(t, mask=mask).sum()
            monkeypatch.setattr(machine.share, "shards", most)
            return y

        return tf.grad(total)(x).numpy()

    np.testing.assert_array_equal(gradient(after), gradient(before))


def test_backend_change_before_gradient_raises() -> None:
    layer = make_layer("lstm")

    def total(t: Any) -> Any:
        y = layer.apply(t).sum()
        tf.set_backend("exact")
        return y

    tf.set_backend("cpu")
    with pytest.raises(RuntimeError, match="LSTMSequence: the backend was changed to 'exact' between"):
        tf.grad(total)(tf.ones([2, 5, 4]))
