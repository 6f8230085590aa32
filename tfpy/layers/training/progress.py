"""The display of `fit`: a progress bar on a terminal, a line updated in place in a notebook, else plain lines."""

from __future__ import annotations

import math
import sys
import time
from typing import Any

from tfpy.core.types import Logs
from tfpy.engine.printable import encodable, put
from tfpy.layers.callbacks.base import Callback

# The refresh interval in seconds: reading the loss may stall a GPU.
_REFRESH = 0.1
# A line updated in place leaves at most this many lines: a notebook keeps them all.
_MAX_LINES = 100

# In columns: a bar, the least of one, and more than any line has.
_BAR, _SHORTEST_BAR, _WIDEST = 20, 4, 10_000


class Display(Callback):
    """A callback that shows how training goes."""

    def close(self) -> None:
        """Release the terminal, also if training fails."""


def displays(verbose: Any) -> list[Display]:
    """The displays of a `verbose`: 0 none, 1 a bar or a line updated in place if possible, else a line per epoch."""
    if not verbose:
        return []
    return [_best_display() if verbose == 1 else EpochLines()]


def _best_display() -> Display:
    try:
        from rich.console import Console
    except ImportError:
        return EpochLines()
    console = Console()
    if console.is_jupyter:
        return LineInPlace()  # rich needs a package there that few notebooks have
    is_terminal = console.is_terminal or bool(getattr(sys, "ps1", None) and sys.stdout.isatty())
    return ProgressBar() if is_terminal else EpochLines()


def described(logs: Logs | None) -> str:
    """The values of logs as text, those of the validation last: 'loss 0.1234 - acc 0.9 - val_loss 0.2'."""
    shown = [(name, value) for name, value in (logs or {}).items() if name not in ("batch", "size")]
    shown.sort(key=lambda item: item[0].startswith("val_"))
    return " - ".join(f"{name} {value:.4g}" for name, value in shown)


class EpochLines(Display):
    """Prints a line after each epoch."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        self._name = f"epoch {epoch + 1}/{self.params['epochs']}"
        self._began = time.perf_counter()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        put(self._ended(logs), flush=True)

    def _ended(self, logs: Logs | None) -> str:
        return f"{self._name} - {described(logs)} - {time.perf_counter() - self._began:.1f} s"


class _Redrawn(Display):
    """A display that is refreshed at intervals while an epoch runs.

    The length of a data set may be unknown before it has been read: then it is that of the last epoch.
    """

    _drawn = 0.0
    _begun = 0
    _total: int | None = None

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        super().on_epoch_begin(epoch, logs)
        self._total = self.params["steps"] or self._begun or None
        self._begun = 0

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        self._begun = batch + 1  # not all that end are shown

    def wants(self, event: str) -> bool:
        return super().wants(event) and (event != "on_batch_end" or time.perf_counter() - self._drawn >= _REFRESH)


class LineInPlace(_Redrawn, EpochLines):
    """A line that is overwritten while an epoch runs. It is kept for each epoch, or for some of very many epochs."""

    _width = 0
    _pending = ""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        super().on_epoch_begin(epoch, logs)
        self._drawn = self._began

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._drawn = time.perf_counter()
        text = f"{self._name} - {batch + 1}/{self._total or '?'} - {described(logs)}"
        put(f"\r{text:{self._width}}", end="", flush=True)
        self._width = len(text)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        self._clear()
        self._pending = self._ended(logs)
        step = math.ceil((self.params["epochs"] - (self.params["initial_epoch"] or 0)) / _MAX_LINES)
        if (epoch + 1) % step == 0:
            self._print_pending()

    def on_train_end(self, logs: Logs | None = None) -> None:
        self.close()

    def close(self) -> None:
        self._clear()
        self._print_pending()

    def _print_pending(self) -> None:
        if self._pending:
            put(self._pending, flush=True)
            self._pending = ""

    def _clear(self) -> None:
        if self._width:
            put("\r" + " " * self._width, end="\r")
            self._width = 0


class ProgressBar(_Redrawn):
    """Draws a bar for each epoch, with the loss and the time left; at the end, with the time taken."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.table import Column

        super().on_epoch_begin(epoch, logs)
        self._stripe = BarColumn(_BAR)
        self._bar = Progress(
            TextColumn("epoch {task.fields[epoch]}", markup=False),
            self._stripe,
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            # The column wraps where the terminal is too narrow; names of layers may look like markup.
            TextColumn("{task.fields[text]}", markup=False, table_column=Column()),
            auto_refresh=False,
        )
        self._columns = self._bar.columns
        name = f"{epoch + 1}/{self.params['epochs']}"
        self._task = self._bar.add_task("", total=self._total, epoch=name, text="")
        self._drawn = self._began = time.perf_counter()
        self._bar.start()

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        self._drawn = time.perf_counter()
        self._draw(batch + 1, logs)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        from rich.progress import TextColumn

        took = TextColumn(f"{time.perf_counter() - self._began:.1f} s", style="progress.elapsed")
        self._columns = (*self._columns[:-2], took, self._columns[-1])
        stopped = self.model is not None and self.model.stop_training
        done = self._begun if stopped else self.params["steps"] or self._begun
        if not (stopped or self.params["steps"]):
            self._bar.update(self._task, total=done)
        self._draw(done, logs)
        self._bar.stop()

    def _draw(self, done: int, logs: Logs | None) -> None:
        """Draw the bar, shortened or left out if the values would not fit on the line."""
        self._bar.update(self._task, completed=done, text=encodable(described(logs)))
        console, self._bar.columns, self._stripe.bar_width = self._bar.console, self._columns, _BAR
        line = self._bar.make_tasks_table(self._bar.tasks)
        needed = console.measure(line, options=console.options.update_width(_WIDEST)).maximum
        self._stripe.bar_width = _BAR - max(needed - console.width, 0)
        if self._stripe.bar_width < _SHORTEST_BAR:
            self._bar.columns = tuple(column for column in self._columns if column is not self._stripe)
        self._bar.refresh()

    def close(self) -> None:
        if hasattr(self, "_bar"):
            self._bar.stop()
