"""Learning rate schedules: functions of the number of steps made.

The factory of `tf.train` that a class argument names is generated from constructor and docstring.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from tfpy.engine.arguments import as_int, as_number, as_positive
from tfpy.engine.errors import argument_error, unknown_name_error

# A learning rate: a number, or a function of the number of steps made.
LearningRate: TypeAlias = float | Callable[[int], float]


class Schedule:
    """A learning rate schedule. Its configuration is stored in saved models, under Keras's names."""

    class_name: ClassVar[str]
    members: ClassVar[dict[str, type[Schedule]]] = {}

    def __init_subclass__(cls, factory: str = "") -> None:
        Schedule.members[cls.class_name] = cls

    def __call__(self, step: int) -> float:
        """The learning rate after a number of steps."""
        raise TypeError(f"{type(self).__name__}: a schedule must define __call__(step).")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments by name."""
        return dict(vars(self))


class ExponentialDecay(Schedule, factory="train.exponential_decay"):
    """An exponentially decaying learning rate: initial · decay_rate ^ (step / decay_steps).

    It is a function of the number of steps made.

    Args:
        initial_learning_rate: the rate of the first step.
        decay_steps: the number of steps over which the rate is multiplied by decay_rate once.
        decay_rate: the factor.
        staircase: whether to change it only every decay_steps steps.

    Source: Keras `ExponentialDecay` (beyond TF.js).
    """

    class_name = "ExponentialDecay"

    def __init__(
        self, initial_learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False
    ) -> None:
        where = "exponential_decay"
        self.initial_learning_rate = as_number(where, "initial_learning_rate", initial_learning_rate)
        self.decay_steps = as_positive(where, "decay_steps", decay_steps)
        self.decay_rate = as_number(where, "decay_rate", decay_rate)
        self.staircase = bool(staircase)

    def __call__(self, step: int) -> float:
        exponent = step // self.decay_steps if self.staircase else step / self.decay_steps
        return float(self.initial_learning_rate * self.decay_rate**exponent)


class CosineDecay(Schedule, factory="train.cosine_decay"):
    """A learning rate that decays along half a cosine wave.

    It is a function of the number of steps made.

    Args:
        initial_learning_rate: the rate of the first step.
        decay_steps: the number of steps over which it decays.
        alpha: the fraction of the highest rate that remains at the end.
        warmup_target: the highest rate, to which it rises first; no warmup by default.
        warmup_steps: the number of steps over which it rises.

    Source: Loshchilov and Hutter 2017; Keras `CosineDecay` (beyond TF.js).
    """

    class_name = "CosineDecay"

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        alpha: float = 0.0,
        warmup_target: float | None = None,
        warmup_steps: int = 0,
    ) -> None:
        where = "cosine_decay"
        self.initial_learning_rate = as_number(where, "initial_learning_rate", initial_learning_rate)
        self.decay_steps = as_positive(where, "decay_steps", decay_steps)
        self.alpha = as_number(where, "alpha", alpha)
        self.warmup_target = None if warmup_target is None else as_number(where, "warmup_target", warmup_target)
        self.warmup_steps = as_int(where, "warmup_steps", warmup_steps)

    def __call__(self, step: int) -> float:
        start, first = 0, self.initial_learning_rate
        if self.warmup_target is not None:
            if step < self.warmup_steps:
                return first + (self.warmup_target - first) * step / self.warmup_steps
            start, first = self.warmup_steps, self.warmup_target
        part = min(max(step - start, 0) / self.decay_steps, 1)
        return first * (self.alpha + (1 - self.alpha) * 0.5 * (1 + math.cos(math.pi * part)))


class PiecewiseConstantDecay(Schedule, factory="train.piecewise_constant"):
    """A piecewise constant learning rate: values[i] up to and including step boundaries[i].

    It is a function of the number of steps made.

    Args:
        boundaries: the steps after which it changes, in ascending order.
        values: the rates, one more than boundaries.

    Source: Keras `PiecewiseConstantDecay` (beyond TF.js).
    """

    class_name = "PiecewiseConstantDecay"

    def __init__(self, boundaries: Sequence[int], values: Sequence[float]) -> None:
        where = "piecewise_constant"
        self.boundaries = [as_int(where, "boundaries", b) for b in boundaries]
        self.values = [as_number(where, "values", v) for v in values]
        if self.boundaries != sorted(self.boundaries):
            raise argument_error(where, "boundaries", "steps in ascending order", boundaries)
        if len(self.values) != len(self.boundaries) + 1:
            expected = f"{len(self.boundaries) + 1} of them, one more than boundaries"
            raise argument_error(where, "values", expected, values)

    def __call__(self, step: int) -> float:
        return self.values[bisect_left(self.boundaries, step)]


def rate_of(where: str, learning_rate: Any) -> LearningRate:
    """A learning rate given as a number, as a function of the steps, or as the configuration of a schedule.

    Error messages refer to the optimizer as `where`.
    """
    if isinstance(learning_rate, Mapping):
        name = learning_rate.get("class_name")
        if name is None:
            expected = (
                "a number, a function of the steps, or a schedule; options have names, as in adam(learning_rate=0.1)"
            )
            raise argument_error(where, "learning_rate", expected, learning_rate, TypeError)
        if name not in Schedule.members:
            raise unknown_name_error("schedule", name, Schedule.members)
        config = {key: value for key, value in learning_rate.get("config", {}).items() if key != "name"}
        return Schedule.members[name](**config)
    return learning_rate if callable(learning_rate) else as_number(where, "learning_rate", learning_rate)


def config_of(learning_rate: LearningRate, step: int) -> Any:
    """A learning rate as stored in a configuration; for a user's function, its rate at this step."""
    if isinstance(learning_rate, Schedule):
        return {"class_name": learning_rate.class_name, "config": learning_rate.get_config()}
    if not callable(learning_rate):
        return learning_rate
    return as_number("optimizer", "learning_rate(step)", learning_rate(step))
