"""Ops that reduce, scan, sort and count."""

from __future__ import annotations

from typing import Any

from tfpy.core.ops.count import bincount, dense_bincount
from tfpy.core.ops.norm import euclidean_norm
from tfpy.core.ops.reduce import all_, any_, arg_max, arg_min, max_, mean, min_, prod, sum_
from tfpy.core.ops.scan import cumprod, cumsum
from tfpy.core.ops.search import lower_bound, topk, unique, upper_bound
from tfpy.core.ops.softmax import log_softmax, softmax
from tfpy.graph.mappers import Call, Op, maps, same


def _reduces(name: str, op: Op) -> None:
    maps(name)(lambda call: op(call.tensor(0), call.numbers(1), call.attrs.flag("keep_dims")))


for _name, _op in {
    "All": all_,
    "Any": any_,
    "EuclideanNorm": euclidean_norm,
    "Max": max_,
    "Mean": mean,
    "Min": min_,
    "Prod": prod,
    "Sum": sum_,
}.items():
    _reduces(_name, _op)


@maps("ArgMax")
def _arg_max(call: Call) -> Any:
    return arg_max(call.tensor(0), call.number(1))


@maps("ArgMin")
def _arg_min(call: Call) -> Any:
    return arg_min(call.tensor(0), call.number(1))


def _scans(name: str, op: Op) -> None:
    maps(name)(
        lambda call: op(call.tensor(0), call.number(1), call.attrs.flag("exclusive"), call.attrs.flag("reverse"))
    )


_scans("Cumsum", cumsum)
_scans("Cumprod", cumprod)


@maps("Bincount")
def _bincount(call: Call) -> Any:
    return bincount(call.tensor(0), call.tensor(2), call.number(1))


@maps("DenseBincount")
def _dense_bincount(call: Call) -> Any:
    return dense_bincount(call.tensor(0), call.tensor(2), call.number(1), call.attrs.flag("binary_output"))


@maps("TopKV2", outputs="values indices")
def _topk(call: Call) -> Any:
    return list(topk(call.tensor(0), call.number(1), call.attrs.flag("sorted", True)))


@maps("Unique", outputs="y idx")
def _unique(call: Call) -> Any:
    return list(unique(call.tensor(0)))


@maps("UniqueV2", outputs="y idx")
def _unique_v2(call: Call) -> Any:
    axes = call.sizes(1)
    return list(unique(call.tensor(0), axes[0] if axes else 0))


same("LowerBound", lower_bound)
same("UpperBound", upper_bound)
same("Softmax", softmax)
same("LogSoftmax", log_softmax)
