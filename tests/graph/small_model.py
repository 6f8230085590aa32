"""A small graph model, and inputs for tests."""

from __future__ import annotations

import numpy as np
from graph.graph_builders import dtype, model, node, placeholder

import tfpy as tf

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
N = np.array([2, 0, 1], np.int32)
INT, FLOAT = dtype("int32"), dtype("float32")


def small() -> tf.GraphModel:
    """y = relu(x · w), z = x + x."""
    return model(
        placeholder("x", shape=[-1, 3]),
        node("m", "MatMul", "x", "w"),
        node("y", "Relu", "m"),
        node("z", "Add", "x", "x"),
        constants={"w": np.eye(3, dtype=np.float32) * 2},
    )
