"""A case of an op, with random arguments that depend only on the case."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import tfpy as tf


@dataclass(frozen=True)
class Arg:
    """A random tensor argument, float32 by default."""

    shape: tuple[int, ...]
    low: float = -2.0
    high: float = 2.0
    dtype: str = "float32"
    distinct: bool = False

    def make(self, rng: np.random.Generator) -> Any:
        if self.dtype == "bool":
            return rng.integers(0, 2, self.shape).astype(bool)
        if self.dtype == "int32":
            return rng.integers(int(self.low), int(self.high) + 1, self.shape).astype(np.int32)
        if self.distinct:
            size = int(np.prod(self.shape))
            return rng.permutation(np.linspace(self.low, self.high, size)).reshape(self.shape)
        values = rng.uniform(self.low, self.high, self.shape)
        return values + 1j * rng.uniform(self.low, self.high, self.shape) if self.dtype == "complex64" else values


def floats(*shape: int, low: float = -2.0, high: float = 2.0) -> Arg:
    return Arg(shape, low, high)


def positive(*shape: int, low: float = 0.2, high: float = 2.0) -> Arg:
    return Arg(shape, low, high)


def distinct(*shape: int, low: float = -2.0, high: float = 2.0) -> Arg:
    """Well-separated values in random order, for ops that are not smooth at ties."""
    return Arg(shape, low, high, distinct=True)


def ints(*shape: int, low: int = -5, high: int = 5) -> Arg:
    return Arg(shape, low, high, "int32")


def bools(*shape: int) -> Arg:
    return Arg(shape, dtype="bool")


def complexes(*shape: int) -> Arg:
    return Arg(shape, dtype="complex64")


@dataclass
class Case:
    """One call of an op.

    Attributes:
        args: positional arguments; an Arg, alone or in a list, is a random tensor.
        options: keyword arguments.
        reference: the op in numpy on float64 arrays, or None to compare with the float64 backend.
        order: the highest derivative that is checked; 0 for ops without a gradient.
        tolerance: overrides the gradient's tolerance, for a stated reason.
        error: the exception that the call must raise instead.
    """

    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    reference: Callable[..., Any] | None = None
    order: int = 2
    tolerance: float | None = None
    error: type[Exception] | None = None
    op: str = ""
    number: int = 0

    def __str__(self) -> str:
        return f"{self.op}-{self.number}"

    @property
    def function(self) -> Callable[..., Any]:
        return attribute(self.op)

    def values(self) -> list[Any]:
        """The arguments as numpy arrays and plain values."""
        rng = np.random.default_rng(zlib.crc32(str(self).encode()))
        return [_filled(a, lambda arg: arg.make(rng) if isinstance(arg, Arg) else arg) for a in self.args]

    def arguments(self) -> list[Any]:
        """The arguments as tensors on the current backend."""
        return [_filled(a, as_tensor) for a in self.values()]

    def run(self, arguments: Sequence[Any] | None = None) -> Any:
        return self.function(*(self.arguments() if arguments is None else arguments), **self.options)


def attribute(path: str) -> Any:
    target: Any = tf
    for name in path.split("."):
        target = getattr(target, name)
    return target


def _filled(value: Any, fill: Callable[[Any], Any]) -> Any:
    if isinstance(value, (Arg, np.ndarray)):
        return fill(value)
    if isinstance(value, list):
        return [_filled(v, fill) for v in value]
    return value


def as_tensor(array: Any) -> Any:
    """An array as a tensor on the current backend."""
    if np.iscomplexobj(array):
        return tf.complex(tf.tensor(array.real), tf.tensor(array.imag))
    return tf.tensor(array)


def case(*args: Any, **settings: Any) -> Case:
    """A case: arguments, then `options=`, `reference=`, `order=`, `tolerance=`."""
    return Case(args, **settings)


def raises(error: type[Exception], *args: Any, **options: Any) -> Case:
    """A call that must raise."""
    return Case(args, options, error=error)


def outputs(result: Any) -> list[Any]:
    """The tensors of a result, in order."""
    if isinstance(result, tf.Tensor):
        return [result]
    return [t for part in result for t in outputs(part)]
