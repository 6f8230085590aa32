"""InputSpec: the requirements of a layer on an input, and their check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.engine.dtypes import DType
from tfpy.layers._camel import InputSpecCamel
from tfpy.layers.symbolic import PartialShape


@export(doc="Layers / Classes")
class InputSpec(InputSpecCamel):
    """The required shape and dtype of an input; None means no requirement.

    Attributes:
        dtype: its dtype.
        shape: its shape, in which sizes may be None.
        ndim: its rank.
        max_ndim: its highest rank.
        min_ndim: its lowest rank.
        axes: the sizes of some of its axes.

    Source: TF.js `tf.InputSpec`.
    """

    dtype: DType | None
    shape: PartialShape | None
    ndim: int | None
    max_ndim: int | None
    min_ndim: int | None
    axes: dict[int, int | None]

    @accepts_options("args")
    def __init__(
        self,
        args: Mapping[str, Any] | None = None,
        *,
        dtype: DType | None = None,
        shape: Sequence[int | None] | None = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Mapping[int, int | None] | None = None,
    ) -> None:
        self.dtype = dtype
        self.shape = None if shape is None else tuple(shape)
        self.ndim = ndim if shape is None else len(shape)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = dict(axes or {})


def check_inputs(layer: str, specs: Sequence[InputSpec | None] | None, inputs: Sequence[Any]) -> None:
    """Raise ValueError, naming the layer and the input, if inputs do not match the specs."""
    if not specs:
        return
    check_shapes(layer, specs, [x.shape for x in inputs])
    for i, (spec, x) in enumerate(zip(specs, inputs, strict=True)):
        if spec is not None and spec.dtype not in (None, x.dtype):
            raise _misfit(layer, i, f"dtype {spec.dtype}", f"dtype {x.dtype}")


def check_shapes(layer: str, specs: Sequence[InputSpec | None] | None, shapes: Sequence[PartialShape]) -> None:
    """`check_inputs` for inputs of which only the shapes are known."""
    if not specs:
        return
    if len(specs) != len(shapes):
        raise ValueError(f"Layer {layer} expects {len(specs)} inputs, but got {len(shapes)}.")
    for i, (spec, shape) in enumerate(zip(specs, shapes, strict=True)):
        fault = None if spec is None else _fault(spec, shape)
        if fault:
            raise _misfit(layer, i, fault, f"shape {list(shape)}")


def _misfit(layer: str, i: int, expected: str, found: str) -> ValueError:
    return ValueError(f"Input {i} does not fit layer {layer}: expected {expected}, but got {found}.")


def _fault(spec: InputSpec, shape: PartialShape) -> str | None:
    rank = len(shape)
    if spec.ndim is not None and rank != spec.ndim:
        return f"rank {spec.ndim}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f"rank {spec.max_ndim} at most"
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return f"rank {spec.min_ndim} at least"
    for axis, size in spec.axes.items():
        if not -rank <= axis < rank:
            return f"an axis {axis}"
        if size is not None and shape[axis] not in (size, None):
            return f"size {size} on axis {axis}"
    if spec.shape is not None:
        for wanted, size in zip(spec.shape, shape, strict=True):
            if wanted is not None and size is not None and wanted != size:
                return f"shape {list(spec.shape)}"
    return None
