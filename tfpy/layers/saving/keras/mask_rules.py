"""Keras's rules for masks: which layers pass them on, how masks are combined, and what they hide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

from tfpy.core.ops.arith import div, mul
from tfpy.core.ops.logic import logical_or, where
from tfpy.core.ops.reduce import any_, sum_
from tfpy.core.ops.shape import expand_dims
from tfpy.core.tensor import Tensor
from tfpy.layers.base import Layer
from tfpy.layers.container import Container
from tfpy.layers.kinds.advanced_activations import ELU, LeakyReLU, Softmax, ThresholdedReLU
from tfpy.layers.kinds.merge import Concatenate, Dot, Maximum, Merge, Minimum, Multiply, along
from tfpy.layers.kinds.pooling import GlobalAveragePooling1D
from tfpy.layers.kinds.preprocessing import Rescaling
from tfpy.layers.mask_rules import MaskRules
from tfpy.layers.spatial import channel_axis, inner_axes
from tfpy.layers.symbolic import one_or_list, to_list


@dataclass(frozen=True)
class KerasMaskRules(MaskRules):
    """The rules of a Keras version: each output has its own mask, and a call uses only those of its inputs.

    Attributes:
        passed: the layers that pass masks on in Keras but not in TF.js.
        changed: the layers whose inputs are changed where they are masked.
    """

    passed: tuple[type[Layer], ...] = ()
    changed: tuple[type[Layer], ...] = ()
    carry: ClassVar[bool] = False
    reach_losses: ClassVar[bool] = True

    def pass_through(self, layer: Layer) -> bool:
        return layer.supports_masking or isinstance(layer, self.passed)

    def change_inputs(self, layer: Layer) -> bool:
        return isinstance(layer, self.changed)

    def call(
        self, layer: Layer, inputs: list[Tensor], masks: list[Any], mask: Any, arguments: Mapping[str, Any]
    ) -> tuple[list[Tensor], list[Any]]:
        if isinstance(layer, Container) and type(layer).call is Container.call:
            return layer.graph.run(inputs, bool(arguments.get("training")), masks)
        # For other calls of a user-defined model, the masks of the outputs are unknown.
        changed = any(m is not None for m in masks) and self.change_inputs(layer)
        given = _changed(layer, inputs, masks) if changed else inputs
        own = masks if layer.takes_every_mask else mask
        outputs = to_list(layer.invoke(one_or_list(given), arguments if own is None else {"mask": own, **arguments}))
        return outputs, self.masks(layer, inputs, masks, len(outputs))

    def masks(self, layer: Layer, inputs: Sequence[Any], masks: Sequence[Any], count: int) -> list[Any]:
        if not self.pass_through(layer):
            return []
        if isinstance(layer, self.passed):
            return list(masks)
        if self.merge_any and isinstance(layer, Merge):
            return [_merged(layer, inputs, masks)]
        return to_list(layer.compute_mask(one_or_list(inputs), one_or_list(masks)))


_ACTIVATIONS = (ELU, LeakyReLU, Softmax, ThresholdedReLU)
KERAS_MASKS = {
    2: KerasMaskRules("Keras 2", passed=_ACTIVATIONS, changed=(GlobalAveragePooling1D,)),
    3: KerasMaskRules(
        "Keras 3",
        merge_any=True,
        passed=(*_ACTIVATIONS, Rescaling),
        changed=(GlobalAveragePooling1D, Maximum, Minimum, Multiply),
    ),
}
"""The rules of each version."""


def _merged(layer: Merge, inputs: Sequence[Tensor], masks: Sequence[Tensor | None]) -> Tensor | None:
    """True where the mask of any input is true.

    For concatenation, inputs without a mask count as all true; for other merges, one such input means no mask.
    """
    if isinstance(layer, Dot):
        return None
    if isinstance(layer, Concatenate):
        joined = layer.joined_masks(inputs, masks)
        return None if joined is None else any_(joined, -1)
    given = [m for m in masks if m is not None]
    return reduce(logical_or, given) if len(given) == len(masks) else None


def _changed(layer: Layer, inputs: list[Tensor], masks: list[Tensor | None]) -> list[Tensor]:
    """The inputs of a layer, replaced where they are masked."""
    if isinstance(layer, GlobalAveragePooling1D):
        return [_to_average(layer, inputs[0], masks[0])]
    if isinstance(layer, Multiply):
        return _factors(layer, inputs, masks)
    return _to_compare(inputs, masks)


def _to_average(layer: GlobalAveragePooling1D, x: Tensor, mask: Any) -> Tensor:
    """0 where masked, with the rest scaled so that the mean over all steps equals that over the unmasked ones."""
    (time,) = inner_axes(layer.data_format, 1)
    seen = expand_dims(mask, channel_axis(layer.data_format, 1))
    scale = div(x.shape[time], sum_(seen.cast(x.dtype), time, True))
    return mul(where(seen, x, 0), scale)


def _factors(layer: Multiply, inputs: list[Tensor], masks: list[Tensor | None]) -> list[Tensor]:
    """1 where an input is masked, but a product of 0 where all inputs are."""
    first, *rest = [_where(m, x, 1) for x, m in zip(inputs, masks, strict=True)]
    return [_where(_merged(layer, inputs, masks), first, 0), *rest]


def _to_compare(inputs: list[Tensor], masks: list[Tensor | None]) -> list[Tensor]:
    """Each input, replaced by the first unmasked one where it is masked; where all are masked, by the first."""
    seen = inputs[0]
    for x, m in [*zip(inputs, masks, strict=True)][::-1]:
        seen = _where(m, x, seen)
    return [_where(m, x, seen) for x, m in zip(inputs, masks, strict=True)]


def _where(mask: Tensor | None, x: Tensor, other: Tensor | float) -> Tensor:
    """A tensor where its mask is true or missing, and another value where it is false."""
    return x if mask is None else where(along(mask, x), x, other)
