"""Tensors as text, laid out as TF.js prints them, and as HTML for notebooks."""

from __future__ import annotations

import math
import textwrap
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.javascript_numbers import number_text
from tfpy.engine.spec import Spec

_LIMIT = 20  # a dimension longer than this shows its first and last elements only
_SHOWN = 3
_BRIEF = 1000  # above this, notebooks and repr show less: one element at either end of all but the last two axes
_LAST_DIGIT = Decimal("1e-7")


def tensor_text(spec: Spec, values: Array, verbose: bool) -> str:
    """The text of `print`: 'Tensor', with `verbose` dtype, rank and shape, and the values in aligned columns."""
    lines = _rows(spec, values)
    out = ["Tensor"]
    if verbose:
        shape = ",".join(map(str, spec.shape))
        out += [f"  dtype: {spec.dtype}", f"  rank: {spec.rank}", f"  shape: [{shape}]", "  values:"]
    return "\n".join([*out, *(f"    {line}" for line in lines)])


def tensor_preview(spec: Spec, values: Array) -> str:
    """The values as text, as `print` shows them; abbreviated for large tensors."""
    brief = spec.rank > 0 and spec.size > _BRIEF
    return "\n".join(_rows(spec, values, brief))


def tensor_repr(class_name: str, spec: Spec, values: Array, more: str = "") -> str:
    """The text of `repr`: class, shape, dtype and additional information; a scalar in the same line, others below."""
    head = f"shape={list(spec.shape)}, dtype={spec.dtype}{more}"
    if spec.rank == 0:
        value = values[()]
        # The digits that tell apart neighboring float32 numbers: `print` shows, as TF.js does, all of the double.
        text = number_text(float(str(value))) if spec.dtype == "float32" else _element(value, spec.dtype)
        return f"{class_name}({text}, {head})"
    return f"{class_name}({head})\n{textwrap.indent(tensor_preview(spec, values), '    ')}"


def tensor_html(class_name: str, spec: Spec, values: Array | None, more: str = "") -> str:
    """The HTML for notebooks: class, dtype, shape, additional information, and a preview of the values."""
    import html  # imported lazily

    shape = " × ".join(map(str, spec.shape)) or "scalar"
    body = "disposed" if values is None else tensor_preview(spec, values)
    head = html.escape(f"{spec.dtype}, {shape}{more}")
    return f"<div><b>{class_name}</b> {head}<pre>{html.escape(body)}</pre></div>"


def _rows(spec: Spec, values: Array, brief: bool = False) -> list[str]:
    if spec.rank == 0:
        return [_scalar(values.item(), spec.dtype)]
    edges = [_SHOWN if n > _LIMIT else 0 for n in spec.shape]
    measured = values
    if brief:
        edges = [1 if n > 2 else 0 for n in spec.shape[:-2]] + edges[-2:]
        measured = values[np.ix_(*map(_picked, spec.shape[:-1], edges))]  # TF.js also measures what it does not show
    return _block(values, spec.dtype, _widths(measured, spec.dtype, edges[-1]), edges, last=True)


def _scalar(value: Any, dtype: str) -> str:
    """A single number with all its digits, and a string without quotes."""
    if dtype == "string":
        return _text(value)
    return number_text(value) if dtype == "float32" else _element(value, dtype)


def _widths(values: Array, dtype: str, edge: int) -> list[int]:
    """The width of the longest element of each column of the last dimension."""
    columns = values.shape[-1] if values.size else 0
    widths = [0] * columns
    for i in _picked(columns, edge) if columns else []:
        column = values[..., i].reshape(-1)
        most = _most_signs(column) if dtype in ("float32", "int32") and len(column) > _BRIEF else math.inf
        for value in column:
            widths[i] = max(widths[i], _length(_element(value, dtype)))
            if widths[i] >= most:
                break
    return widths


def _most_signs(column: Array) -> int:
    """No number in a long column takes more characters than this."""
    finite = column[np.isfinite(column)].astype(np.float64)
    highest = float(np.abs(finite).max(initial=0))
    decimals = 0 if (finite == np.floor(finite)).all() else len(".0000000")
    signs = len(str(int(highest) + 1)) + decimals + bool((finite < 0).any())
    return signs if len(finite) == len(column) else max(signs, len("-Infinity"))


def _picked(size: int, edge: int) -> list[int]:
    """The indices shown along an axis: all, or some at either end."""
    return [*range(edge), *range(size - edge, size)] if edge else list(range(size))


def _block(values: Array, dtype: str, widths: list[int], edges: list[int], last: bool) -> list[str]:
    """The lines of a block, with axes of size 1 laid out as in TF.js."""
    if values.ndim == 1:
        return ["[" + _vector(values, dtype, widths, edges[0]) + "]"]
    lines: list[str] = []
    picked = _picked(len(values), edges[0])
    for position, i in enumerate(picked):
        if len(picked) < len(values) and position == edges[0]:
            lines.append("...")
        lines += _block(values[i], dtype, widths, edges[1:], i == picked[-1])
    comma = "," if values.ndim == 2 else ""
    first = "[" + (lines[0] + comma if lines else "")
    lines = [first, *(f" {line}{comma}" for line in lines[1:-1]), *lines[1:][-1:]]
    lines[-1] = f" {lines[-1]}]" + ("" if last else "," + "\n" * (values.ndim - 1))
    return lines


def _vector(values: Array, dtype: str, widths: list[int], edge: int) -> str:
    texts = [_padded(_element(values[i], dtype), widths[i]) for i in _picked(len(values), edge)]
    if edge:
        texts.insert(edge, "...")
    return ", ".join(texts)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _length(text))


def _length(text: str) -> int:
    """As counted by JavaScript, where many emoji are two characters."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def _element(value: Any, dtype: str) -> str:
    if dtype == "string":
        return f"'{_text(value)}'"
    if dtype == "bool":
        return "true" if value else "false"
    if dtype == "complex64":
        return f"{_number(float(value.real))} + {_number(float(value.imag))}j"
    return str(int(value)) if dtype == "int32" else _number(float(value))


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _number(value: float) -> str:
    """Rounded to seven decimals, halves away from zero, as JavaScript writes numbers."""
    return number_text(float(Decimal(value).quantize(_LAST_DIGIT, ROUND_HALF_UP)) if abs(value) < 1e21 else value)
