"""User-defined kernels: new ones, or replacements of built-in ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.registry import op
from tfpy.core.convert import to_tensor
from tfpy.core.extending.gradient_registry import KernelInput, is_sequence, users_gradient
from tfpy.core.naming.names import in_both_spellings, spellings
from tfpy.core.results import Record
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch, hooks
from tfpy.engine.arguments import as_function, as_list, as_string
from tfpy.engine.backend import Backend, Outputs, current, registry, using
from tfpy.engine.errors import Unquoted, argument_error, unknown_name_error
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import KERNELS, Kernel, same
from tfpy.engine.spec import Spec
from tfpy.engine.state import local
from tfpy.engine.tape import paused, record

Inputs = Mapping[str, Any] | Sequence[Any]


class KernelConfig(Record):
    """A kernel of a backend, as `register_kernel` takes it and `get_kernel` returns it."""

    kernel_name: str
    backend_name: str
    kernel_func: Callable[..., Any]
    setup_func: Callable[..., Any] | None
    dispose_func: Callable[..., Any] | None


_kernels: dict[tuple[str, str], KernelConfig] = {}


@op(options="config", doc="Backends / Kernels")
def register_kernel(
    config: Mapping[str, Any] | None = None,
    *,
    kernel_name: str,
    backend_name: str,
    kernel_func: Callable[..., Any],
    setup_func: Callable[..., Any] | None = None,
    dispose_func: Callable[..., Any] | None = None,
) -> None:
    """Add a kernel to a backend, or replace one.

    Args:
        config: the options below as a dict.
        kernel_name: its name, as in TF.js for those of TF.js.
        backend_name: the backend.
        kernel_func: called with a dict of inputs (tensors by name), backend and attrs; returns a tensor or an array, or
            a list of them. A replacement must return the shape and dtype of the original kernel.
        setup_func: called with the backend, once it has been created.
        dispose_func: called with the backend when the kernel is removed.

    Raises:
        ValueError: there is no such backend. TypeError: an argument is not a function.

    Source: TF.js `tf.registerKernel`.
    """
    as_function("register_kernel", "kernel_func", kernel_func)
    as_string("register_kernel", "kernel_name", kernel_name)
    for argument, function in (("setup_func", setup_func), ("dispose_func", dispose_func)):
        if function is not None:
            as_function("register_kernel", argument, function)
    backend_name = _own_name("register_kernel", backend_name)
    if registry.factory(backend_name) is None:
        raise unknown_name_error("backend", backend_name, registry.names())
    config_ = KernelConfig(kernel_name, backend_name, kernel_func, setup_func, dispose_func)
    _kernels[kernel_name, backend_name] = config_
    if kernel_name in KERNELS:
        hooks.set_user_kernel(backend_name, kernel_name, _in_place_of(KERNELS[kernel_name], kernel_func))
    made = registry.made().get(backend_name)
    if setup_func is not None and made is not None:
        call_with_as_many(setup_func, made)


def _set_up(name: str, backend: Backend) -> None:
    for (_, backend_name), config in list(_kernels.items()):
        if backend_name == name and config.setup_func is not None:
            call_with_as_many(config.setup_func, backend)


registry.on_made.append(_set_up)


@op(doc="Backends / Kernels")
def unregister_kernel(kernel_name: str, backend_name: str) -> None:
    """Remove a kernel added by `register_kernel`; the backend's own kernel is used again.

    Raises:
        ValueError: no such kernel was registered.

    Source: TF.js `tf.unregisterKernel`.
    """
    backend_name = _own_name("unregister_kernel", backend_name)
    config = _kernels.pop((kernel_name, backend_name), None)
    if config is None:
        raise unknown_name_error(f"kernel registered for backend {backend_name!r}:", kernel_name, _names(backend_name))
    hooks.set_user_kernel(backend_name, kernel_name, None)
    made = registry.made().get(backend_name)
    if config.dispose_func is not None and made is not None:
        call_with_as_many(config.dispose_func, made)


def _own_name(op: str, backend_name: str) -> str:
    """The name that a backend was registered under."""
    return registry.own_name(as_string(op, "backend_name", backend_name))


def _names(backend_name: str) -> list[str]:
    return [kernel for kernel, backend in _kernels if backend == backend_name]


@op(doc="Backends / Kernels")
def get_kernel(kernel_name: str, backend_name: str) -> KernelConfig | None:
    """A kernel of a backend, or None if it has no such kernel.

    Source: TF.js `tf.getKernel`.
    """
    backend_name = _own_name("get_kernel", backend_name)
    config = _kernels.get((kernel_name, backend_name))
    if config is not None or kernel_name not in KERNELS or registry.factory(backend_name) is None:
        return config
    backend = registry.find(backend_name)
    if not backend.implements(kernel_name):
        return None

    def compute(call: Mapping[str, Any]) -> Any:
        with using(backend), hooks.backends_own(kernel_name):  # a later registered kernel may call this one
            return run_kernel(kernel_name, call["inputs"], call.get("attrs"))

    return KernelConfig(kernel_name, backend_name, compute, None, None)


@op(doc="Backends / Kernels")
def get_kernels_for_backend(backend_name: str) -> list[KernelConfig]:
    """All kernels of a backend.

    Source: TF.js `tf.getKernelsForBackend`.
    """
    added = _names(_own_name("get_kernels_for_backend", backend_name))
    names = [*KERNELS, *(name for name in added if name not in KERNELS)]
    return [config for name in names if (config := get_kernel(name, backend_name)) is not None]


@op(doc="Backends / Kernels")
def copy_registered_kernels(registered_backend_name: str, new_backend_name: str) -> None:
    """Add all kernels of one backend to another; the first backend still computes them.

    Raises:
        ValueError: there is no such backend.

    Source: TF.js `tf.copyRegisteredKernels`.
    """
    registry.find(as_string("copy_registered_kernels", "registered_backend_name", registered_backend_name))
    for config in get_kernels_for_backend(registered_backend_name):
        options = {k: v for k, v in config._asdict().items() if v is not None}
        register_kernel(**(options | {"backend_name": new_backend_name}))


def _listed(specs: Iterable[Spec]) -> str:
    return ", ".join(f"{s.dtype} {list(s.shape)}" for s in specs)


def _in_place_of(row: Kernel, function: Callable[..., Any]) -> hooks.UserKernel:
    """A user's function with the engine's calling convention for kernels."""

    def run(inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        specs = [out] if isinstance(out, Spec) else list(out)
        backend = current()
        results = _called(function, _by_name(row, inputs), attrs)
        if [r.spec for r in results] != specs:
            expected = f"a function that returns {_listed(specs)}"
            raise argument_error(row.name, "kernel_func", expected, Unquoted(_listed([r.spec for r in results])))
        for result in results:
            if result.backend is not backend:
                dispatch.move(result, backend)
        payloads = [result.payload for result in results]
        return payloads[0] if isinstance(out, Spec) else payloads

    return run


def _by_name(row: Kernel, inputs: Sequence[Handle]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for i, name in enumerate(row.inputs):
        rest = name.startswith("*")
        named[name.lstrip("*")] = list(map(_tensor, inputs[i:])) if rest else _tensor(inputs[i])
    return named


def _tensor(handle: Handle) -> Tensor:
    return handle if isinstance(handle, Tensor) else dispatch.alias(Tensor, handle)


def _called(function: Callable[..., Any], inputs: Inputs, attrs: Mapping[str, Any]) -> list[Tensor]:
    """The results of a user's kernel as tensors. Its computation is not recorded on tapes."""
    with paused():
        result = call_with_as_many(
            function, {"inputs": inputs, "backend": current(), "attrs": in_both_spellings(attrs)}
        )
    return [_result(r) for r in (result if isinstance(result, (list, tuple)) else [result])]


def _result(value: Any) -> Tensor:
    if isinstance(value, Handle):
        return _tensor(value)
    try:
        return to_tensor("register_kernel", "kernel_func", value, "any")
    except TypeError:
        expected = "a function that returns tensors or arrays"
        raise argument_error("register_kernel", "kernel_func", expected, value, TypeError) from None


def run_kernel(kernel_name: str, inputs: Inputs, attrs: Mapping[str, Any] | None = None) -> Any:
    """Run a kernel on the backend in use.

    Args:
        kernel_name: its name.
        inputs: tensors by name, or in order.
        attrs: its attributes, in either spelling: for built-in kernels those of tfpy's table.

    Returns:
        A tensor, or a list of them for a kernel with several results.

    Raises:
        ValueError: there is no such kernel, or the inputs do not fit. TypeError: unknown attributes.
    """
    as_string("run_kernel", "kernel_name", kernel_name)
    if attrs is not None and not isinstance(attrs, Mapping):
        raise argument_error("run_kernel", "attrs", "a dict", attrs, TypeError)
    if isinstance(inputs, Mapping):
        given: Inputs = {name: v for name, v in inputs.items() if v is not None}
    else:
        given = as_list("run_kernel", "inputs", inputs, "tensors, or a dict of them")
    if kernel_name in KERNELS:
        return _run_row(KERNELS[kernel_name], given, attrs or {})
    config = _kernels.get((kernel_name, current().name))
    if config is None:
        raise unknown_name_error(f"kernel on backend {current().name!r}:", kernel_name, KERNELS)
    return _run_new(config, given, attrs or {})


def _run_row(row: Kernel, given: Inputs, attrs: Mapping[str, Any]) -> Any:
    names = [name.lstrip("*") for name in row.inputs]
    values = list(given.values()) if isinstance(given, Mapping) else list(given)
    if isinstance(given, Mapping) and set(given) == set(names):
        values = [given[name] for name in names]
    handles = [t for v in values for t in (v if isinstance(v, (list, tuple)) else [v])]
    for handle in handles:
        if not isinstance(handle, Handle):
            raise argument_error("run_kernel", "inputs", "tensors", handle, TypeError)
    if len(handles) != len(names) and not any(name.startswith("*") for name in row.inputs):
        found = list(given) if isinstance(given, Mapping) else Unquoted(f"{len(handles)} tensors")
        raise argument_error("run_kernel", "inputs", f"those of {row.name} ({', '.join(names)})", found)
    named = _attributes(row, attrs)
    try:
        specs = dispatch.infer(row, tuple(handles), named)
    except (TypeError, LookupError, AttributeError) as error:  # attributes can be anything
        raise argument_error(
            "run_kernel", "attrs", f"valid attributes of {row.name} ({error})", dict(attrs), TypeError
        ) from None
    run = dispatch.run if isinstance(specs, Spec) else dispatch.run_multi
    return run(Tensor, row.name, *handles, **named)


def _attributes(row: Kernel, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a kernel by name; a user's replacement may have other ones."""
    known = spellings(row.attrs)
    named = {known.get(name, name): value for name, value in attrs.items()}
    if set(named) != set(row.attrs) and (row.name, current().name) not in _kernels:
        expected = f"those of {row.name} ({', '.join(row.attrs) or 'it has none'})"
        raise argument_error("run_kernel", "attrs", expected, dict(attrs), TypeError)
    return named


def _run_new(config: KernelConfig, given: Inputs, attrs: Mapping[str, Any]) -> Any:
    """Run a kernel that is not in the table: its results are those of the user's function."""
    outs = [dispatch.alias(Tensor, t) for t in _called(config.kernel_func, given, attrs)]
    if local.state.tapes:
        named = given if isinstance(given, Mapping) else {str(i): v for i, v in enumerate(given)}
        tensors = {name: _tensors_of(name, value) for name, value in named.items()}
        inputs = [KernelInput(name, tuple(own), is_sequence(named[name])) for name, own in tensors.items() if own]
        flat = {part: tensor for own in tensors.values() for part, tensor in own.items()}
        row = Kernel(config.kernel_name, tuple(flat), same, label=config.kernel_name)
        rules = users_gradient(config.kernel_name, row, inputs)
        record(local.state.tapes, row, rules, tuple(flat.values()), attrs, tuple(outs), Tensor)
    return outs[0] if len(outs) == 1 else outs


def _tensors_of(name: str, value: Any) -> dict[str, Handle]:
    """The tensors of an input by their names on tapes: those of a list have separate names."""
    parts = {f"{name}[{i}]": v for i, v in enumerate(value)} if is_sequence(value) else {name: value}
    return {part: v for part, v in parts.items() if isinstance(v, Handle)}
