"""Callback: the base class of objects that are called during training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.core.convert import to_tensor
from tfpy.core.results import Entries
from tfpy.core.tensor import Tensor
from tfpy.core.types import Logs
from tfpy.engine.scope import outlive_scopes
from tfpy.layers.callbacks._camel import CallbackCamel

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel

EVENTS = ("on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_batch_begin", "on_batch_end")
"""The methods that are called during training."""

Check = Callable[[str, str, Any], Any]
"""Checks a value from a backup, as `as_count` does. Its first arguments, for messages, are caller and attribute."""


def read_logs(logs: Logs) -> Logs:
    """Replace the tensors in logs with numbers, in place."""
    for key, value in logs.items():
        if isinstance(value, Tensor):
            logs[key] = float(value.data_sync()[0])
    return logs


@export(doc="Callbacks")
class Callback(CallbackCamel):
    """Called during training. A subclass defines the methods it needs, in either spelling; they may be `async`.

    Attributes:
        model: the model being trained; `model.stop_training = True` ends training after the current batch. It is None
            until `set_model`, which `fit` calls first. The type omits None, as in TF.js, since methods called during
            `fit` need no check.
        params: 'epochs', 'initial_epoch', 'samples', 'steps', 'batch_size', 'verbose', 'do_validation', 'metrics'.
        backed_up: the attributes (plain values, tensors, lists and dicts of them) to restore when an interrupted
            training run is resumed; see `BackupAndRestore`.

    Source: TF.js `tf.Callback`.
    """

    model: LayersModel = None  # type: ignore[assignment]  # see above
    params: Mapping[str, Any]
    backed_up: ClassVar[tuple[str, ...]] = ()
    # Checks of the attributes in a backup; those without a check may have any value.
    _backup_checks: ClassVar[Mapping[str, Check]] = {}

    def from_backup(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes named by `backed_up`, from the values in a backup.

        Raises:
            ValueError, LookupError, TypeError: values that are invalid for the callback.
        """
        return {name: self._backup_checks.get(name, _as_kept)("backup", name, values[name]) for name in self.backed_up}

    def wants(self, event: str) -> bool:
        """Whether it handles an event; only then are logs read from the device."""
        return getattr(type(self), event) is not getattr(Callback, event)

    def __repr__(self) -> str:
        options = {k: v for k, v in vars(self).items() if not k.startswith("_") and k not in ("model", "params")}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in options.items())})"

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Receives the parameters of `fit`; they may also be read as attributes, such as `self.params.epochs`."""
        self.params = Entries(params)

    def set_model(self, model: LayersModel) -> None:
        """Receives the model."""
        self.model = model

    def on_train_begin(self, logs: Logs | None = None) -> Any:
        """Before the first epoch."""

    def on_train_end(self, logs: Logs | None = None) -> Any:
        """After the last epoch."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> Any:
        """Before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> Any:
        """After an epoch; logs are its loss and metrics, with the prefix 'val_' for those of the validation data."""

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> Any:
        """Before a batch."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> Any:
        """After a batch; logs are 'batch', 'size', its loss and metrics."""


def _as_kept(where: str, name: str, value: Any) -> Any:
    """A value as a callback keeps it: arrays become tensors that outlive the training."""
    if isinstance(value, np.ndarray):
        tensor: Tensor = outlive_scopes(to_tensor(where, name, value))
        return tensor
    if isinstance(value, list):
        return [_as_kept(where, name, v) for v in value]
    return {key: _as_kept(where, key, v) for key, v in value.items()} if isinstance(value, dict) else value
