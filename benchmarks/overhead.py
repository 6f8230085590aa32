"""The overhead of an op beyond its numpy call: python benchmarks/overhead.py

The limit is 4 times the numpy call's own time plus 2 microseconds for an op on 2x2 tensors without a tape.
"""

from __future__ import annotations

import numpy as np
from timing import medians, table

import tfpy as tf

A = np.array([[1.0, 2], [3, 4]], np.float32)
B = A + 1
PLACES = np.array([1, 0], np.int32)
RANDOM = np.random.default_rng(0)


def main() -> None:
    a, b, places = tf.tensor(A), tf.tensor(B), tf.tensor(PLACES)
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
        "a[0]": (lambda: A[0].copy(), lambda: a[0]),
        "transpose": (lambda: A.T, lambda: a.transpose()),
        "concat": (lambda: np.concatenate([A, B]), lambda: tf.concat([a, b])),
        "stack": (lambda: np.stack([A, B]), lambda: tf.stack([a, b])),
        "gather": (lambda: A.take(PLACES, 0), lambda: a.gather(places)),
        "cast": (lambda: A.astype(np.int32), lambda: a.cast("int32")),
        "arg_max": (lambda: A.argmax(1).astype(np.int32), lambda: a.arg_max(1)),
        "softmax": (lambda: np.exp(A) / np.exp(A).sum(-1, keepdims=True), lambda: a.softmax()),
        "tensor of a list": (lambda: np.array([1.0, 2.0], np.float32), lambda: tf.tensor([1.0, 2.0])),
        "zeros": (lambda: np.zeros((2, 2), np.float32), lambda: tf.zeros([2, 2])),
        "random_uniform": (lambda: RANDOM.random((2, 2), np.float32), lambda: tf.random_uniform([2, 2])),
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
