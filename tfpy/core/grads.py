"""Gradients of functions, computed with a tape: TF.js's interfaces to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor, to_tensors
from tfpy.core.ops.common import CONSTANT, cast_to, full, zero_gradient
from tfpy.core.results import Record, TensorRecord, field
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.core.variable import Variable, trainable_variables, variable_of
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_function, as_function_of, as_list
from tfpy.engine.backprop import Start, backprop
from tfpy.engine.errors import IndependentError, UnreachedError, argument_error, unconnected_error
from tfpy.engine.gradients import GradientRow, gradient_dtype
from tfpy.engine.handle import Handle, next_id
from tfpy.engine.kernels import Kernel, same
from tfpy.engine.state import local
from tfpy.engine.tape import Saved, paused, record, recorded, saved, stand_in, standing_for


class ValueAndGrad(TensorRecord):
    """The result of `value_and_grad`."""

    value: Tensor
    grad: Tensor


class ValueAndGrads(Record):
    """The result of `value_and_grads`."""

    value: Tensor
    grads: list[Tensor]


class VariableGrads(Record):
    """The result of `variable_grads`: the gradients by the variables' names."""

    value: Tensor
    grads: dict[str, Tensor]


@op(doc="Training / Gradients")
def grad(f: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """The function that returns the gradient of f.

    Args:
        f: a function of one tensor that returns a tensor.

    Returns:
        g(x, dy=None): the gradient of f at x; dy weights the elements of f(x), 1 by default.

    Raises:
        TypeError: f is not a function; or, from g, x is not a tensor. ValueError (from g): f(x) does not depend on x.

    Source: TF.js `tf.grad`.
    """
    function = as_function_of("grad", "f", f, 1, "a function of one tensor (tf.grads is for several)")

    def g(x: TensorLike, dy: TensorLike | None = None) -> Tensor:
        return _gradients("grad", function, [_source("grad", "x", x)], dy)[1][0]

    return g


@op(doc="Training / Gradients")
def grads(f: Callable[..., Tensor]) -> Callable[..., list[Tensor]]:
    """The function that returns the gradients of f with respect to all its arguments.

    Args:
        f: a function of tensors that returns a tensor.

    Returns:
        g(args, dy=None): the gradients of f(*args), a list in the order of args.

    Raises:
        TypeError: f is not a function. ValueError (from g): f does not depend on one of the arguments.

    Source: TF.js `tf.grads`.
    """
    function = as_function("grads", "f", f)

    def g(args: Sequence[TensorLike], dy: TensorLike | None = None) -> list[Tensor]:
        return _gradients("grads", function, _sources("grads", args), dy)[1]

    return g


@op(doc="Training / Gradients")
def value_and_grad(f: Callable[[Tensor], Tensor]) -> Callable[..., ValueAndGrad]:
    """Like `grad`, but the function also returns the value of f.

    Returns:
        g(x, dy=None): a record (value, grad).

    Source: TF.js `tf.valueAndGrad`.
    """
    function = as_function_of(
        "value_and_grad", "f", f, 1, "a function of one tensor (tf.value_and_grads is for several)"
    )

    def g(x: TensorLike, dy: TensorLike | None = None) -> ValueAndGrad:
        value, found = _gradients("value_and_grad", function, [_source("value_and_grad", "x", x)], dy)
        return ValueAndGrad(value, found[0])

    return g


@op(doc="Training / Gradients")
def value_and_grads(f: Callable[..., Tensor]) -> Callable[..., ValueAndGrads]:
    """Like `grads`, but the function also returns the value of f.

    Returns:
        g(args, dy=None): a record (value, grads).

    Source: TF.js `tf.valueAndGrads`.
    """
    function = as_function("value_and_grads", "f", f)

    def g(args: Sequence[TensorLike], dy: TensorLike | None = None) -> ValueAndGrads:
        return ValueAndGrads(*_gradients("value_and_grads", function, _sources("value_and_grads", args), dy))

    return g


@op(doc="Training / Gradients")
def variable_grads(f: Callable[[], Tensor], var_list: Sequence[Tensor] | Tensor | None = None) -> VariableGrads:
    """The value of a function without arguments, and its gradients with respect to trainable variables.

    Args:
        f: a function that returns a scalar.
        var_list: the variables to consider, or a single one, or what `model.get_weights()` returns; all trainable ones
            by default.

    Returns:
        A record (value, grads): value is what f returned; grads maps the names of those variables that f depends on to
        their gradients, and the names of those in var_list that are not trainable to None.

    Raises:
        ValueError: f does not return a scalar, depends on none of the variables, or no variable is trainable.
        TypeError: f is not a function, or the list holds anything but variables.

    Source: TF.js `tf.variableGrads`.
    """
    return variable_grads_for("variable_grads", f, var_list)


def variable_grads_for(name: str, f: Callable[[], Tensor], var_list: Sequence[Tensor] | Tensor | None) -> VariableGrads:
    """`variable_grads` for a function whose name errors have."""
    function = as_function(name, "f", f)
    variables, frozen = _by_trainability(name, var_list)
    (given, value), tape = recorded(lambda: _checked_value(name, function), variables)
    if value.rank != 0:
        raise argument_error(name, "f", "a function that returns a scalar", value)
    first = next_id()
    found = backprop(tape, value, partial(_ones, value), variables, Tensor)
    reached = [v for v in variables if v.id in found]
    gradients = _distinct([found[v.id] for v in reached], first)
    _link_constants(reached, gradients)
    if not reached:
        raise IndependentError(
            f"{name}: the value of f does not depend on any of the trainable variables "
            f"({', '.join(v.name for v in variables[:8])})."
        )
    named: dict[str, Any] = dict(zip([v.name for v in reached], gradients, strict=True))
    return VariableGrads(given, named | dict.fromkeys(v.name for v in frozen))


def _by_trainability(name: str, var_list: Sequence[Tensor] | Tensor | None) -> tuple[list[Variable], list[Variable]]:
    """The trainable variables, and those in the list that are not."""
    if var_list is None:
        listed = trainable_variables()
    else:
        single = isinstance(var_list, Tensor)
        given = [var_list] if single else as_list(name, "var_list", var_list, "variables")
        listed = [_as_variable(name, i, v) for i, v in enumerate(given)]
    variables = [v for v in listed if v.trainable]
    if not variables:
        raise ValueError(f"{name}: there are no trainable variables.")
    return variables, [v for v in listed if not v.trainable]


def _as_variable(name: str, index: int, given: Any) -> Variable:
    variable = variable_of(given)
    if variable is None:
        raise argument_error(name, f"var_list[{index}]", "a variable", given, TypeError)
    return variable


def _gradients(
    name: str, f: Callable[..., Any], sources: Sequence[Handle], dy: TensorLike | None
) -> tuple[Tensor, list[Tensor]]:
    """The result of f(*sources), and its gradients with respect to the sources."""

    def compute() -> tuple[Tensor, Tensor]:
        return _checked_value(name, lambda: f(*[to_tensor(name, "x", source) for source in sources]))

    (given, value), tape = recorded(compute, sources)
    start = _start(name, value, dy)
    first = next_id()
    try:
        found = backprop(tape, value, start, sources, Tensor, all_of_them=True)
    except UnreachedError as error:
        what = "x" if len(sources) == 1 else f"argument {error.source}"
        raise unconnected_error(name, what, error.stops) from None
    gradients = _distinct([found[source.id] for source in sources], first)
    _link_constants(sources, gradients)
    return given, gradients


def _distinct(gradients: Sequence[Handle], first: int) -> list[Tensor]:
    """Each as a separate tensor, so that disposing one does not dispose another.

    Args:
        gradients: the gradients found; all terms of a sum share one tensor, which may be dy itself.
        first: tensors made in the backward pass have ids above it.
    """
    made: dict[int, Tensor] = {}
    for gradient in gradients:
        own = gradient if gradient.id > first and gradient.id not in made else run("Identity", gradient)
        made[own.id] = own  # type: ignore[assignment]
    return [*made.values()]


def _link_constants(sources: Sequence[Handle], gradients: Sequence[Handle]) -> None:
    """Tell the outer tapes that a gradient that turned out constant is still a function of its source.

    The gradient of a linear function does not depend on x; its own gradient is 0, and not an error.
    """
    for tape in local.state.tapes:
        if any(source.id in tape.tracked for source in sources):
            for gradient in gradients:
                if gradient.id not in tape.tracked:
                    record([tape], CONSTANT, _ZERO, tuple(sources), {}, (gradient,), Tensor)


_ZERO = GradientRow(CONSTANT, (), {}, lambda dy, n: [zero_gradient(s) for s in n.input_specs])


def _start(name: str, value: Tensor, dy: TensorLike | None) -> Start:
    """The initial gradient: ones, or the caller's weights."""
    if dy is None:
        return partial(_ones, value)
    weights = to_tensor(name, "dy", dy)
    if isinstance(dy, Handle) and weights.dtype not in ("float32", "complex64"):
        raise argument_error(name, "dy", "a float32 tensor", weights, TypeError)
    if weights.spec.shape != value.spec.shape:
        raise argument_error(name, "dy", f"of shape {list(value.shape)}, that of f's value", weights)
    dtype = gradient_dtype(value.dtype)
    if weights.dtype == "complex64" != dtype:
        raise argument_error(name, "dy", "real numbers, as f's value is real", weights, TypeError)
    return cast_to(weights, dtype)


def _ones(value: Tensor) -> Tensor:
    # Most functions return a scalar: no kernel has to run for it.
    if not value.spec.shape and value.spec.dtype == "float32":
        return to_tensor("grad", "dy", 1.0)
    return full(value.spec.shape, 1, gradient_dtype(value.dtype))


def _sources(name: str, args: Any) -> list[Handle]:
    if not isinstance(args, (list, tuple)):
        raise argument_error(name, "args", "a list of tensors", args, TypeError)
    return [_source(name, f"args[{i}]", value) for i, value in enumerate(args)]


def _source(name: str, argument: str, value: Any) -> Handle:
    """A handle to differentiate with respect to: the given one, which the function may also use directly."""
    made = to_tensor(name, argument, value)
    return value if isinstance(value, Handle) else made


def _checked_value(name: str, f: Callable[[], Any]) -> tuple[Tensor, Tensor]:
    """The result of f(), as it is and as a tensor."""
    given = f()
    return given, _tensor_from(name, given)


def _tensor_from(name: str, value: Any) -> Tensor:
    if not isinstance(value, Handle):
        raise argument_error(name, "f", "a function that returns a tensor", value, TypeError)
    return to_tensor(name, "f", value)


@op(doc="Training / Gradients")
def custom_grad(f: Callable[..., Any]) -> Callable[..., Tensor]:
    """A function with a custom gradient.

    Args:
        f: called with tensors and, if it takes one more argument, `save`; returns {'value', 'grad_func'}, or the two
            as a tuple. `save([t, …])` keeps tensors for the gradient past the end of a `tidy`. grad_func(dy, saved)
            returns the gradient of each argument, as a list if there are several; it may omit the second
            parameter.

    Returns:
        A function of the tensors only.

    Raises:
        TypeError: f or grad_func is not a function, or the value is not a tensor. RuntimeError, when differentiated:
            gradients that differ from the arguments in shape or number.

    Source: TF.js `tf.customGrad`.
    """
    function = as_function("custom_grad", "f", f)

    def custom(*args: TensorLike) -> Tensor:
        inputs = tuple(to_tensors("custom_grad", "args", list(args), "any"))
        kept: list[Saved] = []

        def save(tensors: Iterable[Tensor]) -> None:
            kept.extend([saved(t) for t in to_tensors("custom_grad", "save", tensors, "any")])

        with paused():
            result = call_with_as_many(function, *inputs, save)
        what = "custom_grad: what f returns"
        value = dispatch.alias(Tensor, _tensor_from("custom_grad", field(result, "value", 0, what)))
        gradient_function = as_function("custom_grad", "f", field(result, "grad_func", 1, what))
        if local.state.tapes:
            _record_custom(inputs, value, kept, gradient_function)
        return value

    return custom


def _record_custom(inputs: tuple[Tensor, ...], value: Tensor, kept: list[Saved], gradient_function: Any) -> None:
    count = len(inputs)

    def joint(dy: Tensor, _: Any) -> list[Tensor | None]:
        own = [standing_for(Tensor, *entry) for entry in kept]
        result = call_with_as_many(gradient_function, stand_in(Tensor, dy), own)
        found = list(result) if isinstance(result, (list, tuple)) else [result]
        if len(found) != count:
            raise RuntimeError(f"custom_grad: f has {count} arguments, but grad_func returned {len(found)} gradients.")
        return as_gradients("custom_grad", found)

    row = GradientRow(_CUSTOM, (), {}, joint)
    record(local.state.tapes, _CUSTOM, row, inputs, {}, (value,), Tensor)


def as_gradients(name: str, found: Sequence[Any]) -> list[Tensor | None]:
    """The results of a user's gradient function as tensors; None where no gradient flows."""
    return [None if g is None else to_tensor(name, f"grad_func, gradient {i}", g) for i, g in enumerate(found)]


_CUSTOM = Kernel("custom_grad", ("*inputs",), same)
