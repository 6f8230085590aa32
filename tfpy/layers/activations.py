"""Activations by name: those of TF.js, and others that it lacks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from tfpy.core.naming.names import spellings
from tfpy.core.ops.common import as_float
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error, show, unknown_name_error
from tfpy.layers.config import build_object, config_value, is_object_config
from tfpy.layers.plan_validity import Versioned
from tfpy.layers.registry import class_of, names_of_classes

ActivationLike: TypeAlias = "str | dict[str, Any] | Activation | Callable[[Tensor], Tensor] | None"
# An option of this kind: an ActivationLike, converted to an Activation by the constructor.
ActivationOption: TypeAlias = Any


class Activation(Versioned):
    """A function of a tensor, with its name in configurations.

    Source: TF.js's `Activation`.
    """

    def __init__(self, name: str, function: Callable[..., Tensor]) -> None:
        self.name = name
        self.function = function

    def __call__(self, x: Tensor) -> Tensor:
        y = self.function(x)
        if not isinstance(y, Tensor):
            raise TypeError(f"activation {self.name}: must return a tensor, but returned {show(y)}.")
        return y

    def apply(self, x: Tensor) -> Tensor:
        """The result of the function."""
        return self(x)

    def serialized(self) -> str:
        """The value in a configuration: the name."""
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        known = self.function in FUNCTIONS.values()
        return (get_activation, (self.name,)) if known else (Activation, (self.name, self.function))

    def __repr__(self) -> str:
        return f"Activation({self.name!r})"


class LayerActivation(Activation):
    """A layer without weights used as an activation, like `activation=ReLU(max_value=6)` in Keras.

    Source: TF.js `getActivation`, which finds classes of layers, too.
    """

    def __init__(self, layer: Any) -> None:
        super().__init__(layer.get_class_name(), layer.call)
        self.layer = layer

    def serialized(self) -> Any:
        """The value in a configuration: the layer's configuration."""
        return {"class_name": self.name, "config": self.layer.get_config()}

    def __reduce__(self) -> tuple[Any, ...]:
        return LayerActivation, (self.layer,)


# √(2/π), with each step computed in float32, as in TF.js.
_ROOT = float(np.sqrt(np.float32(2) / np.float32(math.pi)))


def _gelu(x: Tensor) -> Tensor:
    """0.5 · x · (1 + erf(x / √2)) (Hendrycks and Gimpel 2016)."""
    return x.mul(x.div(math.sqrt(2)).erf().add(1)).mul(0.5)


def _gelu_new(x: Tensor) -> Tensor:
    """0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))."""
    inner = x.pow(3).mul(0.044715).add(x).mul(_ROOT)
    return x.mul(inner.tanh().add(1)).mul(0.5)


def _hard_sigmoid(x: Tensor) -> Tensor:
    """0.2 · x + 0.5, clipped to [0, 1]."""
    return x.mul(0.2).add(0.5).clip_by_value(0, 1)


def _hard_sigmoid6(x: Tensor) -> Tensor:
    """relu6(x + 3) / 6, which Keras 3 calls hard_sigmoid."""
    return x.add(3).relu6().div(6)


def _hard_silu(x: Tensor) -> Tensor:
    """x · relu6(x + 3) / 6 (Howard et al. 2019, "Searching for MobileNetV3")."""
    return x.mul(x.add(3).relu6()).div(6)


def _linear(x: Tensor) -> Tensor:
    """x itself."""
    return x


def _mish(x: Tensor) -> Tensor:
    """x · tanh(softplus(x)) (Misra 2019)."""
    return x.mul(x.softplus().tanh())


def _silu(x: Tensor) -> Tensor:
    """x · sigmoid(x)."""
    return as_float(x).sigmoid().mul(x)


def _softsign(x: Tensor) -> Tensor:
    """x / (|x| + 1)."""
    return x.div(x.abs().add(1))


# Ops are wrapped, so that an op passed as a function is not mistaken for the activation of that name.
FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "elu": lambda x: x.elu(),
    "exponential": lambda x: x.exp(),
    "gelu": _gelu,
    "gelu_new": _gelu_new,
    "hard_sigmoid": _hard_sigmoid,
    "hard_sigmoid6": _hard_sigmoid6,
    "hard_silu": _hard_silu,
    "hard_swish": _hard_silu,
    "leaky_relu": lambda x: x.leaky_relu(),
    "linear": _linear,
    "log_softmax": lambda x: x.log_softmax(),
    "mish": _mish,
    "relu": lambda x: x.relu(),
    "relu6": lambda x: as_float(x).relu6(),
    "selu": lambda x: x.selu(),
    "sigmoid": lambda x: x.sigmoid(),
    "silu": _silu,
    "softmax": lambda x: x.softmax(),
    "softplus": lambda x: x.softplus(),
    "softsign": _softsign,
    "swish": _silu,
    "tanh": lambda x: x.tanh(),
}

# TF.js's own spelling, used by configurations in memory: camelCase, with one exception.
_SPELT = {name: spelling for spelling, name in spellings(FUNCTIONS).items() if spelling != name} | {
    "gelu_new": "gelu_new"
}
_KNOWN = {
    spelling: Activation(_SPELT.get(name, name), f) for name, f in FUNCTIONS.items() for spelling in spellings([name])
}


def get_activation(identifier: Any) -> Activation | None:
    """The activation for a name, a configuration, a function, or a layer such as ReLU; None for None."""
    if identifier is None or isinstance(identifier, Activation):
        return identifier
    if is_object_config(identifier):
        if is_activation(class_of(config_value(identifier, "class_name"))):
            return LayerActivation(build_object(identifier, "activation", object))
        identifier = _name_of(identifier)
    if is_activation(type(identifier)):
        return LayerActivation(identifier)
    if isinstance(identifier, str):
        found = class_of(identifier)
        if is_activation(found):
            return LayerActivation(found())
        if identifier not in _KNOWN:
            raise _unknown(identifier)
        return _KNOWN[identifier]
    if callable(identifier):
        return Activation(getattr(identifier, "__name__", "custom"), identifier)
    raise argument_error("activation", "identifier", "a name or a function", identifier, TypeError)


def is_activation(cls: Any) -> TypeGuard[Callable[[], Any]]:
    """Whether instances of a layer class can be used as activations."""
    return getattr(cls, "is_activation", False)


def names_of_layers() -> list[str]:
    """The names of the layers that can be used as activations."""
    return names_of_classes(is_activation)


def _unknown(name: str) -> ValueError:
    layers = names_of_layers()
    error = unknown_name_error("activation", name, [*_KNOWN, *layers], FUNCTIONS)
    error.add_note(
        f"An activation may also be a function of a tensor, or a layer: {', '.join(layers)}. "
        "The reference has all names on its page Names."
    )
    return error


def name_of(activation: Activation) -> str | None:
    """The snake_case name of a built-in activation; None for a user-defined function, whatever its name."""
    return next((name for name, function in FUNCTIONS.items() if function is activation.function), None)


def _name_of(config: Any) -> Any:
    name = config_value(config, "class_name")
    return name[:1].lower() + name[1:] if isinstance(name, str) else name
