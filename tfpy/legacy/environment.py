"""`dl.environment`: the global environment, which holds the math shared by scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from tfpy.core.extending import backends
from tfpy.core.extending.engine_face import ENGINE, Engine
from tfpy.core.memory import MemoryInfo, memory
from tfpy.engine.arguments import as_string
from tfpy.engine.backend import registry
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.legacy._camel import EnvironmentCamel

if TYPE_CHECKING:
    from tfpy.legacy.math import NDArrayMath


class Type(IntEnum):
    """The types of feature values."""

    NUMBER = 0
    BOOLEAN = 1
    STRING = 2


URL_PROPERTIES: tuple[dict[str, Any], ...] = (
    {"name": "DEBUG", "type": Type.BOOLEAN},
    {"name": "BACKEND", "type": Type.STRING},
)

# What deeplearn.js asks of a browser; there is no WebGL here.
_FEATURES: dict[str, Any] = {
    "DEBUG": False,
    "BACKEND": None,
    "WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_ENABLED": False,
    "WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_RELIABLE": False,
    "WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_VERSION": 0,
    "WEBGL_FLOAT_TEXTURE_ENABLED": False,
    "WEBGL_GET_BUFFER_SUB_DATA_ASYNC_EXTENSION_ENABLED": False,
    "WEBGL_VERSION": 0,
}


class Environment(EnvironmentCamel):
    """Features, backends, and the global math: the one constructed or set last.

    Source: deeplearn.js `Environment`.
    """

    def __init__(self, features: Mapping[str, Any] | None = None) -> None:
        self._features: dict[str, Any] = {}
        self._math: NDArrayMath | None = None
        self.set_features(features or {})

    @property
    def math(self) -> NDArrayMath:
        """The global math; a CPU math without safe mode if there is none yet."""
        if self._math is None:
            from tfpy.legacy.math import NDArrayMath

            self._math = NDArrayMath("cpu", False)
        return self._math

    @property
    def engine(self) -> Engine:
        """The engine, which has scopes, variables and kernels (0.5): that of `tf.engine()`."""
        return ENGINE

    @property
    def safe_mode(self) -> bool:
        """Whether arrays and maths require a scope: the global math is in safe mode."""
        return self._math is not None and self._math.safe_mode

    def set_math(self, math: NDArrayMath, backend: Any = None, safe_mode: bool = False) -> None:
        """Make a math the global one. 0.5's backend and safe mode are ignored, as a math has its own."""
        from tfpy.legacy.math import NDArrayMath

        if not isinstance(math, NDArrayMath):
            raise argument_error("set_math", "math", "an NDArrayMath", math, TypeError)
        self._math = math

    def get(self, feature: str) -> Any:
        """The value of a feature."""
        if feature not in _FEATURES:
            raise unknown_name_error("feature", feature, _FEATURES)
        return self._features.get(feature, _FEATURES[feature])

    def set_features(self, features: Mapping[str, Any]) -> None:
        """Override features."""
        for name in features:
            if name not in _FEATURES:
                raise unknown_name_error("feature", name, _FEATURES)
        self._features = dict(features)

    def set(self, feature: str, value: Any) -> None:
        """Override a feature (0.5)."""
        self.set_features({**self._features, feature: value})

    def reset(self) -> None:
        """Clear overridden features and the global math."""
        self._features = {}
        self._math = None

    @staticmethod
    def get_backend(name: str | None = None) -> Any:
        """The backend with the given name; in 0.5 `Environment.getBackend()` is the name of the current one."""
        return backends.get_backend() if name is None else registry.find(as_string("get_backend", "name", name))

    @staticmethod
    def set_backend(backend_type: str, safe_mode: bool = False) -> Any:
        """`dl.set_backend` (0.5)."""
        from tfpy.legacy.eager import set_backend

        return set_backend(backend_type, safe_mode)

    @staticmethod
    def memory() -> MemoryInfo:
        """`dl.memory` (0.5)."""
        return memory()

    def get_best_backend(self) -> Any:
        """The backend that is used by default."""
        return registry.default()

    def find_backend(self, name: str) -> Any:
        """`get_backend` in 0.5."""
        return self.get_backend(name)

    def get_best_backend_type(self) -> str:
        """The name of the backend that is used by default."""
        name: str = self.get_best_backend().name
        return name

    def register_backend(self, name: str, factory: Callable[[], Any]) -> bool:
        """Add a backend; False if the name is taken."""
        return registry.register(as_string("register_backend", "name", name), factory)

    def add_custom_backend(self, name: str, factory: Callable[[], Any]) -> bool:
        """`register_backend` as 0.5 also calls it."""
        return self.register_backend(name, factory)


ENV = Environment()


def set_environment(environment: Environment) -> None:
    """Adopt the features and the global math of another environment."""
    ENV.__dict__.update(environment.__dict__)


setEnvironment = set_environment
