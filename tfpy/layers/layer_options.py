"""The options and other attributes of all layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.engine.declarations import annotations_in
from tfpy.engine.dtypes import DType


class LayerOptions:
    """Options of every layer, in addition to its own."""

    input_shape: int | Sequence[int | None] | None = None
    batch_input_shape: Sequence[int | None] | None = None
    batch_size: int | None = None
    dtype: DType | None = None
    name: str | None = None
    trainable: bool = True
    weights: Sequence[Any] | None = None
    input_dtype: DType | None = None


OPTION_KINDS = annotations_in(LayerOptions)

# Attributes of layers that no plan reads: weights are among its variables, and specs are checked before there is one.
NOT_IN_PLANS = frozenset(
    (
        "inbound_nodes", "outbound_nodes", "input_spec", "initial_weights",
        "_trainable_weights", "_non_trainable_weights",
    )
)  # fmt: skip
