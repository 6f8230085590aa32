"""tidy, keep, dispose, memory: freeing and counting tensors."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from types import CoroutineType
from typing import Any, TypeVar, overload

from tfpy.core.calling.registry import op
from tfpy.core.naming.names import camel
from tfpy.core.results import Entries
from tfpy.engine import scope
from tfpy.engine.arguments import as_function
from tfpy.engine.backend import current
from tfpy.engine.block import Block
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle, accounting, check_live
from tfpy.engine.warn import warn_user

T = TypeVar("T")
H = TypeVar("H", bound=Handle)


class MemoryInfo(Entries):
    """Counts read as attributes or keys, in either spelling: num_tensors, num_data_buffers, num_bytes, unreliable."""

    num_tensors: int
    num_data_buffers: int
    num_bytes: int
    unreliable: bool
    numTensors: int
    numDataBuffers: int
    numBytes: int

    def __init__(self, counts: Mapping[str, Any]) -> None:
        super().__init__(counts)
        self._names = {camel(name): name for name in counts}

    def __repr__(self) -> str:
        return f"memory({', '.join(f'{self._names.get(k, k)}={v}' for k, v in self.items())})"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{self._names.get(k, k)}</td><td>{v}</td></tr>" for k, v in self.items())
        return f"<table>{rows}</table>"


@op(doc="Performance / Memory")
def memory() -> MemoryInfo:
    """How many tensors, data buffers and bytes are alive.

    Returns:
        Counts by attribute or key: `num_tensors`, `num_data_buffers` (tensors made by reshape, clone and cast to the
        same dtype share one), `num_bytes` (of each tensor, shared or not), `unreliable`, and the backend's own entries.
        A complex64 tensor is counted together with its two parts.

    Source: TF.js `tf.memory`. A tensor that nothing refers to any more is freed and not counted, whereas in TF.js it
    stays until it is disposed. Reference cycles are collected first, which takes some milliseconds.
    """
    gc.collect()
    counts: dict[str, Any] = {
        "num_tensors": accounting.tensors,
        "num_data_buffers": accounting.tensors - accounting.aliases,
        "num_bytes": accounting.bytes,
        "unreliable": False,
    }
    return MemoryInfo(counts | current().memory())


class Tidy(Block):
    """A scope as a context manager: `with tf.tidy() as scope: scope.result = …` keeps the result alive.

    A block containing an `await` disposes nothing, since it cannot tell its tensors from those of other tasks.
    """

    name = "tidy"


@overload
def tidy(name_or_fn: Callable[[], T], /) -> T: ...
@overload
def tidy(name_or_fn: str, fn: Callable[[], T], /) -> T: ...
@overload
def tidy() -> Tidy: ...
@op(doc="Performance / Memory")
def tidy(name_or_fn: Any = None, fn: Any = None) -> Any:
    """Run a function and dispose every tensor made in it that it does not return; variables are not disposed.

    Args:
        name_or_fn: the function; or a name for the scope, before the function.
        fn: the function, when a name is given.

    Returns:
        What the function returns. Tensors in it, in any nesting of lists and dicts, pass to the enclosing tidy.
        Without a function, a context manager; tensors assigned to its `result` live on.

    Raises:
        TypeError: no function was given. Whatever the function raises; its tensors are then disposed as well.

    Source: TF.js `tf.tidy`.
    """
    if fn is None:
        if name_or_fn is None:
            return Tidy()
        name, function = "", name_or_fn
    else:
        name, function = name_or_fn, fn
        if not isinstance(name, str):
            raise argument_error("tidy", "name_or_fn", "a name, followed by a function", name, TypeError)
    as_function("tidy", "fn", function)
    result = scope.run_in_scope(function, name)
    if type(result) is CoroutineType:
        warn_user("tidy: the function is async; tensors that it creates after its first await are not disposed.")
    return result


@op(doc="Performance / Memory")
def keep(result: H) -> H:
    """Protect a tensor from the tidy that it was made in and all enclosing ones; only `dispose` then frees it.

    Source: TF.js `tf.keep`.
    """
    if not isinstance(result, Handle):
        raise argument_error("keep", "result", "a tensor", result, TypeError)
    check_live(result, "keep")
    scope.keep(result)
    return result


@op(doc="Performance / Memory")
def dispose(container: Any) -> None:
    """Dispose every tensor in any nesting of lists and dicts.

    Source: TF.js `tf.dispose`.
    """
    for handle in scope.handles_in(container):
        handle.dispose()
