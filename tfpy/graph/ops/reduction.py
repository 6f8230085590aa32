"""Ops that reduce, scan, sort and count."""

from __future__ import annotations

from typing import Any

from tfpy.graph.mappers import Call, maps, same


def _reduces(name: str, core: str) -> None:
    maps(name, core)(lambda call, op: op(call.tensor(0), call.numbers(1), call.attrs.flag("keep_dims")))


for _name, _core in {
    "All": "all",
    "Any": "any",
    "EuclideanNorm": "euclidean_norm",
    "Max": "max",
    "Mean": "mean",
    "Min": "min",
    "Prod": "prod",
    "Sum": "sum",
}.items():
    _reduces(_name, _core)


@maps("ArgMax", "arg_max")
def _arg_max(call: Call, arg_max: Any) -> Any:
    return arg_max(call.tensor(0), call.number(1))


@maps("ArgMin", "arg_min")
def _arg_min(call: Call, arg_min: Any) -> Any:
    return arg_min(call.tensor(0), call.number(1))


def _scans(name: str, core: str) -> None:
    maps(name, core)(
        lambda call, op: op(call.tensor(0), call.number(1), call.attrs.flag("exclusive"), call.attrs.flag("reverse"))
    )


_scans("Cumsum", "cumsum")
_scans("Cumprod", "cumprod")


@maps("Bincount", "bincount")
def _bincount(call: Call, bincount: Any) -> Any:
    return bincount(call.tensor(0), call.tensor(2), call.number(1))


@maps("DenseBincount", "dense_bincount")
def _dense_bincount(call: Call, dense_bincount: Any) -> Any:
    return dense_bincount(call.tensor(0), call.tensor(2), call.number(1), call.attrs.flag("binary_output"))


@maps("TopKV2", "topk", "values indices")
def _topk(call: Call, topk: Any) -> Any:
    return list(topk(call.tensor(0), call.number(1), call.attrs.flag("sorted", True)))


@maps("Unique", "unique", "y idx")
def _unique(call: Call, unique: Any) -> Any:
    return list(unique(call.tensor(0)))


@maps("UniqueV2", "unique", "y idx")
def _unique_v2(call: Call, unique: Any) -> Any:
    axes = call.sizes(1)
    return list(unique(call.tensor(0), axes[0] if axes else 0))


same("LowerBound", "lower_bound")
same("UpperBound", "upper_bound")
same("Softmax", "softmax")
same("LogSoftmax", "log_softmax")
