"""Fused kernels. Here they are composed of their parts, which are fused anyway."""

from __future__ import annotations

from typing import Any

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.value import Value
from tfpy.engine.rows.fused import ACTIVATIONS
from tfpy.engine.spec import Spec


def _fused(kernel: str) -> Builder:
    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Any:
        rest = dict(attrs)
        activation, alpha = rest.pop("activation"), rest.pop("leakyrelu_alpha")
        a, b, *extras = values
        y = KERNELS[kernel](device, (a, b), rest, out)
        if y is None:
            return None
        if len(extras) > (activation == "prelu"):
            y = KERNELS["Add"](device, (y, extras[0]), {}, out)
        activate = ACTIVATIONS[activation]
        if activate is None:
            return y
        slopes = extras[-1:] if activation == "prelu" else ()
        return KERNELS[activate](device, (y, *slopes), {"alpha": alpha} if activation == "leakyrelu" else {}, out)

    return build


KERNELS["_FusedMatMul"] = _fused("BatchMatMul")
KERNELS["FusedConv2D"] = _fused("Conv2D")
KERNELS["FusedDepthwiseConv2D"] = _fused("DepthwiseConv2dNative")
