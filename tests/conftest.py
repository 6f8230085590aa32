"""What every test gets: the cpu backend, no scope or tape left open, no tensor left behind, no OpenGL error."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Iterator

import pytest

import tfpy as tf
from tfpy.engine.backend import registry
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.handle import accounting
from tfpy.engine.state import local

# Mesa's software renderer runs a shader in the calling thread then, which is 20 times faster for small ones.
os.environ.setdefault("LP_NUM_THREADS", "0")


def use_gpu() -> GlBackend:
    """Make the GPU backend the current one; without a GPU, that of a software renderer. Fails when there is neither."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it renders in software
        backend = registry.use("webgl")
    assert isinstance(backend, GlBackend)
    return backend


@pytest.fixture(params=["cpu", "exact", pytest.param("webgl", marks=pytest.mark.gl)])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of the current backend; a test with this fixture runs on each."""
    if request.param == "webgl":
        gpu = use_gpu()
        yield request.param
        gpu.device.check()
    else:
        registry.use(request.param)
        yield request.param
    registry.use("cpu")


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    """Fail a test that leaves tensors, scopes or tapes behind; variables are disposed for it."""
    registry.use("cpu")
    before = accounting.tensors
    yield
    registry.use("cpu")
    assert not local.state.scopes, "a scope was left open"
    assert not local.state.tapes, "a tape was left recording"
    assert local.state.backend is None, "a backend override was left"
    tf.dispose_variables()
    if accounting.tensors > before:
        gc.collect()
    # What is left of an earlier test in a cycle may be collected only now, so that there may be fewer than before.
    assert accounting.tensors <= before, f"{accounting.tensors - before} tensors were left behind"
