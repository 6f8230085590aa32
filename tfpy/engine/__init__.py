"""The engine: kernels, backends, scopes, tapes. It is independent of public names."""

import glob
import sys
import threading

from tfpy.engine import rows  # noqa: F401
from tfpy.engine.backend import Backend, registry
from tfpy.engine.cpu import CpuBackend, ExactBackend, double


def _webgl() -> Backend:
    """The GPU backend; its modules are imported on first use."""
    from tfpy.engine.gl.backend import open_backend

    return open_backend()


def _hardware() -> Backend | None:
    """The GPU backend if there is a hardware GPU; device files are checked first, since opening one takes a while."""
    if threading.current_thread() is not threading.main_thread() or not _device_files():
        return None
    from tfpy.engine.gl.backend import open_hardware

    return open_hardware()


def _device_files() -> bool:
    """Whether there are device files that OpenGL may use; on systems without them, whether there may be devices."""
    if sys.platform == "darwin":  # its OpenGL cannot compute
        return False
    if not sys.platform.startswith("linux"):
        return True
    return any(glob.glob(pattern) for pattern in ("/dev/dri/renderD*", "/dev/nvidiactl", "/dev/dxg"))


registry.register("cpu", CpuBackend, priority=1)
registry.register("exact", ExactBackend, priority=0)
registry.register("double", double, priority=0)
registry.register("webgl", _webgl, priority=2, aliases=("gl", "gpu"), unasked=_hardware)
