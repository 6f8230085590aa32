"""Rows of the kernels that reduce along axes, or run along one."""

from __future__ import annotations

from tfpy.engine.handle import Handle
from tfpy.engine.kernels import broadcast, kernel, reduced, same
from tfpy.engine.spec import Spec, reduced_shape, spec

for _name in ["All", "Any", "Max", "Mean", "Min", "Prod", "Sum"]:
    kernel(_name, "x", reduced, attrs="axes keep_dims")


def _index(x: Handle, *, axis: int) -> Spec:
    return spec(reduced_shape(x.spec.shape, (axis,), False), "int32")


def _top_k(x: Handle, *, k: int, sorted: bool) -> list[Spec]:
    shape = (*x.spec.shape[:-1], k)
    return [spec(shape, x.spec.dtype), spec(shape, "int32")]


kernel("ArgMax", "x", _index, attrs="axis", label="arg_max")
kernel("ArgMin", "x", _index, attrs="axis", label="arg_min")
kernel("Cumsum", "x", same, attrs="axis exclusive reverse")
kernel("Cumprod", "x", same, attrs="axis exclusive reverse")
kernel("TopK", "x", _top_k, attrs="k sorted", label="topk")
kernel("Softmax", "logits", same)  # over the last axis
kernel("LogSoftmax", "logits", same, label="log_softmax")  # over the last axis
kernel("SoftmaxGrad", "dy y", broadcast, label="gradient of softmax")
