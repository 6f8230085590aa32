"""The registry of classes, by their names in configurations and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tfpy.core.calling.registry import export
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.engine.package import is_ours

C = TypeVar("C", bound=type)

_classes: dict[str, type] = {}


def register(cls: type, name: str) -> None:
    """Register a class under a name for use in configurations."""
    _classes[name] = cls


def class_of(name: Any) -> type | None:
    """The class that configurations refer to by a name."""
    return named(name, None) if isinstance(name, str) else None


def named(name: str, custom_objects: Mapping[str, Any] | None) -> Any:
    """The custom object or registered class of a name, or None.

    Keras's package prefix of custom classes ('Custom>Scale') matters only if it is known.
    """
    found = [known[n] for known in (custom_objects or {}, _classes) for n in (name, _bare(name)) if n in known]
    return found[0] if found else None


def _bare(name: str) -> str:
    return name.rpartition(">")[2]


def names_of_classes(fits: Callable[[type], bool]) -> list[str]:
    """The names in configurations of the classes that match, in alphabetical order."""
    return sorted(name for name, cls in _classes.items() if fits(cls))


@export(namespace="serialization", doc="Models / Serialization")
def register_class(cls: C, pkg: str | None = None, name: str | None = None) -> C:
    """Register a custom class, so that saved models can refer to it.

    Args:
        cls: a class with `from_config`; its `class_name` (or `className`) is its name in files.
        pkg: a package name, prefixed to the name with '>'; none by default. Files may have the name with or without it.
        name: another name.

    Returns:
        The class, so that this can be used as a decorator.

    Raises:
        TypeError: not a class with from_config, or without a name.

    Source: TF.js `tf.serialization.registerClass`.
    """
    if not isinstance(cls, type) or not (hasattr(cls, "from_config") or hasattr(cls, "fromConfig")):
        raise argument_error("register_class", "cls", "a class with from_config", cls, TypeError)
    own = name or getattr(cls, "class_name", "") or getattr(cls, "className", "")
    if not isinstance(own, str) or not own:
        raise argument_error("register_class", "cls", "a class with a class_name", cls, TypeError)
    known = _classes.get(own)
    if pkg:
        register(cls, f"{pkg}>{own}")
    if not pkg or known is None or not is_ours(known):  # otherwise a user's package would replace a class of ours
        register(cls, own)
    cls.class_name = own  # type: ignore[attr-defined]
    return cls


@export(namespace="serialization", doc="Models / Serialization")
def get_registered_name(cls: type) -> str:
    """The name under which a class is registered, with its package if it has one; its own name if it is not registered.

    Source: TF.js `tf.serialization.getRegisteredName`.
    """
    names = [name for name, known in _classes.items() if known is cls] or [getattr(cls, "class_name", cls.__name__)]
    return next((name for name in names if ">" in name), names[0])


def known_class(name: str, what: str, kind: type | tuple[type, ...], custom_objects: Mapping[str, Any] | None) -> type:
    """The class of a name; ValueError if there is none (with the closest known name) or it is of another kind."""
    cls = named(name, custom_objects)
    if cls is None:
        known = [n for n, c in _classes.items() if issubclass(c, kind)]
        error = unknown_name_error(what, name, known)
        raise ValueError(
            f"{error} Register a class of your own with tf.serialization.register_class, or for one file with "
            f"custom_objects={{{name!r}: …}}."
        )
    if not (isinstance(cls, type) and issubclass(cls, kind)):
        raise argument_error(what, "class_name", f"the name of a {what}", name)
    return cls
