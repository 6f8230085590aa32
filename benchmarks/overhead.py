"""What an op costs beyond its numpy call: python benchmarks/overhead.py

The limit is 4 times the numpy call's own time plus 2 microseconds for an op on 2x2 tensors without a tape.
"""

from __future__ import annotations

import numpy as np
from timing import medians, table

import tfpy as tf

A = np.array([[1.0, 2], [3, 4]], np.float32)
B = A + 1


def main() -> None:
    a, b = tf.tensor(A), tf.tensor(B)
    two = np.float32(2)
    square = tf.grad(lambda x: x.mul(x).sum())
    pairs = {
        "sub": (lambda: np.subtract(A, B), lambda: a.sub(b)),
        "a - b": (lambda: A - B, lambda: a - b),
        "mul by a number": (lambda: two * A, lambda: a.mul(2)),
        "exp": (lambda: np.exp(A), lambda: a.exp()),
        "matmul": (lambda: A @ B, lambda: a.mat_mul(b)),
        "sum": (lambda: A.sum(), lambda: a.sum()),
        "mean": (lambda: A.mean(), lambda: a.mean()),
        "reshape": (lambda: A.reshape(4), lambda: a.reshape([4])),
        "slice": (lambda: A[:1].copy(), lambda: a.slice([0, 0], [1, 2])),
        "tidy of nothing": (lambda: None, lambda: tf.tidy(lambda: None)),
        "tidied chain of 3": (lambda: np.square(A - B).sum(), lambda: tf.tidy(lambda: a.sub(b).square().sum())),
        "gradient of mul, sum": (lambda: A * A + A * A, lambda: square(a)),
    }
    rows = []
    for name, (numpy_call, op) in pairs.items():
        rows.append((name, medians({"numpy": numpy_call, "tfpy": op}, repeats=21, inner=2000)))
    table("One call on 2x2 tensors", rows, "numpy")
    found = dict(rows)["sub"]
    limit = 4 * found["numpy"] + 2e-6
    print(f"\n  sub: {found['tfpy'] / limit:.2f} of the limit (4 x numpy + 2 µs)")


if __name__ == "__main__":
    main()
