"""Converts the data passed to `fit` and related methods to lists of tensors, one per input or output of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.core.convert import to_tensor
from tfpy.core.ops.shape import expand_dims
from tfpy.core.tensor import Tensor
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Spec
from tfpy.layers.shapes import shapes_agree
from tfpy.layers.symbolic import PartialShape


def standardize(
    where: str,
    argument: str,
    data: Any,
    names: Sequence[str],
    shapes: Sequence[PartialShape | None],
    dtypes: Sequence[DType] | None = None,
) -> list[Tensor]:
    """Data as a list of tensors in the order of the names, checked against shapes (batch sizes are not).

    Args:
        where: the method, for messages.
        argument: its argument, for messages.
        data: a tensor or array, a list of as many as there are names, or a dict by name.
        names: the names of the model's inputs or outputs.
        shapes: their shapes; None where any shape is valid.
        dtypes: the dtypes that non-tensors are converted to; by default their own.

    Raises:
        ValueError: the wrong number of tensors, a missing name (extra ones are ignored), or a shape that does not fit.
    """
    if len(names) == 1 and isinstance(data, (Tensor, np.ndarray)):
        if not isinstance(data, Tensor):
            data = to_tensor(where, argument, data, dtypes[0] if dtypes else "numeric")
        if _is_ready(data.spec, shapes[0]):
            return [data]
    values = _in_order(where, argument, data, names)
    kinds: list[Any] = ["numeric"] * len(names) if dtypes is None else list(dtypes)
    given = [
        to_tensor(where, argument, value, "numeric" if isinstance(value, Handle) else kind)
        for value, kind in zip(values, kinds, strict=True)
    ]
    tensors = [_at_least_a_matrix(tensor) for tensor in given]
    for name, tensor, shape, found in zip(names, tensors, shapes, given, strict=True):
        if shape is not None and not shapes_agree((None, *shape[1:]), tensor.shape):
            expected = f"of shape {described(shape)} for '{name}'"
            if shapes_agree(shape[1:], found.shape):
                expected += " (a sample gets a batch axis by x[None], those of a data set by dataset.batch(n))"
            elif shapes_agree((None, *shape[1:]), (*found.shape, 1)):
                expected += f" (an axis of size 1 at the end comes by {argument}[..., None])"
            raise argument_error(where, argument, expected, found)
    return tensors


def check_indices(where: str, argument: str, tensors: Sequence[Tensor], counts: Sequence[int | None]) -> None:
    """Raise for indices out of range, as far as the host has their values: GPU shaders do not check.

    Args:
        where: the method, for messages.
        argument: its argument, for messages.
        tensors: the inputs of a model.
        counts: for each, the number of entries that its indices refer to; None if it holds no indices.
    """
    for tensor, count in zip(tensors, counts, strict=False):
        if count is None or tensor.backend is None:
            continue
        values = tensor.backend.host_copy(tensor.payload)
        if values is not None and values.size and not -1 < values.min() <= values.max() < count:
            wrong = values[~((values > -1) & (values < count))].flat[0]
            expected = f"indices from 0 to {count - 1}, for an embedding"
            raise argument_error(where, argument, expected, Unquoted(f"{wrong:.15g}"))


def _is_ready(spec: Spec, shape: PartialShape | None) -> bool:
    """Whether a tensor of that spec certainly fits unchanged, as in nearly every step and prediction."""
    return shape is not None and spec.dtype != "string" and len(shape) > 1 and spec.shape[1:] == shape[1:]


def described(shape: PartialShape) -> str:
    """A shape formatted for messages, with 'batch' for the batch size."""
    return "[" + ", ".join(["batch", *("any" if n is None else str(n) for n in shape[1:])]) + "]"


def _in_order(where: str, argument: str, data: Any, names: Sequence[str]) -> list[Any]:
    if data is None:
        raise argument_error(where, argument, f"data for {', '.join(names)}", None)
    if isinstance(data, Mapping) and not hasattr(data, "__array__"):
        for name in names:
            if data.get(name) is None:
                expected = f"a dict with data for {', '.join(names)}"
                if len(names) == 1 and len(data) > 1:
                    expected += " (the columns of a table become one array, as by the map of a data set)"
                raise argument_error(where, argument, expected, list(data))
        return [data[name] for name in names]
    if len(names) == 1 and not _is_list_of_tensors(data):
        return [data]
    if not isinstance(data, (list, tuple)) or len(data) != len(names):
        found = Unquoted(f"{len(data)} of them") if isinstance(data, (list, tuple)) else data
        expected = f"a list of {len(names)} tensors ({', '.join(names)})"
        if len(names) == 1 and isinstance(data, (list, tuple)):
            expected += "; tf.stack makes one tensor of those of single samples"
        raise argument_error(where, argument, expected, found)
    return list(data)


def _is_list_of_tensors(data: Any) -> bool:
    """Whether a list holds a tensor for each input, instead of the numbers of one tensor."""
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and (isinstance(data[0], Handle) or (isinstance(data[0], np.ndarray) and data[0].ndim > 1 and len(data) == 1))
    )


def _at_least_a_matrix(tensor: Tensor) -> Tensor:
    return expand_dims(tensor, 1) if tensor.rank == 1 else tensor


def check_lengths(where: str, inputs: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
    """Check that all inputs and targets have the same number of samples, at least one."""
    counts = {t.shape[0] for t in (*inputs, *targets)}
    if len(counts) > 1:
        found = Unquoted(f"x {[list(t.shape) for t in inputs]}, y {[list(t.shape) for t in targets]}")
        raise argument_error(where, "y", "of the same number of samples as x", found)
    if counts == {0}:
        raise argument_error(where, "x", "of at least one sample", inputs[0])
