"""Graph ops whose values or gradients differ. Some gradients differ in rounding alone: in the order of operations."""

from __future__ import annotations

import math
from typing import Any

from tfpy.core.convert import number
from tfpy.core.grads import custom_grad
from tfpy.core.ops import activation, arith, softmax
from tfpy.core.ops.arith import add, mul, sub
from tfpy.core.ops.common import full, run_untracked, sum_over, unbroadcast
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.legacy.graphs import costs
from tfpy.legacy.ops.arith import elu_der
from tfpy.legacy.quirks import quirk
from tfpy.legacy.quirks.ops import EPSILON, softmax_through_logarithm


def _last_axis_sum(t: Tensor) -> Tensor:
    return sum_over(t, (t.rank - 1,), True)


def _axes(t: Tensor, lead: int) -> tuple[int, ...]:
    return tuple(range(lead, t.rank))


@quirk(
    "graph.meanSquaredCost",
    "the value is Σ ½ (label - prediction)² / N, but the gradient is label - prediction: without 1/N, and without the "
    "factor dy, so that what follows the cost does not count. TF.js: dy · (label - prediction) / N.",
    instead_of=costs.mean_squared_cost,
    where="graph",
)
def squared_cost_without_mean(label: Tensor, prediction: Tensor, lead: int) -> Tensor:
    def value(a: Tensor, b: Tensor) -> Any:
        difference = sub(a, b)
        halves = mul(number(0.5), mul(difference, difference))
        count = math.prod(a.shape[lead:])
        total = mul(number(1 / count if count else math.inf), sum_over(halves, _axes(halves, lead)))
        return total, lambda dy: [difference, run("Neg", difference)]

    return custom_grad(value)(label, prediction)


@quirk(
    "graph.softmaxCrossEntropyCost",
    "the value is -Σ t · log(softmax(x) + 10⁻⁵), the gradient softmax(x) - t without the factor dy, and none for the "
    "target. TF.js: -Σ t · logSoftmax(x), and the gradient of that.",
    instead_of=costs.softmax_cross_entropy_cost,
    where="graph",
)
def cross_entropy_with_epsilon(x: Tensor, target: Tensor, lead: int) -> Tensor:
    def value(logits: Tensor, t: Tensor) -> Any:
        y = softmax_through_logarithm(logits)
        terms = run("Neg", mul(t, run("Log", add(number(EPSILON), y))))
        cost = sum_over(terms, _axes(terms, lead))
        return cost, lambda dy: [sub(y, t), full(t.shape, 0)]

    return custom_grad(value)(x, target)


@quirk(
    "graph.prelu",
    "the derivative with respect to x is 0 where x is 0, and alpha has none: it is not trained. TF.js: alpha, and x "
    "below 0.",
    instead_of=activation.prelu,
    where="graph",
)
def prelu_of_fixed_slopes(x: Tensor, alpha: Tensor) -> Tensor:
    def value(t: Tensor, slopes: Tensor) -> Any:
        def gradients(dy: Tensor) -> list[Tensor]:
            positive, negative = run_untracked("Greater", t, number(0)), run_untracked("Less", t, number(0))
            rest = run("Select", negative, slopes, t)
            return [mul(dy, run("Select", positive, full(t.shape, 1), rest)), full(slopes.shape, 0)]

        return activation.prelu(t, slopes), gradients

    return custom_grad(value)(x, alpha)


@quirk(
    "graph.leakyRelu",
    "without an alpha the slope below 0 is 0.2 of the values and 0 of the gradient; where x is NaN the gradient is, "
    "too. TF.js: 0.2 of both; alpha.",
    instead_of=activation.leaky_relu,
    where="graph",
)
def leaky_relu_by_step(x: Tensor, alpha: float | None = None) -> Tensor:
    def value(t: Tensor) -> Any:
        y = activation.leaky_relu(t) if alpha is None else activation.leaky_relu(t, alpha)
        return y, lambda dy: mul(dy, activation.step(t, 0 if alpha is None else alpha))

    return custom_grad(value)(x)


@quirk(
    "graph.sigmoid",
    "the gradient is dy · (y - y²). TF.js: dy · (y · (1 - y)), which rounds differently.",
    instead_of=activation.sigmoid,
    where="graph",
)
def sigmoid_rounded(x: Tensor) -> Tensor:
    def value(t: Tensor) -> Any:
        y = activation.sigmoid(t)
        return y, lambda dy: mul(dy, sub(y, mul(y, y)))

    return custom_grad(value)(x)


@quirk(
    "graph.elu",
    "the gradient below 0 is dy · eˣ. TF.js: dy · (y + 1), which rounds differently.",
    instead_of=activation.elu,
    where="graph",
)
def elu_rounded(x: Tensor) -> Tensor:
    return custom_grad(lambda t: (activation.elu(t), lambda dy: mul(dy, elu_der(t))))(x)


@quirk(
    "graph.softmax",
    "the gradient is (dy - Σ dy · y) · y. TF.js: dy · y - Σ (dy · y) · y, which rounds differently.",
    instead_of=softmax.softmax,
    where="graph",
)
def softmax_rounded(logits: Tensor) -> Tensor:
    def value(t: Tensor) -> Any:
        y = softmax_through_logarithm(t)
        return y, lambda dy: mul(sub(dy, _last_axis_sum(mul(dy, y))), y)

    return custom_grad(value)(logits)


@quirk(
    "graph.divide",
    "the gradient with respect to the divisor is dy · -(a / b²). TF.js: -(dy · a / b²), which rounds differently.",
    instead_of=arith.div,
    where="graph",
)
def divide_rounded(a: Tensor, b: Tensor) -> Tensor:
    def value(x: Tensor, y: Tensor) -> Any:
        def gradients(dy: Tensor) -> list[Tensor]:
            by_y = mul(dy, run("Neg", arith.true_div(x, mul(y, y))))
            return [unbroadcast(arith.true_div(dy, y), x.shape), unbroadcast(by_y, y.shape)]

        return arith.true_div(x, y), gradients

    return custom_grad(value)(a, b)
