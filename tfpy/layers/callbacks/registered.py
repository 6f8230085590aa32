"""Callbacks that every `fit` uses."""

from __future__ import annotations

from collections.abc import Callable

from tfpy.core.calling.registry import export
from tfpy.engine.errors import argument_error
from tfpy.layers.callbacks.base import Callback

# The minimum `verbose` for which a callback is used, and its constructor.
_registered: list[tuple[int, Callable[[], Callback]]] = []


@export(doc="Callbacks")
def register_callback_constructor(verbosity_level: int, callback_constructor: Callable[[], Callback]) -> None:
    """Add a callback to every later `fit`.

    Args:
        verbosity_level: the minimum `verbose` for which it is used.
        callback_constructor: called without arguments for each `fit` to create the callback.

    Raises:
        ValueError: the level is not a non-negative integer, or the constructor is already registered.

    Source: TF.js `tf.registerCallbackConstructor`.
    """
    where = "register_callback_constructor"
    if isinstance(verbosity_level, bool) or not isinstance(verbosity_level, int) or verbosity_level < 0:
        raise argument_error(where, "verbosity_level", "a whole number of 0 or more", verbosity_level)
    if any(known is callback_constructor for _, known in _registered):
        raise argument_error(where, "callback_constructor", "one that is not registered yet", callback_constructor)
    _registered.append((verbosity_level, callback_constructor))


def registered_callbacks(verbose: int) -> list[Callback]:
    """New callbacks of the constructors registered for this verbosity level or a lower one."""
    return [make() for level, make in _registered if verbose >= level]
