"""Weights manifests: name, shape, dtype and quantization of each weight, in groups of files."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.core.io.errors import MAX_STRING_BYTES, ModelFileError, field_error, list_in, object_in
from tfpy.engine.arguments import as_int
from tfpy.engine.dtypes import BYTES, DTYPES, DType
from tfpy.engine.spec import MAX_RANK, MAX_SIZE, Shape, is_possible

# How each kind of quantization stores a number.
STORED_AS = {kind: np.dtype(code) for kind, code in {"uint8": "u1", "uint16": "<u2", "float16": "<f2"}.items()}


class Quantization(NamedTuple):
    """How numbers are stored in fewer bytes: integers q for q · scale + min, or float16."""

    dtype: str
    scale: float
    min: float


class WeightSpec(NamedTuple):
    """A weight in a manifest."""

    name: str
    shape: Shape
    dtype: DType
    quantization: Quantization | None
    group: str | None

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int | None:
        """Its size in bytes in the file; None for strings, which store their own lengths."""
        if self.dtype == "string":
            return None
        return self.size * (STORED_AS[self.quantization.dtype].itemsize if self.quantization else BYTES[self.dtype])


class WeightGroup(NamedTuple):
    """Consecutive weights in consecutive files."""

    paths: list[str]
    specs: list[WeightSpec]

    @property
    def nbytes(self) -> int | None:
        """The required size of the files in bytes; None if there are strings among the weights."""
        sizes = [spec.nbytes for spec in self.specs]
        return None if None in sizes else sum(n for n in sizes if n is not None)

    @property
    def max_bytes(self) -> int:
        """The bytes that the files may have: a string takes 4 for its length, and the total content is bounded."""
        if self.nbytes is not None:
            return self.nbytes
        return MAX_STRING_BYTES + sum(4 * spec.size if spec.nbytes is None else spec.nbytes for spec in self.specs)


@export(namespace="io", doc="Models / Loading")
def get_weight_specs(weights_manifest: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The weights of all groups of a manifest, one after the other.

    Source: TF.js `tf.io.getWeightSpecs`.
    """
    source = "get_weight_specs"
    groups = [
        object_in(source, "weights_manifest", group) for group in list_in(source, "the argument", weights_manifest)
    ]
    return [spec for group in groups for spec in list_in(source, "weights", group.get("weights"))]


def read_manifest(manifest: Any, source: str) -> list[WeightGroup]:
    """A weights manifest, checked: shapes, dtypes, quantization, paths that stay inside, names that are unique.

    Raises:
        ModelFileError: naming the source and the field.
    """
    groups = []
    for i, entry in enumerate(list_in(source, "weightsManifest", manifest)):
        where = f"weightsManifest[{i}]"
        group = object_in(source, where, entry)
        paths = list_in(source, f"{where}.paths", group.get("paths"))
        groups.append(
            WeightGroup(
                [read_path(path, source, f"{where}.paths[{j}]") for j, path in enumerate(paths)],
                read_specs(group.get("weights"), source, f"{where}.weights", unique=False),
            )
        )
    _check_names([spec for group in groups for spec in group.specs], source, "weightsManifest")
    return groups


def read_specs(specs: Any, source: str, field: str = "weightSpecs", unique: bool = True) -> list[WeightSpec]:
    """A list of weights, checked as in `read_manifest`."""
    found = [_read_spec(entry, source, f"{field}[{i}]") for i, entry in enumerate(list_in(source, field, specs))]
    if unique:
        _check_names(found, source, field)
    return found


def _check_names(specs: Sequence[WeightSpec], source: str, field: str) -> None:
    seen = set()
    for spec in specs:
        if spec.name in seen:
            raise ModelFileError(f"{source}: {field} has two weights named {spec.name!r}.")
        seen.add(spec.name)


def _read_spec(entry: Any, source: str, field: str) -> WeightSpec:
    spec = object_in(source, field, entry)
    name = spec.get("name")
    if not isinstance(name, str) or not name:
        raise field_error(source, f"{field}.name", "text", name)
    field = f"{field} ({name})"
    dtype = next((d for d in DTYPES if d == spec.get("dtype")), None)
    if dtype is None:
        raise field_error(source, f"{field}.dtype", "one of " + ", ".join(map(repr, DTYPES)), spec.get("dtype"))
    quantization = spec.get("quantization")
    read = None if quantization is None else _read_quantization(quantization, dtype, source, f"{field}.quantization")
    group = spec.get("group")
    if group is not None and not isinstance(group, str):
        raise field_error(source, f"{field}.group", "text", group)
    return WeightSpec(name, read_shape(spec.get("shape"), source, f"{field}.shape"), dtype, read, group)


def read_shape(value: Any, source: str, field: str) -> Shape:
    """A shape in a file, checked: non-negative integers, and not too many elements."""
    sizes = list_in(source, field, value)
    try:
        shape = tuple(as_int("", "", n) for n in sizes)
    except (TypeError, ValueError):
        raise field_error(source, field, "a list of whole numbers", value) from None
    if not is_possible(shape):
        expected = f"at most {MAX_RANK} sizes from 0 on, for at most {MAX_SIZE} elements"
        raise field_error(source, field, expected, value)
    return shape


def _read_quantization(value: Any, dtype: DType, source: str, field: str) -> Quantization:
    quantization = object_in(source, field, value)
    kind = quantization.get("dtype")
    if not isinstance(kind, str) or kind not in STORED_AS:
        raise field_error(source, f"{field}.dtype", "'uint8', 'uint16' or 'float16'", kind)
    if dtype not in (("float32",) if kind == "float16" else ("float32", "int32")):
        raise ModelFileError(f"{source}: {field}.dtype {kind!r} cannot be used for weights of dtype {dtype!r}.")
    if kind == "float16":
        return Quantization(kind, 1.0, 0.0)
    numbers = []
    for name in ("scale", "min"):
        number = quantization.get(name)
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not _finite(number):
            raise field_error(source, f"{field}.{name}", "a finite number", number)
        numbers.append(float(number))
    return Quantization(kind, *numbers)


def _finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def read_path(path: Any, source: str, field: str) -> str:
    """The path of a weight file, checked to lead into the model's own folder."""
    if not isinstance(path, str) or not path.strip():
        raise field_error(source, field, "a file name", path)
    plain = unquote(path).replace("\\", "/")
    scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", plain)
    if scheme or plain.startswith("/") or ".." in plain.split("/") or any(ord(c) < 32 for c in plain):
        raise field_error(source, field, "a file in the model's own folder", path)
    return path
