"""The state of an optimizer as `get_weights` lists it. The names in that list are composed and parsed only here.

A custom class may list anything, in an order that only it knows, so a state is also a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from tfpy.core.convert import to_tensor
from tfpy.core.results import NamedTensor, named_tensors
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_number
from tfpy.engine.dtypes import INT32_RANGE
from tfpy.engine.errors import argument_error

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer


class SlotName(NamedTuple):
    """The name of a value in the state of an optimizer; as text it is variable/slot.

    Attributes:
        variable: the name of the variable that the value belongs to; None if it belongs to none.
        slot: the name of the slot.
    """

    variable: str | None
    slot: str

    @classmethod
    def parse(cls, name: str) -> Self:
        """The name parsed from a string; the variable's may contain slashes."""
        variable, slash, slot = name.rpartition("/")
        return cls(variable if slash else None, slot)

    def __str__(self) -> str:
        return self.slot if self.variable is None else f"{self.variable}/{self.slot}"


State = list[tuple[SlotName, Tensor]]

MAX_ITERATIONS = INT32_RANGE[1]
"""The maximum number of steps: in a state it is an int32."""


def steps_made(iterations: int) -> tuple[SlotName, Tensor]:
    """The number of steps, the first entry of a state."""
    return SlotName(None, "iter"), to_tensor("get_weights", "iter", iterations, "int32")


def steps_in(where: str, value: Any) -> int:
    """The number of steps in such a value."""
    tensor = to_tensor(where, "iter", value)
    number = as_number(where, "iter", tensor.data_sync()[0] if tensor.size == 1 else value)
    if number < 0 or not number.is_integer():
        raise argument_error(where, "iter", "a whole number of 0 or more", number)
    return int(number)


def state_of(optimizer: Optimizer) -> State:
    """The state that `get_weights` returns, which a custom class may define."""
    return read_state("get_weights", "weights", optimizer.get_weights())


def read_state(where: str, argument: str, weights: Any) -> State:
    """The state in a list of {'name', 'tensor'}."""
    return [(SlotName.parse(str(name)), tensor) for name, tensor in named_tensors(where, argument, weights)]


def listed(state: Iterable[tuple[SlotName, Tensor]]) -> list[NamedTensor]:
    """A state as `set_weights` takes it."""
    return [NamedTensor(str(name), tensor) for name, tensor in state]


def by_variable(state: Iterable[tuple[SlotName, Tensor]], slots: Sequence[str]) -> dict[str, dict[str, Tensor]] | None:
    """The values of each variable by slot; None unless they are all slots of some variables, and nothing else."""
    found: dict[str, dict[str, Tensor]] = {}
    for (variable, slot), tensor in state:
        if variable is None:
            return None
        found.setdefault(variable, {})[slot] = tensor
    return found if all(own.keys() == set(slots) for own in found.values()) else None
