"""The backend of a math, by name or as constructed in deeplearn.js."""

from __future__ import annotations

from typing import Any

from tfpy.engine.backend import Backend, completed, registry
from tfpy.engine.errors import argument_error
from tfpy.engine.warn import warn_user

GPU = "webgl"
_warned: list[bool] = []


def chosen_backend(backend: Any) -> Backend | None:
    """A backend by name or itself; None means the current one, unless on a GPU."""
    if not isinstance(backend, str):
        if isinstance(backend, NamedBackend):
            return backend.backend
        if hasattr(backend, "run") and hasattr(backend, "write"):
            return completed(backend)
        raise argument_error("NDArrayMath", "backend", "'cpu', 'webgl' or a backend", backend, TypeError)
    if backend == "cpu":
        return None
    if backend != GPU:
        return registry.find(backend)
    try:
        if registry.factory(GPU) is None:
            raise RuntimeError("webgl: no such backend is registered.")
        return registry.find(GPU)
    except RuntimeError as error:
        if not _warned:
            _warned.append(True)
            warn_user(f"NDArrayMathGPU: the CPU is used instead. {error}")
        return None


class NamedBackend:
    """An object that deeplearn.js constructs to choose a backend."""

    backend: Backend | None

    def dispose(self) -> None:
        """Do nothing: no resources are held."""


class MathBackendCPU(NamedBackend):
    """Stands for the numpy backend: `NDArrayMath(MathBackendCPU(), safe_mode)`."""

    def __init__(self) -> None:
        self.backend = chosen_backend("cpu")


class MathBackendWebGL(NamedBackend):
    """Stands for the GPU backend: `NDArrayMath(MathBackendWebGL(), safe_mode)`. The arguments are ignored."""

    def __init__(self, gpgpu: Any = None, delayed_storage: bool = True) -> None:
        self.backend = chosen_backend(GPU)
