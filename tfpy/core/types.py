"""Names of types, for the annotations of users' own code; TF.js's TypeScript has most of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from tfpy.core.convert import TensorLike as TensorLike
from tfpy.core.tensor import Tensor
from tfpy.engine.dtypes import DType

Scalar: TypeAlias = Tensor
Tensor1D: TypeAlias = Tensor
Tensor2D: TypeAlias = Tensor
Tensor3D: TypeAlias = Tensor
Tensor4D: TypeAlias = Tensor
Tensor5D: TypeAlias = Tensor
Tensor6D: TypeAlias = Tensor
"""A tensor of a given rank; here all ranks have one class."""

DataType: TypeAlias = DType
"""A dtype's name: 'float32', 'int32', 'bool', 'string' or 'complex64'."""

Shape: TypeAlias = Sequence[int | None]
"""The sizes of the dimensions; None for an unknown size, such as that of a model's batch."""

NamedTensorMap: TypeAlias = dict[str, Tensor]
"""Tensors by name."""

TensorContainer: TypeAlias = "Tensor | str | float | list[TensorContainer] | dict[str, TensorContainer] | None"
"""Tensors, numbers and strings in any nesting of lists and dicts: what `tidy` returns, what data sets consist of."""

Logs: TypeAlias = dict[str, Any]
"""The values that callbacks receive: losses, metrics and counts by name."""
