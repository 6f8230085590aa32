"""Rows of pooling. Inputs are (batch, *inner, channels); `window` is an `engine.windows.Window`.

The backward kernels are linear in the gradient that they pass on, and each is the transpose of another row.
"""

from __future__ import annotations

from tfpy.engine.dtypes import DType
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import kernel
from tfpy.engine.spec import Shape, Spec, spec
from tfpy.engine.windows import Window


def _out(x: Handle, window: Window, dtype: DType) -> Spec:
    return spec((x.spec.shape[0], *window.out, x.spec.shape[-1]), dtype)


def _pooled(x: Handle, *, window: Window) -> Spec:
    return _out(x, window, x.spec.dtype)


def _with_argmax(x: Handle, *, window: Window, include_batch_in_index: bool) -> list[Spec]:
    return [_pooled(x, window=window), _out(x, window, "int32")]


def _max_grad(dy: Handle, input: Handle, output: Handle, *, window: Window) -> Spec:
    return spec(input.spec.shape, dy.spec.dtype)


def _max_pick(x: Handle, input: Handle, output: Handle, *, window: Window) -> Spec:
    """The elements of x where those of the input are the largest."""
    return spec(output.spec.shape, x.spec.dtype)


def _avg_grad(dy: Handle, *, window: Window, input_shape: Shape) -> Spec:
    return spec(input_shape, dy.spec.dtype)


for _suffix, _label in (("", ""), ("3D", "3d")):
    kernel(f"MaxPool{_suffix}", "x", _pooled, attrs="window", label=f"max_pool{_label}")
    kernel(f"MaxPool{_suffix}Grad", "dy input output", _max_grad, attrs="window")
    kernel(f"MaxPool{_suffix}Pick", "x input output", _max_pick, attrs="window")
    kernel(f"AvgPool{_suffix}", "x", _pooled, attrs="window", label=f"avg_pool{_label}")
    kernel(f"AvgPool{_suffix}Grad", "dy", _avg_grad, attrs="window input_shape")

kernel("MaxPoolWithArgmax", "x", _with_argmax, attrs="window include_batch_in_index", label="max_pool_with_argmax")
