"""The GPU's kernels by name. A builder creates a kernel's result values from its input values.

It takes (device, values, attrs, out) and returns a value, a list of them for several outputs, or None for a case that
it leaves to the CPU. It is never called with empty outputs or inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.value import Value

Attrs = Mapping[str, Any]
Builder = Callable[[Device, tuple[Value, ...], Attrs, Any], Any]

KERNELS: dict[str, Builder] = {}
