"""The weights of a model by their names in files, and writing all of a file's weights to them or none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from tfpy.core.io.errors import ModelFileError
from tfpy.core.results import NamedTensor
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import nearest, some_of
from tfpy.layers.base import Layer
from tfpy.layers.container import Container
from tfpy.layers.naming import unique_names
from tfpy.layers.weights import LayerVariable, in_creation_order, outside

# The separator of layer names in Keras's own files.
_FOLDERS = frozenset({"vars", "layers", "layer_checkpoint_dependencies"})

# An automatic layer name: its kind, and the number of earlier ones of this kind in the process.
_AUTOMATIC = re.compile(r"([a-z]\w*_[A-Z]\w*?)(\d+)")


def load_named(model: Container, values: Mapping[str, Tensor], strict: bool, source: str) -> None:
    """Write the weights of a file to those of a model; everything is checked before anything is written.

    Args:
        model: the model.
        values: the weights by the names that TF.js, Keras 2 or Keras 3 gives them.
        strict: whether file and model must have the same weights.
        source: the name of the file in messages.

    Raises:
        ModelFileError: a weight has no counterpart (if strict), another shape or dtype, or two names for one weight.
    """
    targets = _targets(model, list(values), source)
    values = _with_names_of(targets, values)
    pairs: dict[str, tuple[LayerVariable, Tensor, str]] = {}
    unknown = []
    for name, value in values.items():
        known = next((n for n in _spellings(name) if n in targets), None)
        if known is None:
            unknown.append(name)
            continue
        if known in pairs:
            raise ModelFileError(
                f"{source}: the weights {pairs[known][2]!r} and {name!r} are both {known!r} of the model."
            )
        pairs[known] = targets[known], value, name
    if strict:
        _check_complete(targets, pairs, unknown, source)
    for weight, value, name in pairs.values():
        if tuple(value.shape) != weight.shape or value.dtype != weight.dtype:
            raise ModelFileError(
                f"{source}: weight {name!r} is {value.dtype} of shape {list(value.shape)}, but the model's is "
                f"{weight.dtype} of shape {list(weight.shape)}."
            )
    for weight, value, _ in pairs.values():
        weight.write(value)


def _targets(model: Container, names: Sequence[str], source: str) -> dict[str, LayerVariable]:
    """The weights of a model by name; for a file that numbers them, by number within their layer."""
    if not (names and names[0].rpartition("/")[2].isdigit()):
        return weights_by_name(model)
    found: dict[str, LayerVariable] = {}
    for weights in (*(layer.weights for layer in model.layers), outside(model.weights, model.layers)):
        for i, weight in enumerate(weights):
            name = f"{weight.original_name.rpartition('/')[0]}/{i}"
            if name in found:
                raise ModelFileError(
                    f"{source}: model {model.name} has two weights {name!r}; give its layers distinct names."
                )
            found[name] = weight
    return found


def weights_by_name(model: Container) -> dict[str, LayerVariable]:
    """The weights of a model by their names in files: their own names, numbered to make them unique.

    They are numbered by the positions of their layers, and within a layer in the order of their creation. A recreated
    model has the same order, whatever is frozen. A layer in several positions, such as in a model and in a nested one,
    has names for each, since a model loaded from a file has a separate layer in each position.
    """
    weights = _weights_in_graph_order(model)
    return dict(zip(unique_names(weight.original_name for weight in weights), weights, strict=True))


def named_values(model: Container, trainable_only: bool) -> list[NamedTensor]:
    """The values of the weights by their names in files, in the order of `weights`; a weight may have several names."""
    weights = model.trainable_weights if trainable_only else model.weights
    values = {id(w): value for w, value in zip(weights, model.get_weights(trainable_only), strict=True)}
    names: dict[int, list[str]] = {key: [] for key in values}
    for name, weight in weights_by_name(model).items():
        if id(weight) in names:
            names[id(weight)].append(name)
    return [NamedTensor(name, values[key]) for key, own in names.items() for name in own]


def check_weights(model: Container) -> None:
    """Reject other variables among the weights, which have no name that is the same in another process.

    Raises:
        TypeError: there is such a variable.
    """
    for weight in model.weights:
        if not isinstance(weight, LayerVariable):
            raise TypeError(
                f"save: {weight.name!r}, one of the weights of model {model.name}, is a plain variable, and "
                "has no name for a file; create it with add_weight."
            )


def _weights_in_graph_order(layer: Layer) -> list[LayerVariable]:
    """The weights of a layer; for a model, those of its layers come before its own."""
    parts = layer.layers if isinstance(layer, Container) else []
    within = [weight for part in parts for weight in _weights_in_graph_order(part)]
    return [*within, *outside(in_creation_order(layer.weights), parts)]


def _with_names_of(targets: Mapping[str, LayerVariable], values: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """The weights of a file by the names of a model with the same layers in the same order.

    The automatic layer names may have other numbers, since the count goes on with every model that is created.
    """
    own, given = _renumbered(targets), _renumbered(values)
    return {own[name]: values[given[name]] for name in given} if own.keys() == given.keys() else values


def _renumbered(names: Iterable[str]) -> dict[str, str]:
    """The names, by their forms with the layers of each kind numbered from 1."""
    paths = {name: name.split("/") for name in names}
    numbers: dict[str, set[int]] = {}
    for token in {token for path in paths.values() for token in path}:
        if found := _AUTOMATIC.fullmatch(token):
            numbers.setdefault(found[1], set()).add(int(found[2]))
    ranks = {
        f"{kind}{number}": f"{kind}{rank}"
        for kind, counted in numbers.items()
        for rank, number in enumerate(sorted(counted), 1)
    }
    return {"/".join(ranks.get(token, token) for token in path): name for name, path in paths.items()}


def _spellings(name: str) -> Iterator[str]:
    """The weights' names that a name in a file may refer to: without enclosing models, and without the layer's cell."""
    tokens = name.removesuffix(":0").split("/")
    if tokens[-1].isdigit():
        tokens = [t for t in (token.removeprefix("_") for token in tokens) if t not in _FOLDERS]
    for start in range(max(len(tokens) - 1, 1)):
        rest = tokens[start:]
        yield "/".join(rest)
        if len(rest) > 2:
            yield "/".join([*rest[:-2], rest[-1]])


def _check_complete(
    targets: Mapping[str, LayerVariable], found: Collection[str], unknown: Sequence[str], source: str
) -> None:
    missing = [name for name in targets if name not in found]
    if not missing and not unknown:
        return
    faults = []
    if unknown:
        hint = nearest(unknown[0], missing) if len(unknown) == 1 else ""
        faults.append(f"it has weights that the model has not: {some_of([*map(repr, unknown)])}.{hint}")
    if missing:
        faults.append(f"it lacks weights that the model has: {some_of([*map(repr, missing)])}.")
    raise ModelFileError(f"{source}: {' '.join(faults)} With strict=False they are ignored.")
