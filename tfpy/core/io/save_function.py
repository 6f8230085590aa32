"""Saving models by a custom function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.core.calling.ready import finish
from tfpy.core.calling.registry import export
from tfpy.core.io.artifacts import ModelArtifacts, SaveResult, as_save_result
from tfpy.engine.errors import argument_error


class SaveFunction:
    """Saves a model by calling a function with its artifacts."""

    def __init__(self, function: Callable[[ModelArtifacts], Any]) -> None:
        self._function = function

    def save(self, artifacts: ModelArtifacts) -> SaveResult:
        """Call the function, and return its result."""
        return as_save_result(finish(self._function(artifacts)))


@export(namespace="io", doc="Models / Loading")
def with_save_handler(save_handler: Callable[[ModelArtifacts], Any]) -> SaveFunction:
    """A handler that saves a model by calling a function with its artifacts.

    Args:
        save_handler: called with the ModelArtifacts; returns {'modelArtifactsInfo': …} or nothing. It may be `async`.

    Source: TF.js `tf.io.withSaveHandler`.
    """
    if not callable(save_handler):
        raise argument_error(
            "with_save_handler", "save_handler", "a function of the artifacts", save_handler, TypeError
        )
    return SaveFunction(save_handler)


@export(namespace="io", doc="Models / Loading")
def with_save_handler_sync(save_handler: Callable[[ModelArtifacts], Any]) -> SaveFunction:
    """The same as `with_save_handler`.

    Source: TF.js `tf.io.withSaveHandlerSync`.
    """
    return with_save_handler(save_handler)
