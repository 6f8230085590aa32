"""The backend `exact`: the numbers of the TF.js cpu backend, bit for bit.

That one computes in double precision and stores each result in a Float32Array. So do the kernels of `cpu` in float64
with their results rounded. Where TF.js rounds on the way, too, rounding the result alone is not enough: after each part
of a sum, between the parts of what it composes, after each stage of a Fourier transform. The kernels for that are here,
by the reason. They take and give float64.
"""

from tfpy.engine.cpu.exact.backend import ExactBackend

__all__ = ["ExactBackend"]
