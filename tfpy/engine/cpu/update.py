"""numpy kernels of the optimizers' steps: each rule on flat blocks that stay in the cache, small variables together.

An update makes a dozen passes over its data. Variable by variable, a small one costs a dozen calls, and a large one a
dozen passes through memory; blocks of some ten thousand elements, of one or several variables, avoid both. The order of
operations is that of `core/optimizers/rules.py`, except that Adam and its variants correct the bias in the learning
rate and in ε, which saves two divisions of each element: w - (lr · √bias2 / bias1) · m / (√v + ε · √bias2).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.threads import run_split, spans_in_turns
from tfpy.engine.rows.update import SLOTS
from tfpy.engine.spec import Shape

_BLOCK_ELEMENTS = 1 << 16
_SHARD_ELEMENTS = 1 << 17  # that make a shard worthwhile

Out = Sequence[Array]
Rule = Callable[..., None]


class _Block(NamedTuple):
    """Elements that are updated together: one variable, or a part of a large one; or several small ones.

    Attributes:
        take: picks the entries of the block's variables from a list with an entry for each variable.
        part: the range within the single variable, flattened.
        places: for each variable, its number, its position in the memory of the block, and its shape.
        size: the number of elements.
    """

    take: Callable[[Sequence[Any]], Any]
    part: slice
    places: Sequence[tuple[int, slice, Shape]]
    size: int


@functools.lru_cache(maxsize=256)
def _blocks(shapes: tuple[Shape, ...]) -> list[_Block]:
    """Blocks of about equal size, each of which is a part of a large variable, or several small variables."""
    blocks: list[_Block] = []
    small: list[int] = []
    total = 0
    for i, size in enumerate(map(math.prod, shapes)):
        if size >= _BLOCK_ELEMENTS:
            blocks += [_block(shapes, [i], a, min(a + _BLOCK_ELEMENTS, size)) for a in range(0, size, _BLOCK_ELEMENTS)]
            continue
        if total + size > _BLOCK_ELEMENTS:
            blocks.append(_block(shapes, small, 0, total))
            small, total = [], 0
        small.append(i)
        total += size
    return [*blocks, _block(shapes, small, 0, total)] if small else blocks


def _block(shapes: Sequence[Shape], numbers: Sequence[int], start: int, end: int) -> _Block:
    edges = itertools.pairwise(itertools.accumulate([math.prod(shapes[i]) for i in numbers], initial=0))
    places = [(i, slice(a, b), shapes[i]) for i, (a, b) in zip(numbers, edges, strict=True)]
    return _Block(itemgetter(*numbers), slice(start, end), places, end - start)


def _update(rule: Rule, slots: int) -> Callable[..., list[Array]]:
    def run(*tensors: Array, **numbers: Any) -> list[Array]:
        count = len(tensors) // (2 + slots)
        if not count:
            return []
        variables = tensors[:count]
        scalars = _scalars(numbers, variables[0].dtype.type)
        flat = [t.reshape(-1) for t in tensors]
        columns = [flat[k : k + count] for k in range(0, len(flat), count)]
        blocks = _blocks(tuple([t.shape for t in variables]))
        results = [_allocate(variables, blocks) for _ in range(1 + slots)]
        parts = [parts for _, parts in results]

        def work(start: int, end: int) -> None:
            for block, *out in zip(blocks[start:end], *[p[start:end] for p in parts], strict=True):
                rule(out, *[_gathered(column, block) for column in columns], **scalars)

        run_split(work, spans_in_turns(len(blocks), len(blocks) * _BLOCK_ELEMENTS, _SHARD_ELEMENTS))
        return [array for arrays, _ in results for array in arrays]

    return run


def _allocate(variables: Sequence[Array], blocks: Sequence[_Block]) -> tuple[list[Array], list[Array]]:
    """Arrays for new values, and each block's part of them: small variables of a block share memory."""
    arrays, parts = list(variables), []
    for _, part, places, size in blocks:
        if len(places) == 1:
            ((i, _, shape),) = places
            if part.start == 0:
                arrays[i] = np.empty(shape, variables[i].dtype)
            parts.append(arrays[i].reshape(-1)[part])
            continue
        room = np.empty(size, variables[0].dtype)
        parts.append(room)
        for i, place, shape in places:
            arrays[i] = room[place].reshape(shape)
    return arrays, parts


def _gathered(column: Sequence[Array], block: _Block) -> Array:
    found = block.take(column)
    return found[block.part] if len(block.places) == 1 else np.concatenate(found)


def _scalars(numbers: dict[str, Any], of_type: type) -> dict[str, Any]:
    """The attributes as numbers of a type, and for each decay the weight of the new value, from double precision."""
    found = {}
    for name, value in numbers.items():
        found[name] = value if isinstance(value, bool) else of_type(value)
        if name in _DECAYS:
            found[f"new_{name}"] = of_type(1 - value)
    return found


_DECAYS = frozenset(("beta1", "beta2", "rho", "decay"))


# A rule fills the arrays `out` with the new value and the new slots. It uses them for intermediate results, too: each
# new array and each pass over one costs as much as an operation.


def _sgd(out: Out, w: Array, g: Array, *, lr: Any) -> None:
    (new,) = out
    np.multiply(g, -lr, out=new)
    new += w


def _momentum(out: Out, w: Array, g: Array, a: Array, *, lr: Any, beta: Any, nesterov: bool) -> None:
    new, velocity = out
    np.multiply(a, beta, out=velocity)
    velocity += g
    if nesterov:
        np.multiply(velocity, beta, out=new)
        new += g
        new *= -lr
    else:
        np.multiply(velocity, -lr, out=new)
    new += w


def _adagrad(out: Out, w: Array, g: Array, a: Array, *, lr: Any, epsilon: Any) -> None:
    new, total = out
    np.multiply(g, g, out=total)
    total += a
    np.divide(g, _root(total, epsilon), out=new)
    new *= -lr
    new += w


def _adadelta(
    out: Out, w: Array, g: Array, a: Array, u: Array, *, lr: Any, rho: Any, new_rho: Any, epsilon: Any
) -> None:
    new, squares, updates = out
    step = _root(u, epsilon)
    step /= _root(a, epsilon)
    step *= g
    _average_square(squares, a, g, rho, new_rho, new)
    _average_square(updates, u, step, rho, new_rho, new)
    np.multiply(step, -lr, out=new)
    new += w


def _rmsprop(
    out: Out, w: Array, g: Array, s: Array, v: Array, *, lr: Any, decay: Any, new_decay: Any, beta: Any, epsilon: Any
) -> None:
    new, squares, velocity = out
    _average_square(squares, s, g, decay, new_decay, new)
    np.multiply(g, lr, out=new)
    new /= _root(squares, epsilon)
    np.multiply(v, beta, out=velocity)
    velocity += new
    np.subtract(w, velocity, out=new)


def _centered_rmsprop(
    out: Out, w: Array, g: Array, s: Array, v: Array, m: Array, *,
    lr: Any, decay: Any, new_decay: Any, beta: Any, epsilon: Any,
) -> None:  # fmt: skip
    new, squares, velocity, mean = out
    _average_square(squares, s, g, decay, new_decay, new)
    _average(mean, m, g, decay, new_decay, new)
    variance = mean * mean
    variance += epsilon
    np.subtract(squares, variance, out=variance)
    np.multiply(g, lr, out=new)
    new /= np.sqrt(variance, out=variance)
    np.multiply(v, beta, out=velocity)
    velocity += new
    np.subtract(w, velocity, out=new)


def _adam(
    out: Out, w: Array, g: Array, m: Array, v: Array, *,
    lr: Any, beta1: Any, new_beta1: Any, beta2: Any, new_beta2: Any, epsilon: Any, bias1: Any, bias2: Any,
) -> None:  # fmt: skip
    new, first, second = out
    _average(first, m, g, beta1, new_beta1, new)
    _average_square(second, v, g, beta2, new_beta2, new)
    root = np.sqrt(bias2)
    _take_scaled_step(new, w, first, second, epsilon * root, -lr * root / bias1)


def _adamw(out: Out, w: Array, g: Array, m: Array, v: Array, *, part: Any, **numbers: Any) -> None:
    decayed = w * part
    np.subtract(w, decayed, out=decayed)
    _adam(out, decayed, g, m, v, **numbers)


def _nadam(
    out: Out, w: Array, g: Array, m: Array, v: Array, *,
    lr: Any, beta1: Any, new_beta1: Any, beta2: Any, new_beta2: Any, epsilon: Any, ahead: Any, kept: Any, bias2: Any,
) -> None:  # fmt: skip
    new, first, second = out
    _average(first, m, g, beta1, new_beta1, new)
    _average_square(second, v, g, beta2, new_beta2, new)
    step = g * ahead
    step += np.multiply(first, kept, out=new)
    root = np.sqrt(bias2)
    _take_scaled_step(new, w, step, second, epsilon * root, -lr * root)


def _take_scaled_step(new: Array, w: Array, step: Array, second: Array, epsilon: Any, factor: Any) -> None:
    """w + factor · step / (√second + ε)."""
    np.sqrt(second, out=new)
    new += epsilon
    np.divide(step, new, out=new)
    new *= factor
    new += w


def _adamax(
    out: Out, w: Array, g: Array, m: Array, v: Array, *,
    rate: Any, beta1: Any, new_beta1: Any, beta2: Any, new_beta2: Any, epsilon: Any,
) -> None:  # fmt: skip
    new, first, norm = out
    _average(first, m, g, beta1, new_beta1, new)
    np.multiply(v, beta2, out=norm)
    np.maximum(norm, np.abs(g, out=new), out=norm)
    np.add(norm, epsilon, out=new)
    np.divide(first, new, out=new)
    new *= -rate
    new += w


def _average(out: Array, old: Array, new: Array, decay: Any, rest: Any, room: Array) -> None:
    """decay · old + rest · new; `room` may be overwritten."""
    np.multiply(old, decay, out=out)
    out += np.multiply(new, rest, out=room)


def _average_square(out: Array, old: Array, new: Array, decay: Any, rest: Any, room: Array) -> None:
    """decay · old + rest · new²."""
    np.multiply(new, new, out=room)
    _average(out, old, room, decay, rest, room)


def _root(squares: Array, epsilon: Any) -> Array:
    """√(squares + ε)."""
    total = squares + epsilon
    return np.sqrt(total, out=total)


_RULES: dict[str, Rule] = {
    "SGD": _sgd,
    "Momentum": _momentum,
    "Adagrad": _adagrad,
    "Adadelta": _adadelta,
    "RMSProp": _rmsprop,
    "CenteredRMSProp": _centered_rmsprop,
    "Adam": _adam,
    "AdamW": _adamw,
    "Nadam": _nadam,
    "Adamax": _adamax,
}
UPDATES = {f"{name}Update": _update(rule, SLOTS[name]) for name, rule in _RULES.items()}
KERNELS.update(UPDATES)
