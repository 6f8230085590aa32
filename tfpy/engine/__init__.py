"""The engine: kernels, backends, scopes, tapes. It knows no public name."""

from tfpy.engine import rows  # noqa: F401
from tfpy.engine.backend import Backend, registry
from tfpy.engine.cpu import CpuBackend, ExactBackend, double


def _webgl() -> Backend:
    """The GPU backend; what it imports is imported when it is first used."""
    from tfpy.engine.gl.backend import open_backend

    return open_backend()


registry.register("cpu", CpuBackend, priority=1)
registry.register("exact", ExactBackend, priority=0)
registry.register("double", double, priority=0)
registry.register("webgl", _webgl, priority=0, aliases=("gl", "gpu"))
