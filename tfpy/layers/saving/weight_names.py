"""Which weight of a file is which of a model, and writing them all or none."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tfpy.core.io.faults import ModelFileError
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import nearest
from tfpy.layers.weights import LayerVariable

if TYPE_CHECKING:
    from tfpy.layers.container import Container

# What Keras's own files put between the names of layers.
_FOLDERS = frozenset({"vars", "layers", "layer_checkpoint_dependencies"})


def load_named(model: Container, values: Mapping[str, Tensor], strict: bool, source: str) -> None:
    """Write the weights of a file to those of a model; everything is checked before anything is written.

    Args:
        model: the model.
        values: the weights by the names that TF.js, Keras 2 or Keras 3 gives them.
        strict: whether each weight of either must be among those of the other.
        source: what messages call the file.

    Raises:
        ModelFileError: a weight without its like (if strict), of another shape or dtype, or two that mean the same.
    """
    targets = _targets(model, list(values))
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
                f"{source}: weight {name!r} is {value.dtype} of shape {list(value.shape)}, but that of the model is "
                f"{weight.dtype} of shape {list(weight.shape)}."
            )
    for weight, value, _ in pairs.values():
        weight.write(value)


def _targets(model: Container, names: Sequence[str]) -> dict[str, LayerVariable]:
    """The weights of a model by name; by number within their layer for a file that counts them."""
    counted = bool(names) and names[0].rpartition("/")[2].isdigit()
    found: dict[str, LayerVariable] = {}
    for layer in model.layers:
        for i, weight in enumerate(layer.weights):
            name = f"{weight.original_name.rpartition('/')[0]}/{i}" if counted else weight.original_name
            if name in found:
                raise ModelFileError(f"model {model.name} has two weights {name!r}; give its layers distinct names.")
            found[name] = weight
    return found


def _spellings(name: str) -> Iterator[str]:
    """A weight's name and what it may stand for: without the models around it, and without the cell of its layer."""
    tokens = name.removesuffix(":0").split("/")
    tokens = (
        [t for t in (token.removeprefix("_") for token in tokens) if t not in _FOLDERS]
        if tokens[-1].isdigit()
        else tokens
    )
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
        faults.append(f"it has weights that the model has not: {_some(unknown)}.{hint}")
    if missing:
        faults.append(f"it lacks weights that the model has: {_some(missing)}.")
    raise ModelFileError(f"{source}: {' '.join(faults)} With strict=False they are left out.")


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
