"""Rows of normalization."""

from __future__ import annotations

from tfpy.engine.errors import ShapeError
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import kernel, same
from tfpy.engine.spec import Spec, broadcast_shapes


def _batch_norm(
    x: Handle, mean: Handle, variance: Handle, offset: Handle, scale: Handle, *, variance_epsilon: float
) -> Spec:
    shape = x.spec.shape
    for t in (mean, variance, offset, scale):
        if t.spec.shape != shape and broadcast_shapes(shape, t.spec.shape) != shape:
            raise ShapeError(
                f"a parameter of shape {list(t.spec.shape)} does not broadcast to x's shape {list(shape)}."
            )
    return x.spec


kernel("FusedBatchNorm", "x mean variance offset scale", _batch_norm, label="batch_norm")  # variance_epsilon
kernel("LRN", "x", same, label="local_response_normalization")  # depth_radius, bias, alpha, beta
