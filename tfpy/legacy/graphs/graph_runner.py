"""GraphRunner: training and inference loops that report to an observer.

In a browser these loops yield to the page after each batch. Here `train` and `infer` are plain loops that return when
they are done; callbacks may stop them. `batches` is the same training loop as an iterator, for scripts that do
something between batches.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.options import accepts_options
from tfpy.core.convert import number
from tfpy.core.naming.names import spellings
from tfpy.core.ops.arith import add, div
from tfpy.core.results import Record, member
from tfpy.engine.arguments import as_count, as_int
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.engine.handle import Handle
from tfpy.engine.scope import outlive_scopes
from tfpy.legacy.arrays.ndarray import NDArray, adopt
from tfpy.legacy.graphs._camel import GraphRunnerCamel
from tfpy.legacy.graphs.feeds import FeedEntry, provider_method
from tfpy.legacy.graphs.optimizers import Optimizer
from tfpy.legacy.graphs.session import CostReduction, Session
from tfpy.legacy.graphs.symbolic import Tensor
from tfpy.legacy.math import NDArrayMath

EVAL_INTERVAL_MS = 1500
COST_INTERVAL_MS = 500
INFERENCE_INTERVAL_MS = 3000

CALLBACKS = (
    "batches_trained_callback",
    "avg_cost_callback",
    "metric_callback",
    "inference_examples_callback",
    "inference_examples_per_sec_callback",
    "train_examples_per_sec_callback",
    "total_time_callback",
    "done_training_callback",
)
_SPELLINGS = spellings(CALLBACKS)


class MetricReduction(IntEnum):
    """Whether the metric of several examples is their sum or their mean."""

    SUM = 0
    MEAN = 1


class TrainedBatch(Record):
    """The item of `GraphRunner.batches` after each batch: the number of batches so far, and the cost if computed."""

    batches_trained: int
    avg_cost: float | None


class _Training(NamedTuple):
    """The arguments of `train`."""

    cost_tensor: Tensor
    train_feed_entries: Sequence[Any]
    batch_size: int
    optimizer: Optimizer
    num_batches: int | None
    cost_interval_ms: float
    metric_tensor: Tensor | None = None
    metric_feed_entries: Sequence[Any] | None = None
    metric_batch_size: int | None = None
    metric_reduction: MetricReduction = MetricReduction.MEAN
    eval_interval_ms: float = EVAL_INTERVAL_MS


class GraphRunner(GraphRunnerCamel):
    """Trains a graph batch by batch.

    Args:
        math: the math.
        session: the session of the graph.
        event_observer: an object or dict with any of the callbacks batchesTrainedCallback(total),
            avgCostCallback(cost), metricCallback(metric), trainExamplesPerSecCallback(rate),
            totalTimeCallback(seconds), doneTrainingCallback(),
            inferenceExamplesCallback(feeds, values), inferenceExamplesPerSecCallback(rate). Callbacks may be replaced,
            added and removed at any time.

    Source: deeplearn.js `GraphRunner`.
    """

    def __init__(self, math: NDArrayMath, session: Session, event_observer: Any) -> None:
        self.math = math
        self.session = session
        for name in event_observer if isinstance(event_observer, Mapping) else ():
            if name not in _SPELLINGS:
                raise unknown_name_error("callback of GraphRunner", name, _SPELLINGS, CALLBACKS)
        self._observer = event_observer
        for name in CALLBACKS:
            self._callback(name)
        self._training: _Training | None = None
        self._is_training = False
        self._is_inferring = False
        self._trained_this_run = 0
        self._started = self._last_cost = self._last_eval = float("-inf")
        self._inference_tensor: Tensor | None = None
        self._inference_count = 5
        self._metric: NDArray | None = None
        self.reset_statistics()

    def reset_statistics(self) -> None:
        """Reset the batch count to 0."""
        self._total_batches = 0

    # Training

    @accepts_options()
    def train(
        self,
        cost_tensor: Tensor,
        train_feed_entries: Sequence[Any],
        batch_size: int,
        optimizer: Optimizer,
        num_batches: int | None = None,
        metric_tensor: Tensor | None = None,
        metric_feed_entries: Sequence[Any] | None = None,
        metric_batch_size: int | None = None,
        metric_reduction: MetricReduction = MetricReduction.MEAN,
        eval_interval_ms: float = EVAL_INTERVAL_MS,
        cost_interval_ms: float = COST_INTERVAL_MS,
    ) -> None:
        """Train until `num_batches` are done or a callback calls `stop_training`.

        Args:
            cost_tensor: the tensor to minimize.
            train_feed_entries: the providers of the examples.
            batch_size: the number of examples per batch.
            optimizer: updates the variables.
            num_batches: the number of batches; unlimited by default.
            metric_tensor: the tensor that `metric_callback` reports.
            metric_feed_entries: providers of the examples for the metric.
            metric_batch_size: the number of examples in the metric.
            metric_reduction: whether it is their sum or their mean.
            eval_interval_ms: the minimum time between two metrics.
            cost_interval_ms: the minimum time between two costs; other batches do not compute theirs.

        Source: deeplearn.js `GraphRunner.train`.
        """
        count = _limit("train", "num_batches", num_batches)
        self._begin(
            _Training(
                cost_tensor, train_feed_entries, batch_size, optimizer, count, cost_interval_ms, metric_tensor,
                metric_feed_entries, metric_batch_size, metric_reduction, eval_interval_ms,
            )
        )  # fmt: skip
        self.resume_training()

    @accepts_options()
    def batches(
        self,
        cost_tensor: Tensor,
        train_feed_entries: Sequence[Any],
        batch_size: int,
        optimizer: Optimizer,
        num_batches: int | None = None,
        cost_interval_ms: float = 0,
    ) -> Iterator[TrainedBatch]:
        """The training loop as an iterator: each step trains one batch. Beyond deeplearn.js.

        Args:
            cost_tensor: the tensor to minimize.
            train_feed_entries: the providers of the examples.
            batch_size: the number of examples per batch.
            optimizer: updates the variables.
            num_batches: the number of batches; unlimited by default.
            cost_interval_ms: the minimum time between two costs; every batch has one by default.
        """
        count = _limit("batches", "num_batches", num_batches)
        self._begin(_Training(cost_tensor, train_feed_entries, batch_size, optimizer, count, cost_interval_ms))
        return self._steps(always_cost=True)

    def stop_training(self) -> None:
        """End the loop after the current batch."""
        self._is_training = False

    def resume_training(self) -> None:
        """Resume the training that was stopped."""
        if self._training is None:
            raise RuntimeError("resume_training: there is no training to resume; call train first.")
        self._is_training = True
        for _ in self._steps(always_cost=False):
            pass

    def _begin(self, training: _Training) -> None:
        self._training = training
        self._trained_this_run = 0
        self._is_training = True
        self._started = _now()

    def _steps(self, always_cost: bool) -> Iterator[TrainedBatch]:
        training = self._training
        assert training is not None
        while self._is_training and self._trained_this_run != training.num_batches:
            yield self.math.scope(lambda: self._step(training, always_cost))
        self._is_training = False
        self._call("done_training_callback")

    def _step(self, training: _Training, always_cost: bool) -> TrainedBatch:
        start = _now()
        wanted = always_cost or self._callback("avg_cost_callback") is not None
        computed = wanted and start - self._last_cost > training.cost_interval_ms
        cost = self.session.train(
            training.cost_tensor,
            training.train_feed_entries,
            training.batch_size,
            training.optimizer,
            CostReduction.MEAN if computed else CostReduction.NONE,
        )
        if computed:
            self._last_cost = start
            self._call("avg_cost_callback", cost)
            self._call("train_examples_per_sec_callback", training.batch_size * 1000 / max(_now() - start, 1e-9))
        self._report_metric(training, start)
        self._call("total_time_callback", (start - self._started) / 1000)
        self._trained_this_run += 1
        self._total_batches += 1
        self._call("batches_trained_callback", self._total_batches)
        return TrainedBatch(self._total_batches, float(cost) if computed else None)

    def _report_metric(self, training: _Training, start: float) -> None:
        due = start - self._last_eval > training.eval_interval_ms
        if due and self._callback("metric_callback") is not None and training.metric_feed_entries is not None:
            self._last_eval = start
            self._metric = outlive_scopes(self.compute_metric())
            self._call("metric_callback", self._metric)

    # Metrics

    def compute_metric(self) -> NDArray:
        """The metric over the number of examples passed to `train`.

        Raises:
            RuntimeError: no metric was passed to `train`.
        """
        training = self._training
        if training is None or training.metric_feed_entries is None or training.metric_tensor is None:
            raise RuntimeError("compute_metric: train was called without metric_tensor and metric_feed_entries.")
        tensor, feeds, count = training.metric_tensor, training.metric_feed_entries, training.metric_batch_size or 1

        def compute() -> NDArray:
            total = number(0)
            for _ in range(count):
                total = add(total, self.session.eval(tensor, feeds))
            return adopt(div(total, number(count)) if training.metric_reduction == MetricReduction.MEAN else total)

        return self.math.scope(compute)

    def get_last_computed_metric(self) -> NDArray | None:
        """The metric that was reported last."""
        return self._metric

    def get_total_batches_trained(self) -> int:
        """How many batches have been trained."""
        return self._total_batches

    # Inference

    @accepts_options()
    def infer(
        self,
        inference_tensor: Tensor,
        inference_feed_entries: Sequence[Any],
        inference_example_interval_ms: float = INFERENCE_INTERVAL_MS,
        inference_example_count: int = 5,
        num_passes: int | None = None,
    ) -> None:
        """Evaluate a tensor for examples and report them, until `num_passes` are done or `stop_inferring` is called.

        Args:
            inference_tensor: the tensor to evaluate.
            inference_feed_entries: providers of the examples.
            inference_example_interval_ms: accepted but ignored: this loop does not wait.
            inference_example_count: the number of examples per pass.
            num_passes: the number of passes; unlimited by default.

        Raises:
            RuntimeError: the observer has no callback for examples. TypeError: arrays instead of providers.

        Source: deeplearn.js `GraphRunner.infer`.
        """
        if not any(self._callback(f"inference_examples{part}_callback") for part in ("", "_per_sec")):
            raise RuntimeError("infer: the observer has neither inferenceExamples- nor -PerSecCallback.")
        for entry in inference_feed_entries:
            if isinstance(entry["data"], Handle):
                raise argument_error("infer", "inference_feed_entries", "InputProviders", entry["data"], TypeError)
        count = as_count("infer", "inference_example_count", inference_example_count)
        limit = _limit("infer", "num_passes", num_passes)
        self._inference_tensor = inference_tensor
        self._inference_count = count
        self._is_inferring = True
        passes = 0
        try:
            while self._is_inferring and passes != limit:
                self.math.scope(lambda: self._infer(inference_feed_entries))
                passes += 1
        finally:
            self._is_inferring = False

    def _infer(self, entries: Sequence[Any]) -> None:
        assert self._inference_tensor is not None
        start = _now()
        feeds, values = [], []
        for _ in range(self._inference_count):
            feed = []
            for entry in entries:
                next_copy = provider_method(entry["tensor"], entry["data"], "get_next_copy")
                feed.append(FeedEntry(entry["tensor"], call_with_as_many(next_copy, self.math)))
            feeds.append(feed)
            values.append(self.session.eval(self._inference_tensor, feed))
        if values and self._callback("inference_examples_per_sec_callback") is not None:
            values[-1].host_values("infer")  # wait for it
            rate = len(values) * 1000 / max(_now() - start, 1e-9)
            self._call("inference_examples_per_sec_callback", rate)
        self._call("inference_examples_callback", feeds, values)

    def stop_inferring(self) -> None:
        """End the loop after the current pass."""
        self._is_inferring = False

    def is_inference_running(self) -> bool:
        """Whether `infer` is running."""
        return self._is_inferring

    # Settings

    def set_math(self, math: NDArrayMath) -> None:
        """Use another math."""
        self.math = math

    def set_session(self, session: Session) -> None:
        """Use another session."""
        self.session = session

    def set_inference_tensor(self, inference_tensor: Tensor) -> None:
        """Evaluate another tensor from the next pass on."""
        self._inference_tensor = inference_tensor

    def set_inference_example_count(self, inference_example_count: int) -> None:
        """Evaluate another number of examples from the next pass on."""
        self._inference_count = inference_example_count

    def _callback(self, name: str) -> Any:
        """The observer's present function of that name in either spelling, or None."""
        found = member(self._observer, name)
        if found is not None and not callable(found):
            raise argument_error("GraphRunner", name, "a function", found, TypeError)
        return found

    def _call(self, name: str, *args: Any) -> None:
        callback = self._callback(name)
        if callback is not None:
            call_with_as_many(callback, *args)


def _now() -> float:
    return time.perf_counter() * 1000


def _limit(method: str, argument: str, given: int | None) -> int | None:
    """A number of rounds as an integer, or None for no limit. (Training would never reach a fraction or a string.)"""
    return None if given is None else as_int(method, argument, given)
