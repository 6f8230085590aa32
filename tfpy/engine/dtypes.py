"""The dtypes of tensors, and the numpy type of each."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

DType = Literal["float32", "int32", "bool", "string", "complex64"]

DTYPES: tuple[DType, ...] = get_args(DType)

NUMPY: dict[str, Any] = {
    "float32": np.float32,
    "int32": np.int32,
    "bool": np.bool_,
    "string": np.object_,
    "complex64": np.complex64,
}
"""numpy's type for the values of a dtype."""

TYPED_ARRAY = NUMPY | {"bool": np.uint8}
"""The same for the flat arrays that TF.js calls typed arrays, and for files: booleans are bytes of 0 and 1."""

INT32_RANGE = -(2**31), 2**31 - 1

BYTES: dict[str, int] = {dtype: np.dtype(kind).itemsize for dtype, kind in NUMPY.items()} | {"string": 0}
"""The size of an element in bytes; 0 for strings, whose bytes are counted one by one."""

OF_KIND: dict[str, DType] = {"f": "float32", "i": "int32", "u": "int32", "b": "bool", "c": "complex64"}
"""The dtype of a tensor made from numpy's numbers, by their `dtype.kind`."""
