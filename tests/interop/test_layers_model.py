"""Models saved by tfpy predict the same in TF.js and vice versa, for every layer type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interop.node import as_job, from_job, run_jobs
from interop.rows import ROWS, Row

import tfpy as tf

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]

TOLERANCE = {"rtol": 1e-6, "atol": 1e-6}
Results = list[dict[str, Any]]


def inputs_of(row: Row) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(1)
    shapes = [(2, *shape) for shape in row.shapes]
    if row.below is not None:
        return [random.integers(0, row.below, shape).astype(np.int32) for shape in shapes]
    return [random.normal(size=shape).astype(np.float32) for shape in shapes]


def make_layer(factory: str, options: dict[str, Any]) -> Any:
    """Create a layer; options that describe layers are created, too."""

    def resolve(value: Any) -> Any:
        if isinstance(value, list) and value and isinstance(value[0], str) and hasattr(tf.layers, value[0]):
            return make_layer(*value)
        return (
            [resolve(v) for v in value] if isinstance(value, list) and value and isinstance(value[0], list) else value
        )

    return getattr(tf.layers, factory)({name: resolve(value) for name, value in options.items()})


def model_of(row: Row) -> tf.LayersModel:
    dtype = "float32" if row.below is None else "int32"
    inputs = [tf.input(shape=shape, dtype=dtype) for shape in row.shapes]
    outputs = make_layer(row.factory, row.options)(inputs[0] if len(inputs) == 1 else inputs)
    model = tf.model(inputs=inputs, outputs=outputs)
    random = np.random.default_rng(2)
    # Weights other than the initial ones; variances must be positive.
    model.set_weights([np.abs(random.normal(0, 0.5, w.shape)).astype(np.float32) + 0.1 for w in model.weights])
    return model


def predictions(model: tf.LayersModel, inputs: list[Any]) -> list[np.ndarray[Any, Any]]:
    found = model.predict(inputs if len(inputs) > 1 else inputs[0])
    return [t.numpy() for t in (found if isinstance(found, list) else [found])]


def check_same(found: dict[str, Any], expected: list[np.ndarray[Any, Any]]) -> None:
    assert "error" not in found, found["error"]
    assert len(found["result"]) == len(expected)
    for theirs, ours in zip(found["result"], expected, strict=True):
        assert list(ours.shape) == theirs["shape"]
        np.testing.assert_allclose(ours, from_job(theirs), **TOLERANCE)


@pytest.fixture(scope="module")
def tfjs_predictions(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Predictions of TF.js with models saved by tfpy."""
    folder = tmp_path_factory.mktemp("ours")
    jobs = []
    for i, row in enumerate(ROWS):
        model_of(row).save(folder / str(i), strict=True)
        jobs.append({"job": "predict", "dir": str(folder / str(i)), "inputs": [as_job(x) for x in inputs_of(row)]})
    return run_jobs(jobs)


@pytest.mark.parametrize("index", range(len(ROWS)), ids=lambda i: str(ROWS[i]))
def test_saved_layer_predicts_the_same_in_tfjs(index: int, tfjs_predictions: Results) -> None:
    row = ROWS[index]
    check_same(tfjs_predictions[index], predictions(model_of(row), inputs_of(row)))


@pytest.fixture(scope="module")
def tfjs_models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    """Models saved by TF.js, and its predictions."""
    folder = tmp_path_factory.mktemp("theirs")
    jobs = [
        {
            "job": "make",
            "dir": str(folder / str(i)),
            "layer": [row.factory, row.options],
            "shapes": row.shapes,
            "dtype": "float32" if row.below is None else "int32",
            "inputs": [as_job(x) for x in inputs_of(row)],
        }
        for i, row in enumerate(ROWS)
    ]
    return folder, run_jobs(jobs)


@pytest.mark.parametrize("index", range(len(ROWS)), ids=lambda i: str(ROWS[i]))
def test_layer_saved_by_tfjs_predicts_the_same(index: int, tfjs_models: tuple[Path, Results]) -> None:
    folder, results = tfjs_models
    assert "error" not in results[index], results[index]["error"]
    model = tf.load_layers_model(folder / str(index))
    check_same(results[index], predictions(model, inputs_of(ROWS[index])))


def _nested() -> tf.LayersModel:
    inner = tf.sequential(
        layers=[tf.layers.dense(units=3, input_shape=[3], activation="relu", name="in")], name="inner"
    )
    x = tf.input(shape=[3], name="x")
    shared = tf.layers.dense(units=3, name="shared")
    y = shared(inner(shared(x)))
    return tf.model(inputs=x, outputs=[y, inner(y)], name="nested")


def _stack() -> tf.LayersModel:
    layers = [
        tf.layers.simple_rnn(units=4, input_shape=[5, 3], return_sequences=True),
        tf.layers.time_distributed(layer=tf.layers.dense(units=2)),
        tf.layers.lstm(units=3),
        tf.layers.dense(units=2, activation="swish"),
    ]
    return tf.sequential(layers=layers)


@pytest.mark.parametrize(("build", "shape"), [(_nested, (3,)), (_stack, (5, 3))])
def test_saved_model_predicts_the_same_in_tfjs(
    build: Callable[[], tf.LayersModel], shape: tuple[int, ...], tmp_path: Path
) -> None:
    model = build()
    model.save(tmp_path, strict=True)
    x = np.random.default_rng(3).normal(size=(2, *shape)).astype(np.float32)
    (found,) = run_jobs([{"job": "predict", "dir": str(tmp_path), "inputs": [as_job(x)]}])
    check_same(found, predictions(model, [x]))
    for ours, again in zip(predictions(model, [x]), predictions(tf.load_layers_model(tmp_path), [x]), strict=True):
        np.testing.assert_array_equal(ours, again)


@pytest.mark.parametrize("kind", ["float16", "uint16", "uint8"])
def test_quantized_model_predicts_the_same_in_tfjs(kind: str, tmp_path: Path) -> None:
    """TF.js decodes the same weights."""
    model = _stack()
    model.save(tmp_path, strict=True, quantize=kind)
    x = np.random.default_rng(3).normal(size=(2, 5, 3)).astype(np.float32)
    (found,) = run_jobs([{"job": "predict", "dir": str(tmp_path), "inputs": [as_job(x)]}])
    check_same(found, predictions(tf.load_layers_model(tmp_path), [x]))


OPTIMIZERS = ["sgd", "adam", "rmsprop", "adagrad", "adadelta", tf.train.momentum(0.01, 0.9)]


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: o if isinstance(o, str) else "momentum")
def test_training_resumes_across_libraries(optimizer: Any, tmp_path: Path) -> None:
    """Two steps in tfpy, two in TF.js and two in tfpy, passing the state, give the losses of six steps in tfpy."""
    random = np.random.default_rng(4)
    x, y = (random.normal(size=(4, n)).astype(np.float32) for n in (3, 2))
    model = tf.sequential(
        layers=[tf.layers.dense(units=4, input_shape=[3], activation="tanh"), tf.layers.dense(units=2)]
    )
    model.compile(optimizer=optimizer, loss="meanSquaredError", metrics=["mse"])
    steps = [model.train_on_batch(x, y)[0] for _ in range(2)]
    model.save(tmp_path / "ours", include_optimizer=True, strict=True)
    job = {"job": "train", "dir": str(tmp_path / "ours"), "x": as_job(x), "y": as_job(y), "steps": 2}
    (found,) = run_jobs([{**job, "to": str(tmp_path / "theirs")}])
    assert "error" not in found, found["error"]
    loaded = tf.load_layers_model(tmp_path / "theirs")
    steps += [*found["result"]["losses"], *(loaded.train_on_batch(x, y)[0] for _ in range(2))]
    reference = steps[:2] + [model.train_on_batch(x, y)[0] for _ in range(4)]
    np.testing.assert_allclose([float(s) for s in steps], [float(s) for s in reference], rtol=2e-6)
