"""Ops that make tensors."""

from __future__ import annotations

from typing import Any

from tfpy.graph.mappers import Call, maps, same

same("OnesLike", "ones_like")
same("ZerosLike", "zeros_like")


@maps("Fill", "fill")
def _fill(call: Call, fill: Any) -> Any:
    return fill(call.sizes(0), call.number(1), call.attrs.dtype("T") or call.tensor(1).dtype)


@maps("LinSpace", "linspace")
def _linspace(call: Call, linspace: Any) -> Any:
    return linspace(call.number(0), call.number(1), call.number(2))


@maps("Multinomial", "multinomial")
def _multinomial(call: Call, multinomial: Any) -> Any:
    return multinomial(call.tensor(0), call.number(1), call.attrs.number("seed"))


@maps("OneHot", "one_hot")
def _one_hot(call: Call, one_hot: Any) -> Any:
    dtype = call.attrs.dtype("T") or call.tensor(2).dtype
    return one_hot(call.tensor(0), call.number(1), call.number(2), call.number(3), dtype)


@maps("Ones", "ones")
def _ones(call: Call, ones: Any) -> Any:
    return ones(call.sizes(0), call.attrs.dtype("T"))


@maps("Zeros", "zeros")
def _zeros(call: Call, zeros: Any) -> Any:
    return zeros(call.sizes(0), call.attrs.dtype("T"))


@maps("Range", "range")
def _range(call: Call, range_: Any) -> Any:
    return range_(call.number(0), call.number(1), call.number(2), call.attrs.dtype("Tidx"))


@maps("RandomStandardNormal", "random_standard_normal")
def _random_standard_normal(call: Call, random_standard_normal: Any) -> Any:
    return random_standard_normal(call.sizes(0), call.attrs.dtype("dtype"), _seed(call))


@maps("RandomUniform", "random_uniform")
def _random_uniform(call: Call, random_uniform: Any) -> Any:
    low, high = call.attrs.number("minval", 0), call.attrs.number("maxval", 1)
    return random_uniform(call.sizes(0), low, high, call.attrs.dtype("dtype"), _seed(call))


@maps("RandomUniformInt", "random_uniform_int")
def _random_uniform_int(call: Call, random_uniform_int: Any) -> Any:
    """TensorFlow has the bounds among the inputs, TF.js among the attributes."""
    if len(call.values) > 1:
        low, high = call.number(1), call.number(2)
    else:
        low, high = call.attrs.number("minval"), call.attrs.number("maxval")
    return random_uniform_int(call.sizes(0), low, high, _seed(call))


@maps("TruncatedNormal", "truncated_normal")
def _truncated_normal(call: Call, truncated_normal: Any) -> Any:
    mean, deviation = call.attrs.number("means", 0), call.attrs.number("stddev", 1)
    return truncated_normal(call.sizes(0), mean, deviation, call.attrs.dtype("dtype"), _seed(call))


def _seed(call: Call) -> int | None:
    """The seed; 0 stands for none."""
    return call.attrs.number("seed") or None
