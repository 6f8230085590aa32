"""The rows of all layers."""

from __future__ import annotations

from layers import (
    rows_activations,
    rows_attention,
    rows_convolutional,
    rows_core,
    rows_merge,
    rows_normalization,
    rows_recurrent,
    rows_shaping,
)

ROWS = [
    row
    for kind in (
        rows_core,
        rows_activations,
        rows_convolutional,
        rows_shaping,
        rows_normalization,
        rows_merge,
        rows_recurrent,
        rows_attention,
    )
    for row in kind.ROWS
]
