"""Options of methods that read data sets: their names in each method, and how many batches to take."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfpy.engine.arguments import as_positive
from tfpy.engine.errors import argument_error


def refuse_with_a_dataset(where: str, **options: Any) -> None:
    """Raise if arguments are given that have no meaning for a data set.

    Args:
        where: the method, for messages.
        options: the arguments; None if they are not given.
    """
    for name, value in options.items():
        if value is not None:
            raise argument_error(where, name, "omitted if x is a data set, which has its own labels", value)


class DatasetNames(NamedTuple):
    """The names in messages of a method that reads a data set, and of its arguments."""

    method: str
    dataset: str
    batches: str
    validation_batches: str = ""
    validation_size: str = ""


FIT = DatasetNames("fit", "x", "steps_per_epoch", "validation_steps", "batch_size")
FIT_DATASET = DatasetNames("fit_dataset", "dataset", "batches_per_epoch", "validation_batches", "validation_batch_size")
EVALUATE = DatasetNames("evaluate", "x", "steps")
EVALUATE_DATASET = DatasetNames("evaluate_dataset", "dataset", "batches")


class BatchLimit(NamedTuple):
    """How many batches of a data set to take.

    Attributes:
        option: the name of the method's option, for messages.
        batches: the number; None for all batches.
        epochs: how many times that number is taken from one stream.
        data: the name of the data set in messages.
        stoppable: whether callbacks can stop earlier, so that the data may be infinite.
    """

    option: str
    batches: int | None
    epochs: int = 1
    data: str = "the data"
    stoppable: bool = False

    def too_few(self, where: str, found: int, remedy: str) -> str:
        """The warning of a data set that ended early.

        Args:
            where: the method.
            found: how many batches were found.
            remedy: what can be done.
        """
        method = where.partition(",")[0].removesuffix("_dataset")
        text = f"{method}: {self.data} ended after batch {found} of {self.batches}."
        if self.epochs > 1:
            text += f" All epochs read one stream, which must have {(self.batches or 0) * self.epochs} batches."
        return f"{text} {remedy}"


def batch_limit(where: str, option: str, value: Any, epochs: int = 1, data: str = "the data") -> BatchLimit:
    """A `BatchLimit` with the number passed to a method; None for all batches."""
    return BatchLimit(option, None if value is None else as_positive(where, option, value), epochs, data)
