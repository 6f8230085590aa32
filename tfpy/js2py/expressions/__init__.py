"""The rules for expressions, but for calls: literals, strings, names, properties, operators, functions."""
