"""How files of Keras say that a model is compiled: optimizers, losses, metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saving.keras_configs import called, entry, functional, keras_file, sequential, tensor
from tolerance import ROUNDING

import tfpy as tf


def compiled(tmp_path: Path, outputs: int = 1, **said: Any) -> Any:
    """A model with this training configuration in its file."""
    layers = [called(entry("Dense", name=f"d{i}", units=1, use_bias=False), tensor("x")) for i in range(outputs)]
    config = functional("d0", *layers, shape=[1])
    config["config"]["output_layers"] = [[f"d{i}", 0, 0] for i in range(outputs)]
    optimizer = entry("SGD", module="keras.optimizers", learning_rate=0.1, momentum=0.0)
    config["compile_config"] = {"optimizer": optimizer, "loss": "mse", "metrics": None, "loss_weights": None, **said}
    names = ["dense", *(f"dense_{i}" for i in range(1, outputs))]
    return tf.load_layers_model(
        keras_file(tmp_path / "m.keras", config, {f"layers/{name}/vars/0": [[1.0]] for name in names})
    )


def test_a_training_that_goes_on_without_constraints_is_warned_of(tmp_path: Path) -> None:
    config = sequential(
        [1], entry("Dense", name="d", units=1, kernel_constraint=entry("NonNeg", module="keras.constraints"))
    )
    weights = {"layers/dense/vars/0": [[1.0]], "layers/dense/vars/1": [0.0]}
    tf.load_layers_model(keras_file(tmp_path / "m.keras", config, weights))  # it is not compiled
    optimizer = entry("SGD", module="keras.optimizers", learning_rate=0.1, momentum=0.0)
    config["compile_config"] = {"optimizer": optimizer, "loss": "mse", "metrics": None}
    with pytest.warns(
        UserWarning, match=r"m\.keras: Keras applies the constraints of d/kernel after each training step"
    ):
        model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, weights))
    model.train_on_batch(np.ones((1, 1)), np.full((1, 1), -99))
    assert model.get_weights()[0].array_sync()[0][0] < 0
    made_here = tf.sequential([tf.layers.dense(units=1, input_shape=[1], kernel_constraint="nonNeg")])
    made_here.compile(optimizer="sgd", loss="meanSquaredError")
    made_here.save(tmp_path / "own.keras")
    tf.load_layers_model(tmp_path / "own.keras")  # trained here as before


def judge(kind: str, family: str = "losses", **options: Any) -> dict[str, Any]:
    return entry(kind, module=f"keras.{family}", **options)


@pytest.mark.parametrize(
    ("said", "outputs", "words"),
    [
        ({"loss_weights": {"d0": 1.0, "other": 0.5}}, 2, "Unknown output in output_weights 'other'"),
        ({"loss_weights": [0.5]}, 2, "'output_weights' must be one weight for each of the 2 outputs"),
        ({"loss_weights": ["a"]}, 1, "'output_weights' must be a number"),
        (
            {"loss": judge("MeanSquaredError", name="m", reduction="sum")},
            1,
            "MeanSquaredError has unknown options: .*'sum'",
        ),
        ({"loss": judge("Hinge", name="h", from_logits=True)}, 1, "'from_logits': True"),
        ({"loss": judge("BinaryCrossentropy", from_logits=True, label_smoothing=0.1)}, 1, "'label_smoothing': 0.1"),
        ({"loss": judge("Huber", name="h", delta=2.0)}, 1, "'delta': 2.0"),
    ],
)
def test_a_loss_that_is_not_known_leaves_a_model_uncompiled_and_with_its_optimizer(
    said: Any, outputs: int, words: str, tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match=f"loaded, but not compiled: .*{words}"):
        model = compiled(tmp_path, outputs, **said)
    assert model.optimizer.get_class_name() == "SGD"
    with pytest.raises(RuntimeError, match="compile the model first"):
        model.fit(np.ones((2, 1)), np.ones((2, 1)))
    model.save(tmp_path / "again.keras", include_optimizer=True)
    assert tf.load_layers_model(tmp_path / "again.keras").optimizer is None
    optimizer = model.optimizer
    model.compile(optimizer=optimizer, loss="meanSquaredError")
    assert model.optimizer is optimizer


@pytest.mark.parametrize(
    ("metrics", "words", "names"),
    [
        ([judge("BinaryAccuracy", "metrics", name="b", threshold=0.4), "mae"], "BinaryAccuracy has .*0.4", ["mae"]),
        (["AUC"], "'AUC'", []),
        ([["AUC", "mse"]], "'AUC'", ["mse"]),
        ({"d0": ["mae", judge("AUC", "metrics", name="auc", num_thresholds=200)]}, "AUC has", ["mae"]),
    ],
)
def test_a_metric_that_is_not_known_is_left_out(metrics: Any, words: str, names: list[str], tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=f"compiled without unknown metrics: .*{words}"):
        model = compiled(tmp_path, metrics=metrics)
    assert model.metrics_names == ["loss", *names]


# What Keras 3.15 gives for the labels and the scores.
LABELS, SCORES = np.float32([[0, 1, 0], [1, 0, 0]]), np.float32([[2, -1, 0.5], [-3, 4, 1]])


OF_SCORES = {
    "BinaryCrossentropy": [1.4714222, 2.793333],
    "CategoricalCrossentropy": [3.2413113, 7.0494556],
    "SparseCategoricalCrossentropy": [3.2413113, 7.0494556],
    "Huber": [1.0416666, 2.5],
}


@pytest.mark.parametrize("kind", OF_SCORES)
def test_losses_of_scores(kind: str, tmp_path: Path) -> None:
    loss = judge(kind, **({"delta": 1.0} if kind == "Huber" else {"from_logits": True}))
    d = entry("Dense", name="d", units=3, use_bias=False)
    training = {"optimizer": entry("SGD", module="keras.optimizers", learning_rate=0.1), "loss": loss}
    config = {**sequential([3], d), "compile_config": training}
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": np.eye(3)}))
    labels = LABELS.argmax(-1).astype(np.float32) if kind.startswith("Sparse") else LABELS
    assert float(model.evaluate(SCORES, labels)) == pytest.approx(np.mean(OF_SCORES[kind]), rel=ROUNDING)
    for name in ("again.keras", "again.h5"):
        model.save(tmp_path / name, include_optimizer=True)
        again = tf.load_layers_model(tmp_path / name)
        assert float(again.evaluate(SCORES, labels)) == pytest.approx(np.mean(OF_SCORES[kind]), rel=ROUNDING)


def test_losses_and_metrics_of_keras_whatever_their_names(tmp_path: Path) -> None:
    usual = {"reduction": "sum_over_batch_size", "axis": -1}
    model = compiled(
        tmp_path,
        loss=judge("CosineSimilarity", name="far", **usual),
        metrics=[judge("MeanAbsoluteError", "metrics", name="mine", dtype="float32"), "mse"],
        loss_weights=[1.0],
    )
    x = np.ones((2, 1), np.float32)
    np.testing.assert_allclose([float(t) for t in model.evaluate(x, 3 * x)], [-1, 2, 4], rtol=ROUNDING)


@pytest.mark.parametrize("weights", [[1.0, 0.5], {"d0": None, "d1": 0.5}, {"d1": 0.5}])
def test_losses_are_weighted_as_keras_says(weights: Any, tmp_path: Path) -> None:
    model = compiled(tmp_path, 2, loss_weights=weights)
    x = np.ones((2, 1), np.float32)
    np.testing.assert_allclose([float(t) for t in model.evaluate(x, [3 * x, 4 * x])], [8.5, 4, 9], rtol=ROUNDING)


def test_metrics_are_listed_by_output_in_keras(tmp_path: Path) -> None:
    model = compiled(tmp_path, 2, metrics=[["mae"], [judge("MeanSquaredError", "metrics", name="m")]])
    x = np.ones((2, 1), np.float32)
    np.testing.assert_allclose([float(t) for t in model.evaluate(x, [3 * x, 4 * x])], [13, 4, 9, 2, 9], rtol=ROUNDING)
