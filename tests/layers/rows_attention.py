"""Rows of the attention layers, with the formulas of the papers."""

from __future__ import annotations

from typing import Any

import numpy as np
from layers.references import Array, softmax
from layers.table import Row, row

QUERY, VALUE, KEY = (2, 3, 4), (2, 5, 4), (2, 5, 4)


def attention(q: Array, v: Array, k: Array | None = None, scale: float = 1.0, causal: bool = False) -> list[Array]:
    scores = np.einsum("nid,njd->nij", q, v if k is None else k) * scale
    if causal:
        scores = np.where(np.tri(q.shape[1], v.shape[1]), scores, -np.inf)
    weights = softmax(scores)
    return [weights @ v, weights]


def concat_attention(q: Array, v: Array, scale: Array, factor: Array) -> Array:
    scores = factor * np.tanh(scale * (q[:, :, None] + v[:, None])).sum(-1)
    return softmax(scores) @ v


def multi_head(inputs: Any, weights: Any, bias: bool = True) -> list[Array]:
    query, value, key = inputs
    (wq, bq), (wk, bk), (wv, bv), (wo, bo) = (
        zip(weights[::2], weights[1::2], strict=True) if bias else [(w, 0.0) for w in weights]
    )
    q, k, v = (np.einsum("btf,fhd->bthd", x, w) + b for x, w, b in ((query, wq, bq), (key, wk, bk), (value, wv, bv)))
    scores = softmax(np.einsum("bihd,bjhd->bhij", q, k) / np.sqrt(q.shape[-1]))
    heads = np.einsum("bhij,bjhd->bihd", scores, v)
    return [np.einsum("bihd,hdo->bio", heads, wo) + bo, scores]


def heads(query: int, value: int, count: int, size: int, width: int, bias: bool = True) -> list[tuple[int, ...]]:
    shapes: list[tuple[int, ...]] = []
    for n, d in ((query, size), (value, size), (value, width)):
        shapes += [(n, count, d), (count, d)]
    shapes += [(count, width, query), (query,)]
    return shapes if bias else shapes[::2]


ROWS: list[Row] = [
    row("attention", {}, QUERY, VALUE, reference=lambda q, v: attention(q, v)[0]),
    row("attention", {"use_scale": True}, QUERY, VALUE, KEY, weights=[()],
        reference=lambda q, v, k, s: attention(q, v, k, s)[0]),
    row("attention", {"dropout": 0.2}, QUERY, VALUE, call={"return_attention_scores": True, "use_causal_mask": True},
        reference=lambda q, v: attention(q, v, causal=True)),
    row("attention", {"score_mode": "concat", "use_scale": True}, QUERY, VALUE, weights=[(), ()], reference=concat_attention),
    row("multi_head_attention", {"num_heads": 2, "key_dim": 3}, QUERY, VALUE, weights=heads(4, 4, 2, 3, 3),
        reference=lambda q, v, *w: multi_head((q, v, v), w)[0]),
    row("multi_head_attention", {"num_heads": 3, "key_dim": 2, "value_dim": 4, "use_bias": False}, QUERY, (2, 5, 6), (2, 5, 6),
        weights=heads(4, 6, 3, 2, 4, bias=False), reference=lambda q, v, k, *w: multi_head((q, v, k), w, bias=False)[0]),
    row("multi_head_attention", {"num_heads": 2, "key_dim": 2}, QUERY, weights=heads(4, 4, 2, 2, 2),
        call={"return_attention_scores": True}, reference=lambda q, *w: multi_head((q, q, q), w)),
]  # fmt: skip
