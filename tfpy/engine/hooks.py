"""Hooks between the engine and a backend: user-registered kernels, and observers of every kernel run.

They wrap a backend object's `run` only while there are any; otherwise there is no overhead.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from tfpy.engine.backend import Backend, Outputs, registry
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Spec

Run = Callable[[str, tuple[Handle, ...], Mapping[str, Any], Outputs], Any]
UserKernel = Callable[[tuple[Handle, ...], Mapping[str, Any], Outputs], Any]


class KernelRun(NamedTuple):
    """A kernel that has just run.

    Attributes:
        kernel: its name.
        inputs: its inputs.
        specs: the specs of the outputs.
        payloads: the outputs, as the backend holds them.
        backend: where it ran.
        milliseconds: how long that took, including work that the backend would have deferred.
    """

    kernel: str
    inputs: tuple[Handle, ...]
    specs: Sequence[Spec]
    payloads: Sequence[Any]
    backend: Backend
    milliseconds: float


Observer = Callable[[KernelRun], None]

_user_kernels: dict[str, dict[str, UserKernel]] = {}
_observers: list[Observer] = []


def set_user_kernel(backend_name: str, kernel: str, function: UserKernel | None) -> None:
    """Replace a kernel on a backend by a function; None restores the backend's own."""
    table = _user_kernels.setdefault(backend_name, {})
    if function is None:
        table.pop(kernel, None)
    else:
        table[kernel] = function
    _install_all()


class _Bypass(threading.local):
    """The kernel whose original this thread runs, regardless of what users have registered in its place."""

    kernel = ""


_bypass = _Bypass()


@contextmanager
def backends_own(kernel: str) -> Iterator[None]:
    """Run the backend's own kernel of this name inside a `with`."""
    before, _bypass.kernel = _bypass.kernel, kernel
    try:
        yield
    finally:
        _bypass.kernel = before


def add_observer(observer: Observer) -> None:
    """Call a function after each kernel run, on every backend and thread."""
    _observers.append(observer)
    _install_all()


def remove_observer(observer: Observer) -> None:
    """Stop calling a function."""
    if observer in _observers:
        _observers.remove(observer)
    _install_all()


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Call a function after each kernel run inside a `with`."""
    add_observer(observer)
    try:
        yield
    finally:
        remove_observer(observer)


class _Hooked:
    """The `run` of a backend while there are hooks.

    Attributes:
        own: the backend's own `run`.
        of_object: whether that is an attribute of the object instead of a method of its class.
    """

    __slots__ = ("_run", "of_object", "own")

    def __init__(self, own: Run, of_object: bool, run: Run) -> None:
        self.own = own
        self.of_object = of_object
        self._run = run

    def __call__(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        return self._run(kernel, inputs, attrs, out)


def is_hooked(backend: Backend) -> bool:
    """Whether a backend has hooks."""
    return type(vars(backend).get("run")) is _Hooked


def _install_all() -> None:
    for name, backend in registry.made().items():
        _install_hooks(name, backend)


def _install_hooks(name: str, backend: Backend) -> None:
    """Install the current hooks on a backend, in place of its previous ones."""
    attributes = vars(backend)
    before = attributes.get("run")
    own, of_object = (
        (before.own, before.of_object) if isinstance(before, _Hooked) else (backend.run, before is not None)
    )
    run = own
    kernels = _user_kernels.get(name)
    if kernels:
        run = _with_user_kernels(kernels, run)
    for observer in _observers:
        run = _observed(observer, run, backend)
    if run is not own:
        attributes["run"] = _Hooked(own, of_object, run)
    elif of_object:
        attributes["run"] = own
    else:
        attributes.pop("run", None)


registry.on_made.append(_install_hooks)


def _with_user_kernels(kernels: Mapping[str, UserKernel], run: Run) -> Run:
    def run_any(kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        function = kernels.get(kernel) if kernel != _bypass.kernel else None
        return run(kernel, inputs, attrs, out) if function is None else function(inputs, attrs, out)

    return run_any


def _observed(observer: Observer, run: Run, backend: Backend) -> Run:
    def run_watched(kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        start = time.perf_counter()
        result = run(kernel, inputs, attrs, out)
        single = isinstance(out, Spec)
        specs: Sequence[Spec] = [out] if isinstance(out, Spec) else out
        payloads = [result] if single else result
        backend.complete(payloads)
        took = (time.perf_counter() - start) * 1000
        observer(KernelRun(kernel, inputs, specs, payloads, backend, took))
        return result

    return run_watched
