"""Routers: functions that find the save and load handlers for a URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.registry import export
from tfpy.engine.errors import argument_error

Router = Callable[..., Any]

_save_routers: list[Router] = []
_load_routers: list[Router] = []


@export(namespace="io", doc="Models / Loading")
def register_save_router(loud_router: Router) -> None:
    """Register a router for handlers that save models.

    Args:
        loud_router: called with the argument of `save`; returns an object with a `save` method, or None.

    Source: TF.js `tf.io.registerSaveRouter`.
    """
    _save_routers.append(_checked(loud_router, "register_save_router"))


@export(namespace="io", doc="Models / Loading")
def register_load_router(loud_router: Router) -> None:
    """Register a router for handlers that load models.

    Args:
        loud_router: called with a URL and the `tf.io.LoadOptions` in a dict that is read by key or attribute in either
            spelling, None standing for 'not given'; returns an object with a `load` method, or None.

    Source: TF.js `tf.io.registerLoadRouter`.
    """
    _load_routers.append(_checked(loud_router, "register_load_router"))


def _checked(router: Any, where: str) -> Router:
    if not callable(router):
        raise argument_error(where, "loud_router", "a function of a URL", router, TypeError)
    function: Router = router
    return function


@export(namespace="io", doc="Models / Loading")
def get_save_handlers(url: Any) -> list[Any]:
    """The handlers that the routers find for saving a model to a URL.

    Source: TF.js `tf.io.getSaveHandlers`.
    """
    return [h for router in _save_routers if (h := call_with_as_many(router, url)) is not None]


@export(namespace="io", doc="Models / Loading")
def get_load_handlers(url: Any, load_options: Mapping[str, Any] | None = None) -> list[Any]:
    """The handlers that the routers find for loading a model from a URL.

    Source: TF.js `tf.io.getLoadHandlers`.
    """
    return [h for router in _load_routers if (h := call_with_as_many(router, url, load_options)) is not None]
