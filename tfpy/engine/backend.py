"""Backends, which run the kernels: their registry, and the protocol that each one implements.

A payload is whatever a backend creates: an array, a GPU buffer, or a deferred version of either. The engine only
passes it from one kernel of that backend to the next. It lives as long as a handle refers to it; a backend that must
free resources itself does so when Python drops the payload.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.engine.handle import Handle
from tfpy.engine.locks import ProcessLock
from tfpy.engine.spec import Spec
from tfpy.engine.state import local

if TYPE_CHECKING:
    from tfpy.engine.plan import Executor, Plan

Array = np.ndarray[Any, np.dtype[Any]]
Outputs = Spec | Sequence[Spec]


class Backend(Protocol):
    """The interface of backends.

    A user-defined one needs `name`, `write`, `read`, `run` and `implements`; `Defaults` provides the rest.

    Attributes:
        name: the name it is registered under.
        symbolic: its payloads have no values, and the inputs of its kernels need none.
        on_gpu: its payloads are on a GPU.
        immediate: kernels on small values run when they are called, so that call overhead dominates, and planning
            backward passes pays off.
        in_steps: what TF.js computes in steps must not be computed at once, since each step rounds.
    """

    name: str
    symbolic: bool
    on_gpu: bool
    immediate: bool
    in_steps: bool

    def __hash__(self) -> int: ...

    def epsilon(self) -> float:
        """The small constant that optimizers and losses add: 1e-7 if floats have 32 bits or more."""

    def write(self, values: Array, dtype: DType) -> Any:
        """A payload holding a copy of `values`, already of the right shape and kind."""

    def read(self, payload: Any, dtype: DType) -> Array:
        """The payload's values; callers must not write to them."""

    def host_copy(self, payload: Any) -> Array | None:
        """The values of a payload on a GPU if the host has them, too, so that reading them does not wait."""

    def run(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        """Run a kernel on inputs on this backend; returns a payload, or a sequence of them for several outputs."""

    def implements(self, kernel: str) -> bool:
        """Whether this backend has the kernel."""

    def memory(self) -> dict[str, Any]:
        """The backend's entries in `memory()`."""

    def dispose(self) -> None:
        """Release everything; the backend is not used again."""

    def settle(self, groups: Iterable[Sequence[Any]]) -> None:
        """Compute deferred payloads; those of a group have the same size, and share much of their work."""

    def complete(self, payloads: Sequence[Any]) -> None:
        """Compute deferred payloads, and wait until they are ready: for measuring time."""

    @property
    def compile(self) -> Callable[[Plan], Executor] | None:
        """Compiles a plan to a function; None if the backend cannot replay plans."""


class Defaults:
    """Defaults of backends: on the CPU, kernels may be deferred, nothing to free."""

    name: str
    symbolic = False
    on_gpu = False
    immediate = False
    in_steps = False
    compile: Callable[[Plan], Executor] | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"

    def epsilon(self) -> float:
        return 1e-7

    def host_copy(self, payload: Any) -> Array | None:
        return None

    def memory(self) -> dict[str, Any]:
        return {}

    def dispose(self) -> None:
        """Payloads are freed with the handles that refer to them."""

    def settle(self, groups: Iterable[Sequence[Any]]) -> None:
        """Does nothing: payloads are assumed to be computed, or to lose nothing by being deferred."""

    def complete(self, payloads: Sequence[Any]) -> None:
        """Does nothing, like `settle`."""


_DEFAULTS = {name: getattr(Defaults(), name) for name in vars(Defaults) if not name.startswith("_")}


def completed(backend: Any) -> Backend:
    """A backend, possibly user-defined, completed with the defaults for what it lacks."""
    for name, value in _DEFAULTS.items():
        if not hasattr(backend, name):
            try:
                setattr(backend, name, value)
            except AttributeError:
                expected = "an object with settable attributes (no __slots__, not frozen)"
                raise argument_error("register_backend", "factory", expected, backend, TypeError) from None
    return backend  # type: ignore[no-any-return]


Factory = Callable[[], Backend]


class Registry:
    """The backends of this process by name, created on first use, and the current one.

    Attributes:
        current: the backend in use, or None before first use.
        on_made: functions called with the name and the backend when one is created.
        elsewhere: what to use instead of other libraries' backends, by their names; for errors, set by upper layers.
    """

    def __init__(self) -> None:
        self.on_made: list[Callable[[str, Backend], None]] = []
        self.elsewhere: Mapping[str, str] = {}
        self._factories: dict[str, tuple[Factory, int]] = {}
        self._unasked: dict[str, Callable[[], Backend | None]] = {}
        self._made: dict[str, Backend] = {}
        self._aliases: dict[str, str] = {}
        self._making = ProcessLock()  # two threads that use a backend first get the same one
        self.current: Backend | None = None

    def register(
        self,
        name: str,
        factory: Factory,
        priority: int = 1,
        aliases: Sequence[str] = (),
        unasked: Callable[[], Backend | None] | None = None,
    ) -> bool:
        """Add a backend; False if the name is taken. The one with the highest priority is the default.

        Args:
            unasked: creates the backend if it was not requested by name; returns None if it should not be the default.
        """
        if self.own_name(name) in self._factories:
            return False
        if unasked is not None:
            self._unasked[name] = unasked
        self._factories[name] = factory, priority
        self._aliases |= dict.fromkeys(aliases, name)
        return True

    def own_name(self, name: str) -> str:
        """The name that a backend was registered under, given that name or an alias."""
        return self._aliases.get(name, name)

    def find(self, name: str, what: str = "backend") -> Backend:
        """The backend of that name, created if necessary.

        Args:
            name: the name.
            what: what has that name, in an error.

        Raises:
            ValueError: no such backend. RuntimeError: it cannot be used on this machine.
        """
        name = self.own_name(name)
        if name not in self._factories:
            if name in self.elsewhere:
                raise ValueError(f"Unknown {what} {name!r}. In tfpy it is {self.elsewhere[name]}.")
            raise unknown_name_error(what, name, self._factories)
        made = self._made.get(name)
        if made is None:
            with self._making():
                made = self._made.get(name)
                if made is None:
                    new = self._factories[name][0]()
                    if not hasattr(new, "run"):
                        raise argument_error("register_backend", "factory", "a function that creates a backend", new)
                    made = self._add(name, new)
        return made

    def _add(self, name: str, backend: Backend) -> Backend:
        self._made[name] = completed(backend)
        for function in self.on_made:
            function(name, backend)
        return backend

    def made(self) -> dict[str, Backend]:
        """The backends that have been created, by name."""
        return dict(self._made)

    def factory(self, name: str) -> Factory | None:
        entry = self._factories.get(self.own_name(name))
        return entry[0] if entry else None

    def use(self, name: str) -> Backend:
        """Make a backend the process's current one. If this fails, the old one stays current."""
        self.current = self.find(name)
        return self.current

    def default(self) -> Backend:
        """The current backend; if none was chosen, that of the variable TFPY_BACKEND or with the highest priority."""
        if self.current is None:
            with self._making():
                name = os.environ.get("TFPY_BACKEND")
                self.current = self.current or (self.find(name, "TFPY_BACKEND") if name else self._best())
        return self.current

    def _best(self) -> Backend:
        """The backend with the highest priority that can be the default."""
        for name in sorted(self._factories, key=lambda name: -self._factories[name][1]):
            if name in self._made or name not in self._unasked:
                return self.find(name)
            backend = self._unasked[name]()
            if backend is not None:
                return self._add(name, backend)
        raise RuntimeError("There is no backend: all have been removed.")

    def remove(self, name: str) -> None:
        """Remove a backend from the registry and dispose of it."""
        name = self.own_name(name)
        if name not in self._factories:
            raise unknown_name_error("backend", name, self._factories)
        del self._factories[name]
        self._unasked.pop(name, None)
        self._aliases = {alias: of for alias, of in self._aliases.items() if of != name}
        made = self._made.pop(name, None)
        if made is not None:
            if self.current is made:
                self.current = None
            made.dispose()

    def reset(self) -> None:
        """Dispose of all created backends; they are created anew on their next use."""
        made, self._made, self.current = self._made, {}, None
        for backend in made.values():
            backend.dispose()

    def names(self) -> list[str]:
        return list(self._factories)


registry = Registry()


def current() -> Backend:
    """The backend that this thread's next op runs on."""
    return local.state.backend or registry.current or registry.default()


@contextmanager
def using(backend: Backend) -> Iterator[Backend]:
    """Run this thread's ops on `backend` inside a `with`, regardless of the process's current one."""
    state = local.state
    outer, state.backend = state.backend, backend
    try:
        yield backend
    finally:
        state.backend = outer
