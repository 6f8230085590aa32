"""The costs of graphs. Both are taken over all axes but the first `lead` ones, which count examples."""

from __future__ import annotations

from tfpy.core.convert import number
from tfpy.core.ops.arith import mul
from tfpy.core.ops.common import sum_over
from tfpy.core.ops.losses import softmax_cross_entropy_rows
from tfpy.core.ops.reduce import mean
from tfpy.core.run import run
from tfpy.core.tensor import Tensor


def mean_squared_cost(label: Tensor, prediction: Tensor, lead: int) -> Tensor:
    """½ · mean((label - prediction)²): half of `tf.losses.meanSquaredError`."""
    squares = run("SquaredDifference", label, prediction)
    return mul(number(0.5), mean(squares, tuple(range(lead, squares.rank))))


def softmax_cross_entropy_cost(x: Tensor, target: Tensor, lead: int) -> Tensor:
    """-Σ target · logSoftmax(x), as `tf.losses.softmaxCrossEntropy` has it for one example."""
    rows = softmax_cross_entropy_rows(target, x)
    return sum_over(rows, tuple(range(lead, rows.rank))) if rows.rank > lead else rows
