"""Messages for unknown names: the closest known name, or tfpy's name for one of another library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from inspect import get_annotations
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from tfpy.engine.errors import letters_of
from tfpy.engine.package import is_ours

NAMESPACES: dict[str, Mapping[str, Any]] = {}
"""The contents of `tf` and of the namespaces in it, by name. Each is registered when it is loaded."""

LAZY: list[str] = []
"""The packages that are loaded on first use, or here: what they contain may be suggested, too."""


class MissingNameError(AttributeError):
    """An unknown name. The hint is computed when the message is read: most such errors are only caught and dropped."""

    def __init__(self, owner: str, name: str, known: Callable[[], Iterable[str]], elsewhere: Mapping[str, str]) -> None:
        super().__init__(name=name)
        self._owner = owner
        self._known = known
        self._elsewhere = elsewhere

    def __str__(self) -> str:
        return f"{self._owner} has no attribute {self.name!r}.{hint(str(self.name), self._known(), self._elsewhere)}"


def hint(name: str, known: Iterable[str], elsewhere: Mapping[str, str]) -> str:
    """The sentence that suggests a replacement for a name; empty if no name is close.

    Args:
        name: the name.
        known: the known names.
        elsewhere: names of other libraries, and their replacements.
    """
    import difflib  # here, to keep the startup fast

    plain = _by_plain(known)
    key = letters_of(name)
    if key not in plain:
        if name in elsewhere:
            return f" In tfpy it is {elsewhere[name]}."
        key = key.removeprefix("reduce") or key
    if key not in plain:
        for space, names in _namespaces().items():
            found = _best(name, _by_plain(names).get(key, [""]))
            if found and found[0].isupper() == name[0].isupper():
                return f" Did you mean {space}.{found}?"
    longer = sorted((k for k in plain if k == key or (len(key) > 3 and k.startswith(key))), key=len)
    close = longer or difflib.get_close_matches(key, plain, n=1)
    return f" Did you mean {_best(name, plain[close[0]])!r}?" if close else ""


def _by_plain(names: Iterable[str]) -> dict[str, list[str]]:
    """Public names, grouped by a form that all spellings of a name share."""
    found: dict[str, list[str]] = {}
    for name in names:
        if not name.startswith("_"):
            found.setdefault(letters_of(name), []).append(name)
    return found


def _best(wanted: str, spellings: list[str]) -> str:
    """The spelling in the style of the wanted name; CapWords and snake_case are both Python's."""
    snake = wanted.islower() or wanted[:1].isupper()
    return max(spellings, key=lambda s: (s[:1].isupper() == wanted[0].isupper(), s.islower() == snake))


def _namespaces() -> dict[str, list[str]]:
    """`tf` and the namespaces in it, with their names."""
    for package in LAZY:
        import_module(package)
    outer_first = sorted(NAMESPACES, key=lambda space: space.count("."))
    return {space: names_of(NAMESPACES[space]) for space in outer_first}


def names_of(namespace: Mapping[str, Any]) -> list[str]:
    """The names in a namespace, without submodules and private imports."""
    public = [
        n for n, v in namespace.items() if not isinstance(v, ModuleType) or "_missing_from" in vars(v) or callable(v)
    ]
    return [name for name in public if name not in ("TYPE_CHECKING", "annotations", "overload")]


class Hints:
    """Base of classes whose users try names of other libraries: `_elsewhere` has the replacements for these."""

    __slots__ = ()
    _elsewhere: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:  # type checkers would assume that every name exists

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # a property has failed: its own error has the reason
            raise self._no_attribute(name)

    def _no_attribute(self, name: str) -> AttributeError:
        """The error for an unknown name."""
        return MissingNameError(f"'{type(self).__name__}' object", name, lambda: dir(self), self._elsewhere)


class Closed(Hints):
    """Base of classes whose objects reject unknown attributes, since setting one would have no effect.

    The names that a class defines or annotates are known. Objects of user-defined classes accept any name.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers would assume that every name can be set

        def __setattr__(self, name: str, value: Any) -> None:
            cls = type(self)
            if is_ours(cls) and not name.startswith("_") and name not in _attributes_of(cls):
                raise MissingNameError(f"'{cls.__name__}' object", name, lambda: _attributes_of(cls), self._elsewhere)
            object.__setattr__(self, name, value)


@cache
def _attributes_of(cls: type) -> frozenset[str]:
    """The names that a class defines or annotates."""
    return frozenset({*dir(cls), *(name for base in cls.__mro__ for name in get_annotations(base))})


class Absent:
    """A name of another library as a missing attribute: reading it raises an error with the replacement.

    It is for classes whose attributes must be fast: CPython 3.11 reads attributes slowly if a class has `__getattr__`.
    For all other names Python's own error suggests the closest one.
    """

    __slots__ = ("_instead", "_name")

    def __init__(self, name: str, instead: str) -> None:
        self._name = name
        self._instead = instead

    def __get__(self, instance: object, owner: type) -> Any:
        name = self._name
        raise AttributeError(
            f"{owner.__name__!r} object has no attribute {name!r}. In tfpy it is {self._instead}.", name=name
        )


def add_absent(cls: type, names: Mapping[str, str]) -> None:
    """Add hints for names that a class does not have."""
    for name, instead in names.items():
        setattr(cls, name, Absent(name, instead))


def without_absent(names: Iterable[str], cls: type) -> list[str]:
    """The names among a class's that exist."""
    absent = {name for base in cls.__mro__ for name, value in vars(base).items() if isinstance(value, Absent)}
    return [name for name in names if name not in absent]
