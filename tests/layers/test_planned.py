"""Planned steps: bit-identical to unplanned ones, and everything that prevents or invalidates a plan."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from layers.rows import ROWS
from layers.table import Row
from tolerance import ROUNDING

import tfpy as tf
from tfpy.core import plans
from tfpy.engine import rng
from tfpy.engine.errors import DisposedError
from tfpy.engine.hooks import observing
from tfpy.layers.symbolic import to_list

RNG = np.random.default_rng(4)
X = RNG.normal(size=(12, 6, 4)).astype(np.float32)
Y = np.eye(3, dtype=np.float32)[RNG.integers(0, 3, 12)]


def dense(**options: Any) -> Any:
    return tf.sequential(
        layers=[
            tf.layers.flatten(input_shape=[6, 4]),
            tf.layers.dense(units=5, activation="relu", **options),
            tf.layers.dense(units=3, activation="softmax"),
        ]
    )


def with_layers(*layers: Any) -> Any:
    """The model `dense` with layers before it."""
    return tf.sequential(layers=[tf.layers.input_layer(input_shape=[6, 4]), *layers, *dense().layers])


def recurrent(factory: str = "lstm", **options: Any) -> Any:
    return tf.sequential(
        layers=[
            getattr(tf.layers, factory)(units=5, input_shape=[6, 4], **options),
            tf.layers.dense(units=3, activation="softmax"),
        ]
    )


def convolutional() -> Any:
    return tf.sequential(
        layers=[
            tf.layers.reshape(target_shape=[6, 4, 1], input_shape=[6, 4]),
            tf.layers.conv2d(filters=4, kernel_size=3, padding="same", activation="relu"),
            tf.layers.max_pooling2d(pool_size=2),
            tf.layers.conv2d(filters=5, kernel_size=2, activation="relu"),
            tf.layers.flatten(),
            tf.layers.dense(units=3, activation="softmax"),
        ]
    )


def two_inputs() -> Any:
    a, b = tf.input(shape=[6, 4]), tf.input(shape=[4])
    state = tf.layers.gru(units=4).apply(a, {"initial_state": [b]})
    return tf.model(inputs=[a, b], outputs=tf.layers.dense(units=3, activation="softmax").apply(state))


MODELS: dict[str, Callable[[], Any]] = {
    "dense": dense,
    "regularized": lambda: dense(kernel_regularizer="l1l2"),
    "lstm": recurrent,
    "convolutional": convolutional,
    "steps": lambda: recurrent(activation="relu"),
    "two inputs": two_inputs,
    "dropout": lambda: with_layers(tf.layers.dropout(rate=0.3), tf.layers.gaussian_noise(stddev=0.1)),
    "dropout inside": lambda: recurrent(dropout=0.3, recurrent_dropout=0.2),
    "reset after": lambda: recurrent("gru", reset_after=True, recurrent_dropout=0.2),
}


def inputs_of(model: Any, x: np.ndarray) -> Any:
    return x if len(model.inputs) == 1 else [x, x[:, 0]]


def train_and_collect(make: Callable[[], Any], optimizer: str, loss: str) -> tuple[list[Any], Any]:
    start = np.random.default_rng(1)
    tf.set_seed(5)
    model = make()
    model.set_weights([start.normal(size=w.shape) * 0.5 for w in model.get_weights()])
    model.compile(optimizer=optimizer, loss=loss, metrics=["accuracy"])
    x = inputs_of(model, X)
    history = model.fit(x, Y, batch_size=5, epochs=3, shuffle=True, seed=3, validation_split=0.2, verbose=0).history
    steps = [model.train_on_batch(inputs_of(model, X[:5]), Y[:5]) for _ in range(3)]
    found = [model.predict(inputs_of(model, X[:k])).numpy() for k in (1, 1, 1, 12)]
    judged = [float(v) for _ in range(3) for v in model.evaluate(x, Y)]
    return [history, steps, judged, *found, *[w.numpy() for w in model.get_weights()]], model


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("optimizer", "loss"), [("adam", "categoricalCrossentropy"), ("sgd", "meanSquaredError"), ("rmsprop", "hinge")]
)
def test_planned_steps_are_bit_identical(name: str, optimizer: str, loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_plans, model = train_and_collect(MODELS[name], optimizer, loss)
    kinds = {key[0] for key in model.plans._planned}
    assert kinds == {"train", "test", "predict"}
    assert max(model.plans._seen.values()) == 2  # recorded once, and replayed from then on
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    without, model = train_and_collect(MODELS[name], optimizer, loss)
    assert not model.plans._planned
    assert with_plans[:3] == without[:3]
    for a, b in zip(with_plans[3:], without[3:], strict=True):
        np.testing.assert_array_equal(a, b)


def plans_after(model: Any, steps: int = 4, **settings: Any) -> int:
    """The number of a model's plans after some training steps."""
    model.compile(**{"optimizer": "sgd", "loss": "meanSquaredError", **settings})
    for _ in range(steps):
        model.train_on_batch(X, Y)
    return len(model.plans._planned)


def test_ordinary_model_is_planned() -> None:
    assert plans_after(dense()) == 1
    assert plans_after(recurrent()) == 1
    assert plans_after(_with(tf.layers.dropout(rate=0.5))) == 1


def test_dropout_differs_between_planned_steps() -> None:
    model = _with(tf.layers.dropout(rate=0.5))
    model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    losses = [model.train_on_batch(X, Y) for _ in range(8)]
    assert len(model.plans) == 1
    assert len(set(losses)) > 4


def test_seeded_dropout_is_the_same_in_each_step() -> None:
    model = _with(tf.layers.dropout(rate=0.5, seed=3))
    model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    assert len({model.train_on_batch(X, Y) for _ in range(6)}) == 1


class CustomLayer(tf.layers.Layer):
    """A user-defined layer, whose code may have side effects."""

    def call(self, inputs: Any) -> Any:
        return inputs


class Sampling(tf.layers.Layer):
    """A layer with a kernel that reads the position of the random stream."""

    def call(self, inputs: Any) -> Any:
        return inputs.mul(tf.multinomial(tf.ones([3]), 1).cast("float32"))


Sampling.__module__ = "tfpy.of_tests"  # so that it counts as a class of tfpy


def _with(layer: Any) -> Any:
    model = dense()
    model.add(layer)
    return model


def _wrapped_loss() -> Any:
    """A user-defined loss that `functools.wraps` gives the module of one of tfpy's."""
    calls = [0]

    @functools.wraps(tf.metrics.mean_squared_error)
    def loss(a: Any, b: Any) -> Any:
        calls[0] += 1
        return a.sub(b).square().mean(-1).mul(calls[0])

    return loss


def _nested_with_replaced_call() -> Any:
    inner = dense()
    inner.call = lambda x, **more: inner.graph.run([x])[0][0]
    entry = tf.input(shape=[6, 4])
    return tf.model(inputs=entry, outputs=inner.apply(entry))


UNPLANNED: dict[str, Callable[[], int]] = {
    "custom layer": lambda: plans_after(_with(CustomLayer())),
    "custom activation": lambda: plans_after(_with(tf.layers.dense(units=3, activation=lambda t: t))),
    "custom loss": lambda: plans_after(dense(), loss=lambda a, b: a.sub(b).square().mean(-1)),
    "custom metric": lambda: plans_after(dense(), metrics=[lambda a, b: a.sub(b).abs().mean(-1)]),
    "loss that wraps one of tfpy's": lambda: plans_after(dense(), loss=_wrapped_loss()),
    "inner model with replaced call": lambda: plans_after(_nested_with_replaced_call()),
    "kernel that samples": lambda: plans_after(_with(Sampling())),
    "stateful": lambda: plans_after(recurrent(stateful=True, batch_input_shape=[12, 6, 4])),
}


@pytest.mark.parametrize("name", UNPLANNED)
def test_model_with_custom_code_is_not_planned(name: str) -> None:
    assert UNPLANNED[name]() == 0


def test_optimizer_with_own_minimize_is_not_planned() -> None:
    calls = []

    class CountingSGD(tf.SGDOptimizer):
        def minimize(self, f: Any, return_cost: bool = False, var_list: Any = None) -> Any:
            calls.append(1)
            return super().minimize(f, return_cost, var_list)

    assert plans_after(dense(), optimizer=CountingSGD(0.1)) == 0
    assert len(calls) == 4


CHANGES: dict[str, Callable[[Any], None]] = {
    "layer frozen": lambda model: setattr(model.layers[1], "trainable", False),
    "weight frozen": lambda model: setattr(model.layers[1].weights[0], "trainable", False),
    "regularizer strength": lambda model: setattr(model.layers[1].kernel_regularizer, "l2", 5.0),
    "activation set": lambda model: setattr(model.layers[1], "activation", model.layers[2].activation),
    "weights set": lambda model: model.layers[1].set_weights([np.ones((24, 5)), np.ones(5)]),
    "loss added": lambda model: model.layers[1].add_loss(lambda: model.layers[1].weights[0].abs().sum()),
    "loss appended": lambda model: model.layers[1].losses.append(lambda: model.layers[1].weights[0].abs().sum()),
    "losses cleared": lambda model: model.layers[1].losses.clear(),
    "layers replaced in place": lambda model: model.layers.__setitem__(1, model.layers[0]),
    "learning rate": lambda model: setattr(model.optimizer, "learning_rate", 0.5),
    "recompiled": lambda model: model.compile(optimizer="adam", loss="meanAbsoluteError"),
    "optimizer": lambda model: setattr(model, "optimizer", "adam"),
    "call replaced": lambda model: setattr(model.layers[2], "call", lambda x, **more: x.slice([0, 0], [-1, 3]).mul(2)),
    "layer added": lambda model: (
        model.add(tf.layers.activation(activation="tanh")),
        model.compile(optimizer="sgd", loss="meanSquaredError"),
    ),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_between_steps_take_effect(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def losses() -> list[Any]:
        model = dense(kernel_regularizer="l2")
        start = np.random.default_rng(1)
        model.set_weights([start.normal(size=w.shape) * 0.5 for w in model.get_weights()])
        model.compile(optimizer="sgd", loss="meanSquaredError")
        found = []
        for step in range(8):
            if step == 4:
                CHANGES[name](model)
            found += [model.train_on_batch(X, Y), model.predict(X).array_sync()]
        return found

    with_plans = losses()
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    assert with_plans == losses()


@pytest.mark.parametrize("which", ["dict", "partial", "list"])
def test_in_place_change_of_option_takes_effect(which: str) -> None:
    given: Any = {"alpha": 0.1}
    if which == "list":
        layer, expected = tf.layers.reshape(target_shape=[2, 3], input_shape=[6]), (1, 3, 2)
    elif which == "dict":
        layer = tf.layers.lambda_(function=tf.leaky_relu, arguments=given, input_shape=[6])
    else:
        layer = tf.layers.lambda_(function=functools.partial(tf.leaky_relu, **given), input_shape=[6])
        given = layer.function.keywords
    model, x = tf.sequential([layer]), tf.fill([1, 6], -1)
    for _ in range(4):
        model.predict(x)
    if which == "list":
        layer.target_shape[:] = [3, 2]
        with pytest.warns(UserWarning, match="call returned shape"):
            assert model.predict(x).shape == expected
        return
    (given if which != "dict" else layer.arguments)["alpha"] = 0.5
    assert model.predict(x).array_sync() == [[-0.5] * 6]


@pytest.mark.parametrize("when", [0, 4])
def test_call_replaced_in_layer_class_takes_effect(when: int, monkeypatch: pytest.MonkeyPatch) -> None:
    original = tf.layers.Dense.call

    def losses() -> list[Any]:
        model, calls = dense(), [0]
        model.set_weights([np.full(w.shape, 0.1) for w in model.get_weights()])
        model.compile(optimizer="sgd", loss="meanSquaredError")

        def call(self: Any, inputs: Any) -> Any:
            calls[0] += 1
            return original(self, inputs).mul(calls[0] % 5)

        found = []
        with monkeypatch.context() as patch:
            for step in range(8):
                if step == when:
                    patch.setattr(tf.layers.Dense, "call", call)
                found.append(model.train_on_batch(X, Y))
        return [*found, model.train_on_batch(X, Y)]

    with_plans = losses()
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    assert with_plans == losses()


def test_weights_set_in_callback_take_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    def weights() -> list[Any]:
        model = dense()
        start = np.random.default_rng(1)
        model.set_weights([start.normal(size=w.shape) * 0.5 for w in model.get_weights()])
        model.compile(optimizer="sgd", loss="meanSquaredError")

        def on_batch_end(batch: int, logs: Any) -> None:
            if batch == 3:
                model.layers[1].set_weights([w.mul(0) for w in model.layers[1].get_weights()])

        model.fit(X, Y, batch_size=2, epochs=2, shuffle=False, verbose=0, callbacks={"on_batch_end": on_batch_end})
        return [w.array_sync() for w in model.get_weights()]

    with_plans = weights()
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    assert with_plans == weights()


def test_repeated_changes_stop_recording() -> None:
    model = dense()
    model.compile(optimizer="sgd", loss="meanSquaredError")
    for _ in range(12):
        model.layers[1].trainable = True
        model.train_on_batch(X, Y)
    assert max(model.plans._seen.values()) <= plans._MAX_RECORDINGS + 1
    assert not model.plans._planned


def test_recompiled_model_does_not_reuse_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new loss may have the address, and so the id, of an earlier one."""

    def losses() -> list[float]:
        model, found = dense(), list[float]()
        start = [np.random.default_rng(1).normal(size=w.shape) for w in model.get_weights()]
        for loss in ["meanSquaredError", "meanAbsoluteError", "hinge"] * 5:
            model.set_weights(start)
            model.compile(optimizer="sgd", loss=loss)
            found += [float(model.train_on_batch(X, Y)) for _ in range(3)]
        return found

    with_plans = losses()
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    assert with_plans == losses()


def test_plans_of_rare_shapes_are_evicted() -> None:
    model = dense()
    model.compile(optimizer="sgd", loss="meanSquaredError")
    for n in range(1, plans._MAX_PLANS + 2):
        for _ in range(1 + n % 2):
            model.predict(np.zeros((n, *X.shape[1:]), np.float32), batch_size=100)
    for _ in range(2):
        model.train_on_batch(X, Y)
    assert any(key[0] == "train" for key in model.plans._planned)
    assert len(model.plans._seen) == plans._MAX_PLANS


def test_concurrent_eviction_of_plans() -> None:
    """Other threads may evict or add steps while one looks for the step to evict."""

    class Key:
        """A step's key; hashing it lets another thread run."""

        def __init__(self, meanwhile: Callable[[], None]) -> None:
            self.meanwhile = meanwhile

        def __hash__(self) -> int:
            meanwhile, self.meanwhile = self.meanwhile, nothing
            meanwhile()
            return 1

    def nothing() -> None: ...

    for other_thread in (found := plans.Plans())._forget_one, found.clear, lambda: found._seen.update(late=0):
        keys = [Key(nothing) for _ in range(3)]
        found._seen.update(dict.fromkeys(keys, 1))
        keys[0].meanwhile = other_thread
        found._forget_one()
        found.clear()
    found._forget_one()


def test_each_batch_size_has_a_plan() -> None:
    model = dense()
    model.compile(optimizer="sgd", loss="meanSquaredError")
    model.fit(X, Y, batch_size=5, epochs=3, verbose=0)  # batches of 5, 5 and 2
    assert len(model.plans._planned) == 2


def test_same_tensor_for_two_inputs(backend: str) -> None:
    """A plan recorded for one tensor passed twice does not apply to two tensors."""
    a, b = tf.input(shape=[2]), tf.input(shape=[2])
    model = tf.model(inputs=[a, b], outputs=tf.layers.concatenate().apply([a, b]))
    x, y = tf.tensor([[1.0, 2.0]]), tf.tensor([[3.0, 4.0]])
    for first, second in [(x, x)] * 4 + [(x, y)] * 4 + [(y, y), (y, x)]:
        expected = [[*first.data_sync(), *second.data_sync()]]
        assert model.predict([first, second]).array_sync() == expected
    layer = tf.layers.dense(units=2, use_bias=False, input_shape=[2], kernel_initializer="identity")
    auto_encoder = tf.sequential(layers=[layer])
    auto_encoder.compile(optimizer="sgd", loss="meanSquaredError")
    assert [auto_encoder.train_on_batch(x, x) for _ in range(4)] == [0] * 4
    assert auto_encoder.train_on_batch(x, y) == 4


def test_weight_as_input() -> None:
    layer = tf.layers.dense(units=2, use_bias=False, input_shape=[2], kernel_initializer="identity")
    model = tf.sequential(layers=[layer])
    kernel = layer.trainable_weights[0].val
    for _ in range(4):
        model.predict(kernel)
    assert model.predict(tf.tensor([[5.0, 6.0]] * 2)).array_sync() == [[5, 6]] * 2
    kernel.assign(tf.tensor([[2.0, 0.0], [0.0, 2.0]]))
    assert model.predict(kernel).array_sync() == [[4, 0], [0, 4]]


def test_training_on_a_weight_is_not_replayed() -> None:
    """The gradient flows through the input, too, unlike in a plan that was made for an ordinary tensor."""

    def trained(*inputs: Callable[[Any], Any]) -> Any:
        layer = tf.layers.dense(units=2, use_bias=False, input_shape=[2], kernel_initializer="identity")
        model = tf.sequential(layers=[layer])
        model.compile(optimizer="sgd", loss="meanSquaredError")
        for x in inputs:
            layer.set_weights([[[2, 1], [0, 1]]])
            model.train_on_batch(x(layer.weights[0]), np.ones((2, 2)))
        return layer.get_weights()[0].array_sync()

    ordinary = [lambda w: w.clone()] * 4
    assert trained(*ordinary, lambda w: w) == trained(lambda w: w) != trained(*ordinary)


def test_observed_step_runs_kernels_one_by_one() -> None:
    """Profiling, debug mode and user-defined kernels need this."""
    model = dense()
    assert plans_after(model) == 1
    seen: list[str] = []
    with observing(lambda run: seen.append(run.kernel)):
        model.train_on_batch(X, Y)
    assert "BatchMatMul" in seen


def test_gradient_through_predict() -> None:
    model = dense()
    x = tf.tensor(X[:1])
    for _ in range(3):
        model.predict(x)
    assert tf.grad(lambda t: model.predict(t).square().sum())(x).abs().sum().data_sync()[0] > 0


def test_planned_predict_validates_arguments() -> None:
    model, x = dense(), tf.tensor(X)
    for _ in range(3):  # the second one is recorded
        expected = model.predict(x).numpy()
    x.dispose()
    with pytest.raises(DisposedError, match="disposed"):
        model.predict(x)
    with pytest.raises(ValueError, match="batch_size"):
        model.predict(tf.tensor(X), batch_size=0)
    np.testing.assert_array_equal(model.predict(X).numpy(), expected)
    np.testing.assert_allclose(model.predict(tf.tensor(X), batch_size=5).numpy(), expected, rtol=ROUNDING)


def test_changed_keyword_of_partial_loss_takes_effect() -> None:
    loss = functools.partial(tf.losses.huber_loss, delta=1.0)
    model = dense()
    model.compile(optimizer=tf.train.sgd(0), loss=loss)
    for _ in range(4):
        before = model.train_on_batch(X, 10 + Y)
    loss.keywords["delta"] = 0.1
    assert model.train_on_batch(X, 10 + Y) < 0.2 * before


@pytest.mark.parametrize("predict", ["predict", "predict_on_batch"])
def test_disposing_one_of_equal_outputs_keeps_the_others(predict: str) -> None:
    entry = tf.input(shape=[2])
    passed = tf.layers.dropout(rate=0.5).apply(entry)
    model = tf.model(inputs=entry, outputs=[passed, entry, passed])
    for _ in range(4):
        x = tf.ones([3, 2])
        first, *others = getattr(model, predict)(x)
        first.dispose()
        assert [t.array_sync() for t in (x, *others)] == [[[1, 1]] * 3] * 3


def test_prediction_is_not_overwritten_by_the_next() -> None:
    model = dense()
    first = [model.predict(X[:1]) for _ in range(4)]
    kept = first[2].numpy().copy()
    model.predict(X[1:2])
    np.testing.assert_array_equal(first[2].numpy(), kept)


def test_steps_do_not_leak_tensors() -> None:
    model = dense()
    plans_after(model)
    before = tf.memory().num_tensors
    for _ in range(20):
        model.train_on_batch(X, Y)
        model.predict(X[:1]).dispose()
    assert tf.memory().num_tensors == before


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_every_layer_is_bit_identical_with_plans(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds for layers that can be planned and for those that cannot."""

    def run() -> tuple[list[Any], list[Any]]:
        rng.set_seed(5)
        layer = row.make()
        entries = [tf.input(shape=s[1:]) for s in row.shapes]
        found = layer.apply(entries if len(entries) > 1 else entries[0], row.call)
        flat = [y if len(y.shape) == 2 else tf.layers.flatten().apply(y) for y in to_list(found)]
        joined = tf.layers.concatenate().apply(flat) if len(flat) > 1 else flat[0]
        model = tf.model(inputs=entries, outputs=tf.layers.dense(units=2).apply(joined))
        start = np.random.default_rng(3)
        model.set_weights([start.uniform(0.1, 0.5, size=w.shape) for w in model.get_weights()])
        model.compile(optimizer="sgd", loss="meanSquaredError")
        data = np.random.default_rng(4)
        steps = []
        for step in range(5):
            arrays = [a if row.integers else a + data.normal(size=a.shape).astype(np.float32) for a in row.arrays()]
            x = arrays if len(arrays) > 1 else arrays[0]
            steps.append(model.train_on_batch(x, np.full((row.shapes[0][0], 2), step)))
            steps.append(model.predict(x).array_sync())
        rng.set_seed(None)
        return steps, [w.numpy().tolist() for w in model.get_weights()]

    with_plans = run()
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    assert str(with_plans) == str(run())  # compared as strings, so that NaN equals NaN
