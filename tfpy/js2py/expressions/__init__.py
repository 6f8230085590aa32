"""The rules for expressions, except calls: literals, strings, names, properties, operators, functions."""
