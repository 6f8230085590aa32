"""The public ops, by kind: a function each, with the gradient of its kernel beside it."""
