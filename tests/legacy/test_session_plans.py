"""Execution plans of sessions: results are bit-identical to those without plans, one plan per kind of step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from legacy.providers import array, feeds
from legacy.test_session import GRAPHS, OPTIMIZERS, train_three_steps
from tolerance import ROUNDING

from tfpy import legacy as dl
from tfpy.core import plans

A1 = dl.Array1D.new


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("build", GRAPHS)
def test_training_with_plans_is_bit_identical(
    math: dl.NDArrayMathCPU, build: Any, batched: bool, numerics: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dl.numerics(numerics):
        planned = train_three_steps(math, build, dl.SGDOptimizer(0.01), batched)
        monkeypatch.setattr(plans, "may_plan", lambda backend: False)
        assert str(planned) == str(train_three_steps(math, build, dl.SGDOptimizer(0.01), batched))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_with_plans_is_bit_identical(
    math: dl.NDArrayMathCPU, optimizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = train_three_steps(math, GRAPHS[0], optimizer(), True)
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    assert str(planned) == str(train_three_steps(math, GRAPHS[0], optimizer(), True))


def square_of_sum(g: dl.Graph) -> tuple[dl.Tensor, dl.Tensor, dl.Tensor]:
    x, w = g.placeholder("x", [2]), g.variable("w", A1([1, 2]))
    return x, w, g.square(g.reduce_sum(g.multiply(x, w)))


def test_one_plan_per_kind_of_step(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x, _, cost = square_of_sum(g)
    session = dl.Session(g, math)
    entries = feeds((x, [[1, 2], [3, 4]]))
    for _ in range(4):
        for size in (2, 3):
            session.train(cost, entries, size, dl.SGDOptimizer(0.001))
    assert len(session._plans) == 2
    for _ in range(3):
        session.eval(cost, [{"tensor": x, "data": A1([1, 1])}])
    assert len(session._plans) == 3
    session.dispose()
    assert len(session._plans) == 0


def test_plans_read_current_variables_and_feeds(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x, w, cost = square_of_sum(g)
    session = dl.Session(g, math)
    for k in range(5):
        assert session.eval(cost, [{"tensor": x, "data": A1([k, 1])}]).get() == (k + 2) ** 2
    w.node.data = A1([10, 20])
    assert session.eval(cost, [{"tensor": x, "data": A1([1, 1])}]).get() == 900


def test_results_are_independent_arrays(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x, w, cost = square_of_sum(g)
    session = dl.Session(g, math)
    entry = [{"tensor": x, "data": A1([1, 1])}]
    results = [session.eval_all([cost, w, x], entry) for _ in range(4)]
    results[-1][1].dispose()
    results[-1][2].dispose()
    assert session.eval(cost, entry).get() == 9
    assert [float(r[0]) for r in results] == [9] * 4


def test_numerics_have_separate_plans(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [3])
    y = g.placeholder("y", [3])
    cost = g.softmax_cross_entropy_cost(g.multiply(x, g.variable("w", A1([1, 2, 30]))), y)
    session = dl.Session(g, math)
    entry = [{"tensor": x, "data": array([1, 2, 3])}, {"tensor": y, "data": array([1, 0, 0])}]

    def values() -> list[float]:
        found = []
        for numerics in ("tfjs", "deeplearn.js"):
            with dl.numerics(numerics):
                found.append(float(session.eval(cost, entry)))
        return found

    first = values()
    assert first[0] != first[1]
    assert all(values() == first for _ in range(3))


def test_observed_step_runs_kernel_by_kernel(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [2])
    y = g.log(x)
    session = dl.Session(g, math)
    for _ in range(3):
        session.eval(y, [{"tensor": x, "data": A1([1, 2])}])
    assert len(session._plans) == 1
    from tfpy.engine.hooks import observing

    seen: list[str] = []
    with observing(lambda run: seen.append(run.kernel)):
        value = session.eval(y, [{"tensor": x, "data": A1([1, np.e])}])
    assert "Log" in seen
    np.testing.assert_allclose(value.get_values(), [0, 1], atol=ROUNDING)


def test_custom_nodes_run_without_plans(math: dl.NDArrayMathCPU) -> None:
    g = dl.Graph()
    x = g.placeholder("x", [2])
    calls = [0]

    def counted(value: Any) -> Any:
        calls[0] += 1
        return value._replace(tensor=value.tensor.mul(calls[0]))

    y = g.add_node_and_return_output(dl.Node(g, "counted", {"x": x}, dl.Tensor([2]), counted))
    session = dl.Session(g, math)
    found = [session.eval(y, [{"tensor": x, "data": A1([1, 1])}]).get(0) for _ in range(4)]
    assert found == [1, 2, 3, 4]


def _set_evaluate(node: dl.Node) -> None:
    node.evaluate = node.graph.square(node.inputs["x"]).node.evaluate
    node.attrs = {}


@pytest.mark.parametrize(
    "change",
    [
        lambda node: node.attrs.update(alpha=0.5),
        lambda node: setattr(node, "attrs", {"alpha": 0.5}),
        lambda node: node.inputs.update(x=node.inputs["x"].node.inputs["x"]),
        _set_evaluate,
    ],
)
def test_changed_node_takes_effect(change: Any, math: dl.NDArrayMathCPU, monkeypatch: pytest.MonkeyPatch) -> None:
    def values() -> list[Any]:
        g = dl.Graph()
        x = g.placeholder("x", [2])
        y = g.leaky_relu(g.tanh(x), 0.1)
        session = dl.Session(g, math)
        found = []
        for step in range(8):
            if step == 4:
                change(y.node)
            found.append(session.eval(y, [{"tensor": x, "data": A1([-1, step])}]).get_values().tolist())
        return found

    with_plans = values()
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    assert with_plans == values()
