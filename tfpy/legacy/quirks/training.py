"""The sums of sessions, and the random numbers of initializers."""

from __future__ import annotations

from tfpy.legacy.quirks import behavior

EXAMPLE_BY_EXAMPLE = behavior(
    "examples_summed_in_order",
    "Session.train",
    "gradients and costs are added up in float32 example by example; so batches are evaluated example by example, "
    "unless asked otherwise. TF.js: one sum over the batch.",
)
ONE_SIDED = behavior(
    "variance_scaling_one_sided",
    "VarianceScalingInitializer",
    "the uniform distribution is that over [0, √(3 · scale / n)). TF.js: over [-√(3 · scale / n), √(3 · scale / n)).",
)
NO_CONSTANTS = behavior(
    "scalar_constants_undefined",
    "Scalar.ONE, ZERO, TWO, NEG_ONE",
    "undefined (they exist up to 0.3.13). By default: Scalars of these numbers.",
)
