"""Optimizer: gradients of a cost, applied to variables by a rule; slots, iterations, weights, configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import unwrap
from typing import Any, ClassVar, Literal, Self, overload

from tfpy.core.calling.constructing import constructed
from tfpy.core.calling.options import accepts_options, parameters_of
from tfpy.core.calling.ready import ReadyList, ReadyNone
from tfpy.core.calling.registry import export
from tfpy.core.convert import to_tensor
from tfpy.core.grads import VariableGrads, variable_grads_for
from tfpy.core.naming.elsewhere import OF_OPTIMIZERS
from tfpy.core.naming.hints import Closed
from tfpy.core.ops.common import full
from tfpy.core.optimizers._camel import OptimizerCamel
from tfpy.core.optimizers.clipping import Clipping
from tfpy.core.optimizers.rules import Slots, Update
from tfpy.core.optimizers.schedules import LearningRate, config_of, rate_of
from tfpy.core.optimizers.state import SlotName, State, by_variable, listed, read_state, state_of, steps_in, steps_made
from tfpy.core.results import NamedTensor, ReadyNamedTensor, named_tensors
from tfpy.core.run import run_multi
from tfpy.core.tensor import Tensor
from tfpy.core.variable import Variable, assign_and_release, find_variable, registered_variables
from tfpy.engine.arguments import as_function, as_number
from tfpy.engine.backend import current
from tfpy.engine.dispatch import settle
from tfpy.engine.errors import Unquoted, argument_error, unknown_name_error
from tfpy.engine.gradients import no_gradient
from tfpy.engine.rows.update import SLOTS
from tfpy.engine.scope import run_in_scope

no_gradient(*(f"{rule}Update" for rule in SLOTS))

NamedTensors = Mapping[str, Tensor] | Sequence[Any]


@export(doc="Training / Classes")
class Optimizer(OptimizerCamel, Closed):
    """Updates variables to minimize a cost.

    A subclass names its slots (the state of each variable, with its initial value) and defines `update`,
    or the `rule` that this calls. It may also name a kernel that does the same for all variables at once, and
    takes `hyperparameters()` as attributes. Or it defines `apply_gradients`, as in TF.js, and does everything itself.

    The built-in optimizers accept no additional attributes; a subclass may have some.

    The learning rate is a number, or a function of the number of steps made, such as `tf.train.exponential_decay`
    returns (beyond TF.js). Gradients can be clipped first (beyond TF.js): `clip_value` bounds each element,
    `clip_norm` the norm of each variable's gradient, `global_clip_norm` the norm of all gradients together.

    Attributes:
        iterations: how many steps have been made.
        class_name: the name in saved models.
        slot_names: the names of the slots of each variable.
        rule: the function that `update` calls, with `hyperparameters()` as keywords.
        kernel: the kernel that updates all variables in one step, or ''.

    Source: TF.js `tf.Optimizer`.
    """

    iterations: int
    class_name: ClassVar[str] = "Optimizer"
    slot_names: tuple[str, ...] = ()
    rule: ClassVar[Callable[..., Update] | None] = None
    kernel: str = ""
    _elsewhere = OF_OPTIMIZERS
    _options: ClassVar[tuple[str, ...]] = ()  # what a constructor takes besides learning rate and clipping

    def __init_subclass__(cls, factory: str | None = None, **keywords: Any) -> None:
        cls.class_name = vars(cls).get("className", cls.class_name)
        if factory is not None:
            cls._options = tuple(parameters_of(unwrap(vars(cls)["__init__"]))[0][2:])
        super().__init_subclass__(**keywords)

    def __init__(
        self,
        learning_rate: LearningRate = 0.01,
        clip_value: float | None = None,
        clip_norm: float | None = None,
        global_clip_norm: float | None = None,
    ) -> None:
        self._learning_rate = rate_of(self.class_name, learning_rate)
        self._clipping = Clipping(clip_value, clip_norm, global_clip_norm).checked(self.class_name)
        self.iterations = 0
        self._slots: dict[str, dict[str, Variable]] = {}

    def update(self, value: Tensor, grad: Tensor, slots: Slots) -> Update:
        """The new value of one variable and of its slots."""
        if self.rule is None:
            raise TypeError(f"{type(self).__name__}: an optimizer must define update(value, grad, slots).")
        return self.rule(value, grad, slots, **self.hyperparameters())

    def updated(self, values: Sequence[Tensor], grads: Sequence[Tensor], slots: Sequence[Slots]) -> list[Update]:
        """`update` of several values, by the kernel if that does the same."""
        count = len(values)
        if not count or not self._has_kernel_for((*values, *grads)):
            return [self.update(*each) for each in zip(values, grads, slots, strict=True)]
        found = self._run_kernel(values, grads, slots)
        columns = [found[start : start + count] for start in range(0, len(found), count)]
        return [(new, dict(zip(self.slot_names, own, strict=True))) for new, *own in zip(*columns, strict=True)]

    def clipped(self, grads: Sequence[Tensor]) -> Sequence[Tensor]:
        """The gradients of a step as they are applied."""
        return self._clipping(grads)

    def hyperparameters(self) -> dict[str, Any]:
        """The arguments of this step's rule besides values, gradients and slots."""
        return {}

    def end_step(self) -> None:
        """Called after the variables of a step have been updated."""

    def initial_slot(self, name: str) -> float:
        """The initial value of a slot."""
        return 0.0

    # The public steps

    @overload
    def minimize(
        self, f: Callable[[], Tensor], return_cost: Literal[True], var_list: Sequence[Tensor] | None = None
    ) -> Tensor: ...

    @overload
    def minimize(
        self, f: Callable[[], Tensor], return_cost: bool = False, var_list: Sequence[Tensor] | None = None
    ) -> Tensor | None: ...

    @accepts_options()
    def minimize(
        self, f: Callable[[], Tensor], return_cost: bool = False, var_list: Sequence[Tensor] | None = None
    ) -> Tensor | None:
        """One step: compute f() and its gradients, and update the variables.

        Args:
            f: a function without arguments that returns a scalar.
            return_cost: whether to return the value of f.
            var_list: the variables to update, or what `model.get_weights()` returns; all trainable ones by default.

        Returns:
            The value of f before the step, or None.

        Raises:
            ValueError: f does not return a scalar, or depends on none of the variables.
        """
        as_function("minimize", "f", f)
        wanted = bool(return_cost)  # evaluated before anything changes
        if _has_own(self, "compute_gradients"):
            value, grads = self.compute_gradients(f, var_list)
        else:
            value, grads = variable_grads_for("minimize", f, var_list)
        self.apply_gradients(grads)
        if wanted:
            return value  # type: ignore[no-any-return]
        value.dispose()
        return None

    @accepts_options()
    def compute_gradients(self, f: Callable[[], Tensor], var_list: Sequence[Tensor] | None = None) -> VariableGrads:
        """The value of f() and its gradients by variable name, as returned by `variable_grads`."""
        return variable_grads_for("compute_gradients", f, var_list)

    @accepts_options()
    def apply_gradients(self, variable_gradients: NamedTensors) -> None:
        """Update variables with given gradients.

        Args:
            variable_gradients: gradients by variable name, or a list of {'name', 'tensor'}; a gradient of None
                leaves its variable unchanged.

        Raises:
            ValueError: no variable of that name, or a gradient of a different shape; nothing is changed then.
        """
        pairs = _with_variables(variable_gradients)
        run_in_scope(lambda: self._step(pairs), "apply_gradients")
        self.increment_iterations()

    def increment_iterations(self) -> None:
        """Count a step, in a custom `apply_gradients`."""
        self.iterations += 1

    def _step(self, pairs: Sequence[tuple[Variable, Tensor]]) -> None:
        grads = self.clipped([grad for _, grad in pairs])
        clipped = [(variable, grad) for (variable, _), grad in zip(pairs, grads, strict=True)]
        if self._updates_all_at_once(clipped):
            self._update_all(clipped)
        else:
            self._update_each(clipped)
        self.end_step()

    def _update_each(self, pairs: Sequence[tuple[Variable, Tensor]]) -> None:
        slots_of = [self._slots_of(variable) for variable, _ in pairs]
        for (variable, grad), slots in zip(pairs, slots_of, strict=True):
            value, new = self.update(variable, grad, dict(slots))
            variable.assign(value)
            for name, slot in new.items():
                slots[name].assign(slot)
        settle([variable, *slots.values()] for (variable, _), slots in zip(pairs, slots_of, strict=True))

    def _updates_all_at_once(self, pairs: Sequence[tuple[Variable, Tensor]]) -> bool:
        distinct = len({variable.id for variable, _ in pairs}) == len(pairs) > 0
        return distinct and self._has_kernel_for([tensor for pair in pairs for tensor in pair])

    def _has_kernel_for(self, tensors: Sequence[Tensor]) -> bool:
        """Whether the kernel applies: no subclass has replaced its rule, and the backend has it."""
        owner = next(c for c in type(self).__mro__ if vars(c).keys() & {"update", "rule"})
        floats = all(tensor.dtype == "float32" for tensor in tensors)
        return floats and "kernel" in vars(owner) and current().implements(self.kernel)

    def _update_all(self, pairs: Sequence[tuple[Variable, Tensor]]) -> None:
        variables = [variable for variable, _ in pairs]
        slots = [self._slots_of(variable) for variable in variables]
        targets = [*variables, *(own[name] for name in self.slot_names for own in slots)]
        for target, new in zip(targets, self._run_kernel(variables, [grad for _, grad in pairs], slots), strict=True):
            assign_and_release(target, new)

    def _run_kernel(
        self, values: Sequence[Tensor], grads: Sequence[Tensor], slots: Sequence[Mapping[str, Tensor]]
    ) -> list[Tensor]:
        """The new values, and each slot of all of them."""
        states = [own[name] for name in self.slot_names for own in slots]
        return run_multi(self.kernel, *values, *grads, *states, **self.hyperparameters())

    def _slots_of(self, variable: Variable) -> dict[str, Variable]:
        slots = self._slots.get(variable.name)
        if slots is None:
            slots = self._slots[variable.name] = {
                name: Variable(full(variable.shape, self.initial_slot(name)), trainable=False)
                for name in self.slot_names
            }
        for name, slot in slots.items():
            if slot.spec.shape != variable.spec.shape:
                raise ValueError(
                    f"apply_gradients: the optimizer has a slot {name!r} of shape {list(slot.shape)} for variable "
                    f"{variable.name!r} of shape {list(variable.shape)}; call optimizer.dispose() to reset it."
                )
        return slots

    def dispose(self) -> None:
        """Free the slots."""
        for slots in self._slots.values():
            for slot in slots.values():
                slot.dispose()
        self._slots = {}

    def __getstate__(self) -> dict[str, Any]:
        """Slots are keyed by variable, since a copy of a variable may have another name."""
        variables = registered_variables()
        pairs = [(variables[name], slots) for name, slots in self._slots.items() if name in variables]
        return {**vars(self), "_slots": pairs}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state, _slots={variable.name: slots for variable, slots in state["_slots"]})

    # Configuration and weights

    def __repr__(self) -> str:
        options = {k: v for k, v in self.get_config().items() if v is not None}
        return f"{self.get_class_name()}({', '.join(f'{k}={v!r}' for k, v in options.items())})"

    def get_class_name(self) -> str:
        """Its name in saved configurations."""
        return self.class_name

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments by name."""
        own = {name: getattr(self, name) for name in self._options}
        return {"learning_rate": config_of(self._learning_rate, self.iterations), **self._clipping.options(), **own}

    @classmethod
    @accepts_options()
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """An optimizer from what `get_config` returned, in either spelling."""
        return constructed(cls, config)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step."""
        rate = self._learning_rate
        return as_number(self.class_name, "learning_rate", rate(self.iterations)) if callable(rate) else rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: LearningRate) -> None:
        self._learning_rate = rate_of(self.class_name, learning_rate)

    def set_learning_rate(self, learning_rate: LearningRate) -> None:
        """Set the learning rate."""
        self.learning_rate = learning_rate

    def get_weights(self) -> ReadyList[NamedTensor]:
        """The iterations and slots as a list of records (name, tensor); awaitable."""
        slots = [(SlotName(name, slot), own[slot]) for slot in self.slot_names for name, own in self._slots.items()]
        return ReadyList([self.save_iterations(), *listed(slots)])

    def save_iterations(self) -> ReadyNamedTensor:
        """The iterations as the first record of `get_weights`; awaitable."""
        name, tensor = steps_made(self.iterations)
        return ReadyNamedTensor(str(name), tensor)

    def extract_iterations(self, weight_values: Sequence[Any]) -> ReadyList[NamedTensor]:
        """Restore the iterations from what `get_weights` returned, and return the rest; awaitable."""
        values = named_tensors("extract_iterations", "weight_values", weight_values)
        if not values:
            raise argument_error(
                "extract_iterations", "weight_values", "records, starting with the iterations", weight_values
            )
        self.iterations = steps_in("extract_iterations", values[0][1])
        return ReadyList([NamedTensor(name, tensor) for name, tensor in values[1:]])

    def set_weights(self, weight_values: Sequence[Any]) -> ReadyNone:
        """Restore what `get_weights` returned; awaitable.

        Raises:
            ValueError: a number of weights or a slot that this optimizer does not have; nothing is changed then.
        """
        iterations, slots = self._checked(read_state("set_weights", "weight_values", weight_values))
        self.dispose()
        self._slots = slots
        self.iterations = iterations
        self._after_set_weights()
        return ReadyNone()

    def set_state_of(self, variables: Sequence[Variable], state: State) -> None:
        """`set_weights` for some variables; the slots of others, such as those of another model, are kept."""
        if type(self).set_weights is not Optimizer.set_weights:  # it sets more, or differently, and all at once
            self.set_weights(listed([*state, *self._state_of_others(variables)]))
            return
        iterations, slots = self._checked(state)
        for variable in variables:
            for slot in self._slots.get(variable.name, {}).values():
                slot.dispose()
            if variable.name not in slots:
                self._slots.pop(variable.name, None)
        self._slots.update(slots)
        self.iterations = iterations
        self._after_set_weights()

    def _state_of_others(self, variables: Sequence[Variable]) -> State:
        """The state of other live variables than these."""
        others = registered_variables().keys() - {variable.name for variable in variables}
        return [(name, tensor) for name, tensor in state_of(self) if name.variable in others]

    def _checked(self, state: State) -> tuple[int, dict[str, dict[str, Variable]]]:
        """The iterations and slots of a state."""
        tensors = [(name, to_tensor("set_weights", str(name), value)) for name, value in state]
        slots = by_variable(tensors[1:], self.slot_names)
        if not tensors or slots is None:
            given = f"the slots {', '.join(self.slot_names)} of each variable" if self.slot_names else "no slots"
            found = [str(name) for name, _ in tensors]
            raise argument_error("set_weights", "weight_values", f"the iterations, followed by {given}", found)
        return steps_in("set_weights", tensors[0][1]), {
            variable: {slot: Variable(value.clone(), trainable=False) for slot, value in own.items()}
            for variable, own in slots.items()
        }

    def _after_set_weights(self) -> None:
        """Called after iterations and slots have been set."""


_USUAL = {name: getattr(Optimizer, name) for name in ("minimize", "compute_gradients")}


def minimizes_as_usual(optimizer: Optimizer) -> bool:
    """Whether an optimizer's `minimize` only computes gradients and applies them."""
    return not any(_has_own(optimizer, name) for name in _USUAL)


def _has_own(optimizer: Optimizer, method: str) -> bool:
    """Whether a user has overridden a method of an optimizer, in its class or for this object."""
    return method in vars(optimizer) or getattr(type(optimizer), method) is not _USUAL[method]


def or_epsilon(epsilon: float | None) -> float:
    """The epsilon given, or the backend's."""
    return current().epsilon() if epsilon is None else float(epsilon)


def _with_variables(gradients: NamedTensors) -> list[tuple[Variable, Tensor]]:
    """The variables that the gradients are for; everything is checked before anything changes."""
    if isinstance(gradients, VariableGrads):
        expected = "the gradients, which are the field grads of the result of variable_grads"
        raise argument_error("apply_gradients", "variable_gradients", expected, Unquoted("all of it"), TypeError)
    pairs = []
    for name, grad in named_tensors("apply_gradients", "variable_gradients", gradients):
        if grad is None:
            continue
        if not isinstance(name, str):
            expected = "a dict of gradients by the names of variables, or a list of {'name', 'tensor'}"
            raise argument_error("apply_gradients", "variable_gradients", expected, gradients, TypeError)
        variable = find_variable(name)
        if variable is None:
            raise unknown_name_error("variable", name, registered_variables())
        tensor = to_tensor("apply_gradients", name, grad)
        if tensor.shape != variable.shape:
            expected = f"a gradient of shape {list(variable.shape)}"
            raise argument_error("apply_gradients", name, expected, tensor)
        pairs.append((variable, tensor))
    return pairs
