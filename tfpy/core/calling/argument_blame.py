"""Finds the argument of a failed call that does not fit the annotation of its parameter.

Arguments are not checked before each call, which would slow down every call. If Python or numpy fails inside a
function, with a message about something internal, this finds the argument that caused it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tfpy.core.calling.annotations import kind_of
from tfpy.engine.errors import DisposedError, ShapeError
from tfpy.engine.package import is_users


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
