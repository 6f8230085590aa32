"""CallbackList: calls several callbacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.ready import ReadyNone, finish
from tfpy.core.calling.registry import export
from tfpy.core.types import Logs
from tfpy.layers.callbacks._camel import CallbackListCamel
from tfpy.layers.callbacks.base import Callback, read_logs

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel


@export(doc="Callbacks")
class CallbackList(CallbackListCamel):
    """Calls every callback for each event, for example in a custom training loop.

    Logs are read from the device only for callbacks that use them.

    Source: TF.js `tf.CallbackList`.
    """

    def __init__(self, callbacks: Iterable[Callback] = ()) -> None:
        self.callbacks = list(callbacks)

    def append(self, callback: Callback) -> None:
        """Add a callback."""
        self.callbacks.append(callback)

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Pass the parameters of `fit` to every callback."""
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model: LayersModel) -> None:
        """Pass the model to every callback."""
        for callback in self.callbacks:
            callback.set_model(model)

    def call(self, event: str, *args: Any) -> None:
        """Call every callback that handles an event; the last argument is the logs."""
        for callback in self.callbacks:
            if callback.wants(event):
                read_logs(args[-1])
                finish(call_with_as_many(getattr(callback, event), *args))

    def on_train_begin(self, logs: Logs | None = None) -> ReadyNone:
        """Before the first epoch."""
        return self._call_all("on_train_begin", logs)

    def on_train_end(self, logs: Logs | None = None) -> ReadyNone:
        """After the last epoch."""
        return self._call_all("on_train_end", logs)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> ReadyNone:
        """Before an epoch."""
        return self._call_all("on_epoch_begin", logs, epoch)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> ReadyNone:
        """After an epoch; logs are its loss and metrics."""
        return self._call_all("on_epoch_end", logs, epoch)

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> ReadyNone:
        """Before a batch."""
        return self._call_all("on_batch_begin", logs, batch)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> ReadyNone:
        """After a batch; logs are 'batch', 'size', its loss and metrics."""
        return self._call_all("on_batch_end", logs, batch)

    def _call_all(self, event: str, logs: Logs | None, *number: int) -> ReadyNone:
        self.call(event, *number, {} if logs is None else logs)
        return ReadyNone()
