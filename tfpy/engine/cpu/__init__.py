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
    moments,
    normalization,
    pool,
    random,
    reduce,
    resize,
    sequence_cells,
    softmax,
    transform,
    update,
)
from tfpy.engine.cpu.allocator import keep_freed_memory
from tfpy.engine.cpu.backend import CpuBackend, double
from tfpy.engine.cpu.exact import ExactBackend

keep_freed_memory()

__all__ = ["CpuBackend", "ExactBackend", "double"]
