"""Examples for training, in memory and from files."""
