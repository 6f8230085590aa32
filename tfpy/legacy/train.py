"""`dl.train`: the optimizers of `tf.train`, whose `compute_gradients` returns arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, cast, overload

from tfpy._api import train
from tfpy._api.train import cosine_decay as cosine_decay
from tfpy._api.train import cosineDecay as cosineDecay
from tfpy._api.train import exponential_decay as exponential_decay
from tfpy._api.train import exponentialDecay as exponentialDecay
from tfpy._api.train import piecewise_constant as piecewise_constant
from tfpy._api.train import piecewiseConstant as piecewiseConstant
from tfpy.legacy.eager import giving_arrays
from tfpy.legacy.quirks.optimizers import set_default_epsilon

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer
    from tfpy.legacy.arrays.ndarray import NDArray
    from tfpy.legacy.graphs.optimizers import ComputedGradients

    class OptimizerOfArrays(Optimizer):
        """An optimizer of functions that return arrays."""

        @overload  # type: ignore[override, no-overload-impl]
        def minimize(
            self, f: Callable[[], Any], return_cost: Literal[True], var_list: Sequence[Any] | None = None
        ) -> NDArray: ...

        @overload
        def minimize(
            self, f: Callable[[], Any], return_cost: bool = False, var_list: Sequence[Any] | None = None
        ) -> NDArray | None: ...

        def compute_gradients(
            self, f: Callable[[], Any], var_list: Sequence[Any] | None = None
        ) -> ComputedGradients: ...

        def computeGradients(self, f: Callable[[], Any], varList: Sequence[Any] | None = None) -> ComputedGradients: ...


# As wrapped functions have it: what `tfpy migrate` puts in its place.
__wrapped__ = train

P = ParamSpec("P")


def _of_arrays(make: Callable[P, Optimizer]) -> Callable[P, OptimizerOfArrays]:
    """A function that creates an optimizer whose gradients are arrays."""

    @functools.wraps(make)
    def made(*args: P.args, **keywords: P.kwargs) -> OptimizerOfArrays:
        optimizer: Any = make(*args, **keywords)
        optimizer.compute_gradients = optimizer.computeGradients = giving_arrays(optimizer.compute_gradients)
        return cast("OptimizerOfArrays", optimizer)

    return made


def _of_deeplearnjs(make: Callable[P, Optimizer]) -> Callable[P, OptimizerOfArrays]:
    """A function of 0.5: as `_of_arrays`, with the epsilon of the numerics in force."""
    names = list(inspect.signature(make).parameters)
    position = names.index("epsilon") if "epsilon" in names else len(names)

    @functools.wraps(make)
    def made(*args: P.args, **keywords: P.kwargs) -> Optimizer:
        optimizer = make(*args, **keywords)
        given = args[position] if len(args) > position else keywords.get("epsilon")
        if given is None:
            set_default_epsilon(optimizer)
        return optimizer

    return _of_arrays(made)


adadelta = _of_deeplearnjs(train.adadelta)
adagrad = _of_deeplearnjs(train.adagrad)
adam = _of_deeplearnjs(train.adam)
adamax = _of_deeplearnjs(train.adamax)
adamw = _of_arrays(train.adamw)
momentum = _of_arrays(train.momentum)
nadam = _of_arrays(train.nadam)
rmsprop = _of_deeplearnjs(train.rmsprop)
sgd = _of_arrays(train.sgd)
