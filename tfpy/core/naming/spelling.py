"""TF.js's spelling for classes: of attributes in their source, and of those only their objects have.

`BothSpellings` is for methods, properties and attributes that a class declares. Their spellings are in the generated
`_camel` mixins, where editors and type checkers see them, and reading an attribute has no overhead.
`AttributesInBothSpellings` is for attributes unknown to generated files: those of a user's layer, and the fields of
records, of which there are many small classes. It looks a name up if Python has not found it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from tfpy.core.naming.hints import Hints
from tfpy.core.naming.names import camel, spellings
from tfpy.core.naming.wrappers import forwarding
from tfpy.engine.declarations import signature_of


def forward(name: str) -> Any:
    """A method that calls the method with the snake_case name, as defined by the object's class."""

    @forwarding
    def call(self: Any, *args: Any, **keywords: Any) -> Any:
        return getattr(self, name)(*args, **keywords)

    call.__name__ = call.__qualname__ = camel(name)
    call.__doc__ = f"TF.js's spelling of `{name}`."
    call.means = name  # type: ignore[attr-defined]
    return call


def forward_property(name: str, writable: bool = False) -> Any:
    """A property that reads, and if writable sets, the attribute with the snake_case name."""

    @forwarding
    def read(self: Any) -> Any:
        return getattr(self, name)

    @forwarding
    def write(self: Any, value: Any) -> None:
        setattr(self, name, value)

    read.means = name  # type: ignore[attr-defined]
    return property(read, write if writable else None, doc=f"TF.js's spelling of `{name}`.")


class BothSpellings:
    """Base of the `_camel` mixins: a member that a class defines under either name is bound to both.

    So a subclass may override either, and call either through `super()`. The spellings of a mixin alone call the method
    of the object's class; in an overriding method, they would call that method itself.
    """

    __slots__ = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if BothSpellings in cls.__bases__:
            return  # a mixin
        own = vars(cls)
        for name in ("from_config", "fromConfig"):
            if name in own:
                setattr(cls, name, _maker(own[name]))
        for mixin in [base for base in cls.__mro__ if BothSpellings in base.__bases__]:
            for spelling, name in _meanings(mixin).items():
                if name in own and spelling not in own:
                    setattr(cls, spelling, own[name])
                elif spelling in own and name not in own:
                    setattr(cls, name, own[spelling])


def _maker(definition: Any) -> Any:
    """A class's `from_config`, which may be defined, and called, with or without the class as its first argument.

    In TF.js it is a static method that takes the class to instantiate and the configuration.
    """
    bound = not isinstance(definition, staticmethod) and hasattr(definition, "__func__")
    function = getattr(definition, "__func__", definition)
    parameters = signature_of(function).parameters.values()
    places = [p for p in parameters if p.kind <= p.POSITIONAL_OR_KEYWORD]
    takes_class = len([p for p in places if p.default is p.empty]) - bound > 1
    classes = bound + takes_class
    most = None if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(places) - classes

    @forwarding
    @functools.wraps(function)
    def make(cls: type, *given: Any, **keywords: Any) -> Any:
        if given and isinstance(given[0], type):
            cls, *given = given  # type: ignore[assignment]
        return function(*[cls] * classes, *given[:most], **keywords)

    return classmethod(make)


@functools.cache
def _meanings(mixin: type) -> dict[str, str]:
    """The spellings in a mixin, and their meanings."""
    inner: dict[str, Any] = {
        spelling: member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        for spelling, member in vars(mixin).items()
    }
    return {spelling: function.means for spelling, function in inner.items() if hasattr(function, "means")}


class AttributesInBothSpellings(Hints):
    """Base of classes whose objects' attributes can also be read and set in TF.js's spelling."""

    if not TYPE_CHECKING:  # type checkers would assume that every name exists

        def __getattr__(self, name: str) -> Any:
            known = _attribute_of(self, name)
            return super().__getattr__(name) if known == name else getattr(self, known)

    def __setattr__(self, name: str, value: Any) -> None:
        # A class in TF.js's style sets `self.supportsMasking = True`: that is the same attribute, and not a new one.
        super().__setattr__(_attribute_of(self, name), value)


def _attribute_of(target: object, name: str) -> str:
    """The name of the attribute of an object for a name in either spelling."""
    return name if name.islower() else spellings(vars(target)).get(name, name)
