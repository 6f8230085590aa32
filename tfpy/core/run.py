"""Kernel calls that return Tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch

run: Callable[..., Tensor] = dispatch.runner(Tensor)
"""run(kernel, *inputs, **attrs): a kernel with one output."""

run_multi: Callable[..., list[Tensor]] = partial(dispatch.run_multi, Tensor)
"""run_multi(kernel, *inputs, **attrs): a kernel with several outputs."""
