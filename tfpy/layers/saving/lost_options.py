"""Options that TF.js does not write, from the shapes of the weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy.core.tensor import Tensor
from tfpy.layers.saving.json_tree import replace


def with_depth_multipliers(config: Mapping[str, Any], weights: Mapping[str, Tensor]) -> Any:
    """A model's configuration in which each SeparableConv2D has the depth multiplier of its weights."""
    kernels = {
        name.removesuffix("/depthwise_kernel"): weight
        for name, weight in weights.items()
        if name.endswith("/depthwise_kernel") and weight.rank == 4
    }

    def is_incomplete(layer: Mapping[str, Any]) -> bool:
        own = layer.get("config")
        return (
            layer.get("class_name") == "SeparableConv2D"
            and isinstance(own, Mapping)
            and "depth_multiplier" not in own
            and isinstance(own.get("name"), str)
            and own["name"] in kernels
        )

    def complete(layer: Mapping[str, Any]) -> dict[str, Any]:
        own = layer["config"]
        return {**layer, "config": {**own, "depth_multiplier": kernels[own["name"]].shape[-1]}}

    return replace(config, is_incomplete, complete) if kernels else config
