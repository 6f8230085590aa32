"""25 ops at three sizes against plain numpy: python benchmarks/ops.py

Each op is timed next to the equivalent numpy expression; their results are compared first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from timing import medians

import tfpy as tf

Pair = tuple[Callable[..., Any], Callable[..., Any]]
SIDES = {"small": 8, "medium": 128, "large": 1024}

# Ops on square matrices a and b, indices i, and truth values c.
OPS: dict[str, Pair] = {
    "add": (lambda a, b, i, c: a + b, lambda a, b, i, c: a.add(b)),
    "mul": (lambda a, b, i, c: a * b, lambda a, b, i, c: a.mul(b)),
    "div": (lambda a, b, i, c: a / b, lambda a, b, i, c: a.div(b)),
    "maximum": (lambda a, b, i, c: np.maximum(a, b), lambda a, b, i, c: a.maximum(b)),
    "add a row": (lambda a, b, i, c: a + b[0], lambda a, b, i, c: a.add(b.gather(0))),
    "exp": (lambda a, b, i, c: np.exp(a), lambda a, b, i, c: a.exp()),
    "tanh": (lambda a, b, i, c: np.tanh(a), lambda a, b, i, c: a.tanh()),
    "sqrt": (lambda a, b, i, c: np.sqrt(b), lambda a, b, i, c: b.sqrt()),
    "relu": (lambda a, b, i, c: np.maximum(a, np.float32(0)), lambda a, b, i, c: a.relu()),
    "sigmoid": (lambda a, b, i, c: 1 / (1 + np.exp(-a)), lambda a, b, i, c: a.sigmoid()),
    "greater": (lambda a, b, i, c: a > b, lambda a, b, i, c: a.greater(b)),
    "where": (lambda a, b, i, c: np.where(c, a, b), lambda a, b, i, c: tf.where(c, a, b)),
    "sum": (lambda a, b, i, c: a.sum(), lambda a, b, i, c: a.sum()),
    "mean of rows": (lambda a, b, i, c: a.mean(1), lambda a, b, i, c: a.mean(1)),
    "max of columns": (lambda a, b, i, c: a.max(0), lambda a, b, i, c: a.max(0)),
    "arg_max": (lambda a, b, i, c: a.argmax(1), lambda a, b, i, c: a.arg_max(1)),
    "softmax": (
        lambda a, b, i, c: (e := np.exp(a - a.max(1, keepdims=True))) / e.sum(1, keepdims=True),
        lambda a, b, i, c: a.softmax(),
    ),
    "mat_mul": (lambda a, b, i, c: a @ b, lambda a, b, i, c: a.mat_mul(b)),
    "transpose": (lambda a, b, i, c: np.ascontiguousarray(a.T), lambda a, b, i, c: a.transpose()),
    "concat": (lambda a, b, i, c: np.concatenate([a, b], 1), lambda a, b, i, c: a.concat(b, 1)),
    "slice": (lambda a, b, i, c: a[1:-1, 1:-1].copy(), lambda a, b, i, c: a.slice([1, 1], [a.shape[0] - 2] * 2)),
    "pad": (lambda a, b, i, c: np.pad(a, 1), lambda a, b, i, c: a.pad([[1, 1], [1, 1]])),
    "gather": (lambda a, b, i, c: a.take(i, 0), lambda a, b, i, c: a.gather(i)),
    "cumsum": (lambda a, b, i, c: a.cumsum(1), lambda a, b, i, c: a.cumsum(1)),
    "conv2d 3x3": (
        lambda a, b, i, c: np.einsum("ijkl,kl->ij", sliding_window_view(a, (3, 3)), b[:3, :3]),
        lambda a, b, i, c: tf.conv2d(
            a.reshape([*a.shape, 1]), b.slice([0, 0], [3, 3]).reshape([3, 3, 1, 1]), 1, "valid"
        ),
    ),
}


def arguments(side: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(side)
    a = rng.standard_normal((side, side), dtype=np.float32)
    b = rng.random((side, side), dtype=np.float32) + np.float32(0.5)
    return a, b, rng.integers(0, side, side).astype(np.int32), rng.random((side, side)) > 0.5


def check(name: str, expected: Any, found: tf.Tensor) -> None:
    """Check that both have computed the same result."""
    values = found.numpy().reshape(np.shape(expected))
    np.testing.assert_allclose(values, expected, rtol=1e-3, atol=1e-3, err_msg=name)


def main() -> None:
    print(f"Time of an op, and as a multiple of numpy's, on n x n matrices\n\n{'':16}", end="")
    print("".join(f"{f'{size} (n = {n})':>28}" for size, n in SIDES.items()))
    for name, (plain, op) in OPS.items():
        cells = []
        for side in SIDES.values():
            arrays = arguments(side)
            tensors = tuple(tf.tensor(x) for x in arrays)
            check(name, plain(*arrays), op(*tensors))
            inner = max(1, 20_000 // side**2)
            contenders = {"numpy": lambda: plain(*arrays), "tfpy": lambda: op(*tensors)}  # noqa: B023
            found = medians(contenders, repeats=11, inner=inner)
            cells.append(f"{found['tfpy'] * 1e6:16.1f} µs {found['tfpy'] / found['numpy']:6.2f} x")
        print(f"{name:16}" + "".join(f"{cell:>28}" for cell in cells))


if __name__ == "__main__":
    main()
