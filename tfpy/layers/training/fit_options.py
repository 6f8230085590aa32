"""The options of `fit` and `fit_dataset`, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tfpy.core.naming.names import spellings
from tfpy.engine import rng
from tfpy.engine.arguments import as_count, as_number
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.warn import warn_user
from tfpy.layers.callbacks.base import EVENTS, Callback
from tfpy.layers.callbacks.custom import CustomCallback
from tfpy.layers.training.batch import Batch

BATCH_SIZE = 32
"""The default number of samples in a batch."""

_EVENTS_OF_KERAS = {"on_train_batch_begin": "on_batch_begin", "on_train_batch_end": "on_batch_end"}


class FitOptions(NamedTuple):
    """The options of `LayersModel.fit`, as they were given."""

    batch_size: int
    epochs: int
    verbose: int
    callbacks: Any
    validation_split: float
    validation_data: Any
    shuffle: bool | str
    class_weight: Any
    sample_weight: Any
    initial_epoch: int
    steps_per_epoch: int | None
    validation_steps: int | None
    yield_every: Any
    seed: rng.Seed | None


class FitDatasetOptions(NamedTuple):
    """The options of `LayersModel.fit_dataset`, as they were given."""

    epochs: int | None
    batches_per_epoch: int | None
    verbose: int
    callbacks: Any
    validation_data: Any
    validation_batch_size: int
    validation_batches: int | None
    validation_split: float | None
    yield_every: Any
    initial_epoch: int
    class_weight: Any


class RunOptions(NamedTuple):
    """The options of a training run that do not depend on the kind of data.

    Attributes:
        epochs: the epochs, counted from 0.
        verbose: the kind of display, see `displays`.
        callbacks: the callbacks passed to it.
    """

    epochs: range
    verbose: int
    callbacks: list[Callback]


def run_options(where: str, given: FitOptions | FitDatasetOptions, last: int) -> RunOptions:
    """The options of a training run whose last epoch has the number `last`, counted from 1."""
    first, verbose = as_count(where, "initial_epoch", given.initial_epoch), given.verbose
    shown = int(verbose) if isinstance(verbose, bool) else as_count(where, "verbose", verbose)
    return RunOptions(range(first, last), shown, _as_callbacks(where, given.callbacks, given.yield_every))


def _as_callbacks(where: str, callbacks: Any, yield_every: Any) -> list[Callback]:
    """The callbacks passed to a method: a callback, a dict of functions, or a list of either."""
    if callbacks is None:
        return []
    listed = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
    return [_as_callback(where, callback, yield_every) for callback in listed]


def _as_callback(where: str, callback: Any, yield_every: Any) -> Callback:
    if isinstance(callback, Callback):
        _warn_of_misnamed_methods(where, callback)
        return callback
    if isinstance(callback, Mapping):
        return CustomCallback(callback, yield_every)
    expected = "callbacks, or dicts of functions such as {'on_epoch_end': f}"
    raise argument_error(where, "callbacks", expected, callback, TypeError)


def _warn_of_misnamed_methods(where: str, callback: Callback) -> None:
    """Warn of methods that are not called because they have almost the name of an event, or Keras's."""
    from difflib import get_close_matches  # imported lazily

    known = spellings(EVENTS)
    for name in dir(type(callback)):
        if name.startswith("on") and name not in known:
            event = _EVENTS_OF_KERAS.get(name) or next(iter(get_close_matches(name, known, n=1, cutoff=0.9)), None)
            if event:
                warn_user(f"{where}: {type(callback).__name__}.{name} is not called; here it is {event}.")


def check_order(shuffle: Any, seed: Any) -> None:
    """Check the options that determine the order of the samples."""
    if not rng.may_seed(seed):
        raise argument_error("fit", "seed", "a number or a string", seed, TypeError)
    if shuffle not in (True, False, "batch"):
        raise argument_error("fit", "shuffle", "True, False or 'batch'", shuffle)


def held_out_part(data: Batch, part: float, multiple: int) -> tuple[Batch, Batch | None]:
    """The samples to train on, and the last ones, to validate on.

    Args:
        data: all samples.
        part: the fraction of them to validate on.
        multiple: what the number of samples to train on must be a multiple of: the batch size if the model is stateful,
            otherwise 1.
    """
    if not 0 <= as_number("fit", "validation_split", part) < 1:
        raise argument_error("fit", "validation_split", "at least 0 and below 1", part)
    if not part:
        return data, None
    at = int(data.size * (1 - part))
    if at == 0:
        raise argument_error("fit", "validation_split", f"small enough to leave some of {data.size} samples", part)
    if at % multiple:
        expected = f"such that full batches of {multiple} are left, since the model is stateful"
        raise argument_error("fit", "validation_split", expected, Unquoted(f"{at} samples left"))
    return data.rows(0, at), data.rows(at, data.size)


def refuse_size_with_a_dataset(where: str, batch_size: int) -> None:
    """Raise if a batch size other than the default is given with a data set."""
    if batch_size != BATCH_SIZE:
        expected = "omitted if x is a data set, which defines its own batches"
        raise argument_error(where, "batch_size", expected, batch_size)
