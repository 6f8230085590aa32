"""The optimizers, each a rule with its hyperparameters.

The parameters of a constructor are the options of an optimizer: its configuration has them by their names, and the
factory of `tf.train` that the class argument `factory` names is generated from them and from the docstring. Gradient
clipping and learning rate schedules are described in `Optimizer`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Unpack

import numpy as np

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.optimizers import rules
from tfpy.core.optimizers._camel import AdagradOptimizerCamel, MomentumOptimizerCamel
from tfpy.core.optimizers.base import Optimizer, or_epsilon
from tfpy.core.optimizers.clipping import Bounds
from tfpy.core.optimizers.float32 import float32, float32_power, float32_product, one_minus
from tfpy.core.optimizers.rules import Slots, Update
from tfpy.core.optimizers.schedules import LearningRate
from tfpy.core.tensor import Tensor


@export(doc="Training / Classes")
class SGDOptimizer(Optimizer, factory="train.sgd"):
    """Stochastic gradient descent: w - learning_rate · g.

    Args:
        learning_rate: the step size.

    Source: TF.js `tf.train.sgd`, `tf.SGDOptimizer`.
    """

    class_name = "SGD"
    rule = staticmethod(rules.sgd)
    kernel = "SGDUpdate"

    @accepts_options()
    def __init__(self, learning_rate: LearningRate, **bounds: Unpack[Bounds]) -> None:
        super().__init__(learning_rate, **bounds)

    def hyperparameters(self) -> dict[str, Any]:
        return {"lr": self.learning_rate}


@export(doc="Training / Classes")
class MomentumOptimizer(MomentumOptimizerCamel, Optimizer, factory="train.momentum"):
    """Gradient descent with momentum.

    Args:
        learning_rate: the step size.
        momentum: the fraction of the last step that is kept.
        use_nesterov: whether to use Nesterov's look-ahead.

    Source: TF.js `tf.train.momentum`, `tf.MomentumOptimizer`.
    """

    class_name = "Momentum"
    rule = staticmethod(rules.momentum)
    kernel = "MomentumUpdate"
    slot_names = ("momentum",)
    momentum: float
    use_nesterov: bool

    @accepts_options()
    def __init__(
        self, learning_rate: LearningRate, momentum: float, use_nesterov: bool = False, **bounds: Unpack[Bounds]
    ) -> None:
        super().__init__(learning_rate, **bounds)
        self.momentum = momentum
        self.use_nesterov = bool(use_nesterov)

    def hyperparameters(self) -> dict[str, Any]:
        return {"lr": self.learning_rate, "beta": self.momentum, "nesterov": self.use_nesterov}

    @accepts_options()
    def set_momentum(self, momentum: float) -> None:
        """Set the fraction of the last step that is kept."""
        self.momentum = momentum


@export(doc="Training / Classes")
class AdagradOptimizer(AdagradOptimizerCamel, Optimizer, factory="train.adagrad"):
    """Adagrad: steps divided by the root of the sum of all squared gradients (Duchi et al. 2011).

    Args:
        learning_rate: the step size.
        initial_accumulator_value: the initial value of the sum.

    Source: TF.js `tf.train.adagrad`, `tf.AdagradOptimizer`.
    """

    class_name = "Adagrad"
    rule = staticmethod(rules.adagrad)
    kernel = "AdagradUpdate"
    slot_names = ("accumulator",)
    initial_accumulator_value: float
    epsilon: float

    @accepts_options()
    def __init__(
        self, learning_rate: LearningRate, initial_accumulator_value: float = 0.1, **bounds: Unpack[Bounds]
    ) -> None:
        super().__init__(learning_rate, **bounds)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = or_epsilon(None)

    def initial_slot(self, name: str) -> float:
        return self.initial_accumulator_value

    def hyperparameters(self) -> dict[str, Any]:
        return {"lr": self.learning_rate, "epsilon": self.epsilon}


@export(doc="Training / Classes")
class AdadeltaOptimizer(Optimizer, factory="train.adadelta"):
    """Adadelta: steps scaled by averages of squared gradients and of squared steps (Zeiler 2012).

    Args:
        learning_rate: the step size.
        rho: the decay rate of the averages.
        epsilon: added inside the square roots; the backend's by default.

    Source: TF.js `tf.train.adadelta`, `tf.AdadeltaOptimizer`.
    """

    class_name = "Adadelta"
    rule = staticmethod(rules.adadelta)
    kernel = "AdadeltaUpdate"
    slot_names = ("accum_grad", "accum_var")
    rho: float
    epsilon: float

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        rho: float = 0.95,
        epsilon: float | None = None,
        **bounds: Unpack[Bounds],
    ) -> None:
        super().__init__(learning_rate, **bounds)
        self.rho = rho
        self.epsilon = or_epsilon(epsilon)

    def hyperparameters(self) -> dict[str, Any]:
        return {"lr": self.learning_rate, "rho": self.rho, "epsilon": self.epsilon}


@export(doc="Training / Classes")
class RMSPropOptimizer(Optimizer, factory="train.rmsprop"):
    """RMSprop: steps divided by the root of an average of squared gradients (Tieleman and Hinton 2012).

    Args:
        learning_rate: the step size.
        decay: the decay rate of the average.
        momentum: the fraction of the last step that is kept.
        epsilon: added inside the square root; the backend's by default.
        centered: divide by an estimate of the standard deviation instead.

    Source: TF.js `tf.train.rmsprop`, `tf.RMSPropOptimizer`.
    """

    class_name = "RMSProp"
    kernel = "RMSPropUpdate"
    decay: float
    momentum: float
    epsilon: float
    centered: bool

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float | None = None,
        centered: bool = False,
        **bounds: Unpack[Bounds],
    ) -> None:
        super().__init__(learning_rate, **bounds)
        self.decay = decay
        self.momentum = momentum
        self.epsilon = or_epsilon(epsilon)
        self.centered = bool(centered)
        self.slot_names = ("rms", "momentum", "mg") if centered else ("rms", "momentum")
        self.kernel = "CenteredRMSPropUpdate" if centered else "RMSPropUpdate"

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        rule = rules.centered_rmsprop if self.centered else rules.rmsprop
        return rule(value, grad, slots, **self.hyperparameters())

    def hyperparameters(self) -> dict[str, Any]:
        return {"lr": self.learning_rate, "decay": self.decay, "beta": self.momentum, "epsilon": self.epsilon}


class _BetaOptimizer(Optimizer):
    """Base of Adam and its variants: two betas, and their powers, updated with each step."""

    slot_names = ("m", "v")
    beta1: float
    beta2: float
    epsilon: float

    def __init__(
        self, learning_rate: LearningRate, beta1: float, beta2: float, epsilon: float | None, **bounds: Unpack[Bounds]
    ) -> None:
        super().__init__(learning_rate, **bounds)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = or_epsilon(epsilon)
        self._powers = [float32(self.beta1), float32(self.beta2)]

    def end_step(self) -> None:
        self._powers = [float32_product(p, b) for p, b in zip(self._powers, (self.beta1, self.beta2), strict=True)]

    def _after_set_weights(self) -> None:
        # Multiplied step by step, so that a resumed run has exactly the numbers of an uninterrupted one.
        self._powers = [float32_power(beta, self.iterations + 1) for beta in (self.beta1, self.beta2)]


@export(doc="Training / Classes")
class AdamOptimizer(_BetaOptimizer, factory="train.adam"):
    """Adam: steps by bias-corrected averages of gradients and of their squares (Kingma and Ba 2014).

    Args:
        learning_rate: the step size.
        beta1: the decay rate of the average of gradients.
        beta2: the decay rate of the average of squares.
        epsilon: added to the square root; the backend's by default.

    Source: TF.js `tf.train.adam`, `tf.AdamOptimizer`.
    """

    class_name: ClassVar[str] = "Adam"
    rule: ClassVar[Callable[..., Update] | None] = staticmethod(rules.adam)
    kernel = "AdamUpdate"

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
        **bounds: Unpack[Bounds],
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, **bounds)

    def hyperparameters(self) -> dict[str, Any]:
        bias1, bias2 = map(one_minus, self._powers)
        betas = {"beta1": self.beta1, "beta2": self.beta2, "bias1": bias1, "bias2": bias2}
        return {"lr": self.learning_rate, "epsilon": self.epsilon, **betas}


@export(doc="Training / Classes")
class AdamWOptimizer(AdamOptimizer, factory="train.adamw"):
    """Adam with decoupled weight decay: each step also subtracts learning_rate · weight_decay of the weights.

    Args:
        learning_rate: the step size.
        weight_decay: the fraction of the weights subtracted at a learning rate of 1.
        beta1: the decay rate of the average of gradients.
        beta2: the decay rate of the average of squares.
        epsilon: added to the square root; the backend's by default.

    Source: Loshchilov and Hutter 2019; Keras `AdamW` (beyond TF.js).
    """

    class_name = "AdamW"
    rule = staticmethod(rules.adamw)
    kernel = "AdamWUpdate"
    weight_decay: float

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        weight_decay: float = 0.004,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
        **bounds: Unpack[Bounds],
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, **bounds)
        self.weight_decay = weight_decay

    def hyperparameters(self) -> dict[str, Any]:
        numbers = super().hyperparameters()
        return {**numbers, "part": numbers["lr"] * self.weight_decay}


@export(doc="Training / Classes")
class AdamaxOptimizer(_BetaOptimizer, factory="train.adamax"):
    """Adamax: Adam with the largest gradient in place of the average of squares (Kingma and Ba 2014).

    Args:
        learning_rate: the step size.
        beta1: the decay rate of the average of gradients.
        beta2: the decay rate of the largest gradient.
        epsilon: added to the largest gradient; the backend's by default.
        decay: shrinks the steps over time: divided by 1 + decay · steps made.

    Source: TF.js `tf.train.adamax`, `tf.AdamaxOptimizer`.
    """

    class_name = "Adamax"
    rule = staticmethod(rules.adamax)
    kernel = "AdamaxUpdate"
    decay: float

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
        decay: float = 0.0,
        **bounds: Unpack[Bounds],
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, **bounds)
        self.decay = decay

    def hyperparameters(self) -> dict[str, Any]:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # as JavaScript computes
            decayed = np.float32(self.learning_rate) / np.float32(
                np.float32(self.iterations) * np.float32(self.decay) + np.float32(1)
            )
            rate = float(decayed / np.float32(one_minus(self._powers[0])))
        return {"rate": rate, "beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon}


@export(doc="Training / Classes")
class NadamOptimizer(_BetaOptimizer, factory="train.nadam"):
    """Nadam: Adam with Nesterov momentum.

    Args:
        learning_rate: the step size.
        beta1: the long-run decay rate of the average of gradients.
        beta2: the decay rate of the average of squares.
        epsilon: added to the square root; the backend's by default.

    Source: Dozat 2016; Keras `Nadam` (beyond TF.js).
    """

    class_name = "Nadam"
    rule = staticmethod(rules.nadam)
    kernel = "NadamUpdate"

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
        **bounds: Unpack[Bounds],
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, **bounds)
        self._product = self._momentum(0)

    def _momentum(self, step: int) -> float:
        """The decay rate of the first average at a step: it grows to beta1 over time."""
        return self.beta1 * (1 - 0.5 * 0.96 ** (step + 1))

    @property
    def momentum_product(self) -> float:
        """The product of these decay rates over all steps made."""
        return self._product / self._momentum(self.iterations)

    def hyperparameters(self) -> dict[str, Any]:
        now, following = self._momentum(self.iterations), self._momentum(self.iterations + 1)
        ahead, kept = (1 - now) / (1 - self._product), following / (1 - self._product * following)
        betas = {"beta1": self.beta1, "beta2": self.beta2, "bias2": one_minus(self._powers[1])}
        return {"lr": self.learning_rate, "epsilon": self.epsilon, "ahead": ahead, "kept": kept, **betas}

    def end_step(self) -> None:
        super().end_step()
        self._product *= self._momentum(self.iterations + 1)

    def _after_set_weights(self) -> None:
        super()._after_set_weights()
        self._product = self._momentum(0)
        for step in range(1, self.iterations + 1):
            last, self._product = self._product, self._product * self._momentum(step)
            if self._product == last:
                break
