"""The optimizers that `compile` accepts by name, with TF.js's settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.core.optimizers import classes
from tfpy.core.optimizers.base import Optimizer
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.layers.registry import register

# An integer 0 as in TF.js, whose files have 0 and not 0.0.
MAKERS: dict[str, Callable[[], Optimizer]] = {
    "SGD": lambda: classes.SGDOptimizer(0.01),
    "Adagrad": lambda: classes.AdagradOptimizer(0.01),
    "Adadelta": lambda: classes.AdadeltaOptimizer(1),
    "Adam": classes.AdamOptimizer,
    "Adamax": lambda: classes.AdamaxOptimizer(decay=0),
    "AdamW": classes.AdamWOptimizer,
    "Nadam": classes.NadamOptimizer,
    "RMSProp": lambda: classes.RMSPropOptimizer(0.001, momentum=0),
}
_BY_NAME = {spelling: maker for name, maker in MAKERS.items() for spelling in (name, name.lower())}

# Optimizers that a name does not specify sufficiently, and how to pass them.
UNNAMED = {"momentum": "tf.train.momentum(learning_rate, momentum)"}

# Saved models refer to all of them by the names of their classes.
for _class in (
    classes.SGDOptimizer,
    classes.MomentumOptimizer,
    classes.AdagradOptimizer,
    classes.AdadeltaOptimizer,
    classes.AdamOptimizer,
    classes.AdamaxOptimizer,
    classes.AdamWOptimizer,
    classes.NadamOptimizer,
    classes.RMSPropOptimizer,
):
    register(_class, _class.class_name)


def get_optimizer(identifier: Any) -> Optimizer:
    """The optimizer for a name, or an optimizer itself."""
    if isinstance(identifier, Optimizer):
        return identifier
    if callable(identifier):
        space = "tf" if isinstance(identifier, type) else "tf.train"
        expected = f"an optimizer: call the function, as in {space}.{getattr(identifier, '__name__', 'adam')}(…)"
        raise argument_error("compile", "optimizer", expected, identifier)
    if not isinstance(identifier, str):
        raise argument_error("compile", "optimizer", "a name or an optimizer of tf.train", identifier)
    if identifier not in _BY_NAME:
        if identifier.lower() in UNNAMED:
            given = UNNAMED[identifier.lower()]
            raise ValueError(f"Unknown optimizer {identifier!r}. It cannot be given by name only: pass {given}.")
        raise unknown_name_error("optimizer", identifier, _BY_NAME, map(str.lower, MAKERS))
    return _BY_NAME[identifier]()
