"""Weights in fewer bytes: float16, or integers q for q · scale + min. Readers convert them back to float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.core.io.artifacts import ModelArtifacts
from tfpy.core.io.buffers import CompositeArrayBuffer
from tfpy.core.io.specs import STORED_AS, WeightSpec, read_specs
from tfpy.core.io.weights import byte_ranges
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error


def quantized(artifacts: ModelArtifacts, kind: str) -> ModelArtifacts:
    """A model with its float32 weights quantized.

    Weights already quantized are kept, as are those of an optimizer, and those that the kind cannot represent:
    non-finite numbers, or beyond 65504 in float16.

    Args:
        artifacts: the model.
        kind: 'float16', 'uint8' or 'uint16'.

    Raises:
        ValueError: an unknown kind.
    """
    if kind not in STORED_AS:
        raise argument_error("save", "quantize", "'float16', 'uint8' or 'uint16'", kind)
    given = artifacts.weight_specs or []
    data = CompositeArrayBuffer(artifacts.weight_data)
    found = byte_ranges(data, read_specs(given, "save", "weight_specs"), "save")
    specs, parts = [], []
    for entry, (spec, start, end) in zip(given, found, strict=True):
        stored = data.view(start, end)
        how, smaller = _smaller(spec, stored, kind) or ({}, bytes(stored))
        specs.append({**entry, **how})
        parts.append(smaller)
    return ModelArtifacts({**artifacts, "weightSpecs": specs, "weightData": b"".join(parts)})


def _smaller(spec: WeightSpec, stored: memoryview, kind: str) -> tuple[dict[str, Any], bytes] | None:
    """The manifest's entry for a quantized weight, and its bytes; None if it is kept as it is."""
    if spec.dtype != "float32" or spec.quantization is not None or spec.group == "optimizer" or not spec.size:
        return None
    values = np.frombuffer(stored, "<f4")
    with np.errstate(over="ignore", invalid="ignore"):
        numbers, how = (values.astype(np.float16), {}) if kind == "float16" else _whole_numbers(values, kind)
    if not np.isfinite(numbers).all():
        return None
    said = {"quantization": {"dtype": kind, **how, "original_dtype": "float32"}}
    return said, numbers.astype(STORED_AS[kind]).tobytes()


def _whole_numbers(values: Array, kind: str) -> tuple[Array, dict[str, float]]:
    """The range from the least to the largest value in equal steps; 0 is one of the steps if it is within."""
    most = int(np.iinfo(STORED_AS[kind]).max)
    low, high = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))
    scale = (high - low) / most or 1.0
    if low < 0 < high:
        low = -float(np.rint(-low / scale)) * scale
    return np.clip(np.rint((values - np.float64(low)) / scale), 0, most), {"scale": scale, "min": low}
