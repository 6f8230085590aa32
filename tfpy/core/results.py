"""Values passed TF.js-style: fields in either spelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Self

from tfpy.core.calling.ready import Ready
from tfpy.core.naming.names import camel, spellings
from tfpy.core.naming.spelling import AttributesInBothSpellings
from tfpy.engine.arguments import as_list
from tfpy.engine.declarations import annotations_in
from tfpy.engine.errors import argument_error, show

if TYPE_CHECKING:
    from tfpy.core.tensor import Tensor


class Record(AttributesInBothSpellings):
    """Named results: unpacked in order like a tuple, read by attribute or key in either spelling.

    A subclass declares its fields as annotations, after those that it inherits.
    """

    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._fields += tuple(annotations_in(cls))

    def __init__(self, *values: Any) -> None:
        vars(self).update(zip(self._fields, values, strict=True))

    def _no_attribute(self, name: str) -> AttributeError:
        return AttributeError(f"{type(self).__name__} has no field {name!r}; it has {', '.join(self._fields)}.")

    def __getitem__(self, key: int | slice | str) -> Any:
        if isinstance(key, str) and key not in self:
            raise KeyError(key)
        return getattr(self, key) if isinstance(key, str) else tuple(self)[key]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in spellings(self._fields)

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self._fields])

    def __len__(self) -> int:
        return len(self._fields)

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._asdict().items())})"


class TensorRecord(Record):
    """Named tensors; type checkers see that unpacking yields tensors."""

    if TYPE_CHECKING:

        def __iter__(self) -> Iterator[Tensor]: ...


class NamedTensor(Record):
    """A tensor and its name, as optimizers and models list their state."""

    name: str
    tensor: Tensor


class ReadyNamedTensor(NamedTensor, Ready):
    """An awaitable one."""


class Entries(dict[str, Any]):
    """Named values read and set by key or attribute in either spelling; the keys that it lists are TF.js's.

    It is a dict, since `json` writes no other mapping. A subclass lists in `known` the keys that can be read: they are
    None if not given.
    """

    known: tuple[str, ...] = ()

    def __init__(self, values: Mapping[str, Any]) -> None:
        if not isinstance(values, Mapping):
            raise argument_error(type(self).__name__, "values", "a dict", values, TypeError)
        super().__init__({camel(str(name)): value for name, value in values.items()})

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(camel(key))

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(camel(key), value)

    def __delitem__(self, key: str) -> None:
        super().__delitem__(camel(key))

    def __contains__(self, key: object) -> bool:
        return super().__contains__(camel(key) if isinstance(key, str) else key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default."""
        return super().get(camel(key), default)

    def pop(self, key: str, *default: Any) -> Any:
        """Remove a key and return its value, or the default."""
        return super().pop(camel(key), *default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a key, which is set to the default if missing."""
        return super().setdefault(camel(key), default)

    def update(self, *others: Any, **values: Any) -> None:
        """Set values from a mapping or pairs, and from keywords."""
        super().update({camel(name): value for name, value in dict(*others, **values).items()})

    def copy(self) -> Self:
        """A shallow copy."""
        return copy(self)

    def __or__(self, other: Mapping[str, Any]) -> Self:  # type: ignore[override]
        both = copy(self)
        both.update(other)
        return both

    def __ior__(self, other: Any) -> Self:  # type: ignore[override,misc]
        self.update(other)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self[name] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no {name!r}.")
        spelling = camel(name)
        if spelling in self or spelling in map(camel, self.known):
            return self.get(spelling)
        raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self)}.")

    def __dir__(self) -> list[str]:
        annotated = annotations_in(type(self))
        names = {*super().__dir__(), *annotated, *spellings(self.known), *self}
        return sorted(filter(str.isidentifier, names))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={show(v)}' for k, v in self.items())})"


def member(owner: Any, name: str) -> Any:
    """A member of a user's object, or an entry of a dict, in either spelling; None if there is none."""
    for spelling in (name, camel(name)):
        found = owner.get(spelling) if isinstance(owner, Mapping) else getattr(owner, spelling, None)
        if found is not None:
            return found
    return None


def field(result: Any, name: str, index: int, what: str) -> Any:
    """A field of a user's value: of a dict or object in either spelling, or of a tuple in order.

    Args:
        result: where to look.
        name: the field.
        index: its index in a tuple.
        what: what it is a field of, for messages: the function, and the argument or what returned it.
    """
    found = None if type(result) in (list, tuple) else member(result, name)  # these have methods of such names
    if found is not None:
        return found
    if isinstance(result, (list, tuple)) and len(result) > index:
        return result[index]
    raise TypeError(f"{what} must be a dict, an object or a tuple with {name!r}, but is {show(result)}.")


def named_tensors(where: str, argument: str, tensors: Any) -> list[tuple[Any, Any]]:
    """Names and tensors, given as a dict or as a list of {'name', 'tensor'}."""
    if isinstance(tensors, Mapping):
        return list(tensors.items())
    what = f"{where}: an entry of {argument}"
    entries = as_list(where, argument, tensors, "{'name', 'tensor'}")
    return [(field(entry, "name", 0, what), field(entry, "tensor", 1, what)) for entry in entries]
