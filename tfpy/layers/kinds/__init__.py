"""The kinds of layers: a class for each, in modules by what they do."""
