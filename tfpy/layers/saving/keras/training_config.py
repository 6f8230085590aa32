"""The training configuration, converted between Keras and TF.js."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from tfpy.core.naming.names import camel
from tfpy.engine.package import is_ours
from tfpy.layers.registry import class_of
from tfpy.layers.saving.json_tree import map_leaves
from tfpy.layers.saving.keras_names import KERAS_CLASSES, KERAS_LOSSES, keras_optimizer_options
from tfpy.layers.saving.training_config import FROM_LOGITS

_BETAS = {"beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7}
# The options of Keras's optimizers, for files of Keras 2 that contain only the name.
_DEFAULTS: dict[str, dict[str, float]] = {
    "SGD": {"learning_rate": 0.01},
    "RMSProp": {"learning_rate": 0.001, "rho": 0.9, "epsilon": 1e-7},
    "Adagrad": {"learning_rate": 0.001, "initial_accumulator_value": 0.1, "epsilon": 1e-7},
    "Adadelta": {"learning_rate": 0.001, "rho": 0.95, "epsilon": 1e-7},
    "Adam": {"learning_rate": 0.001, **_BETAS},
    "Adamax": {"learning_rate": 0.001, **_BETAS},
    "Nadam": {"learning_rate": 0.001, **_BETAS},
    "AdamW": {"learning_rate": 0.001, "weight_decay": 0.004, **_BETAS},
}
# Options of Keras's optimizers that have no effect unless another one is set.
_DEPENDENT = ("ema_momentum", "ema_overwrite_frequency", "jit_compile")

# Options of optimizers that Keras has under the same names.
_SAME = ("learning_rate", "initial_accumulator_value", "weight_decay")
# Keras's names of losses and metrics; TF.js has a shorter name for the metric of one.
_LOSSES = KERAS_LOSSES | {"cosine": KERAS_LOSSES["cosine_proximity"]}
# The classes of the losses that Keras stores as objects with `from_logits`.
_OF_LOGITS = {name: kind for kind, name in FROM_LOGITS.items()}


def training_config_from_keras(config: Any, key: str) -> Mapping[str, Any] | None:
    """The training configuration of a Keras file in the form of TF.js; None if the file has none.

    Args:
        config: the configuration in the file.
        key: the key of the optimizer, which differs between Keras 2 and Keras 3.
    """
    if not isinstance(config, Mapping):
        return None
    optimizer = config.get(key)
    if isinstance(optimizer, str):
        name = next((n for n in _DEFAULTS if n.lower() == optimizer.lower()), optimizer)
        optimizer = {"class_name": name, "config": _DEFAULTS.get(name, {})}
    if not isinstance(optimizer, Mapping) or not isinstance(optimizer.get("config"), Mapping):
        return None
    options = {name: value for name, value in optimizer["config"].items() if name not in _DEPENDENT}
    name = str(optimizer.get("class_name")).rpartition(">")[2]
    return {**config, "optimizer_config": {"class_name": name, "config": options}}


def training_config_for_keras(config: Mapping[str, Any], version: int) -> dict[str, Any]:
    """The training configuration in the form of a version of Keras, from that of TF.js."""
    optimizer = config["optimizer_config"]
    name = optimizer["class_name"]
    renamed = dict(zip(_SAME, _SAME, strict=True)) | keras_optimizer_options(name)
    by_camel = {camel(ours): theirs for ours, theirs in renamed.items()}
    options = {by_camel.get(key, key): v for key, v in optimizer["config"].items() if v is not None}
    named = {"class_name": "SGD" if name == "Momentum" else KERAS_CLASSES.get(name, name), "config": options}
    cls = class_of(name)
    module = "keras.optimizers" if cls is not None and is_ours(cls) else None
    losses = {key: map_leaves(config[key], partial(_loss_or_metric, key)) for key in ("loss", "metrics")}
    losses["loss_weights"] = config.get("loss_weights")
    if version == 2:
        return {"optimizer_config": named, **losses, "weighted_metrics": None}
    return {"optimizer": {"module": module, **named, "registered_name": None if module else name}, **losses}


def _loss_or_metric(key: str, name: str | None) -> Any:
    """A loss or a metric: its name in Keras, or an object if it needs an option; None for an output without a loss."""
    if name is None:
        return None
    if name not in _OF_LOGITS:
        return _LOSSES.get(name, name)
    options = {"name": name, "from_logits": True}
    module = "keras.losses" if key == "loss" else "keras.metrics"
    return {"module": module, "class_name": _OF_LOGITS[name], "config": options, "registered_name": None}
