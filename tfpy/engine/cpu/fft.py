"""numpy kernels of the Fourier transforms along the last axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.engine.cpu.table import KERNELS


def _transform(transform: Any) -> Any:
    return lambda x: transform(x, axis=-1) if x.size else x


KERNELS["FFT"] = _transform(np.fft.fft)
KERNELS["IFFT"] = _transform(np.fft.ifft)
