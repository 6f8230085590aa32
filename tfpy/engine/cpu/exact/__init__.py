"""The backend `exact`: the results of the TF.js cpu backend, bit for bit.

That backend computes in double precision and stores each result in a Float32Array. The kernels of `cpu` do the same in
float64 if their results are rounded. If TF.js also rounds intermediate results, that is not enough: after each term of
a sum, between the ops that it composes, after each stage of a Fourier transform. The kernels for these cases are here,
grouped by reason. They take and return float64.
"""

from tfpy.engine.cpu.exact.backend import ExactBackend

__all__ = ["ExactBackend"]
