"""The optimizers, each a rule with its hyperparameters, and their factories: `tf.train`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tfpy.core.optimizers import rules
from tfpy.core.optimizers._camel import AdagradOptimizerCamel, MomentumOptimizerCamel
from tfpy.core.optimizers.base import Optimizer, or_epsilon
from tfpy.core.optimizers.rules import Slots, Update
from tfpy.core.optimizers.schedules import LearningRate
from tfpy.core.options import accepts_options
from tfpy.core.registry import export
from tfpy.core.tensor import Tensor
from tfpy.engine.spec import as_number


@export(doc="Training / Classes")
class SGDOptimizer(Optimizer):
    """Stochastic gradient descent. Source: TF.js `tf.SGDOptimizer`."""

    class_name = "SGD"
    kernel = "SGDUpdate"

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate,
        *,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        super().__init__(learning_rate, clip_value, clip_norm, global_clip_norm)

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        return rules.sgd(value, grad, slots, **self.numbers())

    def numbers(self) -> dict[str, Any]:
        return {"lr": self.learning_rate}


@export(doc="Training / Classes")
class MomentumOptimizer(MomentumOptimizerCamel, Optimizer):
    """Gradient descent with momentum, Nesterov's if wanted. Source: TF.js `tf.MomentumOptimizer`."""

    class_name = "Momentum"
    kernel = "MomentumUpdate"
    slot_names = ("momentum",)
    use_nesterov: bool

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate,
        momentum: float,
        use_nesterov: bool = False,
        *,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        super().__init__(learning_rate, clip_value, clip_norm, global_clip_norm)
        self.momentum = as_number("optimizer", "momentum", momentum)
        self.use_nesterov = bool(use_nesterov)

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        return rules.momentum(value, grad, slots, **self.numbers())

    def numbers(self) -> dict[str, Any]:
        return {"lr": self.learning_rate, "beta": self.momentum, "nesterov": self.use_nesterov}

    def set_momentum(self, momentum: float) -> None:
        """Set the part of the last step that the next one keeps."""
        self.momentum = as_number("optimizer", "momentum", momentum)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "momentum": self.momentum, "use_nesterov": self.use_nesterov}


@export(doc="Training / Classes")
class AdagradOptimizer(AdagradOptimizerCamel, Optimizer):
    """Adagrad. Source: TF.js `tf.AdagradOptimizer`."""

    class_name = "Adagrad"
    kernel = "AdagradUpdate"
    slot_names = ("accumulator",)
    initial_accumulator_value: float

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate,
        initial_accumulator_value: float = 0.1,
        *,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        super().__init__(learning_rate, clip_value, clip_norm, global_clip_norm)
        self.initial_accumulator_value = as_number("optimizer", "initial_accumulator_value", initial_accumulator_value)

    def initial_slot(self, name: str) -> float:
        return self.initial_accumulator_value

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        return rules.adagrad(value, grad, slots, **self.numbers())

    def numbers(self) -> dict[str, Any]:
        return {"lr": self.learning_rate, "epsilon": or_epsilon(None)}

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "initial_accumulator_value": self.initial_accumulator_value}


@export(doc="Training / Classes")
class AdadeltaOptimizer(Optimizer):
    """Adadelta. Source: TF.js `tf.AdadeltaOptimizer`."""

    class_name = "Adadelta"
    kernel = "AdadeltaUpdate"
    slot_names = ("accum_grad", "accum_var")

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        rho: float = 0.95,
        epsilon: float | None = None,
        *,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        super().__init__(learning_rate, clip_value, clip_norm, global_clip_norm)
        self.rho = as_number("optimizer", "rho", rho)
        self.epsilon = or_epsilon(epsilon)

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        return rules.adadelta(value, grad, slots, **self.numbers())

    def numbers(self) -> dict[str, Any]:
        return {"lr": self.learning_rate, "rho": self.rho, "epsilon": self.epsilon}

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rho": self.rho, "epsilon": self.epsilon}


@export(doc="Training / Classes")
class RMSPropOptimizer(Optimizer):
    """RMSProp, centred if wanted. Source: TF.js `tf.RMSPropOptimizer`."""

    class_name = "RMSProp"
    kernel = "RMSPropUpdate"

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float | None = None,
        centered: bool = False,
        *,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        super().__init__(learning_rate, clip_value, clip_norm, global_clip_norm)
        self.decay = as_number("optimizer", "decay", decay)
        self.momentum = as_number("optimizer", "momentum", momentum)
        self.epsilon = or_epsilon(epsilon)
        self.centered = bool(centered)
        self.slot_names = ("rms", "momentum", "mg") if centered else ("rms", "momentum")
        self.kernel = "CenteredRMSPropUpdate" if centered else "RMSPropUpdate"

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        rule = rules.centered_rmsprop if self.centered else rules.rmsprop
        return rule(value, grad, slots, **self.numbers())

    def numbers(self) -> dict[str, Any]:
        return {"lr": self.learning_rate, "decay": self.decay, "beta": self.momentum, "epsilon": self.epsilon}

    def get_config(self) -> dict[str, Any]:
        own = {"decay": self.decay, "momentum": self.momentum, "epsilon": self.epsilon, "centered": self.centered}
        return {**super().get_config(), **own}


def _float32_product(a: float, b: float) -> float:
    """The product as float32 arithmetic gives it, which is how TF.js keeps powers of the betas."""
    return float(np.float32(a) * np.float32(b))


def _float32_power(beta: float, exponent: int) -> float:
    power = float(np.float32(beta))
    for _ in range(exponent - 1):
        last, power = power, _float32_product(power, beta)
        if power == last:
            break
    return power


def _one_minus(power: float) -> float:
    return float(np.float32(1) - np.float32(power))


class _BetaOptimizer(Optimizer):
    """What Adam and Adamax share: two betas, and powers of them that grow with the steps."""

    slot_names = ("m", "v")

    def __init__(
        self, learning_rate: LearningRate, beta1: float, beta2: float, epsilon: float | None, *clipping: float | None
    ) -> None:
        super().__init__(learning_rate, *clipping)
        self.beta1 = as_number("optimizer", "beta1", beta1)
        self.beta2 = as_number("optimizer", "beta2", beta2)
        self.epsilon = or_epsilon(epsilon)
        self._powers = [float(np.float32(self.beta1)), float(np.float32(self.beta2))]

    def end_step(self) -> None:
        self._powers = [_float32_product(p, b) for p, b in zip(self._powers, (self.beta1, self.beta2), strict=True)]

    def restored(self) -> None:
        # Multiplied step by step, so that a run that goes on has the very numbers of one that never stopped.
        self._powers = [_float32_power(beta, self.iterations + 1) for beta in (self.beta1, self.beta2)]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon}


@export(doc="Training / Classes")
class AdamOptimizer(_BetaOptimizer):
    """Adam. Source: TF.js `tf.AdamOptimizer`."""

    class_name: ClassVar[str] = "Adam"
    kernel = "AdamUpdate"

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
        *,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, clip_value, clip_norm, global_clip_norm)

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        return rules.adam(value, grad, slots, **self.numbers())

    def numbers(self) -> dict[str, Any]:
        bias1, bias2 = map(_one_minus, self._powers)
        betas = {"beta1": self.beta1, "beta2": self.beta2, "bias1": bias1, "bias2": bias2}
        return {"lr": self.learning_rate, "epsilon": self.epsilon, **betas}


@export(doc="Training / Classes")
class AdamWOptimizer(AdamOptimizer):
    """Adam with weight decay that the gradient has no part in (beyond TF.js). Source: Loshchilov and Hutter 2019."""

    class_name = "AdamW"

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        weight_decay: float = 0.004,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
        *,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        clipping = {"clip_value": clip_value, "clip_norm": clip_norm, "global_clip_norm": global_clip_norm}
        super().__init__(learning_rate, beta1, beta2, epsilon, **clipping)
        self.weight_decay = as_number("optimizer", "weight_decay", weight_decay)

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        return super().update(rules.decayed(value, self.learning_rate * self.weight_decay), grad, slots)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "weight_decay": self.weight_decay}


@export(doc="Training / Classes")
class AdamaxOptimizer(_BetaOptimizer):
    """Adamax. Source: TF.js `tf.AdamaxOptimizer`."""

    class_name = "Adamax"
    kernel = "AdamaxUpdate"

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
        decay: float = 0.0,
        *,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, clip_value, clip_norm, global_clip_norm)
        self.decay = as_number("optimizer", "decay", decay)

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        return rules.adamax(value, grad, slots, **self.numbers())

    def numbers(self) -> dict[str, Any]:
        decayed = np.float32(self.learning_rate) / np.float32(
            np.float32(self.iterations) * np.float32(self.decay) + np.float32(1)
        )
        rate = float(decayed / np.float32(_one_minus(self._powers[0])))
        return {"rate": rate, "beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon}

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "decay": self.decay}


@export(doc="Training / Classes")
class NadamOptimizer(_BetaOptimizer):
    """Adam with Nesterov's momentum (beyond TF.js). Source: Dozat 2016; Keras `Nadam`."""

    class_name = "Nadam"

    @accepts_options()
    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | None = None,
        *,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, clip_value, clip_norm, global_clip_norm)
        self._product = self._momentum(0)

    def _momentum(self, step: int) -> float:
        """The part of the first average that a step keeps: it grows to beta1 in time."""
        return self.beta1 * (1 - 0.5 * 0.96 ** (step + 1))

    @property
    def momentum_product(self) -> float:
        """The product of these parts over all steps made."""
        return self._product / self._momentum(self.iterations)

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        now, following = self._momentum(self.iterations), self._momentum(self.iterations + 1)
        parts = ((1 - now) / (1 - self._product), following / (1 - self._product * following))
        bias2, lr = _one_minus(self._powers[1]), self.learning_rate
        return rules.nadam(value, grad, slots, lr, self.beta1, self.beta2, self.epsilon, parts, bias2)

    def end_step(self) -> None:
        super().end_step()
        self._product *= self._momentum(self.iterations + 1)

    def restored(self) -> None:
        super().restored()
        self._product = self._momentum(0)
        for step in range(1, self.iterations + 1):
            last, self._product = self._product, self._product * self._momentum(step)
            if self._product == last:
                break
