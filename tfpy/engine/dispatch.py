"""The life of a kernel call: infer the output spec → move inputs to one backend → run → count, scope, tape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar
from weakref import ref

from tfpy.engine.backend import Array, Backend, current, registry
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import ShapeError
from tfpy.engine.gradients import GRADIENTS
from tfpy.engine.handle import Handle, attach, check_live, join_share, next_id, swap_data, watching
from tfpy.engine.kernels import KERNELS, Kernel
from tfpy.engine.scope import track
from tfpy.engine.spec import Spec, spec, string_spec
from tfpy.engine.state import local
from tfpy.engine.tape import record

H = TypeVar("H", bound=Handle)


def runner(cls: type[H]) -> Callable[..., H]:  # noqa: C901 - `run` is spelled out
    """The function `run` that returns results as a `cls`.

    The function is specialized for a class, since passing the class in each call costs a tenth of an op.

    Raises:
        TypeError: objects of the class need more than a handle's fields, which is all that `run` fills.
    """
    if not _is_bare(cls):
        raise TypeError(
            f"runner: a {cls.__name__} is not a plain handle; run the kernel for a class that adds nothing."
        )
    new: Any = object.__new__

    def run(name: str, *inputs: Handle, **attrs: Any) -> H:  # noqa: C901
        """Run a kernel with one output on the current backend.

        Inputs on another backend are moved first. The result belongs to the innermost scope, and is recorded on the
        tape if an input is.

        Raises:
            ShapeError: the inputs do not fit together. DisposedError: one of them is disposed.
        """
        # The most common calls are inlined: another function, or a loop, costs a tenth of an op.
        state = local.state
        backend = state.backend or registry.current or registry.default()
        row = KERNELS[name]
        try:
            if len(inputs) == 2:
                a, b = inputs
                out_spec, other = a.spec, b.spec
                if not row.alike or (other is not out_spec and other.shape):
                    out_spec = row.infer(a, b, **attrs)
                if a.backend is not backend or b.backend is not backend:
                    _gather(row, inputs, backend)
            elif len(inputs) == 1:
                a = inputs[0]
                out_spec = a.spec if row.alike else row.infer(a, **attrs)
                if a.backend is not backend:
                    _gather(row, inputs, backend)
            else:
                out_spec = row.infer(*inputs, **attrs)
                for t in inputs:
                    if t.backend is not backend:
                        _gather(row, inputs, backend)
                        break
            payload = backend.run(name, inputs, attrs, out_spec)
        except ShapeError as error:
            raise ShapeError(f"{row.label}: {error}") from None

        out: H = new(cls)  # what follows is `attach`
        out.payload = payload
        out.backend = backend
        out.id = next_id()
        out.kept = False
        out.member = None
        if out_spec.dtype == "string":
            out_spec = _string_spec(out_spec, payload, backend)
        out.spec = out_spec
        out.held = out_spec.held
        if (watcher := watching.watcher) is not None:
            watcher.made(out)
        if row.shares:
            join_share(inputs[0], out)
        if state.scopes:
            state.scopes[-1].handles.append(ref(out))
        if state.tapes:
            record(state.tapes, row, GRADIENTS.get(name), inputs, attrs, (out,), cls)
        if state.recorder is not None:
            state.recorder.ran(name, inputs, attrs, (out,))
        return out

    return run


def _is_bare(cls: type[Handle]) -> bool:
    """Whether a class creates its instances as `Handle` does, and adds no fields."""
    added = [vars(base).get("__slots__") for base in cls.__mro__ if not issubclass(Handle, base)]
    return cls.__new__ is object.__new__ and not any(added)


_runners: dict[type[Handle], Callable[..., Any]] = {}


def run(cls: type[H], name: str, *inputs: Handle, **attrs: Any) -> H:
    """`runner(cls)(name, *inputs, **attrs)`: for callers that get the class only at run time."""
    found = _runners.get(cls)
    if found is None:
        found = _runners[cls] = runner(cls)
    out: H = found(name, *inputs, **attrs)
    return out


def run_multi(cls: type[H], name: str, *inputs: Handle, **attrs: Any) -> list[H]:
    """Like `run`, for a kernel with several outputs."""
    state = local.state
    backend = current()
    row = KERNELS[name]
    out_specs: Sequence[Spec] = infer(row, inputs, attrs)
    for t in inputs:
        if t.backend is not backend:
            _gather(row, inputs, backend)
            break
    payloads = backend.run(name, inputs, attrs, out_specs)
    outs = [wrap(cls, s, payload, backend) for s, payload in zip(out_specs, payloads, strict=True)]
    if state.tapes:
        record(state.tapes, row, GRADIENTS.get(name), inputs, attrs, tuple(outs), cls)
    if state.recorder is not None:
        state.recorder.ran_several(name, inputs, attrs, outs)
    return outs


def infer(row: Kernel, inputs: tuple[Handle, ...], attrs: dict[str, Any]) -> Any:
    """The spec or specs of what the kernel will return; raises a ShapeError that names it."""
    try:
        return row.infer(*inputs, **attrs)
    except ShapeError as error:
        raise ShapeError(f"{row.label}: {error}") from None


def wrap(cls: type[H], out_spec: Spec, payload: Any, backend: Backend) -> H:
    """A new handle on a payload, counted and registered in the innermost scope."""
    if out_spec.dtype == "string":
        out_spec = _string_spec(out_spec, payload, backend)
    out = cls.__new__(cls)
    attach(out, out_spec, payload, backend)
    scopes = local.state.scopes
    if scopes:
        scopes[-1].handles.append(ref(out))
    return out


def make(cls: type[H], values: Array, dtype: DType) -> H:
    """A new handle holding a copy of host values on the current backend."""
    backend = current()
    out = wrap(cls, spec(values.shape, dtype), backend.write(values, dtype), backend)
    if local.state.recorder is not None:
        local.state.recorder.from_host(out)
    return out


def drawn(cls: type[H], draw: Callable[[], Array], dtype: DType) -> H:
    """Like `make`, for values that a function draws from a random stream: plans call it again in each run."""
    state = local.state
    recorder, state.recorder = state.recorder, None
    try:
        out = make(cls, draw(), dtype)
    finally:
        state.recorder = recorder
    if recorder is not None:
        recorder.drawn(out, draw)
    return out


def alias(cls: type[H], handle: Handle) -> H:
    """A new handle on the same data, with its own id."""
    check_live(handle, "clone")
    out = cls.__new__(cls)
    assert handle.backend is not None
    attach(out, handle.spec, handle.payload, handle.backend)
    join_share(handle, out)
    track(out)
    if local.state.recorder is not None:
        local.state.recorder.aliased(handle, out)
    return out


def wrap_constant(cls: type[H], out_spec: Spec, payload: Any, backend: Backend) -> H:
    """Like `wrap`, for a payload with the same values in every run: a plan may keep it as a constant."""
    out = wrap(cls, out_spec, payload, backend)
    if local.state.recorder is not None:
        local.state.recorder.constant(out)
    return out


def read(handle: Handle, op: str) -> Array:
    """The values on the host, in the handle's shape; read-only by convention."""
    check_live(handle, op)
    assert handle.backend is not None
    if local.state.recorder is not None:
        local.state.recorder.read(handle, op)
    return handle.backend.read(handle.payload, handle.spec.dtype)


def _gather(row: Kernel, inputs: tuple[Handle, ...], backend: Backend) -> None:
    """Move inputs on other backends to `backend`, after checking that none is disposed."""
    for handle in inputs:
        check_live(handle, row.label)
    if backend.symbolic:
        return
    for handle in inputs:
        if handle.backend is not backend:
            move(handle, backend)


def settle(groups: Iterable[Sequence[Handle]]) -> None:
    """Compute values now that the current backend may have deferred: what the next step of a loop starts from.

    Args:
        groups: handles of a group have the same size, and share much of their work.
    """
    backend = current()
    backend.settle([t.payload for t in group if t.backend is backend] for group in groups)


def move(handle: Handle, backend: Backend) -> None:
    """Move a handle's data to another backend, in place: later ops find it there."""
    assert handle.backend is not None
    dtype = handle.spec.dtype
    payload = backend.write(handle.backend.read(handle.payload, dtype), dtype)
    swap_data(handle, payload, backend)


def _string_spec(out: Spec, payload: Any, backend: Backend) -> Spec:
    if backend.symbolic:
        return out
    return string_spec(out.shape, sum(map(len, backend.read(payload, "string").flat)))
