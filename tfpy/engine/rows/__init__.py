"""The rows of the kernel table, by kind. Names and attributes are those of TF.js's kernels where it has them."""

from tfpy.engine.rows import array, create, elementwise, fft, index, linalg, matmul, reduce  # noqa: F401
