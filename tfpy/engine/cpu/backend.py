"""The numpy backends: `cpu` in float32, `exact` in float64 with every result rounded to float32, `double` in float64.

The kernels never name float32, so all three run the same ones. `exact` computes as the TF.js cpu backend does (in
double, storing each op's result in a Float32Array) and serves to compare with its numbers bit for bit; `double` keeps
the full precision and serves to check gradients.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from sys import getrefcount
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from tfpy.engine.backend import Array, Defaults, Outputs
from tfpy.engine.cpu.elementwise import ELEMENTWISE
from tfpy.engine.cpu.exact import EXACT, rounded
from tfpy.engine.cpu.fused import FUSED
from tfpy.engine.cpu.lazy import LARGE, Lazy, defer, forced, in_blocks
from tfpy.engine.cpu.moments import MOMENTS
from tfpy.engine.cpu.replay import executor
from tfpy.engine.cpu.sequence_cells import SEQUENCES
from tfpy.engine.cpu.stepwise import STEPWISE
from tfpy.engine.cpu.table import KERNELS, PLANNED
from tfpy.engine.cpu.update import UPDATES
from tfpy.engine.dtypes import NUMPY, DType
from tfpy.engine.handle import Handle
from tfpy.engine.hooks import is_hooked
from tfpy.engine.plan import Executor, Plan, PlanNode
from tfpy.engine.spec import Spec


class _Quiet(threading.local):
    """A context per thread in which numpy is silent about overflow, division by zero and NaN.

    Running a kernel in it costs a fiftieth of entering `np.errstate`, and the user's own settings stay as they are.

    A context is entered once at a time. What a signal's handler or a finalizer runs in the middle of a kernel is in it
    already: the RuntimeError of entering it again leads to `within`.
    """

    def __init__(self) -> None:
        context = contextvars.copy_context()
        context.run(np.seterr, all="ignore")
        context.run(_is_quiet.set, True)
        self.run = self._enter = context.run

    @contextmanager
    def within(self, error: RuntimeError) -> Iterator[None]:
        """Run kernels in the context that this thread is in; raises the error if that is another, and it means more."""
        if not _is_quiet.get() or self.run is not self._enter:
            raise error
        self.run = _called  # type: ignore[assignment]
        try:
            yield
        finally:
            self.run = self._enter


def _called(function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
    return function(*args, **keywords)


_is_quiet = contextvars.ContextVar("_is_quiet", default=False)
_quiet = _Quiet()
_array = np.asarray

F = TypeVar("F", bound=Callable[..., Any])


def _anywhere(function: F) -> F:
    """Let a function that uses `_quiet` run in the middle of a kernel, too."""

    @wraps(function)
    def run(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except RuntimeError as error:
            with _quiet.within(error):
                return function(*args, **keywords)

    return cast("F", run)


@_anywhere
def _forced(payload: Any) -> Array:
    return _quiet.run(forced, payload)


def arrays(payloads: Iterable[Any]) -> list[Array]:
    """The arrays of payloads, some of which may not have been computed yet."""
    return [p if type(p) is np.ndarray else _forced(p) for p in payloads]


_TOTALS = ("Sum", "Mean")


class _Tensor(NamedTuple):
    payload: object


def _references(tensor: _Tensor) -> int:
    """The references to a tensor's payload, counted as `_run_any` counts them."""
    payloads = [tensor.payload]
    last = payloads[0]
    return getrefcount(last)


_BY_ONE_TENSOR = _references(_Tensor(object()))
"""The count of references to a payload that only one tensor refers to."""


class CpuBackend(Defaults):
    """numpy arrays as payloads, kernels as numpy functions."""

    immediate = True
    _is_lazy = True

    def __init__(self, name: str = "cpu", real: type = np.float32, compound: type = np.complex64) -> None:
        self.name = name
        self._kernels: Mapping[str, Callable[..., Any]] = KERNELS
        self._types = NUMPY | {"float32": real, "complex64": compound}

    def __init_subclass__(cls) -> None:
        """One that runs kernels in another way runs no plans, which know of this way only, unless it says how."""
        if cls.run is not CpuBackend.run and cls.compile is CpuBackend.compile:
            cls.compile = None  # type: ignore[method-assign, assignment]

    def write(self, values: Array, dtype: DType) -> Array:
        try:
            return _quiet.run(np.array, values, dtype=self._types[dtype], order="C")  # a double may overflow float32
        except RuntimeError as error:
            with _quiet.within(error):
                return self.write(values, dtype)

    def read(self, payload: Any, dtype: DType) -> Array:
        return arrays((payload,))[0]

    def run(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:  # noqa: C901
        try:
            compute = self._kernels[kernel]
            # Unpacking and empty keywords cost a tenth of an op: the commonest calls are spelled out.
            if type(out) is Spec and (size := out.size) < LARGE and size:  # no elements may come of what was put off
                if not attrs:
                    if len(inputs) == 2:
                        a, b = inputs
                        result = _quiet.run(compute, a.payload, b.payload)
                    elif len(inputs) == 1:
                        result = _quiet.run(compute, inputs[0].payload)
                    else:
                        result = _quiet.run(compute, *[t.payload for t in inputs])
                    return result if type(result) is np.ndarray else _array(result)  # it may be a numpy scalar
                result, keywords = None, attrs
                if "dtype" in attrs:
                    keywords = {**attrs, "dtype": self._types[attrs["dtype"]]}
                if len(inputs) == 1:  # no names for lazy payloads: `_run_any` counts references
                    if type(inputs[0].payload) is np.ndarray:
                        result = _quiet.run(compute, inputs[0].payload, **keywords)
                elif len(inputs) == 2:
                    if type(inputs[0].payload) is type(inputs[1].payload) is np.ndarray:
                        result = _quiet.run(compute, inputs[0].payload, inputs[1].payload, **keywords)
                elif not inputs:
                    result = _quiet.run(compute, **keywords)
                if result is not None:
                    return result if type(result) is np.ndarray else _array(result)
            return self._run_any(kernel, inputs, attrs, out)
        except RuntimeError as error:
            with _quiet.within(error):
                return self.run(kernel, inputs, attrs, out)

    def _run_any(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        """`run` for kernels of any kind: on large arrays, on what was put off, with several results."""
        payloads = [t.payload for t in inputs]
        if self._is_lazy and kernel in ELEMENTWISE and type(out) is Spec and out.size >= LARGE and not is_hooked(self):
            later = _quiet.run(defer, self._function(kernel, attrs), payloads, out.shape, self._types[out.dtype])
            if later is not None:
                return later
        if Lazy in map(type, payloads):
            last = payloads[0]
            if kernel in _TOTALS and len(attrs["axes"]) == last.ndim:
                last.shared = getrefcount(last) > _BY_ONE_TENSOR
            else:
                payloads = arrays(payloads)
        if "dtype" in attrs:
            attrs = {**attrs, "dtype": self._types[attrs["dtype"]]}
        result = _quiet.run(self._kernels[kernel], *payloads, **attrs)
        if type(result) is np.ndarray:
            return result
        return [*map(_array, result)] if isinstance(result, (list, tuple)) else _array(result)

    def compile(self, plan: Plan) -> Executor:
        constants = dict(zip(plan.constants, arrays(plan.constants.values()), strict=True))
        run: Executor = _quiet.run(executor, plan._replace(constants=constants), self._planned)

        @_anywhere
        def execute(payloads: Sequence[Any]) -> Any:
            return _quiet.run(run, arrays(payloads))

        return execute

    def _planned(self, node: PlanNode) -> Callable[..., Any]:
        """A node's kernel as a function of arrays; an elementwise one runs in blocks if its result is large."""
        compute = self._function(node.kernel, node.attrs)
        if node.kernel not in ELEMENTWISE or node.specs[0].size < LARGE:
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


# Kernels that do what TF.js does in several, each of which rounds.
_COMPOSED = frozenset((*FUSED, *MOMENTS, *SEQUENCES, *UPDATES))


class ExactBackend(CpuBackend):
    """The same kernels in double precision, each result rounded to what float32 can hold.

    It has no fused kernels, whose steps TF.js rounds one by one, and runs their parts instead. It runs no plans: what
    it is for is comparing.
    """

    _is_lazy = False

    def __init__(self) -> None:
        super().__init__("exact", np.float64, np.complex128)
        self._kernels = {name: k for name, k in (KERNELS | EXACT | STEPWISE).items() if name not in _COMPOSED}

    @_anywhere
    def write(self, values: Array, dtype: DType) -> Array:
        return _quiet.run(rounded, super().write(values, dtype))

    def read(self, payload: Array, dtype: DType) -> Array:
        narrow = {"float32": np.float32, "complex64": np.complex64}.get(dtype)
        return payload if narrow is None else payload.astype(narrow)

    @_anywhere
    def run(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        result = super().run(kernel, inputs, attrs, out)
        if isinstance(result, list):
            return [_quiet.run(rounded, r) for r in result]
        return _quiet.run(rounded, result)


def double() -> CpuBackend:
    """The numpy backend in float64 throughout."""
    return CpuBackend("double", np.float64, np.complex128)
