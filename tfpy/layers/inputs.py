"""The inputs of models: InputLayer and `tf.input`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.core.calling.registry import export
from tfpy.engine.arguments import as_dtype
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.layers.base import Layer
from tfpy.layers.naming import uid
from tfpy.layers.shapes import check_partial_shape
from tfpy.layers.specs import InputSpec
from tfpy.layers.symbolic import Node, SymbolicTensor


class InputLayer(Layer, class_name="InputLayer", factory="layers.input_layer"):
    """The entry of a model: a symbolic tensor of a given shape.

    `input_shape` (without the batch size) or `batch_input_shape` is required. As in TF.js, `sparse` is stored but has
    no effect.
    """

    sparse: bool = False

    def configure(self) -> None:
        if self.batch_input_shape is None:
            expected = "given, or batch_input_shape"
            raise argument_error(self.class_name, "input_shape", expected, None)
        if self.dtype is not None:
            as_dtype(self.class_name, self.dtype)
        self.built = True
        self.trainable = False
        self.input_spec = [InputSpec(shape=self.batch_input_shape)]
        tensor = SymbolicTensor(self.dtype or "float32", self.batch_input_shape, self, name=self.name)
        Node(self, [], [tensor], {})

    def _set_base_options(self, base: dict[str, Any]) -> None:
        if base["name"] is None:
            base = {**base, "name": uid("input")}
        for option in ("input_shape", "batch_size"):
            if base["batch_input_shape"] is not None and base[option] is not None:
                raise argument_error(self.class_name, option, "omitted if batch_input_shape is given", base[option])
        super()._set_base_options(base)

    def _apply(self, inputs: Any, arguments: dict[str, Any]) -> Any:
        raise TypeError(f"{self.name}: an input layer cannot be called; its tensor is its `output`.")

    def get_config(self) -> dict[str, Any]:
        return {
            "batch_input_shape": list(self.batch_input_shape or ()),
            "dtype": self.dtype,
            "sparse": self.sparse,
            "name": self.name,
        }


@export(doc="Models / Inputs", options="config", aliases="layers.input")
def input_(
    config: Mapping[str, Any] | None = None,
    *,
    shape: Sequence[int | None] | int | None = None,
    batch_shape: Sequence[int | None] | None = None,
    name: str | None = None,
    dtype: DType | None = None,
    sparse: bool = False,
) -> SymbolicTensor:
    """The entry of a functional model.

    Args:
        config: the options below as a dict.
        shape: the shape of one sample; a number means a shape of rank 1.
        batch_shape: the shape including the batch size as its first dimension.
        name: the name of the input; numbered by default.
        dtype: its dtype; float32 by default.
        sparse: stored in the configuration, but without effect, as in TF.js.

    Raises:
        ValueError: neither shape nor batch_shape is given, or both.

    Source: TF.js `tf.input`.
    """
    if shape is None and batch_shape is None:
        raise argument_error("input", "shape", "given, or batch_shape", None)
    if shape is not None and batch_shape is not None:
        raise argument_error("input", "shape", "omitted if batch_shape is given", shape)
    if dtype is not None:
        as_dtype("input", dtype)
    whole = batch_shape if shape is None else (None, *check_partial_shape("input", shape))
    layer = InputLayer(batch_input_shape=whole, name=name, dtype=dtype, sparse=sparse)
    tensor: SymbolicTensor = layer.output
    return tensor
