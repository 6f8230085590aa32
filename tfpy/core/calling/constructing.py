"""How a user's class takes the options of a configuration: as a dict (TF.js), or as keywords (Keras)."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter
from typing import Any, TypeVar

from tfpy.core.naming.names import camel
from tfpy.engine.declarations import signature_of

T = TypeVar("T")


def constructed(cls: type[T], config: Mapping[str, Any]) -> T:
    """An object constructed with the options of a configuration, keys in either spelling.

    The names of the parameters determine which way is used. Options without a parameter are ignored, as JavaScript
    ignores extra arguments.
    """
    parameters = [*signature_of(cls).parameters.values()]
    if not parameters:
        return cls()
    if parameters[0].kind is Parameter.POSITIONAL_ONLY:
        return cls(dict(config))  # type: ignore[call-arg]
    by_name = {camel(p.name): p.name for p in parameters if p.kind in _BY_NAME}
    named = {by_name[camel(key)]: value for key, value in config.items() if camel(key) in by_name}
    takes_all = parameters[-1].kind is Parameter.VAR_KEYWORD
    if not named and _may_be_dict(parameters[0], takes_all):
        return cls(dict(config))  # type: ignore[call-arg]
    others = {key: value for key, value in config.items() if camel(key) not in by_name} if takes_all else {}
    return cls(**named, **others)


_BY_NAME = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def _may_be_dict(first: Parameter, takes_all: bool) -> bool:
    """Whether a constructor's first parameter, which is not the name of an option, can be the dict of all options.

    A required one beside `**options` is an option that the configuration lacks.
    """
    if first.kind is Parameter.POSITIONAL_OR_KEYWORD:
        required = first.default is Parameter.empty
        return (required and not takes_all) or first.default is None or isinstance(first.default, Mapping)
    return first.kind is Parameter.VAR_POSITIONAL
