"""Saved models and weights: `tf.io`."""
