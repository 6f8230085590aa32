"""Callbacks that every `fit` uses."""

from __future__ import annotations

from collections.abc import Callable

from tfpy.core.calling.registry import export
from tfpy.engine.errors import argument_error
from tfpy.layers.callbacks.base import Callback

# The least `verbose` that a callback is used for, and what makes it.
_registered: list[tuple[int, Callable[[], Callback]]] = []


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
    if any(known is callback_constructor for _, known in _registered):
        raise argument_error(where, "callback_constructor", "one that is not registered yet", callback_constructor)
    _registered.append((verbosity_level, callback_constructor))


def registered_callbacks(verbose: int) -> list[Callback]:
    """New callbacks of those registered for this much output, or less."""
    return [make() for level, make in _registered if verbose >= level]
