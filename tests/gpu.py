"""The GPU in tests: a real one, or Mesa's software renderer in its place."""

from __future__ import annotations

import os
import warnings
from typing import NamedTuple

import tfpy as tf
from tfpy.engine.backend import registry
from tfpy.engine.gl.backend import GlBackend

# The software renderer runs a shader in the calling thread then, which is 20 times faster for small ones.
os.environ.setdefault("LP_NUM_THREADS", "0")


class Work(NamedTuple):
    """What happened while a function ran: shaders run, and bytes in use at its end that were not before."""

    dispatches: int
    bytes: int


def use_gpu() -> GlBackend:
    """Make the GPU backend the current one; without a GPU, that of a software renderer. Fails when there is neither."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it renders in software
        backend = registry.use("webgl")
    assert isinstance(backend, GlBackend)
    return backend


def made(t: tf.Tensor) -> tf.Tensor:
    """A tensor whose value has been computed."""
    tf.backend().ensure(t.payload)
    return t
