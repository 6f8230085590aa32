"""A description, line by line, of everything that must be the same in the processes that train a model together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tfpy.layers.base import Layer
from tfpy.layers.container import Container
from tfpy.layers.trainable_model import TrainableModel
from tfpy.layers.training.training_state import compiled_of

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer

# In each step, the learning rate is that of the first process.
_RATES = ("learning_rate", "learningRate")
# Options that may differ: names are numbered in each process, initial weights are broadcast, and each process draws its
# own noise.
_FREE = ("name", "seed")
_INITIALIZER = "_initializer"


def settings(optimizer: Optimizer) -> str:
    """The configuration of an optimizer without its learning rate."""
    return _shown({name: value for name, value in _config_of(optimizer).items() if name not in _RATES})


def fingerprint(model: TrainableModel, optimizer: Optimizer) -> Iterator[str]:
    """The description of a compiled model, line by line."""
    yield f"a model with {type(optimizer).__name__}"
    yield f"an optimizer with {settings(optimizer)}"
    for number, output in enumerate(compiled_of(model, "distribute").outputs):
        loss, metrics = _name_of(output.loss), [_name_of(metric) for _, metric in output.metrics]
        times = "" if output.weight == 1 else f" times {output.weight:g}"
        yield f"output {number}: loss {loss}{times}, metrics {metrics}"
    yield from _layers(model)
    for number, weight in enumerate(model.weights):
        kind = "" if weight.trainable else ", not trained"
        yield f"weight {number}: {weight.dtype} {list(weight.shape)}{kind}"


def _layers(container: Container, within: str = "") -> Iterator[str]:
    """The layers, with a line for each of their options."""
    yield f"masks by the rules of {container.mask_rules.owner}"
    for number, layer in enumerate(container.layers):
        what = f"layer {within}{number}: {type(layer).__name__}"
        yield what
        if isinstance(layer, Container):
            yield from _layers(layer, f"{within}{number}.")
        else:
            yield from (f"{what} with {name}={value}" for name, value in _options(layer))


def _options(layer: Layer) -> Iterator[tuple[str, str]]:
    for name, value in _config_of(layer).items():
        if _must_agree(str(name)):
            yield str(name), _shown(value)


def _config_of(thing: Layer | Optimizer) -> Mapping[str, Any]:
    """The configuration of a layer or an optimizer; empty for user-defined ones that have none."""
    try:
        found: Any = thing.get_config()
    except Exception:
        return {}
    return found if isinstance(found, Mapping) else {}


def _must_agree(name: str) -> bool:
    return name not in _FREE and not name.endswith(_INITIALIZER)


def _shown(value: Any) -> str:
    """A value of a configuration as text; objects are represented by their names."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_shown(v)}" for key, v in value.items() if _must_agree(str(key)))
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    return repr(value) if value is None or isinstance(value, (int, float, str)) else _name_of(value)


def _name_of(thing: object) -> str:
    return str(getattr(thing, "__name__", type(thing).__name__))
