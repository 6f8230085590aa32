"""Gradients of functions of NDArrays: the interfaces of deeplearn.js 0.3.15 to 0.4.2 to the core's tape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from tfpy.core.convert import to_tensor
from tfpy.core.grads import custom_grad, variable_grads
from tfpy.core.ops.common import full
from tfpy.core.results import Record, field
from tfpy.core.tensor import Tensor
from tfpy.engine import tape as engine_tape
from tfpy.engine.arguments import as_function
from tfpy.engine.backprop import backprop
from tfpy.engine.errors import GradientError, argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.state import local
from tfpy.engine.tape import Tape, on_tape
from tfpy.legacy import quirks
from tfpy.legacy._camel import GradientsCamel
from tfpy.legacy.arrays.ndarray import NDArray, adopt, as_tensor, shared

T = TypeVar("T")
Arrays = Any  # an array, or a dict of arrays


class ValueAndGradients(Record):
    """The result of `value_and_gradients` and `variable_gradients`."""

    value: NDArray
    gradients: Any


class _Everything(set[int]):
    """The ids of all handles: a tape with it records every op."""

    def __contains__(self, item: object) -> bool:
        return True

    def update(self, *others: Any) -> None:
        """Everything is in it already."""


class Gradients(GradientsCamel):
    """The gradient methods of NDArrayMath."""

    if TYPE_CHECKING:

        def scope(self, scope_fn: Callable[..., T]) -> T: ...

    def gradients(self, f: Callable[[], Handle], x: Arrays) -> Any:
        """The gradients of f() with respect to arrays that it uses.

        Args:
            f: a function without arguments that returns a Scalar.
            x: an array, or a dict of arrays.

        Returns:
            The gradient of the array, or a dict of gradients under the same names. Inside another function that is
            differentiated, or a `gradients_scope`, what was computed there before counts as part of f.

        Raises:
            ValueError: f does not return a Scalar, or does not depend on one of the arrays. TypeError: no function or
                array.

        Source: deeplearn.js `math.gradients`.
        """
        return _value_and_gradients("gradients", f, x).gradients

    def value_and_gradients(self, f: Callable[[], Handle], x: Arrays) -> ValueAndGradients:
        """As `gradients`, with the value of f().

        Returns:
            A record (value, gradients).

        Source: deeplearn.js `math.valueAndGradients`.
        """
        return _value_and_gradients("value_and_gradients", f, x)

    def vjp(self, f: Callable[[], Handle], x: Arrays, dy: Handle) -> Any:
        """The gradients of f(), weighted by dy, with respect to arrays that it uses.

        Source: deeplearn.js 0.4 `math.vjp`.
        """
        return _differentiate("vjp", f, x, dy)[1]

    def variable_gradients(self, f: Callable[[], Handle]) -> ValueAndGradients:
        """The value of f() and its gradients with respect to all trainable variables, by name.

        Source: deeplearn.js 0.4 `math.variableGradients`.
        """
        value, grads = variable_grads(f)  # type: ignore[arg-type]
        return ValueAndGradients(shared(value), {name: adopt(g) for name, g in grads.items()})

    def custom_gradient(self, f: Callable[[], Any], inputs: Mapping[str, Handle], name: str | None = None) -> NDArray:
        """The value of f(), with gradients that it defines itself.

        Args:
            f: a function without arguments that returns {'value', 'gradients'}; gradients(dy, y) returns a dict that
                has a function without arguments for each input, which returns its gradient.
            inputs: the arrays that the value depends on, by name.
            name: accepted but ignored.

        Raises:
            TypeError: no function, or no dict of arrays.

        Source: deeplearn.js 0.4 `math.customGradient`.
        """
        as_function("custom_gradient", "f", f)
        if not isinstance(inputs, Mapping):
            raise argument_error("custom_gradient", "inputs", "a dict of arrays", inputs, TypeError)
        names = list(inputs)

        def value(*given: Any) -> Any:
            result = f()
            what = "custom_gradient: what f returns"
            y, gradients = as_tensor(field(result, "value", 0, what)), field(result, "gradients", 1, what)
            as_function("custom_gradient", "gradients", gradients)
            given[-1]([y])  # `save`, which comes after the inputs

            def backward(dy: Tensor, saved: list[Tensor]) -> list[Tensor]:
                found = gradients(shared(dy), shared(saved[0]))
                return [_gradient_of(n, found) for n in names]

            return y, backward

        return adopt(custom_grad(value)(*[inputs[n] for n in names]))

    def gradients_scope(self, scope_fn: Callable[..., T]) -> T:
        """A scope in which `gradient_wrt` and `gradients` cover everything computed in it so far.

        Source: deeplearn.js 0.3.16 `math.gradientsScope`.
        """
        return on_tape(_of_everything(), lambda: self.scope(scope_fn))

    def gradient_wrt(self, y: Handle, x: Arrays) -> Any:
        """The gradients of a Scalar with respect to arrays that it was computed from, inside `gradients_scope`.

        Raises:
            RuntimeError: outside of one. ValueError: y is not a Scalar, or does not depend on one of the arrays.

        Source: deeplearn.js 0.3.15 `math.gradientWrt`.
        """
        tape = _recorded_since_the_scope_began(_sources("gradient_wrt", x).values())
        if tape is None:
            raise RuntimeError("gradient_wrt: call it inside math.gradients_scope. (In the new API: tf.grad.)")
        with engine_tape.paused():
            return _walk("gradient_wrt", tape, y, x, None)


def _gradient_of(name: str, found: Any) -> Tensor:
    """The gradient of an input of `custom_gradient`, among the functions that the user's `gradients` returned."""
    gradient = found.get(name) if isinstance(found, Mapping) else None
    if not callable(gradient):
        what = f"a function that returns a dict with a function without arguments for {name!r}"
        raise argument_error("custom_gradient", "gradients", what, found, TypeError)
    return as_tensor(gradient())


def _value_and_gradients(op: str, f: Callable[[], Handle], x: Arrays) -> ValueAndGradients:
    with quirks.differentiating():
        value, found = _differentiate(op, f, x, None)
    return ValueAndGradients(shared(value), found)


def _sources(op: str, x: Arrays) -> dict[str, Handle]:
    """The arrays by name; one array under the empty name."""
    named = dict(x) if isinstance(x, Mapping) else {"": x}
    for name, array in named.items():
        if not isinstance(array, Handle):
            raise argument_error(op, f"x[{name!r}]" if name else "x", "an NDArray", array, TypeError)
    return named


def _of_everything() -> Tape:
    """A tape that records every op, whatever it depends on."""
    tape = Tape([])
    tape.tracked = _Everything()
    return tape


def _recorded_since_the_scope_began(sources: Iterable[Handle]) -> Tape | None:
    """A tape of what depends on the arrays, inside `gradients_scope` or `gradients`: of all since the outermost."""
    whole = next((t for t in local.state.tapes if isinstance(t.tracked, _Everything)), None)
    if whole is None:
        return None
    found = Tape(sources)
    for node in whole.nodes:
        if not found.tracked.isdisjoint(node.inputs):
            found.nodes.append(node)
            found.tracked.update(node.outputs)
    return found


def _differentiate(op: str, f: Callable[[], Handle], x: Arrays, dy: Handle | None) -> tuple[Handle, Any]:
    as_function(op, "f", f)
    sources = _sources(op, x).values()
    y, tape = on_tape(_of_everything(), lambda: (f(), _recorded_since_the_scope_began(sources)))
    if not isinstance(y, Handle):
        raise argument_error(op, "f", "a function that returns an array", y, TypeError)
    assert tape is not None
    return y, _walk(op, tape, y, x, dy)


def _walk(op: str, tape: Tape, y: Handle, x: Arrays, dy: Handle | None) -> Any:
    """The backward pass from y to the arrays."""
    if dy is None and y.spec.shape != ():
        raise argument_error(op, "f", "a function that returns a Scalar", y)
    weights = None if dy is None else to_tensor(op, "dy", dy)
    if weights is not None and weights.shape != y.spec.shape:
        raise argument_error(op, "dy", f"of shape {list(y.spec.shape)}, that of f()", dy)
    start = (lambda: full((), 1)) if weights is None else weights
    found = backprop(tape, y, start, _sources(op, x).values(), Tensor)
    gradients = {}
    for name, array in _sources(op, x).items():
        if array.id not in found:
            raise GradientError(f"{op}: y is not a function of {f'x[{name!r}]' if name else 'x'}.")
        gradients[name] = shared(found[array.id])
    return gradients if isinstance(x, Mapping) else gradients[""]
