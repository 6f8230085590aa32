"""The engine: kernels, backends, scopes, tapes. It knows no public name."""

from tfpy.engine import rows  # noqa: F401
from tfpy.engine.backend import registry
from tfpy.engine.cpu import CpuBackend, ExactBackend, double

registry.register("cpu", CpuBackend, priority=1)
registry.register("exact", ExactBackend, priority=0)
registry.register("double", double, priority=0)
