"""Callback: what is called while a model trains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.core.convert import to_tensor
from tfpy.core.tensor import Tensor
from tfpy.core.types import Logs
from tfpy.engine.scope import outlive_scopes
from tfpy.layers.callbacks._camel import CallbackCamel

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel

Check = Callable[[str, str, Any], Any]
"""Checks a value from a backup, as `as_count` does; it is told who asks and the attribute's name, for messages."""


def read_logs(logs: Logs) -> Logs:
    """Replace the tensors in logs by numbers, in place."""
    for key, value in logs.items():
        if isinstance(value, Tensor):
            logs[key] = float(value.data_sync()[0])
    return logs


@export(doc="Callbacks")
class Callback(CallbackCamel):
    """Called while a model trains. A subclass defines the methods it needs, in either spelling; they may be `async`.

    Attributes:
        model: the model that is trained; `model.stop_training = True` ends the training after the current batch. It is
            None until `set_model`, which `fit` calls first. The type leaves that out, as in TF.js: methods that are
            called during `fit` need not look.
        params: 'epochs', 'initial_epoch', 'samples', 'steps', 'batch_size', 'verbose', 'do_validation', 'metrics'.
        backed_up: the attributes (plain values, tensors, lists and dicts of them) that a training that was cut off must
            have again when it goes on; see `BackupAndRestore`.

    Source: TF.js `tf.Callback`.
    """

    model: LayersModel = None  # type: ignore[assignment]  # see above
    params: Mapping[str, Any]
    backed_up: ClassVar[tuple[str, ...]] = ()
    # Checks of the attributes that a backup has; those without one may be anything.
    _backup_checks: ClassVar[Mapping[str, Check]] = {}

    def from_backup(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes of `backed_up`, from the values in a backup.

        Raises:
            ValueError, LookupError, TypeError: values that the callback cannot have had.
        """
        return {name: self._backup_checks.get(name, _as_kept)("backup", name, values[name]) for name in self.backed_up}

    def wants(self, event: str) -> bool:
        """Whether it has something to do at an event; logs are read from the device only if so."""
        return getattr(type(self), event) is not getattr(Callback, event)

    def __repr__(self) -> str:
        options = {k: v for k, v in vars(self).items() if not k.startswith("_") and k not in ("model", "params")}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in options.items())})"

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Told what `fit` was asked for."""
        self.params = params

    def set_model(self, model: LayersModel) -> None:
        """Told the model."""
        self.model = model

    def on_train_begin(self, logs: Logs | None = None) -> Any:
        """Before the first epoch."""

    def on_train_end(self, logs: Logs | None = None) -> Any:
        """After the last epoch."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> Any:
        """Before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> Any:
        """After an epoch; logs are its loss and metrics, those of the validation data with 'val_' before the name."""

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> Any:
        """Before a batch."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> Any:
        """After a batch; logs are 'batch', 'size', its loss and metrics."""


def _as_kept(where: str, name: str, value: Any) -> Any:
    """A value as a callback keeps it: arrays as tensors that outlive the training."""
    if isinstance(value, np.ndarray):
        tensor: Tensor = outlive_scopes(to_tensor(where, name, value))
        return tensor
    if isinstance(value, list):
        return [_as_kept(where, name, v) for v in value]
    return {key: _as_kept(where, key, v) for key, v in value.items()} if isinstance(value, dict) else value
