"""deeplearn.js's math methods that differ in name or arguments from the core's ops: tensors in, tensors out."""

from tfpy.legacy.ops import arith, array, conv, matrix, multinomial, norm, pool, reduce, strict  # noqa: F401
