"""The examples of deeplearn.js's tutorials in Python, with the results that the tutorials state.

Introduction (arrays, math, scopes, a linear model), beginners' guide (matrix times vector, a quadratic), internals of
the math (elementwise kernels over flat values), and the first pages of the TF.js tutorials.
"""

from __future__ import annotations

import asyncio
import random

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy import legacy as dl
from tfpy.demo.line import fit_a_line
from tfpy.legacy import (
    Array1D,
    Array2D,
    CostReduction,
    FeedEntry,
    Graph,
    InCPUMemoryShuffledInputProviderBuilder,
    NDArray,
    NDArrayMathCPU,
    NDArrayMathGPU,
    Scalar,
    Session,
    SGDOptimizer,
)

# Without a GPU, tfpy warns and computes on the CPU.
pytestmark = pytest.mark.filterwarnings("ignore:NDArrayMathGPU")


# Introduction


def test_arrays() -> None:
    shape = [2, 3]
    a = Array2D.new(shape, [1.0, 2.0, 3.0, 10.0, 20.0, 30.0])
    assert a.shape == (2, 3)
    assert a.get(1, 2) == 30


def test_mean_squared_difference_in_a_scope() -> None:
    math = NDArrayMathGPU()
    printed: list[float] = []

    def compute(keep, track):  # type: ignore[no-untyped-def]
        a = track(Array2D.new([2, 2], [1.0, 2.0, 3.0, 4.0]))
        b = track(Array2D.new([2, 2], [0.0, 2.0, 4.0, 6.0]))
        diff = math.sub(a, b)
        squared_diff = math.elementWiseMul(diff, diff)
        total = math.sum(squared_diff)
        size = Scalar.new(a.size)
        average = math.divide(total, size)
        printed.append(average.get())

    math.scope(compute)
    assert printed == [1.5]


def test_mean_squared_difference_without_a_scope() -> None:
    math = NDArrayMathGPU()
    a = Array2D.new([2, 2], [1.0, 2.0, 3.0, 4.0])
    b = Array2D.new([2, 2], [0.0, 2.0, 4.0, 6.0])
    diff = math.sub(a, b)
    squared_diff = math.element_wise_mul(diff, diff)
    average = math.divide(math.sum(squared_diff), Scalar.new(a.size))
    assert average.get() == 1.5
    assert asyncio.run(average.data())[0] == 1.5


def test_keep_and_track() -> None:
    math = NDArrayMathGPU()
    output: list[NDArray] = []
    inside: list[NDArray] = []

    def outer(keep, track):  # type: ignore[no-untyped-def]
        a = track(Scalar.new(2))
        b = Scalar.new(2)  # disposed at the end, too: tfpy needs no track
        c = math.neg(math.exp(a))

        def inner():  # type: ignore[no-untyped-def]
            e = track(Scalar.new(3))
            inside.append(e)
            return math.elementWiseMul(e, e)

        d = math.scope(inner)
        assert inside[0].is_disposed
        output.append(keep(math.tanh(d)))
        inside.extend([a, b, c, d])

    math.scope(outer)
    assert all(array.is_disposed for array in inside)
    assert output[0].get() == pytest.approx(np.tanh(9))
    output[0].dispose()


def test_manual_memory_management() -> None:
    math = NDArrayMathCPU(False)
    a = math.neg(Scalar.new(1))
    a.dispose()
    assert a.is_disposed


def linear_model() -> tuple[Graph, dl.Tensor, dl.Tensor, dl.Tensor, dl.Tensor]:
    g = Graph()
    input_tensor = g.placeholder("input", [3])
    label_tensor = g.placeholder("label", [1])
    multiplier = g.variable("multiplier", Array2D.randNormal([1, 3]))
    output_tensor = g.matmul(multiplier, input_tensor)
    cost_tensor = g.meanSquaredCost(output_tensor, label_tensor)
    return g, input_tensor, label_tensor, output_tensor, cost_tensor


def test_shapes_of_a_graph() -> None:
    _, _, _, output_tensor, cost_tensor = linear_model()
    assert output_tensor.shape == (1,)
    assert cost_tensor.shape == ()


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
def test_training_a_linear_model(numerics: str) -> None:
    tf.set_seed(1)
    dl.numerics(numerics)  # type: ignore[arg-type]
    g, input_tensor, label_tensor, output_tensor, cost_tensor = linear_model()
    learning_rate = 0.00001
    batch_size = 3
    math = NDArrayMathGPU()
    session = Session(g, math)
    optimizer = SGDOptimizer(learning_rate)
    inputs = [Array1D.new([1.0, 2.0, 3.0]), Array1D.new([10.0, 20.0, 30.0]), Array1D.new([100.0, 200.0, 300.0])]
    labels = [Array1D.new([4.0]), Array1D.new([40.0]), Array1D.new([400.0])]
    builder = InCPUMemoryShuffledInputProviderBuilder([inputs, labels])
    input_provider, label_provider = builder.getInputProviders()
    feed_entries = [{"tensor": input_tensor, "data": input_provider}, {"tensor": label_tensor, "data": label_provider}]
    costs: list[float] = []
    for _ in range(10):

        def train() -> None:
            cost = session.train(cost_tensor, feed_entries, batch_size, optimizer, CostReduction.MEAN)
            costs.append(cost.get())

        math.scope(train)
    assert costs[-1] < costs[0] / 1000

    def infer(keep, track) -> None:  # type: ignore[no-untyped-def]
        test_input = track(Array1D.new([0.1, 0.2, 0.3]))
        test_output = session.eval(output_tensor, [FeedEntry(input_tensor, test_input)])
        assert test_output.shape == (1,)
        assert test_output.get(0) == pytest.approx(0.4, abs=0.005)

    math.scope(infer)
    for array in [*inputs, *labels]:
        array.dispose()


# Beginners' guide


def test_matrix_times_vector() -> None:
    math = NDArrayMathGPU()
    matrix_shape = [2, 3]
    matrix = Array2D.new(matrix_shape, [10, 20, 30, 40, 50, 60])
    vector = Array1D.new([0, 1, 2])
    result = math.matrixTimesVector(matrix, vector)
    assert result.shape == (2,)
    assert asyncio.run(result.data()).tolist() == [80, 170]


def test_quadratic_in_plain_python_and_as_graph() -> None:
    def graph(x: float, a: float, b: float, c: float) -> float:
        order2 = a * x**2
        order1 = b * x
        return order2 + order1 + c

    random.seed(0)
    a, b, c = (random.random() for _ in range(3))
    g = Graph()
    x = g.placeholder("x", [])
    order2 = g.multiply(g.constant(a), g.square(x))
    order1 = g.multiply(g.constant(b), x)
    y = g.add(g.add(order2, order1), g.constant(c))
    found = Session(g, NDArrayMathCPU()).eval(y, [{"tensor": x, "data": Scalar.new(4)}])
    assert found.get() == pytest.approx(graph(4, a, b, c), rel=ROUNDING)


def quadratic_graph() -> tuple[Graph, dl.Tensor, dl.Tensor, dl.Tensor, dl.Tensor]:
    graph = Graph()
    x = graph.placeholder("x", [])
    a = graph.variable("a", Scalar.new(random.Random(1).random()))
    b = graph.variable("b", Scalar.new(random.Random(2).random()))
    c = graph.variable("c", Scalar.new(random.Random(3).random()))
    order2 = graph.multiply(a, graph.square(x))
    order1 = graph.multiply(b, x)
    y = graph.add(graph.add(order2, order1), c)
    y_label = graph.placeholder("y label", [])
    cost = graph.meanSquaredCost(y, y_label)
    return graph, x, y, y_label, cost


def test_learning_a_quadratic() -> None:
    tf.set_seed(7)
    graph, x, y, y_label, cost = quadratic_graph()
    math = NDArrayMathGPU()
    session = Session(graph, math)

    async def learn(keep, track):  # type: ignore[no-untyped-def]
        result = session.eval(y, [{"tensor": x, "data": track(Scalar.new(4))}])
        before = (await result.data())[0]
        xs = [Scalar.new(0), Scalar.new(1), Scalar.new(2), Scalar.new(3)]
        ys = [Scalar.new(1.1), Scalar.new(5.9), Scalar.new(16.8), Scalar.new(33.9)]
        x_provider, y_provider = InCPUMemoryShuffledInputProviderBuilder([xs, ys]).getInputProviders()
        feeds = [{"tensor": x, "data": x_provider}, {"tensor": y_label, "data": y_provider}]
        optimizer = SGDOptimizer(0.01)
        costs = []
        for _ in range(20):
            cost_value = session.train(cost, feeds, len(xs), optimizer, CostReduction.MEAN)
            costs.append((await cost_value.data())[0])
        result = session.eval(y, [{"tensor": x, "data": track(Scalar.new(4))}])
        return before, costs, (await result.data())[0]

    async def main():  # type: ignore[no-untyped-def]
        return await math.scope(learn)

    before, costs, after = asyncio.run(main())
    assert costs[-1] < costs[0] / 100
    assert abs(after - 57) < 8 < abs(before - 57)


# The internals of the math


def test_elementwise_kernels_over_flat_values() -> None:
    def scaled_array_add(c1: NDArray, a: NDArray, c2: NDArray, b: NDArray) -> NDArray:
        new_shape = dl.util.assertAndGetBroadcastedShape(a.shape, b.shape)
        new_values = np.zeros(dl.util.sizeFromShape(new_shape), np.float32)
        a_values, b_values = a.getValues(), b.getValues()
        c1_val, c2_val = c1.get(), c2.get()
        for i in range(len(new_values)):
            new_values[i] = c1_val * a_values[i % a.size] + c2_val * b_values[i % b.size]
        return NDArray.make(new_shape, {"values": new_values})

    math = NDArrayMathCPU()
    a, b = Array2D.new([2, 2], [1, 2, 3, 4]), Array1D.new([10, 20])
    added = math.add(a, b)
    assert added.equals(scaled_array_add(Scalar.ONE, a, Scalar.ONE, b))
    assert scaled_array_add(Scalar.TWO, a, Scalar.ONE, a).equals(math.scaledArrayAdd(Scalar.TWO, a, Scalar.ONE, a))
    with pytest.raises(ValueError, match="shape"):
        math.addStrict(a, b)


def test_get_texture_raises() -> None:
    with pytest.raises(RuntimeError, match="get_values"):
        Array1D.new([1]).getTexture([1, 1])


# The first page of TF.js


def test_first_page_of_the_new_api() -> None:
    a = tf.tensor2d([1.0, 2.0, 3.0, 10.0, 20.0, 30.0], [2, 3])
    b = tf.tensor2d([[0.0, 2.0], [4.0, 6.0]])
    assert a.shape == (2, 3)
    biases = tf.variable(tf.zeros([10]))
    assert biases.size == 10
    c = tf.tensor2d([[1.0, 2.0], [3.0, 4.0]])
    average = c.sub(b).square().mean()
    assert average.array_sync() == tf.mean(tf.square(tf.sub(c, b))).array_sync() == 1.5
    result = b.square()
    b.dispose()
    result.dispose()
    assert tf.tidy(lambda: c.sub(1).square().mean()).array_sync() == 3.5


def test_demo_is_bit_identical_in_both_apis(capsys: pytest.CaptureFixture[str]) -> None:
    assert fit_a_line(300) < 0.5
    assert "to the last bit: True" in capsys.readouterr().out
