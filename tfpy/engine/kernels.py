"""The kernel table: one row per kernel, with its inputs and its rule for shapes and dtypes. No numerics.

A row is the contract between ops, gradients and backends: ops call a kernel by name, `infer` returns the output's spec
(or raises ShapeError if the inputs do not fit), backends implement it, and `gradients.gradient` sets its gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.engine.dtypes import DType
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Spec, broadcast_shapes, reduced_shape, spec

Infer = Callable[..., Any]  # -> Spec, or a sequence of them for a kernel with several outputs


class Kernel:
    """A row of the table.

    Attributes:
        inputs: names of the inputs in order; a last name starting with '*' stands for any number of inputs.
        attrs: names of the attributes, all of which are required.
        alike: if the inputs have the same spec, or the second is a scalar, the output has the first one's spec,
            whatever the attributes; `infer` need not be called.
        infer: called with the input handles, and the attributes as keywords; returns the Spec of the output, or a
            list of them for a kernel with several outputs.
        shares: the output is the input's data under another shape: backends return a view, not a copy.
        label: what error messages call the kernel.
        workspace: its last output is only for the kernel of its gradient, and has no gradient itself.
    """

    __slots__ = ("alike", "attrs", "infer", "inputs", "label", "name", "shares", "workspace")

    def __init__(
        self,
        name: str,
        inputs: tuple[str, ...],
        infer: Infer,
        attrs: tuple[str, ...] = (),
        shares: bool = False,
        label: str = "",
        workspace: bool = False,
    ) -> None:
        self.name = name
        self.label = label or name.lower()
        self.inputs = inputs
        self.attrs = attrs
        self.infer = infer
        self.alike = infer is same or infer is broadcast
        self.shares = shares
        self.workspace = workspace


KERNELS: dict[str, Kernel] = {}


def kernel(
    name: str,
    inputs: str,
    infer: Infer,
    *,
    attrs: str = "",
    shares: bool = False,
    label: str = "",
    workspace: bool = False,
) -> None:
    """Add a row. Names of inputs and attributes are separated by blanks; the label defaults to the lower-case name."""
    if name in KERNELS:
        raise ValueError(f"kernel: {name!r} is already in the table.")
    KERNELS[name] = Kernel(name, tuple(inputs.split()), infer, tuple(attrs.split()), shares, label, workspace)


# Rules shared by many rows.


def same(x: Handle, **attrs: Any) -> Spec:
    """The output has the spec of the first input."""
    return x.spec


def broadcast(a: Handle, b: Handle) -> Spec:
    """The shape that both broadcast to; they have the same dtype."""
    x, y = a.spec, b.spec
    if not x.shape or x.shape == y.shape:
        return y
    return spec(broadcast_shapes(x.shape, y.shape), x.dtype) if y.shape else x


def broadcast_to_bool(a: Handle, b: Handle) -> Spec:
    """A boolean for each pair of elements."""
    return spec(broadcast_shapes(a.spec.shape, b.spec.shape), "bool")


def to_bool(x: Handle) -> Spec:
    """A boolean for each element."""
    return spec(x.spec.shape, "bool")


def reduced(x: Handle, *, axes: tuple[int, ...], keep_dims: bool) -> Spec:
    """The given axes removed, or reduced to size 1."""
    if not keep_dims and len(axes) == len(x.spec.shape):
        return spec((), x.spec.dtype)
    return spec(reduced_shape(x.spec.shape, axes, keep_dims), x.spec.dtype)


def described(*, shape: tuple[int, ...], dtype: DType, **attrs: Any) -> Spec:
    """The spec that the attributes describe, for kernels without inputs."""
    return spec(shape, dtype)
