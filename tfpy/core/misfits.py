"""Which argument of a call that failed was not of its parameter's kind, told by the annotations.

Calls are not checked beforehand, which would cost every one of them. Where Python or numpy has failed inside of a
function, with a message about something that the caller has never seen, this finds the argument to blame.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy.core.kinds import kind_of
from tfpy.engine.errors import DisposedError, ShapeError
from tfpy.engine.package import is_users


def refuse_misfit(where: str, annotations: Mapping[str, Any], given: Mapping[str, Any], error: Exception) -> None:
    """Raise TypeError, or ValueError, for the first argument that does not fit its annotation.

    Errors that name an argument themselves are left alone, and so are those for which all arguments fit, and what a
    function of the user's has raised.
    """
    if isinstance(error, (ShapeError, DisposedError)) or _is_named(where, str(error)) or _is_from_user(error):
        return
    for name, value in given.items():
        kind = kind_of(annotations.get(name, ""))
        if kind is not None and not kind.serves(value):
            raise kind.error(where, name, value) from error


def _is_named(where: str, message: str) -> bool:
    """Whether a message says already what it is about: the function, or an argument of one within."""
    function, argument, _ = message.partition(": argument '")
    return message.startswith(f"{where}: ") or bool(argument and function and " " not in function)


def _is_from_user(error: Exception) -> bool:
    step = error.__traceback__
    while step is not None:
        if is_users(step.tb_frame.f_code.co_filename):
            return True
        step = step.tb_next
    return False
