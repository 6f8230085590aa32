"""The backend itself, and which kernels it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.backend import Array, Outputs
from tfpy.engine.cpu.backend import CpuBackend
from tfpy.engine.cpu.errstate import quiet, reentrant
from tfpy.engine.cpu.exact.activations import ACTIVATIONS
from tfpy.engine.cpu.exact.fft import FFT
from tfpy.engine.cpu.exact.linalg import LINALG
from tfpy.engine.cpu.exact.products import PRODUCTS
from tfpy.engine.cpu.exact.rounding import rounded
from tfpy.engine.cpu.exact.sums import SUMS
from tfpy.engine.cpu.fused import FUSED
from tfpy.engine.cpu.moments import MOMENTS
from tfpy.engine.cpu.sequence_cells import SEQUENCES
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.update import UPDATES
from tfpy.engine.dtypes import DType
from tfpy.engine.handle import Handle

EXACT: Mapping[str, Callable[..., Any]] = {**ACTIVATIONS, **FFT, **LINALG, **PRODUCTS, **SUMS}
"""Kernels that replace the numpy kernels of these names, whose intermediate results have to be rounded, too."""

# Kernels that combine several of TF.js's, each of which rounds.
_COMPOSED = frozenset((*FUSED, *MOMENTS, *SEQUENCES, *UPDATES))


class ExactBackend(CpuBackend):
    """The same kernels in double precision, with each result rounded to float32 values.

    It has no fused kernels, since TF.js rounds each of their steps; it runs their parts instead. It does not replay
    plans, since its purpose is comparison.
    """

    in_steps = True
    _is_lazy = False

    def __init__(self) -> None:
        super().__init__("exact", np.float64, np.complex128)
        self._kernels = {name: k for name, k in {**KERNELS, **EXACT}.items() if name not in _COMPOSED}

    @reentrant
    def write(self, values: Array, dtype: DType) -> Array:
        return quiet.run(rounded, super().write(values, dtype))

    def read(self, payload: Array, dtype: DType) -> Array:
        narrow = {"float32": np.float32, "complex64": np.complex64}.get(dtype)
        return payload if narrow is None else payload.astype(narrow)

    @reentrant
    def run(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        result = super().run(kernel, inputs, attrs, out)
        if isinstance(result, list):
            return [quiet.run(rounded, r) for r in result]
        return quiet.run(rounded, result)
