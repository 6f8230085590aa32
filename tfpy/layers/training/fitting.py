"""Training a model: on arrays, on the batches of a data set, on a single batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tfpy.core.calling.ready import ReadyFloat, ReadyList
from tfpy.core.memory import tidy
from tfpy.engine.arguments import as_count, as_positive
from tfpy.engine.errors import argument_error
from tfpy.engine.warn import warn_user
from tfpy.layers.callbacks.base import Callback
from tfpy.layers.callbacks.callback_list import CallbackList
from tfpy.layers.callbacks.history import History
from tfpy.layers.callbacks.registered import registered_callbacks
from tfpy.layers.training.batch_sources import ArrayBatches, BatchSource
from tfpy.layers.training.data_handler import DataHandler
from tfpy.layers.training.dataset_options import FIT, FIT_DATASET, batch_limit, refuse_with_a_dataset
from tfpy.layers.training.datasets import as_dataset
from tfpy.layers.training.fit_options import (
    FitDatasetOptions,
    FitOptions,
    RunOptions,
    check_order,
    held_out_part,
    refuse_size_with_a_dataset,
    run_options,
)
from tfpy.layers.training.loops import TrainingRun, Validation
from tfpy.layers.training.progress import displays
from tfpy.layers.training.steps import train_step
from tfpy.layers.training.training_state import compiled_of

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel
    from tfpy.layers.trainable_model import TrainableModel

T = TypeVar("T")


def fit(model: TrainableModel, x: Any, y: Any, given: FitOptions) -> History:
    """Train a model on samples, or on a data set."""
    compiled = compiled_of(model, "fit")
    if as_dataset(x) is not None:
        return _fit_as_dataset(model, x, y, given)
    size = as_positive("fit", "batch_size", given.batch_size)
    options = run_options("fit", given, as_count("fit", "epochs", given.epochs))
    check_order(given.shuffle, given.seed)
    handler = DataHandler("fit", model, compiled)
    trained: list[History] = []  # not returned from `tidy`, which would search it for tensors

    def train() -> None:
        data = handler.arrays(x, y, size, given.sample_weight)
        if given.validation_data is None:
            data, held_out = held_out_part(data, given.validation_split, size if model.stateful else 1)
            validation = None if held_out is None else handler.validation_on(held_out, size)
        else:
            limit = batch_limit("fit", FIT.validation_batches, given.validation_steps, data="the validation data")
            validation = handler.validation(given.validation_data, size, limit, len(options.epochs))
        data = handler.with_class_weights(data, given.class_weight)
        trained.append(_run(handler, ArrayBatches(data, size, given.shuffle, given.seed), validation, options))

    _exclusively(model, lambda: tidy(train))
    return trained[0]


def _fit_as_dataset(model: TrainableModel, x: Any, y: Any, given: FitOptions) -> History:
    split = given.validation_split or None
    if not isinstance(given.validation_data, (list, tuple)):  # arrays, which are evaluated in batches of that size
        refuse_size_with_a_dataset("fit", given.batch_size)
    refuse_with_a_dataset("fit", y=y, validation_split=split, sample_weight=given.sample_weight, seed=given.seed)
    call = partial(
        model.fit_dataset,
        x,
        batches_per_epoch=given.steps_per_epoch,
        epochs=given.epochs,
        verbose=given.verbose,
        callbacks=given.callbacks,
        validation_data=given.validation_data,
        validation_batch_size=given.batch_size,
        validation_batches=given.validation_steps,
        class_weight=given.class_weight,
        initial_epoch=given.initial_epoch,
        yield_every=given.yield_every,
    )
    return model.training_state.on_behalf_of("fit", call)


def fit_dataset(model: TrainableModel, dataset: Any, given: FitDatasetOptions) -> History:
    """Train a model on the batches of a data set."""
    names = FIT if model.training_state.called == "fit" else FIT_DATASET
    where = names.method
    handler = DataHandler(where, model, compiled_of(model, where))
    count = as_positive(where, "epochs", given.epochs)
    limit = batch_limit(where, names.batches, given.batches_per_epoch, count)._replace(stoppable=True)
    if given.validation_split:
        raise argument_error(where, "validation_split", "omitted; use validation_data", given.validation_split)
    size = as_positive(where, names.validation_size, given.validation_batch_size)
    validation_limit = batch_limit(
        where, names.validation_batches, given.validation_batches, data="the validation data"
    )
    options = run_options(where, given, count)

    def train() -> History:
        validation = handler.validation(given.validation_data, size, validation_limit, len(options.epochs))
        source = handler.dataset(names.dataset, dataset, limit, given.class_weight)
        return _run(handler, source, validation, options)

    return _exclusively(model, train)


def train_on_batch(model: TrainableModel, x: Any, y: Any) -> Any:
    """One step of the optimizer: the loss before it, and the metrics if there are any."""
    compiled = compiled_of(model, "train_on_batch")
    with tidy():
        batch = DataHandler("train_on_batch", model, compiled).arrays(x, y)
        found = train_step(model, compiled, batch, compiled.trained("train_on_batch"))
        values = [ReadyFloat(value.data_sync()[0]) for value in found]
    return values[0] if len(values) == 1 else ReadyList(values)


def _exclusively(model: TrainableModel, train: Callable[[], T]) -> T:
    """Train a model that is not being trained already. An interrupt at the end of a `with` would leave the flag set."""
    state = model.training_state
    if state.training:
        raise RuntimeError("fit: the model is already being trained.")
    try:
        state.training = True
        return train()
    finally:
        state.training = False  # not a call, which could be interrupted


def _run(handler: DataHandler, source: BatchSource, validation: Validation | None, options: RunOptions) -> History:
    where, model, compiled = handler
    compiled.trained(where)
    if len(model.trainable_weights) != len(compiled.weights):
        warn_user(
            f"{where}: {len(model.trainable_weights)} weights are trainable, but {len(compiled.weights)} were when "
            f"the model was compiled: `trainable` has changed. Compile the model again for it to take effect."
        )
    history, shown = History(), displays(options.verbose)
    told = [*shown, *registered_callbacks(options.verbose), *options.callbacks, history]
    calls = _callbacks(handler, told, history)
    calls.set_params(_params(handler, source, validation, options))
    calls.set_model(cast("LayersModel", model))  # which may also be saved
    try:
        TrainingRun(model, compiled, source, options.epochs, validation, calls).train()
        _warn_of_nan(where, source, history.history.get("loss", []))
    finally:
        for display in shown:
            display.close()
    return history


def _warn_of_nan(where: str, source: BatchSource, losses: Sequence[float]) -> None:
    """Warn if the loss has become NaN because of inputs that are NaN or infinite."""
    if losses and math.isnan(losses[-1]) and isinstance(source, ArrayBatches) and not source.is_finite():
        warn_user(
            f"{where}: the loss is NaN since some of the inputs are NaN or infinite: fill in missing values, or omit "
            "those samples."
        )


def _callbacks(handler: DataHandler, told: Sequence[Callback], history: History) -> CallbackList:
    strategy = handler.compiled.strategy
    return CallbackList(told) if strategy is None else strategy.callbacks(told, history)


def _params(
    handler: DataHandler, source: BatchSource, validation: Validation | None, options: RunOptions
) -> dict[str, Any]:
    """The `params` of callbacks. As in TF.js, those for a data set have no initial epoch."""
    names = handler.compiled.log_names
    validated = [] if validation is None else [f"val_{name}" for name in names]
    return {
        "epochs": options.epochs.stop,
        "initial_epoch": None if source.samples is None else options.epochs.start,
        "samples": source.samples,
        "steps": source.steps,
        "batch_size": source.batch_size,
        "verbose": options.verbose,
        "do_validation": validation is not None,
        "metrics": [*names, *validated],
    }
