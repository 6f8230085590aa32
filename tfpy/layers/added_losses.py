"""Losses that layers add while they are called. Each is part of the training step that calls the layer only."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.engine.scope import outlive_scopes
from tfpy.layers.regularizers import Regularizer

if TYPE_CHECKING:
    from tfpy.layers.base import Layer

T = TypeVar("T")

AddedLoss: TypeAlias = "Tensor | Callable[[], Tensor]"


class _Collection(threading.local):
    """The losses of the current step of a thread, if there is one."""

    losses: list[Tensor] | None = None


_current = _Collection()


def with_added_losses(function: Callable[[], T]) -> tuple[T, list[Tensor]]:
    """The result of a function, and the losses added while it runs.

    It takes a function, since an interrupt at the end of a `with` block would leave the context open.
    """
    outer, found = _current.losses, list[Tensor]()
    try:
        _current.losses = found
        return function(), found
    finally:
        _current.losses = outer


def add_from_call(losses: Sequence[Any]) -> None:
    """Add losses from within a layer's call: scalar tensors, or functions that return them, called immediately.

    Raises:
        TypeError: any other value. ValueError: tensors that are not scalars.
    """
    for loss in losses:
        value = loss() if callable(loss) else loss
        if not isinstance(value, Tensor):
            raise argument_error(
                "add_loss", "losses", "scalar tensors, or functions that return them", value, TypeError
            )
        if value.shape:
            raise argument_error("add_loss", "losses", "scalar tensors, such as x.square().mean()", value)
        _add(value)


def activity_regularizer(layer: Layer) -> Regularizer | None:
    """A layer's activity regularizer; None if it has none."""
    found = vars(layer).get("activity_regularizer")
    return found if isinstance(found, Regularizer) else None


def add_activity_losses(layer: Layer, outputs: Sequence[Tensor]) -> None:
    """Add the losses of a layer's activity regularizer, divided by the batch size as in Keras."""
    regularizer = None if _current.losses is None else activity_regularizer(layer)
    if regularizer is not None:
        for output in outputs:
            _add(regularizer.apply(output).div(max(output.shape[0], 1)))


def _add(loss: Tensor) -> None:
    if _current.losses is not None:
        _current.losses.append(outlive_scopes(loss))  # the call may run in its own `tidy`


def as_functions(losses: Sequence[Any]) -> list[Callable[[], Tensor]]:
    """Losses that are added outside a call, and are part of every step.

    Raises:
        TypeError: something other than functions, such as a tensor.
    """
    for loss in losses:
        if not callable(loss):
            expected = "functions without arguments, such as lambda: x.square().mean(); add tensors in call"
            raise argument_error("add_loss", "losses", expected, loss, TypeError)
    return list(losses)
