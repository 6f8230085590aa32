"""dl.migration_hints: off by default, one line per call site, no changes left after use."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tfpy import legacy as dl
from tfpy.legacy.migration import successors


@pytest.fixture(autouse=True)
def _silent() -> Iterator[None]:
    yield
    dl.migration_hints(False)


def script(math: dl.NDArrayMath) -> dl.NDArray:
    a = dl.Array1D.new([1, 2])
    for _ in range(3):
        a = math.elementWiseMul(a, a)
    return math.scope(lambda: math.sum(a))


def test_nothing_is_printed_by_default(math: dl.NDArrayMathCPU, capsys: pytest.CaptureFixture[str]) -> None:
    script(math)
    assert capsys.readouterr().out == ""


def test_one_hint_per_call_site(math: dl.NDArrayMathCPU, capsys: pytest.CaptureFixture[str]) -> None:
    dl.migration_hints()
    script(math)
    script(math)
    lines = [re.sub(r".*test_hints.py:\d+: ", "", line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "dl.Array1D.new: tf.tensor1d(values, dtype)",
        "math.elementWiseMul: tf.mul(a, b)",
        "math.scope: tf.tidy(f)",
        "math.sum: tf.sum(x, axis, keep_dims)",
    ]


def test_hints_for_graphs_and_sessions(math: dl.NDArrayMathCPU, capsys: pytest.CaptureFixture[str]) -> None:
    with dl.migration_hints():
        graph = dl.Graph()
        x = graph.placeholder("x", [2])
        w = graph.variable("w", dl.Array1D.zeros([2]))
        cost = graph.reduceSum(graph.multiply(x, w))
        (provider,) = dl.InCPUMemoryShuffledInputProviderBuilder(
            [[dl.Array2D.new([1, 2], [3, 4]).as1D()]]
        ).getInputProviders()
        session = dl.Session(graph, math)
        session.train(cost, [{"tensor": x, "data": provider}], 1, dl.SGDOptimizer(0.1))
        session.eval(w).get(0)
    output = capsys.readouterr().out
    for hint in (
        "dl.Graph: write functions of tensors",
        "graph.placeholder: an argument of the function",
        "graph.variable: tf.variable(data)",
        "NDArray.zeros: tf.zeros(shape, dtype)",
        "dl.Array2D.new: tf.tensor2d(values, shape, dtype)",
        "session.train: optimizer.minimize",
        "dl.SGDOptimizer: tf.train.sgd(learning_rate)",
        "array.get: a.buffer_sync().get(locs) or a.array_sync()",
    ):
        assert hint in output, hint
    assert len(output.splitlines()) == 13


def test_classes_are_restored_afterwards(math: dl.NDArrayMathCPU, capsys: pytest.CaptureFixture[str]) -> None:
    classes = [dl.NDArrayMath, *dl.NDArrayMath.__mro__, dl.Graph, dl.Session, *dl.Scalar.__mro__, dl.SGDOptimizer]
    before = [dict(vars(cls)) for cls in classes]
    with dl.migrationHints():
        assert [dict(vars(cls)) for cls in classes] != before
        dl.migration_hints()
    assert [dict(vars(cls)) for cls in classes] == before
    script(math)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("kind", ["math", "graph", "array", "static", "session", "class", "initializer"])
def test_every_name_has_a_hint(kind: str) -> None:
    for name, found in successors.table(kind).items():
        assert found.text, name
