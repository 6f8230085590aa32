"""History: the losses and metrics of a training run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tfpy.core.calling.ready import Ready, ReadyNone
from tfpy.core.calling.registry import export
from tfpy.core.naming.names import camel
from tfpy.core.types import Logs
from tfpy.engine.arguments import as_ints, as_list
from tfpy.layers.callbacks._camel import HistoryCamel
from tfpy.layers.callbacks.base import Callback, Check, read_logs
from tfpy.layers.callbacks.named_values import NamedValues

if TYPE_CHECKING:
    from tfpy.vis.drawing import Drawing


def _as_values_by_name(where: str, name: str, value: Any) -> dict[str, list[Any]]:
    return NamedValues({name: as_list(where, name, of_epochs, "values") for name, of_epochs in value.items()})


@export(doc="Callbacks")
class History(HistoryCamel, Callback, Ready):
    """The result of `fit`: the losses and metrics of all epochs. It may be awaited.

    Attributes:
        epoch: the epoch numbers.
        history: for each name, one value per epoch.

    Source: TF.js `tf.History`.
    """

    _backup_checks: ClassVar[dict[str, Check]] = {"epoch": as_ints, "history": _as_values_by_name}
    backed_up = (*_backup_checks,)

    def __init__(self) -> None:
        self.epoch: list[int] = []
        self.history: dict[str, list[float]] = NamedValues()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self.epoch.append(epoch)
        for name, value in read_logs(logs or {}).items():
            self.history.setdefault(name, []).append(value)

    def sync_data(self) -> ReadyNone:
        """Do nothing: the values are numbers already, which TF.js reads from the device here."""
        return ReadyNone()

    def plot(self, metrics: Sequence[str] | None = None, opts: Mapping[str, Any] | None = None) -> Drawing:
        """A line chart of each loss and metric, together with its validation values (beyond TF.js).

        Args:
            metrics: the names to show; all by default.
            opts: the options of `tf.vis.show.history`.

        Returns:
            The charts, which display in a notebook; `save` writes them to a file.
        """
        from tfpy.vis.training import history  # imported lazily

        return history(None, self, metrics, {"xLabel": "Epoch", **{camel(k): v for k, v in (opts or {}).items()}})

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if not self.epoch:
            return {"text/plain": repr(self)}
        return {**self.plot()._repr_mimebundle_(include, exclude), "text/plain": repr(self)}

    def __repr__(self) -> str:
        last = ", ".join(f"{name}={values[-1]:.4g}" for name, values in self.history.items())
        count = len(self.epoch)
        return f"History({count} epoch{'s' if count != 1 else ''}{': ' if last else ''}{last})"
