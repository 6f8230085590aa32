"""The functions of deeplearn.js 0.5, `dl.add` and the like: the core's ops, returning NDArrays; `dl.set_backend`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from tfpy.core import memory
from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.options import accepts_options
from tfpy.core.extending import backends
from tfpy.core.tensor import Tensor
from tfpy.engine.handle import Handle, join_share
from tfpy.engine.tape import stand_in
from tfpy.legacy.arrays.ndarray import NDArray, class_of_rank
from tfpy.legacy.environment import ENV
from tfpy.legacy.math import NDArrayMath, adopted

P = ParamSpec("P")
H = TypeVar("H", bound=Handle)


@overload
def giving_arrays(function: Callable[P, Tensor]) -> Callable[P, NDArray]: ...
@overload
def giving_arrays(function: Callable[P, Any]) -> Callable[P, Any]: ...
def giving_arrays(function: Callable[P, Any]) -> Callable[P, Any]:
    """An op wrapped to return an NDArray, or several, to be read with `get`, `val` and `get_values`."""

    @functools.wraps(function)
    def run(*args: P.args, **keywords: P.kwargs) -> Any:
        compute = ENV.math._wanted(function)
        return adopted(compute(*args, **keywords), (*args, *keywords.values()) if keywords else args)

    return run


def of_functions_of_arrays(differentiate: Callable[[Any], Callable[..., Any]]) -> Callable[[Any], Callable[..., Any]]:
    """`tf.grad` and the like for functions of NDArrays: the functions that they return also return NDArrays."""

    @functools.wraps(differentiate)
    def of(f: Any) -> Callable[..., Any]:
        def on_arrays(*args: Any) -> Any:
            return call_with_as_many(f, *[_array(a) if isinstance(a, Tensor) else a for a in args])

        return giving_arrays(differentiate(on_arrays if callable(f) else f))

    return of


def _array(x: Tensor) -> NDArray:
    """An array that shares a tensor's data and represents it on tapes."""
    array = stand_in(class_of_rank(x.rank), x)
    join_share(x, array)
    return array


@functools.wraps(memory.tidy, assigned=())
def tidy(name_or_fn: Any = None, fn: Any = None, grad_mode: bool = False) -> Any:
    """As `tf.tidy`; in safe mode the outermost one may return no arrays.

    Args:
        name_or_fn: the function; or a name for the scope, before the function.
        fn: the function, when a name is given.
        grad_mode: accepted but ignored: gradients are recorded where they are requested.

    Raises:
        RuntimeError: arrays are returned from the outermost scope in safe mode.

    Source: deeplearn.js 0.5 `tidy`.
    """
    math = ENV.math
    if name_or_fn is None and fn is None and math.safe_mode:
        return math.scope()
    result = memory.tidy(name_or_fn, fn)
    if math.safe_mode:
        math._check_returned(result)
    return result


@functools.wraps(memory.keep, assigned=())
def keep(result: H) -> H:
    """Protect an array from all enclosing scopes; `dispose` frees it.

    Raises:
        RuntimeError: safe mode, and no scope is open.

    Source: deeplearn.js 0.5 `keep`.
    """
    ENV.math.check_scope("keep")
    return memory.keep(result)


@functools.wraps(backends.set_backend, assigned=())
@accepts_options()
def set_backend(backend_type: str, safe_mode: bool = False) -> Any:
    """Switch everything, including the methods of arrays, to another backend, with a new global math.

    Args:
        backend_type: as for `tf.set_backend`.
        safe_mode: whether arrays and ops outside a scope are errors.

    Source: deeplearn.js 0.5 `dl.setBackend`.
    """
    done = backends.set_backend(backend_type)
    NDArrayMath(backends.get_backend(), safe_mode)
    return done


setBackend = set_backend
