"""deeplearn.js's update rules, in its order of operations.

`g` is the sum of the gradients of a batch, and `c` is -(learning rate) / (batch size); TF.js takes the mean gradient
and the learning rate. For plain and momentum descent that is the same but for rounding. The adaptive rules divide g by
its own magnitude, so that there the division of the rate by the batch size remains. The epsilons differ, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tfpy.core.convert import number
from tfpy.core.ops.arith import add, div, mul, sub
from tfpy.core.optimizers import classes
from tfpy.core.optimizers.base import Optimizer, or_epsilon
from tfpy.core.optimizers.rules import Slots, Update
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.legacy.quirks import behavior

SMALL = 1e-6
TINY = 1e-8


class Settings(NamedTuple):
    """The settings that a rule depends on besides the variable.

    Attributes:
        decay: the momentum, gamma or beta1.
        decay2: beta2.
        power: beta1 to the power of the steps, this one included.
        power2: beta2 likewise.
        nesterov: whether momentum looks ahead.
        momentum: RMSProp's, from 0.5 on.
        epsilon: the ε given to the constructor, which is possible from 0.5 on; None for the rule's own.
        rate_decay: Adamax's, from 0.5 on: the rate is divided by 1 + rate_decay · steps.
        steps: how many steps have been made.
    """

    decay: float = 0.0
    decay2: float = 0.0
    power: float = 0.0
    power2: float = 0.0
    nesterov: bool = False
    momentum: float = 0.0
    epsilon: float | None = None
    rate_decay: float = 0.0
    steps: int = 0

    def small(self, default: float) -> Tensor:
        """ε."""
        return number(default if self.epsilon is None else self.epsilon)

    def of_next_step(self) -> Settings:
        """The settings of the next step: the powers of the betas are updated in float32."""
        power = float(np.float32(self.power) * np.float32(self.decay))
        power2 = float(np.float32(self.power2) * np.float32(self.decay2))
        return self._replace(power=power, power2=power2, steps=self.steps + 1)


def _of_averages(core: Any) -> Settings:
    return Settings(core.beta1, core.beta2, core.beta1, core.beta2)


# The settings of an optimizer at its first step, but for ε.
SETTINGS: dict[type[Optimizer], Callable[[Any], Settings]] = {
    classes.SGDOptimizer: lambda core: Settings(),
    classes.MomentumOptimizer: lambda core: Settings(core.momentum, nesterov=core.use_nesterov),
    classes.AdagradOptimizer: lambda core: Settings(),
    classes.RMSPropOptimizer: lambda core: Settings(core.decay, momentum=core.momentum),
    classes.AdadeltaOptimizer: lambda core: Settings(core.rho),
    classes.AdamOptimizer: _of_averages,
    classes.AdamaxOptimizer: lambda core: _of_averages(core)._replace(rate_decay=core.decay),
}

Rule = Callable[[Tensor, Tensor, Slots, float, Settings], Update]
RULES: dict[str, Rule] = {}


def _rule(name: str, formula: str) -> Callable[[Rule], Rule]:
    def mark(rule: Rule) -> Rule:
        behavior(f"{name}_rule", f"{name}Optimizer.afterBatch", formula)
        RULES[name] = rule
        return rule

    return mark


def float32_rest(part: float) -> float:
    """1 - part, in float32 as deeplearn.js computes it."""
    return float(np.float32(1) - np.float32(part))


def _scaled_add(c1: float, a: Tensor, c2: float, b: Tensor) -> Tensor:
    return add(mul(number(c1), a), mul(number(c2), b))


def _average(decay: float, old: Tensor, new: Tensor) -> Tensor:
    return _scaled_add(decay, old, float32_rest(decay), new)


@_rule("SGD", "w + c · g. TF.js: w - lr · mean gradient: the same but for rounding.")
def sgd(w: Tensor, g: Tensor, slots: Slots, c: float, s: Settings) -> Update:
    return _scaled_add(c, g, 1, w), {}


@_rule("Momentum", "v = momentum · v + g; w + c · v. TF.js: the same but for rounding while the batch size stays.")
def momentum(w: Tensor, g: Tensor, slots: Slots, c: float, s: Settings) -> Update:
    velocity = _scaled_add(s.decay, slots["momentum"], 1, g)
    step = _scaled_add(1, g, s.decay, velocity) if s.nesterov else velocity
    return _scaled_add(c, step, 1, w), {"momentum": velocity}


@_rule("Adagrad", "a += g², from 0; w + c · g / (√a + 10⁻⁶). TF.js: a from 0.1; lr · g / √(a + 10⁻⁷).")
def adagrad(w: Tensor, g: Tensor, slots: Slots, c: float, s: Settings) -> Update:
    cache = add(slots["accumulator"], mul(g, g))
    step = div(g, add(run("Sqrt", cache), number(SMALL)))
    return _scaled_add(c, step, 1, w), {"accumulator": cache}


@_rule(
    "RMSProp",
    "s averages g²; w + c · g / (√s + 10⁻⁶), or with a momentum or an ε given, as in 0.5: v = momentum · v - c · g / "
    "√(s + ε); w - v. TF.js: the latter with lr, and 10⁻⁷.",
)
def rmsprop(w: Tensor, g: Tensor, slots: Slots, c: float, s: Settings) -> Update:
    cache = _average(s.decay, slots["rms"], mul(g, g))
    if s.momentum == 0 and s.epsilon is None:
        step = div(g, add(run("Sqrt", cache), number(SMALL)))
        return _scaled_add(c, step, 1, w), {"rms": cache}
    step = div(g, run("Sqrt", add(cache, s.small(TINY))))
    velocity = _scaled_add(s.momentum, slots["momentum"], -c, step)
    return sub(w, velocity), {"rms": cache, "momentum": velocity}


@_rule(
    "Adadelta",
    "u = √(U + ε) / √(A + ε) · g; then A averages g² and U u², which stay equal; w + c · u. TF.js: the same but for "
    "rounding.",
)
def adadelta(w: Tensor, g: Tensor, slots: Slots, c: float, s: Settings) -> Update:
    squares, updates = slots["accum_grad"], slots["accum_var"]
    roots = [run("Sqrt", add(t, s.small(SMALL))) for t in (updates, squares)]
    step = mul(div(*roots), g)
    return _scaled_add(c, step, 1, w), {
        "accum_grad": _average(s.decay, squares, mul(g, g)),
        "accum_var": _average(s.decay, updates, mul(step, step)),
    }


@_rule("Adam", "m averages g, and v g²; w + c · (m / (1 - b1ᵗ)) / (√(v / (1 - b2ᵗ)) + 10⁻⁸). TF.js: 10⁻⁷.")
def adam(w: Tensor, g: Tensor, slots: Slots, c: float, s: Settings) -> Update:
    first = _average(s.decay, slots["m"], g)
    second = _average(s.decay2, slots["v"], mul(g, g))
    corrected = div(first, number(float32_rest(s.power)))
    scale = div(second, number(float32_rest(s.power2)))
    step = div(corrected, add(run("Sqrt", scale), s.small(TINY)))
    return _scaled_add(c, step, 1, w), {"m": first, "v": second}


@_rule("Adamax", "m averages g; u = max(b2 · u, |g|); w + c / (1 - b1ᵗ) · m / (10⁻⁸ + u). TF.js: 10⁻⁷.")
def adamax(w: Tensor, g: Tensor, slots: Slots, c: float, s: Settings) -> Update:
    first = _average(s.decay, slots["m"], g)
    old, new = mul(number(s.decay2), slots["v"]), run("Abs", g)
    norm = add(run("Relu", sub(old, new)), new)
    decayed = np.float32(c) / (np.float32(1) + np.float32(s.rate_decay) * np.float32(s.steps))
    rate = float(decayed / np.float32(float32_rest(s.power)))
    return _scaled_add(1, w, rate, div(first, add(s.small(TINY), norm))), {"m": first, "v": norm}


LEARNING_RATE = behavior(
    "learning_rate_kept_until_batch_size_changes",
    "Optimizer.beforeBatch",
    "setLearningRate takes effect when Session.train is next called with another batch size. TF.js: at once.",
)
EPSILON = behavior(
    "epsilon_of_functions",
    "dl.train, Optimizer.minimize (0.5)",
    "ε is 10⁻⁸ unless another one is given. TF.js: 10⁻⁷.",
)
MOMENTUM = behavior(
    "momentum_kept",
    "MomentumOptimizer.setMomentum",
    "setMomentum has no effect on training. TF.js: it takes effect at once.",
)


def set_default_epsilon(optimizer: Optimizer) -> None:
    """Set the ε of an optimizer of functions for which none was given."""
    if hasattr(optimizer, "epsilon"):
        optimizer.epsilon = TINY if EPSILON.active else or_epsilon(None)
