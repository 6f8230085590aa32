"""Whether a model is compiled, and whether it is being trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from tfpy.layers.training.compile_config import CompileConfig

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer
    from tfpy.layers.trainable_model import TrainableModel

T = TypeVar("T")


class TrainingState:
    """Whether a model is compiled, and whether it is being trained.

    Attributes:
        compiled: the configuration set by `compile`; None before, and after layers were added to a sequential model.
        loaded_optimizer: the optimizer of a file whose loss is unknown here; the model can be compiled with it.
        training: whether `fit` is running.
        called: the method that the user has called, while another one does its work.
    """

    def __init__(self) -> None:
        self.compiled: CompileConfig | None = None
        self.loaded_optimizer: Any = None
        self.training = False
        self.called: str | None = None

    def on_behalf_of(self, method: str, call: Callable[[], T]) -> T:
        """Call another method of the model, whose errors then name the one that the user has called."""
        before = self.called
        try:
            self.called = method
            return call()
        finally:
            self.called = before

    @property
    def optimizer(self) -> Any:
        """The optimizer, from `compile` or from a file; None if there is none."""
        return self.loaded_optimizer if self.compiled is None else self.compiled.optimizer


def is_compiled(model: TrainableModel) -> bool:
    """Whether `compile` was called. A model from a file whose loss is unknown here may have an optimizer anyway."""
    return model.training_state.compiled is not None


def compiled_of(model: TrainableModel, where: str) -> CompileConfig:
    """The configuration that `compile` has set.

    Raises:
        RuntimeError: the model is not compiled.
    """
    found = model.training_state.compiled
    if found is None:
        raise RuntimeError(f"{where}: compile the model first, with model.compile(optimizer=…, loss=…).")
    # During training the callers are callbacks, which not every process has.
    return found._replace(strategy=None) if model.training_state.training else found


def optimizer_for(model: TrainableModel, compiled: CompileConfig) -> Optimizer:
    """The optimizer of a training run: one that a callback has set is used from the next step on.

    One of another `compile` is used from the next `fit` on.
    """
    current = model.training_state.compiled
    same = current is not None and current.outputs is compiled.outputs
    found: Optimizer = current.optimizer if current is not None and same else compiled.optimizer
    return found
