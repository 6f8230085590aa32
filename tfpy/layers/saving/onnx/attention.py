"""Attention as nodes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy.layers.kinds.attention import Attention, MultiHeadAttention
from tfpy.layers.saving.onnx.activations import mask_scores
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, Value
from tfpy.layers.saving.onnx.core import affine, permuted
from tfpy.layers.saving.onnx.masks import all_of, with_axes
from tfpy.layers.symbolic import to_list


def _attention(b: Builder, layer: Attention, inputs: list[Value], call: Call) -> list[Value]:
    query, value, key = layer.roles(inputs)
    query_mask, value_mask = [*to_list(call.mask), None][:2]
    visible = all_of(b, [None if value_mask is None else with_axes(b, value_mask, 1), _causal(b, query, value, call)])
    output, weights = _attend(b, _scores(b, layer, query, key), value, visible)
    if query_mask is not None:
        factors = with_axes(b, b.cast(query_mask, "float32"), query_mask.rank)
        output = b.each("Mul", output, factors.name)
    return [output, weights][: len(call.shapes)]


def _scores(b: Builder, layer: Attention, query: Value, key: Value) -> Value:
    if layer.concat_score_weight is None:
        scores = _product(b, query, permuted(key, [0, 2, 1]))
        return scores if layer.scale is None else b.each("Mul", scores, b.weight(layer.scale))
    sums = b.each("Add", with_axes(b, query, 2), with_axes(b, key, 1).name)
    sums = sums if layer.scale is None else b.each("Mul", sums, b.weight(layer.scale))
    return b.each("Mul", b.reduced("ReduceSum", b.each("Tanh", sums), [-1]), b.weight(layer.concat_score_weight))


def _product(b: Builder, x: Value, y: Value) -> Value:
    return Value(b.node("MatMul", b.plain(x), b.plain(y)), (*x.shape[:-1], y.shape[-1]))


def _attend(b: Builder, scores: Value, value: Value, visible: Value | None) -> tuple[Value, Value]:
    """The values weighted by the visible scores, and the weights."""
    weights = b.each("Softmax", scores if visible is None else mask_scores(b, scores, visible), axis=-1)
    return _product(b, weights, value), weights


def _causal(b: Builder, query: Value, value: Value, call: Call) -> Value | None:
    """(1, time of the query, time of the value): true where the value is not later."""
    if not call.arguments.get("use_causal_mask"):
        return None
    zero, one = b.constant(0, np.int64), b.constant(1, np.int64)
    later, earlier = (b.node("Range", zero, b.node("Squeeze", b.sizes([(x, 1)])), one) for x in (query, value))
    rows = b.node("Unsqueeze", later, b.integers(0, 2))
    return Value(b.node("GreaterOrEqual", rows, earlier), (1, query.shape[1], value.shape[1]), "bool")


def _multi_head(b: Builder, layer: MultiHeadAttention, inputs: list[Value], call: Call) -> list[Value]:
    query, value, key = layer.roles(inputs)
    q, k, v = (_heads(b, layer, name, x) for name, x in (("query", query), ("key", key), ("value", value)))
    q = b.each("Mul", q, b.constant(1 / math.sqrt(layer.key_dim)))
    scores = _product(b, q, permuted(k, [0, 1, 3, 2]))
    found, weights = _attend(b, scores, v, _visible_steps(b, layer, query, value, call))
    kernel, bias = layer.projections["attention_output"]
    rows = kernel.shape[0] * kernel.shape[1]
    joined = b.reshaped(permuted(found, [0, 2, 1, 3]), [0, 0, rows], (*query.shape[:2], rows))
    matrix = b.weight(kernel, lambda w: w.reshape(rows, -1), "matrix")
    output = affine(b, joined, matrix, b.weight(bias))
    return [output, weights][: len(call.shapes)]


def _heads(b: Builder, layer: MultiHeadAttention, name: str, x: Value) -> Value:
    """The projections of a sequence for all heads: (batch, heads, time, size)."""
    kernel, bias = layer.projections[name]
    features, heads, size = kernel.shape
    matrix, vector = b.weight(kernel, lambda w: w.reshape(features, -1), "matrix"), b.weight(bias, np.ravel, "vector")
    y = affine(b, x, matrix, vector)
    return permuted(b.reshaped(y, [0, 0, heads, size], (*x.shape[:2], heads, size)), [0, 2, 1, 3])


def _visible_steps(b: Builder, layer: MultiHeadAttention, query: Value, value: Value, call: Call) -> Value | None:
    """A mask of the value's steps that are visible to each step of the query, common to all heads or per head."""
    query_mask, value_mask, _ = layer.roles(to_list(call.mask))
    given = call.arguments.get("attention_mask")
    masks = [
        None if given is None else b.tensor(given, "bool"),
        None if query_mask is None else with_axes(b, query_mask, 2),
        None if value_mask is None else with_axes(b, value_mask, 1),
        _causal(b, query, value, call),
    ]
    return all_of(b, [m if m is None or m.rank == 4 else with_axes(b, m, 1) for m in masks])


_KEYWORDS = frozenset({"use_causal_mask", "return_attention_scores"})

KINDS: dict[Any, Kind] = {
    Attention: Kind(_attention, keywords=_KEYWORDS),
    MultiHeadAttention: Kind(_multi_head, keywords=_KEYWORDS | {"attention_mask"}),
}
