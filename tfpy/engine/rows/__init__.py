"""The rows of the kernel table, by kind. Names and attributes are those of TF.js's kernels where it has them."""

from tfpy.engine.rows import (  # noqa: F401
    array,
    conv,
    create,
    elementwise,
    fft,
    fused,
    image,
    index,
    linalg,
    matmul,
    normalization,
    pool,
    reduce,
    sequence,
    update,
)
