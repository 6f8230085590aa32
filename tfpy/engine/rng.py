"""Random streams: seeded ones, which match TF.js number for number, and unseeded ones, which use numpy.

Given a seed, TF.js draws from Johannes Baagøe's Alea generator (npm `seedrandom`), a multiply-with-carry generator of
lag 3 with multiplier a = 2091639 and base b = 2³². Such a generator is a linear congruential one in disguise: the state
N = x₀ + x₁b + x₂b² + cb³ becomes N·b⁻¹ modulo ab³ - 1 in each step. One can therefore jump ahead, and run many
stretches of the one sequence side by side.
"""

from __future__ import annotations

import math
import os
import random as _random
import struct
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.engine.arguments import as_ints, as_number
from tfpy.engine.errors import argument_error
from tfpy.engine.javascript_numbers import number_text, round_half_up
from tfpy.engine.state import refuse_plan

Seed = int | float | str
Floats = npt.NDArray[np.float64]

_A = 2091639
_BITS = 32
_B = 1 << _BITS
_MASK = _B - 1
_MODULUS = _A * _B**3 - 1
_STEP = pow(_B, -1, _MODULUS)
_FEW = 200  # up to this many numbers are faster one by one than in lanes


class _Source(_random.Random):
    """The source that streams without a seed are seeded from.

    Attributes:
        repeats: whether a seed has been set.
    """

    repeats = False


_source = _Source()


def set_seed(seed: Seed | None) -> None:
    """Make unseeded streams reproducible from here on; None makes them unpredictable again."""
    _source.seed(None if seed is None else _seed_text(seed))
    _source.repeats = seed is not None


def _reseed_after_fork() -> None:
    """Make a forked process draw other numbers than its parent and siblings, unless a seed has been set."""
    if not _source.repeats:
        _source.seed()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reseed_after_fork)


def fresh() -> float:
    """A random number for an unseeded stream (JavaScript's Math.random)."""
    refuse_plan(_DRAWN)
    return _source.random()


class _Unseeded(threading.local):
    """A generator for each thread, reset for each stream: creating one takes five times as long.

    It is created lazily, since `numpy.random` takes some milliseconds to import.
    """

    generator: np.random.Generator | None = None

    def at(self, state: bytes) -> np.random.Generator:
        """The generator, set to a state of four 64-bit words."""
        generator = self.generator
        if generator is None:
            generator = self.generator = np.random.Generator(np.random.SFC64(0))
        words = {"state": np.frombuffer(state, np.uint64)}
        generator.bit_generator.state = {"bit_generator": "SFC64", "state": words, "has_uint32": 0, "uinteger": 0}
        return generator


_generators = _Unseeded()

_DRAWN = "a random number was drawn"


def _unseeded() -> np.random.Generator:
    """An unseeded stream, valid until the next one is requested.

    Its numbers need not match TF.js, so it can use the fastest generator.
    """
    refuse_plan(_DRAWN)
    return _generators.at(_source.randbytes(32))


def key() -> npt.NDArray[np.int32]:
    """Two random words, from the unseeded streams, from which a kernel computes random numbers."""
    refuse_plan(_DRAWN)
    return np.frombuffer(_source.randbytes(8), np.int32)


def source_state() -> list[Any]:
    """The state of the unseeded streams as plain values, for `restore_source`."""
    version, words, spare = _source.getstate()
    return [version, list(words), spare]


def restore_source(state: list[Any]) -> None:
    """Restore the state of the unseeded streams; raises ValueError, changing nothing, if it is invalid."""
    check_source(state)
    version, words, spare = state
    _source.setstate((version, tuple(words), spare))
    _source.repeats = True


def check_source(state: Any) -> None:
    """Raise ValueError for an invalid state of the unseeded streams."""
    try:
        version, words, spare = state
        _random.Random().setstate((version, tuple(words), spare))
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"the state of the random streams is invalid: {error}") from None


def may_seed(value: object) -> bool:
    """Whether a value is a seed (a Python or numpy number, or a string) or None."""
    return value is None or isinstance(value, (int, float, str, np.number))


def _seed_text(seed: Seed) -> str:
    """A seed as the text that seeds the generator; a number as JavaScript prints it."""
    return seed if isinstance(seed, str) else number_text(as_number("random numbers", "seed", seed))


class Alea:
    """The generator: `take(n)` gives its next n numbers in [0, 1)."""

    def __init__(self, seed: Seed) -> None:
        mash = _Mash()
        state = [mash(" ") for _ in range(3)]
        text = _seed_text(seed)
        for i in range(3):
            state[i] -= mash(text)
            if state[i] < 0:
                state[i] += 1
        # All numbers of the state are multiples of 2⁻³².
        self._x = [int(s * _B) for s in state]
        self._carry = 1

    @property
    def state(self) -> list[int]:
        """The state of the stream: four whole numbers."""
        return [*self._x, self._carry]

    @state.setter
    def state(self, state: list[int]) -> None:
        words = as_ints("random numbers", "state", state)
        if len(words) != 4 or not all(0 <= word < _B for word in words):
            raise argument_error("random numbers", "state", "four whole numbers from 0 to 2³² - 1", state)
        *self._x, self._carry = words

    def next(self) -> float:
        """The next number in [0, 1)."""
        x = self._x
        t = _A * x[0] + self._carry
        self._carry = t >> _BITS
        x[:] = x[1], x[2], t & _MASK
        return x[2] / _B

    def int32(self) -> int:
        """The next number as a signed 32-bit integer."""
        value = int(self.next() * _B)
        return value - _B if value >= _B >> 1 else value

    def take(self, count: int) -> Floats:
        """The next `count` numbers in [0, 1), in order."""
        if count < _FEW:
            return self._one_by_one(count)
        # A step of all lanes takes about as long as starting six lanes.
        length = math.isqrt(count // 6)
        numbers = self._run_lanes(-(-count // length), length)
        self._jump(count)
        return numbers[:count]

    def _one_by_one(self, count: int) -> Floats:
        (x0, x1, x2), carry = self._x, self._carry
        found = []
        for _ in range(count):
            t = _A * x0 + carry
            carry = t >> _BITS
            x0, x1, x2 = x1, x2, t & _MASK
            found.append(x2)
        self._x, self._carry = [x0, x1, x2], carry
        return np.array(found, dtype=np.float64) / _B

    def _number(self) -> int:
        x = self._x
        return x[0] + (x[1] << _BITS) + (x[2] << 2 * _BITS) + (self._carry << 3 * _BITS)

    def _jump(self, steps: int) -> None:
        number = self._number() * pow(_STEP, steps, _MODULUS) % _MODULUS
        self._x = [(number >> i * _BITS) & _MASK for i in range(3)]
        self._carry = number >> 3 * _BITS

    def _run_lanes(self, lanes: int, length: int) -> Floats:
        """The next lanes · length numbers: lane i starts i · length steps ahead."""
        jump = pow(_STEP, length, _MODULUS)
        number = self._number()
        starts = []
        for _ in range(lanes):
            starts.append(number.to_bytes(16, "little"))
            number = number * jump % _MODULUS
        words = np.frombuffer(b"".join(starts), dtype="<u4").reshape(lanes, 4)
        x0, x1, x2, carry = words.T.astype(np.uint64)
        out = np.empty((length, lanes), dtype=np.uint64)
        mask, bits, a = np.uint64(_MASK), np.uint64(_BITS), np.uint64(_A)
        for step in range(length):
            t = x0 * a
            t += carry
            carry = t >> bits
            np.bitwise_and(t, mask, out=out[step])
            x0, x1, x2 = x1, x2, out[step]
        return out.T.reshape(-1).astype(np.float64) / _B


class _Mash:
    """The hash that turns a seed into the generator's initial state; it keeps its state between calls."""

    def __init__(self) -> None:
        self.n = float(0xEFC8249D)

    def __call__(self, data: str) -> float:
        n = self.n
        encoded = data.encode("utf-16-le", "surrogatepass")
        for unit in struct.unpack(f"<{len(encoded) // 2}H", encoded):
            h = 0.02519603282416938 * (n + unit)
            whole = int(h)  # below 2³², as n is below 2³³
            h = (h - whole) * whole
            whole = int(h)
            n = whole + (h - whole) * _B
        self.n = n
        return (int(n) & _MASK) * 2.3283064365386963e-10


def stream(seed: Seed | None) -> Alea:
    """The generator for a seed; None means unseeded."""
    return Alea(fresh() if seed is None else seed)


def truthy_seed(seed: Seed | None) -> Seed | None:
    """The seed as TF.js's normal, gamma and multinomial streams take it: 0 and '' count as none."""
    return None if may_seed(seed) and not seed else seed


@np.errstate(over="ignore", invalid="ignore")  # between infinite bounds lies NaN, as in JavaScript
def uniform(seed: Seed | None, count: int, low: float = 0.0, high: float = 1.0) -> Floats:
    """Uniformly distributed numbers in [low, high)."""
    numbers = _unseeded().random(count) if seed is None else Alea(seed).take(count)
    numbers *= high - low
    numbers += low
    return numbers


def normal(seed: Seed | None, count: int, mean: float = 0.0, stddev: float = 1.0, truncated: bool = False) -> Floats:
    """Normal numbers, by Marsaglia's polar method if seeded; truncated ones lie within two deviations of the mean."""
    chosen = truthy_seed(seed)
    form = mean, stddev, truncated
    more = _numpys_normals(*form) if chosen is None else _polar_normals(Alea(chosen), *form)
    found: list[Floats] = []
    missing = count
    while missing > 0:
        found.append(more(missing))
        missing -= found[-1].size
    return np.concatenate(found)[:count] if found else np.empty(0)


def _numpys_normals(mean: float, stddev: float, truncated: bool) -> Callable[[int], Floats]:
    """A function that returns unseeded normal numbers, about as many as are missing."""
    generator = _unseeded()

    def more(missing: int) -> Floats:
        numbers = generator.standard_normal(missing + (missing // 16 + 8 if truncated else 0))
        if truncated:
            numbers = numbers[np.abs(numbers) <= 2]
        numbers *= stddev
        numbers += mean
        return numbers

    return more


def _polar_normals(generator: Alea, mean: float, stddev: float, truncated: bool) -> Callable[[int], Floats]:
    """Like `_numpys_normals`, from a TF.js stream."""

    def more(missing: int) -> Floats:
        pairs = _polar_pairs(generator, int(missing * 0.75) + 16, mean, stddev)
        return _kept(pairs, mean, stddev) if truncated else pairs.reshape(-1)

    return more


def _polar_pairs(generator: Alea, tries: int, mean: float, stddev: float) -> Floats:
    """Pairs of normal numbers from `tries` points in the square, each of which inside the circle yields a pair."""
    v = 2 * generator.take(2 * tries).reshape(-1, 2) - 1
    s = v[:, 0] * v[:, 0] + v[:, 1] * v[:, 1]
    inside = (s < 1) & (s != 0)
    v, s = v[inside], s[inside]
    factor = np.sqrt(-2.0 * np.log(s) / s)
    return mean + stddev * v * factor[:, None]


def _kept(pairs: Floats, mean: float, stddev: float) -> Floats:
    """A pair is kept if its first number is near the mean; the second is used only if it is, too."""
    near = (pairs <= mean + 2 * stddev) & (pairs >= mean - 2 * stddev)
    near[:, 1] &= near[:, 0]
    return pairs[near]


def gamma(seed: Seed | None, count: int, alpha: float, beta: float, whole: bool) -> Floats:
    """Gamma-distributed numbers by the method of Marsaglia and Tsang (2000); beta multiplies, as it does in TF.js.

    `whole` draws from normal numbers rounded to whole ones and rounds the result, as TF.js does for int32.
    """
    uniforms = stream(truthy_seed(seed))
    normals = _Normals(uniforms.next(), whole)
    d = alpha + 2 / 3 if alpha < 1 else alpha - 1 / 3
    c = 1 / math.sqrt(9 * d)
    out = np.empty(count)
    for i in range(count):
        value = beta * d * _gamma_try(uniforms, normals, c, d)
        if alpha < 1:
            value *= uniforms.next() ** (1 / alpha)
        out[i] = round_half_up(value) if whole else value
    return out


def _gamma_try(uniforms: Alea, normals: _Normals, c: float, d: float) -> float:
    while True:
        x = normals.next()
        v = 1 + c * x
        while v <= 0:
            x = normals.next()
            v = 1 + c * x
        v *= v * v
        u = uniforms.next()
        if u < 1 - 0.331 * x**4 or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            return v


class _Normals:
    """Standard normal numbers one by one."""

    def __init__(self, seed: float, whole: bool) -> None:
        self._generator = stream(truthy_seed(seed))
        self._whole = whole
        self._ready: list[float] = []

    def next(self) -> float:
        while not self._ready:
            self._ready = _polar_pairs(self._generator, 64, 0.0, 1.0).reshape(-1)[::-1].tolist()
        value = self._ready.pop()
        return round_half_up(value) if self._whole else value


class Shuffler:
    """Shuffles arrays; if seeded, with Fisher-Yates from the end, drawing as TF.js's `util.shuffle` does."""

    def __init__(self, seed: Seed | None = None) -> None:
        self._stream = None if seed is None else Alea(seed)

    @property
    def state(self) -> list[int] | None:
        """The state of its stream; None if it has none of its own."""
        return None if self._stream is None else self._stream.state

    @state.setter
    def state(self, state: list[int] | None) -> None:
        if self._stream is not None and state is not None:
            self._stream.state = state

    def shuffle(self, order: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The elements of an array in random order, as a new array."""
        if self._stream is None:
            return _unseeded().permutation(order)
        count = len(order)
        items = order.tolist()
        for left, draw in zip(range(count, 0, -1), self._stream.take(count).tolist(), strict=True):
            i = int(draw * left)
            items[left - 1], items[i] = items[i], items[left - 1]
        return np.array(items, dtype=order.dtype)
