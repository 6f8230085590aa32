"""CSVDataset: the rows of a text file with separated columns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tfpy.core.calling.options import accepts_options, read_options
from tfpy.core.calling.ready import ReadyList
from tfpy.core.calling.registry import export
from tfpy.data._camel import CSVDatasetCamel
from tfpy.data.dataset import Dataset
from tfpy.data.iterators import LazyIterator
from tfpy.data.sources import name_of
from tfpy.data.text_line_dataset import TextLineDataset
from tfpy.engine.arguments import as_string
from tfpy.engine.errors import argument_error, show, unknown_name_error
from tfpy.engine.javascript_numbers import text_number
from tfpy.engine.warn import warn_user

_DTYPES = ("float32", "int32", "bool", "string")
_QUOTE = '"'


class Column(NamedTuple):
    """How a column's cells are read; the fields are the keys of a column's configuration."""

    required: bool = False
    dtype: str | None = None
    default: Any = None
    is_label: bool = False


@export(namespace="data", doc="Data / Classes")
class CSVDataset(CSVDatasetCamel, Dataset):
    """The rows of a text file with separated columns: a dict for each row, by the column's name.

    A cell that looks like a number is one, any other is a string. A cell may be double-quoted and then contain the
    delimiter, but not a line break. If columns are marked as labels, the rows are {'xs': features, 'ys': labels}.

    Args:
        input: a data source; or a path, a URL or bytes.
        csv_config: the options below as a dict.
        has_header: whether the first line names the columns.
        column_names: the columns' names, replacing those in the first line; required without a header.
        column_configs: by the column's name 'required' (an empty cell is an error), 'dtype' ('float32', 'int32' rounds
            down, 'bool' is 1 for '1' and 'true', 'string'), 'default' (the value of an empty cell; None
            otherwise), 'is_label'.
        configured_columns_only: whether to omit columns without a configuration.
        delimiter: the character between columns; a comma by default.
        delim_whitespace: whether columns are separated by any number of blanks.

    Source: TF.js `tf.data.CSVDataset`. As there, doubled quotes inside a quoted cell stay as they are, and a number in
    a column of strings is a number.
    """

    @accepts_options("csv_config", where="csv")
    def __init__(
        self,
        input: Any,
        csv_config: Mapping[str, Any] | None = None,
        *,
        has_header: bool = True,
        column_names: Sequence[str] | None = None,
        column_configs: Mapping[str, Mapping[str, Any]] | None = None,
        configured_columns_only: bool = False,
        delimiter: str | None = None,
        delim_whitespace: bool = False,
    ) -> None:
        self._lines = TextLineDataset(input)
        self._has_header = bool(has_header)
        self._names = None if column_names is None else list(column_names)
        self._configs = _columns(column_configs)
        self._configured_only = bool(configured_columns_only)
        self._collapse = bool(delim_whitespace)
        self._delimiter = _delimiter(delimiter, delim_whitespace)
        self._columns: list[tuple[str, Column | None]] | None = None
        if configured_columns_only and not self._configs:
            raise argument_error("csv", "configured_columns_only", "used together with column_configs", True)
        if self._names is None and not has_header:
            raise argument_error("csv", "column_names", "given, since the file has no header", None)

    def column_names(self) -> ReadyList[str]:
        """The names of the columns that the rows have; awaitable.

        Source: TF.js `tf.data.CSVDataset.columnNames`.
        """
        if self._columns is None:
            self.iterator()
        names = list(self._configs) if self._configured_only else [name for name, _ in self._columns or []]
        return ReadyList(names)

    def iterator(self) -> LazyIterator:
        """A new stream of the rows.

        Raises:
            ValueError: no header, names that do not fit it or occur twice, or configurations of columns that do not
                exist; while reading, a row with too many or too few cells, or without a required one.
            RuntimeError: the source cannot be read.
        """
        lines = self._lines.iterator()
        header = None
        if self._has_header:
            header = next(lines, None)
            if header is None:
                raise ValueError(f"csv: {name_of(self._lines.input)} is empty; it has no header.")
        if self._columns is None:
            self._columns = self._checked_columns(header)
        return _Rows(self.make_data_element, lines, int(self._has_header), name_of(self._lines.input))

    def _checked_columns(self, header: str | None) -> list[tuple[str, Column | None]]:
        found = None if header is None else split_row(header, self._delimiter, self._collapse)
        names = found if self._names is None else self._names
        assert names is not None
        other = next((mark for mark in ";\t|" if mark in names[0]), None) if len(names) == 1 else None
        if other is not None:
            warn_user(f"csv: the only column is {names[0]!r}; are the columns separated by delimiter={other!r}?")
        if found is not None and len(found) != len(names):
            raise argument_error("csv", "column_names", f"as many names as the header has ({len(found)})", names)
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        if twice:
            raise ValueError(
                f"csv: more than one column of {name_of(self._lines.input)} has the name {', '.join(map(repr, twice))}."
            )
        for name in self._configs:
            if name not in names:
                raise unknown_name_error("column in column_configs", name, names)
        return [(name, self._configs.get(name)) for name in names]

    def make_data_element(self, line: str) -> dict[str, Any]:
        """A line as a row."""
        as_string("make_data_element", "line", line)
        if self._columns is None:
            self.iterator()
        assert self._columns is not None
        cells = split_row(line, self._delimiter, self._collapse)
        if len(cells) != len(self._columns):
            raise BadRowError(f"csv: a row must have {len(self._columns)} cells, but {show(line)} has {len(cells)}.")
        features: dict[str, Any] = {}
        labels: dict[str, Any] = {}
        for cell, (name, config) in zip(cells, self._columns, strict=True):
            if config is not None:
                (labels if config.is_label else features)[name] = _configured(cell, name, config, line)
            elif not self._configured_only:
                features[name] = _value(cell)
        return {"xs": features, "ys": labels} if labels else features


class BadRowError(ValueError):
    """A line that is no row of the table."""


class _Rows(LazyIterator):
    """The rows of lines; an error says which line of which file it is about. The stream continues after it."""

    def __init__(self, row_of: Callable[[str], Any], lines: Iterator[str], before: int, source: str) -> None:
        self._row_of, self._lines = row_of, lines
        self._count, self._source = before, source

    def __next__(self) -> Any:
        line = next(self._lines)
        self._count += 1
        try:
            return self._row_of(line)
        except BadRowError as error:
            raise BadRowError(f"{error} It is line {self._count} of {self._source}.") from None


def _columns(configs: Mapping[str, Mapping[str, Any]] | None) -> dict[str, Column]:
    if configs is not None and not isinstance(configs, Mapping):
        raise argument_error("csv", "column_configs", "a dict of options by column", configs, TypeError)
    return {name: _column(name, config) for name, config in (configs or {}).items()}


def _column(name: str, config: Mapping[str, Any]) -> Column:
    if not isinstance(config, Mapping):
        raise argument_error("csv", f"column_configs[{name!r}]", "a dict of options", config, TypeError)
    column = Column(**read_options(config, Column._fields, f"csv: column {name!r}"))
    if column.dtype is not None and column.dtype not in _DTYPES:
        raise unknown_name_error(f"dtype of column {name!r}", column.dtype, _DTYPES)
    return column


def _delimiter(given: str | None, whitespace: bool) -> str:
    if whitespace and given is not None:
        raise argument_error("csv", "delimiter", "omitted if delim_whitespace is set", given)
    delimiter = " " if whitespace else given or ","
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\n':
        raise argument_error("csv", "delimiter", "one character, neither a quote nor the end of a line", given)
    return delimiter


def _value(cell: str) -> Any:
    """A number if the cell looks like one, None if it is empty, else its text."""
    if not cell:
        return None
    number = text_number(cell)
    return cell if number is None else number


def _configured(cell: str, name: str, config: Column, line: str) -> Any:
    if not cell:
        if config.default is None and (config.required or config.is_label):
            raise BadRowError(f"csv: the required column {name!r} is empty in line {show(line)}.")
        return config.default
    if config.dtype == "bool":
        return int(cell == "1" or cell.lower() == "true")
    value = _value(cell)
    if config.dtype == "int32" and isinstance(value, float) and math.isfinite(value):
        return math.floor(value)
    return value


def split_row(line: str, delimiter: str, collapse: bool) -> list[str]:
    """The cells of a line.

    Args:
        line: the line, without its end.
        delimiter: the character between two cells.
        collapse: whether consecutive delimiters count as one, and leading ones are ignored.
    """
    if _QUOTE not in line and not collapse:
        return line.split(delimiter)
    cells = []
    at = 0
    while at < len(line):
        if line[at] == _QUOTE:
            start, end = at + 1, _closing_quote(line, at + 1, delimiter)
            at = end + 2
        elif line[at] == delimiter:
            start = end = at
            at += 1
            if collapse:
                continue
        else:
            start, end = at, line.find(delimiter, at)
            end = len(line) if end < 0 else end
            at = end + 1
        cells.append(line[start:end])
        # Its last cell ends with the line; a delimiter there would start another, empty one.
        if at > len(line):
            return cells
    return [*cells, ""]


def _closing_quote(line: str, at: int, delimiter: str) -> int:
    """The index of the quote that ends a cell: the first one before a delimiter or the end of the line.

    A quote followed by anything else starts a part of the cell that ends at the next quote.
    """
    at = line.find(_QUOTE, at)
    while at >= 0:
        after = at + 1
        if after == len(line) or line[after] == delimiter:
            return at
        inner = after if line[after] == _QUOTE else line.find(_QUOTE, after)
        at = -1 if inner < 0 else line.find(_QUOTE, inner + 1)
    return len(line)
