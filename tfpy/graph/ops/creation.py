"""Ops that create tensors."""

from __future__ import annotations

from typing import Any

from tfpy.core.ops.create import fill, linspace, one_hot, ones, ones_like, range_, zeros, zeros_like
from tfpy.core.ops.random import (
    multinomial,
    random_standard_normal,
    random_uniform,
    random_uniform_int,
    truncated_normal,
)
from tfpy.graph.mappers import Call, maps, same

same("OnesLike", ones_like)
same("ZerosLike", zeros_like)


@maps("Fill")
def _fill(call: Call) -> Any:
    return fill(call.sizes(0), call.number(1), call.attrs.dtype("T") or call.tensor(1).dtype)


@maps("LinSpace")
def _linspace(call: Call) -> Any:
    return linspace(call.number(0), call.number(1), call.number(2))


@maps("Multinomial")
def _multinomial(call: Call) -> Any:
    return multinomial(call.tensor(0), call.number(1), call.attrs.number("seed"))


@maps("OneHot")
def _one_hot(call: Call) -> Any:
    dtype = call.attrs.dtype("T") or call.tensor(2).dtype
    return one_hot(call.tensor(0), call.number(1), call.number(2), call.number(3), dtype)


@maps("Ones")
def _ones(call: Call) -> Any:
    return ones(call.sizes(0), call.attrs.dtype("T"))


@maps("Zeros")
def _zeros(call: Call) -> Any:
    return zeros(call.sizes(0), call.attrs.dtype("T"))


@maps("Range")
def _range(call: Call) -> Any:
    return range_(call.number(0), call.number(1), call.number(2), call.attrs.dtype("Tidx"))


@maps("RandomStandardNormal")
def _random_standard_normal(call: Call) -> Any:
    return random_standard_normal(call.sizes(0), call.attrs.dtype("dtype"), _seed(call))


@maps("RandomUniform")
def _random_uniform(call: Call) -> Any:
    low, high = call.attrs.number("minval", 0), call.attrs.number("maxval", 1)
    return random_uniform(call.sizes(0), low, high, call.attrs.dtype("dtype"), _seed(call))


@maps("RandomUniformInt")
def _random_uniform_int(call: Call) -> Any:
    """The bounds are inputs in TensorFlow, attributes in TF.js."""
    if len(call.values) > 1:
        low, high = call.number(1), call.number(2)
    else:
        low, high = call.attrs.number("minval"), call.attrs.number("maxval")
    return random_uniform_int(call.sizes(0), low, high, _seed(call))


@maps("TruncatedNormal")
def _truncated_normal(call: Call) -> Any:
    mean, deviation = call.attrs.number("means", 0), call.attrs.number("stddev", 1)
    return truncated_normal(call.sizes(0), mean, deviation, call.attrs.dtype("dtype"), _seed(call))


def _seed(call: Call) -> int | None:
    """The seed; 0 means none."""
    return call.attrs.number("seed") or None
