"""The calls of layers in a functional model, converted from the form of TF.js to those of Keras 2 and Keras 3.

In the form of TF.js a call is a list with [layer, call, output] for each input. The other arguments of the call follow
in the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.layers.base import Layer
from tfpy.layers.container import Container
from tfpy.layers.kinds.recurrent import TakesStates
from tfpy.layers.saving.keras.operation import Operation, as_call


def takes_query_and_value(layer: Layer) -> bool:
    """Whether Keras passes a layer its inputs separately, and not in a list."""
    return layer.get_class_name() == "MultiHeadAttention"


def keras2_call(call: Sequence[Any], layer: Layer) -> list[Any]:
    """A call in the form of Keras 2, which is that of TF.js except for the inputs of attention."""
    entries = [[*entry[:3], dict(entry[3]) if len(entry) > 3 else {}] for entry in call]
    if not takes_query_and_value(layer):
        return entries
    others = dict(zip(("value", "key"), [entry[:3] for entry in entries[1:] or entries], strict=False))
    return [[*entries[0][:3], {**entries[0][3], **others}]]


def keras3_call(call: Sequence[Any], layer: Layer, parts: Mapping[str, Layer]) -> dict[str, Any]:
    """A call in the form of Keras 3: {'args', 'kwargs'}, with tensors in both.

    Args:
        call: the call.
        layer: the called layer.
        parts: the layers of the model by name.
    """
    given = [_keras_tensor(entry, parts) for entry in call]
    if isinstance(layer, Operation):
        return as_call(call, given)
    arguments = dict(call[0][3]) if call and len(call[0]) > 3 else {}
    if isinstance(layer, TakesStates) and len(given) > 1:
        return {"args": given[:1], "kwargs": {**arguments, "initial_state": given[1:]}}
    if takes_query_and_value(layer):
        # One tensor may stand for both, which Keras must be given twice.
        return {"args": given * 2 if len(given) == 1 else given, "kwargs": arguments}
    return {"args": given if len(given) == 1 else [given], "kwargs": arguments}


def _keras_tensor(ref: Sequence[Any], parts: Mapping[str, Layer]) -> dict[str, Any]:
    name, call, output = ref[:3]
    layer = parts[name]
    tensor = layer.inbound_nodes[call].output_tensors[output]
    # A nested model's own graph counts as its first call here, but not in Keras 3.
    history = [name, call - isinstance(layer, Container), output]
    config = {"shape": list(tensor.shape), "dtype": tensor.dtype, "keras_history": history}
    return {"class_name": "__keras_tensor__", "config": config}
