"""Choosing who computes: `set_backend`, `get_backend`, `ready` and the registry of backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.core.calling.ready import ReadyBool
from tfpy.core.calling.registry import op
from tfpy.engine.arguments import as_function, as_string
from tfpy.engine.backend import Backend, current, registry


@op(doc="Backends")
def set_backend(backend_name: str) -> ReadyBool:
    """Run everything from here on on another backend; it may be awaited.

    Args:
        backend_name: 'cpu' (numpy), 'webgl' (a GPU, through OpenGL; also 'gl' and 'gpu'), 'exact' (numpy in double
            precision with every result rounded to float32, bit for bit as TF.js computes), 'double' (numpy in double
            precision), or that of a registered one.

    Returns:
        True.

    Raises:
        ValueError: no such backend. RuntimeError: it cannot be used here. The old one stays in both cases.

    Source: TF.js `tf.setBackend`. Tensors made before are moved when they are used.
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
    """Make sure that a backend is in use; it may be awaited.

    Source: TF.js `tf.ready`.
    """
    current()
    return ReadyBool(True)


@op(doc="Backends")
def register_backend(name: str, factory: Callable[[], Any], priority: int = 1) -> bool:
    """Add a backend.

    Args:
        name: the name to set it by.
        factory: makes the backend, when it is first used: an object with `name`, `write`, `read`, `run` and
            `implements`, as `Backend` in `tfpy/engine/backend.py` says. What else a backend may have is filled in.
        priority: the backend of the highest is the default.

    Returns:
        Whether it was added; False when the name is taken.

    Source: TF.js `tf.registerBackend`.
    """
    as_function("register_backend", "factory", factory)
    return registry.register(as_string("register_backend", "name", name), factory, priority)


@op(doc="Backends")
def remove_backend(name: str) -> None:
    """Forget a backend and what it holds.

    Raises:
        ValueError: no such backend.

    Source: TF.js `tf.removeBackend`.
    """
    registry.remove(as_string("remove_backend", "name", name))


@op(doc="Backends")
def find_backend(name: str) -> Backend | None:
    """The backend of a name, made if need be; None when there is none.

    Source: TF.js `tf.findBackend`.
    """
    return registry.find(name) if registry.factory(as_string("find_backend", "name", name)) else None


@op(doc="Backends")
def find_backend_factory(name: str) -> Callable[[], Backend] | None:
    """The function that makes the backend of a name; None when there is none.

    Source: TF.js `tf.findBackendFactory`.
    """
    return registry.factory(as_string("find_backend_factory", "name", name))
