"""Options of custom layers that `get_config` does not return, and a saved model so lacks."""

from __future__ import annotations

from inspect import Parameter
from typing import TYPE_CHECKING

from tfpy.core.naming.names import camel
from tfpy.engine.declarations import signature_of
from tfpy.engine.package import is_ours
from tfpy.engine.warn import warn_user
from tfpy.layers.inner_layers import layers_in

if TYPE_CHECKING:
    from tfpy.layers.base import Layer


def warn_of_unreturned(where: str, model: Layer) -> None:
    """Warn about custom layers that keep an argument of their constructor but do not return it from `get_config`."""
    for layer in layers_in(model):
        lost = [] if is_ours(type(layer)) else _lost(layer)
        if lost:
            options = ", ".join(map(repr, lost))
            warn_user(
                f"{where}: get_config of layer {layer.name!r} ({type(layer).__name__}) does not return {options}, so "
                "the layer cannot be restored as it is."
            )


def _lost(layer: Layer) -> list[str]:
    ours = next(cls for cls in type(layer).__mro__ if is_ours(cls))  # returns its own options, in whatever form
    saved = {camel(key) for key in (*layer.get_config(), *signature_of(ours).parameters)}
    parameters = signature_of(type(layer)).parameters.values()
    named = [p.name for p in parameters if p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)]
    return [name for name in named if name in vars(layer) and camel(name) not in saved]
