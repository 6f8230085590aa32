"""The configuration set by `compile`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfpy.layers.training.losses import Loss
from tfpy.layers.training.metrics import Metric
from tfpy.layers.training.strategy import Strategy
from tfpy.layers.weights import LayerVariable


class OutputConfig(NamedTuple):
    """The loss and metrics of one output, and the weight of its loss in the model's loss."""

    name: str
    loss: Loss | None
    weight: float
    metrics: list[tuple[str, Metric]]


class CompileConfig(NamedTuple):
    """The configuration set by `compile`.

    Attributes:
        optimizer: the optimizer.
        outputs: the loss and metrics of each output.
        log_names: the names of loss and metrics in logs.
        weights: the weights that were trainable at that time.
        strategy: the processes that train together; None for a single process.
        owns_optimizer: whether `compile` has created the optimizer, which is then disposed with the model.
    """

    optimizer: Any
    outputs: list[OutputConfig]
    log_names: list[str]
    weights: list[LayerVariable]
    strategy: Strategy | None
    owns_optimizer: bool

    @property
    def first(self) -> bool:
        """Whether this process prints and saves the results."""
        return self.strategy is None or self.strategy.first

    def trained(self, where: str) -> list[LayerVariable]:
        """The weights that were trainable when the model was compiled, except those frozen since.

        Raises:
            RuntimeError: there are no such weights.
        """
        found = [weight for weight in self.weights if weight.trainable]
        if not found:
            frozen = " any more: `trainable` has been set to False since it was compiled" if self.weights else ""
            raise RuntimeError(f"{where}: the model has no trainable weights{frozen}.")
        return found


def metrics_names(outputs: Sequence[OutputConfig]) -> list[str]:
    """The loss, the losses of the outputs if there are several, and the metrics."""
    several = len(outputs) > 1
    found = ["loss"]
    found += [f"{o.name}_loss" for o in outputs] if several else []
    return found + [f"{o.name}_{name}" if several else name for o in outputs for name, _ in o.metrics]


def log_names(outputs: Sequence[OutputConfig]) -> list[str]:
    """The names of loss and metrics in logs: those of `metrics_names`, numbered where several are the same."""
    names = metrics_names(outputs)
    return [name if names.count(name) == 1 else f"{name}_{names[:i].count(name)}" for i, name in enumerate(names)]
