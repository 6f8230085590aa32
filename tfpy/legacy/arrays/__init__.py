"""NDArrays: what they are, how they are made, where their values are."""
