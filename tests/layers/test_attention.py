"""Attention: masks, causal masks, scores, dropout, training and invalid arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from layers.references import softmax
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf

RNG = np.random.default_rng(5)
QUERY, VALUE = (RNG.normal(size=s).astype(np.float32) for s in ((2, 3, 4), (2, 5, 4)))


def test_masks_zero_attention_to_values_and_output_of_queries(backend: str) -> None:
    value_mask = np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1]], bool)
    query_mask = np.array([[1, 0, 1], [1, 1, 0]], bool)
    masks = [tf.tensor(query_mask), tf.tensor(value_mask)]
    layer = tf.layers.attention()
    found, weights = layer.apply([tf.tensor(QUERY), tf.tensor(VALUE)], {"mask": masks, "returnAttentionScores": True})
    scores = np.where(value_mask[:, None], np.einsum("nid,njd->nij", QUERY, VALUE), -np.inf)
    np.testing.assert_allclose(weights.numpy(), softmax(scores), rtol=ACCUMULATED, atol=ROUNDING)
    np.testing.assert_allclose(
        found.numpy(), softmax(scores) @ VALUE * query_mask[..., None], rtol=ACCUMULATED, atol=ROUNDING
    )


def test_masks_of_earlier_layers_are_applied() -> None:
    padded = VALUE.copy()
    padded[:, 3:] = 0
    query, value = tf.input(shape=[3, 4]), tf.input(shape=[5, 4])
    masked = tf.layers.masking().apply(value)
    for layer in (tf.layers.attention(), tf.layers.multi_head_attention(num_heads=2, key_dim=3)):
        model = tf.model(inputs=[query, value], outputs=layer.apply([query, masked]))
        short = layer.apply([tf.tensor(QUERY), tf.tensor(VALUE[:, :3])])
        np.testing.assert_allclose(
            model.predict([QUERY, padded]).numpy(), short.numpy(), rtol=ACCUMULATED, atol=ROUNDING
        )


def test_causal_multi_head_attention_ignores_later_steps() -> None:
    layer = tf.layers.multi_head_attention(num_heads=2, key_dim=3)
    changed = QUERY.copy()
    changed[:, 2] += 1
    before, weights = layer.apply(tf.tensor(QUERY), use_causal_mask=True, return_attention_scores=True)
    after = layer.apply(tf.tensor(changed), use_causal_mask=True)
    np.testing.assert_allclose(before.numpy()[:, :2], after.numpy()[:, :2], rtol=ACCUMULATED, atol=ROUNDING)
    np.testing.assert_array_equal(weights.numpy() * (1 - np.tri(3)), 0)


def test_attention_mask_selects_query_value_pairs() -> None:
    layer = tf.layers.multi_head_attention(num_heads=2, key_dim=3)
    allowed = RNG.random((2, 3, 5)) < 0.6
    allowed[..., 0] = True
    _, weights = layer.apply(
        tf.tensor(QUERY), value=tf.tensor(VALUE), attention_mask=tf.tensor(allowed), return_attention_scores=True
    )
    np.testing.assert_array_equal(weights.numpy() > 0, np.broadcast_to(allowed[:, None], weights.shape))


def test_dropout_applies_in_training_only() -> None:
    layer = tf.layers.multi_head_attention(num_heads=2, key_dim=3, dropout=0.5, seed=1)
    inferred = [layer.apply(tf.tensor(QUERY)).numpy() for _ in range(2)]
    np.testing.assert_array_equal(*inferred)
    assert not np.allclose(layer.apply(tf.tensor(QUERY), training=True).numpy(), inferred[0])


def test_training_learns_to_attend_to_marked_step() -> None:
    """The label is the value at the one step whose second feature is set."""
    marks = RNG.integers(0, 6, 128)
    x = RNG.normal(size=(128, 6, 2)).astype(np.float32)
    x[..., 1] = np.eye(6)[marks] * 3
    entry = tf.input(shape=[6, 2])
    attended = tf.layers.multi_head_attention(num_heads=2, key_dim=4).apply([entry, entry])
    pooled = tf.layers.global_max_pooling1d().apply(attended)
    model = tf.model(inputs=entry, outputs=tf.layers.dense(units=1).apply(pooled))
    model.compile(optimizer=tf.train.adam(0.02), loss="meanSquaredError")
    labels = x[np.arange(128), marks, :1]
    history = model.fit(x, labels, epochs=40, verbose=0, seed=1)
    assert history.history["loss"][-1] < history.history["loss"][0] / 4


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.layers.attention(dropout=1), "dropout"),
        (lambda: tf.layers.attention(score_mode="sum"), "score_mode"),
        (lambda: tf.layers.attention().apply(tf.tensor(QUERY)), "list of query, value"),
        (lambda: tf.layers.attention().apply([tf.ones([2, 3]), tf.ones([2, 3])]), "sequences"),
        (
            lambda: tf.layers.attention(name="a").compute_output_shape([[1, 2, 3], [1, 4, 3], [1, 5, 3]]),
            r"a: argument 'inputs' must be a key for each step of the values, but got shapes \[1, 5, 3\] and \[1, 4, 3\]",
        ),
        (lambda: tf.layers.multi_head_attention(num_heads=0, key_dim=2), "num_heads"),
        (lambda: tf.layers.multi_head_attention(num_heads=2), "key_dim"),
        (lambda: tf.layers.multi_head_attention(num_heads=2, key_dim=2).apply(tf.ones([2, 3, 4]), key=tf.ones([2, 3, 4])), "value"),
    ],
)  # fmt: skip
def test_invalid_arguments_raise(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()
