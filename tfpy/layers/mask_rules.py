"""The rules for propagating masks through a model, and those of TF.js. Keras's are in `saving/keras`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tfpy.layers.symbolic import one_or_list, to_list

if TYPE_CHECKING:
    from tfpy.core.tensor import Tensor
    from tfpy.layers.base import Layer


@dataclass(frozen=True)
class MaskRules:
    """The rules of TF.js.

    Attributes:
        owner: whose rules they are.
        merge_any: whether a mask merged from several is true where any of them is, instead of where all are.
        carry: whether a layer whose inputs have no mask is called with that of the previous call.
        reach_losses: whether losses and metrics respect the masks of outputs.
    """

    owner: str
    merge_any: bool = False
    carry: ClassVar[bool] = True
    reach_losses: ClassVar[bool] = False

    def pass_through(self, layer: Layer) -> bool:
        """Whether the outputs of a layer may have a mask: that of its inputs, or one that it creates."""
        return layer.supports_masking

    def change_inputs(self, layer: Layer) -> bool:
        """Whether the inputs of a layer are changed according to their masks."""
        return False

    def call(
        self, layer: Layer, inputs: list[Tensor], masks: list[Any], mask: Any, arguments: Mapping[str, Any]
    ) -> tuple[list[Tensor], list[Any]]:
        """Call a layer.

        Args:
            layer: the layer.
            inputs: its inputs.
            masks: the mask of each, or None.
            mask: the mask that it is called with, unless it takes every mask.
            arguments: its further arguments.

        Returns:
            The outputs, and the masks of the first ones.
        """
        given = masks if layer.takes_every_mask else mask
        found = layer.invoke(one_or_list(inputs), arguments if given is None else {**arguments, "mask": given})
        outputs = to_list(found)
        return outputs, self.masks(layer, inputs, masks, len(outputs))

    def masks(self, layer: Layer, inputs: Sequence[Any], masks: Sequence[Any], count: int) -> list[Any]:
        """The masks of the first of a layer's outputs, of which there are `count`: all have that of the first."""
        if not self.pass_through(layer):
            return []
        return to_list(layer.compute_mask(one_or_list(inputs), one_or_list(masks)))[:1] * count


TFJS_MASKS = MaskRules("TF.js")
