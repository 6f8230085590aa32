"""Graphs, and the sessions that evaluate and train them."""
