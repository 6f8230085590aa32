"""Optimizers: the update rules, and the classes that apply them to variables."""
