"""The GPU's kernels by name. A builder makes values of the values that a kernel is given.

It gets (device, values, attrs, out) and returns a value, a list of them for several outputs, or None for a case that it
leaves to the CPU. Outputs and inputs without elements never reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.value import Value

Attrs = Mapping[str, Any]
Builder = Callable[[Device, tuple[Value, ...], Attrs, Any], Any]

KERNELS: dict[str, Builder] = {}
