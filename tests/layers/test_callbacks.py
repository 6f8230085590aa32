"""Callbacks: order of events, yielding, stopping, early stopping, and changes to the model during training."""

from __future__ import annotations

import asyncio
import copy
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from layers.linear import X, Y, fit, linear, values

import tfpy as tf


def test_events_occur_in_tfjs_order() -> None:
    calls: list[Any] = []

    class Watch(tf.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            calls.append("T")

        def onEpochBegin(self, epoch: int) -> None:
            calls.append(f"E{epoch}")

        async def onBatchEnd(self, batch: int, logs: Any) -> None:
            calls.append((batch, sorted(logs)))

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            calls.append((f"e{epoch}", list(logs)))

        def on_train_end(self, logs: Any = None) -> None:
            calls.append(("t", self.params["batch_size"], type(self.model).__name__))

    fit(linear(), batch_size=5, epochs=1, callbacks=Watch(), validation_data=(X, Y))
    assert calls == [
        "T", "E0", (0, ["batch", "loss", "size"]), (1, ["batch", "loss", "size"]), ("e0", ["val_loss", "loss"]),
        ("t", 5, "Sequential"),
    ]  # fmt: skip


def test_missing_value_raises_with_the_names_that_there_are() -> None:
    model = linear(metrics=["accuracy"])

    def read(epoch: int, logs: dict[str, Any]) -> None:
        logs["accuracy"]

    with pytest.raises(KeyError, match="there is no 'accuracy', only loss, acc"):
        model.fit(X, Y, verbose=0, callbacks={"on_epoch_end": read})
    history = copy.deepcopy(model.fit(X, Y, verbose=0, epochs=2))
    with pytest.raises(KeyError, match="there is no 'val_loss', only loss, acc"):
        history.history["val_loss"]
    assert list(history.history) == ["loss", "acc"]
    assert history.history.get("accuracy") is None


def test_dict_of_functions_is_a_callback() -> None:
    seen: list[Any] = []
    fit(
        linear(), epochs=2, batch_size=10,
        callbacks=[{"onEpochEnd": lambda epoch, logs: seen.append((epoch, type(logs["loss"])))}, {"on_train_end": lambda: seen.append("end")},
                   {"onBatchBegin": lambda batch: seen.append(batch)}],
    )  # fmt: skip
    assert seen == [0, (0, float), 0, (1, float), "end"]


def test_async_callback_in_running_event_loop() -> None:
    seen: list[int] = []

    async def remember(epoch: int) -> None:
        await asyncio.sleep(0)
        seen.append(epoch)

    async def train() -> tf.History:
        return await fit(linear(), epochs=2, callbacks={"onEpochEnd": remember})

    asyncio.run(train())
    assert seen == [0, 1]


def test_on_yield_is_called_at_intervals() -> None:
    clock = iter(range(0, 10_000, 100))
    seen: list[Any] = []
    callback = {"onYield": lambda epoch, batch, logs: seen.append((epoch, batch)), "nowFunc": lambda: next(clock)}
    fit(linear(), batch_size=2, callbacks=callback)
    assert seen == [(0, 1), (0, 3)]


def test_on_yield_receives_the_epoch() -> None:
    seen = []
    times = iter(range(0, 100000, 130))
    listening = {"onYield": lambda epoch, batch: seen.append((epoch, batch)), "nowFunc": lambda: next(times)}
    fit(linear(), epochs=2, batch_size=6, callbacks=listening)
    assert seen == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_yield_every_is_in_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(100))
    monkeypatch.setattr("tfpy.layers.callbacks.custom.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    seen: list[int] = []
    fit(linear(), batch_size=2, yield_every=2000, callbacks={"onYield": lambda epoch, batch: seen.append(batch)})
    assert seen == [1, 3]


@pytest.mark.parametrize("epoch", [0, 1])
def test_stop_training_set_at_epoch_begin_stops_after_one_batch(epoch: int) -> None:
    """As in TF.js, which checks after each batch: the history has values for each epoch."""
    model = linear()
    model.compile(optimizer="sgd", loss="meanSquaredError")
    batches: list[int] = []

    class Stop(tf.Callback):
        def on_epoch_begin(self, number: int, logs: Any = None) -> None:
            self.model.stop_training = number == epoch

        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            batches.append(batch)

    history = model.fit(X, Y, epochs=5, batch_size=5, verbose=0, callbacks=[Stop()])
    assert history.epoch == [*range(epoch + 1)]
    assert len(history.history["loss"]) == epoch + 1
    assert batches == [0, 1] * epoch + [0]


def test_stop_training_stops_after_current_batch() -> None:
    model = linear()
    calls: list[str] = []

    def stop(batch: int) -> None:
        calls.append(f"b{batch}")
        model.stopTraining = batch == 1

    history = fit(
        model,
        batch_size=2,
        epochs=5,
        callbacks={
            "onBatchEnd": stop,
            "onEpochEnd": lambda e: calls.append(f"e{e}"),
            "onTrainEnd": lambda: calls.append("T"),
        },
    )
    assert calls == ["b0", "b1", "e0", "T"]
    assert history.epoch == [0]


def test_model_can_be_trained_after_callback_raises() -> None:
    model = linear()
    with pytest.raises(ZeroDivisionError):
        fit(model, callbacks={"onBatchEnd": lambda: 1 / 0})
    fit(model)


def test_fit_during_fit_raises() -> None:
    model = linear()
    with pytest.raises(RuntimeError, match="already being trained"):
        fit(model, callbacks={"onBatchEnd": lambda: fit(model)})
    fit(model)


def test_early_stopping_patience_and_invalid_options() -> None:
    constant = linear(tf.train.sgd(0))
    for patience, epochs in ((0, 2), (1, 2), (3, 4)):
        stopping = tf.callbacks.early_stopping(monitor="loss", patience=patience)
        assert len(fit(constant, epochs=9, shuffle=False, callbacks=stopping).epoch) == epochs
    with pytest.warns(UserWarning, match="no 'val_loss'"):
        fit(constant, callbacks=tf.callbacks.earlyStopping())
    with pytest.raises(ValueError, match="mode"):
        tf.callbacks.early_stopping(mode="most")


@pytest.mark.parametrize(("epochs", "verbose"), [(9, True), (9, False), (1, True)])
def test_verbose_early_stopping_prints_epoch(epochs: int, verbose: bool, capsys: pytest.CaptureFixture[str]) -> None:
    stopping = tf.callbacks.early_stopping(monitor="loss", patience=1, verbose=verbose)
    fit(linear(tf.train.sgd(0)), epochs=epochs, shuffle=False, callbacks=stopping)
    assert capsys.readouterr().out == ("Epoch 1: early stopping.\n" if verbose and epochs > 1 else "")


def test_early_stopping_restores_best_weights() -> None:
    model = linear(tf.train.sgd(0.9))  # diverges
    seen = [values(model)]
    stopping = tf.EarlyStopping({"monitor": "val_loss", "patience": 3, "restoreBestWeights": True})
    watch = {"onEpochEnd": lambda: seen.append(values(model))}
    history = fit(
        model, epochs=20, batch_size=2, shuffle=False, validation_data=(X * 3, Y), callbacks=[stopping, watch]
    )
    best = int(np.argmin(history.history["val_loss"]))
    assert values(model) == seen[best + 1]


def test_best_weights_are_restored_after_freezing_a_layer() -> None:
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[2]), tf.layers.dense(units=1)])
    model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    before = [w.array_sync() for layer in model.layers for w in layer.get_weights()]
    stopping = tf.callbacks.early_stopping(monitor="loss", min_delta=1, patience=2, restore_best_weights=True)
    freeze = {"on_epoch_end": lambda: setattr(model.layers[0], "trainable", False)}
    tensors = tf.memory().num_tensors
    fit(model, epochs=3, callbacks=[stopping, freeze])
    assert tf.memory().num_tensors == tensors, "the best weights have been disposed"
    assert [w.array_sync() for layer in model.layers for w in layer.get_weights()] == before


def test_optimizer_set_in_callback_applies_from_next_step() -> None:
    model = linear(tf.train.sgd(0.1))
    seen = []

    def on_batch_end(batch: int, logs: Any) -> None:
        model.optimizer = tf.train.sgd(0)
        seen.append(values(model))

    before = values(model)
    fit(model, batch_size=2, callbacks={"on_batch_end": on_batch_end})
    assert before != seen[0] == seen[-1]


def test_compile_in_callback_applies_from_next_fit() -> None:
    model = linear(tf.train.sgd(0.1))
    expected = linear(tf.train.sgd(0.1))
    compile_anew = {"on_batch_end": lambda: model.compile(optimizer=tf.train.sgd(0), loss="meanAbsoluteError")}
    fit(model, batch_size=2, shuffle=False, callbacks=compile_anew)
    fit(expected, batch_size=2, shuffle=False)
    assert values(model) == values(expected)
    fit(model)
    assert values(model) == values(expected)


def test_registered_callback_applies_to_every_verbose_fit() -> None:
    from tfpy.layers.callbacks import registered

    called: list[tf.Callback] = []

    class Registered(tf.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            called.append(self)

    tf.register_callback_constructor(1, Registered)
    try:
        with pytest.raises(ValueError, match="not registered"):
            tf.registerCallbackConstructor(1, Registered)
        fit(linear())
        linear().fit(X, Y, verbose=1)
        assert len(called) == 1
    finally:
        registered._registered.clear()
