"""Graph: nodes, shape inference, invalid shapes, variables and constants, dense layers."""

from __future__ import annotations

from typing import Any

import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy import legacy as dl

A1, A2 = dl.Array1D.new, dl.Array2D.new


@pytest.fixture
def g() -> dl.Graph:
    return dl.Graph()


SHAPES: list[tuple[str, Any, tuple[int, ...]]] = [
    ("add", lambda g, p: g.add(p(2, 3), p(2, 3)), (2, 3)),
    ("add scalar", lambda g, p: g.add(p(), p(2, 3)), (2, 3)),
    ("add one", lambda g, p: g.add(p(2, 3), p(1)), (2, 3)),
    ("add rows", lambda g, p: g.add(p(2, 3), p(3)), (2, 3)),
    ("subtract", lambda g, p: g.subtract(p(2), p(2)), (2,)),
    ("multiply", lambda g, p: g.multiply(p(2), p()), (2,)),
    ("divide", lambda g, p: g.divide(p(), p(2)), (2,)),
    ("reduceSum", lambda g, p: g.reduceSum(p(2, 3)), ()),
    ("concat1d", lambda g, p: g.concat1d(p(2), p(3)), (5,)),
    ("concat2d", lambda g, p: g.concat2d(p(2, 1), p(2, 3), 1), (2, 4)),
    ("concat3d", lambda g, p: g.concat3d(p(1, 2, 3), p(1, 2, 3), 2), (1, 2, 6)),
    ("concat4d", lambda g, p: g.concat4d(p(1, 2, 3, 4), p(1, 2, 3, 4), 0), (2, 2, 3, 4)),
    ("matmul", lambda g, p: g.matmul(p(2, 3), p(3, 4)), (2, 4)),
    ("matmul vector", lambda g, p: g.matmul(p(2, 3), p(3)), (2,)),
    ("vector matmul", lambda g, p: g.matmul(p(3), p(3, 4)), (4,)),
    ("reshape", lambda g, p: g.reshape(p(2, 3), [6]), (6,)),
    ("exp", lambda g, p: g.exp(p(2)), (2,)),
    ("log", lambda g, p: g.log(p(2)), (2,)),
    ("relu", lambda g, p: g.relu(p(2)), (2,)),
    ("leakyRelu", lambda g, p: g.leakyRelu(p(2), 0.1), (2,)),
    ("prelu", lambda g, p: g.prelu(p(2), p(2)), (2,)),
    ("elu", lambda g, p: g.elu(p(2)), (2,)),
    ("tanh", lambda g, p: g.tanh(p(2)), (2,)),
    ("sigmoid", lambda g, p: g.sigmoid(p(2)), (2,)),
    ("square", lambda g, p: g.square(p(2, 2)), (2, 2)),
    ("softmax", lambda g, p: g.softmax(p(3)), (3,)),
    ("softmaxCrossEntropyCost", lambda g, p: g.softmaxCrossEntropyCost(p(3), p(3)), ()),
    ("meanSquaredCost", lambda g, p: g.meanSquaredCost(p(3), p(3)), ()),
    ("argmax", lambda g, p: g.argmax(p(3)), (1,)),
    ("argmaxEquals", lambda g, p: g.argmaxEquals(p(3), p(3)), (1,)),
    ("fusedLinearCombination", lambda g, p: g.fusedLinearCombination(p(2), p(2), p(), p()), (2,)),
]


@pytest.mark.parametrize(("make", "shape"), [row[1:] for row in SHAPES], ids=[row[0] for row in SHAPES])
def test_shape_inference(g: dl.Graph, make: Any, shape: tuple[int, ...]) -> None:
    output = make(g, lambda *sizes: g.placeholder("p", sizes))
    assert isinstance(output, dl.Tensor)
    assert output.shape == shape
    assert output.node.graph is g
    assert g.get_nodes()[-1] is output.node


def test_shape_inference_of_conv2d_and_max_pool(g: dl.Graph) -> None:
    x = g.placeholder("x", [5, 5, 2])
    w, b = g.placeholder("w", [3, 3, 2, 4]), g.placeholder("b", [4])
    assert g.conv2d(x, w, b, 3, 4).shape == (5, 5, 4)
    assert g.conv2d(x, w, b, 3, 4, 1, 0).shape == (3, 3, 4)
    assert g.conv2d(x, w, b, fieldSize=3, outputDepth=4, stride=2, zeroPad=1).shape == (3, 3, 4)
    assert g.maxPool(x, 2, 1).shape == (4, 4, 2)
    assert g.max_pool(x, 3, 2, 0).shape == (2, 2, 2)
    w2 = g.placeholder("w", [2, 2, 2, 1])
    for bad in (
        lambda: g.conv2d(x, w, b, 2, 4),
        lambda: g.conv2d(x, w, w2, 3, 4),
        lambda: g.conv2d(b, w, b, 3, 4),
        lambda: g.conv2d(x, w2, g.placeholder("b", [1]), 2, 1, 2, 0),
        lambda: g.max_pool(b, 2),
    ):
        with pytest.raises(ValueError, match=r"conv2d|max_pool|window|output"):
            bad()


INVALID: list[tuple[str, Any]] = [
    ("add", lambda g, p: g.add(p(2), p(3))),
    ("add", lambda g, p: g.add(p(3, 2), p(3))),
    ("subtract", lambda g, p: g.subtract(p(2), p(3))),
    ("multiply", lambda g, p: g.multiply(p(2, 3), p(3))),
    ("divide", lambda g, p: g.divide(p(2), p(3))),
    ("matmul", lambda g, p: g.matmul(p(2, 3), p(2, 3))),
    ("matmul", lambda g, p: g.matmul(p(2), p(2))),
    ("concat1d", lambda g, p: g.concat1d(p(2, 1), p(2))),
    ("concat", lambda g, p: g.concat2d(p(2, 1), p(3, 1), 1)),
    ("concat2d", lambda g, p: g.concat2d(p(2, 1), p(2, 1), 2)),
    ("reshape", lambda g, p: g.reshape(p(2, 3), [5])),
    ("softmax", lambda g, p: g.softmax(p(2, 2))),
    ("softmax", lambda g, p: g.softmax(p(1))),
    ("softmax_cross_entropy_cost", lambda g, p: g.softmax_cross_entropy_cost(p(2), p(3))),
    ("mean_squared_cost", lambda g, p: g.mean_squared_cost(p(2), p(3))),
    ("argmax", lambda g, p: g.argmax(p(0))),
    ("argmax_equals", lambda g, p: g.argmax_equals(p(2), p(3))),
    ("prelu", lambda g, p: g.prelu(p(2), p(3))),
    ("fused_linear_combination", lambda g, p: g.fused_linear_combination(p(2), p(2), p(2), p())),
    ("placeholder", lambda g, p: p(-1)),
]


@pytest.mark.parametrize(("name", "make"), INVALID)
def test_mismatched_shapes_raise_and_add_no_node(g: dl.Graph, name: str, make: Any) -> None:
    nodes = len(g.get_nodes())
    with pytest.raises(ValueError, match=name):
        make(g, lambda *sizes: g.placeholder("p", sizes))
    added = [node for node in g.get_nodes()[nodes:] if not node.is_placeholder]
    assert not added


def test_inputs_must_be_symbolic_tensors_of_the_same_graph(g: dl.Graph) -> None:
    x = g.placeholder("x", [2])
    with pytest.raises(TypeError, match=r"graph\.constant"):
        g.add(x, A1([1, 2]))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="symbolic"):
        g.relu(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="another one"):
        g.add(x, dl.Graph().placeholder("y", [2]))


def test_variables_and_constants_keep_their_data(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    tensors: list[dl.Tensor] = []

    def build() -> None:
        tensors.append(g.variable("w", A1([1, 2])))
        tensors.append(g.constant(A1([3, 4])))
        tensors.append(g.constant([[1, 2], [3, 4]]))
        tensors.append(g.constant(5))
        tensors.append(g.variable("t", tf.tensor1d([7])))

    math.scope(build)
    session = dl.Session(g, math)
    values = [session.eval(t).get_values().tolist() for t in tensors]
    assert values == [[1, 2], [3, 4], [1, 2, 3, 4], [5], [7]]
    assert [t.shape for t in tensors] == [(2,), (2,), (2, 2), (), (1,)]
    assert tensors[0].node.trainable
    assert not tensors[1].node.trainable
    with pytest.raises(TypeError, match="variable"):
        g.variable("x", [1, 2])  # type: ignore[arg-type]


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize(
    ("op", "expected"),
    [("sigmoid", 0.731059), ("tanh", 0.761594), ("log", 0), ("elu", 1), ("exp", 2.718282), ("relu", 1)],
)
def test_elementwise_functions_of_argmax(
    g: dl.Graph, math: dl.NDArrayMathCPU, op: str, expected: float, numerics: Any
) -> None:
    with dl.numerics(numerics):
        x = g.placeholder("x", [3])
        for index in (g.argmax(x), g.argmaxEquals(x, x)):
            found = dl.Session(g, math).eval(getattr(g, op)(index), [{"tensor": x, "data": A1([1, 3, 2])}])
            assert found.get() == pytest.approx(expected, abs=ROUNDING)


def test_node_attributes_and_repr(g: dl.Graph) -> None:
    x = g.placeholder("x", [2])
    y = g.relu(x)
    assert y.node.inputs == {"x": x}
    assert "relu" in repr(y.node)
    assert "shape=[2]" in repr(y)
    assert y.id > x.id
    assert dl.SymbolicTensor is dl.Tensor


def test_custom_node(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    data = A1([1, 2])
    node = dl.Node(g, "mine", {}, dl.Tensor([2]), data=data, trainable=True)
    output = g.addNodeAndReturnOutput(node)
    assert dl.Session(g, math).eval(g.square(output)).get(1) == 4


def test_node_data_can_be_set(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    w = g.variable("w", A1([1, 2]))

    def set_data() -> None:
        w.node.data = math.add(A1([3, 4]), A1([1, 1]))

    math.scope(set_data)
    assert dl.Session(g, math).eval(g.square(w)).get_values().tolist() == [16, 25]
    with pytest.raises(ValueError, match=r"Node: argument 'data' must be of shape \[2\] for 'w'"):
        w.node.data = A1([1])
    with pytest.raises(TypeError, match="Node: argument 'data' must be an NDArray for 'w'"):
        w.node.data = [0, 0]  # type: ignore[assignment]


def test_dense_layers(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [3])
    ones, twos = dl.OnesInitializer(), dl.ConstantInitializer(2)
    y = g.layers.dense("d", x, 2, g.relu, True, ones, twos)
    assert y.shape == (2,)
    names = [node.name for node in g.get_nodes() if node.trainable]
    assert names == ["d-weights", "d-bias"]
    assert dl.Session(g, math).eval(y, [{"tensor": x, "data": A1([1, 2, 3])}]).get_values().tolist() == [8, 8]
    plain = g.layers.dense("e", x, 4, use_bias=False)
    assert [node.name for node in g.get_nodes() if node.trainable][2:] == ["e-weights"]
    assert plain.shape == (4,)
    assert g.layers.dense("f", x, 1, useBias=False).shape == (1,)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="units"):
        g.layers.dense("f", x, "1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="activation"):
        g.layers.dense("f", x, 1, "relu")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="dense"):
        g.layers.dense("h", g.placeholder("m", [2, 2]), 1)
