"""numpy kernels of the optimizers' steps: each rule on flat blocks that stay in the cache, small variables together.

An update takes a dozen passes over its numbers. On one variable after the other a small one costs a dozen calls, and a
large one a dozen trips to memory; on blocks of some ten thousand numbers, whatever variables they are of, neither.
The order of operations is that of `core/optimizers/rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.threads import run_sharded, spans
from tfpy.engine.rows.update import SLOTS

_BLOCK = 1 << 16
_SHARD = 1 << 17  # so many numbers make a shard worth its while

Piece = tuple[int, int, int]  # a variable, and from where to where in it
Rule = Callable[..., tuple[Array, ...]]


def _blocks(sizes: Sequence[int]) -> Iterator[list[Piece]]:
    """Blocks of about equal size: a part of a large variable each, or several small variables."""
    gathered: list[Piece] = []
    total = 0
    for i, size in enumerate(sizes):
        if size >= _BLOCK:
            yield from ([(i, a, min(a + _BLOCK, size))] for a in range(0, size, _BLOCK))
            continue
        if total + size > _BLOCK:
            yield gathered
            gathered, total = [], 0
        gathered.append((i, 0, size))
        total += size
    if gathered:
        yield gathered


def _update(rule: Rule, slots: int) -> Callable[..., list[Array]]:
    def run(*tensors: Array, **numbers: Any) -> list[Array]:
        count = len(tensors) // (2 + slots)
        if not count:
            return []
        of_type = tensors[0].dtype.type
        scalars = {
            name: value if isinstance(value, bool) else of_type(value) for name, value in _constants(numbers).items()
        }
        flat = [t.reshape(-1) for t in tensors]
        columns = [flat[k : k + count] for k in range(0, len(flat), count)]
        outputs = [np.empty(t.shape, t.dtype) for t in (*tensors[:count], *tensors[2 * count :])]
        targets = [o.reshape(-1) for o in outputs]
        blocks = list(_blocks([len(v) for v in columns[0]]))

        def work(start: int, end: int) -> None:
            for pieces in blocks[start:end]:
                found = rule(*[_gathered(column, pieces) for column in columns], **scalars)
                for k, new in enumerate(found):
                    _scatter(new, targets[k * count : (k + 1) * count], pieces)

        run_sharded(work, spans(len(blocks), len(blocks) * _BLOCK, _SHARD))
        return outputs

    return run


def _constants(numbers: dict[str, Any]) -> dict[str, Any]:
    """The attributes, and for each decay the weight of what is new, computed in double precision."""
    rest = {f"new_{name}": 1 - numbers[name] for name in ("beta1", "beta2", "rho", "decay") if name in numbers}
    return numbers | rest


def _gathered(column: Sequence[Array], pieces: Sequence[Piece]) -> Array:
    if len(pieces) == 1:
        i, a, b = pieces[0]
        return column[i][a:b]
    return np.concatenate([column[i][a:b] for i, a, b in pieces])


def _scatter(values: Array, targets: Sequence[Array], pieces: Sequence[Piece]) -> None:
    start = 0
    for i, a, b in pieces:
        targets[i][a:b] = values[start : start + b - a]
        start += b - a


def _sgd(w: Array, g: Array, *, lr: Any) -> tuple[Array, ...]:
    return (-lr * g + w,)


def _momentum(w: Array, g: Array, a: Array, *, lr: Any, beta: Any, nesterov: bool) -> tuple[Array, ...]:
    velocity = beta * a + g
    step = g + velocity * beta if nesterov else velocity
    return -lr * step + w, velocity


def _adagrad(w: Array, g: Array, a: Array, *, lr: Any, epsilon: Any) -> tuple[Array, ...]:
    total = a + g * g
    return g / np.sqrt(total + epsilon) * -lr + w, total


def _adadelta(
    w: Array, g: Array, a: Array, u: Array, *, lr: Any, rho: Any, new_rho: Any, epsilon: Any
) -> tuple[Array, ...]:
    step = np.sqrt(u + epsilon) / np.sqrt(a + epsilon) * g
    return step * -lr + w, a * rho + g * g * new_rho, u * rho + step * step * new_rho


def _rmsprop(
    w: Array, g: Array, s: Array, v: Array, *, lr: Any, decay: Any, new_decay: Any, beta: Any, epsilon: Any
) -> tuple[Array, ...]:
    squares = s * decay + g * g * new_decay
    velocity = v * beta + g * lr / np.sqrt(squares + epsilon)
    return w - velocity, squares, velocity


def _centered_rmsprop(
    w: Array, g: Array, s: Array, v: Array, m: Array, *, lr: Any, decay: Any, new_decay: Any, beta: Any, epsilon: Any
) -> tuple[Array, ...]:
    squares = s * decay + g * g * new_decay
    mean = m * decay + g * new_decay
    velocity = v * beta + g * lr / np.sqrt(squares - (mean * mean + epsilon))
    return w - velocity, squares, velocity, mean


def _adam(
    w: Array, g: Array, m: Array, v: Array, *,
    lr: Any, beta1: Any, new_beta1: Any, beta2: Any, new_beta2: Any, epsilon: Any, bias1: Any, bias2: Any,
) -> tuple[Array, ...]:  # fmt: skip
    # first = m * beta1 + g * new_beta1; second = v * beta2 + g * g * new_beta2;
    # first / bias1 / (sqrt(second / bias2) + epsilon) * -lr + w; in four arrays instead of a dozen, which is faster by
    # a third. Adam is what most models are trained with.
    first, part = m * beta1, g * new_beta1
    first += part
    np.multiply(g, g, out=part)
    part *= new_beta2
    second = v * beta2
    second += part
    np.divide(second, bias2, out=part)
    np.sqrt(part, out=part)
    part += epsilon
    step = first / bias1
    step /= part
    step *= -lr
    step += w
    return step, first, second


def _adamax(
    w: Array, g: Array, m: Array, v: Array, *,
    rate: Any, beta1: Any, new_beta1: Any, beta2: Any, new_beta2: Any, epsilon: Any,
) -> tuple[Array, ...]:  # fmt: skip
    first = m * beta1 + g * new_beta1
    norm = np.maximum(v * beta2, np.abs(g))
    return -rate * (first / (norm + epsilon)) + w, first, norm


_RULES: dict[str, Rule] = {
    "SGD": _sgd,
    "Momentum": _momentum,
    "Adagrad": _adagrad,
    "Adadelta": _adadelta,
    "RMSProp": _rmsprop,
    "CenteredRMSProp": _centered_rmsprop,
    "Adam": _adam,
    "Adamax": _adamax,
}
UPDATES = {f"{name}Update": _update(rule, SLOTS[name]) for name, rule in _RULES.items()}
KERNELS.update(UPDATES)
