"""GraphRunner: training and inference loops with callbacks."""

from __future__ import annotations

from typing import Any

import pytest
from legacy.providers import feeds

from tfpy import legacy as dl


class Problem:
    """Fits w · x to y with a runner that records the calls of its callbacks."""

    def __init__(self, math: dl.NDArrayMathCPU, *callbacks: str) -> None:
        g = dl.Graph()
        self.x, self.y = g.placeholder("x", []), g.placeholder("y", [])
        self.w = g.variable("w", dl.Scalar.new(0))
        self.prediction = g.multiply(self.w, self.x)
        self.cost = g.mean_squared_cost(self.y, self.prediction)
        self.feeds = feeds((self.x, [1, 2]), (self.y, [3, 6]))
        self.session = dl.Session(g, math)
        self.calls: list[tuple[str, Any]] = []
        observer = {name: self.recorder(name) for name in callbacks}
        self.runner = dl.GraphRunner(math, self.session, observer)
        self.optimizer = dl.SGDOptimizer(0.1)

    def recorder(self, name: str) -> Any:
        return lambda *args: self.calls.append((name, args[0] if args else None))

    def values_of(self, name: str) -> list[Any]:
        return [value for called, value in self.calls if called == name]


def test_training_calls_the_observer(math: dl.NDArrayMathCPU) -> None:
    p = Problem(
        math, "batchesTrainedCallback", "doneTrainingCallback", "totalTimeCallback", "trainExamplesPerSecCallback"
    )
    p.runner.train(p.cost, p.feeds, 2, p.optimizer, 5)
    assert p.values_of("batchesTrainedCallback") == [1, 2, 3, 4, 5]
    assert p.calls[-1] == ("doneTrainingCallback", None)
    times = p.values_of("totalTimeCallback")
    assert times == sorted(times)
    assert len(times) == 5
    assert p.runner.getTotalBatchesTrained() == 5
    assert p.session.eval(p.w).get() == pytest.approx(3 * (1 - 0.75**5))
    p.runner.resetStatistics()
    assert p.runner.get_total_batches_trained() == 0


def test_cost_callback_interval(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    costs: list[float] = []
    p.runner = dl.GraphRunner(math, p.session, {"avg_cost_callback": lambda cost: costs.append(cost.get())})
    p.runner.train(p.cost, p.feeds, 2, p.optimizer, 4, cost_interval_ms=0)
    assert costs == pytest.approx([11.25 * 0.75 ** (2 * i) for i in range(4)])
    p.runner.train(p.cost, p.feeds, 2, p.optimizer, 4, costIntervalMs=1e9)
    assert len(costs) == 4


def test_callbacks_may_change(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    observer: dict[str, Any] = {}
    runner = dl.GraphRunner(math, p.session, observer)
    observer["batchesTrainedCallback"] = p.recorder("first")
    runner.train(p.cost, p.feeds, 2, p.optimizer, 1)
    observer["batchesTrainedCallback"] = p.recorder("second")
    runner.train(p.cost, p.feeds, 2, p.optimizer, 1)
    del observer["batchesTrainedCallback"]
    runner.train(p.cost, p.feeds, 2, p.optimizer, 1)
    assert p.calls == [("first", 1), ("second", 2)]


def test_metrics(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    values: list[float] = []
    p.runner = dl.GraphRunner(math, p.session, {"metricCallback": lambda metric: values.append(metric.get())})
    for reduction, expected in ((dl.MetricReduction.MEAN, 0), (dl.MetricReduction.SUM, 0)):
        p.runner.train(p.cost, p.feeds, 2, dl.SGDOptimizer(0), 1, p.prediction, p.feeds, 2, reduction, 0)
        assert values[-1] == expected
    assert p.runner.get_last_computed_metric().get() == 0  # type: ignore[union-attr]
    p.runner.train(p.cost, p.feeds, 2, p.optimizer, 10, p.prediction, p.feeds, 2, dl.MetricReduction.SUM, 1e9)
    assert p.runner.compute_metric().get() == pytest.approx(9 * (1 - 0.75**10))
    last = p.runner.getLastComputedMetric()
    assert last is not None
    last.dispose()


def test_compute_metric_without_metric_raises(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    with pytest.raises(RuntimeError, match="metric_tensor"):
        p.runner.computeMetric()
    assert p.runner.get_last_computed_metric() is None


def test_training_stops_and_resumes(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    stopped: list[int] = []

    def stop(total: int) -> None:
        if total == 3 and not stopped:
            stopped.append(total)
            p.runner.stop_training()

    p.runner = dl.GraphRunner(math, p.session, {"batches_trained_callback": stop})
    p.runner.train(p.cost, p.feeds, 2, p.optimizer, 6)
    assert p.runner.get_total_batches_trained() == 3
    p.runner.resumeTraining()
    assert p.runner.get_total_batches_trained() == 6
    with pytest.raises(RuntimeError, match="call train first"):
        dl.GraphRunner(math, p.session, {}).resume_training()


def test_batches_iterator(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    costs = [step.avg_cost for step in p.runner.batches(p.cost, p.feeds, 2, p.optimizer, 20)]
    assert len(costs) == 20
    assert costs[0] == pytest.approx((4.5 + 18) / 2)
    assert costs[-1] < 1e-3  # type: ignore[operator]
    for step in p.runner.batches(p.cost, p.feeds, 2, p.optimizer):
        if step.batchesTrained == 30:
            break
    assert p.runner.get_total_batches_trained() == 30


def test_inference(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    seen: list[list[float]] = []

    def examples(given: list[Any], values: list[dl.NDArray]) -> None:
        assert [feed[0]["tensor"] for feed in given] == [p.x] * 3
        assert p.runner.isInferenceRunning()
        seen.append([v.get() for v in values])
        if len(seen) == 4:
            p.runner.stopInferring()

    rates: list[float] = []
    observer = {"inferenceExamplesCallback": examples, "inferenceExamplesPerSecCallback": rates.append}
    p.runner = dl.GraphRunner(math, p.session, observer)
    p.runner.infer(p.prediction, p.feeds[:1], 0, 3, 2)
    assert seen == [[0, 0, 0]] * 2
    p.runner.infer(p.prediction, p.feeds[:1], inference_example_count=3)
    assert len(seen) == 4
    assert len(rates) == 4
    assert not p.runner.is_inference_running()


def test_failing_callback_ends_inference(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)

    def fail(*_: Any) -> None:
        raise OSError("no disk")

    runner = dl.GraphRunner(math, p.session, {"inferenceExamplesCallback": fail})
    with pytest.raises(OSError, match="no disk"):
        runner.infer(p.prediction, p.feeds[:1], num_passes=1)
    assert not runner.is_inference_running()


def test_set_math_and_set_session(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    other = dl.NDArrayMathCPU()
    p.runner.setMath(other)
    session = dl.Session(dl.Graph(), math)
    p.runner.setSession(session)
    assert (p.runner.math, p.runner.session) == (other, session)


def test_inference_settings_can_change_between_passes(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    seen: list[list[float]] = []

    def examples(given: list[Any], values: list[dl.NDArray]) -> None:
        seen.append([v.get() for v in values])
        p.runner.setInferenceTensor(p.x)
        p.runner.setInferenceExampleCount(2)

    p.runner = dl.GraphRunner(math, p.session, {"inferenceExamplesCallback": examples})
    p.runner.infer(p.prediction, p.feeds[:1], 0, 3, 2)
    assert seen == [[0, 0, 0], [2, 1]]


def test_invalid_arguments_raise(math: dl.NDArrayMathCPU) -> None:
    p = Problem(math)
    with pytest.raises(RuntimeError, match="inferenceExamples"):
        p.runner.infer(p.prediction, p.feeds[:1])
    with pytest.raises(TypeError, match="a function"):
        dl.GraphRunner(math, p.session, {"avgCostCallback": 5})
    runner = dl.GraphRunner(math, p.session, {"inferenceExamplesCallback": lambda *args: None})
    with pytest.raises(TypeError, match="InputProviders"):
        runner.infer(p.prediction, [{"tensor": p.x, "data": dl.Scalar.new(1)}])
    with pytest.raises(TypeError, match="InputProvider"):
        runner.train(p.cost, [{"tensor": p.x, "data": dl.Scalar.new(1)}], 1, p.optimizer, 1)
