"""Opening an OpenGL context with compute shaders: the best GPU of this machine, or why there is none."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from tfpy.engine.machine import gpu_turn
from tfpy.engine.warn import warn_user

SOFTWARE = (
    "llvmpipe",
    "softpipe",
    "swiftshader",
    "software rasterizer",
    "swrast",
    "basic render driver",
    "gdi generic",
    "apple software",
)
"""Parts of the names of software renderers, in lower case."""

FORBIDDEN = "There is a GPU, but no permission to use /dev/dri/renderD*: join the groups 'render' and 'video'."

WHICH = "TFPY_GPU"
"""The environment variable that selects one of several GPUs."""

_VERSION = 430  # the first OpenGL with compute shaders; requesting the newest fails on drivers that lack it
_MAX_DEVICES = 16
_MAX_SHARED_MEMORY = 0x8262  # GL_MAX_COMPUTE_SHARED_MEMORY_SIZE
_SHARED_BYTES = 32768  # what OpenGL guarantees
_NO_SUCH_DEVICE = "requested device index"  # what glcontext says when there are fewer


class Attempt(NamedTuple):
    """One attempt to open a context.

    Attributes:
        how: a description of where it was looked for.
        renderer: the driver's name for its device, '' if there is no context.
        problem: why it cannot be used, '' if it can.
    """

    how: str
    renderer: str
    problem: str


class Opened(NamedTuple):
    """A context, current on this thread, and how it was obtained."""

    context: Any
    attempts: list[Attempt]
    software: bool


class _Found(NamedTuple):
    """A renderer, and how to open a context on it."""

    renderer: str
    settings: dict[str, Any]


def is_software(renderer: str) -> bool:
    """Whether a renderer with this name computes on the CPU."""
    name = renderer.lower()
    return any(mark in name for mark in SOFTWARE)


def open_context() -> Opened:
    """A context on hardware if there is any, otherwise on a software renderer, with one warning.

    Of several GPUs it is the first, the one set by `share_gpus`, or the one that the environment variable TFPY_GPU
    selects: by its number, from 0, or by a part of its driver's name for it.

    Raises:
        RuntimeError: there is none with OpenGL 4.3, or the selected one does not exist; says in one line why, and what
            to do.
    """
    moderngl = import_moderngl()
    asked = os.environ.get(WHICH, "").strip()
    attempts: list[Attempt] = []
    found: list[_Found] = []
    for context, attempt, settings in _contexts(moderngl):
        attempts.append(attempt)
        if context is None:
            continue
        if not (asked or gpu_turn() or is_software(attempt.renderer)):
            return Opened(context, attempts, False)
        context.release()
        found.append(_Found(attempt.renderer, settings))
    if not found:
        raise RuntimeError(f"webgl: no usable GPU with OpenGL 4.3 was found ({_reasons(attempts)}). {advice(attempts)}")
    chosen = _chosen(found, asked)
    return Opened(_try(moderngl, "", chosen.settings)[0], attempts, is_software(chosen.renderer))


def gpus() -> list[str]:
    """The names of the GPUs that can be used here, in the order of their numbers."""
    found: list[str] = []

    def look() -> None:
        for context, attempt, _ in _contexts(import_moderngl()):
            if context is not None:
                context.release()
                if not is_software(attempt.renderer):
                    found.append(attempt.renderer)

    thread = threading.Thread(target=look)  # so that this thread's current context is not changed
    thread.start()
    thread.join()
    return found


def _contexts(moderngl: Any) -> Iterator[tuple[Any, Attempt, dict[str, Any]]]:
    """The available contexts, and failed attempts: one for each GPU if EGL finds any.

    NVIDIA's driver is asked to cache compiled shaders on disk for the superuser, too, the usual user in containers:
    compiling some hundred shaders takes seconds.
    """
    os.environ.setdefault("__GL_SHADER_DISK_CACHE", "1")
    hardware = exhausted = False
    for how, settings in _places():
        if exhausted if settings else hardware:
            continue
        context, attempt = _try(moderngl, how, settings)
        exhausted = _NO_SUCH_DEVICE in attempt.problem
        if exhausted and settings.get("device_index"):  # the one after the last: nothing to report
            continue
        hardware = hardware or (context is not None and not is_software(attempt.renderer))
        yield context, attempt, settings


def _chosen(found: list[_Found], asked: str) -> _Found:
    hardware = [one for one in found if not is_software(one.renderer)]
    if not asked:
        return hardware[gpu_turn() % len(hardware)] if hardware else found[0]
    fitting = hardware[int(asked) :] if asked.isdecimal() else [f for f in found if asked.lower() in f.renderer.lower()]
    if fitting:
        return fitting[0]
    there = "; ".join(f"{i}: {one.renderer}" for i, one in enumerate(hardware)) or "none"
    raise RuntimeError(f"webgl: the variable {WHICH} requests the GPU {asked!r}; this machine has {there}.")


def warn_of_software(renderer: str) -> None:
    """Say once that this 'GPU' is the CPU."""
    warn_user(f"webgl: {renderer} renders in software; the backend 'cpu' is faster on this machine.")


def shared_memory(context: Any) -> int:
    """How many bytes the threads of a group may share, at least OpenGL's minimum; moderngl does not expose it."""
    found = ctypes.c_int(0)
    try:
        address = context.mglo._context.load("glGetIntegerv")
    except AttributeError:
        return _SHARED_BYTES
    if not address:
        return _SHARED_BYTES
    ctypes.CFUNCTYPE(None, ctypes.c_uint, ctypes.POINTER(ctypes.c_int))(address)(_MAX_SHARED_MEMORY, found)
    return max(found.value, _SHARED_BYTES)


def import_moderngl() -> Any:
    """The moderngl module.

    Raises:
        RuntimeError: it is not installed.
    """
    try:
        import moderngl
    except ImportError as error:
        raise RuntimeError(
            f"webgl: needs moderngl ({error}); install it with: pip install moderngl glcontext"
        ) from None
    return moderngl


def advice(attempts: list[Attempt]) -> str:
    """Advice for users whose GPU is not found."""
    if not sys.platform.startswith("linux"):
        if sys.platform == "darwin":
            return "macOS stops at OpenGL 4.1; use the backend 'cpu'."
        return "Install the graphics driver of your GPU's vendor."
    if is_forbidden():
        return FORBIDDEN
    missing = " ".join(a.problem for a in attempts)
    if "libEGL" in missing or "libGL" in missing:
        return "Install the OpenGL libraries: apt install libegl1 libgl1 libgl1-mesa-dri (or your vendor's driver)."
    if os.path.exists("/.dockerenv") and not os.path.isdir("/dev/dri"):
        return "Pass the GPU to the container: --device /dev/dri, or --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all."
    return "Install your GPU's driver, or Mesa's software renderer: apt install libegl1 libgl1-mesa-dri."


def is_forbidden() -> bool:
    """Whether there is a GPU that this user is not allowed to use."""
    nodes = [n for n in os.listdir("/dev/dri") if n.startswith("renderD")] if os.path.isdir("/dev/dri") else []
    return bool(nodes) and not any(os.access(f"/dev/dri/{n}", os.R_OK | os.W_OK) for n in nodes)


def _places() -> list[tuple[str, dict[str, Any]]]:
    """The places to look for contexts, in order: EGL's devices, then the platform's default."""
    default: list[tuple[str, dict[str, Any]]] = [("default display", {})]
    if not sys.platform.startswith("linux"):
        return default
    devices = [(f"EGL device {i}", {"backend": "egl", "device_index": i}) for i in range(_MAX_DEVICES)]
    return devices + default


def _try(moderngl: Any, how: str, settings: dict[str, Any]) -> tuple[Any, Attempt]:
    try:
        context = moderngl.create_context(standalone=True, require=_VERSION, **settings)
    except Exception as error:  # the loaders raise bare Exception
        return None, Attempt(how, "", " ".join(str(error).split()) or type(error).__name__)
    return context, Attempt(how, context.info["GL_RENDERER"], "")


def _reasons(attempts: list[Attempt]) -> str:
    """The errors of all attempts, without consecutive duplicates."""
    reasons = []
    for problem, alike in groupby(attempts, lambda attempt: attempt.problem):
        places = [attempt.how for attempt in alike]
        reasons.append(f"{' to '.join(dict.fromkeys((places[0], places[-1])))}: {problem}")
    return "; ".join(reasons) or "no display was found"
