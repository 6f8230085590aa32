"""Activation functions, element by element."""

from __future__ import annotations

from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.ops.arith import add, mul, sub
from tfpy.core.ops.common import (
    as_float,
    cast_to,
    full,
    keeping_dtype,
    mask,
    real,
    run_untracked,
    unbroadcast,
    zeros_rule,
)
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.gradients import gradient
from tfpy.engine.rows.elementwise import SELU_SCALE, SELU_SCALE_ALPHA


@op(chain=True, legacy="sigmoid", doc="Operations / Basic math")
def sigmoid(x: TensorLike) -> Tensor:
    """The logistic function: 1 / (1 + e⁻ˣ).

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.sigmoid`; deeplearn.js `math.sigmoid`.
    """
    return run("Sigmoid", to_tensor("sigmoid", "x", x, "float32"))


gradient("Sigmoid", saves="y", x=lambda dy, n: run("SigmoidGrad", dy, n.y))


def _sigmoid_grad_by_y(ddy: Tensor, n: Any) -> Tensor:
    both = mul(ddy, n.dy)
    return add(mul(both, sub(number(1), n.y)), run("Neg", mul(both, n.y)))


gradient("SigmoidGrad", saves="dy y", dy=lambda ddy, n: run("SigmoidGrad", ddy, n.y), y=_sigmoid_grad_by_y)


@op(chain=True, doc="Operations / Basic math")
def softplus(x: TensorLike) -> Tensor:
    """A smooth form of relu: log(1 + eˣ).

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.softplus`.
    """
    return keeping_dtype("softplus", "Softplus", x)


gradient("Softplus", saves="x", x=lambda dy, n: mul(dy, run("Sigmoid", as_float(n.x))))


@op(chain=True, legacy="relu", doc="Operations / Basic math")
def relu(x: TensorLike) -> Tensor:
    """x where it is positive, else 0; NaN stays NaN.

    Args:
        x: a tensor of any shape; any real dtype.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.relu`; deeplearn.js `math.relu`. The gradient at 0 is 0.
    """
    return run("Relu", real("relu", x))


# The result is positive, or NaN, where x is; so x need not be kept.
gradient("Relu", saves="y", x=lambda dy, n: mul(dy, run("Step", as_float(n.y), alpha=0.0)))


@op(chain=True, doc="Operations / Basic math")
def relu6(x: TensorLike) -> Tensor:
    """x clipped to the range from 0 to 6.

    Args:
        x: a tensor of any shape; any real dtype.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.relu6`. The gradient is 0 at 0 and 1 at 6.
    """
    return run("Relu6", real("relu6", x))


gradient(
    "Relu6",
    saves="x",
    x=lambda dy, n: mul(
        dy,
        mul(
            mask("LessEqual", as_float(n.x), number(6)),
            run_untracked("Step", as_float(n.x), alpha=0.0),
        ),
    ),
)


@op(chain=True, legacy="elu", doc="Operations / Basic math")
def elu(x: TensorLike) -> Tensor:
    """x where it is not negative, else eˣ - 1.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.elu`; deeplearn.js `math.elu`. The gradient at 0 is 1.
    """
    return run("Elu", to_tensor("elu", "x", x, "float32"))


gradient("Elu", saves="y", x=lambda dy, n: run("EluGrad", dy, n.y))


def _elu_grad_by_y(ddy: Tensor, n: Any) -> Tensor:
    return mul(mul(ddy, n.dy), run("Step", run("Neg", n.y), alpha=0.0))


gradient("EluGrad", saves="dy y", dy=lambda ddy, n: run("EluGrad", ddy, n.y), y=_elu_grad_by_y)


@op(chain=True, legacy="selu", doc="Operations / Basic math")
def selu(x: TensorLike) -> Tensor:
    """The scaled exponential linear unit: scale · x where x is not negative, else scale · alpha · (eˣ - 1).

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.selu`; deeplearn.js `math.selu`.
    """
    return keeping_dtype("selu", "Selu", x)


def _selu_gradient(dy: Tensor, n: Any) -> Tensor:
    x = as_float(n.x)
    below = mul(mul(dy, number(SELU_SCALE_ALPHA)), run("Exp", x))
    return run("Select", run_untracked("Greater", x, number(0)), mul(dy, number(SELU_SCALE)), below)


gradient("Selu", saves="x", x=_selu_gradient)


@op(chain=True, doc="Operations / Basic math")
def log_sigmoid(x: TensorLike) -> Tensor:
    """The logarithm of the logistic function: -log(1 + e⁻ˣ), without overflow.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.logSigmoid`.
    """
    t = real("log_sigmoid", x)
    return cast_to(run("Neg", run("Softplus", run("Neg", as_float(t)))), t.spec.dtype)


@op(chain=True, legacy="leaky_relu", doc="Operations / Basic math")
def leaky_relu(x: TensorLike, alpha: float = 0.2) -> Tensor:
    """x where it is positive, else alpha · x; alpha is 0.2 by default.

    Args:
        x: a tensor of any shape; integers are converted to float32.
        alpha: the slope below 0.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.leakyRelu`; deeplearn.js `math.leakyRelu`. The gradient at 0 is alpha.
    """
    return run("LeakyRelu", real("leaky_relu", x, "float32"), alpha=float(alpha))


gradient(
    "LeakyRelu",
    saves="x",
    x=lambda dy, n: run("Select", run_untracked("Greater", n.x, number(0)), dy, mul(dy, number(n.attrs["alpha"]))),
)


@op(chain=True, legacy="prelu", doc="Operations / Basic math")
def prelu(x: TensorLike, alpha: TensorLike) -> Tensor:
    """x where it is positive, else alpha · x, with a separate alpha for each element.

    Args:
        x: a float32 tensor of any shape.
        alpha: the slopes below 0: a float32 tensor that broadcasts to x's shape.

    Returns:
        A tensor of the shape that x and alpha broadcast to, and of the wider dtype of the two.

    Raises:
        TypeError: strings or complex numbers. ValueError: the shapes do not broadcast.

    Source: TF.js `tf.prelu`; deeplearn.js `math.prelu`. The gradient at 0 is alpha.
    """
    t = real("prelu", x, "float32")
    return run("Prelu", t, real("prelu", alpha, "float32", "alpha"))


def _prelu_gradient_alpha(dy: Tensor, n: Any) -> Tensor:
    positive = run_untracked("Greater", n.x, number(0))
    return unbroadcast(run("Select", positive, full(dy.spec.shape, 0), mul(dy, n.x)), n.shape("alpha"))


gradient(
    "Prelu",
    saves="x alpha",
    x=lambda dy, n: unbroadcast(
        run("Select", run_untracked("Greater", n.x, number(0)), dy, mul(dy, n.alpha)), n.shape("x")
    ),
    alpha=_prelu_gradient_alpha,
)


@op(chain=True, legacy="step", doc="Operations / Basic math")
def step(x: TensorLike, alpha: float = 0.0) -> Tensor:
    """1 where x is positive, else alpha; NaN stays NaN.

    Args:
        x: a tensor of any shape; any real dtype, which the result keeps.
        alpha: the value where x is 0 or less.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.step`; deeplearn.js `math.step`.
    """
    return run("Step", real("step", x), alpha=float(alpha))


gradient("Step", x=zeros_rule)
