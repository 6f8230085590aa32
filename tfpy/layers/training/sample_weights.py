"""Sample weights and class weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.core.convert import to_tensor
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, as_number
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.layers.training.per_output import by_output


def class_weights(where: str, given: Any, names: Sequence[str], targets: Sequence[Tensor]) -> list[Tensor | None]:
    """For each output, the weight of each sample by its class; None for equal weights."""
    classes = [None] * len(names) if given is None else _weights_per_output(where, given, names)
    return [
        None if own is None else _weights_of_samples(where, own, target)
        for own, target in zip(classes, targets, strict=True)
    ]


def sample_weights(where: str, given: Any, names: Sequence[str], count: int) -> list[Tensor | None]:
    """The samples' weights for each output, given in a dict by output, in a list, or for all outputs."""
    if isinstance(given, Mapping):
        return [_weights_for(where, own, count) for own in by_output(where, "sample_weight", given, names)]
    if isinstance(given, (list, tuple)) and any(own is None or _is_list(own) for own in given):
        if len(given) != len(names):
            expected = f"a number for each sample{_each(names)}"
            raise argument_error(where, "sample_weight", expected, Unquoted(f"{len(given)} lists"))
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
        found = by_output(where, "class_weight", weights, names)
        for name, own in zip(names, found, strict=True):
            if own is not None and not isinstance(own, Mapping):
                raise argument_error(where, f"class_weight[{name!r}]", "a dict of weights by class", own, TypeError)
        return found
    if len(names) == 1:
        return [weights]
    raise argument_error(where, "class_weight", f"a dict by output ({', '.join(names)})", weights)


def _each(names: Sequence[str]) -> str:
    return "" if len(names) == 1 else f", in a list of {len(names)}, one for each output"


def _class(where: str, key: Any) -> int:
    """The class that a key stands for; keys of a JavaScript object are strings."""
    try:
        return as_int(where, "class_weight", int(key) if str(key).isdigit() else key)
    except (TypeError, ValueError):
        expected = "a dict whose keys are classes, which are whole numbers"
        raise argument_error(where, "class_weight", expected, Unquoted(f"the key {key!r}"), TypeError) from None


def _weights_of_samples(where: str, weights: Mapping[Any, float], target: Tensor) -> Tensor:
    values = target.numpy()
    if values.ndim > 2:
        raise argument_error(where, "class_weight", "used with targets of rank 1 or 2", target)
    classes = (values.argmax(1) if values.shape[1] > 1 else values[:, 0]).tolist()
    table = {_class(where, key): as_number(where, "class_weight", weight) for key, weight in weights.items()}
    missing = sorted(set(classes) - set(table))
    if missing:
        also = ", ".join(f"{c:g}" for c in missing)
        raise argument_error(where, "class_weight", f"a weight for every class, also for {also}", weights)
    return to_tensor(where, "class_weight", np.array([table[c] for c in classes], dtype=np.float32))
