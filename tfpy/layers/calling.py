"""The inputs and keywords of a layer's call; keywords by name as in Python, or in a dict as in TF.js."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from tfpy.core.calling.options import respell
from tfpy.core.convert import to_tensor
from tfpy.core.naming.names import spellings
from tfpy.core.tensor import Tensor
from tfpy.engine.declarations import signature_of
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.handle import Handle
from tfpy.layers.symbolic import SymbolicTensor, to_list

if TYPE_CHECKING:
    from tfpy.layers.base import Layer

Keywords = tuple[dict[str, str] | None, bool]

# Names of the parameter of a `call` that takes all keywords in a dict.
_NAMES_OF_DICT = ("kwargs", "_kwargs", "kw", "args", "_")

# May be passed to every layer; those without use for them ignore them, as in TF.js.
_COMMON = spellings(("training", "mask"))


def as_tensors(layer: str, inputs: Any) -> Any:
    """The inputs of a layer's call, as a tensor or a list of them."""
    if isinstance(inputs, (Tensor, SymbolicTensor)):
        return inputs
    if isinstance(inputs, (list, tuple)) and any(map(_is_array, inputs)):
        return [x if isinstance(x, SymbolicTensor) else to_tensor(layer, "inputs", x, "any") for x in inputs]
    return to_tensor(layer, "inputs", inputs, "any")


def are_symbolic(layer: str, inputs: Any) -> bool:
    """Whether the inputs of a layer's call, all or none of which may be, are symbolic."""
    symbolic = [isinstance(x, SymbolicTensor) for x in to_list(inputs)]
    if any(symbolic) and not all(symbolic):
        raise argument_error(layer, "inputs", "all symbolic tensors or all tensors", inputs)
    return any(symbolic)


def one_tensor(layer: str, inputs: Any) -> Tensor:
    """A layer's only input, which may be passed in a list."""
    listed = to_list(inputs)
    if len(listed) != 1:
        raise argument_error(layer, "inputs", "a single input", Unquoted(f"{len(listed)}"))
    tensor = listed[0]
    return tensor if isinstance(tensor, Tensor) else to_tensor(layer, "inputs", tensor, "any")


def add_layer_note(error: Exception, layer: Layer, inputs: Any) -> None:
    """Add to an error raised in a layer's call which layer it was, unless its message says so."""
    if not re.search(rf"(^|[Ll]ayer ){re.escape(layer.name)}[: ]", str(error)):
        shapes = ", ".join(str(list(x.shape)) for x in to_list(inputs) if hasattr(x, "shape"))
        called_on = f", called on {shapes}" if shapes else ""
        error.add_note(f"In layer {layer.name} ({layer.get_class_name()}){called_on}.")


def _is_array(value: Any) -> bool:
    """Whether a value is an input by itself, and not a number or row of an input passed as a list."""
    return isinstance(value, (Handle, SymbolicTensor)) or getattr(value, "shape", ()) != ()


T = TypeVar("T")


def _cached(function: Callable[[Callable[..., Any]], T]) -> Callable[[Callable[..., Any]], T]:
    """A function of methods whose results are cached as long as the methods live: users' classes can be freed."""
    results: WeakKeyDictionary[Callable[..., Any], T] = WeakKeyDictionary()

    @functools.wraps(function)
    def cached(method: Callable[..., Any]) -> T:
        if method not in results:
            results[method] = function(method)
        return results[method]

    return cached


@_cached
def keywords_of(call: Callable[..., Any]) -> Keywords:
    """The keywords that a `call` accepts, by spelling (None: any), and whether it takes them as a dict, as in TF.js."""
    parameters = list(signature_of(call).parameters.values())[2:]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None, False
    names = spellings(p.name for p in parameters)
    return names, len(parameters) == 1 and parameters[0].name in _NAMES_OF_DICT


def check_keywords(layer: Layer, given: Mapping[str, Any]) -> None:
    """Raise TypeError for keywords that the `call` of a layer does not have."""
    if not given:
        return
    names, as_dict = keywords_of(type(layer).call)
    if names is not None and not as_dict:
        respell(given, {**_COMMON, **names}, layer.name)


def call_layer(layer: Layer, inputs: Any, arguments: Mapping[str, Any]) -> Any:
    """The result of a layer's `call` with those arguments that it accepts."""
    names, as_dict = keywords_of(type(layer).call)
    if as_dict:
        return layer.call(inputs, dict(arguments))
    if names is None:
        return layer.call(inputs, **arguments)
    return layer.call(inputs, **{names[name]: value for name, value in arguments.items() if name in names})


def taking_a_dict(call: Callable[..., Any]) -> Callable[..., Any]:
    """A `call` that also accepts its keywords in a dict, as layers of TF.js do; unknown ones are ignored."""

    @functools.wraps(call)
    def called(self: Any, inputs: Any, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], Mapping):
            names = _optional_keywords(call)
            if names is not None:
                given = {names[name]: value for name, value in arguments[0].items() if name in names}
                return call(self, inputs, **given, **keywords)
        return call(self, inputs, *arguments, **keywords)

    return called


@_cached
def _optional_keywords(call: Callable[..., Any]) -> dict[str, str] | None:
    """The keywords of a `call` by spelling; None if a positional dict is one of its arguments."""
    names, as_dict = keywords_of(call)
    parameters = list(signature_of(call).parameters.values())[2:]
    required = bool(parameters) and parameters[0].default is inspect.Parameter.empty
    return None if as_dict or required else names
