"""Which argument of a call that failed was not of its parameter's kind, told by the annotations.

Calls are not checked beforehand, which would cost every one of them. Where Python or numpy has failed inside of a
function, with a message about something that the caller has never seen, this finds the argument to blame.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.arguments import as_int, as_number
from tfpy.engine.errors import DisposedError, ShapeError, argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.package import is_users


def refuse_unbound(
    where: str, required: Iterable[str], by_place: Collection[str], by_name: Collection[str], error: Exception
) -> None:
    """Raise TypeError for arguments that are missing or given twice, if that is why a function could not be called.

    Python's own message calls it as the source does: `Dataset.shuffle`, or `ModelCheckpoint.__init__`.

    Args:
        where: what messages call the function.
        required: the parameters without a default.
        by_place: the parameters that got a value by position.
        by_name: those that got one by name.
        error: what the call raised.
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


def refuse_misfit(where: str, kinds: Mapping[str, Any], given: Mapping[str, Any], error: Exception) -> None:
    """Raise TypeError for the first argument that does not fit its annotation.

    Errors that name an argument themselves are left alone, and so are those for which all arguments fit, and what a
    function of the user's has raised.
    """
    if isinstance(error, (ShapeError, DisposedError)) or _NAMED.match(message := str(error)):
        return
    if message.startswith(f"{where}: ") or _is_from_user(error):
        return
    for name, value in given.items():
        known = _known(kinds.get(name, ""))
        if known and not any(fits(value) for _, fits in known):
            expected = " or ".join(text for text, _ in known if text)
            raise argument_error(where, name, expected, value, TypeError) from error


def _is_from_user(error: Exception) -> bool:
    step = error.__traceback__
    while step is not None:
        if is_users(step.tb_frame.f_code.co_filename):
            return True
        step = step.tb_next
    return False


_NAMED = re.compile(r"[^ ]+: argument '")
Kind = tuple[str, Callable[[Any], bool]]


@functools.cache
def _known(annotation: str) -> list[Kind]:
    """What each alternative of an annotation is called, and what is one; nothing if there is one that is not known."""
    found = [_KINDS.get(text) or _KINDS.get(text.partition("[")[0]) for text in _alternatives(annotation)]
    return [] if None in found else [kind for kind in found if kind is not None]


def _alternatives(annotation: str) -> list[str]:
    """The parts between the bars that are in no brackets."""
    parts, depth = [""], 0
    for sign in annotation:
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, Handle))


def _is_one(value: Any) -> bool:
    """Whether a value is no array, or one with one element, which is as good as that."""
    return not _is_array(value) or (value.size if isinstance(value, np.ndarray) else value.spec.size) == 1


def _can(convert: Callable[[str, str, Any], Any], value: Any) -> bool:
    try:
        convert("", "", value)
    except Exception:
        return False
    return True


def _is_int(value: Any) -> bool:
    return isinstance(value, bool) or _can(as_int, value)


def _is_list(value: Any) -> bool:
    shape = getattr(value, "shape", None)
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not _is_no_list(value) and shape != ()


def _is_no_list(value: Any) -> bool:
    return isinstance(value, (str, bytes, Mapping))


def _is_iterable(value: Any) -> bool:
    return isinstance(value, Iterable) and not _is_no_list(value) and getattr(value, "shape", None) != ()


def _are_ints(value: Any) -> bool:
    known = isinstance(value, (list, tuple, np.ndarray))
    return _is_list(value) and (not known or all(map(_is_int, value)))


def _are_numbers(value: Any) -> bool:
    known = isinstance(value, (list, tuple, np.ndarray))
    return _is_list(value) and (not known or all(_can(as_number, v) for v in value))


def _are_texts(value: Any) -> bool:
    known = isinstance(value, (list, tuple))
    return _is_list(value) and (not known or all(isinstance(v, str) for v in value))


def _are_handles(value: Any) -> bool:
    return _is_list(value) and not _is_array(value) and all(isinstance(v, Handle) for v in value)


def _are_bytes(value: Any) -> bool:
    return isinstance(value, (bytes, bytearray, memoryview)) or getattr(value, "dtype", None) == np.uint8


_LIST = "a list", _is_list
_ITERABLE = "a list", _is_iterable
_KINDS: dict[str, Kind] = {
    "None": ("", lambda value: value is None),
    "str": ("a text", lambda value: isinstance(value, str)),
    "bytes": ("bytes", _are_bytes),
    "bool": ("True or False", _is_one),
    "int": ("a whole number", _is_int),
    "float": ("a number", lambda value: _can(as_number, value)),
    "DType": ("the name of a dtype", lambda value: isinstance(value, str)),
    "Reduction": ("a Reduction", lambda value: not _is_array(value)),
    **dict.fromkeys(("Tensor", "Handle"), ("a tensor", lambda value: hasattr(value, "shape"))),
    "Callable": ("a function", callable),
    "Mapping": ("a dict", lambda value: isinstance(value, Mapping)),
    **dict.fromkeys(("Sequence", "MutableSequence", "list"), _LIST),
    "Iterable": _ITERABLE,
    **dict.fromkeys(("Sequence[int]", "list[int]", "Shape"), ("a list of whole numbers", _are_ints)),
    "Sequence[Handle]": ("a list of tensors", _are_handles),
    **dict.fromkeys(("Sequence[str]", "list[str]"), ("a list of texts", _are_texts)),
    **dict.fromkeys(("Sequence[float]", "list[float]"), ("a list of numbers", _are_numbers)),
}


def name_kind(name: str, known: str) -> None:
    """Let annotations call a kind by another name, too."""
    _KINDS[name] = _KINDS[known]
