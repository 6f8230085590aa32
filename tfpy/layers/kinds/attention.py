"""Attention layers, in which each step of a sequence attends to the steps of another."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any, ClassVar

from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.common import reshape_to
from tfpy.core.ops.compare import greater_equal
from tfpy.core.ops.create import range_
from tfpy.core.ops.logic import logical_and
from tfpy.core.ops.matmul import mat_mul, transpose
from tfpy.core.ops.random import dropout
from tfpy.core.ops.shape import expand_dims
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_positive
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.rng import Seed
from tfpy.layers.base import Layer
from tfpy.layers.constraints import ConstraintOption
from tfpy.layers.enum_options import enum_option, words
from tfpy.layers.initializers import InitializerOption
from tfpy.layers.kinds.advanced_activations import mask_scores
from tfpy.layers.kinds.products import affine
from tfpy.layers.regularizers import RegularizerOption
from tfpy.layers.shapes import shapes_agree
from tfpy.layers.symbolic import PartialShape, to_list
from tfpy.layers.weights import LayerVariable


class _BaseAttention(Layer):
    """A layer on a query, the values to look up, and the keys that they are found by.

    The inputs are a list [query, value] or [query, value, key]; the keys are the values unless they are given.
    """

    dropout: float = 0.0
    seed: Seed | None = None

    takes_every_mask: ClassVar[bool] = True
    fewest: ClassVar[int] = 2

    def configure(self) -> None:
        self.supports_masking = True
        if not 0 <= self.dropout < 1:
            raise argument_error(self.class_name, "dropout", "0 or more, and below 1", self.dropout)

    def roles(self, given: Any) -> list[Any]:
        """Query, value and key, among inputs, shapes or masks."""
        several = isinstance(given, list) or (isinstance(given, tuple) and isinstance(given[0], (list, tuple)))
        listed = list(given) if several else [given]
        if not self.fewest <= len(listed) <= 3:
            expected = "a list of query, value and optionally key"
            raise argument_error(self.name, "inputs", expected, Unquoted(f"{len(listed)} of them"))
        query, value = listed[0], listed[min(1, len(listed) - 1)]
        return [query, value, listed[2] if len(listed) == 3 else value]

    def shapes(self, input_shape: Any) -> list[PartialShape]:
        """The shapes of query, value and key, checked to be those of sequences."""
        found = [tuple(shape) for shape in self.roles(input_shape)]
        if any(len(shape) != 3 for shape in found):
            expected = "sequences, of shape (batch, time, features)"
            raise argument_error(self.name, "inputs", expected, Unquoted(f"shapes {[list(s) for s in found]}"))
        _, value, key = found
        if not shapes_agree(value[:-1], key[:-1]):
            expected = "a key for each step of the values"
            raise argument_error(self.name, "inputs", expected, Unquoted(f"shapes {list(key)} and {list(value)}"))
        return found

    def shapes_of_call(self, input_shape: Any, arguments: Any) -> Any:
        output = self.compute_output_shape(input_shape)
        return [output, self.scores_shape(input_shape)] if arguments.get("return_attention_scores") else output

    def scores_shape(self, input_shape: Any) -> PartialShape:
        """The shape of the attention scores."""
        query, value, _ = self.shapes(input_shape)
        return query[0], query[1], value[1]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the query."""
        return to_list(mask)[0]

    def attend(self, scores: Tensor, value: Tensor, visible: Tensor | None, training: bool) -> tuple[Tensor, Tensor]:
        """The values weighted by the scores of the visible ones, and the weights."""
        if visible is not None:
            scores = mask_scores(scores, visible)
        weights = scores.softmax()
        if training and self.dropout:
            weights = dropout(weights, self.dropout, None, self.seed)
        return mat_mul(weights, value), weights


def _causal_mask(query: Tensor, value: Tensor) -> Tensor:
    """(1, time of the query, time of the value): true where the value is not later than the query."""
    steps = [range_(0, t.shape[1], 1, "int32") for t in (query, value)]
    return expand_dims(greater_equal(expand_dims(steps[0], 1), expand_dims(steps[1], 0)), 0)


def _combined_mask(masks: list[Tensor | None]) -> Tensor | None:
    given = [m.cast("bool") for m in masks if m is not None]
    return reduce(logical_and, given) if given else None


_SCORE_MODES = words("dot", "concat")


class Attention(_BaseAttention, class_name="Attention", factory="layers.attention"):
    """For each step of the query, the mean of the values weighted by how well their keys match (Luong et al. 2015).

    softmax(query · keyᵀ) · value, or with score_mode 'concat' the scores Σ tanh(query + key). Inputs [query, value] or
    [query, value, key] of shapes (batch, time, features) → (batch, time of the query, features of the value).

    The call takes `mask`, a list of the masks of query and value, `use_causal_mask`, and `return_attention_scores`,
    with which it returns [output, weights].

    Weights: with use_scale a scale factor of the scores, and with 'concat' another one.

    Source: Keras `Attention` (beyond TF.js).
    """

    use_scale: bool = False
    score_mode: str = "dot"

    def configure(self) -> None:
        super().configure()
        self.score_mode = enum_option(self.class_name, "score_mode", self.score_mode, _SCORE_MODES)
        self.scale: LayerVariable | None = None
        self.concat_score_weight: LayerVariable | None = None

    def build(self, input_shape: Any) -> None:
        self.shapes(input_shape)
        if self.use_scale:
            self.scale = self.add_weight("scale", (), None, "ones")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight("concat_score_weight", (), None, "ones")
        self.built = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        query, value, _ = self.shapes(input_shape)
        return (*query[:-1], value[-1])

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool = False,
        use_causal_mask: bool = False,
        return_attention_scores: bool = False,
    ) -> Any:
        query, value, key = self.roles(inputs)
        query_mask, value_mask = [*to_list(mask), None][:2]
        visible = [None if value_mask is None else expand_dims(value_mask, 1)]
        visible.append(_causal_mask(query, value) if use_causal_mask else None)
        output, weights = self.attend(self._scores(query, key), value, _combined_mask(visible), training)
        if query_mask is not None:
            output = mul(output, expand_dims(query_mask, -1).cast(output.dtype))
        return [output, weights] if return_attention_scores else output

    def _scores(self, query: Tensor, key: Tensor) -> Tensor:
        if self.concat_score_weight is None:
            scores = mat_mul(query, key, False, True)
            return scores if self.scale is None else mul(scores, self.scale)
        sums = add(expand_dims(query, 2), expand_dims(key, 1))
        sums = sums if self.scale is None else mul(sums, self.scale)
        return mul(sums.tanh().sum(-1), self.concat_score_weight)


class MultiHeadAttention(_BaseAttention, class_name="MultiHeadAttention", factory="layers.multi_head_attention"):
    """Several attention heads in parallel, each on its own projections (Vaswani et al. 2017).

    Inputs query, [query, value] or [query, value, key] of shapes (batch, time, features) → the shape of the query;
    value and key may also be passed by name. Each head computes softmax(q · kᵀ / √key_dim) · v, with q, k and v the
    products of query, key and value with its kernels; the heads' results are multiplied by a final kernel and summed.

    The call takes `attention_mask` (batch, time of the query, time of the value), `use_causal_mask`, and
    `return_attention_scores`, with which it returns [output, weights (batch, heads, …)].

    Weights: query, key and value kernels [features, heads, key_dim or value_dim] each followed by a bias, and the same
    of attention_output [heads, value_dim, features of the query].

    Source: Keras `MultiHeadAttention`; TF.js has the class, but no factory of it.
    """

    num_heads: int
    key_dim: int
    value_dim: int | None = None
    use_bias: bool = True
    kernel_initializer: InitializerOption = "glorotUniform"
    bias_initializer: InitializerOption = "zeros"
    kernel_regularizer: RegularizerOption = None
    bias_regularizer: RegularizerOption = None
    kernel_constraint: ConstraintOption = None
    bias_constraint: ConstraintOption = None

    fewest = 1

    def configure(self) -> None:
        super().configure()
        self.num_heads = as_positive(self.class_name, "num_heads", self.num_heads)
        self.key_dim = as_positive(self.class_name, "key_dim", self.key_dim)
        if self.value_dim is not None:
            self.value_dim = as_positive(self.class_name, "value_dim", self.value_dim)

    def _apply(self, inputs: Any, arguments: dict[str, Any]) -> Any:
        others = [arguments.pop(name, None) for name in ("value", "key")]
        if others[0] is None and others[1] is not None:
            raise argument_error(self.name, "key", "given together with a value", others[1])
        return super()._apply([*to_list(inputs), *(t for t in others if t is not None)], arguments)

    def build(self, input_shape: Any) -> None:
        query, value, key = self.shapes(input_shape)
        heads, width = self.num_heads, self.value_dim or self.key_dim
        self.projections = {
            name: self._add_projection(name, kernel, bias)
            for name, kernel, bias in (
                ("query", (query[-1], heads, self.key_dim), (heads, self.key_dim)),
                ("key", (key[-1], heads, self.key_dim), (heads, self.key_dim)),
                ("value", (value[-1], heads, width), (heads, width)),
                ("attention_output", (heads, width, query[-1]), (query[-1],)),
            )
        }
        self.built = True

    def _add_projection(self, name: str, kernel: Any, bias: Any) -> tuple[LayerVariable, LayerVariable | None]:
        if None in kernel:
            raise argument_error(self.name, "inputs", "sequences whose features are known", list(kernel))
        weights = self._add_declared_weight(f"{name}/kernel", kernel, "kernel")
        if not self.use_bias:
            return weights, None
        return weights, self._add_declared_weight(f"{name}/bias", bias, "bias")

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.shapes(input_shape)[0]

    def scores_shape(self, input_shape: Any) -> PartialShape:
        batch, *times = super().scores_shape(input_shape)
        return (batch, self.num_heads, *times)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool = False,
        attention_mask: Any = None,
        use_causal_mask: bool = False,
        return_attention_scores: bool = False,
    ) -> Any:
        query, value, key = self.roles(inputs)
        q, k, v = (self._heads(name, x) for name, x in (("query", query), ("key", key), ("value", value)))
        visible = self._visible_steps(query, value, mask, attention_mask, use_causal_mask)
        scores = mat_mul(mul(q, 1 / math.sqrt(self.key_dim)), k, False, True)
        found, weights = self.attend(scores, v, visible, training)
        joined = transpose(found, [0, 2, 1, 3])
        kernel, bias = self.projections["attention_output"]
        rows = joined.shape[2] * joined.shape[3]
        output = affine(joined.reshape([*joined.shape[:2], rows]), reshape_to(kernel, (rows, kernel.shape[2])), bias)
        return [output, weights] if return_attention_scores else output

    def _heads(self, name: str, x: Tensor) -> Tensor:
        """The projections of a sequence for all heads: (batch, heads, time, size)."""
        kernel, bias = self.projections[name]
        features, heads, size = kernel.shape
        y = affine(x, reshape_to(kernel, (features, heads * size)), None if bias is None else bias.reshape([-1]))
        return transpose(y.reshape([*x.shape[:2], heads, size]), [0, 2, 1, 3])

    def _visible_steps(
        self, query: Tensor, value: Tensor, mask: Any, attention_mask: Any, causal: bool
    ) -> Tensor | None:
        """A mask of the value steps visible to each query step, for all heads or for each."""
        query_mask, value_mask, _ = self.roles(to_list(mask))
        masks = [
            attention_mask,
            None if query_mask is None else expand_dims(query_mask, 2),
            None if value_mask is None else expand_dims(value_mask, 1),
            _causal_mask(query, value) if causal else None,
        ]
        return _combined_mask([m if m is None or m.rank == 4 else expand_dims(m, 1) for m in masks])
