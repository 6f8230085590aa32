"""The accuracy of the GPU backend's functions, compared with float64: python tools/gl_accuracy.py [--json]

Errors are in units in the last place of the float32 result. Arguments are spread evenly over the bit patterns of each
function's range, so that all magnitudes are equally likely, and a second set is spread evenly over the interval where
the function is mostly used. The error of numpy's own float32 function is shown for comparison.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from source import ROOT, markdown_table

sys.path.insert(0, str(ROOT))

import tfpy as tf
from tfpy.engine.gl.backend import GlBackend

Floats = npt.NDArray[np.float32]
Function = Callable[..., Any]

COUNT = 1 << 15
SMALLEST, LARGEST = 1.1754944e-38, 3.4028235e38


class Subject(NamedTuple):
    """A function under test: its kernel's name, its domain, the usual interval, and the exact function in float64."""

    name: str
    low: float
    high: float
    usual: tuple[float, float]
    truth: Function


class Error(NamedTuple):
    """The largest and the mean error in units in the last place, and the number of non-finite mismatches."""

    most: float
    mean: float
    wrong: int


def _logistic(x: Any) -> Any:
    return np.exp(-np.logaddexp(0, -x))


def _elu(x: Any) -> Any:
    return np.where(x >= 0, x, np.expm1(x))


SUBJECTS = [
    Subject("acos", -1, 1, (-1, 1), np.arccos),
    Subject("acosh", 1, LARGEST, (1, 10), np.arccosh),
    Subject("asin", -1, 1, (-1, 1), np.arcsin),
    Subject("asinh", -LARGEST, LARGEST, (-10, 10), np.arcsinh),
    Subject("atan", -LARGEST, LARGEST, (-10, 10), np.arctan),
    Subject("atanh", -1, 1, (-1, 1), np.arctanh),
    Subject("cos", -LARGEST, LARGEST, (-10, 10), np.cos),
    Subject("cosh", -89, 89, (-10, 10), np.cosh),
    Subject("elu", -LARGEST, LARGEST, (-5, 5), _elu),
    Subject("exp", -87.3, 88.7, (-10, 10), np.exp),
    Subject("expm1", -87.3, 88.7, (-1, 1), np.expm1),
    Subject("log", SMALLEST, LARGEST, (0.5, 2), np.log),
    Subject("log1p", -1, LARGEST, (-0.5, 1), np.log1p),
    Subject("reciprocal", -1e37, 1e37, (0.1, 10), lambda x: 1 / x),
    Subject("rsqrt", SMALLEST, LARGEST, (0.1, 10), lambda x: 1 / np.sqrt(x)),
    Subject("sigmoid", -87.3, LARGEST, (-10, 10), _logistic),
    Subject("sin", -LARGEST, LARGEST, (-10, 10), np.sin),
    Subject("sinh", -89, 89, (-10, 10), np.sinh),
    Subject("softplus", -87.3, LARGEST, (-10, 10), lambda x: np.logaddexp(0, x)),
    Subject("sqrt", SMALLEST, LARGEST, (0.1, 10), np.sqrt),
    Subject("tan", -LARGEST, LARGEST, (-1.5, 1.5), np.tan),
    Subject("tanh", -LARGEST, LARGEST, (-5, 5), np.tanh),
]
PAIRS = {
    "div": np.divide,
    "pow": np.power,
    "atan2": np.arctan2,
}
LIMIT = 4.0


def spread(low: float, high: float, count: int, rng: np.random.Generator) -> Floats:
    """Numbers from low to high, evenly spread over their bit patterns."""
    first, last = (_order(np.float32(end)) for end in (low, high))
    return _unordered(rng.integers(first, last, count, endpoint=True))


def _order(x: Any) -> int:
    """Integers in the order of the floats."""
    bits = int(np.float32(x).view(np.int32))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF)


def _unordered(order: npt.NDArray[np.int64]) -> Floats:
    bits = np.where(order >= 0, order, -order | 0x80000000).astype(np.uint32)
    return bits.view(np.float32)


def error_of(found: Floats, truth: npt.NDArray[np.float64]) -> Error:
    """The errors of float32 results; subnormal exact values are not counted."""
    with np.errstate(over="ignore"):
        rounded = truth.astype(np.float32)
    counted = np.isfinite(rounded) & np.isfinite(found) & (np.abs(truth) >= SMALLEST)
    unit = np.spacing(np.abs(rounded[counted])).astype(np.float64)
    errors = np.abs(found[counted].astype(np.float64) - truth[counted]) / unit
    near_limit = np.isinf(found) != np.isinf(rounded)
    near_limit &= np.abs(truth) > 0.9999 * LARGEST
    wrong = (np.isnan(found) != np.isnan(rounded)) | ((np.isinf(found) != np.isinf(rounded)) & ~near_limit)
    return Error(float(errors.max()), float(errors.mean()), int(wrong.sum()))


def measure(subject: Subject) -> dict[str, Error]:
    """The errors of a function over its whole domain and the usual interval, and numpy's over the domain."""
    rng = np.random.default_rng(0)
    everywhere = spread(subject.low, subject.high, COUNT, rng)
    usual = rng.uniform(*subject.usual, COUNT).astype(np.float32)
    with np.errstate(all="ignore"):
        found = {
            place: error_of(getattr(tf, subject.name)(tf.tensor(x)).numpy(), subject.truth(x.astype(np.float64)))
            for place, x in (("domain", everywhere), ("usual", usual))
        }
        found["numpy"] = error_of(subject.truth(everywhere), subject.truth(everywhere.astype(np.float64)))
    return found


def measure_pair(name: str) -> dict[str, Error]:
    """The same for a function of two numbers."""
    rng = np.random.default_rng(0)
    x = spread(1e-3, 1e3, COUNT, rng) if name == "pow" else spread(-1e15, 1e15, COUNT, rng)
    y = rng.uniform(-12, 12, COUNT).astype(np.float32) if name == "pow" else spread(-1e15, 1e15, COUNT, rng)
    with np.errstate(all="ignore"):
        truth = PAIRS[name](x.astype(np.float64), y.astype(np.float64))
        found = getattr(tf, name)(tf.tensor(x), tf.tensor(y)).numpy()
        return {"domain": error_of(found, truth), "numpy": error_of(PAIRS[name](x, y), truth)}


def erf_error() -> float:
    """The largest absolute error of erf against its formula in float64."""
    x = np.linspace(-5, 5, COUNT, dtype=np.float32)
    v = np.abs(x.astype(np.float64))
    t = 1 / (1 + 0.3275911 * v)
    terms = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
    series = sum(a * t ** (i + 1) for i, a in enumerate(terms))
    truth = np.sign(x) * (1 - series * np.exp(-v * v))
    return float(np.abs(tf.erf(tf.tensor(x)).numpy() - truth).max())


def main() -> None:
    """Print the table; exit with 1 if an error is beyond the limit."""
    warnings.simplefilter("ignore", UserWarning)
    tf.set_backend("webgl")
    results = {s.name: measure(s) for s in SUBJECTS} | {name: measure_pair(name) for name in PAIRS}
    if "--json" in sys.argv:
        print(
            json.dumps({name: {k: e._asdict() for k, e in found.items()} for name, found in results.items()}, indent=1)
        )
        return
    backend = tf.backend()
    assert isinstance(backend, GlBackend)
    print(f"Errors in units in the last place: {backend.device.renderer}\n")
    head = ("function", "domain: max", "mean", "typical: max", "numpy float32: max", "NaN or infinity wrong")
    rows = []
    for name, found in results.items():
        usual = f"{found['usual'].most:.2f}" if "usual" in found else ""
        domain = found["domain"]
        wrong = sum(found[place].wrong for place in found if place != "numpy")
        rows.append((name, f"{domain.most:.2f}", f"{domain.mean:.2f}", usual, f"{found['numpy'].most:.2f}", str(wrong)))
    print(f"{markdown_table(head, rows)}\nerf: absolute error {erf_error():.1e} against its formula")
    worst = max(e.most for found in results.values() for place, e in found.items() if place != "numpy")
    raise SystemExit(0 if worst <= LIMIT else 1)


if __name__ == "__main__":
    main()
