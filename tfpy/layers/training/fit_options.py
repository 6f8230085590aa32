"""What `fit` and `evaluate` are asked for, checked; and what an evaluation reports."""

from __future__ import annotations

from typing import Any

from tfpy.core.ready import ReadyList
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_number, as_positive
from tfpy.engine.errors import argument_error
from tfpy.layers.training.steps import Batch, Compiled


def held_out_part(data: Batch, part: float) -> tuple[Batch, Batch | None]:
    """The samples to train on, and the last ones, to validate on."""
    if not 0 <= as_number("fit", "validation_split", part) < 1:
        raise argument_error("fit", "validation_split", "from 0 up to but less than 1", part)
    if not part:
        return data, None
    at = int(data.size * (1 - part))
    if at == 0:
        raise argument_error("fit", "validation_split", f"small enough to leave some of {data.size} samples", part)
    return data.batch(0, at), data.batch(at, data.size)._replace(weights=[None] * len(data.targets))


def reported(compiled: Compiled, values: list[Tensor], verbose: int) -> Any:
    """What an evaluation returns, printed if that is wanted."""
    if verbose and (compiled.sharing is None or compiled.sharing.first):
        print(" - ".join(f"{n} {float(v):.4g}" for n, v in zip(compiled.labels, values, strict=True)))
    return values[0] if len(values) == 1 else ReadyList(values)


def refuse_with_a_dataset(**options: Any) -> None:
    """Options that have no meaning for a data set must not be given."""
    for name, value in options.items():
        if value is not None:
            raise argument_error("fit", name, "left out when x is a data set, which brings its own labels", value)


def as_limit(where: str, argument: str, value: Any) -> int | None:
    """How many batches; None for all."""
    return None if value is None else as_positive(where, argument, value)
