"""NDArrays: their classes, creation and storage."""
