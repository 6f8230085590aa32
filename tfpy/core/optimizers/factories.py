"""The factories of `tf.train`: optimizers, and learning rates that change.

What bounds the gradients, and a learning rate that is a function, is described at `Optimizer`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.core.optimizers.classes import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamaxOptimizer,
    AdamOptimizer,
    AdamWOptimizer,
    MomentumOptimizer,
    NadamOptimizer,
    RMSPropOptimizer,
    SGDOptimizer,
)
from tfpy.core.optimizers.schedules import CosineDecay, ExponentialDecay, LearningRate, PiecewiseConstantDecay
from tfpy.core.registry import export


@export(namespace="train", doc="Training / Optimizers")
def sgd(
    learning_rate: LearningRate,
    *,
    clip_value: float | None = None,
    clip_norm: float | None = None,
    global_clip_norm: float | None = None,
) -> SGDOptimizer:
    """Stochastic gradient descent: w - learning_rate · g.

    Source: TF.js `tf.train.sgd`.
    """
    return SGDOptimizer(learning_rate, clip_value=clip_value, clip_norm=clip_norm, global_clip_norm=global_clip_norm)


@export(namespace="train", doc="Training / Optimizers")
def momentum(
    learning_rate: LearningRate,
    momentum: float,
    use_nesterov: bool = False,
    *,
    clip_value: float | None = None,
    clip_norm: float | None = None,
    global_clip_norm: float | None = None,
) -> MomentumOptimizer:
    """Gradient descent that keeps a part of its last step.

    Args:
        learning_rate: how far a step goes.
        momentum: the part of the last step that the next one keeps.
        use_nesterov: take the gradient's part of the step as if it had been made already.

    Source: TF.js `tf.train.momentum`.
    """
    return MomentumOptimizer(
        learning_rate,
        momentum,
        use_nesterov,
        clip_value=clip_value,
        clip_norm=clip_norm,
        global_clip_norm=global_clip_norm,
    )


@export(namespace="train", doc="Training / Optimizers")
def adagrad(
    learning_rate: LearningRate,
    initial_accumulator_value: float = 0.1,
    *,
    clip_value: float | None = None,
    clip_norm: float | None = None,
    global_clip_norm: float | None = None,
) -> AdagradOptimizer:
    """Steps divided by the root of the sum of all squared gradients (Duchi et al. 2011).

    Source: TF.js `tf.train.adagrad`.
    """
    return AdagradOptimizer(
        learning_rate,
        initial_accumulator_value,
        clip_value=clip_value,
        clip_norm=clip_norm,
        global_clip_norm=global_clip_norm,
    )


@export(namespace="train", doc="Training / Optimizers")
def adadelta(
    learning_rate: LearningRate = 0.001,
    rho: float = 0.95,
    epsilon: float | None = None,
    *,
    clip_value: float | None = None,
    clip_norm: float | None = None,
    global_clip_norm: float | None = None,
) -> AdadeltaOptimizer:
    """Steps scaled by averages of squared gradients and of squared steps (Zeiler 2012).

    Source: TF.js `tf.train.adadelta`.
    """
    return AdadeltaOptimizer(
        learning_rate, rho, epsilon, clip_value=clip_value, clip_norm=clip_norm, global_clip_norm=global_clip_norm
    )


@export(namespace="train", doc="Training / Optimizers")
def rmsprop(
    learning_rate: LearningRate,
    decay: float = 0.9,
    momentum: float = 0.0,
    epsilon: float | None = None,
    centered: bool = False,
    *,
    clip_value: float | None = None,
    clip_norm: float | None = None,
    global_clip_norm: float | None = None,
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
    return RMSPropOptimizer(
        learning_rate,
        decay,
        momentum,
        epsilon,
        centered,
        clip_value=clip_value,
        clip_norm=clip_norm,
        global_clip_norm=global_clip_norm,
    )


@export(namespace="train", doc="Training / Optimizers")
def adam(
    learning_rate: LearningRate = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float | None = None,
    *,
    clip_value: float | None = None,
    clip_norm: float | None = None,
    global_clip_norm: float | None = None,
) -> AdamOptimizer:
    """Steps by averages of gradients and of their squares, corrected for their start at 0 (Kingma and Ba 2014).

    Args:
        learning_rate: how far a step goes.
        beta1: the part of the average of gradients that each step keeps.
        beta2: the part of the average of squares that each step keeps.
        epsilon: added to the root; the backend's by default.

    Source: TF.js `tf.train.adam`.
    """
    return AdamOptimizer(
        learning_rate,
        beta1,
        beta2,
        epsilon,
        clip_value=clip_value,
        clip_norm=clip_norm,
        global_clip_norm=global_clip_norm,
    )


@export(namespace="train", doc="Training / Optimizers")
def adamax(
    learning_rate: LearningRate = 0.002,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float | None = None,
    decay: float = 0.0,
    *,
    clip_value: float | None = None,
    clip_norm: float | None = None,
    global_clip_norm: float | None = None,
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
    return AdamaxOptimizer(
        learning_rate,
        beta1,
        beta2,
        epsilon,
        decay,
        clip_value=clip_value,
        clip_norm=clip_norm,
        global_clip_norm=global_clip_norm,
    )


@export(namespace="train", doc="Training / Optimizers")
def adamw(
    learning_rate: LearningRate = 0.001,
    weight_decay: float = 0.004,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float | None = None,
    *,
    clip_value: float | None = None,
    clip_norm: float | None = None,
    global_clip_norm: float | None = None,
) -> AdamWOptimizer:
    """As Adam, with each step also taking away learning_rate · weight_decay of the weights.

    Args:
        learning_rate: how far a step goes.
        weight_decay: what part of the weights a step of length 1 takes away.
        beta1: the part of the average of gradients that each step keeps.
        beta2: the part of the average of squares that each step keeps.
        epsilon: added to the root; the backend's by default.

    Source: Loshchilov and Hutter 2019; Keras `AdamW` (beyond TF.js).
    """
    return AdamWOptimizer(
        learning_rate,
        weight_decay,
        beta1,
        beta2,
        epsilon,
        clip_value=clip_value,
        clip_norm=clip_norm,
        global_clip_norm=global_clip_norm,
    )


@export(namespace="train", doc="Training / Optimizers")
def nadam(
    learning_rate: LearningRate = 0.001,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float | None = None,
    *,
    clip_value: float | None = None,
    clip_norm: float | None = None,
    global_clip_norm: float | None = None,
) -> NadamOptimizer:
    """As Adam, with Nesterov's momentum: the gradient's part of the step is taken as if it had been made already.

    Args:
        learning_rate: how far a step goes.
        beta1: the part of the average of gradients that each step keeps, in the long run.
        beta2: the part of the average of squares that each step keeps.
        epsilon: added to the root; the backend's by default.

    Source: Dozat 2016; Keras `Nadam` (beyond TF.js).
    """
    return NadamOptimizer(
        learning_rate,
        beta1,
        beta2,
        epsilon,
        clip_value=clip_value,
        clip_norm=clip_norm,
        global_clip_norm=global_clip_norm,
    )


@export(namespace="train", doc="Training / Learning rates")
def exponential_decay(
    initial_learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False
) -> ExponentialDecay:
    """A learning rate for optimizers that becomes smaller by a factor: initial · decay_rate ^ (step / decay_steps).

    Args:
        initial_learning_rate: the rate of the first step.
        decay_steps: after how many steps the rate has been multiplied by decay_rate once.
        decay_rate: the factor.
        staircase: change it only each decay_steps steps.

    Returns:
        A function of the number of steps made.

    Source: Keras `ExponentialDecay` (beyond TF.js).
    """
    return ExponentialDecay(initial_learning_rate, decay_steps, decay_rate, staircase)


@export(namespace="train", doc="Training / Learning rates")
def cosine_decay(
    initial_learning_rate: float,
    decay_steps: int,
    alpha: float = 0.0,
    warmup_target: float | None = None,
    warmup_steps: int = 0,
) -> CosineDecay:
    """A learning rate for optimizers that falls along half a cosine wave.

    Args:
        initial_learning_rate: the rate of the first step.
        decay_steps: over how many steps it falls.
        alpha: the part of the highest rate that remains at the end.
        warmup_target: the highest rate, to which it rises first; without it there is no rise.
        warmup_steps: over how many steps it rises.

    Returns:
        A function of the number of steps made.

    Source: Loshchilov and Hutter 2017; Keras `CosineDecay` (beyond TF.js).
    """
    return CosineDecay(initial_learning_rate, decay_steps, alpha, warmup_target, warmup_steps)


@export(namespace="train", doc="Training / Learning rates")
def piecewise_constant(boundaries: Sequence[int], values: Sequence[float]) -> PiecewiseConstantDecay:
    """A learning rate for optimizers that changes at given steps.

    Args:
        boundaries: after how many steps it changes, in ascending order.
        values: the rates, one more than boundaries.

    Returns:
        A function of the number of steps made.

    Source: Keras `PiecewiseConstantDecay` (beyond TF.js).
    """
    return PiecewiseConstantDecay(boundaries, values)
