"""Outcomes drawn at random."""

from __future__ import annotations

from tfpy.core.convert import TensorLike
from tfpy.core.ops import random
from tfpy.core.tensor import Tensor
from tfpy.engine.rng import Seed
from tfpy.legacy.naming.registry import math_op
from tfpy.legacy.ops.common import of_rank


@math_op()
def multinomial(probabilities: TensorLike, num_samples: int, seed: Seed | None = None) -> Tensor:
    """Outcomes drawn with given probabilities.

    Args:
        probabilities: of at least two outcomes; a vector, or a row for each distribution.
        num_samples: how many outcomes to draw.
        seed: a number or text; 0 counts as no seed.

    Returns:
        An int32 vector of outcomes, or a row of them for each distribution.

    Raises:
        ValueError: another rank, or fewer than two outcomes.

    Source: deeplearn.js `math.multinomial`; `tf.multinomial` takes logits.
    """
    rows = of_rank("multinomial", "probabilities", probabilities, 1, 2)
    return random.multinomial(rows, num_samples, seed, True)
