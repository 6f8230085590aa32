"""Errors for typical mistakes in old scripts, some with a hint to the new API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl

V = dl.Array1D.new


class Model:
    """A graph that sums x · w, with a session and an input provider for x."""

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


def _in_deeplearnjs_numerics(call: Callable[[], Any]) -> Any:
    with dl.numerics("deeplearn.js"):
        return call()


def _with_gradients(math: dl.NDArrayMath, gradients: Any) -> Any:
    x = V([1, 2])
    own = {"value": math.square(x), "gradients": gradients}
    return math.gradients(lambda: math.sum(math.custom_gradient(lambda: own, {"x": x})), x)


MISTAKES: dict[str, tuple[Callable[[Model], Any], type[Exception], str]] = {
    "symbolic tensor passed to math": (lambda m: m.math.add(m.x, V([1, 2])), TypeError, "session.eval"),
    "symbolic tensor passed to tf": (lambda m: tf.square(m.x), TypeError, "session.eval"),
    "symbolic tensor passed to numpy": (lambda m: np.add(m.x, 1), TypeError, "session.eval"),
    "symbolic tensor passed to an array": (lambda m: V([m.x, m.x]), TypeError, "session.eval"),
    "vector passed to conv2d_transpose": (
        lambda m: m.math.conv2d_transpose(V([1, 2]), V([1]), [1, 1, 1], 1, 0),
        ValueError,
        "conv2d_transpose: argument 'x' must be of rank 3 or 4",
    ),
    "shape of a vector": (
        lambda m: V([2], [1, 2]),
        ValueError,
        "Array1D.new: argument 'dtype' must be one of 'float32', 'int32', 'bool' .values of a vector are given without a shape",
    ),
    "list as data of a feed": (
        lambda m: m.session.eval(m.y, m.feeds([1, 2])),
        TypeError,
        "Session: argument 'feed_entries' must be an NDArray, or an InputProvider with getNextCopy, for 'x', but got",
    ),
    "misspelt callback": (
        lambda m: dl.GraphRunner(m.math, m.session, {"avgCost": print}),
        ValueError,
        "Unknown callback of GraphRunner 'avgCost'. Did you mean 'avgCostCallback'",
    ),
    "NDArrayInitializer of a list": (
        lambda m: dl.NDArrayInitializer([1, 2]),
        TypeError,
        "NDArrayInitializer: argument 'ndarray' must be an NDArray, but got",
    ),
    "activation that returns no tensor": (
        lambda m: m.graph.layers.dense("d", m.x, 3, lambda x: 3),
        TypeError,
        "dense: argument 'activation' must be a function that returns a symbolic tensor, but got 3",
    ),
    "NDArray.make of misspelt values": (
        lambda m: dl.NDArray.make([2], {"vals": [1, 2]}),
        ValueError,
        "make: argument 'data' must be {'values': …} without other keys",
    ),
    "value_and_gradients of no array": (
        lambda m: m.math.value_and_gradients(lambda: dl.Scalar.new(1), "x"),
        TypeError,
        "value_and_gradients: argument 'x' must be an NDArray, but got 'x'",
    ),
    "custom_gradient without the gradient of an input": (
        lambda m: _with_gradients(m.math, lambda dy, y: {"v": lambda: dy}),
        TypeError,
        "custom_gradient: argument 'gradients' must be a function that returns a dict with a function without arguments"
        " for 'x', but got {'v':",
    ),
    "custom_gradient with gradients that are no functions": (
        lambda m: _with_gradients(m.math, lambda dy, y: {"x": dy}),
        TypeError,
        "custom_gradient: argument 'gradients' must be a function that returns a dict with a function",
    ),
    "custom_gradient with a gradient instead of a dict": (
        lambda m: _with_gradients(m.math, lambda dy, y: dy),
        TypeError,
        "custom_gradient: argument 'gradients' must be a function that returns a dict",
    ),
    "custom_gradient with no function as gradients": (
        lambda m: _with_gradients(m.math, {}),
        TypeError,
        "custom_gradient: argument 'gradients' must be a function, but got",
    ),
    "invalid num_batches": (
        lambda m: dl.GraphRunner(m.math, m.session, {}).train(
            m.cost, m.feeds(m.provider), 1, dl.SGDOptimizer(1), "all"
        ),
        TypeError,
        "train: argument 'num_batches' must be a whole number, but got 'all'",
    ),
    "invalid num_passes": (
        lambda m: dl.GraphRunner(m.math, m.session, {"inferenceExamplesCallback": print}).infer(
            m.y, m.feeds(m.provider), num_passes=[1]
        ),
        TypeError,
        "infer: argument 'num_passes' must be a whole number",
    ),
    "constant without value": (lambda m: m.graph.constant(None), TypeError, "constant: argument 'value'"),
    "array passed to a graph": (lambda m: m.graph.add(m.x, V([1, 2])), TypeError, "graph.constant"),
    "values without a shape": (lambda m: dl.Array2D.new([[1, 2], [3, 4]]), ValueError, "tf.tensor2d"),
    "missing placeholder": (lambda m: m.session.eval(m.y), ValueError, "'x' of shape .2. has no entry"),
    "feed of wrong shape": (lambda m: m.session.eval(m.y, m.feeds(V([1]))), ValueError, r"shape \[2\] for 'x'"),
    "disposed feed": (lambda m: m.session.eval(m.y, m.feeds(disposed())), RuntimeError, "is disposed"),
    "array instead of provider in train": (
        lambda m: m.session.train(m.cost, m.feeds(V([1, 2])), 1, dl.SGDOptimizer(1)),
        TypeError,
        "optimizer.minimize",
    ),
    "optimizer that deeplearn.js does not have": (
        lambda m: m.session.train(m.cost, m.feeds(m.provider), 1, tf.train.nadam(1)),
        TypeError,
        "Adamax",
    ),
    "tensor of another graph": (
        lambda m: m.session.eval(dl.Graph().placeholder("z", [])),
        ValueError,
        "belongs to another",
    ),
    "tensor of no graph": (
        lambda m: m.graph.square(dl.Tensor([2])),
        ValueError,
        "square: argument 'x' must be a symbolic tensor of this graph; it belongs to none; methods of a graph return",
    ),
    "node of a tensor of no graph": (lambda m: dl.Tensor([2]).node, RuntimeError, "belongs to no graph.*NDArray.new"),
    "shape is an array": (lambda m: V([1, 2]).reshape(V([2, 1])), TypeError, "reshape: .*'new_shape'"),
    "locs is a number": (lambda m: V([1]).loc_to_index(0.5), ValueError, "loc_to_index: .*'locs'"),
    "list passed to add": (lambda m: V([1]).add([1], 0), TypeError, "add: argument 'value' must be a number"),
    "bounds are strings": (lambda m: dl.NDArray.rand_uniform([2], "a", "b"), TypeError, "rand_uniform: argument 'a'"),
    "single tensor passed to eval_all": (
        lambda m: m.session.evalAll(m.y, m.feeds(V([1, 2]))),
        TypeError,
        "eval_all: argument 'tensors' must be a list of tensors",
    ),
    "array passed to time": (lambda m: m.math.time(V([1])), TypeError, "time: argument 'query' must be a function"),
    "data_shapes is a number": (
        lambda m: dl.InMemoryDataset(2),
        TypeError,
        "InMemoryDataset: argument 'data_shapes' must be a list of shapes",
    ),
    "negative std_dev": (
        lambda m: dl.NDArray.rand_truncated_normal([2], 0, -1),
        ValueError,
        "rand_truncated_normal: argument 'std_dev' must be 0 or more and finite",
    ),
    "std_dev is NaN": (
        lambda m: dl.util.rand_gauss(0, float("nan"), True),
        ValueError,
        "rand_gauss: argument 'std_dev' must be 0 or more and finite",
    ),
    "invalid num_channels": (
        lambda m: dl.NDArray.from_pixels(np.zeros((2, 2, 3)), []),
        TypeError,
        "from_pixels: argument 'num_channels'",
    ),
    "pixels without data": (lambda m: dl.NDArray.from_pixels({"width": 1}), ValueError, "width, height, and data"),
    "slice begin is a string": (lambda m: m.math.slice1d(V([1, 2]), "a", 1), TypeError, "slice1d: argument 'begin'"),
    "source_begin is a number": (
        lambda m: m.math.copy2d(dl.Array2D.zeros([2, 2]), 0.5, [1, 1], dl.Array2D.zeros([2, 2]), [0, 0], [1, 1]),
        ValueError,
        "copy2d: argument 'source_begin'",
    ),
    "filter_shape is an array": (
        lambda m: m.math.conv2d_der_filter(dl.Array3D.zeros([2, 2, 1]), dl.Array3D.zeros([2, 2, 1]), V([1]), 1, 0),
        TypeError,
        "conv2d_der_filter: argument 'filter_shape'",
    ),
    "output_shape is an array": (
        lambda m: m.math.conv2d_transpose(dl.Array3D.zeros([2, 2, 1]), dl.Array4D.zeros([1, 1, 1, 1]), V([2, 2]), 1, 0),
        ValueError,
        "conv2d_transpose: argument 'output_shape' must be a shape, or as in 0.1 biases of size 1",
    ),
    "custom_gradient inputs are a list": (
        lambda m: m.math.custom_gradient(lambda: None, [V([1])]),
        TypeError,
        "custom_gradient: argument 'inputs'",
    ),
    "window is a list": (
        lambda m: m.graph.max_pool(m.graph.placeholder("i", [4, 4, 1]), [2, 2]),
        TypeError,
        "max_pool: argument 'field_size'",
    ),
    "tensor passed as node": (
        lambda m: m.graph.add_node_and_return_output(m.x),
        TypeError,
        "add_node_and_return_output: argument 'node'",
    ),
    "learning rate is a string": (
        lambda m: dl.SGDOptimizer("a"),
        TypeError,
        "SGDOptimizer: argument 'learning_rate' must be a number",
    ),
    "variable list is a number": (
        lambda m: dl.SGDOptimizer(1, 3),
        TypeError,
        "SGDOptimizer: argument 'specified_variable_list' must be a list of variables",
    ),
    "provider inputs are None": (
        lambda m: dl.InCPUMemoryShuffledInputProviderBuilder(None),
        TypeError,
        "argument 'inputs' must be a list of lists of arrays",
    ),
    "pad is an array": (
        lambda m: m.math.max_pool(dl.Array3D.zeros([2, 2, 1]), 1, 1, np.ones(2)),
        ValueError,
        "max_pool: argument 'pad' must be a pair",
    ),
    "dtype is an array": (lambda m: V([1], np.ones(2)), ValueError, "argument 'dtype' must be one of"),
    "shape out of range": (lambda m: dl.Array1D.zeros([10**30]), ValueError, "zeros: argument 'shape'"),
    **{
        f"fractional output size of {name}": (
            lambda m, call=call: _in_deeplearnjs_numerics(lambda: call(m.math, dl.Array3D.ones([3, 3, 1]))),
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
    "stride of 0": (
        lambda m: _in_deeplearnjs_numerics(lambda: m.math.conv1d(dl.Array2D.ones([4, 1]), FILTER, None, 0, 1)),
        ValueError,
        "conv2d: argument 'strides' must be 1 or more",
    ),
    "initializer is a string": (
        lambda m: m.graph.layers.dense("d", m.x, 1, None, True, "ones"),
        TypeError,
        "dense: argument 'kernel_initializer' must be an initializer",
    ),
    "shape is None": (lambda m: dl.util.size_from_shape(None), TypeError, "size_from_shape: argument 'shape'"),
    "points of different dimensions": (
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
def test_mistake_raises(math: dl.NDArrayMathCPU, mistake: str) -> None:
    call, error, message = MISTAKES[mistake]
    model = Model(math)
    with pytest.raises(error, match=message):
        call(model)


def test_invalid_layer_leaves_the_graph_unchanged(math: dl.NDArrayMathCPU) -> None:
    model = Model(math)
    before = len(model.graph.get_nodes())
    with pytest.raises(TypeError, match="bias_initializer"):
        model.graph.layers.dense("d", model.x, 1, None, True, None, "ones")
    assert len(model.graph.get_nodes()) == before
