"""What a layer is called on."""

from __future__ import annotations

from typing import Any

from tfpy.core.convert import to_tensor
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import Words, argument_error
from tfpy.engine.handle import Handle
from tfpy.layers.symbolic import SymbolicTensor, to_list


def as_tensors(layer: str, inputs: Any) -> Any:
    """A tensor, or a list of them, of what a layer is called on."""
    if isinstance(inputs, (Tensor, SymbolicTensor)):
        return inputs
    if isinstance(inputs, (list, tuple)) and any(map(_is_array, inputs)):
        return [x if isinstance(x, SymbolicTensor) else to_tensor(layer, "inputs", x, "any") for x in inputs]
    return to_tensor(layer, "inputs", inputs, "any")


def one_tensor(layer: str, inputs: Any) -> Tensor:
    """A layer's only input, which may come in a list."""
    listed = to_list(inputs)
    if len(listed) != 1:
        raise argument_error(layer, "inputs", "a single input", Words(f"{len(listed)}"))
    tensor = listed[0]
    return tensor if isinstance(tensor, Tensor) else to_tensor(layer, "inputs", tensor, "any")


def _is_array(value: Any) -> bool:
    """Whether a value is an input of its own, and no number or row of one that is given as a list."""
    return isinstance(value, (Handle, SymbolicTensor)) or getattr(value, "shape", ()) != ()
