"""Options: an option dict or keywords, in either spelling; None means 'not given'. All code for options is here.

`accepts_options` is applied to every public function that has a default or a parameter name of several words. Hot ops
have neither and are called directly.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, TypeVar, cast

from tfpy.core.calling.annotations import NUMBERS
from tfpy.core.calling.argument_errors import name_call, name_outer, refuse_misfit, refuse_unbound
from tfpy.core.calling.tracebacks import hide_own_lines
from tfpy.core.naming.elsewhere import OF_OPTIMIZERS, OF_OPTIONS
from tfpy.core.naming.names import spellings
from tfpy.core.naming.wrappers import forwarding
from tfpy.engine.arguments import as_number
from tfpy.engine.errors import argument_error, nearest

F = TypeVar("F", bound=Callable[..., Any])


def read_options(given: Mapping[str, Any], known: Iterable[str], where: str) -> dict[str, Any]:
    """Options in either spelling -> snake_case; those that are None are omitted.

    Raises:
        TypeError: an unknown option (with the nearest known one), or one given twice.
    """
    return respell(given, spellings(known), where)


def respell(
    given: Mapping[str, Any], spelling: Mapping[str, str], where: str, required: Container[str] = ()
) -> dict[str, Any]:
    """`read_options` with a given table of spellings; required options may be None."""
    out: dict[str, Any] = {}
    for key, value in given.items():
        if key not in spelling:
            raise TypeError(f"{where}: unknown option {key!r}.{_hint(where, key, spelling)}")
        name = spelling[key]
        if name in out:
            raise TypeError(f"{where}: option {name!r} is given twice.")
        out[name] = value
    return {name: value for name, value in out.items() if value is not None or name in required}


def _hint(where: str, key: str, spelling: Mapping[str, str]) -> str:
    if found := OF_OPTIONS.get(where, {}).get(key):
        return f" In tfpy it is {found}."
    if OF_OPTIMIZERS.get(key) in spelling:
        return f" In tfpy it is {OF_OPTIMIZERS[key]}."
    return nearest(key, spelling) or _listed(spelling)


def _listed(spelling: Mapping[str, str]) -> str:
    names = dict.fromkeys(spelling.values())
    return f" It takes {', '.join(names)}." if names else " It takes none."


def accepts_options(options: str | None = None, where: str | None = None) -> Callable[[F], F]:
    """Let a function be called as in TF.js: camelCase keywords, None for a default, an option dict in its position.

    Args:
        options: the name of the last positional parameter, if it may be a dict of options, which are then equivalent to
            keywords.
        where: the name of the function in error messages; its own name by default.
    """

    def decorate(function: F) -> F:
        return cast("F", _wrap(function, where or _name_of(function), options))

    return decorate


def _name_of(function: Callable[..., Any]) -> str:
    """The name of a function in errors; for a constructor, that of the class."""
    *_, owner, name = ("", *function.__qualname__.split("."))
    return owner if name == "__init__" else name.strip("_")


def parameters_of(function: Callable[..., Any]) -> tuple[list[str], list[str]]:
    """Names of a function's positional and of its keyword-only parameters (fast: it runs for each op at import).

    The latter include the options of a TypedDict, see `unpacked`.
    """
    code = function.__code__
    positional, keyword_only = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames
    return list(names[:positional]), [*names[positional : positional + keyword_only], *unpacked(function)]


def unpacked(function: Callable[..., Any]) -> dict[str, str]:
    """The names and annotations of `**options: Unpack[Options]`, where Options is a TypedDict."""
    if function.__code__.co_flags & inspect.CO_VARKEYWORDS:
        for annotation in function.__annotations__.values():
            if annotation.startswith("Unpack["):
                options = function.__globals__[annotation.removeprefix("Unpack[").removesuffix("]")]
                return {name: kind.__forward_arg__ for name, kind in options.__annotations__.items()}
    return {}


def _listing(together: Mapping[str, str], function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function with the options of its TypedDict as separate parameters."""
    signature = inspect.signature(function)
    *own, _ = signature.parameters.values()
    kind = inspect.Parameter.KEYWORD_ONLY
    more = [inspect.Parameter(name, kind, default=None, annotation=text) for name, text in together.items()]
    return signature.replace(parameters=[*own, *more])


# Every call of a public function goes through this wrapper, which is written out for speed.
def _wrap(function: Callable[..., Any], where: str, options: str | None) -> Callable[..., Any]:  # noqa: C901
    positional, keyword_only = parameters_of(function)
    spelling = spellings(n for n in (*positional, *keyword_only) if n not in ("self", "cls", options))
    most = sys.maxsize if function.__code__.co_flags & inspect.CO_VARARGS else len(positional)
    example = keyword_only[0] if keyword_only else None
    given = function.__defaults__ or ()
    defaults = dict(enumerate(given, start=len(positional) - len(given)))
    required = positional[: len(positional) - len(given)]
    together = unpacked(function)
    optional = {*(function.__kwdefaults__ or ()), *together}
    needed = [*required, *(name for name in keyword_only if name not in optional)]
    annotations = function.__annotations__ | together
    places = [*enumerate(positional), *((sys.maxsize, name) for name in keyword_only)]
    numbers = [(i, name, NUMBERS[annotations[name]]) for i, name in places if annotations.get(name) in NUMBERS]
    first_default = min((i for i, value in defaults.items() if value is not None), default=most)
    # With so few positional values and no keywords there is nothing to check.
    plain = min(first_default, numbers[0][0] if numbers else most, most if options is None else len(positional) - 1)

    @forwarding
    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            if not keywords and len(args) <= plain:
                return function(*args)
            if options is not None:
                args, keywords = _merge_options(args, keywords, len(positional) - 1, options, spelling, where, example)
            elif keywords:
                keywords = respell(keywords, spelling, where, required)
            if len(args) > first_default:
                args = tuple([defaults.get(i) if a is None else a for i, a in enumerate(args)])
                if len(args) > most:
                    raise TypeError(_too_many(where, positional, keyword_only, options, args))
            for i, name, plainly in numbers:
                if i < len(args) and type(args[i]) not in plainly:
                    args = (*args[:i], _as_number(where, name, args[i]), *args[i + 1 :])
                elif name in keywords and type(keywords[name]) not in plainly:
                    keywords[name] = _as_number(where, name, keywords[name])
            return function(*args, **keywords)
        except BaseException as error:
            hide_own_lines(error)
            if isinstance(error, Exception):
                by_place = dict(zip(positional, args, strict=False))
                refuse_unbound(where, needed, by_place, keywords, error)
                given = by_place | keywords
                refuse_misfit(where, annotations, given, error)
                name_call(where, given, error)
                name_outer(where, given, error)
            raise

    if together:
        call.__signature__ = _listing(together, function)  # type: ignore[attr-defined]
    return call


def _as_number(where: str, name: str, value: Any) -> float:
    """A number as a float; an int within the range of floats stays one."""
    number = as_number(where, name, value)
    return value if type(value) is int else number


def _too_many(
    where: str, positional: list[str], keyword_only: list[str], options: str | None, args: tuple[Any, ...]
) -> str:
    bound = positional[:1] in (["self"], ["cls"])
    by_place, found = ", ".join(name for name in positional[bound:] if name != options), len(args) - bound
    how = "by name" if options is None else "by name or in a dict"
    by_name = f", and {how} {', '.join(keyword_only)}" if keyword_only else ""
    return f"{where}: takes {by_place or 'nothing'} by position{by_name}, but got {found} values by position."


def dict_or_keywords(example: str | None) -> str:
    """The expected value in messages about options."""
    return "a dict of options, or keywords" + (f" such as {example}=…" if example else "")


def _merge_options(
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    at: int,
    options: str,
    spelling: Mapping[str, str],
    where: str,
    example: str | None,
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The option dict, given by position or by name, turned into keywords."""
    given = keywords.pop(options, None)
    if len(args) == at + 1:
        args, given = args[:at], args[at]
    if given is None:
        return args, respell(keywords, spelling, where)
    if not isinstance(given, Mapping):
        raise argument_error(where, options, dict_or_keywords(example), given, TypeError)
    merged = respell(given, spelling, where)
    for name, value in respell(keywords, spelling, where).items():
        if name in merged:
            raise TypeError(f"{where}: option {name!r} is given twice.")
        merged[name] = value
    return args, merged
