"""Plans on the GPU: the bits of steps that run no plan, the same dispatches, and memory that is given back."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from gpu import made
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf
from tfpy.core.tensor import Tensor
from tfpy.engine.gl import value
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.replay import Executor
from tfpy.engine.plan import Replay
from tfpy.engine.recording import recording_plan

pytestmark = pytest.mark.gl

RNG = np.random.default_rng(5)
X = RNG.normal(size=(12, 6, 4)).astype(np.float32)
Y = np.eye(3, dtype=np.float32)[np.arange(12) % 3]


def dense() -> Any:
    return tf.sequential(
        layers=[
            tf.layers.flatten(input_shape=[6, 4]),
            tf.layers.dense(units=20, activation="relu", kernel_regularizer="l2"),
            tf.layers.dense(units=3, activation="softmax"),
        ]
    )


def recurrent() -> Any:
    return tf.sequential(
        layers=[
            tf.layers.lstm(units=5, input_shape=[6, 4], return_sequences=True),
            tf.layers.gru(units=4),
            tf.layers.dense(units=3, activation="softmax"),
        ]
    )


def dropping() -> Any:
    model = dense()
    model.add(tf.layers.dropout(rate=0.4))
    return model


MODELS: dict[str, Callable[[], Any]] = {"dense": dense, "recurrent": recurrent, "dropping": dropping}


def trained(model: Callable[[], Any], optimizer: str) -> list[np.ndarray]:
    """What a model reports step by step, and its weights at the end."""
    tf.set_seed(5)
    made = model()
    rng = np.random.default_rng(1)
    made.set_weights([tf.tensor(rng.normal(size=w.shape).astype(np.float32) * 0.3) for w in made.weights])
    made.compile(optimizer=optimizer, loss="categoricalCrossentropy", metrics=["accuracy"])
    found = [np.asarray(made.train_on_batch(tf.tensor(X + 0.1 * i), tf.tensor(Y))) for i in range(6)]
    history = made.fit(X, Y, epochs=2, batch_size=4, shuffle=False, verbose=0)
    found += [np.asarray(values) for values in history.history.values()]
    return [*found, made.predict(X).numpy(), *[w.numpy() for w in made.get_weights()]]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_replayed_steps_have_the_bits_of_others(
    gpu: GlBackend, name: str, optimizer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []
    replay = Replay.run
    monkeypatch.setattr(Replay, "run", lambda *given: ran.append(1) or replay(*given))
    planned = trained(MODELS[name], optimizer)
    assert len(ran) > 6
    monkeypatch.setattr(GlBackend, "compile", None)
    for a, b in zip(planned, trained(MODELS[name], optimizer), strict=True):
        np.testing.assert_array_equal(a, b)


def recorded(f: Callable[..., Any], *inputs: Any) -> tuple[Replay, Executor]:
    """A function's plan, and what runs it."""
    results, recorder = recording_plan(lambda: f(*inputs), tf.backend(), inputs, [])
    replay = recorder.compiled(results if isinstance(results, list) else [results])
    assert replay is not None
    executor: Any = replay._executor
    return replay, executor


def on_gpu(*shape: int) -> Tensor:
    return tf.tensor(RNG.normal(size=shape).astype(np.float32))


def test_a_replay_makes_the_dispatches_of_the_recording(device: Device) -> None:
    w = on_gpu(4, 4)
    replay, executor = recorded(lambda x, w: x.mat_mul(w).relu().softmax().sum(), on_gpu(3, 4), w)
    counts = []
    for _ in range(4):
        x = on_gpu(3, 4)
        before = device.counts.dispatches
        (found,), _ = replay.run(Tensor, [x, w])
        counts.append(device.counts.dispatches - before)
        expected = x.mat_mul(w).relu().softmax().sum()
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert len(set(counts[1:])) == 1
    assert counts[1] <= counts[0]
    assert len(executor.recordings) == 1


def test_results_of_earlier_runs_stay_what_they_are(gpu: GlBackend) -> None:
    replay, executor = recorded(lambda x: [x.mul(2), x.exp(), x], on_gpu(5))
    inputs = [made(on_gpu(5).add(i)) for i in range(5)]
    found = [replay.run(Tensor, [x])[0] for x in inputs]
    assert len(executor.recordings) == 1
    for x, (twice, exp, same) in zip(inputs, found, strict=True):
        np.testing.assert_array_equal(twice.numpy(), x.numpy() * 2)
        np.testing.assert_array_equal(exp.numpy(), x.exp().numpy())
        np.testing.assert_array_equal(same.numpy(), x.numpy())


def test_a_result_that_occurs_twice_stays_what_it_is(gpu: GlBackend) -> None:
    h = x = tf.input(shape=[8])
    for seed in range(1, 9):
        h = tf.layers.dense(units=128, kernel_initializer=tf.initializers.he_normal(seed=seed)).apply(h)
    y, z = (tf.layers.dense(units=16).apply(h) for _ in range(2))
    model = tf.model(inputs=x, outputs=[y, z, y, tf.layers.dropout(rate=0.5).apply(y)])
    found = [model.predict(tf.fill([1, 8], k)) for k in range(1, 6)]
    for first, _, *others in found:
        for other in others:
            np.testing.assert_array_equal(other.numpy(), first.numpy())


def test_parameters_are_set_anew_where_others_were_in_between(gpu: GlBackend) -> None:
    x = on_gpu(5)
    slopes = (0.1, 0.2, 0.1, 0.1)
    replay, executor = recorded(lambda x: [x.leaky_relu(slope) for slope in slopes], x)
    for other in (0.3, 0.3, 0.1, 0.2):
        found, _ = replay.run(Tensor, [x])
        assert made(x.leaky_relu(other)).numpy().min() < 0
        for slope, y in zip(slopes, found, strict=True):
            np.testing.assert_array_equal(y.numpy(), x.leaky_relu(slope).numpy())
    assert executor.recordings


def test_inputs_that_are_the_same_tensor(gpu: GlBackend) -> None:
    x, y = on_gpu(5), on_gpu(5)
    replay, executor = recorded(lambda a, b: a.sub(b), x, y)
    for a, b in [(x, x), (x, y), (y, x), (y, y)]:
        (found,), _ = replay.run(Tensor, [a, b])
        np.testing.assert_array_equal(found.numpy(), a.numpy() - b.numpy())
    assert len(executor.recordings) == 2


def test_inputs_that_are_the_same_rows_of_a_tensor(gpu: GlBackend) -> None:
    """As in an autoencoder's training, where the targets are the inputs, and then are others."""
    data = on_gpu(8, 64)
    rows = [[made(data.slice([i], [1])) for i in (1, 2)] for _ in range(2)]
    replay, _ = recorded(lambda a, b: a.sub(b), rows[0][0], rows[1][0])
    for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)):
        (found,), _ = replay.run(Tensor, [rows[0][i], rows[1][j]])
        np.testing.assert_array_equal(found.numpy()[0], data.numpy()[1 + i] - data.numpy()[1 + j])


def test_an_input_that_is_one_number_and_one_that_is_not_made_yet(gpu: GlBackend) -> None:
    replay, _ = recorded(lambda a, b: a.add(b), on_gpu(5), on_gpu(5))
    for a in (tf.zeros([5]), tf.ones([5]), on_gpu(5).exp(), tf.tensor([1.0, 2, 3, 4, 5])):
        b = on_gpu(5)
        (found,), _ = replay.run(Tensor, [a, b])
        np.testing.assert_array_equal(found.numpy(), a.numpy() + b.numpy())


def test_what_the_host_computes_is_not_recorded(gpu: GlBackend) -> None:
    replay, executor = recorded(lambda a: tf.linalg.qr(a)[1].abs(), on_gpu(3, 3))
    for _ in range(3):
        a = on_gpu(3, 3)
        (found,), _ = replay.run(Tensor, [a])
        np.testing.assert_allclose(found.numpy(), np.abs(np.linalg.qr(a.numpy())[1]), rtol=ACCUMULATED, atol=ROUNDING)
    assert not executor.recordings


def test_memory_goes_back_when_a_plan_goes(device: Device) -> None:
    used = device.pool.in_use()
    replay, executor = recorded(lambda x: x.mat_mul(x, False, True).relu().sum(), on_gpu(100, 100))
    replay.run(Tensor, [on_gpu(100, 100)])
    replay.run(Tensor, [on_gpu(100, 100)])
    assert tf.memory()["numBytesInPlans"] >= 40_000
    del replay, executor
    gc.collect()
    assert tf.memory()["numBytesInPlans"] == 0
    assert device.pool.in_use() == used
    assert device.pool.idle >= 40_000


def test_constants_that_are_forgotten_stay_with_the_recording(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def resized(x: tf.Tensor) -> tf.Tensor:
        return tf.image.resize_bilinear(x, [7, 5], True)

    resized(on_gpu(1, 3, 3, 2)).data_sync()
    replay, executor = recorded(resized, on_gpu(1, 3, 3, 2))
    x = on_gpu(1, 3, 3, 2)
    replay.run(Tensor, [x])
    assert executor.recordings
    monkeypatch.setattr(value, "_MOST_CONSTANTS", 4)
    held = [made(on_gpu(8).add(resized(on_gpu(1, size, 4, 1)).sum())) for size in range(4, 12)]
    assert len(device.constants) <= 4
    (found,), _ = replay.run(Tensor, [x])
    np.testing.assert_array_equal(found.numpy(), resized(x).numpy())
    assert len(held) == 8


def test_recordings_make_room_when_memory_is_short(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    w = on_gpu(64, 64)
    replay, executor = recorded(lambda x, w: x.mat_mul(w).relu().mat_mul(w).sum(), on_gpu(64, 64), w)
    x = on_gpu(64, 64)
    (before,), _ = replay.run(Tensor, [x, w])
    assert executor.recordings
    failures = [None]
    attempt = type(device.pool)._attempt
    monkeypatch.setattr(type(device.pool), "_attempt", lambda *given: failures.pop() if failures else attempt(*given))
    large = tf.tensor(np.ones(3_000_017, np.float32)).add(1)
    assert float(large.max()) == 2
    assert not failures
    assert not executor.recordings
    assert tf.memory()["numBytesInPlans"] == 0
    (after,), _ = replay.run(Tensor, [x, w])
    np.testing.assert_array_equal(before.numpy(), after.numpy())


def test_a_plan_that_goes_while_another_is_recorded(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory is the device's again, and not part of the new recording."""
    x = on_gpu(64, 64)
    going = [recorded(lambda x: x.mat_mul(x).relu().mat_mul(x).sum(), x)]
    going[0][0].run(Tensor, [x])
    replay, executor = recorded(lambda x: x.mat_mul(x).sum(), x)
    results = Executor._results

    def recording(self: Executor, payloads: Any) -> Any:
        going.clear()
        gc.collect()
        return results(self, payloads)

    monkeypatch.setattr(Executor, "_results", recording)
    replay.run(Tensor, [x])
    while_recorded = tf.memory()["numBytesInPlans"]
    executor.clear()
    monkeypatch.undo()
    replay.run(Tensor, [x])
    assert executor.recordings
    assert tf.memory()["numBytesInPlans"] == while_recorded


def test_a_recording_whose_idle_memory_is_more_than_a_pool_keeps(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it does not need any more on its way is not freed: it is needed the next time."""
    monkeypatch.setattr(device.pool, "_cap", 1024)
    x = on_gpu(40, 40)

    def f(x: Any) -> Any:
        y = x
        for columns in (200, 90, 40, 10):
            y = y.mat_mul(tf.ones([y.shape[1], columns])).sin()
        return y.sum()

    replay, executor = recorded(f, x)
    found = [float(replay.run(Tensor, [x])[0][0]) for _ in range(3)]
    assert executor.recordings
    assert found == [float(f(x))] * 3


class CutOff(list[Any]):
    """Calls of which so many are made."""

    def __init__(self, calls: list[Any], most: int) -> None:
        super().__init__(calls)
        self.most = most

    def __iter__(self) -> Iterator[Any]:
        yield from itertools.islice(super().__iter__(), self.most)
        raise KeyboardInterrupt


@pytest.mark.parametrize("calls", range(6))
def test_a_replay_that_is_cut_off(device: Device, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """As by Ctrl-C in a notebook: what is computed afterwards must not rely on what has not been done."""
    x, y = made(on_gpu(5)), made(on_gpu(5))
    slopes = 0.1, 0.2
    replay, executor = recorded(lambda x: [x.leaky_relu(slope) for slope in slopes], x)
    replay.run(Tensor, [x])
    replay.run(Tensor, [x])
    made(y.leaky_relu(0.3))
    (recording,) = executor.recordings.values()
    commands = recording.commands
    monkeypatch.setattr(commands, "_calls", CutOff(commands._calls, calls))
    with pytest.raises(KeyboardInterrupt):
        replay.run(Tensor, [x])
    monkeypatch.undo()
    for slope in (*slopes[::-1], 0.3):
        values = y.numpy()
        expected = np.where(values < 0, values * np.float32(slope), values)
        np.testing.assert_array_equal(y.leaky_relu(slope).numpy(), expected)
    found, _ = replay.run(Tensor, [y])
    for slope, t in zip(slopes, found, strict=True):
        np.testing.assert_array_equal(t.numpy(), y.leaky_relu(slope).numpy())


@pytest.mark.parametrize("name", ["bind", "write"])
def test_a_dispatch_that_is_cut_off(device: Device, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    x, y = made(on_gpu(5)), made(on_gpu(5))
    made(x.leaky_relu(0.1))
    buffer = y.payload.lease.buffer
    program = next(p for p in device.programs._programs.values() if p.words == (5, *x.leaky_relu(0.1).payload.words))
    target: Any = buffer if name == "bind" else program
    monkeypatch.setattr(target, name, cut_off_after(getattr(target, name)))
    with pytest.raises(KeyboardInterrupt):
        made(y.leaky_relu(0.2))
    monkeypatch.undo()
    for t in (x, y):
        values = t.numpy()
        np.testing.assert_array_equal(
            t.leaky_relu(0.1).numpy(), np.where(values < 0, values * np.float32(0.1), values), str(t is x)
        )


def cut_off_after(f: Callable[..., object]) -> Callable[..., object]:
    def call(*given: Any) -> None:
        f(*given)
        raise KeyboardInterrupt

    return call


def test_results_that_are_larger_together_than_a_buffer(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "block_size", 1 << 14)
    x = on_gpu(50, 50)
    replay, _ = recorded(lambda x: [x.mul(2), x.exp()], x)
    for t in (x, on_gpu(50, 50)):
        (twice, exp), _ = replay.run(Tensor, [t])
        np.testing.assert_array_equal(twice.numpy(), t.numpy() * 2)
        np.testing.assert_array_equal(exp.numpy(), t.exp().numpy())


def test_plans_that_come_and_go_use_the_same_buffers(device: Device) -> None:
    x = made(on_gpu(64, 64))
    counts = []
    for _ in range(6):
        replay, _executor = recorded(lambda x: x.mat_mul(x).relu().mat_mul(x).sum(), x)
        for _ in range(2):
            replay.run(Tensor, [x])
        del replay, _executor
        gc.collect()
        device.pool.collect()
        counts.append(device.pool.count)
    assert len(set(counts[2:])) == 1, counts
