"""CustomCallback and LambdaCallback: callbacks made from functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.options import respell
from tfpy.core.calling.ready import finish
from tfpy.core.calling.registry import export
from tfpy.core.naming.names import spellings
from tfpy.core.types import Logs
from tfpy.engine.arguments import as_function
from tfpy.engine.errors import argument_error
from tfpy.layers.callbacks.base import EVENTS, Callback

# How often `on_yield` is called when `yield_every` is 'auto', in milliseconds.
_YIELD_EVERY = 125.0
# The epoch is recorded when it begins; yielding happens when a batch ends.
_FOR_YIELD = ("on_epoch_begin", "on_batch_end")


@export(doc="Callbacks")
class CustomCallback(Callback):
    """A callback of functions: {'onEpochEnd': lambda epoch, logs: …}, which may take fewer arguments.

    Args:
        args: the functions by event, in either spelling; besides those of a Callback `on_yield(epoch, batch, logs)`.
        yield_every: how often on_yield is called: at most once in this many milliseconds ('auto': 125); 'batch' and
            'epoch' do not call it, and 'never' does not allow it.

    Source: TF.js `tf.CustomCallback`.
    """

    def __init__(self, args: Mapping[str, Any], yield_every: Any = "auto") -> None:
        self._functions = respell(args, spellings((*EVENTS, "on_yield", "now_func", "next_frame_func")), "callbacks")
        for name, function in self._functions.items():
            as_function("callbacks", name, function)
        if isinstance(yield_every, str) and yield_every == "never" and "on_yield" in self._functions:
            raise argument_error(
                "fit", "yield_every", "other than 'never', since there is an on_yield callback", yield_every
            )
        self._now: Callable[[], float] = self._functions.get("now_func", _now)
        self._interval = _interval(yield_every)
        self._last = self._now()
        self._epoch = 0

    def wants(self, event: str) -> bool:
        if getattr(type(self), event) is not getattr(CustomCallback, event):
            return True  # handled by a subclass
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
        keywords: the same, as keywords in either spelling.

    Source: Keras `LambdaCallback`; the same as TF.js `tf.CustomCallback`.
    """

    def __init__(self, functions: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
        super().__init__({**(functions or {}), **keywords})


def _now() -> float:
    """The time in milliseconds."""
    return time.monotonic() * 1000


def _interval(yield_every: Any) -> float | None:
    if yield_every in ("batch", "epoch", "never"):
        return None
    if yield_every == "auto":
        return _YIELD_EVERY
    if isinstance(yield_every, (int, float)) and not isinstance(yield_every, bool):
        return float(yield_every)
    raise argument_error("fit", "yield_every", "'auto', 'batch', 'epoch', 'never' or milliseconds", yield_every)
