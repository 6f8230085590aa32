"""Layers inside layers: those that are listed, those that a custom layer only keeps in attributes; building them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tfpy.engine.warn import warn_user
from tfpy.layers.base import Layer
from tfpy.layers.config import build_object, is_object_config

if TYPE_CHECKING:
    from tfpy.layers.container import Container


def warn_of_unlisted(where: str, model: Container) -> None:
    """Warn about layers in attributes of the model's layers whose weights are not among the model's.

    In Keras a layer includes the weights of layers in its attributes; in TF.js it does not. There is no warning about
    frozen ones, which may be used for computation only.
    """
    listed = {id(weight) for weight in model.weights}
    found = [
        name
        for name, inner in _attributes(model)
        if any(id(weight) not in listed for weight in inner.trainable_weights)
    ]
    if found:
        warn_user(
            f"{where}: the weights of {', '.join(found)} are not part of the model, and are neither trained nor "
            "saved: a layer must list its inner layers in layers_within, or their weights in trainable_weights and "
            "non_trainable_weights."
        )


def layers_in(layer: Layer) -> list[Layer]:
    """A layer and all layers inside it, each once: the listed ones and those in attributes."""
    found: dict[Layer, None] = {}
    pending = [layer]
    while pending:
        layer = pending.pop()
        if layer not in found:
            found[layer] = None
            inner = [*layer.layers_within, *(part for _, part in _unlisted(layer))]
            pending.extend(reversed(inner))
    return list(found)


def build_inner(layer: Layer, input_shape: Any) -> None:
    """Build a layer inside another one, unless it has been built."""
    if not layer.built:
        layer.build(input_shape)
        layer.built = True


def inner_layer(given: Any, what: str, custom_objects: Mapping[str, Any] | None) -> Any:
    """The layer that an entry of a configuration describes; anything else, such as a layer itself, unchanged.

    Args:
        given: the entry.
        what: the kind of layer, for messages.
        custom_objects: classes by name.
    """
    return build_object(given, what, Layer, custom_objects) if is_object_config(given) else given


def _attributes(layer: Layer) -> Iterator[tuple[str, Layer]]:
    """The unlisted layers of a layer and of the layers inside it, with names for them."""
    for inner in layer.layers_within:
        yield from _attributes(inner)
    for name, inner in _unlisted(layer):
        yield f"{layer.name}.{name}", inner


def _unlisted(layer: Layer) -> Iterator[tuple[str, Layer]]:
    """The layers in attributes of a layer that `layers_within` does not list, by attribute name."""
    held = set(layer.layers_within)
    for name, value in vars(layer).items():
        for inner in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(inner, Layer) and inner not in held:
                yield name, inner
