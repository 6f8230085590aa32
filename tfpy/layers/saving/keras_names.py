"""Keras's names of classes, options and losses that differ from ours. The tables are used for writing and reading.

Files of TF.js also have some of these names.
"""

from __future__ import annotations

from collections.abc import Mapping


def swapped(names: Mapping[str, str]) -> dict[str, str]:
    """A table of names with keys and values swapped."""
    return {theirs: ours for ours, theirs in names.items()}


_RENAMED = {"LeCunNormal": "LecunNormal", "LeCunUniform": "LecunUniform", "RMSProp": "RMSprop"}

KERAS_CLASSES = {"Model": "Functional", **_RENAMED}
"""Keras's names of classes."""

CLASS_ALIASES = {
    **swapped(_RENAMED),
    "BatchNormalizationV1": "BatchNormalization",
    "BatchNormalizationV2": "BatchNormalization",
}
"""The names here of classes that have, or had, another name in Keras."""

KERAS3_OPTIONS = {
    "InputLayer": {"batch_input_shape": "batch_shape"},
    "LeakyReLU": {"alpha": "negative_slope"},
}
"""The names in Keras 3 of options of layers, by class."""

KERAS_OPTIMIZER_OPTIONS = {
    "beta1": "beta_1",
    "beta2": "beta_2",
    "use_nesterov": "nesterov",
    "clip_value": "clipvalue",
    "clip_norm": "clipnorm",
    "global_clip_norm": "global_clipnorm",
}
"""Keras's names of options of optimizers."""

_OPTIONS_OF_OPTIMIZER = {"RMSProp": {"decay": "rho"}}


def keras_optimizer_options(name: str) -> dict[str, str]:
    """Keras's names of the options of an optimizer, by its class name here."""
    return KERAS_OPTIMIZER_OPTIONS | _OPTIONS_OF_OPTIMIZER.get(name, {})


KERAS_LOSSES = {"cosine_proximity": "cosine_similarity", "logcosh": "log_cosh"}
"""Keras's names of losses and metrics."""
