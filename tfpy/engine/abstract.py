"""Shape-only mode: a backend that computes nothing. Ops check their arguments and return symbolic results.

Graphs and symbolic layers run the ordinary ops on it to infer shapes and dtypes.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from tfpy.engine.backend import Array, Backend, Defaults, Outputs, using
from tfpy.engine.dispatch import wrap
from tfpy.engine.dtypes import DType
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Spec

H = TypeVar("H", bound=Handle)


class _NoValues:
    """The payload of a handle without values."""


_NO_VALUES = _NoValues()


class AbstractBackend(Defaults):
    """Accepts any kernel and returns payloads without values."""

    name = "abstract"
    symbolic = True

    def write(self, values: Array, dtype: DType) -> Any:
        return _NO_VALUES

    def read(self, payload: Any, dtype: DType) -> Array:
        raise RuntimeError("This tensor is symbolic: it has a shape and a dtype, but no values to read.")

    def run(self, kernel: str, inputs: tuple[Handle, ...], attrs: Mapping[str, Any], out: Outputs) -> Any:
        return _NO_VALUES if isinstance(out, Spec) else [_NO_VALUES] * len(out)

    def implements(self, kernel: str) -> bool:
        return True


_backend = AbstractBackend()


def shapes_only() -> AbstractContextManager[Backend]:
    """Run this thread's ops only for their shapes inside a `with`."""
    return using(_backend)


def placeholder(cls: type[H], spec: Spec) -> H:
    """A handle with a shape and a dtype but no values."""
    return wrap(cls, spec, _NO_VALUES, _backend)
