"""Targets: the labels of samples as tensors, checked against the outputs and their losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.core.ops.shape import expand_dims
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import Unquoted, argument_error, show
from tfpy.engine.warn import warn_user
from tfpy.layers.shapes import shapes_agree
from tfpy.layers.symbolic import PartialShape
from tfpy.layers.training import losses
from tfpy.layers.training.data_adapter import described, standardize
from tfpy.layers.training.losses import Loss


def standardize_targets(
    where: str,
    y: Any,
    names: Sequence[str],
    functions: Sequence[Loss | None],
    shapes: Sequence[PartialShape],
    from_dataset: bool,
) -> list[Tensor]:
    """Targets as tensors in the order of the outputs' names, checked against the outputs' shapes.

    Two kinds may have any shape here: class indices, which `check_targets` checks, and, as in TF.js, the targets in a
    data set for a custom loss. Class indices of a sequence, [batch, steps], become [batch, steps, 1].
    """
    wanted = [
        None if function in losses.SPARSE or (from_dataset and function not in losses.KNOWN) else shape
        for function, shape in zip(functions, shapes, strict=True)
    ]
    try:
        found = standardize(where, "y", y, names, wanted)
    except ValueError:
        _refuse_classes(where, y, functions[0])  # whose message is more specific
        raise
    return [
        expand_dims(target, -1) if _are_bare_classes(target, function, shape) else target
        for target, function, shape in zip(found, functions, shapes, strict=True)
    ]


def _are_bare_classes(target: Tensor, function: Loss | None, shape: PartialShape) -> bool:
    """Whether a target holds class indices without the last axis of size 1."""
    return function in losses.SPARSE and shapes_agree((None, *shape[1:-1]), target.shape)


def check_targets(
    where: str, targets: Sequence[Tensor], functions: Sequence[Loss | None], shapes: Sequence[PartialShape]
) -> None:
    """Check that targets are what their loss expects: class indices or not, and no NaN."""
    for target, function, shape in zip(targets, functions, shapes, strict=True):
        if function in losses.KNOWN and target.dtype == "float32":
            _refuse_nan(where, target)
        if function in losses.SPARSE:
            _check_classes(where, target, shape)
        _refuse_classes(where, target, function)


def _refuse_nan(where: str, target: Tensor) -> None:
    values = target.numpy()
    if np.isnan(np.vdot(values, values)):  # NaN exactly if one of them is
        found = Unquoted(f"missing values (NaN), first in row {np.argwhere(np.isnan(values))[0][0]}")
        raise argument_error(where, "y", "numbers; a user-defined loss may allow NaN", found)


def _refuse_classes(where: str, target: Any, function: Loss | None) -> None:
    """Raise if a target holds class indices and its loss takes one-hot labels."""
    if function not in losses.CATEGORICAL:
        return
    listed = isinstance(target, (list, tuple)) and all(isinstance(value, int) for value in target)
    shape = (len(target),) if listed else tuple(getattr(target, "shape", ()))
    if len(shape) == 1 or shape[-1:] == (1,):
        expected = "one-hot for categoricalCrossentropy (class indices go with sparseCategoricalCrossentropy)"
        raise argument_error(where, "y", expected, target)


def _check_classes(where: str, target: Tensor, shape: PartialShape) -> None:
    """Targets as class indices. Negative ones match no class, and fractions are rounded down, as in TF.js."""
    if not shapes_agree((None, *shape[1:-1], 1), target.shape):
        wanted = described((*shape[:-1], 1))
        expected = f"class indices of shape {wanted}; one-hot labels go with categoricalCrossentropy"
        raise argument_error(where, "y", expected, target)
    classes, values = shape[-1], target.numpy()
    whole = np.floor(values) if values.dtype.kind == "f" else values
    if whole is not values and not np.array_equal(whole, values):
        found = values[whole != values][0].item()
        warn_user(
            f"{where}: class indices are whole numbers, but 'y' has {show(found)}. They are rounded down, as in TF.js."
        )
    if classes is not None and whole.size and whole.max() >= classes:
        raise argument_error(where, "y", f"class indices from 0 to {classes - 1}", whole.max().item())
