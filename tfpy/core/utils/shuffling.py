"""`tf.util`: random numbers, and shuffling of lists and arrays."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.engine import rng
from tfpy.engine.arguments import as_count
from tfpy.engine.backend import Array
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.rng import Seed


@export(namespace="util", doc="Util")
def rand_uniform(a: float, b: float) -> float:
    """A random number from a to b.

    Source: TF.js `tf.util.randUniform`.
    """
    r = rng.fresh()
    return b * r + (1 - r) * a


@export(namespace="util", doc="Util")
def create_shuffled_indices(n: int, seed: Seed | None = None) -> Array:
    """The numbers below n in random order; a seed (beyond TF.js) makes the order reproducible.

    Source: TF.js `tf.util.createShuffledIndices`.
    """
    return _random_order(as_count("create_shuffled_indices", "n", n), seed).astype(np.uint32)


@export(namespace="util", doc="Util")
def shuffle(array: MutableSequence[Any] | Array, seed: Seed | None = None) -> None:
    """Shuffle a list or array in place; a seed (beyond TF.js) makes the order reproducible.

    Source: TF.js `tf.util.shuffle`.
    """
    if not isinstance(array, (MutableSequence, np.ndarray)):
        raise argument_error("shuffle", "array", "a list or array", array, TypeError)
    _reorder(array, _random_order(len(array), seed))


@export(namespace="util", doc="Util")
def shuffle_combo(
    array: MutableSequence[Any] | Array, array2: MutableSequence[Any] | Array, seed: Seed | None = None
) -> None:
    """Shuffle two lists or arrays in place in the same order; a seed (beyond TF.js) makes it reproducible.

    Raises:
        ValueError: their lengths differ. TypeError: not a list or array; both are unchanged then.

    Source: TF.js `tf.util.shuffleCombo`.
    """
    for argument, value in (("array", array), ("array2", array2)):
        if not isinstance(value, (MutableSequence, np.ndarray)):
            raise argument_error("shuffle_combo", argument, "a list or array", value, TypeError)
    if len(array) != len(array2):
        raise argument_error("shuffle_combo", "array2", f"of length {len(array)}", Unquoted(f"length {len(array2)}"))
    order = _random_order(len(array), seed)
    _reorder(array, order)
    _reorder(array2, order)


def _random_order(count: int, seed: Seed | None) -> Array:
    return rng.Shuffler(seed).shuffle(np.arange(count))


def _reorder(array: Any, order: Array) -> None:
    array[:] = array[order] if isinstance(array, np.ndarray) else [array[i] for i in order]


@export(namespace="util", doc="Util")
def swap(object: Any, left: Any, right: Any) -> None:
    """Swap two elements of a list, array or dict.

    Source: TF.js `tf.util.swap`.
    """
    try:
        object[left], object[right] = object[right], object[left]
    except (TypeError, LookupError):
        expected = f"a list, array or dict with elements at {left!r} and {right!r}"
        raise argument_error("swap", "object", expected, object, TypeError) from None
