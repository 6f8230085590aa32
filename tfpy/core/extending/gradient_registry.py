"""User-defined gradients, for the user's own kernels or in place of built-in ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.registry import op
from tfpy.core.grads import as_gradients
from tfpy.core.naming.names import camel, in_both_spellings
from tfpy.core.results import Record
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_function, as_string
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.engine.gradients import GRADIENTS, GradientRow, gradients_changed
from tfpy.engine.kernels import KERNELS, Kernel
from tfpy.engine.tape import stand_in


class GradientConfig(Record):
    """A kernel's gradient, as `register_gradient` takes it and `get_gradient` returns it."""

    kernel_name: str
    inputs_to_save: list[str]
    outputs_to_save: list[bool]
    save_all_inputs: bool
    grad_func: Callable[..., Any] | None


_gradients: dict[str, GradientConfig] = {}
_built_in_gradients: dict[str, GradientRow | None] = {}


@op(options="config", doc="Backends / Kernels")
def register_gradient(
    config: Mapping[str, Any] | None = None,
    *,
    kernel_name: str,
    grad_func: Callable[..., Any],
    inputs_to_save: Sequence[str] | None = None,
    outputs_to_save: Sequence[bool] | None = None,
    save_all_inputs: bool = False,
) -> None:
    """Register a kernel's gradient, or replace it.

    Args:
        config: the options below as a dict.
        kernel_name: the kernel.
        grad_func: called with dy, the saved tensors (inputs first, then outputs) and the attributes; returns for each
            input by name, or for each tensor in order, a function that returns its gradient: a list of gradients for an
            input that is a list.
        inputs_to_save: the names of the inputs that it needs.
        outputs_to_save: for each output whether it needs it.
        save_all_inputs: whether it needs all inputs.

    Raises:
        ValueError: the kernel has no such input. TypeError: an argument is not a function.

    Source: TF.js `tf.registerGradient`.
    """
    as_function("register_gradient", "grad_func", grad_func)
    as_string("register_gradient", "kernel_name", kernel_name)
    gradient = GradientConfig(
        kernel_name, list(inputs_to_save or []), list(outputs_to_save or []), bool(save_all_inputs), grad_func
    )
    if kernel_name in KERNELS:
        row = _gradient_row(gradient, KERNELS[kernel_name], _inputs_of(KERNELS[kernel_name]))
        _built_in_gradients.setdefault(kernel_name, GRADIENTS.get(kernel_name))
        GRADIENTS[kernel_name] = row
    _gradients[kernel_name] = gradient
    gradients_changed(len(_gradients))


@op(doc="Backends / Kernels")
def unregister_gradient(kernel_name: str) -> None:
    """Remove a gradient added by `register_gradient`; the kernel's own gradient is used again.

    Raises:
        ValueError: none was registered.

    Source: TF.js `tf.unregisterGradient`.
    """
    if _gradients.pop(kernel_name, None) is None:
        raise unknown_name_error("registered gradient:", kernel_name, _gradients)
    if kernel_name in _built_in_gradients:
        own = _built_in_gradients.pop(kernel_name)
        if own is None:
            del GRADIENTS[kernel_name]
        else:
            GRADIENTS[kernel_name] = own
    gradients_changed(len(_gradients))


@op(doc="Backends / Kernels")
def get_gradient(kernel_name: str) -> GradientConfig | None:
    """The gradient of a kernel, or None if it has none; `grad_func` is None for a built-in gradient.

    Source: TF.js `tf.getGradient`.
    """
    row = GRADIENTS.get(kernel_name)
    if kernel_name in _gradients or row is None:
        return _gradients.get(kernel_name)
    inputs = [name for name in row.saves if name in {n.lstrip("*") for n in KERNELS[kernel_name].inputs}]
    return GradientConfig(kernel_name, inputs, [True] if "y" in row.saves and "y" not in inputs else [], False, None)


class KernelInput(NamedTuple):
    """An input of a kernel from the user's view.

    Attributes:
        name: its name.
        parts: its inputs in the kernel's row.
        is_list: whether it is a list of tensors.
    """

    name: str
    parts: tuple[str, ...]
    is_list: bool


def _inputs_of(row: Kernel) -> list[KernelInput]:
    names = [(name.lstrip("*"), name.startswith("*")) for name in row.inputs]
    return [KernelInput(name, (name,), is_list) for name, is_list in names]


def users_gradient(kernel: str, row: Kernel, inputs: Sequence[KernelInput]) -> GradientRow | None:
    """The gradient that a user has registered for a user-defined kernel, in the form that the tape uses."""
    config = _gradients.get(kernel)
    return None if config is None else _gradient_row(config, row, inputs)


def _gradient_row(config: GradientConfig, row: Kernel, inputs: Sequence[KernelInput]) -> GradientRow:
    """A user's gradient in the form that the tape uses."""
    parts = {one.name: one.parts for one in inputs}
    for name in config.inputs_to_save:
        if name not in parts:
            raise unknown_name_error(f"input of kernel {config.kernel_name!r}:", name, parts)
    wanted = parts if config.save_all_inputs else config.inputs_to_save
    saved_parts = [part for name in wanted for part in parts[name]]
    saves = (*saved_parts, "y") if any(config.outputs_to_save) else tuple(saved_parts)

    def joint(dy: Any, node: Any) -> list[Tensor | None]:
        assert config.grad_func is not None
        given = [stand_in(Tensor, d) for d in dy] if isinstance(dy, list) else stand_in(Tensor, dy)
        saved = [stand_in(Tensor, t) for t in _saved(config, node, saved_parts)]
        found = call_with_as_many(config.grad_func, given, saved, in_both_spellings(node.attrs))
        if isinstance(found, Mapping):
            found = _in_order(config.kernel_name, found, inputs, len(node.inputs) - len(row.inputs))
        if not isinstance(found, (list, tuple)) or len(found) != len(node.inputs):
            expected = f"a function that returns gradients by name, or for each of {len(node.inputs)} inputs"
            raise argument_error(config.kernel_name, "grad_func", expected, found, TypeError)
        return as_gradients(config.kernel_name, [f() if callable(f) else f for f in found])

    return GradientRow(row, saves, {}, joint)


def _saved(config: GradientConfig, node: Any, parts: Sequence[str]) -> list[Any]:
    """The inputs and outputs that a node saved for a user's gradient."""
    saved: list[Any] = []
    for part in parts:
        value = vars(node)[part]
        saved += value if isinstance(value, list) else [value]
    if any(config.outputs_to_save):
        outputs = node.y if isinstance(node.y, list) else [node.y]
        saved += [y for y, wanted in zip(outputs, config.outputs_to_save, strict=False) if wanted]
    return saved


def _in_order(kernel: str, found: Mapping[str, Any], inputs: Sequence[KernelInput], more: int) -> list[Any]:
    """Gradients by input name as a list for all tensors; an input that is a list has `more` than one."""
    gradients: list[Any] = []
    for name, parts, is_list in inputs:
        gradient = found.get(name, found.get(camel(name)))
        if not is_list:
            gradients.append(gradient)
            continue
        count = len(parts) + more
        own = gradient() if callable(gradient) else [None] * count if gradient is None else gradient
        if not is_sequence(own) or len(own) != count:
            expected = f"a function that returns for {name!r} a list of {count} gradients"
            raise argument_error(kernel, "grad_func", expected, own, TypeError)
        gradients += own
    return gradients


def is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple))
