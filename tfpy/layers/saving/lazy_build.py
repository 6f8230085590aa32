"""Inner layers that create their weights when they are first called, as in the style of Keras's users."""

from __future__ import annotations

import contextlib

from tfpy.core.tensor import Tensor
from tfpy.engine.abstract import placeholder, shapes_only
from tfpy.engine.spec import spec
from tfpy.layers.base import Layer
from tfpy.layers.container import Container
from tfpy.layers.inner_layers import layers_in
from tfpy.layers.symbolic import one_or_list


def build_lazy_layers(model: Container) -> None:
    """Build the layers that are built only by a call of the enclosing layer, so that the weights of a file can be set.

    They are called on shapes only. A layer that reads values remains unbuilt: the file then has weights that the model
    lacks.
    """
    for layer in layers_in(model):
        if layer.inbound_nodes and not isinstance(layer, Container) and _has_unbuilt(layer):
            node = layer.inbound_nodes[0]
            with contextlib.suppress(Exception), shapes_only():
                shapes = [tuple(1 if n is None else n for n in shape) for shape in node.input_shapes]
                kinds = [tensor.dtype for tensor in node.input_tensors]
                inputs = [placeholder(Tensor, spec(s, kind)) for s, kind in zip(shapes, kinds, strict=True)]
                layer.invoke(one_or_list(inputs), node.call_args)


def _has_unbuilt(layer: Layer) -> bool:
    """Whether an inner layer has not been built."""
    return any(not part.built or _has_unbuilt(part) for part in layer.layers_within)
