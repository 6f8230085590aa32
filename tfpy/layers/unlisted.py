"""Layers that a layer of the user's keeps to itself: their weights are in no list; nothing trains or saves them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfpy.engine.warn import warn_user
from tfpy.layers.base import Layer

if TYPE_CHECKING:
    from tfpy.layers.container import Container


def warn_of_unlisted(where: str, model: Container) -> None:
    """Warn of layers in attributes of the model's layers that have weights which are not among the model's.

    In Keras a layer has the weights of layers in its attributes; in TF.js it does not. Frozen ones are left alone: they
    may be there to be computed with.
    """
    listed = {id(weight) for weight in model.weights}
    found = [
        name
        for name, inner in _attributes(model)
        if any(id(weight) not in listed for weight in inner.trainable_weights)
    ]
    if found:
        warn_user(
            f"{where}: the weights of {', '.join(found)} are not among those of the model, and are neither trained nor "
            "saved: a layer must list the weights of layers in it, in trainable_weights and non_trainable_weights."
        )


def _attributes(layer: Layer) -> Iterator[tuple[str, Layer]]:
    """The layers in attributes of a layer, or of the layers of a model, and what they are called."""
    for inner in getattr(layer, "layers", []):
        yield from _attributes(inner)
    for name, value in vars(layer).items():
        for inner in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(inner, Layer) and name != "layers":
                yield f"{layer.name}.{name}", inner
