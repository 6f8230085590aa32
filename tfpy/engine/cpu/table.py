"""The numpy kernels by name. A kernel takes arrays and attributes and returns an array, or a list of them.

It returns float results in the float type of its inputs, or of its attribute `dtype`, which the backend has converted
to a numpy type; it never mentions float32, so that the same kernel computes in float64. It never writes to an input. It
may return a view of an input only with the same number of elements, so that no small result keeps a large array alive.

A kernel without attributes whose result can be smaller than its inputs must call `np.asarray` on them: they may be
`Lazy`, which `CpuBackend.run` does not check on the fast path for small results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

KERNELS: dict[str, Callable[..., Any]] = {}

TOTALS: set[str] = set()
"""Reductions that take a `Lazy` as it is if they are over all axes, so that it need not be stored."""

PLANNED: dict[str, Callable[..., Any]] = {}
"""Kernels without a row, which only plans run: each replaces several kernels that have one."""
