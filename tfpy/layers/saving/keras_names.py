"""What Keras calls otherwise: classes, and options of optimizers. Files of TF.js have some of these names, too."""

from __future__ import annotations

_RENAMED = {"LeCunNormal": "LecunNormal", "LeCunUniform": "LecunUniform", "RMSProp": "RMSprop"}

KERAS_CLASSES = {"Model": "Functional", **_RENAMED}
"""Keras's names of classes that it has under another one."""

CLASS_ALIASES = {
    **{theirs: ours for ours, theirs in _RENAMED.items()},
    "BatchNormalizationV1": "BatchNormalization",
    "BatchNormalizationV2": "BatchNormalization",
}
"""What classes are called here that Keras has, or once had, under another name."""

KERAS_OPTIONS = {
    "beta1": "beta_1",
    "beta2": "beta_2",
    "use_nesterov": "nesterov",
    "clip_value": "clipvalue",
    "clip_norm": "clipnorm",
    "global_clip_norm": "global_clipnorm",
}
"""Keras's names of options of optimizers that it has under another one."""
