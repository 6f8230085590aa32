"""Rows of the kernels that create values only from attributes, or from indices."""

from __future__ import annotations

from tfpy.engine.dtypes import DType
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import described, kernel
from tfpy.engine.spec import Shape, Spec, spec


def _vector(*, count: int, dtype: DType, **attrs: float) -> Spec:
    return spec((count,), dtype)


def _one_hot(indices: Handle, *, depth: int, on_value: float, off_value: float, dtype: DType) -> Spec:
    return spec((*indices.spec.shape, depth), dtype)


kernel("Fill", "", described, attrs="shape value dtype")
kernel("Range", "", _vector, attrs="start step count dtype")
kernel("LinSpace", "", _vector, attrs="start stop count dtype", label="linspace")
kernel("OneHot", "indices", _one_hot, attrs="depth on_value off_value dtype", label="one_hot")


def _random(key: Handle, *, shape: Shape, dtype: DType) -> Spec:
    return spec(shape, dtype)


def _multinomial(probabilities: Handle, *, num_samples: int, seed: int | float | str) -> Spec:
    return spec((probabilities.spec.shape[0], num_samples), "int32")


# Float32 numbers in [0, 1), determined by two words, the key: the same on every backend.
kernel("RandomUniform", "key", _random, attrs="shape dtype", label="random numbers")
kernel("Multinomial", "probabilities", _multinomial, attrs="num_samples seed")
