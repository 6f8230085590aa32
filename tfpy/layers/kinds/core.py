"""Basic layers: dense, activation, dropout, flatten, repeat, embedding, masking."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from tfpy.core.ops.compare import not_equal
from tfpy.core.ops.random import dropout
from tfpy.core.ops.reduce import any_
from tfpy.core.ops.shape import expand_dims
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_positive
from tfpy.engine.errors import argument_error
from tfpy.engine.rng import Seed
from tfpy.layers.activations import ActivationOption
from tfpy.layers.base import Layer
from tfpy.layers.calling import one_tensor
from tfpy.layers.constraints import ConstraintOption
from tfpy.layers.enum_options import DATA_FORMATS, enum_option
from tfpy.layers.infer_shapes import infer_shapes
from tfpy.layers.initializers import InitializerOption
from tfpy.layers.kinds.products import affine
from tfpy.layers.kinds.rates import dropout_rate, drops
from tfpy.layers.one_output import OneOutput
from tfpy.layers.regularizers import RegularizerOption
from tfpy.layers.shapes import known_last_size, one_shape, shapes_of_all
from tfpy.layers.spatial import to_channels_last
from tfpy.layers.specs import InputSpec
from tfpy.layers.symbolic import to_list


class Dense(OneOutput, class_name="Dense", factory="layers.dense"):
    """A fully connected layer: activation(x · kernel + bias) over the last axis.

    (batch, …, n) → (batch, …, units). Weights: kernel [n, units], bias [units].
    """

    units: int
    activation: ActivationOption = "linear"
    use_bias: bool = True
    kernel_initializer: InitializerOption = "glorotNormal"
    bias_initializer: InitializerOption = "zeros"
    input_dim: int | None = None
    kernel_constraint: ConstraintOption = None
    bias_constraint: ConstraintOption = None
    kernel_regularizer: RegularizerOption = None
    bias_regularizer: RegularizerOption = None
    activity_regularizer: RegularizerOption = None

    per_sample = True

    def configure(self) -> None:
        self.units = as_positive(self.class_name, "units", self.units)
        self.supports_masking = True
        self.input_spec = [InputSpec(min_ndim=2)]
        if self.batch_input_shape is None and self.input_dim is not None:
            self.set_input_shape((self.input_dim,))

    def build(self, input_shape: Any) -> None:
        size = known_last_size(self.name, input_shape)
        self.kernel = self._add_declared_weight("kernel", (size, self.units))
        self.bias = None
        if self.use_bias:
            self.bias = self._add_declared_weight("bias", (self.units,))
        self.input_spec = [InputSpec(min_ndim=2, axes={-1: size})]
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*one_shape(self.name, input_shape)[:-1], self.units)

    def call(self, inputs: Any) -> Tensor:
        y: Tensor = self.activation(affine(one_tensor(self.name, inputs), self.kernel, self.bias))
        return y


class Activation(OneOutput, class_name="Activation", factory="layers.activation"):
    """An activation as a layer of its own."""

    activation: ActivationOption

    per_sample = True

    def configure(self) -> None:
        self.supports_masking = True

    def call(self, inputs: Any) -> Tensor:
        y: Tensor = self.activation(one_tensor(self.name, inputs))
        return y


class Dropout(OneOutput, class_name="Dropout", factory="layers.dropout"):
    """In training, sets a fraction of the inputs to 0 and scales up the rest."""

    rate: float
    noise_shape: list[int | None] | None = None
    seed: Seed | None = None

    def configure(self) -> None:
        self.rate = dropout_rate(self.class_name, "rate", self.rate)
        self.supports_masking = True

    def call(self, inputs: Any, training: bool = False) -> Tensor:
        x = one_tensor(self.name, inputs)
        if not drops(self.rate, training):
            return x
        return dropout(x, self.rate, self.mask_shape(x), self.seed)

    def mask_shape(self, x: Tensor) -> list[int | None] | None:
        """The shape of the mask: noise_shape, in which None stands for the size of the input."""
        if self.noise_shape is None:
            return None
        return [x.shape[i] if n is None else n for i, n in enumerate(self.noise_shape)]


class Flatten(OneOutput, class_name="Flatten", factory="layers.flatten"):
    """(batch, a, b, …) → (batch, a · b · …). Vectors are unchanged (beyond TF.js)."""

    data_format: str | None = None

    per_sample = True

    def configure(self) -> None:
        if self.data_format is not None:
            self.data_format = enum_option(self.class_name, "data_format", self.data_format, DATA_FORMATS)
        self.input_spec = [InputSpec(min_ndim=2)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(self.name, input_shape)
        if None in shape[1:]:
            raise argument_error(self.name, "input_shape", "fully known except for the batch size", list(shape))
        return shape[0], math.prod(n for n in shape[1:] if n is not None)

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        x = x if self.data_format is None else to_channels_last(x, self.data_format)
        return x.reshape([x.shape[0], math.prod(x.shape[1:])])


class RepeatVector(OneOutput, class_name="RepeatVector", factory="layers.repeat_vector"):
    """Each vector n times: (batch, size) → (batch, n, size)."""

    n: int

    per_sample = True

    def configure(self) -> None:
        self.n = as_positive(self.class_name, "n", self.n)
        self.input_spec = [InputSpec(ndim=2)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, size = one_shape(self.name, input_shape, 2)
        return batch, self.n, size

    def call(self, inputs: Any) -> Tensor:
        return expand_dims(one_tensor(self.name, inputs), 1).tile([1, self.n, 1])


class Embedding(OneOutput, class_name="Embedding", factory="layers.embedding"):
    """A vector for each integer from 0 to input_dim - 1: (batch, …) → (batch, …, output_dim)."""

    input_dim: int
    output_dim: int
    embeddings_initializer: InitializerOption = "randomUniform"
    embeddings_regularizer: RegularizerOption = None
    activity_regularizer: RegularizerOption = None
    embeddings_constraint: ConstraintOption = None
    mask_zero: bool | None = None
    input_length: int | list[int | None] | None = None

    per_sample = True

    def configure(self) -> None:
        self.input_dim = as_positive(self.class_name, "input_dim", self.input_dim)
        self.output_dim = as_positive(self.class_name, "output_dim", self.output_dim)
        self.supports_masking = bool(self.mask_zero)
        if self.batch_input_shape is None:
            self.set_input_shape((None,) if self.input_length is None else tuple(to_list(self.input_length)))

    def build(self, input_shape: Any) -> None:
        self.embeddings = self._add_declared_weight("embeddings", (self.input_dim, self.output_dim))
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return not_equal(one_tensor(self.name, inputs), 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(self.name, input_shape)
        if self.input_length is None:
            return (*shape, self.output_dim)
        lengths = to_list(self.input_length)
        if len(lengths) != len(shape) - 1 or any(
            m is not None and n is not None and m != n for m, n in zip(lengths, shape[1:], strict=True)
        ):
            raise argument_error(self.name, "input_length", f"that of inputs of shape {list(shape)}", lengths)
        known = [n if m is None else m for m, n in zip(lengths, shape[1:], strict=True)]
        return (shape[0], *known, self.output_dim)

    def index_counts(self) -> Sequence[int | None]:
        return (self.input_dim,) if type(self).call is Embedding.call else ()

    def call(self, inputs: Any) -> Tensor:
        indices = one_tensor(self.name, inputs)
        if indices.dtype != "int32":
            indices = indices.cast("int32")
        return self.embeddings.gather(indices)


class Masking(OneOutput, class_name="Masking", factory="layers.masking"):
    """Masks the time steps whose features all equal mask_value, and sets them to 0."""

    mask_value: float = 0.0

    per_sample = True

    def configure(self) -> None:
        self.supports_masking = True

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return any_(not_equal(one_tensor(self.name, inputs), self.mask_value), -1)

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        seen = any_(not_equal(x, self.mask_value), -1, True)
        return x.mul(seen.cast(x.dtype))


class Lambda(Layer, class_name="Lambda", factory="layers.lambda_"):
    """A user's function as a layer.

    It is called with the input, or the list of inputs, and the arguments as keywords. Its output shape, batch size
    first, is inferred by running it on shapes alone, unless `shape` gives the shape of one sample. A saved model stores
    the name of the function, which must be in custom_objects when the model is loaded.

    Source: Keras `Lambda` (beyond TF.js).
    """

    function: Callable[..., Any]
    shape: list[int | None] | None = None
    arguments: dict[str, Any] | None = None

    takes_custom_objects = True

    def call(self, inputs: Any) -> Any:
        return self.function(inputs, **(self.arguments or {}))

    def compute_output_shape(self, input_shape: Any) -> Any:
        if self.shape is not None:
            return (shapes_of_all(input_shape)[0][0], *self.shape)
        return infer_shapes(self.call, input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "function": getattr(self.function, "__name__", "function")}

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """A layer from its configuration. The function is looked up by name in custom_objects. Keras stores code
        instead, which is not run: the function is then looked up by the name of the layer.
        """
        noted, known = config.get("function"), custom_objects or {}
        code = isinstance(noted, (list, Mapping))
        name = config.get("name") if code else noted
        if isinstance(name, str) and name in known:
            config = {**config, "function": known[name]}
        elif code:
            raise ValueError(
                f"Lambda: the function of {name!r} is in the file as Python code, and code from files is never run. "
                f"Give a function: custom_objects={{{name!r}: …}}."
            )
        elif isinstance(noted, str):
            raise argument_error(
                cls.class_name, "custom_objects", f"a dict with the function {noted!r}", custom_objects
            )
        return cls(config)
