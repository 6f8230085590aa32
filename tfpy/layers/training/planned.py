"""Steps of a model that are replayed from a plan: the kernels of an earlier step, without the Python around them.

A step is recorded the second time that it runs with tensors of the same shapes. It is replayed only while it is certain
to do the same: all of its code is tfpy's own, so that its behavior is determined by options of layers and similar
objects, and none of these has been set since. Everything else (custom layers, losses and functions, states kept from
batch to batch, values read on the way) is run as usual. `layers/plan_validity.py` checks this.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.plans import Plans, Result
from tfpy.core.tensor import Tensor
from tfpy.layers.constraints import Constraint
from tfpy.layers.initializers import Initializer
from tfpy.layers.plan_validity import watch
from tfpy.layers.symbolic import Node, SymbolicTensor

if TYPE_CHECKING:
    from tfpy.core.variable import Variable

_LEAVES = (Node, SymbolicTensor, Initializer, Constraint)  # they run no code in a step


class StepPlans(Plans):
    """The plans of a model's steps."""

    def run_step(
        self,
        key: tuple[Hashable, ...],
        inputs: Sequence[Tensor],
        things: Sequence[Any],
        variables: Callable[[], Sequence[Variable]],
        compute: Callable[[], Result],
    ) -> Result:
        """`run` for a step that calls `things`: the model, losses, …

        They are kept alive with the plan, since their ids are in its key.
        """
        return self.run(key, inputs, variables, compute, lambda: watch(things, _LEAVES))
