"""Classes that declare their options once, as annotations, from which constructor, configuration and types derive.

    class Dense(Layer, class_name="Dense"):
        units: int
        use_bias: bool = True

takes `Dense(units=3)`, `Dense({"units": 3, "useBias": False})`, rejects unknown options, and returns its configuration.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Never, Self

from tfpy.core.calling.annotations import kind_of
from tfpy.core.calling.constructing import constructed
from tfpy.core.calling.options import accepts_options, dict_or_keywords, read_options
from tfpy.core.naming.names import spellings
from tfpy.core.naming.spelling import AttributesInBothSpellings
from tfpy.engine.declarations import annotations_in
from tfpy.engine.errors import argument_error, unknown_name_error, with_article
from tfpy.layers._camel import DeclaredCamel
from tfpy.layers.config import build_object, is_object_config, plain
from tfpy.layers.plan_validity import Versioned
from tfpy.layers.registry import register


def _has_tensors(given: object) -> bool:
    """Whether a value is a tensor of any kind, or a list with tensors."""
    return any(hasattr(one, "dtype") for one in (given if isinstance(given, (list, tuple)) else [given]))


class _Required:
    """The placeholder default of a required option."""


REQUIRED = _Required()

_CLASS_VARIABLE = re.compile(r"(\w+\.)*ClassVar\b")


def declared_in(cls: type) -> dict[str, Any]:
    """The options that a class annotates itself, with their defaults."""
    return {
        name: vars(cls).get(name, REQUIRED)
        for name, annotation in annotations_in(cls).items()
        if not name.startswith("_") and not _CLASS_VARIABLE.match(annotation)
    }


def known_only(declared: Mapping[str, Any], given: Any) -> Any:
    """The given options that are declared, in either spelling; anything but a dict is returned unchanged."""
    if not isinstance(given, Mapping):
        return given
    known = spellings(declared)
    return {key: value for key, value in given.items() if key in known}


class DeclaredSignature:
    """The signature of a class whose options are read by a constructor of ours, for help and completion."""

    def __init__(self, constructor: Callable[..., None]) -> None:
        self._constructor = constructor

    def __get__(self, instance: object, owner: type[Declared]) -> inspect.Signature | None:
        if instance is not None or owner.__init__ is not self._constructor:
            return None  # Python finds it without help
        options = {**owner.options, **getattr(owner, "base_options", {})}
        config = inspect.Parameter(
            "config", inspect.Parameter.POSITIONAL_ONLY, default=None, annotation="Mapping[str, Any] | None"
        )
        required_first = sorted(options.items(), key=lambda option: option[1] is not REQUIRED)
        keywords = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=inspect.Parameter.empty if value is REQUIRED else value
            )
            for name, value in required_first
        ]
        return inspect.Signature([config, *keywords])


class Declared(DeclaredCamel, AttributesInBothSpellings, Versioned):
    """Base of layers, initializers, regularizers and constraints.

    A subclass that defines its own `__init__` declares nothing: its annotations have no meaning here.

    Attributes:
        class_name: the name in saved configurations; passing it as a class argument registers the class under it. The
            class arguments `factory` ("layers.dense") and `aliases` ("fully_connected linear") name public factories.
        options: every option with its default.
        kinds: their annotations; values are checked against those that `core.calling.annotations` supports.
    """

    class_name: ClassVar[str] = ""
    options: ClassVar[dict[str, Any]] = {}
    kinds: ClassVar[dict[str, str]] = {}
    convert: ClassVar[dict[str, Callable[[Any], Any]]] = {}
    """Functions that convert given values, by the last word of the option's name, such as 'initializer'."""
    family: ClassVar[str] = ""
    members: ClassVar[dict[str, type[Declared]]] = {}
    """The classes of a family, by their class names and by every spelling of their factories' names."""

    def __init_subclass__(
        cls,
        class_name: str | None = None,
        factory: str | None = None,
        family: str | None = None,
        aliases: str = "",
        **keywords: Any,
    ) -> None:
        super().__init_subclass__(**keywords)
        if family is not None:
            cls.family, cls.members = family, {}
        if "options" not in vars(cls):
            inherited = {k: v for base in reversed(cls.__bases__) for k, v in getattr(base, "options", {}).items()}
            cls.options = inherited | ({} if "__init__" in vars(cls) else declared_in(cls))
        cls.kinds = {k: v for base in reversed(cls.__bases__) for k, v in getattr(base, "kinds", {}).items()}
        cls.kinds |= vars(cls).get("base_kinds", {}) | annotations_in(cls)
        cls._name(class_name, factory, aliases)

    @classmethod
    def _name(cls, class_name: str | None, factory: str | None, aliases: str) -> None:
        if class_name is not None:
            cls.class_name = class_name
            register(cls, class_name)
            cls.members[class_name] = cls
        elif "class_name" not in vars(cls):
            cls.class_name = vars(cls).get("className", cls.__name__)
        if factory is not None:
            namespace, _, name = factory.rpartition(".")
            cls.members.update(dict.fromkeys(spellings([name, *aliases.split()], namespace), cls))

    def __init__(self, config: Mapping[str, Any] | None = None, /, *more: Never, **options: Any) -> None:
        self._assign(self._read(config, options, self.options, more))
        self.configure()

    __signature__ = DeclaredSignature(__init__)

    def _read(
        self,
        config: Mapping[str, Any] | None,
        options: Mapping[str, Any],
        declared: Mapping[str, Any],
        more: Sequence[Any] = (),
    ) -> dict[str, Any]:
        """The values of the declared options: as given, in either form and spelling, or the defaults.

        Further positional arguments, which other libraries accept, are rejected.
        """
        where = self.class_name
        if more or not isinstance(config, (Mapping, type(None))):
            example = next((name for name, value in declared.items() if value is REQUIRED), next(iter(declared), None))
            found = (config, *more) if more else config
            expected = dict_or_keywords(example) + ("; pass tensors to its apply" if _has_tensors(found) else "")
            raise argument_error(where, "config", expected, found, TypeError)
        given = read_options(config or {}, declared, where)
        by_keyword = read_options(options, declared, where)
        for name in by_keyword:
            if name in given:
                raise TypeError(f"{where}: option {name!r} is given twice.")
        given |= by_keyword
        values = {name: given.get(name, default) for name, default in declared.items()}
        for name, value in values.items():
            if value is REQUIRED:
                raise TypeError(f"{where}: option {name!r} is required.")
            if value is declared[name]:
                continue
            kind = kind_of(self.kinds.get(name, ""))
            if kind is not None and not kind.is_one(value):
                raise kind.error(where, name, value)
        return values

    def _assign(self, values: Mapping[str, Any]) -> None:
        """Set the options, each converted by `convert`."""
        for name, value in values.items():
            make = self.convert.get(name.rpartition("_")[2])
            try:
                setattr(self, name, value if make is None else make(value))
            except (TypeError, ValueError) as error:
                error.add_note(f"In option {name!r} of {self.class_name}.")
                raise

    @classmethod
    def of(cls, identifier: Any) -> Any:
        """The member of this family for a name, a configuration or an object; None for None."""
        if identifier is None or isinstance(identifier, cls):
            return identifier
        if isinstance(identifier, str):
            if identifier not in cls.members:
                # snake_case sorts after the other spellings of a name, so it is the one that is kept.
                once = {member: name for name, member in sorted(cls.members.items())}
                raise unknown_name_error(cls.family, identifier, cls.members, once.values())
            return cls.members[identifier]()
        if is_object_config(identifier):
            return build_object(identifier, cls.family, cls)
        expected = f"a name, a configuration or {with_article(cls.family)}"
        name = getattr(identifier, "__name__", None)
        if name in cls.members:
            expected += f": call the function, as in tf.{cls.family}s.{name}(…)"
        raise argument_error(cls.family, "identifier", expected, identifier, TypeError)

    def configure(self) -> None:
        """Called after the options are set, to check them and to set derived attributes."""

    def __repr__(self) -> str:
        given = {k: v for k in self.options if (v := vars(self).get(k)) is not None and v is not self.options[k]}
        return f"{self.class_name}({', '.join(f'{k}={v!r}' for k, v in given.items())})"

    def get_class_name(self) -> str:
        """The name in saved configurations."""
        return self.class_name

    def get_config(self) -> dict[str, Any]:
        """The options by snake_case name, as plain values."""
        return {name: plain(getattr(self, name)) for name in self.options}

    @classmethod
    @accepts_options()
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """An object from a configuration as in `get_config`, with keys in either spelling. A custom constructor
        receives the options as keywords if it has parameters of their names, otherwise as a dict.
        """
        return constructed(cls, config)
