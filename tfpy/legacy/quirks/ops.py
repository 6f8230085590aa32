"""Math methods whose results or dtypes differ."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfpy.core.calling.options import accepts_options
from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.grads import custom_grad
from tfpy.core.naming.names import camel
from tfpy.core.ops import activation, arith, matmul, ranked, recurrent, reduce, shape, softmax, trig, unary
from tfpy.core.ops.common import as_float, binary_operands, cast_to, full, real, reshape_to, sum_over
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import resolve_axis
from tfpy.engine.backend import current
from tfpy.engine.dispatch import make, read
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.legacy.arrays.values import converted
from tfpy.legacy.ops import arith as legacy_arith
from tfpy.legacy.ops import array, matrix, strict
from tfpy.legacy.ops import reduce as legacy_reduce
from tfpy.legacy.quirks import behavior, call_instead, quirk
from tfpy.legacy.quirks.sums import Save, products_in_double

EPSILON = 1e-5  # in front of logarithms of probabilities


@quirk(
    "math.softmax",
    "exp(x - log Σ eˣ), the logarithm stored in float32: softmax([1000, 1001])[0] is 0.2689493. "
    "TF.js: e^(x - max) / Σ e^(x - max), which is 0.2689414.",
    instead_of=softmax.softmax,
)
def softmax_through_logarithm(logits: TensorLike, dim: int = -1) -> Tensor:
    t = as_float(real("softmax", logits))
    axis = resolve_axis("softmax", dim, t.rank)
    if axis != t.rank - 1:
        raise argument_error("softmax", "dim", f"the last axis, -1 or {t.rank - 1}", dim)
    return run("Exp", arith.sub(t, reduce.log_sum_exp(t, axis, True)))


@quirk(
    "math.divide",
    "the float32 quotient, of int32 arrays too: 7 / 2 is 3.5. TF.js: int32 quotients are rounded down, to 3.",
    instead_of=arith.div,
)
def true_quotient(a: TensorLike, b: TensorLike) -> Tensor:
    return arith.true_div(a, b)


def _checked_by(
    check: Callable[..., Any], compute: Callable[..., Tensor]
) -> Callable[[TensorLike, TensorLike], Tensor]:
    """A function with the argument checks of an op but another computation."""

    @functools.wraps(check)
    def checked(a: TensorLike, b: TensorLike) -> Tensor:
        check(a, b)
        return compute(a, b)

    return checked


_FORMULA = "as divide: the float32 quotient of int32 arrays. TF.js rounds it down."
for _function, _symbol in {
    strict.divide_strict: "math.divideStrict",
    legacy_arith.scalar_divided_by_array: "math.scalarDividedByArray",
    legacy_arith.array_divided_by_scalar: "math.arrayDividedByScalar",
}.items():
    _quotient = _checked_by(_function, arith.true_div)
    _quotient.__name__ = f"true_{_function.__name__}"
    quirk(_symbol, _FORMULA, instead_of=_function)(_quotient)


@quirk(
    "math.pow",
    "the exponent must be int32, and the powers have the dtype of the base, also bool. TF.js: any number; int32.",
    instead_of=arith.pow_,
)
def pow_of_whole_exponents(base: TensorLike, exp: TensorLike) -> Tensor:
    x = to_tensor("pow", "base", base)
    return cast_to(arith.pow_(x, to_tensor("pow", "exp", exp, "int32")), x.dtype)


@quirk(
    "math.powStrict",
    "as pow: the exponent must be int32, and the powers have the dtype of the base. TF.js: any number; int32.",
    instead_of=strict.pow_strict,
)
def pow_strict_of_whole_exponents(base: TensorLike, exp: TensorLike) -> Tensor:
    x = to_tensor("pow_strict", "base", base)
    return cast_to(strict.pow_strict(x, to_tensor("pow_strict", "exp", exp, "int32")), x.dtype)


def _of_one_dtype(name: str, function: Callable[..., Tensor]) -> Callable[[TensorLike, TensorLike], Tensor]:
    def compute(a: TensorLike, b: TensorLike) -> Tensor:
        x, y = to_tensor(name, "a", a), to_tensor(name, "b", b)
        if x.dtype != y.dtype:
            raise argument_error(name, "b", f"of dtype {x.dtype}, that of 'a'", y, TypeError)
        return cast_to(function(x, y), x.dtype)

    compute.__name__ = f"{name}_of_one_dtype"
    return compute


for _function in (arith.maximum, arith.minimum, strict.maximum_strict, strict.minimum_strict):
    _name = _function.__name__
    quirk(
        f"math.{camel(_name)}",
        "arrays of one dtype only, which bool arrays keep. TF.js: the wider dtype, and int32 of bool tensors.",
        instead_of=_function,
    )(_of_one_dtype(_name, _function))


@quirk(
    "math.softmaxCrossEntropyWithLogits",
    "-Σ label · log(softmax + 10⁻⁵), with the gradient dy · (softmax - label). TF.js: -Σ label · log softmax.",
    instead_of=legacy_reduce.softmax_cross_entropy_with_logits,
)
def row_entropies_with_epsilon(labels: TensorLike, logits: TensorLike, dim: int = -1) -> Tensor:
    a, b = legacy_reduce.labels_and_logits(labels, logits, dim)

    def value(target: Tensor, scores: Tensor, save: Save) -> Any:
        y = softmax_through_logarithm(scores)
        logarithms = run("Log", arith.add(number(EPSILON), y))
        save([target, y])

        def gradients(dy: Tensor, saved: list[Tensor]) -> list[Tensor]:
            target, y = saved
            each = reshape_to(dy, (*dy.shape, 1))
            return [arith.mul(each, arith.sub(target, y)), arith.mul(each, arith.sub(y, target))]

        return sum_over(run("Neg", arith.mul(logarithms, target)), (a.rank - 1,)), gradients

    return custom_grad(value)(a, b)


@quirk(
    "NDArray.asType",
    "bool is false where a number rounds to 0: of 0.3 and -0.4, too. TF.js, and `cast` of 0.4: where it is 0.",
    instead_of=array.as_type,
)
def cast_through_typed_array(x: TensorLike, dtype: DType) -> Tensor:
    t = to_tensor("cast", "x", x, "any")
    if dtype not in ("int32", "bool") or t.dtype != "float32" or current().symbolic:
        return shape.cast(t, dtype)
    return make(Tensor, converted(read(t, "cast"), dtype), dtype)


# Kernels that store their result as float32 whatever the input.
_FLOAT_RESULTS: tuple[Callable[..., Any], ...] = (
    activation.elu, activation.leaky_relu, activation.prelu, activation.selu, activation.sigmoid, activation.step,
    array.concat1d, array.concat2d, array.concat3d, array.concat4d,
    matmul.outer_product, matmul.transpose,
    matrix.mat_mul, matrix.vector_times_matrix, matrix.matrix_times_vector, matrix.dot_product,
    ranked.concat1d, ranked.concat2d, ranked.concat3d, ranked.concat4d,
    ranked.slice1d, ranked.slice2d, ranked.slice3d, ranked.slice4d,
    recurrent.basic_lstm_cell,
    shape.clone,
    trig.acos, trig.asin, trig.atan, trig.cos, trig.cosh, trig.sin, trig.sinh, trig.tan, trig.tanh,
    unary.abs_, unary.ceil, unary.clip_by_value, unary.exp, unary.floor, unary.log, unary.neg, unary.sqrt, unary.square,
)  # fmt: skip

behavior(
    "float32_results",
    "math.abs, math.square, math.clone, math.slice2D, … (the CPU kernels)",
    "the result is float32 for int32 and bool arrays, too. TF.js: abs, square, neg, clip, slice, clone, concat and "
    "transpose keep the dtype; ceil, log, sqrt and others refuse another one.",
)


def _in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def compute(*args: Any, **keywords: Any) -> Any:
        return function(*map(_floats, args), **{name: _floats(value) for name, value in keywords.items()})

    return compute


def _floats(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_floats(part) for part in value]
    return as_float(to_tensor("cast", "x", value)) if hasattr(value, "spec") else value


for _function in _FLOAT_RESULTS:
    call_instead(_in_float32(_function), _function)


@accepts_options()
def mat_mul(a: TensorLike, b: TensorLike, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    x, y = binary_operands("mat_mul", a, b)
    return products_in_double(as_float(x), as_float(y), bool(transpose_a), bool(transpose_b))


call_instead(mat_mul, matmul.mat_mul)


# Gradients that math.gradients computes in 0.3.17. The chain rule's factor dy is missing.


@quirk(
    "math.gradients of relu",
    "step(x), without the factor dy: the gradient of Σ relu(x)² is 0 or 1. TF.js: dy · step(x).",
    instead_of=activation.relu,
    where="gradients",
)
def relu_without_dy(x: TensorLike) -> Tensor:
    def value(t: Tensor, save: Save) -> Any:
        save([t])
        return activation.relu(t), lambda dy, saved: as_float(activation.step(saved[0]))

    return custom_grad(value)(to_tensor("relu", "x", x))


@quirk(
    "math.gradients of subtract, sub, subStrict, scalarMinusArray, arrayMinusScalar",
    "1 and -1 for operands of one shape, without the factor dy. TF.js: dy and -dy.",
    instead_of=arith.sub,
    where="gradients",
)
def subtract_without_dy(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = to_tensor("sub", "a", a), to_tensor("sub", "b", b)
    if x.shape != y.shape:
        return arith.sub(x, y)
    return custom_grad(lambda s, t: (arith.sub(s, t), lambda dy: [full(dy.shape, 1), full(dy.shape, -1)]))(x, y)


@quirk(
    "math.gradients of multiply, multiplyStrict, elementWiseMul, elementWiseMulBroadcast, scalarTimesArray",
    "b and a for operands of one shape, without the factor dy. TF.js: dy · b and dy · a.",
    instead_of=arith.mul,
    where="gradients",
)
def multiply_without_dy(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = to_tensor("mul", "a", a), to_tensor("mul", "b", b)
    if x.shape != y.shape:
        return arith.mul(x, y)

    def value(s: Tensor, t: Tensor, save: Save) -> Any:
        save([t, s])
        return arith.mul(s, t), lambda dy, saved: [as_float(factor) for factor in saved]

    return custom_grad(value)(x, y)


for _function in (strict.sub_strict, legacy_arith.scalar_minus_array, legacy_arith.array_minus_scalar):
    call_instead(_checked_by(_function, subtract_without_dy), _function, "gradients")
for _function in (
    strict.multiply_strict,
    legacy_arith.element_wise_mul_broadcast,
    legacy_arith.scalar_times_array,
):
    call_instead(_checked_by(_function, multiply_without_dy), _function, "gradients")
