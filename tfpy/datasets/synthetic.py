"""Synthetic data sets, with the same numbers each time, where real ones may not be distributed."""

from __future__ import annotations

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.datasets.records import Samples, Splits
from tfpy.engine.arguments import as_count, as_positive
from tfpy.engine.errors import argument_error

_TOWNS = 506
_FEWEST = 5  # so that there is one to test with


@export(namespace="datasets", doc="Data sets")
def housing(samples: int = _TOWNS, seed: int = 1) -> Splits:
    """House prices in made-up districts, in the manner of the Boston housing data, which are not passed on here.

    The twelve features have the ranges of the original, hang together as there (industry goes with nitric oxide and
    taxes), and determine the price up to noise: in part by squares and products, so that a network does better than a
    line.

    Args:
        samples: how many districts; four fifths of them are to train on.
        seed: another one gives other districts of the same kind.

    Returns:
        train: x float32 [404, 12], unscaled: crime rate, large lots (%), industry (%), whether at the river, nitric
            oxide, rooms, age (% old), distance to work, highways, tax rate, pupils per teacher, poverty (%); y float32
            [404], the median price in 1000 $.
        test: the other 102.

    Raises:
        ValueError, TypeError: no whole number of at least 5 samples, or no whole number of 0 or more as seed.

    Source: beyond TF.js.
    """
    count = as_positive("housing", "samples", samples)
    if count < _FEWEST:
        raise argument_error("housing", "samples", f"at least {_FEWEST}", samples)
    rng = np.random.default_rng([as_count("housing", "seed", seed), 506])
    town = rng.normal(size=count)  # from the country to the city
    means = rng.normal(size=count)  # from poor to rich

    def between(low: float, high: float, *parts: np.ndarray) -> np.ndarray:
        """Numbers in a range, by the sum of what they depend on."""
        found: np.ndarray = low + (high - low) / (1 + np.exp(-sum(parts, 0.6 * rng.normal(size=count))))
        return found

    x = np.stack(
        [
            np.exp(between(-5, 4.4, town, -0.8 * means)),
            between(-30, 95, -1.4 * town, 0.5 * means).clip(0),
            between(0.5, 27.7, 1.3 * town, -0.5 * means),
            (rng.random(count) < 0.07).astype(float),
            between(0.385, 0.871, 1.5 * town),
            between(3.6, 8.8, 0.9 * means),
            between(2.9, 100, 1.2 * town),
            between(1.1, 12.1, -1.5 * town),
            np.floor(between(1, 24.9, 1.2 * town)),
            np.round(between(187, 711, 1.1 * town, -0.4 * means)),
            between(12.6, 22, 0.3 * town, -0.5 * means),
            between(1.7, 38, 0.4 * town, -1.5 * means),
        ],
        axis=1,
    )
    crime, _, industry, river, oxide, rooms, _, distance, _, _, pupils, poverty = x.T
    price = 24 + 4.5 * (rooms - 6.2) + 1.2 * (rooms - 6.2) ** 2 - 7 * np.log(poverty / 10) - 0.6 * (pupils - 17)
    price += 3 * river - 14 * (oxide - 0.6) * (distance < 4) - 0.06 * crime - 0.05 * industry
    y = np.clip(price + 1.5 * rng.normal(size=count), 5, 50)
    x, y = x.astype(np.float32), y.astype(np.float32)
    at = count * 4 // 5
    return Splits(Samples(x[:at], y[:at]), Samples(x[at:], y[at:]))
