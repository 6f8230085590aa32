"""Arithmetic on two tensors, element by element, with broadcasting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number, to_tensor, to_tensors
from tfpy.core.ops.common import as_float, binary_operands, cast_to, factor, full, mask, run_untracked, unbroadcast
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient, no_gradient


@op(chain=True, legacy="add", doc="Operations / Arithmetic")
def add(a: TensorLike, b: TensorLike) -> Tensor:
    """Add element by element: a + b.

    Args:
        a: a tensor of any shape; any dtype but string.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two. int32 sums wrap around.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings.

    Source: TF.js `tf.add`; deeplearn.js `math.add`.
    """
    a, b = binary_operands("add", a, b)
    return run("Add", a, b)


gradient(
    "Add",
    a=lambda dy, n: unbroadcast(dy, n.shape("a")),
    b=lambda dy, n: unbroadcast(dy, n.shape("b")),
)


@op(chain=True, legacy="sub subtract", doc="Operations / Arithmetic")
def sub(a: TensorLike, b: TensorLike) -> Tensor:
    """Subtract element by element: a - b.

    Args:
        a: a tensor of any shape; any dtype but string.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two. int32 differences wrap around.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings.

    Source: TF.js `tf.sub`; deeplearn.js `math.sub`, `math.subtract`.
    """
    a, b = binary_operands("sub", a, b)
    return run("Sub", a, b)


gradient(
    "Sub",
    a=lambda dy, n: unbroadcast(dy, n.shape("a")),
    b=lambda dy, n: run("Neg", unbroadcast(dy, n.shape("b"))),
)


@op(chain=True, legacy="multiply mul", doc="Operations / Arithmetic")
def mul(a: TensorLike, b: TensorLike) -> Tensor:
    """Multiply element by element: a * b.

    Args:
        a: a tensor of any shape; any dtype but string.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two. int32 products wrap around.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings.

    Source: TF.js `tf.mul`; deeplearn.js `math.multiply`.
    """
    a, b = binary_operands("mul", a, b)
    return run("Multiply", a, b)


gradient(
    "Multiply",
    saves="a b",
    a=lambda dy, n: unbroadcast(mul(dy, factor(n.b)), n.shape("a")),
    b=lambda dy, n: unbroadcast(mul(dy, factor(n.a)), n.shape("b")),
)


@op(chain=True, legacy="divide div", doc="Operations / Arithmetic")
def div(a: TensorLike, b: TensorLike) -> Tensor:
    """Divide element by element: a / b. Two int32 tensors are divided as in `floor_div`.

    Args:
        a: a tensor of any shape; any dtype but string.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two. A float divided by 0 is infinite or
        NaN; an int32 divided by 0 is 0.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings.

    Source: TF.js `tf.div`; deeplearn.js `math.divide`.
    """
    a, b = binary_operands("div", a, b)
    if a.spec.dtype == "int32":
        return run("FloorDiv", a, b)
    return run("RealDiv", as_float(a), as_float(b))


def _quotient_gradient_b(dy: Tensor, n: Any) -> Tensor:
    return run("Neg", div(unbroadcast(mul(dy, factor(n.a)), n.shape("b")), factor(run("Square", n.b))))


for _kernel in ("RealDiv", "FloorDiv"):  # floor_div has the gradient of the true quotient, as in TF.js
    gradient(
        _kernel,
        saves="a b",
        a=lambda dy, n: unbroadcast(div(dy, factor(n.b)), n.shape("a")),
        b=_quotient_gradient_b,
    )


def true_div(a: TensorLike, b: TensorLike) -> Tensor:
    """Python's a / b: like `div`, but two int32 tensors give a float32 quotient."""
    x, y = binary_operands("/", a, b)
    return run("RealDiv", as_float(x), as_float(y))


def python_floor_div(a: TensorLike, b: TensorLike) -> Tensor:
    """Python's a // b: the largest whole number not above the quotient, in the operands' dtype."""
    x, y = binary_operands("//", a, b)
    if x.spec.dtype == "float32":
        return run("Floor", run("RealDiv", x, y))
    return run("FloorDiv", cast_to(x, "int32"), cast_to(y, "int32"))


@op(chain=True, doc="Operations / Arithmetic")
def div_no_nan(a: TensorLike, b: TensorLike) -> Tensor:
    """Divide element by element, with 0 where b is 0.

    Args:
        a: a tensor of any shape; any real dtype.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings or complex numbers.

    Source: TF.js `tf.divNoNan`. Its gradient is beyond TF.js: that of the quotient, 0 where b is 0.
    """
    a, b = _real_operands("div_no_nan", a, b)
    return run("DivNoNan", a, b)


gradient(
    "DivNoNan",
    saves="a b",
    a=lambda dy, n: unbroadcast(div_no_nan(dy, as_float(n.b)), n.shape("a")),
    b=lambda dy, n: unbroadcast(
        run("Neg", div_no_nan(mul(dy, as_float(n.a)), as_float(run("Square", n.b)))), n.shape("b")
    ),
)


@op(chain=True, doc="Operations / Arithmetic")
def floor_div(a: TensorLike, b: TensorLike) -> Tensor:
    """The quotient rounded down to a whole number.

    Args:
        a: a tensor of any shape; any real dtype.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        An int32 tensor of the broadcast shape; division of integers by 0 gives 0.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings or complex numbers.

    Source: TF.js `tf.floorDiv`. Its gradient is that of the true quotient, as there.
    """
    a, b = _real_operands("floor_div", a, b)
    return run("FloorDiv", a, b)


@op(chain=True, doc="Operations / Arithmetic")
def mod(a: TensorLike, b: TensorLike) -> Tensor:
    """The remainder of a / b, with the sign of b.

    Args:
        a: a tensor of any shape; any real dtype.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two. A float modulo 0 is NaN, an int32 is 0.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings or complex numbers.

    Source: TF.js `tf.mod`.
    """
    a, b = _no_bools(*_real_operands("mod", a, b))
    return run("Mod", a, b)


gradient(
    "Mod",
    saves="a b",
    a=lambda dy, n: unbroadcast(dy, n.shape("a")),
    b=lambda dy, n: unbroadcast(mul(dy, run("Neg", run("Floor", true_div(n.a, n.b)))), n.shape("b")),
)


@op(chain=True, legacy="pow", doc="Operations / Arithmetic")
def pow_(base: TensorLike, exp: TensorLike) -> Tensor:
    """Raise to a power element by element.

    Args:
        base: a tensor of any shape; any real dtype.
        exp: a tensor whose shape broadcasts with base's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two. int32 results are truncated: 2 to the -1
        is 0. A negative float to a fractional power is NaN.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings or complex numbers.

    Source: TF.js `tf.pow`; deeplearn.js `math.pow`.
    """
    a, b = _no_bools(*_real_operands("pow", base, exp))
    return run("Pow", a, b)


def _pow_gradient_base(dy: Tensor, n: Any) -> Tensor:
    exponent = as_float(n.b)
    slope = mul(exponent, pow_(as_float(n.a), sub(exponent, number(1))))
    return unbroadcast(mul(dy, slope), n.shape("a"))


def _pow_gradient_exponent(dy: Tensor, n: Any) -> Tensor:
    """a^b · ln a where a is positive, else 0."""
    base = as_float(n.a)
    log = run("Select", run_untracked("Greater", base, number(0)), run("Log", base), full(base.spec.shape, 0))
    return unbroadcast(mul(dy, mul(as_float(n.y), log)), n.shape("b"))


gradient("Pow", saves="a b y", a=_pow_gradient_base, b=_pow_gradient_exponent)


@op(chain=True, legacy="maximum", doc="Operations / Arithmetic")
def maximum(a: TensorLike, b: TensorLike) -> Tensor:
    """The larger of each pair; NaN if either is.

    Args:
        a: a tensor of any shape; any real dtype, bool is converted to int32.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings or complex numbers.

    Source: TF.js `tf.maximum`; deeplearn.js `math.maximum`. At a tie the gradient goes to `a`.
    """
    a, b = _no_bools(*_real_operands("maximum", a, b))
    return run("Maximum", a, b)


@op(chain=True, legacy="minimum", doc="Operations / Arithmetic")
def minimum(a: TensorLike, b: TensorLike) -> Tensor:
    """The smaller of each pair; NaN if either is.

    Args:
        a: a tensor of any shape; any real dtype, bool is converted to int32.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings or complex numbers.

    Source: TF.js `tf.minimum`; deeplearn.js `math.minimum`. At a tie the gradient goes to `a`.
    """
    a, b = _no_bools(*_real_operands("minimum", a, b))
    return run("Minimum", a, b)


def _where(compare: str, name: str) -> Any:
    """The rule of an operand that the result equals where a comparison is true."""
    return lambda dy, n: unbroadcast(mul(dy, mask(compare, n.a, n.b)), n.shape(name))


for _kernel, _to_a, _to_b in (("Maximum", "GreaterEqual", "Less"), ("Minimum", "LessEqual", "Greater")):
    gradient(_kernel, saves="a b", a=_where(_to_a, "a"), b=_where(_to_b, "b"))


@op(chain=True, doc="Operations / Arithmetic")
def squared_difference(a: TensorLike, b: TensorLike) -> Tensor:
    """The square of the difference of each pair: (a - b)².

    Args:
        a: a tensor of any shape; any real dtype.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings or complex numbers.

    Source: TF.js `tf.squaredDifference`.
    """
    a, b = _real_operands("squared_difference", a, b)
    return run("SquaredDifference", a, b)


gradient(
    "SquaredDifference",
    saves="a b",
    a=lambda dy, n: unbroadcast(mul(dy, mul(number(2), as_float(sub(n.a, n.b)))), n.shape("a")),
    b=lambda dy, n: unbroadcast(mul(dy, mul(number(2), as_float(sub(n.b, n.a)))), n.shape("b")),
)


@op(chain=True, doc="Operations / Basic math")
def atan2(a: TensorLike, b: TensorLike) -> Tensor:
    """The angle in radians, from -π to π, of the point with y coordinate a and x coordinate b.

    Args:
        a: a tensor of any shape; any real dtype.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A tensor of the broadcast shape; its dtype is the wider of the two.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: strings or complex numbers.

    Source: TF.js `tf.atan2`.
    """
    a, b = _no_bools(*_real_operands("atan2", a, b))
    return run("Atan2", a, b)


def _squared_radius(n: Any) -> tuple[Tensor, Tensor, Tensor]:
    a, b = as_float(n.a), as_float(n.b)
    return a, b, add(run("Square", a), run("Square", b))


def _atan2_gradient_a(dy: Tensor, n: Any) -> Tensor:
    _, b, d = _squared_radius(n)
    return unbroadcast(mul(dy, div(b, d)), n.shape("a"))


def _atan2_gradient_b(dy: Tensor, n: Any) -> Tensor:
    a, _, d = _squared_radius(n)
    return unbroadcast(run("Neg", mul(dy, div(a, d))), n.shape("b"))


gradient("Atan2", saves="a b", a=_atan2_gradient_a, b=_atan2_gradient_b)


@op(doc="Operations / Arithmetic")
def add_n(tensors: Sequence[TensorLike]) -> Tensor:
    """The sum of several tensors of one shape and dtype.

    Args:
        tensors: at least one tensor.

    Returns:
        A tensor of their shape and dtype.

    Raises:
        ValueError: no tensors, or their shapes differ. TypeError: their dtypes differ.

    Source: TF.js `tf.addN`.
    """
    terms = to_tensors("add_n", "tensors", tensors)
    if not terms:
        raise argument_error("add_n", "tensors", "at least one tensor", tensors)
    for i, t in enumerate(terms):
        if t.spec.shape != terms[0].spec.shape:
            raise argument_error("add_n", f"tensors[{i}]", f"of shape {list(terms[0].shape)}", t)
        if t.spec.dtype != terms[0].spec.dtype:
            raise argument_error("add_n", f"tensors[{i}]", f"of dtype {terms[0].dtype}", t, TypeError)
    total = terms[0]
    for t in terms[1:]:
        total = run("Add", total, t)
    return total if len(terms) > 1 else run("Identity", total)


@op(doc="Operations / Arithmetic")
def bitwise_and(x: TensorLike, y: TensorLike) -> Tensor:
    """The bitwise AND of two int32 tensors of one shape.

    Args:
        x: an int32 tensor.
        y: an int32 tensor of the same shape.

    Returns:
        An int32 tensor of their shape.

    Raises:
        ValueError: the shapes differ. TypeError: not int32.

    Source: TF.js `tf.bitwiseAnd`.
    """
    a, b = to_tensor("bitwise_and", "x", x, "int32"), to_tensor("bitwise_and", "y", y, "int32")
    if a.spec.shape != b.spec.shape:
        raise argument_error("bitwise_and", "y", f"of shape {list(a.shape)}", b)
    return run("BitwiseAnd", a, b)


no_gradient("BitwiseAnd")


def _real_operands(op: str, a: TensorLike, b: TensorLike) -> tuple[Tensor, Tensor]:
    """Two operands in a common dtype that is neither string nor complex64."""
    x, y = binary_operands(op, a, b)
    if x.spec.dtype == "complex64":
        raise argument_error(op, "a", "real numbers (it does not take complex64)", x, TypeError)
    return x, y


def _no_bools(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return (cast_to(a, "int32"), cast_to(b, "int32")) if a.spec.dtype == "bool" else (a, b)
