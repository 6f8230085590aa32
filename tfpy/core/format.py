"""Tensors as text, laid out as TF.js prints them, and as HTML for notebooks."""

from __future__ import annotations

import html
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from tfpy.engine.backend import Array
from tfpy.engine.spec import Spec
from tfpy.engine.values import number_text

_LIMIT = 20  # a dimension longer than this shows its first and last elements only
_SHOWN = 3
_LAST_DIGIT = Decimal("1e-7")


def tensor_text(spec: Spec, values: Array, verbose: bool) -> str:
    """What `print` prints: 'Tensor', with `verbose` dtype, rank and shape, and the values in aligned columns."""
    lines = _rows(spec, values)
    out = ["Tensor"]
    if verbose:
        shape = ",".join(map(str, spec.shape))
        out += [f"  dtype: {spec.dtype}", f"  rank: {spec.rank}", f"  shape: [{shape}]", "  values:"]
    return "\n".join([*out, *(f"    {line}" for line in lines)])


def tensor_html(class_name: str, spec: Spec, values: Array | None) -> str:
    """What a notebook shows: class, dtype, shape, and a preview of the values."""
    shape = " × ".join(map(str, spec.shape)) or "scalar"
    body = "disposed" if values is None else html.escape("\n".join(_rows(spec, values)))
    return f"<div><b>{class_name}</b> {spec.dtype}, {shape}<pre>{body}</pre></div>"


def _rows(spec: Spec, values: Array) -> list[str]:
    if spec.rank == 0:
        return [_scalar(values.item(), spec.dtype)]
    return _block(values, spec.dtype, _widths(values, spec.dtype), last=True)


def _scalar(value: Any, dtype: str) -> str:
    """A single number with all its digits, and a text as it is."""
    if dtype == "string":
        return _text(value)
    return number_text(value) if dtype == "float32" else _element(value, dtype)


def _widths(values: Array, dtype: str) -> list[int]:
    """For each column of the last dimension the width of its longest element."""
    columns = values.shape[-1] if values.size else 0
    widths = [0] * columns
    for row in values.reshape(-1, columns) if columns else []:
        for i in _picked(columns):
            widths[i] = max(widths[i], len(_element(row[i], dtype)))
    return widths


def _picked(size: int) -> list[int]:
    if size <= _LIMIT:
        return list(range(size))
    return [*range(_SHOWN), *range(size - _SHOWN, size)]


def _block(values: Array, dtype: str, widths: list[int], last: bool) -> list[str]:
    """The lines of a block, those of an axis of size 1 set as TF.js sets them."""
    if values.ndim == 1:
        return ["[" + _vector(values, dtype, widths) + "]"]
    lines: list[str] = []
    picked = _picked(len(values))
    for position, i in enumerate(picked):
        if len(picked) < len(values) and position == _SHOWN:
            lines.append("...")
        lines += _block(values[i], dtype, widths, i == picked[-1])
    comma = "," if values.ndim == 2 else ""
    first = "[" + (lines[0] + comma if lines else "")
    lines = [first, *(f" {line}{comma}" for line in lines[1:-1]), *lines[1:][-1:]]
    lines[-1] = f" {lines[-1]}]" + ("" if last else "," + "\n" * (values.ndim - 1))
    return lines


def _vector(values: Array, dtype: str, widths: list[int]) -> str:
    picked = _picked(len(values))
    texts = [_element(values[i], dtype).ljust(widths[i]) for i in picked]
    if len(picked) < len(values):
        texts.insert(_SHOWN, "...")
    return ", ".join(texts)


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
