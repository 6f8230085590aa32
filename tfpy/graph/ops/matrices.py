"""Products of matrices, and other ops on them."""

from __future__ import annotations

from typing import Any

from tfpy.core.ops import fused
from tfpy.core.ops.einsum import einsum
from tfpy.core.ops.linalg import band_part
from tfpy.core.ops.matmul import mat_mul, transpose
from tfpy.graph.mappers import Call, maps
from tfpy.graph.ops.convolution import fused_parts


@maps("MatMul")
def _mat_mul(call: Call) -> Any:
    return mat_mul(call.tensor(0), call.tensor(1), call.attrs.flag("transpose_a"), call.attrs.flag("transpose_b"))


@maps("BatchMatMul BatchMatMulV2")
def _batch_mat_mul(call: Call) -> Any:
    return mat_mul(call.tensor(0), call.tensor(1), call.attrs.flag("adj_x"), call.attrs.flag("adj_y"))


@maps("_FusedMatMul")
def _fused_mat_mul(call: Call) -> Any:
    transposed = {name: call.attrs.flag(name) for name in ("transpose_a", "transpose_b")}
    return fused.mat_mul(a=call.tensor(0), b=call.tensor(1), **transposed, **fused_parts(call))


@maps("Einsum")
def _einsum(call: Call) -> Any:
    return einsum(call.attrs.text("equation"), *call.values)


@maps("Transpose")
def _transpose(call: Call) -> Any:
    return transpose(call.tensor(0), call.sizes(1))


@maps("MatrixBandPart")
def _band_part(call: Call) -> Any:
    """A number of diagonals that is larger than the matrix means all of them: TF.js limits numbers that are tensors."""
    x = call.tensor(0)
    rows, columns = x.shape[-2:] if x.rank > 1 else (0, 0)
    return band_part(x, min(call.number(1), rows), min(call.number(2), columns))
