"""Arguments in the order of each version of deeplearn.js, with the numbers of that version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tfpy import legacy as dl
from tfpy.legacy import conv_util
from tfpy.legacy.graphs.maps import TensorArrayMap

EXAMPLES = [[1, 2], [3, 4], [5, 6]], [[1, 1], [0, 1], [2, 0]]


class Cycle:
    """The provider of deeplearn.js's examples: one after the other, over and over."""

    def __init__(self, values: Sequence[list[int]]) -> None:
        self._values = values
        self._next = 0

    def get_next_copy(self, math: Any) -> Any:
        self._next += 1
        return dl.Array1D.new(self._values[(self._next - 1) % len(self._values)])

    def dispose_copy(self, math: Any, copy: Any) -> None:
        pass


def weights_after_steps(make: Callable[[Any], Any], steps: int) -> list[list[float]]:
    """The weights after each step of training w · x with two examples per step, from [1, -2]."""
    graph = dl.Graph()
    x, y = graph.placeholder("x", [2]), graph.placeholder("y", [2])
    w = graph.variable("w", dl.Array1D.new([1, -2]))
    cost = graph.mean_squared_cost(y, graph.multiply(w, x))
    session = dl.Session(graph, dl.NDArrayMathCPU())
    feeds = [dl.FeedEntry(tensor, Cycle(values)) for tensor, values in zip((x, y), EXAMPLES, strict=True)]
    optimizer = make(w)
    found = []
    for _ in range(steps):
        session.train(cost, feeds, 2, optimizer)
        found.append(w.node.data.get_values().tolist())
    return found


# The constructor's arguments in 0.5, and the weights that deeplearn.js 0.5.1 finds.
OF_0_5: dict[str, tuple[Callable[[Any], Any], list[list[float]]]] = {
    "adam": (
        lambda w: dl.AdamOptimizer(0.1, 0.8, 0.95, 1e-2, [w.node]),
        [[0.9500555, -1.9500109], [0.9002636, -1.9006153], [0.8506112, -1.8507658], [0.8045225, -1.8040234]],
    ),
    "adamax": (
        lambda w: dl.AdamaxOptimizer(0.1, 0.8, 0.95, 1e-2, 0.3, [w.node]),
        [[0.9500555, -1.9500109], [0.9174833, -1.9188182], [0.8945825, -1.8944817], [0.8776433, -1.8762488]],
    ),
    "rmsprop": (
        lambda w: dl.RMSPropOptimizer(0.1, 0.8, 0.5, [w.node], 1e-2),
        [[0.8882311, -1.8881979], [0.7392861, -1.7335391], [0.5799891, -1.5703423], [0.4712986, -1.4526420]],
    ),
    "rmsprop with momentum": (
        lambda w: dl.RMSPropOptimizer(0.1, 0.8, 0.5),
        [[0.8881966, -1.8881966], [0.7392254, -1.7335368], [0.5799131, -1.5703394], [0.4712144, -1.4526387]],
    ),
    "adadelta": (
        lambda w: dl.AdadeltaOptimizer(0.5, 0.9, None, 1e-3),
        [[-1.25, 9.5], [9.625, -85.0], [-69.6875, 1021.0], [104.78125, -4082.5]],
    ),
    "momentum": (
        lambda w: dl.MomentumOptimizer(0.01, 0.8, None, True),
        [[0.919, -1.586], [0.774154, -0.8498399], [0.5629621, -0.0889468], [0.4176269, 0.3970115]],
    ),
}


@pytest.mark.parametrize("name", OF_0_5)
def test_optimizers_of_0_5(name: str) -> None:
    make, expected = OF_0_5[name]
    with dl.numerics("deeplearn.js"):
        np.testing.assert_allclose(weights_after_steps(make, 4), expected, rtol=2e-5)


OPTIONS: list[tuple[Any, dict[str, Any]]] = [
    (lambda: dl.AdamOptimizer(0.1, 0.8, 0.95, 1e-2), {"beta2": 0.95, "epsilon": 1e-2}),
    (lambda: dl.AdamaxOptimizer(0.1, 0.8, 0.95, 1e-2, 0.3), {"epsilon": 1e-2, "decay": 0.3}),
    (lambda: dl.RMSPropOptimizer(0.1, 0.8, 0.5, None, 1e-2), {"decay": 0.8, "momentum": 0.5, "epsilon": 1e-2}),
    (lambda: dl.AdadeltaOptimizer(0.5, 0.9, None, 1e-3), {"rho": 0.9, "epsilon": 1e-3}),
]


@pytest.mark.parametrize(("make", "options"), OPTIONS)
def test_options_of_0_5_reach_the_optimizer_of_the_core(make: Callable[[], Any], options: dict[str, Any]) -> None:
    config = make().core_optimizer().get_config()
    assert {name: config[name] for name in options} == options


# Each optimizer with its list of variables where 0.2 to 0.4 have it, and as a keyword.
WITH_VARIABLES: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (
        lambda w: dl.AdamOptimizer(0.1, 0.8, 0.95, [w.node]),
        lambda w: dl.AdamOptimizer(0.1, 0.8, 0.95, specified_variable_list=[w.node]),
    ),
    (
        lambda w: dl.AdamaxOptimizer(0.1, 0.8, 0.95, [w.node]),
        lambda w: dl.AdamaxOptimizer(0.1, 0.8, 0.95, specified_variable_list=[w.node]),
    ),
    (
        lambda w: dl.RMSPropOptimizer(0.1, 0.8, [w.node]),
        lambda w: dl.RMSPropOptimizer(0.1, 0.8, specified_variable_list=[w.node]),
    ),
    (lambda w: dl.AdagradOptimizer(0.1, 0.9, [w.node]), lambda w: dl.AdagradOptimizer(0.1, [w.node])),
]


@pytest.mark.parametrize(("by_position", "by_name"), WITH_VARIABLES)
def test_list_of_variables_before_0_5(by_position: Callable[[Any], Any], by_name: Callable[[Any], Any]) -> None:
    optimizers: list[Any] = []

    def made(w: Any) -> Any:
        optimizers.append(by_position(w))
        return optimizers[-1]

    assert weights_after_steps(made, 2) == weights_after_steps(by_name, 2)
    assert len(optimizers[0].specified_variable_nodes) == 1


def test_base_optimizer_of_0_1_has_no_learning_rate() -> None:
    graph = dl.Graph()
    w = graph.variable("w", dl.Scalar.new(1))
    assert dl.Optimizer([w.node]).specified_variable_nodes == [w.node]
    assert dl.Optimizer().specified_variable_nodes is None


# Sizes: the call with the arguments of a version, and its outShape and padding.
SIZES: list[tuple[Callable[[], Any], list[int], tuple[int, int, int, int]]] = [
    (lambda: conv_util.computeConv2DInfo([7, 9, 2], 3, 2, 4, 2, 1, "same"), [4, 9, 4], (1, 1, 0, 1)),  # 0.3.11
    (
        lambda: conv_util.computeConv2DInfo([1, 7, 9, 2], [3, 3, 2, 4], 2, 1, True, "channelsLast"),  # 0.3.17
        [1, 4, 5, 8],
        (1, 1, 1, 1),
    ),
    (
        lambda: conv_util.computeConv2DInfo([1, 8, 9, 2], [3, 3, 2, 4], 2, 1, "ceil", True, "channelsLast"),  # 0.4.2
        [1, 5, 5, 8],
        (1, 1, 1, 1),
    ),
    (
        lambda: conv_util.computeConv2DInfo([1, 2, 7, 9], [3, 2, 2, 4], 2, "valid", None, False, "channelsFirst"),
        [1, 4, 3, 4],
        (0, 0, 0, 0),
    ),
    (
        lambda: conv_util.computeConv2DInfo([1, 7, 9, 2], [3, 2, 2, 4], 1, [2, 3], "valid", "floor", False),  # 0.5.1
        [1, 3, 6, 4],
        (0, 0, 0, 0),
    ),
    (
        lambda: conv_util.computeConv2DInfo([1, 7, 9, 2], [3, 3, 2, 4], 2, 1, 1, "round", True, "channelsLast"),
        [1, 4, 5, 8],
        (1, 1, 1, 1),
    ),
    (lambda: conv_util.computePool2DInfo([1, 7, 9, 2], 3, 2, "same", "channelsLast"), [1, 4, 5, 2], (1, 1, 1, 1)),
    (lambda: conv_util.computePool2DInfo([1, 8, 9, 2], 3, 2, 1, "floor", "channelsLast"), [1, 4, 5, 2], (1, 1, 1, 1)),
]


@pytest.mark.parametrize(("call", "shape", "pads"), SIZES)
def test_sizes(call: Callable[[], Any], shape: list[int], pads: tuple[int, int, int, int]) -> None:
    info = call()
    assert [*info.out_shape] == shape
    assert tuple(info.pad_info) == pads


def test_rounded_output_shape() -> None:
    assert conv_util.computeOutputShape3D([7, 8, 2], 4, 5, 2, 1, "floor") == [3, 4, 5]


def test_unknown_option_of_sizes() -> None:
    with pytest.raises(ValueError, match="compute_conv2d_info: argument 'options' .*'channelsLast'.* got 'NHWC'"):
        conv_util.compute_conv2d_info([1, 7, 9, 2], [3, 3, 2, 4], 2, "same", "NHWC")


# conv2dTranspose of 0.1.2: biases, stride, pad.
TRANSPOSED: list[tuple[list[float] | None, int, int, list[int], list[float]]] = [
    (
        None,
        1,
        0,
        [4, 5, 1],
        [-4, -8, -14, 4, -2, -23, -18, -24, 17, -18, -5, 16, -1, 2, -39, 8, 8, 3, -11, -11],
    ),
    (
        [0.5],
        2,
        1,
        [3, 5, 1],
        [5.5, -6.5, 11.5, -14.5, 17.5, 6.5, -26.5, 8.5, -32.5, 10.5, 23.5, -30.5, 29.5, -38.5, 35.5],
    ),
    ([0.5], 1, 1, [2, 3, 1], [-17.5, -23.5, 17.5, 16.5, -0.5, 2.5]),
]


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize(("biases", "stride", "pad", "shape", "values"), TRANSPOSED)
def test_conv2d_transpose_of_0_1(
    biases: list[float] | None, stride: int, pad: int, shape: list[int], values: list[float], numerics: str
) -> None:
    math = dl.NDArrayMathCPU()
    x = dl.Array3D.new([2, 3, 2], [*range(1, 13)])
    weights = dl.Array4D.new([3, 3, 1, 2], [i % 5 - 2 for i in range(18)])
    with dl.numerics(numerics):
        found = math.conv2d_transpose(x, weights, None if biases is None else dl.Array1D.new(biases), stride, pad)
    assert [*found.shape] == shape
    np.testing.assert_allclose(found.get_values(), values, rtol=1e-6)


def test_products_take_booleans_since_0_5() -> None:
    math = dl.NDArrayMathCPU()
    a, b = dl.Array2D.new([2, 3], [1, 2, 3, 4, 5, 6]), dl.Array2D.new([2, 3], [1, 0, 2, 0, 1, 1])
    orientation = dl.MatrixOrientation
    np.testing.assert_array_equal(
        math.mat_mul(a, b, True, False).get_values(),
        math.mat_mul(a, b, orientation.TRANSPOSED, orientation.REGULAR).get_values(),
    )
    assert math.mat_mul(a, b, False, True).shape == (2, 2)


def test_concat_of_0_5_takes_two_arrays_or_a_list() -> None:
    math = dl.NDArrayMathCPU()
    a, b = dl.Array2D.new([1, 2], [1, 2]), dl.Array2D.new([1, 2], [3, 4])
    np.testing.assert_array_equal(math.concat(a, b, 1).get_values(), [1, 2, 3, 4])
    assert math.concat([a, b], 1).shape == (1, 4)
    assert math.concat([a, b], axis=1).shape == (1, 4)
    assert math.concat([a, b, a]).shape == (3, 2)
    assert math.concat2d(a, b, -1).get_values().tolist() == [1, 2, 3, 4]


def test_constructors_up_to_0_3_13_take_data() -> None:
    data = {"values": np.array([1, 2, 3, 4], np.float32)}
    assert dl.Array2D([2, 2], data).get(1, 0) == 3
    assert dl.NDArray([2, 2], data, "int32").dtype == "int32"
    assert dl.Array1D(data).shape == (4,)
    assert dl.Array1D(data, "int32").dtype == "int32"
    assert dl.Scalar({"values": [5]}).get() == 5
    with pytest.raises(ValueError, match="Array2D: argument 'data' must be {'values': …} without other keys"):
        dl.Array2D([2, 2], {"texture": None})


def test_arguments_without_effect() -> None:
    math = dl.NDArrayMathCPU()
    math.start_scope("name", True)
    array = dl.Scalar.new(1)
    math.end_scope(None, True)
    assert array.is_disposed
    dl.ENV.set_math(math, "cpu", False)
    assert dl.ENV.math is math


def test_arguments_that_one_version_needs() -> None:
    math = dl.NDArrayMathCPU()
    matrix = dl.Array2D.new([2, 3], [1, 2, 3, 4, 5, 6])
    assert math.reverse2D(matrix).get_values().tolist() == [6, 5, 4, 3, 2, 1]
    assert math.reverse3d(matrix.as3d(1, 2, 3)).equals(math.reverse4d(matrix.as4d(2, 1, 3, 1)).as3d(1, 2, 3))
    assert conv_util.computeWeightsShape4D(3, 4, 2) == (2, 2, 3, 4)
    assert conv_util.compute_weights_shape4d(3, 4, 2, filterWidth=5) == (2, 5, 3, 4)


def test_computed_gradients_under_the_names_of_0_4_and_0_5() -> None:
    math = dl.NDArrayMathCPU()
    w = dl.variable(dl.Array1D.new([1, 2]), True, "computed")
    optimizer = dl.SGDOptimizer(0.1)
    found = optimizer.computeGradients(lambda: math.sum(math.square(w)))
    assert "gradients" in found
    assert "grads" in found
    assert found.gradients is found["gradients"] is found.grads
    value, gradients = found
    assert (value.get(), gradients["computed"].get_values().tolist()) == (5, [2, 4])
    optimizer.apply_gradients(found.gradients)
    np.testing.assert_allclose(w.get_values(), [0.8, 1.6], rtol=1e-6)


def test_ids_of_data() -> None:
    math = dl.NDArrayMathCPU()
    array = dl.Array1D.new([1, 2])
    math.write(array.dataId, [3, 4])
    assert math.read_sync(array.data_id).tolist() == [3, 4]


class PortedMomentum(dl.Optimizer):
    """Momentum as deeplearn.js 0.3 implements it, with all the methods that a session calls."""

    def __init__(self, learning_rate: float, momentum: float) -> None:
        super().__init__(learning_rate)
        self._momentum = dl.Scalar.new(momentum)
        self._velocities = TensorArrayMap()

    def beforeBatch(self, math: Any, batch_size: int, runtime: Any, activations: Any, gradients: Any) -> None:
        super().beforeBatch(math, batch_size, runtime, activations, gradients)
        for node in self.variableNodes:
            self.variableGradients.set(node.output, dl.NDArray.zeros(node.output.shape))
            if self._velocities.get(node.output, True) is None:
                self._velocities.set(node.output, dl.NDArray.zeros(node.output.shape))

    def afterExample(self, math: Any, runtime: Any, activations: Any, gradients: Any) -> None:
        for node in self.variableNodes:
            total = math.add(gradients.get(node.output), self.variableGradients.get(node.output))
            self.variableGradients.disposeArray(node.output)
            assert self.variableGradients.hasNullArray(node.output)
            self.variableGradients.set(node.output, math.keep(total))

    def afterBatch(self, math: Any, batch_size: int, runtime: Any, activations: Any, gradients: Any) -> None:
        for node in self.variableNodes:
            old, gradient = activations.get(node.output), self.variableGradients.get(node.output)
            velocity = math.scaledArrayAdd(self._momentum, self._velocities.get(node.output), self.one, gradient)
            variable = math.scaledArrayAdd(self.c, velocity, self.one, old)
            self._velocities.disposeArray(node.output)
            self._velocities.set(node.output, math.keep(velocity))
            activations.set(node.output, math.keep(variable))
            node.data = variable
            old.dispose()
            self.variableGradients.disposeArray(node.output)

    def dispose(self) -> None:
        for node in self.variableNodes:
            self._velocities.disposeArray(node.output)
            node.data.dispose()


def test_an_optimizer_ported_from_deeplearn_js() -> None:
    ported = PortedMomentum(0.01, 0.9)
    with dl.numerics("deeplearn.js"):
        found = weights_after_steps(lambda w: ported, 4)
        expected = weights_after_steps(lambda w: dl.MomentumOptimizer(0.01, 0.9), 4)
    ported.dispose()
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(found[-1], [0.4521527, 0.4730519], rtol=1e-5)  # 0.2.10 to 0.3.17


def test_maps_of_arrays() -> None:
    graph = dl.Graph()
    tensor, arrays = graph.placeholder("x", [1]), TensorArrayMap()
    assert (arrays.get(tensor, skipChecks=True), arrays.has_null_array(tensor)) == (None, False)
    arrays.dispose_array(tensor)
    arrays.nullify(tensor)
    assert (arrays.hasNullArray(tensor), arrays.has(tensor), arrays.size()) == (True, False, 1)
    with pytest.raises(ValueError, match="no array"):
        arrays.get(tensor)
