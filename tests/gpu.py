"""The GPU in tests: a real one, or Mesa's software renderer."""

from __future__ import annotations

import hashlib
import os
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import tfpy as tf
from tfpy.engine.backend import registry
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device

# Makes the software renderer run shaders in the calling thread, which is 20 times faster for small ones.
os.environ.setdefault("LP_NUM_THREADS", "0")


class Work(NamedTuple):
    """The cost of a function: the number of dispatched shaders, and the bytes in use after it minus those before."""

    dispatches: int
    bytes: int


def use_gpu() -> GlBackend:
    """Select the GPU backend, on a software renderer if there is no GPU; fail if there is neither."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # rendering in software
        backend = registry.use("webgl")
    assert isinstance(backend, GlBackend)
    return backend


def computed(t: tf.Tensor) -> tf.Tensor:
    """The tensor, after its value has been computed."""
    tf.backend().ensure(t.payload)
    return t


def save_shaders(folder: Path) -> None:
    """From now on, save the source of each compiled shader as a file of the folder, named after its hash."""
    folder.mkdir(parents=True, exist_ok=True)
    compile_shader = Device._compile

    def save_and_compile(device: Device, source: str) -> Any:
        name = hashlib.sha256(source.encode()).hexdigest()[:16]
        (folder / f"{name}.comp").write_text(source, encoding="utf-8")
        return compile_shader(device, source)

    Device._compile = save_and_compile  # type: ignore[method-assign]
