"""The numpy backends. Importing the package fills the table of kernels."""

from tfpy.engine.cpu import array, create, elementwise, fft, index, linalg, matmul, reduce  # noqa: F401
from tfpy.engine.cpu.backend import CpuBackend, ExactBackend, double

__all__ = ["CpuBackend", "ExactBackend", "double"]
