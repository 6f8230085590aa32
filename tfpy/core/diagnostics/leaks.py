"""Finding leaked tensors: `tf.leaks`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from tfpy.core.calling.registry import op
from tfpy.core.diagnostics import origins
from tfpy.core.results import Record
from tfpy.engine.dtypes import DType
from tfpy.engine.printable import put
from tfpy.engine.scope import handles_in
from tfpy.engine.spec import Shape, Spec


class Leak(Record):
    """Tensors leaked by one line of a program."""

    op: str
    file: str
    line: int
    count: int
    bytes: int
    tensors: list[tuple[DType, Shape]]


class _LeakedTensor(NamedTuple):
    """One leaked tensor."""

    id: int
    origin: origins.Origin
    spec: Spec


class Leaks:
    """The tensors created inside a `with tf.leaks()` that are still alive; it can be read in the block or after it.

    Its length is the number of tensors; iterating yields a record for each line that created some, ordered by bytes,
    largest first: op, file, line, count, bytes, and tensors, their dtypes and shapes.
    """

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose
        self._first: int | None = None
        self._found: list[_LeakedTensor] | None = None
        self._allowed: set[int] = set()

    def __enter__(self) -> Leaks:
        if self._first is not None:
            raise RuntimeError("leaks: this report has already been used; call tf.leaks() for each block.")
        self._first = origins.start_watching()
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._found = self._look()
        finally:
            origins.stop_watching()
        if self._verbose and error[0] is None and len(self):
            put(self)

    def allow(self, container: Any) -> Any:
        """Do not report these tensors, in the block or after it: they are kept on purpose. Returns its argument."""
        self._allowed |= {h.id for h in handles_in(container)}
        return container

    def check(self) -> None:
        """Raise an error if tensors were leaked.

        Raises:
            RuntimeError: the report is the message.
        """
        if len(self):
            raise RuntimeError(f"leaks: {self}")

    def _look(self) -> list[_LeakedTensor]:
        assert self._first is not None
        return [_LeakedTensor(handle.id, origin, handle.spec) for handle, origin in origins.made_since(self._first)]

    @property
    def _leaks(self) -> list[Leak]:
        if self._first is None:
            raise RuntimeError("leaks: nothing was recorded; use it as `with tf.leaks() as report:`.")
        by_origin: dict[origins.Origin, list[Spec]] = defaultdict(list)
        for left in self._look() if self._found is None else self._found:
            if left.id not in self._allowed:
                by_origin[left.origin].append(left.spec)
        leaks = [
            Leak(o.op, o.file, o.line, len(specs), sum(s.nbytes for s in specs), [(s.dtype, s.shape) for s in specs])
            for o, specs in by_origin.items()
        ]
        return sorted(leaks, key=lambda leak: -leak.bytes)

    def __iter__(self) -> Iterator[Leak]:
        return iter(self._leaks)

    def __len__(self) -> int:
        return sum(leak.count for leak in self._leaks)

    def __str__(self) -> str:
        leaks = self._leaks
        total = sum(leak.count for leak in leaks)
        tensors = "1 tensor was" if total == 1 else f"{total} tensors were"
        lines = [f"{tensors} left behind, {sum(leak.bytes for leak in leaks)} bytes."]
        for leak in leaks:
            place = origins.Origin(leak.op, leak.file, leak.line)
            kinds = ", ".join(dict.fromkeys(f"{dtype} {list(shape)}" for dtype, shape in leak.tensors))
            lines.append(f"  {leak.count} of {leak.bytes} bytes by {place}: {kinds}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return "Leaks(nothing recorded yet)" if self._first is None else str(self)


@op(doc="Performance / Memory")
def leaks(verbose: bool = True) -> Leaks:
    """Find leaked tensors: a context manager that prints a report at its end, and returns it.

    Everything created in the block, on any thread, and alive at its end counts, including variables and tensors that
    the program keeps on purpose, unless passed to `allow`. While the block runs, the error for a disposed tensor says
    where it was created and disposed. Recording makes ops several times slower; otherwise there is no overhead.

        with tf.leaks():
            model.fit(x, y)

    Args:
        verbose: whether to print the report if tensors were leaked.

    Returns:
        The report: its length is the number of tensors, iterating yields a record for each line of the program that
        created some (op, file, line, count, bytes, tensors), printing it shows all of them, `check()` raises it as a
        RuntimeError, and `allow(tensors)` excludes tensors. The fixture `no_leaks` of the pytest plugin
        `tfpy.pytest_plugin` fails a test that leaks tensors.

    Source: beyond TF.js.
    """
    return Leaks(verbose)
