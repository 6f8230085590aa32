"""Evaluating a model: on arrays, or on the batches of a data set."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tfpy.core.calling.ready import ReadyList
from tfpy.core.memory import tidy
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_positive
from tfpy.engine.printable import put
from tfpy.layers.training.batch_sources import ArrayBatches
from tfpy.layers.training.compile_config import CompileConfig
from tfpy.layers.training.data_handler import DataHandler
from tfpy.layers.training.dataset_options import EVALUATE, EVALUATE_DATASET, batch_limit, refuse_with_a_dataset
from tfpy.layers.training.datasets import as_dataset
from tfpy.layers.training.fit_options import refuse_size_with_a_dataset
from tfpy.layers.training.loops import test_loop
from tfpy.layers.training.training_state import compiled_of

if TYPE_CHECKING:
    from tfpy.layers.trainable_model import TrainableModel


def evaluate(
    model: TrainableModel, x: Any, y: Any, *, batch_size: int, verbose: int, sample_weight: Any, steps: int | None
) -> Any:
    """Loss and metrics for samples, or for a data set."""
    compiled = compiled_of(model, "evaluate")
    if as_dataset(x) is not None:
        refuse_with_a_dataset("evaluate", y=y, sample_weight=sample_weight)
        refuse_size_with_a_dataset("evaluate", batch_size)
        call = partial(model.evaluate_dataset, x, batches=steps, verbose=verbose)
        return model.training_state.on_behalf_of("evaluate", call)
    size = as_positive("evaluate", "batch_size", batch_size)

    def values() -> list[Tensor]:
        data = DataHandler("evaluate", model, compiled).arrays(x, y, size, sample_weight=sample_weight)
        if steps is not None:
            data = data.rows(0, min(data.size, as_positive("evaluate", "steps", steps) * size))
        return test_loop("evaluate", model, compiled, ArrayBatches(data, size).epoch())

    return _reported(compiled, tidy(values), verbose)


def evaluate_dataset(model: TrainableModel, dataset: Any, *, batches: int | None, verbose: int) -> Any:
    """Loss and metrics for the batches of a data set."""
    names = EVALUATE if model.training_state.called == "evaluate" else EVALUATE_DATASET
    handler = DataHandler(names.method, model, compiled_of(model, names.method))
    source = handler.dataset(names.dataset, dataset, batch_limit(names.method, names.batches, batches))
    return _reported(handler.compiled, test_loop(*handler, source.once()), verbose)


def _reported(compiled: CompileConfig, values: list[Tensor], verbose: int) -> Any:
    """The result of an evaluation, printed on request."""
    if verbose and compiled.first:
        put(" - ".join(f"{n} {float(v):.4g}" for n, v in zip(compiled.log_names, values, strict=True)))
    return values[0] if len(values) == 1 else ReadyList(values)
