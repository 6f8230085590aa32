"""Finds the argument of a failed call that does not fit the annotation of its parameter.

Arguments are not checked before each call, which would slow down every call. If Python or numpy fails inside a
function, with a message about something internal, this finds the argument that caused it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from opcode import opmap
from types import TracebackType
from typing import Any

from tfpy.core.calling.annotations import kind_of
from tfpy.engine.errors import DisposedError, ShapeError, show
from tfpy.engine.package import PACKAGE, is_users


def refuse_unbound(
    where: str, required: Iterable[str], by_place: Collection[str], by_name: Collection[str], error: Exception
) -> None:
    """Raise TypeError for missing or repeated arguments, if that is why a function could not be called.

    Python's own message names it as the source does: `Dataset.shuffle`, or `ModelCheckpoint.__init__`.

    Args:
        where: the name of the function in messages.
        required: the parameters without a default.
        by_place: the parameters given by position.
        by_name: those given by name.
        error: the error that the call raised.
    """
    called = error.__traceback__ is None or error.__traceback__.tb_next is not None
    if called or not isinstance(error, TypeError):
        return
    for names, problem in (
        ([name for name in required if name not in by_place and name not in by_name], "missing"),
        ([name for name in by_place if name in by_name], "given twice"),
    ):
        if names:
            some = f"argument {names[0]!r} is" if len(names) == 1 else f"arguments {', '.join(map(repr, names))} are"
            raise TypeError(f"{where}: {some} {problem}.") from None


def refuse_misfit(where: str, annotations: Mapping[str, Any], given: Mapping[str, Any], error: Exception) -> None:
    """Raise TypeError, or ValueError, for the first argument that does not fit its annotation.

    Errors that already name an argument are left alone, and so are those for which all arguments fit, and those that a
    user's function has raised.
    """
    if isinstance(error, (ShapeError, DisposedError)) or _is_named(where, str(error)) or _is_from_user(error):
        return
    for name, value in given.items():
        kind = kind_of(annotations.get(name, ""))
        if kind is not None and not kind.serves(value):
            raise kind.error(where, name, value) from error


_OF_PYTHON = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
# Python's own message for a function that is called with too few or too many arguments, often one of the user's.
_UNBOUND = re.compile(r"[\w.<>]+\(\) (takes|missing|got) ")


def name_call(where: str, given: Mapping[str, Any], error: Exception) -> None:
    """Raise an error that names function and arguments for one of Python's or numpy's that nothing else explains.

    Errors are left alone that a `raise` statement of tfpy or a user's function has raised, or that may come from a
    function among the arguments. But a shape error without a name, as the shape rules of kernels raise it, gets the
    function's name.
    """
    if isinstance(error, ShapeError) and not re.match(r"\w+: ", str(error)):
        raise ShapeError(f"{where}: {error}") from error
    if not isinstance(error, _OF_PYTHON) or _is_from_user(error) or _is_stated(error) or _UNBOUND.match(str(error)):
        return
    own = {name: value for name, value in given.items() if name not in ("self", "cls")}
    if any(map(callable, own.values())):
        return
    arguments = ", ".join(f"{name}={show(value)}" for name, value in own.items())
    raise (TypeError if isinstance(error, (AttributeError, TypeError)) else ValueError)(
        f"{where}: failed{' with ' if arguments else ''}{arguments}: {type(error).__name__}: {error}"
    ) from error


# An error about an argument: the function's name, and after it the argument's name and its value.
_OF_INNER = re.compile(r"([\w.]+)(: argument '(\w+)' must be .*, but got (.*)\.)", re.DOTALL)


def name_outer(where: str, given: Mapping[str, Any], error: Exception) -> None:
    """Let an error about an argument that a function has passed on to another one name the function that was called.

    The argument has the same name and value in both. In the error of a method the inner name may be that of a layer, a
    function may have been given the name, or it may be the function's own with a namespace: these are left alone.
    """
    found = _OF_INNER.fullmatch(str(error)) if isinstance(error, (TypeError, ValueError)) else None
    if found is None or "self" in given:
        return
    inner, rest, argument, value = found.groups()
    is_given = any(isinstance(v, str) and v == inner for v in given.values())
    if not is_given and not inner.endswith(f".{where}") and argument in given and show(given[argument]) == value:
        error.args = (where + rest,)


def _is_stated(error: Exception) -> bool:
    """Whether a `raise` statement of tfpy has raised an error."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step is None or _is_raise(step)


_RAISE = opmap["RAISE_VARARGS"]


def _is_raise(step: TracebackType) -> bool:
    code = step.tb_frame.f_code
    return code.co_filename.startswith(PACKAGE) and code.co_code[step.tb_lasti] == _RAISE


def _is_named(where: str, message: str) -> bool:
    """Whether a message already names its subject: the function, or an argument of an inner one."""
    function, argument, _ = message.partition(": argument '")
    return message.startswith(f"{where}: ") or bool(argument and function and " " not in function)


def _is_from_user(error: Exception) -> bool:
    step = error.__traceback__
    while step is not None:
        if is_users(step.tb_frame.f_code.co_filename):
            return True
        step = step.tb_next
    return False
