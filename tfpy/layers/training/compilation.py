"""What `compile` has settled: the optimizer, how each output is judged, what is reported and trained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfpy.layers.training.losses import Loss
from tfpy.layers.training.metrics import Metric
from tfpy.layers.training.sharing import Sharing
from tfpy.layers.weights import LayerVariable


class Output(NamedTuple):
    """How one output of a compiled model is judged, and how much its loss counts in that of the model."""

    name: str
    loss: Loss | None
    weight: float
    metrics: list[tuple[str, Metric]]


class Compilation:
    """Whether and how a model is compiled, and whether it is being trained.

    Attributes:
        settled: what `compile` has settled; None before, and when the layers of a stack have changed since.
        kept: an optimizer from a file, which a model that is not compiled can be compiled with.
        training: whether the model is being trained.
    """

    def __init__(self) -> None:
        self.settled: Compiled | None = None
        self.kept: Any = None
        self.training = False

    @property
    def optimizer(self) -> Any:
        """The optimizer, be it settled or kept; None if there is none."""
        return self.kept if self.settled is None else self.settled.optimizer


class Compiled(NamedTuple):
    """What `compile` has settled: the optimizer, losses and metrics of the outputs, labels of what is reported, the
    weights that are trained, and who shares the work.
    """

    optimizer: Any
    outputs: list[Output]
    labels: list[str]
    weights: list[LayerVariable]
    sharing: Sharing | None

    @property
    def first(self) -> bool:
        """Whether this process is the one that shows and writes what all have found."""
        return self.sharing is None or self.sharing.first

    def trained(self, where: str) -> list[LayerVariable]:
        """The weights that were trainable when the model was compiled, less those that have been frozen since.

        Raises:
            RuntimeError: there are none.
        """
        found = [weight for weight in self.weights if weight.trainable]
        if not found:
            frozen = " any more: `trainable` has been set to False since it was compiled" if self.weights else ""
            raise RuntimeError(f"{where}: the model has no trainable weights{frozen}.")
        return found


def names_of(outputs: Sequence[Output]) -> list[str]:
    """The names of what is reported: the loss, the losses of several outputs, the metrics."""
    several = len(outputs) > 1
    found = ["loss"]
    found += [f"{o.name}_loss" for o in outputs] if several else []
    return found + [f"{o.name}_{name}" if several else name for o in outputs for name, _ in o.metrics]


def labels_of(outputs: Sequence[Output]) -> list[str]:
    """The names under which it is reported: those that occur more than once are numbered."""
    names = names_of(outputs)
    return [name if names.count(name) == 1 else f"{name}_{names[:i].count(name)}" for i, name in enumerate(names)]
