"""The factories of `tf.train`."""

from __future__ import annotations

from tfpy.core.optimizers.classes import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamaxOptimizer,
    AdamOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
    SGDOptimizer,
)
from tfpy.core.registry import export


@export(namespace="train", doc="Training / Optimizers")
def sgd(learning_rate: float) -> SGDOptimizer:
    """Stochastic gradient descent: w - learning_rate · g.

    Source: TF.js `tf.train.sgd`.
    """
    return SGDOptimizer(learning_rate)


@export(namespace="train", doc="Training / Optimizers")
def momentum(learning_rate: float, momentum: float, use_nesterov: bool = False) -> MomentumOptimizer:
    """Gradient descent that keeps a part of its last step.

    Args:
        learning_rate: how far a step goes.
        momentum: the part of the last step that the next one keeps.
        use_nesterov: take the gradient's part of the step as if it had been made already.

    Source: TF.js `tf.train.momentum`.
    """
    return MomentumOptimizer(learning_rate, momentum, use_nesterov)


@export(namespace="train", doc="Training / Optimizers")
def adagrad(learning_rate: float, initial_accumulator_value: float = 0.1) -> AdagradOptimizer:
    """Steps divided by the root of the sum of all squared gradients (Duchi et al. 2011).

    Source: TF.js `tf.train.adagrad`.
    """
    return AdagradOptimizer(learning_rate, initial_accumulator_value)


@export(namespace="train", doc="Training / Optimizers")
def adadelta(learning_rate: float = 0.001, rho: float = 0.95, epsilon: float | None = None) -> AdadeltaOptimizer:
    """Steps scaled by averages of squared gradients and of squared steps (Zeiler 2012).

    Source: TF.js `tf.train.adadelta`.
    """
    return AdadeltaOptimizer(learning_rate, rho, epsilon)


@export(namespace="train", doc="Training / Optimizers")
def rmsprop(
    learning_rate: float,
    decay: float = 0.9,
    momentum: float = 0.0,
    epsilon: float | None = None,
    centered: bool = False,
) -> RMSPropOptimizer:
    """Steps divided by the root of an average of squared gradients (Tieleman and Hinton 2012).

    Args:
        learning_rate: how far a step goes.
        decay: the part of the average that each step keeps.
        momentum: the part of the last step that the next one keeps.
        epsilon: added inside the root; the backend's by default.
        centered: divide by an estimate of the standard deviation instead.

    Source: TF.js `tf.train.rmsprop`.
    """
    return RMSPropOptimizer(learning_rate, decay, momentum, epsilon, centered)


@export(namespace="train", doc="Training / Optimizers")
def adam(
    learning_rate: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float | None = None
) -> AdamOptimizer:
    """Steps by averages of gradients and of their squares, corrected for their start at 0 (Kingma and Ba 2014).

    Args:
        learning_rate: how far a step goes.
        beta1: the part of the average of gradients that each step keeps.
        beta2: the part of the average of squares that each step keeps.
        epsilon: added to the root; the backend's by default.

    Source: TF.js `tf.train.adam`.
    """
    return AdamOptimizer(learning_rate, beta1, beta2, epsilon)


@export(namespace="train", doc="Training / Optimizers")
def adamax(
    learning_rate: float = 0.002,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float | None = None,
    decay: float = 0.0,
) -> AdamaxOptimizer:
    """As Adam, with the largest gradient in place of the average of squares (Kingma and Ba 2014).

    Args:
        learning_rate: how far a step goes.
        beta1: the part of the average of gradients that each step keeps.
        beta2: the part of the largest gradient that each step keeps.
        epsilon: added to the largest gradient; the backend's by default.
        decay: makes the steps smaller with time: divided by 1 + decay · steps made.

    Source: TF.js `tf.train.adamax`.
    """
    return AdamaxOptimizer(learning_rate, beta1, beta2, epsilon, decay)
