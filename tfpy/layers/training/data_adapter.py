"""From what users pass to `fit` and its kin to lists of tensors, one for each input or output of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.core.convert import to_tensor
from tfpy.core.ops.shape import expand_dims
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, as_number
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import Words, argument_error, show
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Spec
from tfpy.engine.warn import warn_user
from tfpy.layers.shapes import shapes_agree
from tfpy.layers.symbolic import PartialShape, to_list
from tfpy.layers.training import losses
from tfpy.layers.training.losses import Loss
from tfpy.layers.training.per_output import by_output


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
        shapes: their shapes; None where anything will do.
        dtypes: what numbers become that are no tensors; by default what they are.

    Raises:
        ValueError: another number of tensors, a name that is missing (others are passed over), or a shape that does not
            fit.
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
            expected = f"of shape {_described(shape)} for '{name}'"
            if shapes_agree(shape[1:], found.shape):
                expected += " (a sample gets a batch axis by x[None], those of a data set by dataset.batch(n))"
            elif shapes_agree((None, *shape[1:]), (*found.shape, 1)):
                expected += f" (an axis of size 1 at the end comes by {argument}[..., None])"
            raise argument_error(where, argument, expected, found)
    return tensors


def check_indices(where: str, argument: str, tensors: Sequence[Tensor], counts: Sequence[int | None]) -> None:
    """Indices into so many things must be in range, as far as the host knows them: the shaders of a GPU do not look.

    Args:
        where: the method, for messages.
        argument: its argument, for messages.
        tensors: the inputs of a model.
        counts: for each how many things its indices may point to; None for what is no indices.
    """
    for tensor, count in zip(tensors, counts, strict=False):
        if count is None or tensor.backend is None:
            continue
        values = tensor.backend.known(tensor.payload)
        if values is not None and values.size and not -1 < values.min() <= values.max() < count:
            wrong = values[~((values > -1) & (values < count))].flat[0]
            expected = f"indices from 0 to {count - 1}, for an embedding"
            raise argument_error(where, argument, expected, Words(f"{wrong:.15g}"))


def _is_ready(spec: Spec, shape: PartialShape | None) -> bool:
    """Whether a tensor of that spec is sure to fit as it is: what nearly every step and prediction gets."""
    return shape is not None and spec.dtype != "string" and len(shape) > 1 and spec.shape[1:] == shape[1:]


def _described(shape: PartialShape) -> str:
    return "[" + ", ".join(["batch", *("any" if n is None else str(n) for n in shape[1:])]) + "]"


def _in_order(where: str, argument: str, data: Any, names: Sequence[str]) -> list[Any]:
    if data is None:
        raise argument_error(where, argument, f"data for {', '.join(names)}", None)
    if isinstance(data, Mapping) and not hasattr(data, "__array__"):
        for name in names:
            if data.get(name) is None:
                raise argument_error(where, argument, f"a dict with data for {', '.join(names)}", list(data))
        return [data[name] for name in names]
    if len(names) == 1 and not _is_list_of_tensors(data):
        return [data]
    if not isinstance(data, (list, tuple)) or len(data) != len(names):
        found = Words(f"{len(data)} of them") if isinstance(data, (list, tuple)) else data
        expected = f"a list of {len(names)} tensors ({', '.join(names)})"
        if len(names) == 1 and isinstance(data, (list, tuple)):
            expected += "; tf.stack makes one tensor of those of single samples"
        raise argument_error(where, argument, expected, found)
    return list(data)


def _is_list_of_tensors(data: Any) -> bool:
    """Whether a list holds a tensor for each input, and not the numbers of one tensor."""
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and (isinstance(data[0], Handle) or (isinstance(data[0], np.ndarray) and data[0].ndim > 1 and len(data) == 1))
    )


def _at_least_a_matrix(tensor: Tensor) -> Tensor:
    return expand_dims(tensor, 1) if tensor.rank == 1 else tensor


def standardize_targets(
    where: str,
    y: Any,
    names: Sequence[str],
    functions: Sequence[Loss | None],
    shapes: Sequence[PartialShape],
    from_dataset: bool = False,
) -> list[Tensor]:
    """Targets as tensors in the order of the outputs' names, and of their shapes.

    Where `check_targets` says no more, that is; and in a data set, as in TF.js, those of a loss of one's own may have
    any shape. Class indices of a sequence, [batch, steps], become [batch, steps, 1].
    """
    own = [from_dataset and function not in losses.KNOWN for function in functions]
    wanted = [
        None if free or function in losses.SPARSE else shape
        for free, function, shape in zip(own, functions, shapes, strict=True)
    ]
    try:
        found = standardize(where, "y", y, names, wanted)
    except ValueError as error:
        _refuse_classes(where, y, functions[0])  # which says more
        raise error
    return [
        expand_dims(target, -1) if _are_bare_classes(target, function, shape) else target
        for target, function, shape in zip(found, functions, shapes, strict=True)
    ]


def _are_bare_classes(target: Tensor, function: Loss | None, shape: PartialShape) -> bool:
    sparse = function in losses.SPARSE
    return sparse and shapes_agree((None, *shape[1:-1]), target.shape)


def check_lengths(where: str, inputs: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
    """All inputs and targets must have as many samples, and at least one."""
    counts = {t.shape[0] for t in (*inputs, *targets)}
    if len(counts) > 1:
        found = Words(f"x {[list(t.shape) for t in inputs]}, y {[list(t.shape) for t in targets]}")
        raise argument_error(where, "y", "of as many samples as x", found)
    if counts == {0}:
        raise argument_error(where, "x", "of at least one sample", inputs[0])


def check_targets(
    where: str, targets: Sequence[Tensor], functions: Sequence[Loss | None], shapes: Sequence[PartialShape]
) -> None:
    """Targets must be what their loss takes: class indices or not, and no NaN."""
    for target, function, shape in zip(targets, functions, shapes, strict=True):
        if function in losses.KNOWN and target.dtype == "float32":
            _refuse_gaps(where, target)
        if function in losses.SPARSE:
            _check_classes(where, target, shape)
        _refuse_classes(where, target, function)


def _refuse_gaps(where: str, target: Tensor) -> None:
    values = target.numpy()
    if np.isnan(np.vdot(values, values)):  # NaN if one of them is, and only then
        found = Words(f"missing values (NaN), first in row {np.argwhere(np.isnan(values))[0][0]}")
        raise argument_error(where, "y", "numbers; a loss of one's own may allow NaN", found)


def _refuse_classes(where: str, target: Any, function: Loss | None) -> None:
    """Say what to do with class indices under the loss for one-hot labels."""
    if function not in losses.CATEGORICAL:
        return
    listed = isinstance(target, (list, tuple)) and all(isinstance(value, int) for value in target)
    shape = (len(target),) if listed else tuple(getattr(target, "shape", ()))
    if len(shape) == 1 or shape[-1:] == (1,):
        expected = "one-hot for categoricalCrossentropy (class indices go with sparseCategoricalCrossentropy)"
        raise argument_error(where, "y", expected, target)


def _check_classes(where: str, target: Tensor, shape: PartialShape) -> None:
    """Targets that are class indices. One below 0 counts for no class, and fractions are cut off, as in TF.js."""
    if not shapes_agree((None, *shape[1:-1], 1), target.shape):
        wanted = _described((*shape[:-1], 1))
        expected = f"class indices of shape {wanted}; one-hot labels go with categoricalCrossentropy"
        raise argument_error(where, "y", expected, target)
    classes, given = shape[-1], target.numpy()
    values = np.floor(given)
    if not np.array_equal(values, given):
        found = given[values != given][0].item()
        warn_user(
            f"{where}: class indices are whole numbers, but 'y' has {show(found)}. They are rounded down, as in TF.js."
        )
    if classes is not None and values.size and values.max() >= classes:
        raise argument_error(where, "y", f"class indices from 0 to {classes - 1}", values.max().item())


def class_weights(where: str, given: Any, names: Sequence[str], targets: Sequence[Tensor]) -> list[Tensor | None]:
    """For each output how much each sample counts by its class; None where all count alike."""
    classes = [None] * len(names) if given is None else _weights_per_output(where, given, names)
    return [
        None if own is None else _weights_of_samples(where, own, target)
        for own, target in zip(classes, targets, strict=True)
    ]


def sample_weights(where: str, given: Any, names: Sequence[str], count: int) -> list[Tensor | None]:
    """For each output how much each sample counts by itself: from a dict by output, a list, or what is for all."""
    if isinstance(given, Mapping):
        return [_weights_for(where, own, count) for own in by_output("sample_weight", given, names)]
    if isinstance(given, (list, tuple)) and any(own is None or _is_list(own) for own in given):
        if len(given) != len(names):
            expected = f"a number for each sample{_each(names)}"
            raise argument_error(where, "sample_weight", expected, Words(f"{len(given)} lists"))
        return [_weights_for(where, own, count) for own in given]
    return [_weights_for(where, given, count)] * len(names)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or bool(getattr(value, "shape", ()))


def _weights_for(where: str, given: Any, count: int) -> Tensor | None:
    if given is None:
        return None
    weights = to_tensor(where, "sample_weight", given)
    if weights.shape != (count,):
        raise argument_error(where, "sample_weight", f"of shape [{count}], a number for each sample", weights)
    return weights


def _weights_per_output(where: str, weights: Any, names: Sequence[str]) -> list[Mapping[int, float] | None]:
    if isinstance(weights, (list, tuple)):
        if len(weights) != len(names) or not all(own is None or isinstance(own, Mapping) for own in weights):
            raise argument_error(
                where, "class_weight", f"a dict of weights by class, as {{0: 1, 1: 2}}{_each(names)}", weights
            )
        return list(weights)
    if not isinstance(weights, Mapping):
        raise argument_error(where, "class_weight", "a dict of weights by class", weights, TypeError)
    if any(isinstance(value, Mapping) for value in weights.values()):
        found = by_output("class_weight", weights, names)
        for name, own in zip(names, found, strict=True):
            if own is not None and not isinstance(own, Mapping):
                raise argument_error(where, f"class_weight[{name!r}]", "a dict of weights by class", own, TypeError)
        return found
    if len(names) == 1:
        return [weights]
    raise argument_error(where, "class_weight", f"a dict by output ({', '.join(names)})", weights)


def _each(names: Sequence[str]) -> str:
    return "" if len(names) == 1 else f", in a list of {len(names)}, one for each output"


def _weights_of_samples(where: str, weights: Mapping[Any, float], target: Tensor) -> Tensor:
    values = target.numpy()
    if values.ndim > 2:
        raise argument_error(where, "class_weight", "used with targets of rank 1 or 2", target)
    classes = (values.argmax(1) if values.shape[1] > 1 else values[:, 0]).tolist()
    table = {
        # Keys of a JavaScript object are strings.
        as_int(where, "class_weight", int(key) if str(key).isdigit() else key): as_number(where, "class_weight", weight)
        for key, weight in weights.items()
    }
    missing = sorted(set(classes) - set(table))
    if missing:
        also = ", ".join(f"{c:g}" for c in missing)
        raise argument_error(where, "class_weight", f"a weight for every class, also for {also}", weights)
    return to_tensor(where, "class_weight", np.array([table[c] for c in classes], dtype=np.float32))


def validation(data: Any) -> tuple[Any, Any, Any]:
    """x, y and the weights of the samples, which may be None, of validation data."""
    parts = to_list(data)
    if len(parts) not in (2, 3):
        raise argument_error(
            "fit",
            "validation_data",
            "(x, y), or (x, y, sample_weight)",
            Words(f"{len(parts)} things") if isinstance(data, (list, tuple)) else data,
        )
    return parts[0], parts[1], parts[2] if len(parts) == 3 else None


def parts_of(where: str, element: Any) -> tuple[Any, Any, Any]:
    """The inputs, the labels and the weights, which may be None, of an element of a data set."""
    if isinstance(element, (tuple, list)) and len(element) in (2, 3):
        return element[0], element[1], element[2] if len(element) == 3 else None
    if isinstance(element, Mapping) and element.get("xs") is not None and element.get("ys") is not None:
        return element["xs"], element["ys"], None
    expected = "made of batches {'xs': inputs, 'ys': labels} or (inputs, labels)"
    raise argument_error(where, "dataset", expected, element)
