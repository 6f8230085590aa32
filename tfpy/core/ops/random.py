"""Random tensors. A seed yields TF.js's numbers; without one they follow `set_seed`, or differ each time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, cast_values, to_tensor
from tfpy.core.ops.common import cast_to, reshape_to
from tfpy.core.ops.create import ShapeLike
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch, rng
from tfpy.engine.arguments import as_dtype, as_function, as_int, as_list, as_number, as_shape
from tfpy.engine.backend import Array, current
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import no_gradient
from tfpy.engine.javascript_numbers import round_half_up
from tfpy.engine.rng import Seed
from tfpy.engine.spec import MAX_SIZE, Shape


def _sizes(name: str, shape: Any) -> Shape:
    """A shape, validated before any numbers are drawn."""
    sizes = as_shape(name, shape)
    if math.prod(sizes) > MAX_SIZE:
        raise argument_error(name, "shape", f"of at most {MAX_SIZE} elements", list(sizes))
    return sizes


def _drawn(draw: Callable[[], Any], shape: Shape, dtype: DType) -> Tensor:
    """A tensor of the values that a function draws."""
    return dispatch.drawn(Tensor, lambda: cast_values(draw().reshape(shape), dtype), dtype)


def _dtype(name: str, dtype: DType | None, *allowed: DType) -> DType:
    kind = "float32" if dtype is None else as_dtype(name, dtype)
    if kind not in allowed:
        raise argument_error(name, "dtype", "one of " + ", ".join(map(repr, allowed)), dtype)
    return kind


@op(doc="Tensors / Random")
def set_seed(seed: Seed | None) -> None:
    """Set the global seed, used by all random functions that are given no seed of their own.

    Args:
        seed: a number or string; None makes the numbers unpredictable again.

    Source: Keras `set_random_seed` (beyond TF.js).
    """
    rng.set_seed(seed)


@op(doc="Tensors / Random")
def random_uniform(
    shape: ShapeLike, minval: float = 0, maxval: float = 1, dtype: DType = "float32", seed: Seed | None = None
) -> Tensor:
    """Uniformly distributed numbers in [minval, maxval).

    Args:
        shape: the shape.
        minval: the lower end.
        maxval: the upper end, exclusive.
        dtype: float32, int32 or bool; int32 truncates, and bool is true where the truncated value is not 0.
        seed: a number or string.

    Returns:
        A tensor of the given shape and dtype.

    Raises:
        ValueError: a wrong dtype, or a shape with a negative size.

    Source: TF.js `tf.randomUniform`.
    """
    kind = _dtype("random_uniform", dtype, "float32", "int32", "bool")
    sizes = _sizes("random_uniform", shape)
    low, high = as_number("random_uniform", "minval", minval), as_number("random_uniform", "maxval", maxval)

    def draw() -> Array:
        values = rng.uniform(seed, math.prod(sizes), low, high)
        return np.trunc(values) if kind == "bool" else values

    return _drawn(draw, sizes, kind)


@op(doc="Tensors / Random")
def random_uniform_int(shape: ShapeLike, minval: int, maxval: int, seed: Seed | None = None) -> Tensor:
    """Integers from minval up to, but not including, maxval.

    Args:
        shape: the shape.
        minval: the smallest integer.
        maxval: the upper bound, exclusive.
        seed: makes the values reproducible.

    Returns:
        An int32 tensor of the given shape.

    Source: TF.js `tf.randomUniformInt`, which truncates towards 0: from -3 to 3 it never gives -3.
    """
    return random_uniform(shape, minval, maxval, "int32", seed)


def mean_and_deviation(name: str, mean: float, stddev: float, truncated: bool) -> tuple[float, float]:
    """The mean and deviation of normal numbers; for truncated ones, checked so that numbers can be drawn."""
    middle, spread = as_number(name, "mean", mean), as_number(name, "std_dev", stddev)
    if truncated and not (math.isfinite(middle) and 0 <= spread < math.inf):
        raise argument_error(name, "std_dev", "0 or more and finite, and the mean finite", [mean, stddev])
    return middle, spread


def _normal(
    name: str, shape: ShapeLike, mean: float, stddev: float, dtype: DType | None, seed: Seed | None, truncated: bool
) -> Tensor:
    kind = _dtype(name, dtype, "float32", "int32")
    sizes = _sizes(name, shape)
    middle, spread = mean_and_deviation(name, mean, stddev, truncated)

    def draw() -> Array:
        values = rng.normal(seed, math.prod(sizes), middle, spread, truncated)
        return round_half_up(values) if kind == "int32" else values

    return _drawn(draw, sizes, kind)


@op(doc="Tensors / Random")
def random_normal(
    shape: ShapeLike, mean: float = 0, std_dev: float = 1, dtype: DType | None = None, seed: Seed | None = None
) -> Tensor:
    """Normally distributed numbers.

    Args:
        shape: the shape.
        mean: the mean.
        std_dev: the standard deviation.
        dtype: float32, or int32, which rounds.
        seed: a number or string; 0 counts as no seed, as in TF.js.

    Returns:
        A tensor of the given shape and dtype, by default float32.

    Raises:
        ValueError: a wrong dtype, or a shape with a negative size.

    Source: TF.js `tf.randomNormal`.
    """
    return _normal("random_normal", shape, mean, std_dev, dtype, seed, False)


@op(doc="Tensors / Random")
def random_standard_normal(shape: ShapeLike, dtype: DType | None = None, seed: Seed | None = None) -> Tensor:
    """Normally distributed numbers of mean 0 and standard deviation 1.

    Args:
        shape: the shape.
        dtype: 'float32', or 'int32' for rounded numbers.
        seed: makes the values reproducible.

    Returns:
        A tensor of the given shape and dtype, by default float32.

    Source: TF.js `tf.randomStandardNormal`.
    """
    return _normal("random_standard_normal", shape, 0, 1, dtype, seed, False)


@op(doc="Tensors / Creation")
def truncated_normal(
    shape: ShapeLike, mean: float = 0, std_dev: float = 1, dtype: DType | None = None, seed: Seed | None = None
) -> Tensor:
    """Normally distributed numbers; those beyond two standard deviations are redrawn.

    Args:
        shape: the shape.
        mean: the mean.
        std_dev: the standard deviation.
        dtype: float32, or int32, which rounds.
        seed: a number or string; 0 counts as no seed, as in TF.js.

    Returns:
        A tensor of the given shape and dtype, by default float32.

    Raises:
        ValueError: a wrong dtype, a shape with a negative size, a mean or deviation that is not finite, or a
            negative deviation.

    Source: TF.js `tf.truncatedNormal`.
    """
    return _normal("truncated_normal", shape, mean, std_dev, dtype, seed, True)


@op(doc="Tensors / Random")
def random_gamma(
    shape: ShapeLike, alpha: float, beta: float = 1, dtype: DType = "float32", seed: Seed | None = None
) -> Tensor:
    """Gamma-distributed numbers.

    Args:
        shape: the shape.
        alpha: the shape parameter of the distribution.
        beta: a factor of the numbers (as in TF.js, although its documentation speaks of an inverse scale).
        dtype: float32 or int32.
        seed: a number or string; 0 counts as no seed, as in TF.js.

    Returns:
        A tensor of the given shape and dtype.

    Raises:
        ValueError: a wrong dtype, a shape with a negative size, alpha that is not above 0, or no finite numbers.

    Source: TF.js `tf.randomGamma`.
    """
    kind = _dtype("random_gamma", dtype, "float32", "int32")
    sizes = _sizes("random_gamma", shape)
    form, scale = as_number("random_gamma", "alpha", alpha), as_number("random_gamma", "beta", beta)
    for name, value in (("alpha", form), ("beta", scale)):
        if not math.isfinite(value):
            raise argument_error("random_gamma", name, "finite", value)
    if form <= 0:
        raise argument_error("random_gamma", "alpha", "above 0", alpha)
    return _drawn(lambda: rng.gamma(seed, math.prod(sizes), form, scale, kind == "int32"), sizes, kind)


@op(doc="Tensors / Random")
def rand(shape: ShapeLike, rand_function: Callable[[], float], dtype: DType | None = None) -> Tensor:
    """Numbers from a function without arguments, called once per element.

    Args:
        shape: the shape.
        rand_function: returns one number.
        dtype: the dtype of the tensor.

    Returns:
        A tensor of the given shape and dtype, by default float32.

    Source: TF.js `tf.rand`.
    """
    kind = _dtype("rand", dtype, "float32", "int32", "bool")
    sizes = _sizes("rand", shape)
    as_function("rand", "rand_function", rand_function)
    drawn = [as_number("rand", "rand_function (its result)", rand_function()) for _ in range(math.prod(sizes))]
    values = np.array(drawn, dtype=np.float64).reshape(sizes)
    return dispatch.make(Tensor, cast_values(np.trunc(values) if kind == "bool" else values, kind), kind)


@op(doc="Tensors / Random")
def multinomial(logits: TensorLike, num_samples: int, seed: Seed | None = None, normalized: bool = False) -> Tensor:
    """Outcomes drawn from a distribution.

    Args:
        logits: unnormalized log probabilities of at least two outcomes; a vector, or a row for each distribution.
            Integers and booleans are converted to float32.
        num_samples: how many outcomes to draw.
        seed: a number or string; 0 counts as no seed. Every row draws from the same stream, as in TF.js.
        normalized: whether the logits are probabilities.

    Returns:
        An int32 tensor of num_samples outcomes, or a row of them for each distribution.

    Raises:
        ValueError: fewer than two outcomes, a rank other than 1 and 2, or a negative number of samples.
        TypeError: complex numbers or strings.

    Source: TF.js `tf.multinomial`.
    """
    t = to_tensor("multinomial", "logits", logits)
    if t.dtype == "complex64":
        raise argument_error("multinomial", "logits", "a tensor of real numbers", t, TypeError)
    if t.rank not in (1, 2):
        raise argument_error("multinomial", "logits", "of rank 1 or 2", t)
    if t.size < 2:
        raise argument_error("multinomial", "logits", "for at least two outcomes", t)
    count = as_int("multinomial", "num_samples", num_samples)
    if count < 0:
        raise argument_error("multinomial", "num_samples", "0 or more", num_samples)
    rows = cast_to(reshape_to(t, (1, t.size)) if t.rank == 1 else t, "float32")
    probabilities = rows if normalized else run("Softmax", rows)
    stream = rng.truthy_seed(seed)
    chosen = run("Multinomial", probabilities, num_samples=count, seed=rng.fresh() if stream is None else stream)
    return reshape_to(chosen, (count,)) if t.rank == 1 else chosen


no_gradient("Multinomial")


@op(doc="Operations / Dropout")
def dropout(
    x: TensorLike, rate: float, noise_shape: list[int | None] | None = None, seed: Seed | None = None
) -> Tensor:
    """Each element kept with probability 1 - rate, and then scaled by 1 / (1 - rate); the others 0.

    Args:
        x: a float32 tensor of any shape.
        rate: the fraction to drop, in [0, 1).
        noise_shape: the shape of the random mask, which broadcasts to x's; None for the size of x.
        seed: a number or string.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        ValueError: a rate outside [0, 1), or a noise shape that does not fit. TypeError: not float32.

    Source: TF.js `tf.dropout`.
    """
    t = to_tensor("dropout", "x", x, "float32")
    if not 0 <= as_number("dropout", "rate", rate) < 1:
        raise argument_error("dropout", "rate", "at least 0 and below 1", rate)
    if rate == 0:
        return run("Identity", t)
    shape = t.shape
    if noise_shape is not None:
        sizes = as_list("dropout", "noise_shape", noise_shape, "sizes")
        same_rank = len(sizes) == t.rank
        shape = as_shape(
            "dropout", [t.shape[i] if n is None and same_rank else n for i, n in enumerate(sizes)], "noise_shape"
        )
    keep = 1 - rate
    chances = _unseeded(shape) if seed is None else random_uniform(shape, 0, 1, "float32", seed)
    return t.mul((chances + keep).floor().div(keep))


def _unseeded(shape: Shape) -> Tensor:
    """Numbers in [0, 1) generated by the backend: only their key is drawn here and sent to the GPU."""
    if not current().implements("RandomUniform"):
        return random_uniform(shape)
    return run("RandomUniform", _drawn(rng.key, (2,), "int32"), shape=shape, dtype="float32")


no_gradient("RandomUniform")
