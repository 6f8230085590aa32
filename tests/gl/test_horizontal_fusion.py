"""Horizontal fusion: an optimizer updates all variables in one shader, as if one at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from gpu import computed
from tolerance import ACCUMULATED, GPU_FUNCTION, ROUNDING, TRAINED

import tfpy as tf
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.memory_pool import Part

pytestmark = pytest.mark.gl

SHAPES = [(3, 5), (5,), (70, 30), (30,), (1,), (2, 3, 4, 5)]
OPTIMIZERS: dict[str, Callable[[], tf.Optimizer]] = {
    "sgd": lambda: tf.train.sgd(0.1),
    "momentum": lambda: tf.train.momentum(0.1, 0.9),
    "nesterov": lambda: tf.train.momentum(0.1, 0.9, True),
    "adagrad": lambda: tf.train.adagrad(0.1),
    "adadelta": lambda: tf.train.adadelta(0.1),
    "rmsprop": lambda: tf.train.rmsprop(0.01, 0.9, 0.5),
    "centered rmsprop": lambda: tf.train.rmsprop(0.01, 0.9, 0.5, 1e-3, True),
    "adam": lambda: tf.train.adam(0.01),
    "adamax": lambda: tf.train.adamax(0.01),
}


def random(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def variables() -> list[tf.Variable]:
    return [tf.variable(random(shape, i), name=f"v{i}") for i, shape in enumerate(SHAPES)]


def computed_random(shape: tuple[int, ...], seed: int) -> tf.Tensor:
    """A random result in a buffer on the GPU; a constant would be a parameter of shaders instead."""
    return computed(tf.tensor(random(shape, seed)).add(0))


def gradients(step: int) -> dict[str, tf.Tensor]:
    return {f"v{i}": computed_random(shape, 100 * step + i) for i, shape in enumerate(SHAPES)}


def disable_joint_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make optimizers run their update rules op by op, like user-defined ones."""
    monkeypatch.setattr(tf.Optimizer, "_updates_all_at_once", lambda *given: False)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("rules", [False, True])
def test_step_is_one_dispatch_for_all_variables(
    device: Device, name: str, rules: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, optimizer = variables(), OPTIMIZERS[name]()
    if rules:
        disable_joint_updates(monkeypatch)
    for step in range(4):
        given = gradients(step)
        before = device.counts.dispatches
        optimizer.apply_gradients(given)
        count = device.counts.dispatches - before
    assert count == 1
    assert all(isinstance(v.payload.lease, Part) for v in found)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_joint_update_is_bit_identical_to_single_updates(
    gpu: GlBackend, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, optimizer = variables(), OPTIMIZERS[name]()
    for step in range(3):
        optimizer.apply_gradients(gradients(step))
    disable_joint_updates(monkeypatch)
    for i, (variable, shape) in enumerate(zip(together, SHAPES, strict=True)):
        single, single_optimizer = tf.variable(random(shape, i), name=f"single{i}"), OPTIMIZERS[name]()
        for step in range(3):
            single_optimizer.apply_gradients({f"single{i}": computed_random(shape, 100 * step + i)})
        np.testing.assert_array_equal(variable.numpy(), single.numpy())


def test_gradients_are_written_where_the_step_reads_them(device: Device) -> None:
    w, b = tf.variable(random((40, 8), 1)), tf.variable(random((8,), 2))
    x = computed(tf.tensor(random((16, 40), 3)))
    optimizer = tf.train.adam(0.01)

    def loss() -> tf.Tensor:
        return x.mat_mul(w).add(b).tanh().square().mean()

    for _ in range(3):
        copies = device.counts.copies
        optimizer.minimize(loss)
    assert device.counts.copies == copies


@pytest.mark.parametrize("make", [lambda: tf.train.adamw(0.01), lambda: tf.train.adam(0.01)])
def test_gradients_that_depend_on_element_index(gpu: GlBackend, make: Callable[[], tf.Optimizer]) -> None:
    """The recurrent weights of both directions have equal sizes, and a GRU's gradient has two parts by columns."""
    layer = tf.layers.bidirectional(layer=tf.layers.gru(units=2), input_shape=[4, 3])
    model = tf.sequential(layers=[layer])
    x, weights = random((3, 4, 3), 1), [random(w.shape, 2 + i) for i, w in enumerate(model.get_weights())]
    found = {}
    for backend in ("cpu", "webgl"):
        tf.set_backend(backend)
        model.set_weights(weights)
        model.compile(optimizer=make(), loss="meanSquaredError")
        model.train_on_batch(x, np.zeros((3, 4), np.float32))
        found[backend] = [slot["tensor"].numpy() for slot in model.optimizer.get_weights()]
    for ours, expected in zip(found["webgl"], found["cpu"], strict=True):
        np.testing.assert_allclose(
            ours, expected, rtol=TRAINED, atol=ROUNDING / 10
        )  # slots contain squares of small numbers


def test_update_that_reads_one_element_of_its_gradient(gpu: GlBackend) -> None:
    class ScaledByFirst(tf.Optimizer):
        def update(self, value: tf.Tensor, grad: tf.Tensor, slots: object) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
            return value.sub(grad.mul(grad.slice([0], [1]))), {}

    v, w = tf.variable(tf.tensor([1.0, 2.0])), tf.variable(tf.tensor([10.0, 20.0, 30.0]))
    ScaledByFirst(0.1).apply_gradients({v.name: tf.tensor([0.5, 1.0]), w.name: tf.tensor([2.0, 1.0, 1.0])})
    assert (v.array_sync(), w.array_sync()) == ([0.75, 1.5], [6, 18, 28])


def test_old_values_outlive_steps(gpu: GlBackend) -> None:
    found, optimizer = variables(), tf.train.sgd(0.1)
    optimizer.apply_gradients(gradients(0))
    kept = [v.clone() for v in found]
    values = [v.numpy().copy() for v in found]
    for step in range(3):
        optimizer.apply_gradients(gradients(step))
    for tensor, value in zip(kept, values, strict=True):
        tensor.payload.host = None  # drops the copy on the host, so that it is read again
        np.testing.assert_array_equal(tensor.numpy(), value)


def test_steps_on_varying_subsets_of_variables(gpu: GlBackend) -> None:
    found, optimizer = variables(), tf.train.momentum(0.1, 0.9)
    expected = [v.numpy().astype(np.float64) for v in found]
    momenta = [np.zeros(shape) for shape in SHAPES]
    for step in range(6):
        given = {n: g for n, g in gradients(step).items() if (int(n[1:]) + step) % 3}
        optimizer.apply_gradients(given)
        for name, grad in given.items():
            i = int(name[1:])
            momenta[i] = 0.9 * momenta[i] + grad.numpy()
            expected[i] -= 0.1 * momenta[i]
    for variable, value in zip(found, expected, strict=True):
        np.testing.assert_allclose(variable.numpy(), value, rtol=ACCUMULATED, atol=ROUNDING)


def test_gradients_with_shared_scale(gpu: GlBackend) -> None:
    found, optimizer = variables(), tf.train.sgd(1)
    before = [v.numpy().copy() for v in found]
    given = gradients(1)
    norm = tf.add_n([g.square().sum() for g in given.values()]).sqrt()
    optimizer.apply_gradients({name: g.div(norm) for name, g in given.items()})
    length = np.sqrt(sum(np.sum(np.square(g.numpy(), dtype=np.float64)) for g in given.values()))
    for variable, value, grad in zip(found, before, given.values(), strict=True):
        np.testing.assert_allclose(variable.numpy(), value - grad.numpy() / length, rtol=GPU_FUNCTION, atol=ROUNDING)


def test_fit_downloads_once_per_epoch(device: Device) -> None:
    layers = [
        tf.layers.dense(units=8, activation="relu", input_shape=[4]),
        tf.layers.dense(units=3, activation="softmax"),
    ]
    model = tf.sequential(layers=layers)
    model.compile(optimizer="adam", loss="categoricalCrossentropy", metrics=["accuracy"])
    x, y = tf.tensor(random((40, 4), 1)), tf.tensor(np.eye(3, dtype=np.float32)[np.arange(40) % 3])
    model.fit(x, y, batch_size=8, epochs=1, verbose=0)
    reads, dispatches, programs = device.counts.downloads, device.counts.dispatches, len(device.programs)
    model.fit(x, y, batch_size=8, epochs=3, verbose=0)
    assert device.counts.downloads - reads <= 3 * 2  # the loss and the metric of each epoch
    assert (device.counts.dispatches - dispatches) / 15 <= 24  # the first step of an epoch records plans
    assert len(device.programs) - programs <= 4


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_number_of_shaders_of_a_training_step(device: Device, optimizer: str) -> None:
    """Forward three products, softmax and loss (7); backward two products and six gradients; one update."""
    layers = [
        tf.layers.dense(units=16, activation="relu", input_shape=[8]),
        tf.layers.dense(units=16, activation="relu"),
        tf.layers.dense(units=4, activation="softmax"),
    ]
    model = tf.sequential(layers=layers)
    model.compile(optimizer=optimizer, loss="categoricalCrossentropy")
    x, y = tf.tensor(random((64, 8), 1)), tf.tensor(np.eye(4, dtype=np.float32)[np.arange(64) % 4])
    counts, programs = [], []
    for _ in range(6):
        before = device.counts.dispatches
        model.train_on_batch(x, y)
        counts.append(device.counts.dispatches - before)
        programs.append(len(device.programs))
    assert counts[-1] <= 19
    assert programs[-1] == programs[-3], "programs are still compiled"


def test_more_variables_than_fit_one_buffer(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, optimizer = [v.numpy() for v in variables()], tf.train.sgd(0.5)
    tf.dispose_variables()
    found = variables()
    monkeypatch.setattr(device, "block_size", 70 * 30 * 4 + 1024)
    before = device.counts.dispatches
    given = gradients(0)
    optimizer.apply_gradients(given)
    assert device.counts.dispatches - before > 1
    for variable, value, grad in zip(found, expected, given.values(), strict=True):
        np.testing.assert_array_equal(variable.numpy(), np.float32(-0.5) * grad.numpy() + value)
