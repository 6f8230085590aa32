"""The workloads of `peers.py`: models with their data and weights, and chains of ops, the same for every contender."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Layer = tuple[Any, ...]


class Workload(NamedTuple):
    """A workload to time.

    Attributes:
        name: its name in the table.
        task: 'fit' (steps of Adam), 'predict', 'chain' or 'elementwise'; the last two without and with a gradient.
        shape: the shape of one batch of inputs.
        layers: of the model: ('lstm', units), ('dense', units, activation), ('conv', filters, size),
            ('depthwise', size), ('norm',), ('pool',), ('flatten',), ('average',) over the time steps,
            ('transformer', heads, hidden units): attention and two dense layers with normalized inputs and residuals.
        steps: the number of steps that are timed together.
    """

    name: str
    task: str
    shape: tuple[int, ...]
    layers: tuple[Layer, ...] = ()
    steps: int = 5


def _recurrent(kind: str) -> list[Workload]:
    def model(units: int, classes: int) -> tuple[Layer, ...]:
        return (kind, units), ("dense", classes, "softmax")

    return [
        Workload(f"{kind} 20, batch 32, 80 steps: fit", "fit", (32, 80, 4), model(20, 3), 20),
        Workload(f"{kind} 128, batch 128, 80 steps: fit", "fit", (128, 80, 4), model(128, 3), 3),
        Workload(f"{kind} 128, characters, 40 steps: fit", "fit", (128, 40, 60), model(128, 60), 3),
    ]


_MLP = ("dense", 128, "relu"), ("dense", 10, "softmax")


def _convnet(a: int, b: int, size: int, *dense: Layer) -> tuple[Layer, ...]:
    return ("conv", a, size), ("pool",), ("conv", b, size), ("pool",), ("flatten",), *dense, ("dense", 10, "softmax")


_SMALL, _LARGE = _convnet(8, 16, 5), _convnet(32, 64, 3, ("dense", 128, "relu"))
_IMAGES = (32, 28, 28, 1)


def _separable(filters: int) -> tuple[Layer, ...]:
    return ("depthwise", 3), ("norm",), ("conv", filters, 1), ("norm",)


_SEPARABLE = ("conv", 16, 3), *_separable(32), ("pool",), *_separable(64), ("flatten",), ("dense", 10, "softmax")

_TRANSFORMER = ("transformer", 4, 512), ("transformer", 4, 512), ("average",), ("dense", 10, "softmax")

WORKLOADS = [
    *_recurrent("rnn"),
    *_recurrent("gru"),
    *_recurrent("lstm"),
    Workload(
        "lstm 20, batch 32, 80 steps: predict", "predict", (32, 80, 4), (("lstm", 20), ("dense", 3, "softmax")), 20
    ),
    Workload("lstm 128, batch 32, 80 steps: fit", "fit", (32, 80, 4), (("lstm", 128), ("dense", 3, "softmax")), 5),
    Workload("lstm 128, batch 128: predict", "predict", (128, 80, 4), (("lstm", 128), ("dense", 3, "softmax")), 5),
    Workload("MLP 784-128-10, batch 32: fit", "fit", (32, 784), _MLP, 50),
    Workload("MLP 784-128-10, batch 128: fit", "fit", (128, 784), _MLP, 20),
    Workload("convnet 8/16, batch 32: fit", "fit", _IMAGES, _SMALL, 5),
    Workload("convnet 32/64, batch 32: fit", "fit", _IMAGES, _LARGE, 3),
    Workload("convnet 8/16: predict", "predict", _IMAGES, _SMALL, 10),
    Workload("convnet 32/64: predict", "predict", _IMAGES, _LARGE, 5),
    Workload("separable convnet, batch 32: fit", "fit", (32, 32, 32, 3), _SEPARABLE, 3),
    Workload("separable convnet: predict", "predict", (32, 32, 32, 3), _SEPARABLE, 5),
    Workload("transformer 128, 64 steps, batch 32: fit", "fit", (32, 64, 128), _TRANSFORMER, 3),
    Workload("transformer 128, 64 steps: predict", "predict", (32, 64, 128), _TRANSFORMER, 3),
    Workload("one sample, MLP: predict", "predict", (1, 784), _MLP, 100),
    Workload("one sample, lstm 128: predict", "predict", (1, 80, 4), (("lstm", 128), ("dense", 3, "softmax")), 20),
    Workload("tiny model, 2 weights: fit", "fit", (4, 2), (("dense", 1, "linear"),), 200),
    Workload("1000 chains of 3 small ops", "chain", (2, 2), (), 1),
    Workload("the same with gradient", "chain gradient", (2, 2), (), 1),
    Workload("tanh(a b + c) mean, 4M", "elementwise", (4_000_000,), (), 3),
    Workload("that with gradient", "elementwise gradient", (4_000_000,), (), 2),
    Workload("matrix product 1024", "product", (1024, 1024), (), 2),
]

_GATES = {"rnn": 1, "gru": 3, "lstm": 4}


def _transformer_weights(normal: Callable[..., np.ndarray], size: int, heads: int, hidden: int) -> list[np.ndarray]:
    def product(*shape: int, inner: int, bias: tuple[int, ...]) -> list[np.ndarray]:
        return [normal(*shape, scale=inner**-0.5), normal(*bias, scale=0.1)]

    width = size // heads
    norm = [np.ones(size, np.float32), np.zeros(size, np.float32)]
    projections = [w for _ in range(3) for w in product(size, heads, width, inner=size, bias=(heads, width))]
    joined = product(heads, width, size, inner=size, bias=(size,))
    dense = product(size, hidden, inner=size, bias=(hidden,)) + product(hidden, size, inner=hidden, bias=(size,))
    return [*norm, *projections, *joined, *norm, *dense]


def arrays_of(workload: Workload) -> dict[str, np.ndarray]:
    """The input x, the labels y, and the weights w0, w1, … in the order and the layout of TF.js's layers.

    Normalization has its initial weights.
    """
    rng = np.random.default_rng(len(workload.name))

    def normal(*shape: int, scale: float = 1.0) -> np.ndarray:
        return (rng.normal(size=shape) * scale).astype(np.float32)

    if not workload.layers:
        return {name: normal(*workload.shape) for name in "abc"}
    weights: list[np.ndarray] = []
    shape = workload.shape[1:]
    for kind, *options in workload.layers:
        if kind in _GATES:
            wide = _GATES[kind] * options[0]
            weights += [normal(n, wide, scale=n**-0.5) for n in (shape[-1], options[0])] + [normal(wide, scale=0.1)]
            shape = (options[0],)
        elif kind == "dense":
            weights += [normal(shape[-1], options[0], scale=shape[-1] ** -0.5), normal(options[0], scale=0.1)]
            shape = (options[0],)
        elif kind == "conv":
            filters, k = options
            weights += [normal(k, k, shape[-1], filters, scale=(k * k * shape[-1]) ** -0.5), normal(filters, scale=0.1)]
            shape = (shape[0] - k + 1, shape[1] - k + 1, filters)
        elif kind == "depthwise":
            (k,) = options
            weights += [normal(k, k, shape[-1], 1, scale=1 / k), normal(shape[-1], scale=0.1)]
            shape = (shape[0] - k + 1, shape[1] - k + 1, shape[-1])
        elif kind == "transformer":
            weights += _transformer_weights(normal, shape[-1], *options)
        elif kind == "average":
            shape = (shape[-1],)
        elif kind == "pool":
            shape = (shape[0] // 2, shape[1] // 2, shape[2])
        elif kind == "flatten":
            shape = (int(np.prod(shape)),)
    labels = np.eye(max(shape[-1], 2), dtype=np.float32)[rng.integers(0, max(shape[-1], 2), workload.shape[0])]
    named = {f"w{i}": w for i, w in enumerate(weights)}
    return {"x": normal(*workload.shape), "y": labels[:, : shape[-1]], **named}
