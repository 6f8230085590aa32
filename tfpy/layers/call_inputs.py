"""What a layer is called on."""

from __future__ import annotations

from typing import Any

from tfpy.core.convert import to_tensor
from tfpy.core.tensor import Tensor
from tfpy.engine.handle import Handle
from tfpy.layers.symbolic import SymbolicTensor


def as_tensors(name: str, inputs: Any) -> Any:
    """A tensor, or a list of them, of what a layer is called on."""
    if isinstance(inputs, (Tensor, SymbolicTensor)):
        return inputs
    if isinstance(inputs, (list, tuple)) and any(map(_is_array, inputs)):
        return [x if isinstance(x, SymbolicTensor) else to_tensor(name, "inputs", x, "any") for x in inputs]
    return to_tensor(name, "inputs", inputs, "any")


def _is_array(value: Any) -> bool:
    """Whether a value is an input of its own, and no number or row of one that is given as a list."""
    return isinstance(value, (Handle, SymbolicTensor)) or getattr(value, "shape", ()) != ()
