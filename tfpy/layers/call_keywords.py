"""The keywords of a layer's `call`: by name as in Python, or in a dict as in TF.js."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tfpy.core.names import spellings

Keywords = tuple[dict[str, str] | None, bool]


@functools.cache
def keywords_of(call: Callable[..., Any]) -> Keywords:
    """The keywords that a `call` takes, by their spellings (None: any), and whether it takes them as a dict.

    TF.js's layers take a dict.
    """
    parameters = list(inspect.signature(call).parameters.values())[2:]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None, False
    names = spellings(p.name for p in parameters)
    return names, len(parameters) == 1 and parameters[0].name in ("kwargs", "args", "_kwargs")


def taking_a_dict(call: Callable[..., Any]) -> Callable[..., Any]:
    """A `call` whose keywords may come in a dict, too, as those of TF.js's layers do; unknown ones are left out."""

    @functools.wraps(call)
    def called(self: Any, inputs: Any, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], Mapping):
            names = _left_out_at_will(call)
            if names is not None:
                given = {names[name]: value for name, value in arguments[0].items() if name in names}
                return call(self, inputs, **given, **keywords)
        return call(self, inputs, *arguments, **keywords)

    return called


@functools.cache
def _left_out_at_will(call: Callable[..., Any]) -> dict[str, str] | None:
    """The keywords of a `call` by their spellings; None where a dict by position is one of its arguments."""
    names, as_dict = keywords_of(call)
    parameters = list(inspect.signature(call).parameters.values())[2:]
    required = bool(parameters) and parameters[0].default is inspect.Parameter.empty
    return None if as_dict or required else names
