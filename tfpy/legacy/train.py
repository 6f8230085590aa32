"""`dl.train`: the optimizers of `tf.train`, whose `compute_gradients` returns arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from tfpy._api import train
from tfpy._api.train import cosine_decay as cosine_decay
from tfpy._api.train import cosineDecay as cosineDecay
from tfpy._api.train import exponential_decay as exponential_decay
from tfpy._api.train import exponentialDecay as exponentialDecay
from tfpy._api.train import piecewise_constant as piecewise_constant
from tfpy._api.train import piecewiseConstant as piecewiseConstant
from tfpy.legacy.eager import giving_arrays
from tfpy.legacy.quirks.optimizers import set_default_epsilon

# As wrapped functions have it: what `tfpy migrate` puts in its place.
__wrapped__ = train

F = TypeVar("F", bound=Callable[..., Any])


def _of_arrays(make: F) -> F:
    """A function that creates an optimizer whose gradients are arrays."""

    @functools.wraps(make)
    def made(*args: Any, **keywords: Any) -> Any:
        optimizer = make(*args, **keywords)
        optimizer.compute_gradients = optimizer.computeGradients = giving_arrays(optimizer.compute_gradients)
        return optimizer

    return cast("F", made)


def _of_deeplearnjs(make: F) -> F:
    """A function of 0.5: as `_of_arrays`, with the epsilon of the numerics in force."""
    names = list(inspect.signature(make).parameters)
    position = names.index("epsilon") if "epsilon" in names else len(names)

    @functools.wraps(make)
    def made(*args: Any, **keywords: Any) -> Any:
        optimizer = make(*args, **keywords)
        given = args[position] if len(args) > position else keywords.get("epsilon")
        if given is None:
            set_default_epsilon(optimizer)
        return optimizer

    return _of_arrays(cast("F", made))


adadelta = _of_deeplearnjs(train.adadelta)
adagrad = _of_deeplearnjs(train.adagrad)
adam = _of_deeplearnjs(train.adam)
adamax = _of_deeplearnjs(train.adamax)
adamw = _of_arrays(train.adamw)
momentum = _of_arrays(train.momentum)
nadam = _of_arrays(train.nadam)
rmsprop = _of_deeplearnjs(train.rmsprop)
sgd = _of_arrays(train.sgd)
