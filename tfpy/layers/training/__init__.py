"""Training: the implementation of `compile`, `fit`, `evaluate` and `predict`."""
