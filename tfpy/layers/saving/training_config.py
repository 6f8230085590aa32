"""The training configuration of a file: optimizer, loss and metrics."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from tfpy.core.io.errors import object_in
from tfpy.core.naming.names import camel, spellings
from tfpy.core.optimizers.base import Optimizer
from tfpy.engine.errors import show
from tfpy.engine.package import is_ours
from tfpy.engine.warn import warn_user
from tfpy.layers.config import build_object, is_object_config
from tfpy.layers.naming import snake_class
from tfpy.layers.registry import class_of
from tfpy.layers.saving.json_tree import map_children, map_leaves
from tfpy.layers.saving.keras_names import CLASS_ALIASES, KERAS_LOSSES, keras_optimizer_options, swapped
from tfpy.layers.training import losses, metrics
from tfpy.layers.training.training_state import compiled_of

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel

# Options that optimizers of other classes accept, too.
_FIXED = {"epsilon": 1e-7}
# Names of losses in Keras's files that differ from ours.
_LOSSES = swapped(KERAS_LOSSES) | {"kl_divergence": "kullback_leibler_divergence"}
# Classes of losses and metrics that wrap a function.
_WRAPPERS = frozenset({"LossFunctionWrapper", "MeanMetricWrapper", "SumOverBatchSizeMetricWrapper"})
# Options of Keras's losses and metrics that only name them, and neutral values of others, as None is.
_NAMING = frozenset({"name", "dtype", "fn"})
_USUAL: dict[str, tuple[Any, ...]] = {
    "axis": (-1,),
    "delta": (1,),
    "label_smoothing": (0,),
    "reduction": ("auto", "mean", "mean_with_sample_weight", "sum_over_batch_size"),
    "threshold": (0.5,),
}
# Losses that have another name here if they take logits instead of probabilities.
FROM_LOGITS = {
    name: f"{snake_class(name)}_from_logits"
    for name in ("BinaryCrossentropy", "CategoricalCrossentropy", "SparseCategoricalCrossentropy")
}
# Metrics with another name in TF.js.
_METRICS = {
    "mean_squared_error": "mse",
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "cosine_proximity": "cosine",
}


def training_config_of(model: LayersModel) -> dict[str, Any]:
    """The arguments of `compile`, in TF.js's form.

    Raises:
        ValueError: a user-defined loss or metric, or one without a name for `compile`, which cannot be saved.
    """
    listed = {} if model.metrics is None else model.metrics
    options = {camel(name): value for name, value in model.optimizer.get_config().items()}
    return {
        **_losses_of(model),
        "metrics": map_leaves(listed if isinstance(listed, (Mapping, list, tuple)) else [listed], _metric_name),
        "optimizer_config": {"class_name": model.optimizer.get_class_name(), "config": options},
    }


def _losses_of(model: LayersModel) -> dict[str, Any]:
    """The losses; if they are weighted, one per output, since Keras requires as many as there are weights."""
    outputs = compiled_of(model, "save").outputs
    if any(output.weight != 1 for output in outputs):
        return {
            "loss": [_loss_name(output.loss) for output in outputs],
            "loss_weights": [output.weight for output in outputs],
        }
    named = map_leaves(model.loss, _loss_name)
    if isinstance(named, dict):  # TF.js reads a dict that lacks an output, but no None
        return {"loss": {output: loss for output, loss in named.items() if loss is not None}}
    return {"loss": named}


def _loss_name(given: Any) -> str | None:
    """The name of a loss; None for an output that has none."""
    return None if given is None else _own_name(losses.get_loss(given), "loss", losses.BY_NAME)


def _metric_name(given: Any) -> str:
    named = isinstance(given, str)
    name = snake_class(given) if named else _own_name(metrics.get_metric(given), "metric", metrics.BY_NAME)
    return _METRICS.get(name, name)


def _own_name(function: Any, what: str, known: Container[str]) -> str:
    name, own = str(getattr(function, "__name__", "")), isinstance(function, FunctionType) and is_ours(function)
    if own and name in known:
        return name
    reason = "has no name to compile with" if own else "is a user-defined function"
    raise ValueError(
        f"save: the {what} {show(function)} {reason}, so it cannot be saved; omit include_optimizer, and "
        "compile the model again when it is loaded."
    )


def compile_as(model: LayersModel, config: Any, source: str, name_of: Callable[[str], str]) -> None:
    """Compile a model with the configuration of a file.

    An unknown metric is omitted, with a warning. Without its loss the model is not compiled, but keeps the optimizer,
    with which it can be compiled.

    Args:
        model: the model.
        config: the configuration in the file.
        source: the name of the file in messages.
        name_of: returns the model's name of a loss or metric for its name in the file.

    Raises:
        ModelFileError: the value is not a training configuration.
    """
    given = object_in(source, "trainingConfig", config)
    optimizer = object_in(source, "trainingConfig.optimizer_config", given.get("optimizer_config"))
    found = None
    try:
        found = _optimizer(optimizer)
        loss = map_leaves(_read(given.get("loss")), lambda name: _loss(name, name_of))
        known, unknown = _metrics(_by_output(model, given.get("metrics")), name_of)
        model.compile(optimizer=found, loss=loss, metrics=known, output_weights=given.get("loss_weights"))
    except (ValueError, TypeError, RuntimeError) as error:
        model.training_state.loaded_optimizer = found
        remedy = (
            "" if found is None else " Its optimizer is kept: continue with compile(optimizer=model.optimizer, loss=…)."
        )
        warn_user(f"{source}: the model is loaded, but not compiled: {error}{remedy}")
        return
    if unknown:
        warn_user(f"{source}: the model is compiled without unknown metrics: {', '.join(unknown)}.")


def _loss(name: Any, name_of: Callable[[str], str]) -> Any:
    """The model's name of a loss; anything else is unchanged, for compile to reject."""
    return name_of(_LOSSES.get(name, name)) if isinstance(name, str) else name


def _metrics(given: Any, name_of: Callable[[str], str]) -> tuple[Any, list[str]]:
    """The known metrics of a file, in their original structure, and the names of the others."""
    if given is None:
        return [], []
    if isinstance(given, list) or (isinstance(given, Mapping) and not is_object_config(given)):
        keys = given if isinstance(given, Mapping) else range(len(given))
        found = {key: _metrics(given[key], name_of) for key in keys}
        unknown = [name for _, names in found.values() for name in names]
        known = {key: value for key, (value, _) in found.items() if value != []}
        return (known if isinstance(given, Mapping) else list(known.values())), unknown
    try:
        name = _read(given)
    except ValueError as error:
        return [], [str(error).rstrip(".")]
    if not isinstance(name, str) or not metrics.is_meant(name):
        return [], [show(name)]
    return name_of(name), []


def _optimizer(config: Mapping[str, Any]) -> Any:
    """The optimizer of a configuration of TF.js or Keras."""
    name = config.get("class_name")
    options = dict(object_in("optimizer", "config", config.get("config") or {}))
    name = CLASS_ALIASES.get(name, name) if isinstance(name, str) else name
    if name == "SGD" and options.get("momentum"):
        name = "Momentum"
    cls = class_of(name)
    if cls is not None and is_ours(cls):
        known = spellings(inspect.signature(cls.__init__).parameters)  # type: ignore[misc]
        renamed = swapped(keras_optimizer_options(str(name))) | {"lr": "learning_rate"}
        # Keras 2 has rho next to another decay: the renamed option takes precedence.
        ours = {renamed[key]: value for key, value in options.items() if key in renamed}
        options = {key: value for key, value in options.items() if key not in renamed} | ours
        meant = {key: value for key, value in options.items() if value and _FIXED.get(key) != value}
        other = {key: value for key, value in meant.items() if key not in known and key != "name"}
        if other:
            raise ValueError(f"optimizer {name} has unknown options: {show(other)}.")
        options = {key: value for key, value in options.items() if key in known}
    return build_object({"class_name": name, "config": options}, "optimizer", Optimizer)


def _read(value: Any) -> Any:
    """Losses or metrics of a file by name. Keras also has objects, whose options must be equivalent to a name."""
    if is_object_config(value):
        kind, inner = value["class_name"], value.get("config")
        if kind == "function":
            return inner
        options = inner if isinstance(inner, Mapping) else {}
        if kind in FROM_LOGITS and options.get("from_logits") is True:
            _read({**value, "config": {**options, "from_logits": False}})  # checks its other options
            return FROM_LOGITS[kind]
        more = {key: v for key, v in options.items() if key not in _NAMING and not _is_usual(key, v)}
        if more:
            raise ValueError(f"{kind} has unknown options: {show(more)}.")
        # Names without a class are functions, or have a function's name; a class may have any name.
        named = _read(options["fn"]) if "fn" in options else options.get("name") if kind in _WRAPPERS else None
        return named if isinstance(named, str) else snake_class(kind)
    return map_children(value, _read)


def _is_usual(option: str, value: Any) -> bool:
    """Whether an option of a loss or metric has a value without effect here."""
    return value in (None, False) or value in _USUAL.get(option, ())


def _by_output(model: LayersModel, value: Any) -> Any:
    """Metrics in the form for `compile`: Keras has a list for each output."""
    if not isinstance(value, list) or not any(isinstance(entry, list) for entry in value):
        return value
    if len(value) == 1:
        return value[0]
    return {name: entry for name, entry in zip(model.output_names, value, strict=False) if entry}
