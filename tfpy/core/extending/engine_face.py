"""The engine as in TF.js: `tf.engine()`. It is only a face of functions defined elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from tfpy import engine as package
from tfpy.core import memory, variable
from tfpy.core.calling.registry import export
from tfpy.core.diagnostics import profiling
from tfpy.core.extending import backends, gradient_registry, kernel_registry
from tfpy.core.extending._camel import EngineCamel
from tfpy.engine import scope
from tfpy.engine.backend import current, registry
from tfpy.engine.state import local


@export(doc="Environment")
class Engine(EngineCamel):
    """Scopes, kernels and backends of this process.

    Source: TF.js `tf.engine()`.
    """

    def __repr__(self) -> str:
        return f"Engine(backend={self.backend_name!r}, backends={self.backend_names()})"

    # Scopes

    def start_scope(self, name: str | None = None) -> None:
        """Open a scope: tensors created until `end_scope` are disposed then."""
        scope.start_scope(name or "")

    def end_scope(self, result: Any = None) -> None:
        """Close the innermost scope; the tensors in `result`, in any nesting, stay alive.

        Raises:
            RuntimeError: no scope is open.
        """
        scope.end_scope(result)

    def tidy(self, name_or_fn: Any = None, fn: Callable[[], Any] | None = None) -> Any:
        """Same as `tf.tidy`."""
        return memory.tidy(name_or_fn, fn)  # type: ignore[arg-type]

    def keep(self, result: Any) -> Any:
        """Same as `tf.keep`."""
        return memory.keep(result)

    def memory(self) -> memory.MemoryInfo:
        """Same as `tf.memory`."""
        return memory.memory()

    def dispose_variables(self) -> None:
        """Dispose every live variable."""
        variable.dispose_variables()

    @property
    def registered_variables(self) -> dict[str, variable.Variable]:
        """The live variables by name."""
        return variable.registered_variables()

    @property
    def state(self) -> Mapping[str, Any]:
        """The numbers of live tensors and data buffers, as in `memory`, and the nesting depth of scopes and tapes."""
        counts = {name: value for name, value in memory.memory().items() if name.startswith("num")}
        counts["gradientDepth"] = len(local.state.tapes)
        counts["scopeStack"] = [s.name for s in local.state.scopes]
        return counts

    # Kernels

    def run_kernel(self, kernel_name: str, inputs: Any, attrs: Mapping[str, Any] | None = None) -> Any:
        """Run a kernel on the backend in use.

        Args:
            kernel_name: its name.
            inputs: tensors by name, or in order.
            attrs: its attributes, in either spelling: for built-in kernels those of tfpy's table.

        Returns:
            A tensor, or a list of them for a kernel with several results.
        """
        return kernel_registry.run_kernel(kernel_name, inputs, attrs)

    def register_kernel(self, config: Mapping[str, Any]) -> None:
        """Same as `tf.register_kernel`."""
        kernel_registry.register_kernel(**config)

    def register_gradient(self, config: Mapping[str, Any]) -> None:
        """Same as `tf.register_gradient`."""
        gradient_registry.register_gradient(**config)

    def profile(self, query: Callable[[], Any]) -> Any:
        """Same as `tf.profile`."""
        return profiling.profile(query)

    def time(self, query: Callable[[], Any]) -> profiling.TimingInfo:
        """Same as `tf.time`."""
        return profiling.time(query)

    # Backends

    @property
    def backend(self) -> Any:
        """The backend in use."""
        return current()

    @property
    def backend_name(self) -> str:
        """The name of the backend in use."""
        return current().name

    def backend_names(self) -> list[str]:
        """The names of all backends."""
        return registry.names()

    def set_backend(self, backend_name: str) -> Any:
        """Same as `tf.set_backend`."""
        return backends.set_backend(backend_name)

    def find_backend(self, backend_name: str) -> Any:
        """Same as `tf.find_backend`."""
        return backends.find_backend(backend_name)

    def find_backend_factory(self, backend_name: str) -> Any:
        """Same as `tf.find_backend_factory`."""
        return backends.find_backend_factory(backend_name)

    def register_backend(self, backend_name: str, factory: Callable[[], Any], priority: int = 1) -> bool:
        """Same as `tf.register_backend`."""
        return backends.register_backend(backend_name, factory, priority)

    def remove_backend(self, backend_name: str) -> None:
        """Same as `tf.remove_backend`."""
        backends.remove_backend(backend_name)

    def ready(self) -> Any:
        """Same as `tf.ready`."""
        return backends.ready()

    def reset(self) -> None:
        """Reset the engine: dispose the variables, close open scopes, and discard the backends."""
        self.dispose_variables()
        while local.state.scopes:
            scope.end_scope()
        registry.reset()


ENGINE = Engine()


class _CallableEngine(ModuleType):
    """The package `tfpy.engine`, which `tf.engine()` calls."""

    def __call__(self) -> Engine:
        return ENGINE


sys.modules[package.__name__].__class__ = _CallableEngine
