"""The rules for expressions, but for calls: literals, texts, names, properties, operators, functions."""
