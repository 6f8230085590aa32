"""The kernel table: one row per kernel with its inputs and its shape and dtype rule. No numerics.

A row is the contract between ops, gradients and backends: ops call a kernel by name, `infer` says what comes out
(and raises ShapeError when the inputs do not fit), each backend implements it, and `tape.gradient` gives its gradient.
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
        inputs: names of the inputs in order; a last name starting with '*' stands for any number of them.
        attrs: names of the attributes, all of which are given.
        alike: inputs of one spec, or a second one that is a scalar, give an output of the first one's spec, whatever
            the attributes; `infer` need not be asked.
        infer: called with the input handles and the attributes as keywords; gives the Spec of the output, or a list
            of them for a kernel with several outputs.
        shares: the output is the input's data under another shape: backends return a view, not a copy.
        label: what error messages call the kernel.
        workspace: the last of its outputs is only for its gradient's kernel, and has no gradient of its own.
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
    """Add a row. Names of inputs and of attributes have blanks between them; the label is the name in lower case."""
    if name in KERNELS:
        raise ValueError(f"kernel: {name!r} is already in the table.")
    KERNELS[name] = Kernel(name, tuple(inputs.split()), infer, tuple(attrs.split()), shares, label, workspace)


# The rules that many rows have in common.


def same(x: Handle, **attrs: Any) -> Spec:
    """The output looks like the first input."""
    return x.spec


def broadcast(a: Handle, b: Handle) -> Spec:
    """The shape both broadcast to; they have one dtype."""
    x, y = a.spec, b.spec
    if not x.shape or x.shape == y.shape:
        return y
    return spec(broadcast_shapes(x.shape, y.shape), x.dtype) if y.shape else x


def broadcast_to_bool(a: Handle, b: Handle) -> Spec:
    """A boolean for each pair."""
    return spec(broadcast_shapes(a.spec.shape, b.spec.shape), "bool")


def to_bool(x: Handle) -> Spec:
    """A boolean for each element."""
    return spec(x.spec.shape, "bool")


def reduced(x: Handle, *, axes: tuple[int, ...], keep_dims: bool) -> Spec:
    """The given axes gone, or of size 1."""
    if not keep_dims and len(axes) == len(x.spec.shape):
        return spec((), x.spec.dtype)
    return spec(reduced_shape(x.spec.shape, axes, keep_dims), x.spec.dtype)


def described(*, shape: tuple[int, ...], dtype: DType, **attrs: Any) -> Spec:
    """The spec that the attributes describe, for kernels without inputs."""
    return spec(shape, dtype)
