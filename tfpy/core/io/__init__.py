"""Saved models and weights: `tf.io`; and image files: `tf.node`."""
