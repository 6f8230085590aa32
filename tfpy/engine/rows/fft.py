"""Rows of the Fourier transforms along the last axis."""

from __future__ import annotations

from tfpy.engine.kernels import kernel, same

kernel("FFT", "x", same)
kernel("IFFT", "x", same)
