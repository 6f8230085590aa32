"""Whole scripts, one or those of a folder that import each other, and the command that converts them."""
