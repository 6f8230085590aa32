"""TF.js's spelling for classes: the machinery behind the generated `_camel` mixins and the chained methods."""

from __future__ import annotations

from typing import Any

from tfpy.core.names import camel, spellings


def forward(name: str) -> Any:
    """A method that calls the method of the snake_case name, as the object's own class defines it."""

    def call(self: Any, *args: Any, **keywords: Any) -> Any:
        return getattr(self, name)(*args, **keywords)

    call.__name__ = call.__qualname__ = camel(name)
    call.__doc__ = f"TF.js's spelling of `{name}`."
    return call


def forward_property(name: str, writable: bool = False) -> Any:
    """A property that reads, and if it can be set writes, the attribute of the snake_case name."""

    def read(self: Any) -> Any:
        return getattr(self, name)

    def write(self: Any, value: Any) -> None:
        setattr(self, name, value)

    return property(read, write if writable else None, doc=f"TF.js's spelling of `{name}`.")


def adopt_camel(cls: type, known: dict[str, str]) -> None:
    """Let a subclass define methods in TF.js's spelling: they become the snake_case methods of the same meaning.

    Args:
        cls: the subclass.
        known: camelCase -> snake_case of the methods that subclasses may define.
    """
    for spelling, name in known.items():
        if spelling != name and spelling in vars(cls) and name not in vars(cls):
            setattr(cls, name, vars(cls)[spelling])
            delattr(cls, spelling)


def attribute_of(target: object, name: str) -> str:
    """The name of an object's attribute that a name means: the one that it spells as TF.js does, or the name itself."""
    return name if name.islower() else spellings(vars(target)).get(name, name)
