"""Callbacks: what is called while a model trains, the list that calls them, and the history that is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tfpy.core.callables import call_with_as_many
from tfpy.core.convert import to_tensor
from tfpy.core.names import camel, spellings
from tfpy.core.options import respell
from tfpy.core.ready import Ready, ReadyNone, finish
from tfpy.core.registry import export
from tfpy.core.spelling import BothSpellings
from tfpy.core.tensor import Tensor
from tfpy.core.types import Logs
from tfpy.engine.arguments import as_ints, as_list
from tfpy.engine.errors import argument_error
from tfpy.engine.scope import outlive_scopes
from tfpy.engine.warn import warn_user
from tfpy.layers.callbacks._camel import CallbackCamel, CallbackListCamel, HistoryCamel

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel
    from tfpy.vis.drawing import Drawing

EVENTS = ("on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_batch_begin", "on_batch_end")

# How often `on_yield` is called when `yield_every` is 'auto', in milliseconds.
YIELD_EVERY = 125.0


def read_logs(logs: Logs) -> Logs:
    """Replace the tensors in logs by numbers, in place."""
    for key, value in logs.items():
        if isinstance(value, Tensor):
            logs[key] = float(value.data_sync()[0])
    return logs


@export(doc="Callbacks")
class Callback(CallbackCamel, BothSpellings):
    """Called while a model trains. A subclass defines the methods it needs, in either spelling; they may be `async`.

    Attributes:
        model: the model that is trained; `model.stop_training = True` ends the training after the current batch.
        params: 'epochs', 'initial_epoch', 'samples', 'steps', 'batch_size', 'verbose', 'do_validation', 'metrics'.
        backed_up: the attributes (plain values, tensors, lists and dicts of them) that a training that was cut off must
            have again when it goes on; see `BackupAndRestore`.

    Source: TF.js `tf.Callback`.
    """

    model: LayersModel = None  # type: ignore[assignment]  # told before anything else is
    params: Mapping[str, Any]
    backed_up: ClassVar[tuple[str, ...]] = ()

    def _from_backup(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes of `backed_up`, out of a file.

        Raises:
            ValueError, LookupError, TypeError: it can have had no such values.
        """
        return {name: _kept(values[name]) for name in self.backed_up}

    def wants(self, event: str) -> bool:
        """Whether it has something to do at an event; logs are read from the device only if so."""
        return getattr(type(self), event) is not getattr(Callback, event)

    def __repr__(self) -> str:
        options = {k: v for k, v in vars(self).items() if not k.startswith("_") and k not in ("model", "params")}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in options.items())})"

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Told what `fit` was asked for."""
        self.params = params

    def set_model(self, model: LayersModel) -> None:
        """Told the model."""
        self.model = model

    def on_train_begin(self, logs: Logs | None = None) -> Any:
        """Before the first epoch."""

    def on_train_end(self, logs: Logs | None = None) -> Any:
        """After the last epoch."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> Any:
        """Before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> Any:
        """After an epoch; logs are its loss and metrics, those of the validation data with 'val_' before the name."""

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> Any:
        """Before a batch."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> Any:
        """After a batch; logs are 'batch', 'size', its loss and metrics."""


def _kept(value: Any) -> Any:
    """A value as a callback keeps it: arrays as tensors that outlive the training."""
    if isinstance(value, np.ndarray):
        tensor: Tensor = outlive_scopes(to_tensor("backup", "value", value))
        return tensor
    if isinstance(value, list):
        return [_kept(v) for v in value]
    return {key: _kept(v) for key, v in value.items()} if isinstance(value, dict) else value


# Which epoch it is is noted when it begins, and yielding is done when a batch ends.
_FOR_YIELD = ("on_epoch_begin", "on_batch_end")


@export(doc="Callbacks")
class CustomCallback(Callback):
    """A callback of functions: {'onEpochEnd': lambda epoch, logs: …}, each taking as many arguments as it likes.

    Args:
        args: the functions by event, in either spelling; besides those of a Callback `on_yield(epoch, batch, logs)`.
        yield_every: how often on_yield is called: at most once in so many milliseconds ('auto': 125); 'batch' and
            'epoch' do not call it, and with 'never' there must be none.

    Source: TF.js `tf.CustomCallback`.
    """

    def __init__(self, args: Mapping[str, Any], yield_every: Any = "auto") -> None:
        self._functions = respell(args, spellings((*EVENTS, "on_yield", "now_func", "next_frame_func")), "callbacks")
        for name, function in self._functions.items():
            if not callable(function):
                raise argument_error("callbacks", name, "a function", function, TypeError)
        if isinstance(yield_every, str) and yield_every == "never" and "on_yield" in self._functions:
            raise argument_error("fit", "yield_every", "not 'never' when there is an on_yield callback", yield_every)
        self._now: Callable[[], float] = self._functions.get("now_func", _now)
        self._interval = _interval(yield_every)
        self._last = self._now()
        self._epoch = 0

    def wants(self, event: str) -> bool:
        if getattr(type(self), event) is not getattr(CustomCallback, event):
            return True  # a subclass does it
        return event in self._functions or (event in _FOR_YIELD and "on_yield" in self._functions)

    def _call(self, event: str, *args: Any) -> None:
        if event in self._functions:
            finish(call_with_as_many(self._functions[event], *args))

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._call("on_train_begin", logs)

    def on_train_end(self, logs: Logs | None = None) -> None:
        self._call("on_train_end", logs)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._epoch = epoch
        self._call("on_epoch_begin", epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._call("on_epoch_end", epoch, logs)

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        self._call("on_batch_begin", batch, logs)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._call("on_batch_end", batch, logs)
        now = self._now()
        if self._interval is not None and now - self._last >= self._interval:
            self._last = now
            self._call("on_yield", self._epoch, batch, logs)


@export(doc="Callbacks", aliases="callbacks.lambda_callback")
class LambdaCallback(CustomCallback):
    """A callback of functions given as keywords: `on_epoch_end=lambda epoch, logs: …`.

    Args:
        functions: the functions by event, as a dict.
        keywords: the same as keywords, in either spelling.

    Source: Keras `LambdaCallback`; the same as TF.js `tf.CustomCallback`.
    """

    def __init__(self, functions: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
        super().__init__({**(functions or {}), **keywords})


def _now() -> float:
    """The milliseconds of a clock."""
    return time.monotonic() * 1000


def _interval(yield_every: Any) -> float | None:
    if yield_every in ("batch", "epoch", "never"):
        return None
    if yield_every == "auto":
        return YIELD_EVERY
    if isinstance(yield_every, (int, float)) and not isinstance(yield_every, bool):
        return float(yield_every)
    raise argument_error("fit", "yield_every", "'auto', 'batch', 'epoch', 'never' or milliseconds", yield_every)


@export(doc="Callbacks")
class History(HistoryCamel, Callback, Ready):
    """What `fit` returns: the losses and metrics of all epochs. It may be awaited.

    Attributes:
        epoch: the epochs' numbers.
        history: the values by name, one for each epoch.

    Source: TF.js `tf.History`.
    """

    backed_up = ("epoch", "history")

    def __init__(self) -> None:
        self.epoch: list[int] = []
        self.history: dict[str, list[float]] = {}

    def _from_backup(self, values: Mapping[str, Any]) -> dict[str, Any]:
        history = {name: as_list("backup", name, of_epochs, "values") for name, of_epochs in values["history"].items()}
        return super()._from_backup(values) | {"epoch": as_ints("backup", "epoch", values["epoch"]), "history": history}

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self.epoch.append(epoch)
        for name, value in read_logs(logs or {}).items():
            self.history.setdefault(name, []).append(value)

    def sync_data(self) -> ReadyNone:
        """Nothing is left to do: the values are numbers already, which TF.js reads from the device here."""
        return ReadyNone()

    def plot(self, metrics: Sequence[str] | None = None, opts: Mapping[str, Any] | None = None) -> Drawing:
        """A line chart of each loss and metric, the validation's in the same (beyond TF.js).

        Args:
            metrics: the names to show; all by default.
            opts: the options of `tf.vis.show.history`.

        Returns:
            The charts, which display in a notebook; `save` writes them to a file.
        """
        from tfpy.vis.training import history  # loaded when it is first used

        return history(None, self, metrics, {"xLabel": "Epoch", **{camel(k): v for k, v in (opts or {}).items()}})

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if not self.epoch:
            return {"text/plain": repr(self)}
        return {**self.plot()._repr_mimebundle_(include, exclude), "text/plain": repr(self)}

    def __repr__(self) -> str:
        last = ", ".join(f"{name}={values[-1]:.4g}" for name, values in self.history.items())
        return f"History({len(self.epoch)} epochs{': ' if last else ''}{last})"


@export(doc="Callbacks")
class CallbackList(CallbackListCamel, BothSpellings):
    """Calls every callback for each event, in a training loop of one's own, say.

    Logs are read from the device only for callbacks that look at them.

    Source: TF.js `tf.CallbackList`.
    """

    def __init__(self, callbacks: Iterable[Callback] = ()) -> None:
        self.callbacks = list(callbacks)

    def append(self, callback: Callback) -> None:
        """Add a callback."""
        self.callbacks.append(callback)

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Tell every callback what `fit` was asked for."""
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: LayersModel) -> None:
        """Tell every callback the model."""
        for callback in self.callbacks:
            callback.set_model(model)

    def call(self, event: str, *args: Any) -> None:
        """Call every callback that has something to do at an event; the last argument are the logs."""
        for callback in self.callbacks:
            if callback.wants(event):
                read_logs(args[-1])
                finish(call_with_as_many(getattr(callback, event), *args))

    def on_train_begin(self, logs: Logs | None = None) -> ReadyNone:
        """Before the first epoch."""
        return self._told("on_train_begin", logs)

    def on_train_end(self, logs: Logs | None = None) -> ReadyNone:
        """After the last epoch."""
        return self._told("on_train_end", logs)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> ReadyNone:
        """Before an epoch."""
        return self._told("on_epoch_begin", logs, epoch)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> ReadyNone:
        """After an epoch; logs are its loss and metrics."""
        return self._told("on_epoch_end", logs, epoch)

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> ReadyNone:
        """Before a batch."""
        return self._told("on_batch_begin", logs, batch)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> ReadyNone:
        """After a batch; logs are 'batch', 'size', its loss and metrics."""
        return self._told("on_batch_end", logs, batch)

    def _told(self, event: str, logs: Logs | None, *number: int) -> ReadyNone:
        self.call(event, *number, {} if logs is None else logs)
        return ReadyNone()


_OF_KERAS = ("on_train_batch_begin", "on_train_batch_end")


def as_callbacks(callbacks: Any, yield_every: Any) -> list[Callback]:
    """The callbacks that `fit` was given: a callback, a dict of functions, or a list of either."""
    if callbacks is None:
        return []
    listed = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
    return [_as_callback(callback, yield_every) for callback in listed]


def _as_callback(callback: Any, yield_every: Any) -> Callback:
    if isinstance(callback, Callback):
        for name in _OF_KERAS:
            if hasattr(type(callback), name):
                event = name.replace("train_batch", "batch")
                warn_user(f"fit: {type(callback).__name__}.{name} is not called; here it is {event}.")
        return callback
    if isinstance(callback, Mapping):
        return CustomCallback(callback, yield_every)
    expected = "callbacks, or dicts of functions such as {'on_epoch_end': f}"
    raise argument_error("fit", "callbacks", expected, callback, TypeError)


class CallbackRegistry:
    """Classes of callbacks that every `fit` uses.

    Source: TF.js `tf.registerCallbackConstructor`.
    """

    classes: ClassVar[list[tuple[int, Callable[[], Callback]]]] = []

    @classmethod
    def made_for(cls, verbose: int) -> list[Callback]:
        """Callbacks of the classes registered for this much output, or less."""
        return [make() for level, make in cls.classes if verbose >= level]


@export(doc="Callbacks")
def register_callback_constructor(verbosity_level: int, callback_constructor: Callable[[], Callback]) -> None:
    """Let every later `fit` use a callback.

    Args:
        verbosity_level: the least `verbose` that it is used for.
        callback_constructor: makes the callback; called without arguments for each `fit`.

    Raises:
        ValueError: the level is no whole number of 0 or more, or the same constructor is registered already.

    Source: TF.js `tf.registerCallbackConstructor`.
    """
    where = "register_callback_constructor"
    if isinstance(verbosity_level, bool) or not isinstance(verbosity_level, int) or verbosity_level < 0:
        raise argument_error(where, "verbosity_level", "a whole number of 0 or more", verbosity_level)
    if any(known is callback_constructor for _, known in CallbackRegistry.classes):
        raise argument_error(where, "callback_constructor", "one that is not registered yet", callback_constructor)
    CallbackRegistry.classes.append((verbosity_level, callback_constructor))
