"""The update rules, each a pure function: value, gradient, slots -> value, slots. No state, no classes.

Both generations call them: TF.js's optimizers with a gradient, deeplearn.js's with the mean gradient of a batch. The
order of operations, and so the numbers, are those of TF.js.
"""

from __future__ import annotations

from tfpy.core.convert import number
from tfpy.core.ops.arith import add, div, maximum, mul, sub
from tfpy.core.run import run
from tfpy.core.tensor import Tensor

Slots = dict[str, Tensor]
Update = tuple[Tensor, Slots]


def sgd(value: Tensor, grad: Tensor, slots: Slots, lr: float) -> Update:
    """w - lr · g."""
    return add(mul(number(-lr), grad), value), {}


def momentum(value: Tensor, grad: Tensor, slots: Slots, lr: float, beta: float, nesterov: bool = False) -> Update:
    """a = beta · a + g;  w - lr · a, or with Nesterov's look-ahead w - lr · (g + beta · a)."""
    velocity = add(mul(number(beta), slots["momentum"]), grad)
    step = add(grad, mul(velocity, number(beta))) if nesterov else velocity
    return add(mul(number(-lr), step), value), {"momentum": velocity}


def adagrad(value: Tensor, grad: Tensor, slots: Slots, lr: float, epsilon: float) -> Update:
    """a += g²;  w - lr · g / √(a + ε).  (Duchi et al. 2011)"""
    total = add(slots["accumulator"], run("Square", grad))
    step = div(grad, run("Sqrt", add(total, number(epsilon))))
    return add(mul(step, number(-lr)), value), {"accumulator": total}


def adadelta(value: Tensor, grad: Tensor, slots: Slots, lr: float, rho: float, epsilon: float) -> Update:
    """Δ = √(u + ε) / √(a + ε) · g with the old a;  w - lr · Δ;  a and u average g² and Δ².  (Zeiler 2012)

    Zeiler divides by the new a; TF.js, deeplearn.js and this by the old one.
    """
    squares, updates = slots["accum_grad"], slots["accum_var"]
    ratio = div(run("Sqrt", add(updates, number(epsilon))), run("Sqrt", add(squares, number(epsilon))))
    step = mul(ratio, grad)
    return add(mul(step, number(-lr)), value), {
        "accum_grad": _average(squares, run("Square", grad), rho),
        "accum_var": _average(updates, run("Square", step), rho),
    }


def rmsprop(value: Tensor, grad: Tensor, slots: Slots, lr: float, decay: float, beta: float, epsilon: float) -> Update:
    """s averages g²;  v = beta · v + lr · g / √(s + ε);  w - v.  (Tieleman and Hinton 2012)"""
    squares = _average(slots["rms"], run("Square", grad), decay)
    step = div(mul(grad, number(lr)), run("Sqrt", add(squares, number(epsilon))))
    velocity = add(mul(slots["momentum"], number(beta)), step)
    return sub(value, velocity), {"rms": squares, "momentum": velocity}


def centered_rmsprop(
    value: Tensor, grad: Tensor, slots: Slots, lr: float, decay: float, beta: float, epsilon: float
) -> Update:
    """As `rmsprop`, divided by √(s - (m² + ε)), where m averages g.  (Graves 2013)"""
    squares = _average(slots["rms"], run("Square", grad), decay)
    mean = _average(slots["mg"], grad, decay)
    variance = sub(squares, add(run("Square", mean), number(epsilon)))
    step = div(mul(grad, number(lr)), run("Sqrt", variance))
    velocity = add(mul(slots["momentum"], number(beta)), step)
    return sub(value, velocity), {"rms": squares, "momentum": velocity, "mg": mean}


def adam(
    value: Tensor,
    grad: Tensor,
    slots: Slots,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    bias1: float,
    bias2: float,
) -> Update:
    """m and v average g and g²;  w - lr · (m / bias1) / (√(v / bias2) + ε), biasₙ = 1 - betaₙᵗ.  (Kingma, Ba 2014)"""
    first = _average(slots["m"], grad, beta1)
    second = _average(slots["v"], run("Square", grad), beta2)
    corrected, scale = div(first, number(bias1)), run("Sqrt", div(second, number(bias2)))
    step = div(corrected, add(scale, number(epsilon)))
    return add(mul(step, number(-lr)), value), {"m": first, "v": second}


def adamw(value: Tensor, grad: Tensor, slots: Slots, part: float, **hyperparameters: float) -> Update:
    """`adam` from w - part · w: decoupled weight decay.  (Loshchilov and Hutter 2019)"""
    return adam(sub(value, mul(value, number(part))), grad, slots, **hyperparameters)


def nadam(
    value: Tensor,
    grad: Tensor,
    slots: Slots,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    ahead: float,
    kept: float,
    bias2: float,
) -> Update:
    """m and v average g and g²;  w - lr · (ahead · g + kept · m) / (√(v / bias2) + ε).  (Dozat 2016)

    `ahead` and `kept` are (1 - μₜ) / (1 - Πμ) and μₜ₊₁ / (1 - Πμ · μₜ₊₁), with the momentum schedule μ.
    """
    first = _average(slots["m"], grad, beta1)
    second = _average(slots["v"], run("Square", grad), beta2)
    forward = add(mul(grad, number(ahead)), mul(first, number(kept)))
    step = div(forward, add(run("Sqrt", div(second, number(bias2))), number(epsilon)))
    return add(mul(step, number(-lr)), value), {"m": first, "v": second}


def adamax(
    value: Tensor, grad: Tensor, slots: Slots, rate: float, beta1: float, beta2: float, epsilon: float
) -> Update:
    """m averages g, u = max(beta2 · u, |g|);  w - rate · m / (u + ε).  (Kingma, Ba 2014)

    The rate is lr / (1 + decay · t) / (1 - beta1ᵗ⁺¹).
    """
    first = _average(slots["m"], grad, beta1)
    norm = maximum(mul(slots["v"], number(beta2)), run("Abs", grad))
    step = div(first, add(norm, number(epsilon)))
    return add(mul(number(-rate), step), value), {"m": first, "v": norm}


def _average(old: Tensor, new: Tensor, decay: float) -> Tensor:
    """The moving average: decay · old + (1 - decay) · new."""
    return add(mul(old, number(decay)), mul(new, number(1 - decay)))
