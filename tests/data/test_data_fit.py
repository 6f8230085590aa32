"""Training and evaluation on data sets: values and callbacks as in TF.js, forms of data, disposal, invalid arguments."""

from __future__ import annotations

import gc
import re
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import numpy as np
import pytest
from data.recorded import ROWS, SETS, TFJS, assert_same_outcome
from tolerance import ROUNDING

import tfpy as tf

# The exact backend is bit-identical to TF.js.
RTOL = {"cpu": 2e-6, "exact": 0, "webgl": 2e-6}
EVENTS = ["onTrainBegin", "onTrainEnd", "onEpochBegin", "onEpochEnd", "onBatchBegin", "onBatchEnd"]
SNAKE = {
    "initialEpoch": "initial_epoch",
    "batchSize": "batch_size",
    "doValidation": "do_validation",
}


def build(optimizer: Any = None, name: str | None = None) -> tf.Sequential:
    """The model of the recorded results."""
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2], name=name)])
    model.set_weights([np.array([[0.5], [-0.25]]), np.array([0.125])])
    model.compile({"optimizer": optimizer or tf.train.sgd(0.1), "loss": "meanSquaredError", "metrics": ["mae"]})
    return model


X = np.array([row["xs"] for row in ROWS], np.float32)
Y = np.array([row["ys"] for row in ROWS], np.float32)


# Results of TF.js


@pytest.mark.parametrize(
    "case", TFJS["training"], ids=lambda c: f"{c['set']}-{c['options']}-{c['validation']}-{c['stopAt']}"
)
def test_training_matches_tfjs(case: dict[str, Any], backend: str) -> None:
    model = build()
    log: list[Any] = []

    def calls(event: str) -> Callable[..., None]:
        def call(a: Any, b: Any = None) -> None:
            log.append([event, a, dict(b) if isinstance(b, dict) else b])
            if event == "onBatchEnd" and a == case["stopAt"]:
                model.stopTraining = True

        return call

    def train() -> dict[str, Any]:
        options = dict(case["options"], verbose=0, callbacks={e: calls(e) for e in EVENTS})
        if case["validation"]:
            options["validationData"] = SETS[case["validation"]]()
        history = model.fitDataset(SETS[case["set"]](), options)
        params = {name: history.params[SNAKE.get(name, name)] for name in recorded["params"]}
        return {"epoch": history.epoch, "history": history.history, "params": params, "weights": model.get_weights()}

    recorded = case["result"].get("value", {"params": {}})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert_same_outcome(train, case["result"], RTOL[backend])
    if case["log"] is not None:
        assert_same_outcome(lambda: log, {"value": case["log"]}, RTOL[backend])


@pytest.mark.parametrize("case", TFJS["evaluations"], ids=lambda c: f"{c['set']}-{c['options']}")
@pytest.mark.filterwarnings("ignore:.*ended after")
def test_evaluation_matches_tfjs(case: dict[str, Any], backend: str) -> None:
    assert_same_outcome(
        lambda: build().evaluateDataset(SETS[case["set"]](), case["options"]), case["result"], RTOL[backend]
    )


def test_data_set_that_ends_early_warns() -> None:
    with pytest.warns(
        UserWarning, match=r"fit: the data ended after batch [20] of 3. All.* 6 batches. .*repeat"
    ) as caught:
        build().fit_dataset(SETS["short"](), epochs=2, batches_per_epoch=3, verbose=0)
    assert len(caught) == 2
    with pytest.warns(UserWarning, match=r"fit: the validation data ended after batch 2 of 5. dataset.repeat"):
        build().fit_dataset(SETS["plain"](), epochs=1, verbose=0, validation_data=SETS["short"](), validation_batches=5)
    with pytest.warns(UserWarning, match=r"evaluate: the data ended after batch \d of 5"):
        build().evaluate_dataset(SETS["short"](), batches=5)


def test_training_matches_training_on_arrays(backend: str) -> None:
    """Also with a regularizer, which contributes to the training loss only."""

    def model() -> tf.Sequential:
        tf.set_seed(1)
        layers = [
            tf.layers.dense(units=3, activation="tanh", kernel_initializer=tf.initializers.random_normal(seed=1), kernel_regularizer="l1l2", input_shape=[2]),
            tf.layers.dense(units=1, kernel_initializer=tf.initializers.random_normal(seed=2)),
        ]  # fmt: skip
        found = tf.sequential(layers=layers)
        found.compile(optimizer="adam", loss="meanSquaredError", metrics=["mae"])
        return found

    one, two = model(), model()
    options: dict[str, Any] = {"epochs": 3, "verbose": 0, "validation_data": (X, Y)}
    arrays = one.fit(X, Y, batch_size=3, shuffle=False, **options)
    data = two.fit_dataset(tf.data.array(ROWS).batch(3), validation_batch_size=3, **options)
    assert arrays.history == data.history
    for a, b in zip(one.get_weights(), two.get_weights(), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    evaluated = [float(v) for v in two.evaluate_dataset(tf.data.array(ROWS).batch(32))]
    assert evaluated == [float(v) for v in one.evaluate(X, Y)]


# Forms of data


def pairs() -> Iterator[tuple[Any, Any]]:
    for start in (0, 3, 6):
        yield X[start : start + 3], Y[start : start + 3]


def test_forms_of_elements() -> None:
    def of(element: Callable[[Any, Any], Any]) -> Callable[[], Any]:
        return lambda: (element(x, y) for x, y in pairs())

    expected = build().fit_dataset(SETS["plain"](), epochs=1, verbose=0).history
    for form in (
        of(lambda x, y: {"xs": x, "ys": y}),
        of(lambda x, y: {"xs": tf.tensor(x), "ys": [tf.tensor(y)]}),
        of(lambda x, y: (x, y)),
        of(lambda x, y: [tf.tensor(x), y]),
        of(lambda x, y: (x.tolist(), y[:, 0])),
        of(lambda x, y: ({"in_input": x}, {"in": y})),
        of(lambda x, y: (x, y, np.ones(len(x)))),
    ):
        model = build(name="in")
        assert model.fit_dataset(tf.data.generator(form), {"epochs": 1, "verbose": 0}).history == expected


def test_fit_and_evaluate_accept_data_sets_and_iterators() -> None:
    expected = build().fit_dataset(SETS["plain"](), epochs=2, verbose=0).history
    assert build().fit(SETS["plain"](), epochs=2, verbose=0).history == expected
    assert build().fit(SETS["plain"](), None, {"epochs": 2, "verbose": 0}).history == expected
    assert build().fit(pairs, epochs=2, verbose=0).history == expected
    assert build().fit_dataset(pairs, epochs=2, verbose=0).history == expected
    with pytest.warns(UserWarning, match="an epoch had no batches: an iterator can be used only once"):
        once = build().fit(pairs(), epochs=2, verbose=0).history
    assert once == {name: values[:1] for name, values in expected.items()}
    steps = build().fit(SETS["plain"]().repeat(), epochs=2, steps_per_epoch=3, verbose=0).history
    assert steps == expected
    evaluated = [float(v) for v in build().evaluate_dataset(SETS["plain"]())]
    for data in (SETS["plain"](), pairs, pairs(), SETS["plain"]().iterator()):
        assert [float(v) for v in build().evaluate(data)] == evaluated
    limited = [float(v) for v in build().evaluate_dataset(SETS["plain"](), batches=2)]
    assert [float(v) for v in build().evaluate(SETS["plain"](), steps=2)] == limited


def test_empty_data_set_warns() -> None:
    with pytest.warns(UserWarning, match="an epoch had no batches: the data set is empty"):
        build().fit_dataset(SETS["nothing"](), epochs=1, verbose=0)


def test_infinite_data_set_without_batch_limit_warns() -> None:
    class Stop(tf.Callback):
        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            self.model.stop_training = True

    with pytest.warns(UserWarning, match="fit_dataset: the data set is infinite; set batches_per_epoch"):
        build().fit_dataset(SETS["plain"]().repeat(), epochs=1, verbose=0, callbacks=Stop())


def test_infinite_data_set_for_evaluation_raises() -> None:
    model, data = build(), SETS["plain"]()
    with pytest.raises(ValueError, match=r"evaluate_dataset: argument 'dataset' must be finite, or batches set"):
        model.evaluate_dataset(data.repeat())
    with pytest.raises(ValueError, match=r"evaluate: argument 'x' must be finite, or steps set"):
        model.evaluate(data.repeat())
    before = model.get_weights()[0].numpy().copy()
    with pytest.raises(ValueError, match=r"must be finite, or validation_batches set, but got infinite data"):
        model.fit_dataset(data, epochs=1, verbose=0, validation_data=data.repeat())
    np.testing.assert_array_equal(model.get_weights()[0].numpy(), before)


def test_custom_loss_receives_the_labels_unchanged() -> None:
    def loss(labels: Any, outputs: Any) -> Any:
        return tf.metrics.categorical_crossentropy(tf.one_hot(labels.flatten().to_int(), 3), outputs)

    classes = np.array([[0], [1], [2], [0]], np.float32)
    model = tf.sequential([tf.layers.dense(units=3, input_shape=[4], activation="softmax", kernel_initializer="ones")])
    model.compile(optimizer="sgd", loss=loss)
    batches = tf.data.array([{"xs": np.ones((4, 4), np.float32), "ys": classes}])
    before = float(model.evaluate_dataset(batches))
    np.testing.assert_allclose(before, np.log(3), rtol=ROUNDING)
    assert model.fit_dataset(batches, epochs=2, verbose=0).history["loss"][1] < before
    with pytest.raises(ValueError, match=r"'y' must be of shape \[batch, 3\]"):
        model.fit(np.ones((4, 4)), classes)


@pytest.mark.parametrize("initial_epoch", [0, 1])
def test_iterators_are_created_as_in_tfjs(initial_epoch: int) -> None:
    """One before the first epoch, even if there is none, and one in each epoch."""
    log: list[str] = []

    def start() -> Iterator[Any]:
        log.append("iterator")
        return pairs()

    callbacks = {event: lambda *_, event=event: log.append(event) for event in EVENTS if "Batch" not in event}
    build().fit_dataset(start, epochs=1, initial_epoch=initial_epoch, verbose=0, callbacks=callbacks)
    epoch = [] if initial_epoch else ["onEpochBegin", "iterator", "onEpochEnd"]
    assert log == ["onTrainBegin", "iterator", *epoch, "onTrainEnd"]


class TfjsIterator:
    """An iterator with the protocol of TF.js."""

    def __init__(self) -> None:
        self.pairs = pairs()

    async def next(self) -> dict[str, Any]:
        pair = next(self.pairs, None)
        return {"done": pair is None, "value": pair and {"xs": tf.tensor(pair[0]), "ys": tf.tensor(pair[1])}}


class CustomDataset(tf.data.Dataset):
    """A custom data set."""

    async def iterator(self) -> TfjsIterator:  # type: ignore[override]
        return TfjsIterator()


class DatasetLike:
    """An object with an iterator method, which TF.js accepts as a data set."""

    def iterator(self) -> TfjsIterator:
        return TfjsIterator()


async def async_pairs() -> AsyncIterator[Any]:
    for pair in pairs():
        yield pair


@pytest.mark.parametrize("data", [CustomDataset(), DatasetLike(), async_pairs])
def test_tfjs_and_async_iterators(data: Any) -> None:
    expected = build().fit_dataset(SETS["plain"](), epochs=2, verbose=0).history
    assert build().fit_dataset(data, epochs=2, verbose=0).history == expected
    evaluated = [float(v) for v in build().evaluate_dataset(SETS["plain"]())]
    assert [float(v) for v in build().evaluate_dataset(data)] == evaluated


def test_streams_are_not_read_beyond_need() -> None:
    stream = tf.data.array(ROWS).batch(1).iterator()
    build().evaluate_dataset(stream, {"batches": 2})
    assert len(stream.to_array()) == len(ROWS) - 2
    read: list[int] = []
    endless = tf.data.array(list(range(9))).map(lambda n: read.append(n) or {"xs": [n, n], "ys": [n]}).repeat().batch(2)  # type: ignore[func-returns-value]
    build(tf.train.sgd(0)).fit_dataset(endless, epochs=2, batches_per_epoch=3, verbose=0)
    assert read == [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2]


def test_fit_validates_on_data_sets(backend: str) -> None:
    plain = build().fit(X, Y, shuffle=False, verbose=0, validation_data=(X, Y), batch_size=3).history
    data = build().fit(X, Y, shuffle=False, verbose=0, validation_data=SETS["plain"](), batch_size=3).history
    assert data == plain
    part = build().fit(
        X, Y, shuffle=False, verbose=0, validation_data=SETS["plain"](), validation_steps=1, batch_size=7
    )
    assert part.history["val_loss"] != plain["val_loss"]


def test_class_and_sample_weights() -> None:
    y = (Y > 0).astype(np.float32)
    data = tf.data.zip((tf.data.array(X), tf.data.array(y))).batch(7)
    by_class = build().fit_dataset(data, epochs=1, verbose=0, class_weight={0: 2, 1: 0.5}).history
    assert by_class == build().fit(X, y, shuffle=False, verbose=0, class_weight={0: 2, 1: 0.5}).history
    weights = np.arange(7, dtype=np.float32)
    weighted = build().fit(lambda: iter([(X, y, weights)]), verbose=0).history
    assert weighted == build().fit(X, y, shuffle=False, verbose=0, sample_weight=weights).history


def test_multiple_inputs_and_outputs() -> None:
    a, b = tf.input(shape=[1], name="a"), tf.input(shape=[2], name="b")
    p = tf.layers.dense(units=1, name="p").apply(a)
    q = tf.layers.dense(units=1, name="q").apply(b)
    model = tf.model(inputs=[a, b], outputs=[p, q])
    model.compile(optimizer="sgd", loss=["meanSquaredError", "meanAbsoluteError"], metrics={"q": "mse"})
    rows = [{"xs": {"a": [n], "b": [n, -n]}, "ys": {"q": [n], "p": [-n]}} for n in range(5)]
    history = model.fit_dataset(tf.data.array(rows).batch(2), epochs=2, verbose=0).history
    assert list(history) == ["loss", "p_loss", "q_loss", "q_mse"]
    assert len(model.evaluate_dataset(tf.data.array(rows).batch(2))) == 4


def test_progress_output(capsys: pytest.CaptureFixture[str]) -> None:
    build().fit_dataset(SETS["plain"](), epochs=2, verbose=2, validation_data=SETS["short"]())
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" - ")[0] for line in lines] == ["epoch 1/2", "epoch 2/2"]
    assert "val_loss" in lines[0]
    build().evaluate_dataset(SETS["plain"](), verbose=1)
    assert "mae" in capsys.readouterr().out


def test_progress_bar_of_unknown_length(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    build().fit(pairs, epochs=1)
    build().fit(SETS["plain"](), epochs=1)
    assert "\x1b[" in (shown := capsys.readouterr().out), "a progress bar is shown"
    assert "epoch 1/1" in shown


def test_progress_bar_of_unknown_length_ends_with_the_batch_count(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even if the epoch is shorter than the refresh interval, or training is stopped."""
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 999)
    data = tf.data.array([{"xs": [n], "ys": [n]} for n in range(64)]).filter(lambda _: True).batch(4)

    def last_count(**options: Any) -> str:
        model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
        model.compile(optimizer="sgd", loss="meanSquaredError")
        model.fit(data, **options)
        return re.findall(r"\d+/(?:\?|16)", re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", capsys.readouterr().out))[-1]

    assert last_count() == "16/16"

    class Stop(tf.Callback):
        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            self.model.stop_training = batch == 6

    assert last_count(callbacks=[Stop()]) == "7/?"


# Memory


def test_batch_tensors_are_disposed() -> None:
    given: list[tf.Tensor] = []

    def give() -> Iterator[dict[str, tf.Tensor]]:
        for x, y in pairs():
            given.extend([tf.tensor(x), tf.tensor(y)])
            yield {"xs": given[-2], "ys": given[-1]}

    model = build()
    model.fit_dataset(tf.data.generator(give), epochs=1, verbose=0)
    model.evaluate_dataset(tf.data.generator(give))
    assert len(given) == 12
    assert all(t.is_disposed for t in given)
    given.clear()
    model.fit(give(), verbose=0)
    assert not any(t.is_disposed for t in given), "tensors from a plain iterator belong to the user"
    given.clear()


def test_training_leaks_no_tensors() -> None:
    model = build(tf.train.adam(0.1))
    data = tf.data.array(ROWS).map(lambda r: {"xs": tf.tensor(r["xs"]).mul(2), "ys": r["ys"]}).shuffle(3).batch(2)
    model.fit_dataset(data, epochs=1, verbose=0, validation_data=data)
    before = tf.memory().num_tensors
    model.fit_dataset(data, epochs=2, verbose=0, validation_data=data)
    model.fit_dataset(data.repeat(), epochs=2, batches_per_epoch=2, verbose=0, validation_data=(X, Y))
    model.evaluate_dataset(data)
    gc.collect()
    assert tf.memory().num_tensors == before


def test_error_in_the_data_leaves_the_model_usable() -> None:
    def broken() -> Iterator[Any]:
        yield X, Y
        raise KeyError("gone")

    model = build()
    with pytest.raises(KeyError, match="gone"):
        model.fit(broken, verbose=0)
    model.fit(X, Y, verbose=0)


# Invalid arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.fit_dataset(SETS["plain"]()), "fit_dataset.*epochs"),
        (lambda m: m.fit_dataset(SETS["plain"](), epochs=1, batch_size=3), "fit_dataset.*batch_size"),
        (lambda m: m.fit_dataset([1, 2], epochs=1), "fit_dataset.*dataset"),
        (lambda m: m.fit_dataset(SETS["unbatched"](), epochs=1, verbose=0), r"fit_dataset.*'x'.*\[batch, 2\]"),
        (lambda m: m.fit_dataset(SETS["unlabelled"](), epochs=1, verbose=0), "fit_dataset.*'xs': inputs, 'ys': labels"),
        (lambda m: m.fit_dataset(tf.data.array([1, 2]), epochs=1, verbose=0), "fit_dataset.*'xs'"),
        (lambda m: m.fit_dataset(SETS["uneven"](), epochs=1, verbose=0), "the same number of samples"),
        (lambda m: m.fit_dataset(SETS["plain"](), epochs=1, validation_split=0.5), "validation_split.*validation_data"),
        (
            lambda m: m.fit_dataset(SETS["plain"](), epochs=1, validation_data=(X, Y, Y), verbose=0),
            "validation_data.*sample_weight",
        ),
        (
            lambda m: m.fit_dataset(
                SETS["plain"](), epochs=1, validation_data=SETS["plain"]().filter(lambda _: False), verbose=0
            ),
            "no batch",
        ),
        (
            lambda m: m.fit_dataset(SETS["plain"](), epochs=1, validation_data=SETS["nothing"](), verbose=0),
            "fit_dataset: argument 'validation_data' must be a data set of at least one batch",
        ),
        (
            lambda m: m.fit(X, Y, epochs=2, validation_data=pairs(), verbose=0),
            "fit: argument 'validation_data'.* cannot be read after each of 2 epochs",
        ),
        (
            lambda m: m.fit_dataset(SETS["plain"](), epochs=1, validation_data=X, verbose=0),
            r"fit_dataset: argument 'validation_data' must be \(x, y\)",
        ),
        (lambda m: m.fit(SETS["plain"](), steps_per_epoch=0), "fit: argument 'steps_per_epoch' must"),
        (lambda m: m.fit(SETS["plain"](), epochs=0), "fit: argument 'epochs' must"),
        (
            lambda m: m.fit(X, Y, validation_data=SETS["plain"](), validation_steps=0),
            "fit: argument 'validation_steps'",
        ),
        (lambda m: m.fit(SETS["plain"](), batch_size=0, validation_data=(X, Y)), "fit: argument 'batch_size' must"),
        (lambda m: m.fit(SETS["unbatched"](), verbose=0), r"^fit: argument 'x' must be of shape \[batch, 2\]"),
        (lambda m: m.fit(SETS["unlabelled"](), verbose=0), "^fit: argument 'x' must be made of batches"),
        (lambda m: m.evaluate(SETS["unlabelled"]()), "^evaluate: argument 'x' must be made of batches"),
        (lambda m: m.evaluate(SETS["plain"](), steps=0), "^evaluate: argument 'steps' must"),
        (lambda m: m.fit(SETS["plain"](), Y), "'y'.*omitted"),
        (lambda m: m.fit(SETS["plain"](), validation_split=0.5), "'validation_split'.*omitted"),
        (lambda m: m.fit_dataset(iter([(X, X)]), epochs=1, verbose=0), r"'y' must be of shape \[batch, 1\]"),
        (lambda m: m.fit(SETS["plain"](), batch_size=8), "'batch_size'.*omitted if x is a data set"),
        (lambda m: m.evaluate(SETS["plain"](), batch_size=8), "^evaluate: argument 'batch_size'.*omitted if x is a"),
        (
            lambda m: m.fit(X, Y, validation_data=tf.data.generator(lambda: iter(())), verbose=0),
            "^fit, validation_data: there are no batches",
        ),
        (lambda m: m.fit(SETS["plain"](), sample_weight=[1]), "'sample_weight'.*omitted"),
        (lambda m: m.fit(SETS["plain"](), seed=0), "'seed'.*omitted"),
        (lambda m: m.fit(X), "'y'"),
        (lambda m: m.evaluate(SETS["plain"](), Y), "^evaluate: argument 'y' must be omitted"),
        (
            lambda m: m.evaluate(SETS["plain"](), sample_weight=[1]),
            "^evaluate: argument 'sample_weight' must be omitted",
        ),
        (lambda m: m.fit_dataset(SETS["plain"](), epochs=1, callbacks=3), "^fit_dataset: argument 'callbacks'"),
        (lambda m: m.evaluate(X), "'y'"),
        (lambda m: m.evaluate_dataset(X), "evaluate_dataset.*dataset"),
        (lambda m: m.evaluate_dataset(SETS["nothing"]()), "no batch"),
        (lambda m: m.fit(iter([]), callbacks=3), "callbacks"),
    ],
)
def test_invalid_arguments_raise_and_change_nothing(call: Callable[[Any], Any], message: str) -> None:
    model = build()
    before = [w.array_sync() for w in model.get_weights()]
    with pytest.raises((ValueError, TypeError), match=message):
        call(model)
    if "no batch" not in message:
        assert [w.array_sync() for w in model.get_weights()] == before


def test_training_preconditions() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    for call in (
        lambda: model.fit_dataset(SETS["plain"](), epochs=1),
        lambda: model.evaluate_dataset(SETS["plain"]()),
    ):
        with pytest.raises(RuntimeError, match="compile"):
            call()
    model = build()
    model.layers[0].trainable = False
    with pytest.raises(RuntimeError, match="no trainable weights"):
        model.fit_dataset(SETS["plain"](), epochs=1)

    def again(epoch: int, logs: Any) -> None:
        second.fit_dataset(SETS["plain"](), epochs=1)

    second = build()
    with pytest.raises(RuntimeError, match="already being trained"):
        second.fit_dataset(SETS["plain"](), epochs=1, verbose=0, callbacks={"on_epoch_end": again})
