"""Compile configurations in files of Keras: optimizers, losses, metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saving.keras_configs import called, entry, functional, keras_file, sequential, tensor
from tolerance import ROUNDING

import tfpy as tf


def compiled(tmp_path: Path, outputs: int = 1, **options: Any) -> Any:
    """Load a model from a file with this compile configuration."""
    layers = [called(entry("Dense", name=f"d{i}", units=1, use_bias=False), tensor("x")) for i in range(outputs)]
    config = functional("d0", *layers, shape=[1])
    config["config"]["output_layers"] = [[f"d{i}", 0, 0] for i in range(outputs)]
    optimizer = entry("SGD", module="keras.optimizers", learning_rate=0.1, momentum=0.0)
    config["compile_config"] = {"optimizer": optimizer, "loss": "mse", "metrics": None, "loss_weights": None, **options}
    names = ["dense", *(f"dense_{i}" for i in range(1, outputs))]
    return tf.load_layers_model(
        keras_file(tmp_path / "m.keras", config, {f"layers/{name}/vars/0": [[1.0]] for name in names})
    )


def test_loading_a_compiled_model_with_constraints_warns(tmp_path: Path) -> None:
    config = sequential(
        [1], entry("Dense", name="d", units=1, kernel_constraint=entry("NonNeg", module="keras.constraints"))
    )
    weights = {"layers/dense/vars/0": [[1.0]], "layers/dense/vars/1": [0.0]}
    tf.load_layers_model(keras_file(tmp_path / "m.keras", config, weights))  # no warning: it is not compiled
    optimizer = entry("SGD", module="keras.optimizers", learning_rate=0.1, momentum=0.0)
    config["compile_config"] = {"optimizer": optimizer, "loss": "mse", "metrics": None}
    with pytest.warns(
        UserWarning, match=r"m\.keras: Keras applies the constraints of d/kernel after each training step"
    ):
        model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, weights))
    model.train_on_batch(np.ones((1, 1)), np.full((1, 1), -99))
    assert model.get_weights()[0].array_sync()[0][0] < 0
    own = tf.sequential([tf.layers.dense(units=1, input_shape=[1], kernel_constraint="nonNeg")])
    own.compile(optimizer="sgd", loss="meanSquaredError")
    own.save(tmp_path / "own.keras")
    tf.load_layers_model(tmp_path / "own.keras")  # no warning: tfpy trains it as before


def loss_or_metric(kind: str, family: str = "losses", **options: Any) -> dict[str, Any]:
    return entry(kind, module=f"keras.{family}", **options)


@pytest.mark.parametrize(
    ("options", "outputs", "message"),
    [
        ({"loss_weights": {"d0": 1.0, "other": 0.5}}, 2, "compile: unknown output in output_weights 'other'"),
        ({"loss_weights": [0.5]}, 2, "'output_weights' must be one weight for each of the 2 outputs"),
        ({"loss_weights": ["a"]}, 1, "'output_weights' must be a number"),
        (
            {"loss": loss_or_metric("MeanSquaredError", name="m", reduction="sum")},
            1,
            "MeanSquaredError has unknown options: .*'sum'",
        ),
        ({"loss": loss_or_metric("Hinge", name="h", from_logits=True)}, 1, "'from_logits': True"),
        (
            {"loss": loss_or_metric("BinaryCrossentropy", from_logits=True, label_smoothing=0.1)},
            1,
            "'label_smoothing': 0.1",
        ),
        ({"loss": loss_or_metric("Huber", name="h", delta=2.0)}, 1, "'delta': 2.0"),
    ],
)
def test_unsupported_loss_keeps_the_optimizer_but_does_not_compile(
    options: Any, outputs: int, message: str, tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match=f"loaded, but not compiled: .*{message}"):
        model = compiled(tmp_path, outputs, **options)
    assert model.optimizer.get_class_name() == "SGD"
    with pytest.raises(RuntimeError, match="compile the model first"):
        model.fit(np.ones((2, 1)), np.ones((2, 1)))
    model.save(tmp_path / "again.keras", include_optimizer=True)
    assert tf.load_layers_model(tmp_path / "again.keras").optimizer is None
    optimizer = model.optimizer
    model.compile(optimizer=optimizer, loss="meanSquaredError")
    assert model.optimizer is optimizer


@pytest.mark.parametrize(
    ("metrics", "message", "names"),
    [
        (
            [loss_or_metric("BinaryAccuracy", "metrics", name="b", threshold=0.4), "mae"],
            "BinaryAccuracy has .*0.4",
            ["mae"],
        ),
        (["AUC"], "'AUC'", []),
        ([["AUC", "mse"]], "'AUC'", ["mse"]),
        ({"d0": ["mae", loss_or_metric("AUC", "metrics", name="auc", num_thresholds=200)]}, "AUC has", ["mae"]),
    ],
)
def test_unsupported_metric_is_skipped_with_a_warning(
    metrics: Any, message: str, names: list[str], tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match=f"compiled without unknown metrics: .*{message}"):
        model = compiled(tmp_path, metrics=metrics)
    assert model.metrics_names == ["loss", *names]


# Losses that Keras 3.15 computes for these labels and logits.
LABELS, LOGITS = np.float32([[0, 1, 0], [1, 0, 0]]), np.float32([[2, -1, 0.5], [-3, 4, 1]])


LOSSES_OF_LOGITS = {
    "BinaryCrossentropy": [1.4714222, 2.793333],
    "CategoricalCrossentropy": [3.2413113, 7.0494556],
    "SparseCategoricalCrossentropy": [3.2413113, 7.0494556],
    "Huber": [1.0416666, 2.5],
}


@pytest.mark.parametrize("kind", LOSSES_OF_LOGITS)
def test_losses_from_logits_match_keras(kind: str, tmp_path: Path) -> None:
    loss = loss_or_metric(kind, **({"delta": 1.0} if kind == "Huber" else {"from_logits": True}))
    d = entry("Dense", name="d", units=3, use_bias=False)
    training = {"optimizer": entry("SGD", module="keras.optimizers", learning_rate=0.1), "loss": loss}
    config = {**sequential([3], d), "compile_config": training}
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": np.eye(3)}))
    labels = LABELS.argmax(-1).astype(np.float32) if kind.startswith("Sparse") else LABELS
    assert float(model.evaluate(LOGITS, labels)) == pytest.approx(np.mean(LOSSES_OF_LOGITS[kind]), rel=ROUNDING)
    for name in ("again.keras", "again.h5"):
        model.save(tmp_path / name, include_optimizer=True)
        again = tf.load_layers_model(tmp_path / name)
        assert float(again.evaluate(LOGITS, labels)) == pytest.approx(np.mean(LOSSES_OF_LOGITS[kind]), rel=ROUNDING)


def test_losses_and_metrics_with_custom_names(tmp_path: Path) -> None:
    usual = {"reduction": "sum_over_batch_size", "axis": -1}
    model = compiled(
        tmp_path,
        loss=loss_or_metric("CosineSimilarity", name="far", **usual),
        metrics=[loss_or_metric("MeanAbsoluteError", "metrics", name="mine", dtype="float32"), "mse"],
        loss_weights=[1.0],
    )
    x = np.ones((2, 1), np.float32)
    np.testing.assert_allclose([float(t) for t in model.evaluate(x, 3 * x)], [-1, 2, 4], rtol=ROUNDING)


@pytest.mark.parametrize("weights", [[1.0, 0.5], {"d0": None, "d1": 0.5}, {"d1": 0.5}])
def test_loss_weights_match_keras(weights: Any, tmp_path: Path) -> None:
    model = compiled(tmp_path, 2, loss_weights=weights)
    x = np.ones((2, 1), np.float32)
    np.testing.assert_allclose([float(t) for t in model.evaluate(x, [3 * x, 4 * x])], [8.5, 4, 9], rtol=ROUNDING)


def test_metrics_per_output_match_keras(tmp_path: Path) -> None:
    model = compiled(tmp_path, 2, metrics=[["mae"], [loss_or_metric("MeanSquaredError", "metrics", name="m")]])
    x = np.ones((2, 1), np.float32)
    np.testing.assert_allclose([float(t) for t in model.evaluate(x, [3 * x, 4 * x])], [13, 4, 9, 2, 9], rtol=ROUNDING)
