"""The numpy backends: `cpu` in float32, `double` in float64; `exact` is a subclass in its own folder.

The kernels never mention float32, so both backends run the same ones. `double` is used to check gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tfpy.engine.backend import Array, Defaults, Outputs
from tfpy.engine.cpu.elementwise import ELEMENTWISE
from tfpy.engine.cpu.errstate import quiet, reentrant
from tfpy.engine.cpu.lazy import LARGE_ELEMENTS, Lazy, defer, forced, in_blocks
from tfpy.engine.cpu.replay import executor
from tfpy.engine.cpu.table import KERNELS, PLANNED, TOTALS
from tfpy.engine.dtypes import NUMPY, DType
from tfpy.engine.handle import Handle
from tfpy.engine.hooks import is_hooked
from tfpy.engine.plan import Executor, Plan, PlanNode
from tfpy.engine.references import ALONE, references
from tfpy.engine.spec import Spec

_array = np.asarray


@reentrant
def _forced(payload: Any) -> Array:
    return quiet.run(forced, payload)


def arrays(payloads: Iterable[Any]) -> list[Array]:
    """The arrays of payloads, some of which may still be deferred."""
    return [p if type(p) is np.ndarray else _forced(p) for p in payloads]


class CpuBackend(Defaults):
    """numpy arrays as payloads, kernels as numpy functions."""

    immediate = True
    _is_lazy = True

    def __init__(self, name: str = "cpu", real: type = np.float32, compound: type = np.complex64) -> None:
        self.name = name
        self._kernels: Mapping[str, Callable[..., Any]] = KERNELS
        self._types = NUMPY | {"float32": real, "complex64": compound}

    def __init_subclass__(cls) -> None:
        """A subclass that overrides how kernels run does not replay plans unless it overrides `compile`, too."""
        if cls.run is not CpuBackend.run and cls.compile is CpuBackend.compile:
            cls.compile = None  # type: ignore[method-assign, assignment]

    # `write` and `run` are called often, and inline what `reentrant` does: the decorator takes 0.1 µs.

    def write(self, values: Array, dtype: DType) -> Array:
        try:
            return quiet.run(np.array, values, dtype=self._types[dtype], order="C")  # a double may overflow float32
        except RuntimeError as error:
            with quiet.within(error):
                return self.write(values, dtype)

    def read(self, payload: Any, dtype: DType) -> Array:
        return arrays((payload,))[0]

    def run(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:  # noqa: C901
        try:
            compute = self._kernels[kernel]
            # Unpacking and empty keywords cost a tenth of an op: the most common calls are inlined. A result without
            # elements may have deferred inputs.
            if type(out) is Spec and (size := out.size) < LARGE_ELEMENTS and size:
                if not attrs:
                    if len(inputs) == 2:
                        a, b = inputs
                        result = quiet.run(compute, a.payload, b.payload)
                    elif len(inputs) == 1:
                        result = quiet.run(compute, inputs[0].payload)
                    else:
                        result = quiet.run(compute, *[t.payload for t in inputs])
                    return result if type(result) is np.ndarray else _array(result)  # it may be a numpy scalar
                result, keywords = None, attrs
                if "dtype" in attrs:
                    keywords = {**attrs, "dtype": self._types[attrs["dtype"]]}
                if len(inputs) == 1:  # payloads get no local names: `_run_any` counts references
                    if type(inputs[0].payload) is np.ndarray:
                        result = quiet.run(compute, inputs[0].payload, **keywords)
                elif len(inputs) == 2:
                    if type(inputs[0].payload) is type(inputs[1].payload) is np.ndarray:
                        result = quiet.run(compute, inputs[0].payload, inputs[1].payload, **keywords)
                elif not inputs:
                    result = quiet.run(compute, **keywords)
                if result is not None:
                    return result if type(result) is np.ndarray else _array(result)
            return self._run_any(kernel, inputs, attrs, out)
        except RuntimeError as error:
            with quiet.within(error):
                return self.run(kernel, inputs, attrs, out)

    def _run_any(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        """`run` for kernels of any kind: on large arrays, on deferred inputs, with several results."""
        payloads = [t.payload for t in inputs]
        if (
            self._is_lazy
            and kernel in ELEMENTWISE
            and type(out) is Spec
            and out.size >= LARGE_ELEMENTS
            and not is_hooked(self)
        ):
            later = quiet.run(defer, self._function(kernel, attrs), payloads, out.shape, self._types[out.dtype])
            if later is not None:
                return later
        if Lazy in map(type, payloads):
            if kernel in TOTALS and len(attrs["axes"]) == payloads[0].ndim:
                payloads[0].shared = next(references(payloads)) > ALONE + 1  # by others than its tensor
            else:
                payloads = arrays(payloads)
        if "dtype" in attrs:
            attrs = {**attrs, "dtype": self._types[attrs["dtype"]]}
        result = quiet.run(self._kernels[kernel], *payloads, **attrs)
        if type(result) is np.ndarray:
            return result
        return [*map(_array, result)] if isinstance(result, (list, tuple)) else _array(result)

    @reentrant
    def compile(self, plan: Plan) -> Executor:
        constants = dict(zip(plan.constants, arrays(plan.constants.values()), strict=True))
        run: Executor = quiet.run(executor, plan._replace(constants=constants), self._planned)

        @reentrant
        def execute(payloads: Sequence[Any]) -> Any:
            return quiet.run(run, arrays(payloads))

        return execute

    def _planned(self, node: PlanNode) -> Callable[..., Any]:
        """A node's kernel as a function of arrays; elementwise ones with large results run in blocks."""
        compute = self._function(node.kernel, node.attrs)
        if node.kernel not in ELEMENTWISE or node.specs[0].size < LARGE_ELEMENTS:
            return compute
        return partial(in_blocks, compute, node.specs[0].shape, self._types[node.specs[0].dtype])

    def _function(self, kernel: str, attrs: Mapping[str, Any]) -> Callable[..., Any]:
        """A kernel as a function of arrays."""
        if "dtype" in attrs:
            attrs = {**attrs, "dtype": self._types[attrs["dtype"]]}
        compute = self._kernels[kernel] if kernel in self._kernels else PLANNED[kernel]
        return partial(compute, **attrs) if attrs else compute

    def implements(self, kernel: str) -> bool:
        return kernel in self._kernels


def double() -> CpuBackend:
    """The numpy backend in float64 throughout."""
    return CpuBackend("double", np.float64, np.complex128)
