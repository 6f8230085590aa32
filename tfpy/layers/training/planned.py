"""Steps of a model that are replayed from a plan: the kernels of an earlier step, without the Python around them.

A step is recorded the second time that it runs with tensors of the same shapes. It is replayed only while it is certain
to do the same: all of its code is tfpy's own, so that its behavior is determined by options of layers and similar
objects, and none of these has been set since. Everything else (custom layers, losses and functions, states kept from
batch to batch, values read on the way) is run as usual. `layers/plan_validity.py` checks this.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.plans import Result
from tfpy.core.tensor import Tensor
from tfpy.layers.constraints import Constraint
from tfpy.layers.initializers import Initializer
from tfpy.layers.plan_validity import watch
from tfpy.layers.symbolic import Node, SymbolicTensor

if TYPE_CHECKING:
    from tfpy.layers.trainable_model import TrainableModel

_LEAVES = (Node, SymbolicTensor, Initializer, Constraint)  # they run no code in a step


def run_planned(
    model: TrainableModel,
    key: tuple[Hashable, ...],
    inputs: Sequence[Tensor],
    compute: Callable[[], Result],
    *others: Any,
) -> Result:
    """The result of a step of a model, replayed from the model's plans if possible.

    Args:
        model: the model.
        key: identifies the step, together with the shapes of its inputs.
        inputs: the tensors that differ each time.
        compute: runs the step.
        others: what the step calls besides the model, such as losses. It is kept alive with the plan, since its ids are
            in the key.
    """
    return model.plans.run(key, inputs, lambda: model.weights, compute, lambda: watch([model, *others], _LEAVES))
