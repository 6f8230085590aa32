"""What makes the core's ops the functions of deeplearn.js 0.5, `dl.add`: they give its arrays. And `dl.set_backend`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, overload

from tfpy.core import backends
from tfpy.core.options import accepts_options
from tfpy.core.results import call_with_as_many
from tfpy.core.tensor import Tensor
from tfpy.engine.handle import join_share
from tfpy.engine.tape import standing_for
from tfpy.legacy.math import NDArrayMath, adopted
from tfpy.legacy.ndarray import NDArray, class_of_rank

P = ParamSpec("P")


@overload
def giving_arrays(function: Callable[P, Tensor]) -> Callable[P, NDArray]: ...
@overload
def giving_arrays(function: Callable[P, Any]) -> Callable[P, Any]: ...
def giving_arrays(function: Callable[P, Any]) -> Callable[P, Any]:
    """An op whose result is an NDArray, or several, to be read with `get`, `val` and `get_values`."""

    @functools.wraps(function)
    def run(*args: P.args, **keywords: P.kwargs) -> Any:
        return adopted(function(*args, **keywords), (*args, *keywords.values()))

    return run


def of_functions_of_arrays(differentiate: Callable[[Any], Callable[..., Any]]) -> Callable[[Any], Callable[..., Any]]:
    """`tf.grad` and the like for functions of NDArrays; what they make gives NDArrays."""

    @functools.wraps(differentiate)
    def of(f: Any) -> Callable[..., Any]:
        def on_arrays(*args: Any) -> Any:
            return call_with_as_many(f, *[_array(a) if isinstance(a, Tensor) else a for a in args])

        return giving_arrays(differentiate(on_arrays if callable(f) else f))

    return of


def _array(x: Tensor) -> NDArray:
    """An array that shares a tensor's data, and that tapes take for it."""
    array = standing_for(class_of_rank(x.rank), x, x.payload, x.backend)
    join_share(x, array)
    return array


@functools.wraps(backends.set_backend, assigned=())
@accepts_options()
def set_backend(backend_type: str, safe_mode: bool = False) -> Any:
    """Run everything from here on on another backend, also the methods of arrays: a new global math is made for it.

    Args:
        backend_type: as `tf.set_backend` takes it.
        safe_mode: whether arrays and ops outside a scope are errors.

    Source: deeplearn.js 0.5 `dl.setBackend`.
    """
    done = backends.set_backend(backend_type)
    NDArrayMath(backends.get_backend(), safe_mode)
    return done


setBackend = set_backend
