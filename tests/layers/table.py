"""The table of layers: `test_layers.py` checks construction, config, shapes, gradients and training of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tfpy as tf

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """A layer with options, and the inputs that it is called on.

    Attributes:
        factory: the factory's snake_case name in `tf.layers`.
        options: the layer's options.
        shapes: the shapes of the inputs, batch size first.
        weights: the shapes of the weights, trainable ones first.
        positive: indices of the weights that must be positive.
        integers: if above 0, the inputs are integers below this.
        reference: the output from the inputs and the weights, in numpy.
        call: keywords of the call.
        differentiable: whether the gradient with respect to the inputs is checked.
        wraps: makes the options that hold layers, which are left out of `options`.
    """

    factory: str
    options: dict[str, Any]
    shapes: Sequence[Shape]
    weights: Sequence[Shape] = ()
    positive: Sequence[int] = ()
    integers: int = 0
    reference: Callable[..., Any] | None = None
    call: dict[str, Any] = field(default_factory=dict)
    differentiable: bool = True
    wraps: Callable[[], dict[str, Any]] = dict

    def __str__(self) -> str:
        return f"{self.factory}({', '.join(f'{k}={v}' for k, v in self.options.items())}){list(self.shapes)}"

    def make(self, **more: Any) -> Any:
        return getattr(tf.layers, self.factory)({**self.options, **self.wraps(), **more})

    def arrays(self) -> list[np.ndarray]:
        rng = np.random.default_rng(11)
        if self.integers:
            return [rng.integers(0, self.integers, s).astype(np.float32) for s in self.shapes]
        return [rng.normal(size=s).astype(np.float32) for s in self.shapes]

    def inputs(self, arrays: Sequence[Any] | None = None) -> Any:
        tensors = [tf.tensor(a, dtype="float32") for a in arrays or self.arrays()]
        return tensors[0] if len(tensors) == 1 else tensors

    def random_weights(self) -> list[np.ndarray]:
        rng = np.random.default_rng(12)
        values = [rng.normal(size=s) * 0.5 for s in self.weights]
        return [np.abs(v) + 0.5 if i in self.positive else v for i, v in enumerate(values)]


def row(factory: str, options: dict[str, Any] | None = None, *shapes: Shape, **more: Any) -> Row:
    return Row(factory, options or {}, shapes, **more)
