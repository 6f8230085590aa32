"""NDArrayMath: deeplearn.js's ops on NDArrays, and its scopes.

The ops themselves are the core's; the generated `_math.py` has a method for each. This module has the rest: scopes,
safe mode, debug mode, the choice of the backend, and storage.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, overload

import numpy as np

from tfpy.core.calling.ready import ReadyFloat
from tfpy.core.extending.engine_face import Engine
from tfpy.core.naming.wrappers import name_methods_of
from tfpy.core.results import Record
from tfpy.core.tensor import Tensor
from tfpy.core.variable import Variable, registered_variables
from tfpy.engine import scope as engine_scope
from tfpy.engine.arguments import as_function, as_int, as_int_or_ints
from tfpy.engine.backend import Array, Backend, registry
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle, accounting, all_of, check_live
from tfpy.engine.scope import track
from tfpy.engine.state import local
from tfpy.engine.warn import warn_user
from tfpy.legacy import quirks, scopes
from tfpy.legacy._camel import NDArrayMathCamel
from tfpy.legacy._math import DerivedMath
from tfpy.legacy.arrays.create import check_safe
from tfpy.legacy.arrays.ndarray import NDArray, adopt, shared
from tfpy.legacy.environment import ENV
from tfpy.legacy.math_backends import GPU, chosen_backend
from tfpy.legacy.math_gradients import Gradients

T = TypeVar("T")
H = TypeVar("H", bound=Handle)


class NDArrayMath(DerivedMath, Gradients, NDArrayMathCamel):
    """Ops on arrays.

    Args:
        backend: 'cpu', 'webgl', or a backend. 'cpu' is the current one unless that is on a GPU. 'webgl' is tfpy's GPU
            backend; if there is none, the CPU is used with a warning.
        safe_mode: whether arrays and ops outside a scope are errors.

    The most recently created math becomes the global one, `dl.ENV.math`: its safe mode applies to new arrays.

    Source: deeplearn.js `NDArrayMath`.
    """

    def __init__(self, backend: Any, safe_mode: bool = False) -> None:
        if isinstance(backend, bool):  # up to 0.3.11: NDArrayMath(safeMode)
            backend, safe_mode = "cpu", backend
        self.safe_mode = bool(safe_mode)
        self._backend = chosen_backend(backend)
        self._debug = False
        self._variables: dict[str, Variable] = {}
        ENV.set_math(self)

    def __repr__(self) -> str:
        backend = "cpu" if self._backend is None else self._backend.name
        return f"{type(self).__name__}(backend={backend!r}, safe_mode={self.safe_mode})"

    # Scopes

    @overload
    def scope(self, scope_fn: Callable[..., T]) -> T: ...
    @overload
    def scope(self) -> scopes.ScopeBlock: ...
    def scope(self, scope_fn: Any = None) -> Any:
        """Run a function in a scope; at its end all arrays created in it are disposed, except those returned or kept.

        Args:
            scope_fn: a function of (keep, track) or fewer arguments. Async functions may be awaited; their scope ends
                when they finish.

        Returns:
            The function's result. Arrays in it, also in nested lists and dicts, belong to the enclosing scope. Without
            a function (beyond deeplearn.js), a context manager; arrays assigned to its `result` survive.

        Raises:
            TypeError: not a function. RuntimeError: arrays are returned from the outermost scope in safe mode. Errors
                of the function are propagated; its arrays are disposed then too.
        """
        if scope_fn is None:
            return scopes.ScopeBlock(self._check_returned)
        if not callable(scope_fn):
            raise argument_error("scope", "scope_fn", "a function of keep and track", scope_fn, TypeError)
        result = scopes.run_scope(scope_fn, self.keep, self.track)
        if isinstance(result, Coroutine):
            return self._check_returned_later(result)
        self._check_returned(result)
        return result

    def start_scope(self, name: str | bool | None = None, gradients_mode: bool = False) -> None:
        """Open a scope; pair it with `end_scope`.

        0.5's name and `gradients_mode` are accepted but ignored: gradients are recorded where they are requested.
        """
        engine_scope.start_scope("start_scope")

    def end_scope(self, result: Any = None, gradients_mode: bool = False) -> None:
        """Close the innermost scope; `result` survives and belongs to the enclosing scope.

        Args:
            result: what survives.
            gradients_mode: accepted but ignored, as in `start_scope`.

        Raises:
            RuntimeError: no scope is open.
        """
        scopes.end_scope(result)
        self._check_returned(result)

    def _check_returned(self, result: Any) -> None:
        """In safe mode, reject arrays that no scope owns."""
        if self.safe_mode and any(not handle.kept for handle in engine_scope.handles_in(result)):
            check_safe("scope: an array is returned from the outermost scope", True)

    async def _check_returned_later(self, coroutine: Coroutine[Any, Any, T]) -> T:
        result = await coroutine
        self._check_returned(result)
        return result

    def keep(self, result: H) -> H:
        """Protect an array from its scope and all enclosing ones; `dispose` frees it."""
        self.check_scope("keep")
        if not isinstance(result, Handle):
            raise argument_error("keep", "result", "an NDArray", result, TypeError)
        check_live(result, "keep")
        engine_scope.keep(result)
        return result

    def track(self, result: H) -> H:
        """The array itself: arrays created in a scope belong to it anyway (from 0.3.15 on)."""
        self.check_scope("track")
        return result

    def check_scope(self, op: str) -> None:
        """Raise RuntimeError in safe mode when no scope is open."""
        check_safe(op, self.safe_mode)

    # Running ops

    def _run(self, function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        """Call an op on this math's backend, with the selected numerics; its results become NDArrays."""
        compute = self._wanted(function)
        backend = self._wanted_backend()
        if backend is None:
            out = compute(*args, **keywords)
        else:
            state = local.state
            state.backend = backend
            try:
                out = compute(*args, **keywords)
            finally:
                state.backend = None
        result = adopted(out, args)
        if self._debug:
            _check_numbers(function.__name__, result)
        return result

    def _wanted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function that computes an op with the selected numerics; in safe mode only inside an open scope."""
        if self.safe_mode:
            check_safe(function.__name__, True)
        return quirks.numbers_of(function)

    def _wanted_backend(self) -> Backend | None:
        """The backend to switch to for an op; None if it is the current one."""
        if local.state.backend is not None:
            return None
        now = registry.current or registry.default()
        if self._backend is None:
            return registry.find("cpu") if now.on_gpu else None
        return None if self._backend is now else self._backend

    @contextmanager
    def computing(self) -> Iterator[None]:
        """A context manager that runs this thread's ops on this math's backend."""
        state = local.state
        outer = state.backend
        state.backend = self._wanted_backend() or outer
        try:
            yield
        finally:
            state.backend = outer

    def enable_debug_mode(self) -> None:
        """Check every later result for NaN, and raise at the first one."""
        self._debug = True
        warn_user("Debug mode: every result of math is read and checked for NaN, which is slow.")

    # Storage

    def get_num_arrays(self) -> int:
        """The number of live data buffers in the process; arrays that share data count once. Unreferenced graphs are
        garbage-collected first, since their data would be counted until then.
        """
        gc.collect()
        return accounting.tensors - accounting.aliases

    def register(self, a: NDArray) -> None:
        """Make the innermost scope own an array. Arrays created in it belong to it anyway."""
        if not isinstance(a, NDArray):
            raise argument_error("register", "a", "an NDArray", a, TypeError)
        check_live(a, "register")
        track(a)

    def register_variable(self, v: Any) -> None:
        """Register a variable under its name, which must be new to this math."""
        if not isinstance(v, Variable):
            raise argument_error("register_variable", "v", "a variable", v, TypeError)
        if v.name in self._variables:
            raise ValueError(f"register_variable: a variable named {v.name!r} is already registered.")
        self._variables[v.name] = v

    @property
    def engine(self) -> Engine:
        """`ENV.engine` (0.5)."""
        return ENV.engine

    @property
    def registered_variables(self) -> dict[str, Variable]:
        """The live variables by name, and those registered here."""
        return {**registered_variables(), **self._variables}

    def read_sync(self, id: int) -> Array:
        """The values of the NDArray with the given id (found by a slow search through all objects)."""
        return _by_id("read_sync", id).get_values()

    async def read(self, id: int) -> Array:
        """`read_sync`, to be awaited."""
        return self.read_sync(id)

    def write(self, id: int, values: Any, dtype: str | None = None, shape: Sequence[int] | None = None) -> None:
        """Set the values of the NDArray with the given id, whose number must not change."""
        array = _by_id("write", id)
        new = np.asarray(values).reshape(-1)
        if new.size != array.size:
            raise argument_error("write", "values", f"{array.size} values", new)
        array.writable_values("write")[:] = new

    def write_pixels(self, id: int, pixels: Any, num_channels: int) -> None:
        """Set the values of the NDArray with the given id to the pixels of an image."""
        image = NDArray.from_pixels(pixels, num_channels)
        self.write(id, image.get_values())
        image.dispose()

    def dispose_data(self, id: int) -> None:
        """Dispose the NDArray with the given id."""
        _by_id("dispose_data", id).dispose()

    def copy2d(
        self,
        source: NDArray,
        source_begin: Sequence[int],
        source_size: Sequence[int],
        dest: NDArray,
        dest_begin: Sequence[int],
        dest_size: Sequence[int],
    ) -> None:
        """Write a block of one matrix into a block of another, element by element in row-major order.

        Args:
            source: the matrix to read.
            source_begin: the first row and column of its block.
            source_size: the rows and columns of its block.
            dest: the matrix to write to.
            dest_begin: the first row and column of its block.
            dest_size: its rows and columns, of as many elements as source_size.

        Raises:
            ValueError: a block outside its matrix, or blocks of different sizes.

        Source: deeplearn.js 0.1 `math.copy2D`.
        """
        self.check_scope("copy2d")
        block = _block("source", source, source_begin, source_size)
        values = np.asarray(source)[block]
        into = _block("dest", dest, dest_begin, dest_size)
        shape = as_int_or_ints("copy2d", "dest_size", dest_size)
        if values.size != shape[0] * shape[1]:
            raise argument_error("copy2d", "dest_size", f"of {values.size} elements, as the source", list(shape))
        dest.writable_values("copy2d").reshape(dest.shape)[into] = values.reshape(shape)

    def time(self, query: Callable[[], Any]) -> ReadyFloat:
        """The run time of a function in milliseconds; it may be awaited."""
        as_function("time", "query", query)
        start = time.perf_counter()
        result = query()
        if isinstance(result, NDArray):
            result.host_values("time")  # wait for it
        return ReadyFloat((time.perf_counter() - start) * 1000)

    def dispose(self) -> None:
        """Do nothing: arrays are freed with their last reference."""


name_methods_of(NDArrayMath, DerivedMath)


class NDArrayMathCPU(NDArrayMath):
    """The math of the CPU. Source: deeplearn.js `NDArrayMathCPU`."""

    def __init__(self, safe_mode: bool = False) -> None:
        super().__init__("cpu", safe_mode)


class NDArrayMathGPU(NDArrayMath):
    """The math of the GPU, or of the CPU, with a warning, if there is no GPU backend.

    Source: deeplearn.js `NDArrayMathGPU`.
    """

    def __init__(self, gpgpu: Any = None, safe_mode: bool = False) -> None:
        # A WebGL context has no counterpart; a boolean in its place has the same meaning as for NDArrayMathCPU.
        super().__init__(GPU, gpgpu if isinstance(gpgpu, bool) else safe_mode)

    def get_gpgpu_context(self) -> Any:
        """deeplearn.js: the WebGL context. There is none here; the method exists to say so."""
        raise RuntimeError("get_gpgpu_context: tfpy's GPU backend does not share its context.")

    getGPGPUContext = get_gpgpu_context


def adopted(out: Any, args: Sequence[Any] = ()) -> Any:
    """The result of an op with NDArrays in place of tensors; one that is also an argument is shared, not moved."""
    if isinstance(out, NDArray):
        return out
    if isinstance(out, Tensor):
        for given in args:
            if given is out:
                return shared(out)
        return shared(out) if isinstance(out, Variable) else adopt(out)
    if isinstance(out, Record):
        return type(out)(*[adopted(part, args) for part in out])
    if isinstance(out, (list, tuple)):
        return [adopted(part, args) for part in out]
    if isinstance(out, Mapping):
        return {name: adopted(part, args) for name, part in out.items()}
    return out


def _check_numbers(op: str, result: Any) -> None:
    for handle in engine_scope.handles_in(result):
        values = np.asarray(handle)
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise ValueError(f"The result of the last math.{op} has NaNs.")


def _by_id(op: str, id: int) -> NDArray:
    wanted = as_int(op, "id", id)
    for array in all_of(NDArray):
        if array.id == wanted and array.backend is not None:
            return array
    raise argument_error(op, "id", "the id of a live NDArray", id)


def _block(what: str, matrix: Any, begin: Sequence[int], size: Sequence[int]) -> tuple[slice, slice]:
    if not isinstance(matrix, NDArray) or matrix.rank != 2:
        raise argument_error("copy2d", what, "an Array2D", matrix, TypeError)
    first = as_int_or_ints("copy2d", f"{what}_begin", begin)
    count = as_int_or_ints("copy2d", f"{what}_size", size)
    inside = len(first) == len(count) == 2 and min(*first, *count) >= 0
    if not inside or any(b + s > n for b, s, n in zip(first, count, matrix.shape, strict=True)):
        expected = f"a block inside shape {list(matrix.shape)}"
        raise argument_error("copy2d", what, expected, f"begin {list(first)}, size {list(count)}")
    return slice(first[0], first[0] + count[0]), slice(first[1], first[1] + count[1])
