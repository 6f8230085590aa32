"""Selecting the backend: `set_backend`, `get_backend`, `ready` and the registry of backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.core.calling.ready import ReadyBool
from tfpy.core.calling.registry import op
from tfpy.core.naming.elsewhere import OF_BACKENDS
from tfpy.engine.arguments import as_function, as_string
from tfpy.engine.backend import Backend, current, registry

registry.elsewhere = OF_BACKENDS


@op(doc="Backends")
def set_backend(backend_name: str) -> ReadyBool:
    """Run all further computations on another backend; it may be awaited.

    Args:
        backend_name: 'cpu' (numpy), 'webgl' (a GPU, through OpenGL; also 'gl' and 'gpu'), 'exact' (numpy in double
            precision with every result rounded to float32, bit-identical to TF.js), 'double' (numpy in double
            precision), or the name of a registered backend.

    Returns:
        True.

    Raises:
        ValueError: there is no such backend. RuntimeError: it cannot be used here. The old one then stays in use.

    Source: TF.js `tf.setBackend`. Existing tensors are moved when they are used.
    """
    registry.use(as_string("set_backend", "backend_name", backend_name))
    return ReadyBool(True)


@op(doc="Backends")
def get_backend() -> str:
    """The name of the backend in use.

    Source: TF.js `tf.getBackend`.
    """
    return current().name


@op(doc="Backends")
def backend() -> Backend:
    """The backend in use.

    Source: TF.js `tf.backend`.
    """
    return current()


@op(doc="Backends")
def ready() -> ReadyBool:
    """Make sure that a backend is initialized; it may be awaited.

    Source: TF.js `tf.ready`.
    """
    current()
    return ReadyBool(True)


@op(doc="Backends")
def register_backend(name: str, factory: Callable[[], Any], priority: int = 1) -> bool:
    """Add a backend.

    Args:
        name: its name.
        factory: creates the backend at its first use: an object with `name`, `write`, `read`, `run` and `implements`,
            as described by `Backend` in `tfpy/engine/backend.py`. Missing optional members are added.
        priority: the backend with the highest priority is the default.

    Returns:
        Whether it was added; False if the name is taken.

    Source: TF.js `tf.registerBackend`.
    """
    as_function("register_backend", "factory", factory)
    return registry.register(as_string("register_backend", "name", name), factory, priority)


@op(doc="Backends")
def remove_backend(name: str) -> None:
    """Remove a backend and the data that it holds.

    Raises:
        ValueError: there is no such backend.

    Source: TF.js `tf.removeBackend`.
    """
    registry.remove(as_string("remove_backend", "name", name))


@op(doc="Backends")
def find_backend(name: str) -> Backend | None:
    """The backend with a name, created if necessary; None if there is none.

    Source: TF.js `tf.findBackend`.
    """
    return registry.find(name) if registry.factory(as_string("find_backend", "name", name)) else None


@op(doc="Backends")
def find_backend_factory(name: str) -> Callable[[], Backend] | None:
    """The factory of the backend with a name; None if there is none.

    Source: TF.js `tf.findBackendFactory`.
    """
    return registry.factory(as_string("find_backend_factory", "name", name))
