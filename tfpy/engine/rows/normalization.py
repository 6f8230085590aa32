"""Rows of normalization."""

from __future__ import annotations

from tfpy.engine.errors import ShapeError
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import kernel, same
from tfpy.engine.spec import Spec, broadcasts_to, reduced_shape, spec


def _batch_norm(
    x: Handle, mean: Handle, variance: Handle, offset: Handle, scale: Handle, *, variance_epsilon: float
) -> Spec:
    shape = x.spec.shape
    for t in (mean, variance, offset, scale):
        if not broadcasts_to(t.spec.shape, shape):
            raise ShapeError(
                f"a parameter of shape {list(t.spec.shape)} does not broadcast to x's shape {list(shape)}."
            )
    return x.spec


def _moments(x: Handle, *, axes: tuple[int, ...]) -> list[Spec]:
    """Mean and population variance, with axes of size 1."""
    return [spec(reduced_shape(x.spec.shape, axes, True), x.spec.dtype)] * 2


def _normalized(*inputs: Handle, axes: tuple[int, ...], variance_epsilon: float) -> Spec:
    return _batch_norm(*inputs, variance_epsilon=variance_epsilon)


def _normalized_back(dy: Handle, *inputs: Handle, wanted: tuple[int, ...], **attrs: object) -> list[Spec]:
    return [inputs[i].spec for i in wanted]


kernel("FusedBatchNorm", "x mean variance offset scale", _batch_norm, attrs="variance_epsilon", label="batch_norm")
kernel("Moments", "x", _moments, attrs="axes", label="moments")
# FusedBatchNorm, whose gradient knows that mean and variance are x's own along the first or the last axes. What it
# returns is that of those inputs that `wanted` names by their number: x, offset, scale.
_inputs, _attrs = "x mean variance offset scale", "axes variance_epsilon"
kernel("NormalizeByMoments", _inputs, _normalized, attrs=_attrs, label="batch_norm")
kernel("NormalizeByMomentsGrad", f"dy {_inputs}", _normalized_back, attrs=f"wanted {_attrs}", label="batch_norm")
kernel("LRN", "x", same, attrs="depth_radius bias alpha beta", label="local_response_normalization")
