"""The state of a model's optimizer in files of TF.js: tensors named after the weights that they belong to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfpy.core.io.errors import ModelFileError
from tfpy.core.optimizers.state import listed, read_state, state_of
from tfpy.core.results import NamedTensor
from tfpy.core.tensor import Tensor
from tfpy.layers.saving.weight_names import weights_by_name

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel


def optimizer_weights(model: LayersModel) -> list[NamedTensor]:
    """The state of a model's optimizer, named after the weights by their names in files."""
    names: dict[str | None, str] = {weight.name: name for name, weight in weights_by_name(model).items()}
    state = state_of(model.optimizer)
    return listed((name._replace(variable=names.get(name.variable, name.variable)), tensor) for name, tensor in state)


def restore_optimizer(model: LayersModel, values: Mapping[str, Tensor], source: str) -> None:
    """Set the state of a model's optimizer.

    Args:
        model: the model.
        values: the state by name: 'iter', then a slot of every weight, then the next slot. TF.js numbers the names of
            weights anew in each page, so that if they do not match, the order is used.
        source: the name of the file in messages.

    Raises:
        ModelFileError: the state does not fit the optimizer, or the model's weights.
    """
    state = read_state("load", "weights", values)
    variables = dict.fromkeys(name.variable for name, _ in state if name.variable is not None)
    trainable = model.trainable_weights
    by_name = weights_by_name(model)
    plain = {name: by_name.get(name, by_name.get(re.sub(r"_\d+$", "", name))) for name in variables}
    if any(weight is None for weight in plain.values()) and len(variables) == len(trainable):
        plain = dict(zip(variables, trainable, strict=True))
    renamed = []
    for name, value in state:
        if name.variable is not None:
            weight = plain[name.variable]
            if weight is None or tuple(value.shape) != weight.shape:
                raise ModelFileError(f"{source}: the optimizer's weight '{name}' belongs to no weight of the model.")
            name = name._replace(variable=weight.name)
        renamed.append((name, value))
    try:
        model.optimizer.set_weights(listed(renamed))
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"{source}: the optimizer's weights do not fit it: {error}") from error
