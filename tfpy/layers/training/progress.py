"""What `fit` shows while it runs: a bar with the time left on a terminal or in a notebook, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any

from tfpy.core.types import Logs
from tfpy.layers.callbacks.base import Callback

# How often the bar is drawn anew, in seconds: reading the loss may make a GPU wait.
_REFRESH = 0.1


class Display(Callback):
    """A callback that shows how training goes."""

    def close(self) -> None:
        """Give the terminal back, also when training fails."""


def displays(verbose: Any) -> list[Display]:
    """The displays for a `verbose`: none for 0, a bar for 1 where one can be drawn, a line for each epoch otherwise."""
    if not verbose:
        return []
    return [ProgressBar()] if verbose == 1 and _can_draw() else [EpochLines()]


def _can_draw() -> bool:
    try:
        from rich.console import Console
    except ImportError:
        return False
    console = Console()
    return console.is_terminal or console.is_jupyter or bool(getattr(sys, "ps1", None) and sys.stdout.isatty())


def described(logs: Logs | None) -> str:
    """The values of logs as text, those of the validation last: 'loss 0.1234 - acc 0.9 - val_loss 0.2'."""
    shown = [(name, value) for name, value in (logs or {}).items() if name not in ("batch", "size")]
    shown.sort(key=lambda item: item[0].startswith("val_"))
    return " - ".join(f"{name} {value:.4g}" for name, value in shown)


class EpochLines(Display):
    """Prints a line after each epoch."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._began = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        seconds = time.perf_counter() - self._began
        print(f"epoch {epoch + 1}/{self.params['epochs']} - {described(logs)} - {seconds:.1f} s")


class ProgressBar(Display):
    """Draws a bar for each epoch, with the loss and the time left."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.table import Column

        self._bar = Progress(
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(20),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            TextColumn("{task.fields[text]}", table_column=Column()),  # wraps where the terminal is too narrow
            auto_refresh=False,
        )
        name = f"{epoch + 1}/{self.params['epochs']}"
        self._task = self._bar.add_task("", total=self.params["steps"], epoch=name, text="")
        self._drawn = time.perf_counter()
        self._bar.start()

    def wants(self, event: str) -> bool:
        return super().wants(event) and (event != "on_batch_end" or time.perf_counter() - self._drawn >= _REFRESH)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._drawn = time.perf_counter()
        self._bar.update(self._task, completed=batch + 1, text=described(logs), refresh=True)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        stopped = self.model is not None and self.model.stop_training
        done = {} if stopped else {"completed": self.params["steps"]}
        self._bar.update(self._task, text=described(logs), refresh=True, **done)
        self._bar.stop()

    def close(self) -> None:
        if hasattr(self, "_bar"):
            self._bar.stop()
