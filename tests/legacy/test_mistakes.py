"""What old scripts get wrong is named, with the way of the new API where that helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl

V = dl.Array1D.new


class Model:
    """x · w, summed, with a provider of x."""

    def __init__(self, math: dl.NDArrayMath) -> None:
        self.math = math
        self.graph = dl.Graph()
        self.x = self.graph.placeholder("x", [2])
        self.w = self.graph.variable("w", V([1, 2]))
        self.y = self.graph.multiply(self.x, self.w)
        self.cost = self.graph.reduce_sum(self.y)
        self.session = dl.Session(self.graph, math)
        self.provider = dl.InCPUMemoryShuffledInputProviderBuilder([[V([1, 2])]]).get_input_provider(0)

    def feeds(self, data: Any) -> list[dict[str, Any]]:
        return [{"tensor": self.x, "data": data}]


def disposed() -> dl.NDArray:
    a = V([1, 2])
    a.dispose()
    return a


FILTER = dl.Array3D.ones([2, 1, 1])


def _with_numerics_of_deeplearn(call: Callable[[], Any]) -> Any:
    with dl.numerics("deeplearn.js"):
        return call()


MISTAKES: dict[str, tuple[Callable[[Model], Any], type[Exception], str]] = {
    "a symbolic tensor given to math": (lambda m: m.math.add(m.x, V([1, 2])), TypeError, "session.eval"),
    "a symbolic tensor given to tf": (lambda m: tf.square(m.x), TypeError, "session.eval"),
    "a symbolic tensor given to numpy": (lambda m: np.add(m.x, 1), TypeError, "session.eval"),
    "a symbolic tensor given to an array": (lambda m: V([m.x, m.x]), TypeError, "session.eval"),
    "no image for conv2d_transpose": (
        lambda m: m.math.conv2d_transpose(V([1, 2]), V([1]), [1, 1, 1], 1, 0),
        ValueError,
        "conv2d_transpose: argument 'x' must be of rank 3 or 4",
    ),
    "no number of batches": (
        lambda m: dl.GraphRunner(m.math, m.session, {}).train(
            m.cost, m.feeds(m.provider), 1, dl.SGDOptimizer(1), "all"
        ),
        TypeError,
        "train: argument 'num_batches' must be a whole number, but got 'all'",
    ),
    "no number of passes": (
        lambda m: dl.GraphRunner(m.math, m.session, {"inferenceExamplesCallback": print}).infer(
            m.y, m.feeds(m.provider), num_passes=[1]
        ),
        TypeError,
        "infer: argument 'num_passes' must be a whole number",
    ),
    "a constant without a value": (lambda m: m.graph.constant(None), TypeError, "constant: argument 'value'"),
    "an array given to a graph": (lambda m: m.graph.add(m.x, V([1, 2])), TypeError, "graph.constant"),
    "values without a shape": (lambda m: dl.Array2D.new([[1, 2], [3, 4]]), ValueError, "tf.tensor2d"),
    "a missing placeholder": (lambda m: m.session.eval(m.y), ValueError, "'x' of shape .2. has no entry"),
    "a feed of another shape": (lambda m: m.session.eval(m.y, m.feeds(V([1]))), ValueError, r"shape \[2\] for 'x'"),
    "a disposed feed": (lambda m: m.session.eval(m.y, m.feeds(disposed())), RuntimeError, "is disposed"),
    "an array to train with": (
        lambda m: m.session.train(m.cost, m.feeds(V([1, 2])), 1, dl.SGDOptimizer(1)),
        TypeError,
        "optimizer.minimize",
    ),
    "an optimizer of the new API": (
        lambda m: m.session.train(m.cost, m.feeds(m.provider), 1, tf.train.sgd(1)),
        TypeError,
        "minimize",
    ),
    "a graph of another session": (
        lambda m: m.session.eval(dl.Graph().placeholder("z", [])),
        ValueError,
        "belongs to another",
    ),
    "a shape that is an array": (lambda m: V([1, 2]).reshape(V([2, 1])), TypeError, "reshape: .*'new_shape'"),
    "a place that is a number": (lambda m: V([1]).loc_to_index(0.5), ValueError, "loc_to_index: .*'locs'"),
    "a list to be added": (lambda m: V([1]).add([1], 0), TypeError, "add: argument 'value' must be a number"),
    "bounds that are strings": (lambda m: dl.NDArray.rand_uniform([2], "a", "b"), TypeError, "rand_uniform: argument 'a'"),
    "one tensor to evaluate as all": (
        lambda m: m.session.evalAll(m.y, m.feeds(V([1, 2]))),
        TypeError,
        "eval_all: argument 'tensors' must be a list of tensors",
    ),
    "an array to be timed": (lambda m: m.math.time(V([1])), TypeError, "time: argument 'query' must be a function"),
    "one shape of a data set": (
        lambda m: dl.InMemoryDataset(2),
        TypeError,
        "InMemoryDataset: argument 'data_shapes' must be a list of shapes",
    ),
    "a deviation below 0": (
        lambda m: dl.NDArray.rand_truncated_normal([2], 0, -1),
        ValueError,
        "rand_truncated_normal: argument 'std_dev' must be 0 or more and finite",
    ),
    "a deviation that is no number": (
        lambda m: dl.util.rand_gauss(0, float("nan"), True),
        ValueError,
        "rand_gauss: argument 'std_dev' must be 0 or more and finite",
    ),
    "channels that are none": (
        lambda m: dl.NDArray.from_pixels(np.zeros((2, 2, 3)), []),
        TypeError,
        "from_pixels: argument 'num_channels'",
    ),
    "pixels without data": (lambda m: dl.NDArray.from_pixels({"width": 1}), ValueError, "width, height, and data"),
    "a slice from a string on": (lambda m: m.math.slice1d(V([1, 2]), "a", 1), TypeError, "slice1d: argument 'begin'"),
    "a block that is a number": (
        lambda m: m.math.copy2d(dl.Array2D.zeros([2, 2]), 0.5, [1, 1], dl.Array2D.zeros([2, 2]), [0, 0], [1, 1]),
        ValueError,
        "copy2d: argument 'source_begin'",
    ),
    "the shape of a filter that is an array": (
        lambda m: m.math.conv2d_der_filter(dl.Array3D.zeros([2, 2, 1]), dl.Array3D.zeros([2, 2, 1]), V([1]), 1, 0),
        TypeError,
        "conv2d_der_filter: argument 'filter_shape'",
    ),
    "the shape of an image that is an array": (
        lambda m: m.math.conv2d_transpose(dl.Array3D.zeros([2, 2, 1]), dl.Array4D.zeros([1, 1, 1, 1]), V([1]), 1, 0),
        TypeError,
        "conv2d_transpose: argument 'output_shape'",
    ),
    "gradients of no dict": (
        lambda m: m.math.custom_gradient(lambda: None, [V([1])]),
        TypeError,
        "custom_gradient: argument 'inputs'",
    ),
    "a window that is a list": (
        lambda m: m.graph.max_pool(m.graph.placeholder("i", [4, 4, 1]), [2, 2]),
        TypeError,
        "max_pool: argument 'field_size'",
    ),
    "a node that is a tensor": (
        lambda m: m.graph.add_node_and_return_output(m.x),
        TypeError,
        "add_node_and_return_output: argument 'node'",
    ),
    "a learning rate that is a string": (
        lambda m: dl.SGDOptimizer("a"),
        TypeError,
        "SGDOptimizer: argument 'learning_rate' must be a number",
    ),
    "variables that are no list": (
        lambda m: dl.SGDOptimizer(1, 3),
        TypeError,
        "SGDOptimizer: argument 'specified_variable_list' must be a list of variables",
    ),
    "inputs that are no list": (
        lambda m: dl.InCPUMemoryShuffledInputProviderBuilder(None),
        TypeError,
        "argument 'inputs' must be a list of lists of arrays",
    ),
    "a pad that is an array": (
        lambda m: m.math.max_pool(dl.Array3D.zeros([2, 2, 1]), 1, 1, np.ones(2)),
        ValueError,
        "max_pool: argument 'pad' must be a pair",
    ),
    "a dtype that is an array": (lambda m: V([1], np.ones(2)), ValueError, "argument 'dtype' must be one of"),
    "a shape beyond all bounds": (lambda m: dl.Array1D.zeros([10**30]), ValueError, "zeros: argument 'shape'"),
    **{
        f"windows of {name} that do not fit": (
            lambda m, call=call: _with_numerics_of_deeplearn(lambda: call(m.math, dl.Array3D.ones([3, 3, 1]))),
            ValueError,
            f"{name}: argument 'pad' must be such that the number of outputs is an integer",
        )
        for name, call in {
            "max_pool": lambda math, x: math.max_pool(x, 2, 2, 0),
            "min_pool": lambda math, x: math.min_pool(x, [2, 2], 2, 0),
            "avg_pool": lambda math, x: math.avg_pool(x, 2, [2, 2], 0),
            "conv2d": lambda math, x: math.conv2d(x, dl.Array4D.ones([2, 2, 1, 1]), None, 2, 0),
            "depthwise_conv2d": lambda math, x: math.depthwise_conv2d(x, dl.Array4D.ones([2, 2, 1, 1]), 2, 0),
        }.items()
    },
    "windows that do not move": (
        lambda m: _with_numerics_of_deeplearn(lambda: m.math.conv1d(dl.Array2D.ones([4, 1]), FILTER, None, 0, 1)),
        ValueError,
        "conv2d: argument 'strides' must be 1 or more",
    ),
    "an orientation that is a boolean": (
        lambda m: m.math.mat_mul(dl.Array2D.zeros([2, 2]), dl.Array2D.zeros([2, 2]), True),
        TypeError,
        "mat_mul: argument 'orientation'",
    ),
    "an initializer that is a string": (
        lambda m: m.graph.layers.dense("d", m.x, 1, None, True, "ones"),
        TypeError,
        "dense: argument 'kernel_initializer' must be an initializer",
    ),
    "a shape that is none": (lambda m: dl.util.size_from_shape(None), TypeError, "size_from_shape: argument 'shape'"),
    "points of other dimensions": (
        lambda m: dl.util.dist_squared([1], [1, 2]),
        ValueError,
        "dist_squared: argument 'b' must be of length 1",
    ),
    "lists of different lengths": (
        lambda m: dl.InCPUMemoryShuffledInputProviderBuilder([[V([1])], [V([1]), V([2])]]),
        ValueError,
        r"lists of \[1, 2\] examples",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(math: dl.NDArrayMathCPU, mistake: str) -> None:
    call, error, message = MISTAKES[mistake]
    model = Model(math)
    with pytest.raises(error, match=message):
        call(model)


def test_a_refused_layer_leaves_the_graph_as_it_was(math: dl.NDArrayMathCPU) -> None:
    model = Model(math)
    before = len(model.graph.get_nodes())
    with pytest.raises(TypeError, match="bias_initializer"):
        model.graph.layers.dense("d", model.x, 1, None, True, None, "ones")
    assert len(model.graph.get_nodes()) == before
