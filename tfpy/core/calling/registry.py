"""The registry of public ops, from which the faces, the tests and the reference are generated.

`@op` marks a function as public. The generator reads the marks from the source; tests and documentation read them
here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from tfpy.core.calling.options import accepts_options, parameters_of
from tfpy.core.naming.names import public_name

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class OpInfo(NamedTuple):
    """A public op.

    Attributes:
        name: its public snake_case name.
        namespace: its namespace under `tf`, '' for the top level.
        function: the function itself.
        chain: whether it is also a method of Tensor.
        legacy: its names on the legacy NDArrayMath, in snake_case.
        doc: the heading and subheading of its reference entry.
        aliases: its other paths under `tf`, such as 'metrics.mse'.
    """

    name: str
    namespace: str
    function: Callable[..., Any]
    chain: bool
    legacy: tuple[str, ...]
    doc: str
    aliases: tuple[str, ...]


OPS: dict[str, OpInfo] = {}
EXPORTS: dict[str, Any] = {}


def op(
    *,
    doc: str,
    chain: bool = False,
    legacy: str = "",
    namespace: str = "",
    options: str | None = None,
    aliases: str = "",
) -> Callable[[F], F]:
    """Mark a function as a public op under its name without a trailing underscore (used for names that are keywords).

    A function with defaults or parameter names of several words is wrapped to accept options (see `accepts_options`);
    any other is returned unchanged, without any overhead.
    """

    def mark(function: F) -> F:
        public = _taking_options(function, options)
        name, olds, others = public.__name__, tuple(legacy.split()), tuple(aliases.split())
        OPS[path_of(name, namespace)] = OpInfo(name, namespace, public, chain, olds, doc, others)
        return public

    return mark


def export(*, doc: str, namespace: str = "", options: str | None = None, aliases: str = "") -> Callable[[T], T]:
    """Mark a class, or a function that is not an op, as public. A function is wrapped to accept options.

    An alias of a class is the name of its factory function in TF.js; it has two spellings.
    """

    def mark(thing: T) -> T:
        public: Any = thing
        if not isinstance(thing, type) and not hasattr(thing, "__wrapped__"):  # an export within another
            public = accepts_options(options)(_publicly_named(thing))  # type: ignore[type-var]
        EXPORTS[path_of(public.__name__, namespace)] = public
        return public  # type: ignore[no-any-return]

    return mark


def path_of(name: str, namespace: str) -> str:
    """The path of a public name under `tf`."""
    return f"{namespace}.{name}" if namespace else name


def _taking_options(function: F, options: str | None) -> F:
    """The function under its public name, wrapped to accept options if it has any."""
    function = _publicly_named(function)
    positional, keyword_only = parameters_of(function)
    plain = not function.__defaults__ and not any("_" in n for n in (*positional, *keyword_only))
    return function if plain and options is None else accepts_options(options)(function)


def _publicly_named(function: F) -> F:
    function.__name__ = function.__qualname__ = public_name(function.__name__)
    return function
