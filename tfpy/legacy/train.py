"""`dl.train`: the optimizers of `tf.train`, whose `compute_gradients` returns arrays."""

from __future__ import annotations

import functools
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


adadelta = _of_arrays(train.adadelta)
adagrad = _of_arrays(train.adagrad)
adam = _of_arrays(train.adam)
adamax = _of_arrays(train.adamax)
adamw = _of_arrays(train.adamw)
momentum = _of_arrays(train.momentum)
nadam = _of_arrays(train.nadam)
rmsprop = _of_arrays(train.rmsprop)
sgd = _of_arrays(train.sgd)
