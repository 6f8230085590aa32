"""CSVLogger: writes the losses and metrics of each epoch to a file."""

from __future__ import annotations

import contextlib
import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.types import Logs
from tfpy.engine.arguments import as_count
from tfpy.engine.errors import argument_error
from tfpy.engine.warn import warn_user
from tfpy.layers.callbacks.base import Callback, Check

# Written for a value that an epoch lacks.
_MISSING = "NA"


@export(doc="Callbacks", aliases="callbacks.csv_logger")
class CSVLogger(Callback):
    """Writes a row for each epoch: its number, counted from 0, then its losses and metrics, as named by the header.

    The file is flushed after each epoch. If a row cannot be written, for example since the disk is full, a warning says
    so, and training goes on.

    Args:
        filename: the file.
        args: the options below as a dict.
        separator: the text between two values.
        append: whether to append to an existing file, under its header, instead of overwriting it. In a run resumed by
            `BackupAndRestore`, rows of epochs that are trained again are removed first.

    Raises:
        OSError: at the start of training, if the file cannot be read or written.

    Source: Keras `CSVLogger` (beyond TF.js).
    """

    _backup_checks: ClassVar[dict[str, Check]] = {"_length": as_count}
    backed_up = (*_backup_checks,)

    @accepts_options("args", where="csv_logger")
    def __init__(
        self,
        filename: str | os.PathLike[str],
        args: Mapping[str, Any] | None = None,
        *,
        separator: str = ",",
        append: bool = False,
    ) -> None:
        if not isinstance(separator, str) or len(separator) != 1:
            raise argument_error("csv_logger", "separator", "one character", separator)
        self.filename = Path(filename)
        self.separator = separator
        self.append = append
        self._names: list[str] = []

    def on_train_begin(self, logs: Logs | None = None) -> None:
        self._names = []
        try:
            if self.append and self.filename.exists():
                self._names = self._header()
            else:
                self.filename.write_text("", encoding="utf-8")
        except OSError as error:
            raise type(error)(f"csv_logger: {self.filename} cannot be written: {error.strerror}.") from error

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        values = {"epoch": epoch, **(logs or {})}
        # An epoch that was stopped has no validation; the header has the columns anyway.
        names = self._names or list(dict.fromkeys(["epoch", *self.params["metrics"], *values]))
        row = [values.get(name, _MISSING) for name in names]
        try:
            self._write([row] if self._names else [names, row])
        except OSError as error:
            warn_user(
                f"csv_logger: {self.filename} cannot be written: {error.strerror}. It has no row for epoch {epoch}; "
                "training goes on."
            )
        else:
            self._names = names

    @property
    def _length(self) -> int:
        """The size of the file in bytes; setting it removes the rows that a run wrote after its last backup."""
        return self.filename.stat().st_size if self.filename.exists() else 0

    @_length.setter
    def _length(self, length: int) -> None:
        if self._length > length:
            os.truncate(self.filename, length)
            self._names = self._header()

    def _header(self) -> list[str]:
        try:
            with self.filename.open(newline="", encoding="utf-8") as file:
                return next(csv.reader(file, delimiter=self.separator), [])
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"csv_logger: {self.filename} has no header to append to: {error}.") from None

    def _write(self, rows: list[list[Any]]) -> None:
        """Append rows, or none if that fails."""
        text = io.StringIO()
        csv.writer(text, delimiter=self.separator, lineterminator="\n").writerows(rows)
        with self.filename.open("ab", buffering=0) as file:
            before, data = file.tell(), text.getvalue().encode()
            try:
                while data:
                    data = data[file.write(data) :]
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(before)
                raise
