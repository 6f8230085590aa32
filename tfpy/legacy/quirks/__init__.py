"""The results of deeplearn.js that differ from TF.js, and the switch between the two.

By default (`dl.numerics("tfjs")`) the legacy generation computes what the new one computes, bit for bit. Under
`dl.numerics("deeplearn.js")` the entries of `QUIRKS` apply: each is a difference in the results of deeplearn.js 0.3.17,
with its source and formula; `tests/legacy/test_quirks.py` tests each one. Nothing else differs. Functions (`dl.div`),
methods of arrays (`a.div`) and of math (`math.div`) ask the same table: there is one answer.

The setting is process-wide: threads started later use it too. `with dl.numerics(…):` overrides it for the thread (and
for the tasks of asyncio that start there) until the block ends; other threads do not see that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from tfpy.core.calling.options import accepts_options
from tfpy.engine.backend import Array
from tfpy.engine.errors import unknown_name_error

F = TypeVar("F", bound=Callable[..., Any])
Mode = Literal["tfjs", "deeplearn.js"]
Where = Literal["math", "graph", "gradients"]

MODES: tuple[Mode, ...] = ("tfjs", "deeplearn.js")


class _Process:
    """The setting of the process."""

    mode: Mode = "tfjs"


_override: ContextVar[Mode | None] = ContextVar("numerics", default=None)
_differentiating: ContextVar[bool] = ContextVar("differentiating", default=False)


class Numerics:
    """The result of `numerics`. As a context manager it restores the setting at the end of the block."""

    def __init__(self, mode: Mode, before: Mode, inner: bool) -> None:
        self.mode = mode
        self._before = before
        self._inner = inner  # created inside the block of another one
        self._token: Token[Mode | None] | None = None

    def __enter__(self) -> Numerics:
        if self._inner:
            _override.set(self._before)
        else:
            _Process.mode = self._before
        self._token = _override.set(self.mode)
        return self

    def __exit__(self, *error: object) -> None:
        assert self._token is not None
        _override.reset(self._token)

    def __repr__(self) -> str:
        return f"numerics({self.mode!r})"


def numerics(mode: Mode) -> Numerics:
    """Choose the numerics of the legacy generation, from here on or, in a `with`, inside its block.

    Args:
        mode: 'tfjs' (the default): those of the new generation. 'deeplearn.js': those of deeplearn.js 0.3.17.

    Raises:
        ValueError: another mode.
    """
    for known in MODES:
        if mode == known:
            before, inner = current(), _override.get() is not None
            if inner:
                _override.set(known)
            else:
                _Process.mode = known
            return Numerics(known, before, inner)
    raise unknown_name_error("numerics", mode, MODES)


def current() -> Mode:
    """The numerics in force here."""
    return _override.get() or _Process.mode


def active() -> bool:
    """Whether deeplearn.js's own numerics are in force."""
    return (_override.get() or _Process.mode) == "deeplearn.js"


class Quirk(NamedTuple):
    """A difference between the results of deeplearn.js and TF.js.

    Attributes:
        name: its name, here and in the tests.
        source: the symbol of deeplearn.js.
        formula: what it computes, and what TF.js computes.
    """

    name: str
    source: str
    formula: str

    @property
    def active(self) -> bool:
        return active()


QUIRKS: dict[str, Quirk] = {}
_INSTEAD: dict[Where, dict[Callable[..., Any], Callable[..., Any]]] = {"math": {}, "graph": {}, "gradients": {}}


def behavior(name: str, source: str, formula: str) -> Quirk:
    """Add an entry whose effect is an `if` on its `active` elsewhere."""
    if name in QUIRKS:
        raise ValueError(f"quirk: {name!r} is already in the table.")
    QUIRKS[name] = Quirk(name, source, formula)
    return QUIRKS[name]


def quirk(
    source: str, formula: str, *, instead_of: Callable[..., Any] | Iterable[Callable[..., Any]], where: Where = "math"
) -> Callable[[F], F]:
    """Add an entry: a function to be called instead of others.

    `where` says for whom: 'math' for all: math methods, methods of arrays, functions, and the graph; 'graph' for the
    graph alone, 'gradients' for all but the graph inside `math.gradients`.
    """

    def mark(function: F) -> F:
        behavior(function.__name__, source, formula)
        for replaced in [instead_of] if callable(instead_of) else instead_of:
            # Called as the one that it replaces: with keywords in either spelling.
            call_instead(accepts_options(where=replaced.__name__.strip("_"))(function), replaced, where)
        return function

    return mark


def call_instead(function: Callable[..., Any], replaced: Callable[..., Any], where: Where = "math") -> None:
    """In deeplearn.js numerics, call a function instead of another one, which has no other replacement."""
    if replaced in _INSTEAD[where]:
        raise ValueError(f"quirk: {replaced.__name__} is already replaced by {_INSTEAD[where][replaced].__name__}.")
    _INSTEAD[where][replaced] = function


@contextmanager
def differentiating() -> Iterator[None]:
    """Inside a `with` functions, methods and math methods compute as inside `math.gradients`."""
    token = _differentiating.set(True)
    try:
        yield
    finally:
        _differentiating.reset(token)


def numbers_of(function: Callable[..., Any], where: Where = "math") -> Callable[..., Any]:
    """The function for the numerics in force: the given one, or deeplearn.js's instead."""
    if not active():
        return function
    if where == "math" and _differentiating.get():
        where = "gradients"
    for table in (_INSTEAD[where], _INSTEAD["math"]):
        if function in table:
            return table[function]
    return function


CONVERSION = behavior(
    "typed_arrays",
    "NDArray.new, asType",
    "NaN becomes the int32 -2147483648. TF.js: 0.",
)


def typed_array(values: Array, dtype: str) -> Array:
    """Numbers as deeplearn.js stores them in the typed array of a dtype."""
    if dtype == "int32" and values.dtype.kind == "f":
        return np.where(np.isnan(values), -(2.0**31), values)
    return values
