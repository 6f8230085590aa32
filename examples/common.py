"""Code shared by the examples: their options, and images of digits that need no download."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

import tfpy as tf

# Digits on a grid of 3 x 5.
_SHAPES = (
    "111101101101111",
    "010110010010111",
    "111001111100111",
    "111001111001111",
    "101101111001001",
    "111100111001111",
    "111100111101111",
    "111001010010010",
    "111101111101111",
    "111101111001111",
)


def options(description: str | None, arguments: Sequence[str] | None, **flags: str) -> argparse.Namespace:
    """The options of the command line: --quick, --backend, and flags with their descriptions."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a few seconds on little data")
    parser.add_argument("--backend", default="cpu", help="cpu, gpu or exact")
    for name, text in flags.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    found = parser.parse_args(arguments)
    tf.set_backend(found.backend)
    tf.set_seed(1)
    return found


def drawn_digits(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Images of digits, 28 x 28 like those of MNIST: in several sizes, positions and intensities, with noise.

    Returns:
        float32 [count, 28, 28, 1] from 0 to 1, and int32 [count].
    """
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, count).astype(np.int32)
    pictures = rng.normal(0, 0.1, (count, 28, 28))
    for picture, label in zip(pictures, labels, strict=True):
        grid = np.array(list(_SHAPES[label]), np.float32).reshape(5, 3)
        high, wide = rng.integers(4, 6), rng.integers(5, 7)
        digit = np.kron(grid, np.ones((high, wide))) * rng.uniform(0.6, 1)
        digit *= rng.random(digit.shape) > 0.15
        top, left = (np.array(picture.shape) - digit.shape) // 2 + rng.integers(-1, 2, 2)
        picture[top : top + digit.shape[0], left : left + digit.shape[1]] += digit
    return pictures.clip(0, 1).astype(np.float32)[..., None], labels
