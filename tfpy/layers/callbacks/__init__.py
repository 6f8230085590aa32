"""Callbacks, which are called during training."""
