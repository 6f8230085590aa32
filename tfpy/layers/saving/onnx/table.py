"""The exporters of layers. Each class needs its own entry, since a subclass may compute something else.

Models use the one of `Container`, see `Builder.kind_of`.
"""

from __future__ import annotations

from tfpy.layers.base import Layer
from tfpy.layers.saving.onnx import (
    activations,
    attention,
    convolutional,
    core,
    merge,
    normalization,
    preprocessing,
    recurrent,
    shaping,
    wrappers,
)
from tfpy.layers.saving.onnx.builder import Kind

_FAMILIES = (
    core,
    activations,
    convolutional,
    shaping,
    preprocessing,
    normalization,
    merge,
    recurrent,
    attention,
    wrappers,
)

KINDS: dict[type[Layer], Kind] = {cls: kind for family in _FAMILIES for cls, kind in family.KINDS.items()}
