"""deeplearn.js's optimizers for sessions, over the update rules of the core.

By default an optimizer is the core's of the same name: it receives the mean gradient of the batch and uses TF.js's
epsilons, so both generations train alike. In deeplearn.js numerics it follows deeplearn.js (`quirks/optimizers.py`).

0.5 put more numbers before the list of variables. Both orders of arguments are accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from tfpy.core.calling.options import accepts_options
from tfpy.core.convert import number
from tfpy.core.grads import VariableGrads, variable_grads
from tfpy.core.naming.elsewhere import OF_OPTIMIZERS
from tfpy.core.naming.hints import Closed
from tfpy.core.ops.arith import div
from tfpy.core.ops.common import full
from tfpy.core.optimizers import base, classes
from tfpy.core.optimizers.rules import Slots, Update
from tfpy.core.tensor import Tensor as CoreTensor
from tfpy.engine.arguments import as_list
from tfpy.engine.errors import argument_error
from tfpy.engine.scope import outlive_scopes
from tfpy.legacy import quirks
from tfpy.legacy.arrays.ndarray import NDArray, Scalar, adopt
from tfpy.legacy.graphs._camel import MomentumOptimizerCamel, OptimizerCamel, RuleOptimizerCamel
from tfpy.legacy.graphs.maps import SummedTensorArrayMap, TensorArrayMap
from tfpy.legacy.quirks import optimizers as quirk_rules

if TYPE_CHECKING:
    from tfpy.legacy.graphs.session import SessionRuntime
    from tfpy.legacy.graphs.symbolic import Node, Tensor
    from tfpy.legacy.math import NDArrayMath

T = TypeVar("T")


class ComputedGradients(VariableGrads):
    """The result of `Optimizer.compute_gradients`, whose field grads is called gradients in 0.4."""

    @property
    def gradients(self) -> dict[str, CoreTensor]:
        return self.grads

    def __contains__(self, key: object) -> bool:
        return key == "gradients" or super().__contains__(key)


class Optimizer(OptimizerCamel, Closed):
    """The optimizer of `Session.train`, which calls it before a batch, after each evaluation, and after the batch.

    A custom subclass overrides `after_batch` and finds the sum of each variable's gradients over the batch in
    `variable_gradients`.

    Args:
        learning_rate: the step size; absent up to 0.2.0.
        specified_variable_list: the nodes of the variables to train; all that the cost depends on by default.

    Source: deeplearn.js `Optimizer`.
    """

    _elsewhere = OF_OPTIMIZERS
    learning_rate: float
    specified_variable_nodes: list[Node] | None
    variable_nodes: list[Node]
    variable_gradients: SummedTensorArrayMap
    prev_batch_size: int | None

    @accepts_options()
    def __init__(
        self, learning_rate: float | Sequence[Any] = 0.0, specified_variable_list: Sequence[Any] | None = None
    ) -> None:
        rate, variables = _before_variables(learning_rate, specified_variable_list, 0.0)
        self.learning_rate = float(rate)
        self.specified_variable_nodes = None
        if variables is not None:
            given = as_list(type(self).__name__, "specified_variable_list", variables, "variables")
            self.specified_variable_nodes = [_variable_node(v) for v in given]
        self.variable_nodes = []
        self.variable_gradients = SummedTensorArrayMap()
        self.prev_batch_size = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(learning_rate={self.learning_rate})"

    @property
    def averages(self) -> bool:
        """Whether it expects the mean gradient of a batch instead of the sum."""
        return False

    @property
    def c(self) -> NDArray:
        """-(learning rate) / (batch size) as a Scalar: the factor of the summed gradients in a step."""
        return Scalar.new(-self.learning_rate / (self.prev_batch_size or 1))

    @property
    def one(self) -> NDArray:
        """The Scalar 1."""
        return Scalar.new(1)

    def before_batch(
        self,
        math: NDArrayMath,
        batch_size: int,
        runtime: SessionRuntime,
        activation_array_map: TensorArrayMap,
        gradient_array_map: SummedTensorArrayMap,
    ) -> None:
        """Called before a batch: collect the variables."""
        present = [node for node in runtime.nodes if node.trainable]
        chosen = present if self.specified_variable_nodes is None else self.specified_variable_nodes
        missing = [node.name for node in chosen if node not in present]
        if missing or not chosen:
            what = f"not on {', '.join(map(repr, missing))}" if missing else "on no variable"
            raise ValueError(f"train: the cost depends {what}; an optimizer needs variables that the cost depends on.")
        self.variable_nodes = chosen
        self.variable_gradients.dispose()
        self.prev_batch_size = batch_size

    def after_example(
        self,
        math: NDArrayMath,
        runtime: SessionRuntime,
        activation_array_map: TensorArrayMap,
        gradient_array_map: SummedTensorArrayMap,
    ) -> None:
        """Called after an example, or after a whole batch that is evaluated at once: accumulate the gradients."""
        for node in self.variable_nodes:
            if gradient_array_map.has(node.output):
                self.variable_gradients.add(node.output, gradient_array_map.handle(node.output))

    def after_batch(
        self,
        math: NDArrayMath,
        batch_size: int,
        runtime: SessionRuntime,
        activation_array_map: TensorArrayMap,
        gradient_array_map: SummedTensorArrayMap,
    ) -> None:
        """Called after a batch: update the variables."""
        raise TypeError(f"{type(self).__name__}: an optimizer must define after_batch.")

    def dispose(self) -> None:
        """Drop the gradients and all state of the variables, but not the variables."""
        self.variable_gradients.dispose()

    # From 0.4.1 on: training functions of `dl.variable`s, without a graph

    def core_optimizer(self) -> base.Optimizer:
        """The core optimizer used by `minimize` and related methods."""
        raise TypeError(f"{type(self).__name__}: this optimizer trains graphs only, with session.train.")

    @overload
    def minimize(
        self, f: Callable[[], Any], return_cost: Literal[True], var_list: Sequence[CoreTensor] | None = None
    ) -> NDArray: ...

    @overload
    def minimize(
        self, f: Callable[[], Any], return_cost: bool = False, var_list: Sequence[CoreTensor] | None = None
    ) -> NDArray | None: ...

    @accepts_options()
    def minimize(
        self, f: Callable[[], Any], return_cost: bool = False, var_list: Sequence[CoreTensor] | None = None
    ) -> NDArray | None:
        """One step: compute f() and its gradients with respect to variables, and update them.

        Args:
            f: a function without arguments that returns a Scalar.
            return_cost: whether to return the value of f.
            var_list: the variables to update; all trainable ones by default.

        Source: deeplearn.js 0.4 `Optimizer.minimize`.
        """
        cost = self.core_optimizer().minimize(f, True, var_list)
        assert cost is not None
        return adopt(cost.clone()) if return_cost else None

    @accepts_options()
    def compute_gradients(
        self, f: Callable[[], Any], var_list: Sequence[CoreTensor] | None = None
    ) -> ComputedGradients:
        """The value of f() and its gradients by variable name, as arrays: fields value and grads (0.4: gradients)."""
        from tfpy.legacy.math import adopted

        return ComputedGradients(*adopted(variable_grads(f, var_list)))

    def apply_gradients(self, variable_gradients: Mapping[str, Any]) -> None:
        """Update variables with gradients given by name."""
        self.core_optimizer().apply_gradients(variable_gradients)


def _before_variables(number: Any, variables: Sequence[Any] | None, default: T) -> tuple[float | T, Any]:
    """An option and the list of variables after it; before 0.5 the list has the option's position."""
    if variables is None and isinstance(number, (list, tuple)):
        return default, number
    return number, variables


def _variable_node(given: Any) -> Node:
    from tfpy.legacy.graphs.symbolic import Node, Tensor

    node = given.node if isinstance(given, Tensor) else given
    if not isinstance(node, Node) or not node.trainable:
        raise argument_error("Optimizer", "specified_variable_list", "a list of variable nodes", given, TypeError)
    return node


class RuleOptimizer(Optimizer, RuleOptimizerCamel):
    """An optimizer of deeplearn.js: a rule of the core, and deeplearn.js's own in its numerics."""

    def __init__(
        self, core: base.Optimizer, specified_variable_list: Sequence[Any] | None, epsilon: float | None = None
    ) -> None:
        super().__init__(core.learning_rate, specified_variable_list)
        self._core = core
        self._settings = quirk_rules.SETTINGS[type(core)](core)._replace(epsilon=epsilon)
        self._slots: dict[int, dict[str, CoreTensor]] = {}
        self._calls = 0
        self._rate = 0.0

    def __repr__(self) -> str:
        options = {**self._core.get_config(), "learning_rate": self.learning_rate}
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in options.items() if v is not None)})"

    def core_optimizer(self) -> base.Optimizer:
        self._core.learning_rate = self.learning_rate
        if self._settings.epsilon is None:
            quirk_rules.set_default_epsilon(self._core)
        return self._core

    @property
    def averages(self) -> bool:
        return not quirks.active()

    def set_learning_rate(self, learning_rate: float) -> None:
        """Set the learning rate."""
        self.learning_rate = float(learning_rate)

    def before_batch(
        self,
        math: NDArrayMath,
        batch_size: int,
        runtime: SessionRuntime,
        activation_array_map: TensorArrayMap,
        gradient_array_map: SummedTensorArrayMap,
    ) -> None:
        if not quirk_rules.LEARNING_RATE.active or batch_size != self.prev_batch_size:
            self._rate = -self.learning_rate / batch_size
        super().before_batch(math, batch_size, runtime, activation_array_map, gradient_array_map)
        self._calls = 0

    def after_example(
        self,
        math: NDArrayMath,
        runtime: SessionRuntime,
        activation_array_map: TensorArrayMap,
        gradient_array_map: SummedTensorArrayMap,
    ) -> None:
        super().after_example(math, runtime, activation_array_map, gradient_array_map)
        self._calls += 1

    def after_batch(
        self,
        math: NDArrayMath,
        batch_size: int,
        runtime: SessionRuntime,
        activation_array_map: TensorArrayMap,
        gradient_array_map: SummedTensorArrayMap,
    ) -> None:
        core = self.core_optimizer()
        gradients = self.variable_gradients
        nodes = [node for node in self.variable_nodes if gradients.has(node.output)]
        slots = [self._slots_of(node.output) for node in nodes]
        updates = self._updates(
            [activation_array_map.tensor(node.output) for node in nodes],
            [gradients.tensor(node.output) for node in nodes],
            [dict(own) for own in slots],
        )
        for node, own, (value, changed) in zip(nodes, slots, updates, strict=True):
            node.data = adopt(value)
            for name, slot in changed.items():
                own[name] = outlive_scopes(slot)
        core.end_step()
        core.iterations += 1
        self._settings = self._settings.of_next_step()
        self.variable_gradients.dispose()

    def _updates(
        self, values: Sequence[CoreTensor], gradients: Sequence[CoreTensor], slots: Sequence[Slots]
    ) -> list[Update]:
        if quirks.active():
            rule = quirk_rules.RULES[self._core.class_name]
            given = zip(values, gradients, slots, strict=True)
            return [rule(*each, self._rate, self._settings) for each in given]
        if self._calls > 1:
            gradients = [div(gradient, number(self._calls)) for gradient in gradients]
        return self._core.updated(values, self._core.clipped(gradients), slots)

    def _slots_of(self, tensor: Tensor) -> dict[str, CoreTensor]:
        slots = self._slots.get(tensor.id)
        if slots is None:
            slots = self._slots[tensor.id] = {}
            for name in self._core.slot_names:
                start = 0.0 if quirks.active() else self._core.initial_slot(name)
                slots[name] = outlive_scopes(full(tensor.shape, start))
        return slots

    def dispose(self) -> None:
        super().dispose()
        self._slots.clear()
        self._core.dispose()


class SGDOptimizer(RuleOptimizer):
    """Stochastic gradient descent. Source: deeplearn.js `SGDOptimizer`."""

    @accepts_options()
    def __init__(self, learning_rate: float, specified_variable_list: Sequence[Any] | None = None) -> None:
        super().__init__(classes.SGDOptimizer(learning_rate), specified_variable_list)


class MomentumOptimizer(RuleOptimizer, MomentumOptimizerCamel):
    """Gradient descent with momentum, optionally Nesterov's (0.5). Source: deeplearn.js `MomentumOptimizer`."""

    _core: classes.MomentumOptimizer

    @accepts_options()
    def __init__(
        self,
        learning_rate: float,
        momentum: float,
        specified_variable_list: Sequence[Any] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        core = classes.MomentumOptimizer(learning_rate, momentum, use_nesterov)
        super().__init__(core, specified_variable_list)

    def set_momentum(self, momentum: float) -> None:
        """Set the momentum: the fraction of the last step kept in the next one."""
        self._core.set_momentum(momentum)
        if not quirk_rules.MOMENTUM.active:
            self._settings = self._settings._replace(decay=momentum)


class AdagradOptimizer(RuleOptimizer):
    """Adagrad. Source: deeplearn.js `AdagradOptimizer`, whose momentum in 0.2, the second argument, has no effect."""

    @accepts_options()
    def __init__(
        self,
        learning_rate: float,
        specified_variable_list: Sequence[Any] | float | None = None,
        initial_accumulator_value: float | Sequence[Any] = 0.1,
    ) -> None:
        if isinstance(specified_variable_list, (int, float)):
            specified_variable_list = None
        start, variables = _before_variables(initial_accumulator_value, specified_variable_list, 0.1)
        super().__init__(classes.AdagradOptimizer(learning_rate, start), variables)


class RMSPropOptimizer(RuleOptimizer):
    """RMSProp. Source: deeplearn.js `RMSPropOptimizer`; gamma is called decay in 0.5, momentum and epsilon are new."""

    @accepts_options()
    def __init__(
        self,
        learning_rate: float,
        gamma: float = 0.9,
        momentum: float | Sequence[Any] = 0.0,
        specified_variable_list: Sequence[Any] | None = None,
        epsilon: float | None = None,
    ) -> None:
        kept, variables = _before_variables(momentum, specified_variable_list, 0.0)
        core = classes.RMSPropOptimizer(learning_rate, gamma, kept, epsilon)
        super().__init__(core, variables, epsilon)


class AdadeltaOptimizer(RuleOptimizer):
    """Adadelta. Source: deeplearn.js `AdadeltaOptimizer`; gamma is called rho in 0.5, and epsilon is new."""

    @accepts_options()
    def __init__(
        self,
        learning_rate: float,
        gamma: float = 0.95,
        specified_variable_list: Sequence[Any] | None = None,
        epsilon: float | None = None,
    ) -> None:
        core = classes.AdadeltaOptimizer(learning_rate, gamma, epsilon)
        super().__init__(core, specified_variable_list, epsilon)


class AdamOptimizer(RuleOptimizer):
    """Adam. Source: deeplearn.js `AdamOptimizer`; epsilon is new in 0.5."""

    @accepts_options()
    def __init__(
        self,
        learning_rate: float,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | Sequence[Any] | None = None,
        specified_variable_list: Sequence[Any] | None = None,
    ) -> None:
        small, variables = _before_variables(epsilon, specified_variable_list, None)
        core = classes.AdamOptimizer(learning_rate, beta1, beta2, small)
        super().__init__(core, variables, small)


class AdamaxOptimizer(RuleOptimizer):
    """Adamax. Source: deeplearn.js `AdamaxOptimizer`; epsilon and decay are new in 0.5."""

    @accepts_options()
    def __init__(
        self,
        learning_rate: float,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float | Sequence[Any] | None = None,
        decay: float = 0.0,
        specified_variable_list: Sequence[Any] | None = None,
    ) -> None:
        small, variables = _before_variables(epsilon, specified_variable_list, None)
        core = classes.AdamaxOptimizer(learning_rate, beta1, beta2, small, decay)
        super().__init__(core, variables, small)


class AdamMaxOptimizer(AdamaxOptimizer):
    """The name of AdamaxOptimizer in 0.3.2. Source: deeplearn.js `AdamMaxOptimizer`."""


class FunctionsOptimizer(RuleOptimizer):
    """Trains graphs with an optimizer of `dl.train`: in 0.5 these are the classes that sessions take.

    Args:
        core: the optimizer, whose settings may be changed between steps.

    Raises:
        TypeError: an optimizer that deeplearn.js does not have.
    """

    def __init__(self, core: base.Optimizer) -> None:
        if type(core) not in quirk_rules.SETTINGS:
            expected = f"an optimizer of deeplearn.js ({', '.join(quirk_rules.RULES)})"
            raise argument_error("train", "optimizer", expected, core, TypeError)
        super().__init__(core, None, getattr(core, "epsilon", None))

    def core_optimizer(self) -> base.Optimizer:
        return self._core

    def before_batch(
        self,
        math: NDArrayMath,
        batch_size: int,
        runtime: SessionRuntime,
        activation_array_map: TensorArrayMap,
        gradient_array_map: SummedTensorArrayMap,
    ) -> None:
        self.learning_rate = self._core.learning_rate
        super().before_batch(math, batch_size, runtime, activation_array_map, gradient_array_map)
