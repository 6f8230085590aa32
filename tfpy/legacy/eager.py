"""What makes the core's ops the functions of deeplearn.js 0.5, `dl.add`: they give its arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec

from tfpy.core.tensor import Tensor
from tfpy.legacy.math import adopted
from tfpy.legacy.ndarray import NDArray

P = ParamSpec("P")


def giving_arrays(function: Callable[P, Tensor]) -> Callable[P, NDArray]:
    """An op whose result is an NDArray, to be read with `get`, `val` and `get_values`."""

    @functools.wraps(function)
    def run(*args: P.args, **keywords: P.kwargs) -> NDArray:
        result: NDArray = adopted(function(*args, **keywords), (*args, *keywords.values()))
        return result

    return run
