"""Create keras3/operations.json.gz with Keras 3.15: `python make_operations.py`; not run with the tests.

For each operation of keras.ops: the configuration of a model that uses it, inputs, and Keras's predictions.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import ops as K

RNG = np.random.default_rng(1)
MATRIX = [[1.0, -2.0], [0.5, 3.0], [2.0, 1.0], [-1.0, 0.25]]


def on_positive(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function on positive numbers."""
    return lambda x: function(K.abs(x) + 0.1)


# Functions of one input of shape [3, 4].
ONE: dict[str, Callable[[Any], Any]] = {
    "div": lambda x: x / 255.0,
    "add": lambda x: x + 1.0,
    "right sub": lambda x: 1 - x,
    "neg": lambda x: -x,
    "pow": lambda x: x**2,
    "right pow": lambda x: 2**x,
    "right div": lambda x: 1 / x,
    "mul": lambda x: x * 3,
    "mod": lambda x: x % 2,
    "floor div": lambda x: x // 2,
    "last": lambda x: x[:, -1],
    "new axis": lambda x: x[:, 1:3, None],
    "ellipsis": lambda x: x[..., 0],
    "steps": lambda x: x[:, ::2, 1:],
    "mean": lambda x: K.mean(x, axis=1),
    "max": lambda x: K.max(x, axis=[1, 2], keepdims=True),
    "min": lambda x: K.min(x, axis=-1),
    "sum": lambda x: K.sum(x, axis=(1,)),
    "prod": lambda x: K.prod(x, axis=1),
    "var": lambda x: K.var(x, axis=1),
    "std": lambda x: K.std(x, axis=1),
    "argmax": lambda x: K.cast(K.argmax(x, axis=1), "float32"),
    "argmin": lambda x: K.cast(K.argmin(x, axis=1, keepdims=True), "float32"),
    "reshape": lambda x: K.reshape(x, (-1, 12)),
    "transpose": lambda x: K.transpose(x, (0, 2, 1)),
    "squeeze": lambda x: K.squeeze(K.expand_dims(x, 1), 1),
    "where": lambda x: K.where(x > 0, x, 0.0),
    "maximum": lambda x: K.maximum(x, 0.1),
    "minimum": lambda x: K.minimum(x, 0.5),
    "clip": lambda x: K.clip(x, -0.5, 0.5),
    "softmax": lambda x: K.softmax(x, axis=1),
    "log_softmax": K.log_softmax,
    "pad": lambda x: K.pad(x, [[0, 0], [1, 2], [0, 0]]),
    "mirrored": lambda x: K.pad(x, ((0, 0), (1, 1), (0, 0)), mode="reflect"),
    "pad with": lambda x: K.pad(x, ((0, 0), (1, 1), (0, 0)), constant_values=2.0),
    "repeat": lambda x: K.repeat(x, 2, axis=1),
    "tile": lambda x: K.tile(x, (1, 2, 1)),
    "flip": lambda x: K.flip(x, axis=1),
    "cumsum": lambda x: K.cumsum(x, axis=1),
    "norm": lambda x: K.norm(x, axis=-1),
    "normalize": lambda x: K.normalize(x, axis=-1),
    "logsumexp": lambda x: K.logsumexp(x, axis=1),
    "split": lambda x: K.split(x, 2, axis=-1)[1],
    "take": lambda x: K.take(x, [0, 2], axis=1),
    "swapaxes": lambda x: K.swapaxes(x, 1, 2),
    "array": lambda x: x * np.arange(4, dtype="float32"),
    "by a matrix": lambda x: K.matmul(x, np.array(MATRIX, "float32")),
    "one_hot": lambda x: K.one_hot(K.cast(K.abs(x), "int32"), 4),
    "ones and zeros": lambda x: K.zeros_like(x) + K.ones_like(x),
    "isnan": lambda x: K.cast(K.isnan(x), "float32"),
    "any": lambda x: K.cast(K.any(x > 0, axis=1), "float32"),
    "all": lambda x: K.cast(K.all(x > 0, axis=1), "float32"),
    "not": lambda x: K.cast(K.logical_not(x >= 0), "float32"),
    "elu": lambda x: K.elu(x, 0.5),
    "exact gelu": lambda x: K.gelu(x, approximate=False),
    **{
        name: getattr(K, name)
        for name in (
            *("absolute", "arctan", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor", "gelu", "hard_sigmoid"),
            *("leaky_relu", "log_sigmoid", "negative", "relu", "relu6", "round", "selu", "sigmoid", "sign", "silu"),
            *("sin", "sinh", "softplus", "softsign", "square", "tanh"),
        )
    },
    **{name: on_positive(getattr(K, name)) for name in ("log", "log1p", "reciprocal", "rsqrt", "sqrt")},
}
# Functions of two such inputs.
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda x, y: x * y + x - y / (1 + y * y),
    "stack": lambda x, y: K.stack([x, y], axis=1),
    "concatenate": lambda x, y: K.concatenate([x, y], axis=-1),
    "matmul": lambda x, y: K.matmul(x, K.transpose(y, (0, 2, 1))),
    "where of two": lambda x, y: K.where(x < y, x, y),
    "maximum of two": K.maximum,
    "logical": lambda x, y: K.cast(K.logical_or(K.logical_and(x > 0, y <= 0.1), K.equal(x, y)), "float32"),
    "not equal": lambda x, y: K.cast(K.not_equal(x, y), "float32"),
    "einsum": lambda x, y: K.einsum("bij,bkj->bik", x, y),
}


def case(function: Callable[..., Any], count: int) -> dict[str, Any]:
    inputs = [keras.Input((3, 4)) for _ in range(count)]
    model = keras.Model(inputs, function(*inputs))
    values = [RNG.normal(size=(2, 3, 4)).astype("float32") for _ in range(count)]
    found = np.asarray(model.predict(values, verbose=0))
    return {
        "config": json.loads(model.to_json()),
        "inputs": [x.tolist() for x in values],
        "output": np.asarray(found, "float32").tolist(),
    }


cases = {name: case(f, 1) for name, f in ONE.items()} | {name: case(f, 2) for name, f in TWO.items()}
path = Path(__file__).parent / "keras3" / "operations.json.gz"
path.write_bytes(gzip.compress(json.dumps(cases).encode(), mtime=0))
