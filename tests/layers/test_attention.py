"""Attention: masks, causal order, scores, dropout, and training on a task that needs it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from layers.references import softmax
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf

RNG = np.random.default_rng(5)
QUERY, VALUE = (RNG.normal(size=s).astype(np.float32) for s in ((2, 3, 4), (2, 5, 4)))


def test_masked_values_get_no_attention_and_masked_queries_give_zeros(backend: str) -> None:
    seen = np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1]], bool)
    asked = np.array([[1, 0, 1], [1, 1, 0]], bool)
    masks = [tf.tensor(asked), tf.tensor(seen)]
    layer = tf.layers.attention()
    found, weights = layer.apply([tf.tensor(QUERY), tf.tensor(VALUE)], {"mask": masks, "returnAttentionScores": True})
    scores = np.where(seen[:, None], np.einsum("nid,njd->nij", QUERY, VALUE), -np.inf)
    np.testing.assert_allclose(weights.numpy(), softmax(scores), rtol=ACCUMULATED, atol=ROUNDING)
    np.testing.assert_allclose(
        found.numpy(), softmax(scores) @ VALUE * asked[..., None], rtol=ACCUMULATED, atol=ROUNDING
    )


def test_masks_come_through_the_network() -> None:
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


def test_causal_attention_of_several_heads_does_not_look_ahead() -> None:
    layer = tf.layers.multi_head_attention(num_heads=2, key_dim=3)
    changed = QUERY.copy()
    changed[:, 2] += 1
    before, weights = layer.apply(tf.tensor(QUERY), use_causal_mask=True, return_attention_scores=True)
    after = layer.apply(tf.tensor(changed), use_causal_mask=True)
    np.testing.assert_allclose(before.numpy()[:, :2], after.numpy()[:, :2], rtol=ACCUMULATED, atol=ROUNDING)
    np.testing.assert_array_equal(weights.numpy() * (1 - np.tri(3)), 0)


def test_a_mask_of_the_call_says_which_pairs_may_meet() -> None:
    layer = tf.layers.multi_head_attention(num_heads=2, key_dim=3)
    allowed = RNG.random((2, 3, 5)) < 0.6
    allowed[..., 0] = True
    _, weights = layer.apply(
        tf.tensor(QUERY), value=tf.tensor(VALUE), attention_mask=tf.tensor(allowed), return_attention_scores=True
    )
    np.testing.assert_array_equal(weights.numpy() > 0, np.broadcast_to(allowed[:, None], weights.shape))


def test_dropout_is_for_training_only() -> None:
    layer = tf.layers.multi_head_attention(num_heads=2, key_dim=3, dropout=0.5, seed=1)
    at_rest = [layer.apply(tf.tensor(QUERY)).numpy() for _ in range(2)]
    np.testing.assert_array_equal(*at_rest)
    assert not np.allclose(layer.apply(tf.tensor(QUERY), training=True).numpy(), at_rest[0])


def test_it_learns_to_look_at_the_marked_step() -> None:
    """The label is what stands at the one step that has a mark."""
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
def test_mistakes_are_named(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()
