"""numpy kernels that create values only from attributes, or from indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.javascript_numbers import to_int32
from tfpy.engine.rng import Alea, Seed


def _fill(shape: tuple[int, ...], value: Any, dtype: Any) -> Array:
    out = np.empty(shape, dtype)
    out[...] = value  # `np.full` would strip trailing zeros of a string
    return out


def _range(start: float, step: float, count: int, dtype: Any) -> Array:
    """Each element is the previous one plus the step, rounded to the dtype, as in TF.js."""
    values = np.empty(count, dtype)
    if count and dtype == np.int32:
        values[:] = to_int32(_whole_steps(math.trunc(start), step, count))
    elif count:
        values[0] = start
        values[1:] = step
        np.add.accumulate(values, out=values)
    return values


def _whole_steps(start: int, step: float, count: int) -> Array:
    """Whole numbers, each truncated before the next step is taken."""
    if float(step).is_integer():
        return start + step * np.arange(count, dtype=np.float64)
    values = np.empty(count)
    value = start
    for i in range(count):
        values[i] = value
        value = math.trunc(value + step)
    return values


def _linspace(start: float, stop: float, count: int, dtype: Any) -> Array:
    values = np.empty(count, dtype)
    values[0] = start
    values[1:] = (stop - start) / (count - 1) if count > 1 else 0
    return np.add.accumulate(values, out=values)


def _one_hot(indices: Array, depth: int, on_value: float, off_value: float, dtype: Any) -> Array:
    """A row of off values with an on value at each index; rows with an index out of range have none."""
    if dtype == np.int32 and (on_value, off_value) != (1, 0):
        on_value, off_value = to_int32(np.array([on_value, off_value], np.float64)).tolist()
    out = np.empty((indices.size, depth), dtype)
    out.fill(off_value)
    flat = indices.reshape(-1)
    rows = (flat.view(np.uint32) < depth).nonzero()[0]  # negative ones are large when viewed as unsigned
    out[rows, flat[rows]] = on_value
    return out.reshape((*indices.shape, depth))


def _multinomial(probabilities: Array, num_samples: int, seed: Seed) -> Array:
    """The first outcome whose cumulative probability exceeds the draw; every row draws the same numbers."""
    draws = Alea(seed).take(num_samples)
    steps = np.add.accumulate(probabilities[:, :-1], axis=1, dtype=probabilities.dtype)
    chosen = [np.searchsorted(np.maximum.accumulate(row), draws, side="right") for row in steps]
    return np.array(chosen, dtype=np.int32).reshape(len(probabilities), num_samples)


KERNELS.update({"Fill": _fill, "LinSpace": _linspace, "Multinomial": _multinomial, "OneHot": _one_hot, "Range": _range})
