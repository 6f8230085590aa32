"""The numpy backends. Importing the package fills the table of kernels."""

from tfpy.engine.cpu import (  # noqa: F401
    array,
    conv,
    create,
    crop,
    depthwise,
    dilation,
    elementwise,
    fft,
    fused,
    index,
    linalg,
    matmul,
    normalization,
    pool,
    reduce,
    resize,
    transform,
)
from tfpy.engine.cpu.backend import CpuBackend, ExactBackend, double

__all__ = ["CpuBackend", "ExactBackend", "double"]
