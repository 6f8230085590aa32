"""Session: evaluation, training by batch and by example, and invalid arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from legacy.providers import InOrder, array, feeds
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf
from tfpy import legacy as dl

A1, A2 = dl.Array1D.new, dl.Array2D.new
REDUCTION = dl.CostReduction


# Evaluation


def test_eval_and_eval_all(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x, w = g.placeholder("x", [2]), g.variable("w", A2([1, 2], [3, 4]))
    y = g.matmul(w, x)
    session = dl.Session(g, math)
    data = A1([1, 2])
    result = session.eval(y, [{"tensor": x, "data": data}])
    assert isinstance(result, dl.Array1D)
    assert result.get(0) == 11
    assert not data.is_disposed
    first, second = session.evalAll([y, g.square(y)], [dl.FeedEntry(x, data)])
    assert [first.get(0), second.get(0)] == [11, 121]
    assert session.eval(y, [{"tensor": x, "data": tf.tensor1d([1, 0])}]).get(0) == 3


def test_intermediate_tensor_can_be_fed(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    square = g.square(g.placeholder("x", []))
    y = g.add(square, g.constant(1))
    assert dl.Session(g, math).eval(y, [{"tensor": square, "data": dl.Scalar.new(5)}]).get() == 6


@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_feeds_are_cast_to_float32(math: dl.NDArrayMathCPU, dtype: Any) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [2, 2, 1])
    w = g.variable("w", dl.Array4D.new([2, 2, 1, 1], [1, 2, 3, 4]))
    y = g.reshape(g.conv2d(x, w, g.constant([0.25]), 2, 1, 1, 0), [])
    session = dl.Session(g, math)
    image = [dl.NDArray.make([2, 2, 1], [1, 0, 0, 1], kind) for kind in (dtype, "float32")]
    assert [session.eval(y, [{"tensor": x, "data": a}]).get() for a in image] == [5.25, 5.25]
    for batched in (True, False):
        entries = [{"tensor": x, "data": InOrder(image)}]
        cost = session.train(y, entries, 2, dl.SGDOptimizer(0.1), dl.CostReduction.MEAN, batched)
        assert cost.get() == 5.25
        w.node.data = dl.Array4D.new([2, 2, 1, 1], [1, 2, 3, 4])


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("label_first", [True, False])
def test_cost_of_argmax(math: dl.NDArrayMathCPU, numerics: Any, batched: bool, label_first: bool) -> None:
    """The result of argmax is a scalar, although its node has the declared shape [1]."""
    rows = [[1, 3, 2], [3, 1, 1], [0, 0, 1]]
    with dl.numerics(numerics):
        g = dl.Graph()
        x, label, w = g.placeholder("x", [3]), g.placeholder("label", [1]), g.variable("w", dl.Scalar.new(1))
        scaled = g.multiply(w, x)
        for index, labels in ((g.argmax(scaled), [[1], [0], [3]]), (g.argmaxEquals(scaled, x), [[1], [1], [0]])):
            cost = g.meanSquaredCost(*((label, index) if label_first else (index, label)))
            entries = feeds((x, rows), (label, labels))
            found = dl.Session(g, math).train(cost, entries, 3, dl.SGDOptimizer(0.1), REDUCTION.MEAN, batched)
            assert found.get() == pytest.approx(0.5 / 3)


def test_cost_of_int32_labels_is_float32(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    cost = g.meanSquaredCost(g.constant(A1([0, 1, 0], "int32")), g.variable("w", A1([0.1, 0.2, 0.3])))
    assert dl.Session(g, math).eval(cost).get_values().dtype == np.float32


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
def test_ops_on_argmax_results_are_float32(math: dl.NDArrayMathCPU, numerics: Any) -> None:
    """Also if values that are not integers are fed for the indices."""
    with dl.numerics(numerics):
        g = dl.Graph()
        index = g.argmax(g.constant([1, 3, 2]))
        column = g.reshape(index, [1, 1])
        session = dl.Session(g, math)
        assert session.eval(column).get_values().dtype == np.float32
        assert session.eval(column, [{"tensor": index, "data": A1([1.5])}]).get_values().tolist() == [1.5]


def test_eval_takes_one_array_of_a_provider_and_disposes_it(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [1])
    provider = InOrder([[1], [2]])
    session = dl.Session(g, math)
    y = g.square(x)
    entries = [{"tensor": x, "data": provider}]
    assert [session.eval(y, entries).get(0) for _ in range(3)] == [1, 4, 1]
    assert provider.out == []


def test_results_are_tracked_by_the_scope_of_the_caller(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    w = g.variable("w", A1([1, 2]))
    y = g.exp(w)
    session = dl.Session(g, math)
    seen: list[dl.NDArray] = []

    def compute() -> None:
        seen.extend([session.eval(y), session.eval(y), session.eval(w)])
        assert not any(a.is_disposed for a in seen)

    math.scope(compute)
    assert all(a.is_disposed for a in seen)
    assert session.eval(w).get(1) == 2, "evaluating a variable returns a copy"


def test_evaluation_leaks_no_arrays(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [3])
    y = g.reduce_sum(g.relu(g.tanh(x)))
    session = dl.Session(g, math)
    entries = [{"tensor": x, "data": A1([1, 2, 3])}]
    before = math.get_num_arrays()
    for _ in range(3):
        session.eval(y, entries)
    assert math.get_num_arrays() == before
    session.dispose()
    assert session.eval(y, entries).get() == pytest.approx(np.tanh([1, 2, 3]).sum())


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (lambda g, x: [], "placeholder 'x' of shape"),
        (lambda g, x: [{"tensor": x, "data": A1([1])}], r"shape \[2\] for 'x'"),
        (lambda g, x: [{"tensor": x}], r"feed_entries\[0\]"),
        (lambda g, x: {"tensor": x, "data": A1([1, 2])}, "a list of"),
        (lambda g, x: [{"tensor": x, "data": [1, 2]}], "InputProvider"),
        (lambda g, x: [{"tensor": dl.Graph().placeholder("y", [2]), "data": A1([1, 2])}], "another one"),
        (lambda g, x: [{"tensor": A1([1]), "data": A1([1, 2])}], "symbolic"),
    ],
)
def test_invalid_feeds_raise(math: dl.NDArrayMathCPU, entries: Any, message: str) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [2])
    with pytest.raises((ValueError, TypeError), match=message):
        dl.Session(g, math).eval(g.square(x), entries(g, x))


def test_invalid_session_arguments_raise(math: dl.NDArrayMathCPU) -> None:
    with pytest.raises(TypeError, match="Graph"):
        dl.Session(math, dl.Graph())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="NDArrayMath"):
        dl.Session(dl.Graph(), "cpu")  # type: ignore[arg-type]
    g = dl.Graph()
    y = g.constant(1)
    with pytest.raises(ValueError, match="another one"):
        dl.Session(dl.Graph(), math).eval(y)


def test_safe_mode_applies_to_sessions() -> None:
    math = dl.NDArrayMathCPU(True)
    g = dl.Graph()
    y = math.scope(lambda: g.square(g.constant(2)))
    session = dl.Session(g, math)
    with pytest.raises(RuntimeError, match="scope"):
        session.eval(y)
    assert math.scope(lambda: session.eval(y).get()) == 4


# Training. The expected values are those of deeplearn.js 0.3.17.

XS, YS = [[1, 2], [3, 4], [5, 6]], [[1, 1], [0, 1], [2, 0]]


def regression(math: dl.NDArrayMathCPU) -> tuple[dl.Session, dl.Tensor, dl.Tensor, list[Any]]:
    g = dl.Graph()
    x, y = g.placeholder("x", [2]), g.placeholder("y", [2])
    w = g.variable("w", A1([1, -2]))
    cost = g.mean_squared_cost(y, g.multiply(w, x))
    return dl.Session(g, math), cost, w, feeds((x, XS), (y, YS))


RECORDED: list[tuple[str, Callable[[], dl.Optimizer], int, REDUCTION, list[tuple[float, list[float]]]]] = [
    ("sgd", lambda: dl.SGDOptimizer(0.1), 3, REDUCTION.MEAN, [(22.333334, [0.2, 1.933334]), (15.842967, [0.333333, -1.475556])]),
    ("sgd, batches of 1", lambda: dl.SGDOptimizer(0.1), 1, REDUCTION.MEAN, [(6.25, [1, -1]), (8.5, [0.1, 1]), (9.5625, [0.85, -2.6])]),
    ("sgd, sum", lambda: dl.SGDOptimizer(0.1), 3, REDUCTION.SUM, [(67, [0.2, 1.933334]), (47.5289, [0.333333, -1.475556])]),
    ("sgd, none", lambda: dl.SGDOptimizer(0.1), 3, REDUCTION.NONE, [(0, [0.2, 1.933334]), (0, [0.333333, -1.475556])]),
    ("momentum", lambda: dl.MomentumOptimizer(0.01, 0.9), 3, REDUCTION.MEAN, [(22.333334, [0.92, -1.606667]), (15.01843, [0.777333, -0.932756]), (5.913518, [0.594911, -0.132121])]),
    ("adagrad", lambda: dl.AdagradOptimizer(0.1), 3, REDUCTION.MEAN, [(22.333334, [0.966667, -1.966667]), (21.552872, [0.943691, -1.943285]), (21.01696, [0.925233, -1.924289])]),
    ("rmsprop", lambda: dl.RMSPropOptimizer(0.1, 0.9), 3, REDUCTION.MEAN, [(22.333334, [0.894591, -1.894591]), (19.922907, [0.824422, -1.820004]), (18.332214, [0.769082, -1.758522])]),
    ("adadelta", lambda: dl.AdadeltaOptimizer(0.1, 0.95), 3, REDUCTION.MEAN, [(22.333334, [0.2, 1.933334]), (15.842967, [0.333333, -1.475556]), (11.932424, [0.311111, 1.478815])]),
    ("adam", lambda: dl.AdamOptimizer(0.1, 0.9, 0.999), 3, REDUCTION.MEAN, [(22.333334, [0.966667, -1.966667]), (21.552872, [0.933387, -1.933348]), (20.78974, [0.900201, -1.900055])]),
    ("adamax", lambda: dl.AdamaxOptimizer(0.1, 0.9, 0.999), 3, REDUCTION.MEAN, [(22.333334, [0.966667, -1.966667]), (21.552872, [0.934154, -1.933578]), (20.796881, [0.902476, -1.900742])]),
]  # fmt: skip


@pytest.mark.parametrize("batched", [None, False, True])
@pytest.mark.parametrize(
    ("optimizer", "size", "reduction", "steps"), [r[1:] for r in RECORDED], ids=[r[0] for r in RECORDED]
)
def test_training_in_deeplearnjs_numerics_matches_deeplearnjs(
    math: dl.NDArrayMathCPU,
    optimizer: Callable[[], dl.Optimizer],
    size: int,
    reduction: dl.CostReduction,
    steps: list[tuple[float, list[float]]],
    batched: bool | None,
) -> None:
    with dl.numerics("deeplearn.js"):
        session, cost, w, entries = regression(math)
        instance = optimizer()
        for value, weights in steps:
            result = session.train(cost, entries, size, instance, reduction, batched)
            assert result.get() == pytest.approx(value, rel=ACCUMULATED)
            np.testing.assert_allclose(session.eval(w).get_values(), weights, rtol=ACCUMULATED, atol=ROUNDING)


def test_default_numerics_use_the_gradient_of_the_mean_cost(math: dl.NDArrayMathCPU) -> None:
    session, cost, w, entries = regression(math)
    assert session.train(cost, entries, 3, dl.SGDOptimizer(0.1), REDUCTION.MEAN).get() == pytest.approx(22.333334)
    np.testing.assert_allclose(session.eval(w).get_values(), [0.6, -1 / 30], rtol=ACCUMULATED)
    session, cost, w, entries = regression(math)
    session.train(cost, entries, 3, dl.AdamOptimizer(0.1, 0.9, 0.999))
    np.testing.assert_allclose(
        session.eval(w).get_values(), [0.9, -1.9], rtol=ROUNDING, err_msg="the step size is the learning rate"
    )


# Batched and example-by-example training


def dense(g: dl.Graph, x: dl.Tensor, units: int, name: str, activation: Any = None) -> dl.Tensor:
    return g.layers.dense(
        name, x, units, activation, True, dl.VarianceScalingInitializer(), dl.ConstantInitializer(0.1)
    )


def classifier(g: dl.Graph) -> tuple[dl.Tensor, list[tuple[int, ...]]]:
    x, y = g.placeholder("x", [6]), g.placeholder("y", [3])
    hidden = dense(g, x, 5, "a", g.relu)
    hidden = g.concat1d(g.tanh(hidden), g.sigmoid(hidden))
    return g.softmax_cross_entropy_cost(dense(g, hidden, 3, "b"), y), [(6,), (3,)]


def quadratic(g: dl.Graph) -> tuple[dl.Tensor, list[tuple[int, ...]]]:
    x, y = g.placeholder("x", []), g.placeholder("y", [])
    a, b, c = (g.variable(n, dl.Scalar.new(v)) for n, v in (("a", 0.3), ("b", -0.2), ("c", 0.1)))
    out = g.add(g.add(g.multiply(a, g.square(x)), g.multiply(b, x)), c)
    return g.mean_squared_cost(out, y), [(), ()]


def matrices(g: dl.Graph) -> tuple[dl.Tensor, list[tuple[int, ...]]]:
    x, v = g.placeholder("x", [3, 4]), g.placeholder("v", [4])
    w = g.variable("w", dl.NDArray.rand_normal([4, 4]))
    product = g.matmul(x, w)
    both = g.matmul(product, v)
    squared = g.matmul(product, g.reshape(g.reshape(x, [12]), [4, 3]))
    left = g.matmul(w, v)
    total = g.add(g.reduce_sum(g.divide(both, g.constant(7))), g.reduce_sum(squared))
    return g.add(total, g.reduce_sum(g.multiply(g.add(product, left), g.constant(0.1)))), [(3, 4), (4,)]


def mixed_ops(g: dl.Graph) -> tuple[dl.Tensor, list[tuple[int, ...]]]:
    x = g.placeholder("x", [4])
    w, s = g.variable("w", dl.NDArray.rand_normal([4])), g.variable("s", dl.Scalar.new(0.5))
    out = g.fused_linear_combination(x, w, s, g.constant(2))
    out = g.prelu(g.subtract(out, s), w)
    out = g.elu(g.leaky_relu(g.multiply(out, g.reduce_sum(x)), 0.3))
    out = g.concat2d(g.reshape(out, [2, 2]), g.reshape(w, [2, 2]), 1)
    return g.reduce_sum(g.exp(g.multiply(out, g.constant(-0.1)))), [(4,)]


def softmaxes(g: dl.Graph) -> tuple[dl.Tensor, list[tuple[int, ...]]]:
    x, y = g.placeholder("x", [4]), g.placeholder("y", [4])
    w = g.variable("w", dl.NDArray.rand_normal([4]))
    return g.mean_squared_cost(g.log(g.softmax(g.multiply(x, w))), y), [(4,), (4,)]


def train_three_steps(
    math: dl.NDArrayMathCPU, build: Any, optimizer: dl.Optimizer, batched: bool, size: int = 5
) -> tuple[list[float], list[np.ndarray]]:
    """Train for three steps and return the costs and the final variables."""
    tf.set_seed(11)
    g = dl.Graph()
    cost, shapes = build(g)
    draw = np.random.default_rng(3)
    placeholders = [node.output for node in g.get_nodes() if node.is_placeholder]
    pairs = zip(placeholders, shapes, strict=True)
    entries = feeds(*[(t, [draw.normal(size=shape) for _ in range(size)]) for t, shape in pairs])
    session = dl.Session(g, math)
    costs = [float(session.train(cost, entries, size, optimizer, REDUCTION.MEAN, batched)) for _ in range(3)]
    return costs, [np.asarray(node.data) for node in g.get_nodes() if node.trainable]


GRAPHS = [classifier, quadratic, matrices, mixed_ops, softmaxes]
OPTIMIZERS: list[Callable[[], dl.Optimizer]] = [
    lambda: dl.SGDOptimizer(0.01),
    lambda: dl.MomentumOptimizer(0.01, 0.9),
    lambda: dl.AdagradOptimizer(0.01),
    lambda: dl.RMSPropOptimizer(0.01),
    lambda: dl.AdadeltaOptimizer(0.01),
    lambda: dl.AdamOptimizer(0.01),
    lambda: dl.AdamaxOptimizer(0.01),
]


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize("build", GRAPHS)
def test_batched_and_sequential_training_agree(math: dl.NDArrayMathCPU, build: Any, numerics: Any) -> None:
    with dl.numerics(numerics):
        batched = train_three_steps(math, build, dl.SGDOptimizer(0.01), True)
        sequential = train_three_steps(math, build, dl.SGDOptimizer(0.01), False)
    np.testing.assert_allclose(batched[0], sequential[0], rtol=5e-6)
    for a, b in zip(batched[1], sequential[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=5e-6, atol=ROUNDING)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_batched_and_sequential_training_agree_for_every_optimizer(
    math: dl.NDArrayMathCPU, optimizer: Callable[[], dl.Optimizer]
) -> None:
    batched = train_three_steps(math, classifier, optimizer(), True)
    sequential = train_three_steps(math, classifier, optimizer(), False)
    np.testing.assert_allclose(batched[0], sequential[0], rtol=5e-6)
    for a, b in zip(batched[1], sequential[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=5e-6, atol=ROUNDING)


def test_batched_and_sequential_training_agree_on_images(math: dl.NDArrayMathCPU) -> None:
    def images(g: dl.Graph) -> tuple[dl.Tensor, list[tuple[int, ...]]]:
        x, y = g.placeholder("x", [6, 6, 1]), g.placeholder("y", [2])
        w, b = g.variable("w", dl.NDArray.rand_normal([3, 3, 1, 2])), g.variable("b", dl.NDArray.zeros([2]))
        pooled = g.max_pool(g.relu(g.conv2d(x, w, b, 3, 2)), 2, 2, 0)
        return g.softmax_cross_entropy_cost(dense(g, g.reshape(pooled, [18]), 2, "d"), y), [(6, 6, 1), (2,)]

    batched, sequential = (train_three_steps(math, images, dl.SGDOptimizer(0.01), batched) for batched in (True, False))
    np.testing.assert_allclose(batched[0], sequential[0], rtol=5e-6)
    for a, b in zip(batched[1], sequential[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=5e-6, atol=ROUNDING)


def test_graph_that_cannot_be_batched_is_trained_sequentially(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    w, c = g.variable("w", A1([1, 2])), g.placeholder("c", [])
    cost = g.reduce_sum(g.square(w))
    entries = feeds((c, [1]))
    session = dl.Session(g, math)
    assert session.train(cost, entries, 2, dl.SGDOptimizer(0.1), REDUCTION.SUM).get() == 10
    np.testing.assert_allclose(session.eval(w).get_values(), [0.8, 1.6], rtol=ROUNDING)
    with pytest.raises(ValueError, match="one example at a time"):
        session.train(cost, entries, 2, dl.SGDOptimizer(0.1), batched=True)


def test_examples_are_taken_in_placeholder_order(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x, y = g.placeholder("x", []), g.placeholder("y", [])
    w = g.variable("w", dl.Scalar.new(1))
    cost = g.multiply(w, g.multiply(x, y))
    taken: list[str] = []

    def provider(name: str) -> dict[str, Any]:
        def get(math: Any) -> dl.NDArray:
            taken.append(name)
            return dl.Scalar.new(1)

        return {"getNextCopy": get, "disposeCopy": lambda math, copy: copy.dispose()}

    entries = [{"tensor": y, "data": provider("y")}, {"tensor": x, "data": provider("x")}]
    for batched in (True, False):
        taken.clear()
        dl.Session(g, math).train(cost, entries, 2, dl.SGDOptimizer(0.1), batched=batched)
        assert taken == ["x", "y", "x", "y"]


def test_copies_are_returned_to_their_providers(math: dl.NDArrayMathCPU) -> None:
    for batched in (True, False):
        session, cost, _, entries = regression(math)
        session.train(cost, entries, 4, dl.SGDOptimizer(0.1), batched=batched)
        assert [entry["data"].taken for entry in entries] == [4, 4]
        assert [entry["data"].out for entry in entries] == [[], []]


@pytest.mark.parametrize("batched", [True, False])
def test_provider_can_reuse_one_array(math: dl.NDArrayMathCPU, batched: bool) -> None:
    def filling(buffer: dl.NDArray, values: list[float]) -> dict[str, Any]:
        remaining = iter(values)
        return {"getNextCopy": lambda: buffer.fill(next(remaining)) or buffer, "disposeCopy": lambda copy: None}

    def writing_through(buffer: dl.NDArray, values: list[float]) -> dict[str, Any]:
        remaining, storage = iter(values), buffer.get_values()
        return {"getNextCopy": lambda: storage.fill(next(remaining)) or buffer, "disposeCopy": lambda copy: None}

    g = dl.Graph()
    x, y = g.placeholder("x", []), g.placeholder("y", [])
    cost = g.multiply(g.variable("w", dl.Scalar.new(2)), g.multiply(x, y))
    entries = [
        {"tensor": x, "data": filling(dl.Scalar.new(0), [1, 2, 3])},
        {"tensor": y, "data": writing_through(dl.Scalar.new(0), [10, 20, 30])},
    ]
    found = dl.Session(g, math).train(cost, entries, 3, dl.SGDOptimizer(0.1), REDUCTION.SUM, batched)
    assert found.get() == 2 * (10 + 40 + 90)


def test_training_leaks_no_arrays(math: dl.NDArrayMathCPU) -> None:
    session, cost, _, entries = regression(math)
    optimizer = dl.AdamOptimizer(0.1)
    session.train(cost, entries, 3, optimizer)
    before = math.get_num_arrays()
    for batched in (True, False, True):
        math.start_scope()
        session.train(cost, entries, 3, optimizer, REDUCTION.MEAN, batched)
        math.end_scope()
    assert math.get_num_arrays() == before


def test_variable_unused_by_the_cost_is_unchanged(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [])
    w, unused = g.variable("w", dl.Scalar.new(1)), g.variable("u", dl.Scalar.new(7))
    cost = g.add(g.multiply(w, x), g.constant(1))
    session = dl.Session(g, math)
    session.train(cost, feeds((x, [2])), 1, dl.SGDOptimizer(0.5))
    assert session.eval(w).get() == 0
    assert session.eval(unused).get() == 7


def test_mean_squared_cost_of_empty_arrays_is_nan(math: dl.NDArrayMathCPU) -> None:
    """As in deeplearn.js 0.3.17."""
    with dl.numerics("deeplearn.js"):
        g = dl.Graph()
        a, b = g.placeholder("a", [0]), g.placeholder("b", [0])
        found = dl.Session(g, math).eval(g.mean_squared_cost(a, b), [{"tensor": t, "data": A1([])} for t in (a, b)])
    assert np.isnan(found.get())


def test_new_session_uses_the_trained_variables(math: dl.NDArrayMathCPU) -> None:
    session, cost, w, entries = regression(math)
    session.train(cost, entries, 3, dl.SGDOptimizer(0.1))
    again = dl.Session(session.graph, math)
    assert again.eval(w).equals(session.eval(w))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda s, c, w, f: s.train(w, f, 3, dl.SGDOptimizer(0.1)), ValueError, "a scalar"),
        (lambda s, c, w, f: s.train(c, f[:1], 3, dl.SGDOptimizer(0.1)), ValueError, "placeholder 'y'"),
        (lambda s, c, w, f: s.train(c, f, 0, dl.SGDOptimizer(0.1)), ValueError, "batch_size"),
        (lambda s, c, w, f: s.train(c, f, 3, 0.1), TypeError, "SGDOptimizer"),
        (lambda s, c, w, f: s.train(c, f, 3, dl.SGDOptimizer(0.1), 5), ValueError, "'cost_reduction' .* SUM or MEAN"),
        (
            lambda s, c, w, f: s.train(c, [{**f[0], "data": array([1, 2])}, f[1]], 3, dl.SGDOptimizer(0.1)),
            TypeError,
            r"InputProvider for 'x'.*In the new API",
        ),
        (
            lambda s, c, w, f: s.train(c, [{**f[0], "data": InOrder([[1]])}, f[1]], 3, dl.SGDOptimizer(0.1)),
            ValueError,
            r"shape \[2\] for 'x'",
        ),
    ],
)
def test_invalid_arguments_of_train_raise(math: dl.NDArrayMathCPU, call: Any, error: Any, message: str) -> None:
    session, cost, w, entries = regression(math)
    with pytest.raises(error, match=message):
        call(session, cost, w, entries)
    assert session.eval(w).get_values().tolist() == [1, -2]


def test_cost_without_variables_raises(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [])
    with pytest.raises(ValueError, match="no variable"):
        dl.Session(g, math).train(g.square(x), feeds((x, [1])), 1, dl.SGDOptimizer(0.1))


def test_feed_entry_takes_keywords(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [])
    entry = dl.FeedEntry(tensor=x, data=dl.Scalar.new(3))
    assert dl.Session(g, math).eval(g.square(x), [entry]).get() == 9
    with pytest.raises(TypeError):
        dl.FeedEntry(x)  # type: ignore[call-arg]


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
def test_nesterov_momentum(numerics: Any, math: dl.NDArrayMathCPU) -> None:
    """The option useNesterov of 0.5."""
    graph = dl.Graph()
    x = graph.placeholder("x", [2])
    w = graph.variable("w", dl.Array1D.zeros([2]))
    cost = graph.reduceSum(graph.multiply(w, x))
    (provider,) = dl.InCPUMemoryShuffledInputProviderBuilder([[dl.Array1D.new([2, 4])]]).getInputProviders()
    feeds = [{"tensor": x, "data": provider}]
    with dl.numerics(numerics):
        optimizer, session = dl.MomentumOptimizer(0.1, 0.5, None, True), dl.Session(graph, math)
        for expected in ([-0.3, -0.6], [-0.65, -1.3]):
            session.train(cost, feeds, 1, optimizer)
            np.testing.assert_allclose(session.eval(w).getValues(), expected, rtol=ROUNDING)


def test_repr_of_sessions_maths_and_optimizers() -> None:
    graph = dl.Graph()
    graph.placeholder("x", [2])
    math = dl.NDArrayMathCPU()
    assert repr(math) == "NDArrayMathCPU(backend='cpu', safe_mode=False)"
    assert repr(dl.Session(graph, math)) == f"Session(dl.Graph(1 nodes), {math!r})"
    optimizer = dl.MomentumOptimizer(0.5, 0.9)
    optimizer.set_learning_rate(0.25)
    assert repr(optimizer) == "MomentumOptimizer(learning_rate=0.25, momentum=0.9, use_nesterov=False)"
    assert repr(dl.SGDOptimizer(0.1)) == "SGDOptimizer(learning_rate=0.1)"
    assert repr(dl.Optimizer(0.1)) == "Optimizer(learning_rate=0.1)"
