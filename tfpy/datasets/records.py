"""The results of the functions of `tf.datasets`."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from tfpy.core.results import Record


class Samples(Record):
    """Inputs and labels: `x, y = samples`.

    Attributes:
        x: the inputs, an array whose first axis runs over the samples.
        y: the labels, int32.
    """

    x: npt.NDArray[Any]
    y: npt.NDArray[Any]


class Splits(Record):
    """Samples to train on and to test with: `(x_train, y_train), (x_test, y_test) = splits`.

    Attributes:
        train: the samples to train on.
        test: the samples to test with.
    """

    train: Samples
    test: Samples
