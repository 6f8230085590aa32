"""Algorithms whose result shapes depend on values: they run on the host, whatever the backend.

They take and return numpy arrays and plain values. For differentiable values they only determine which elements to
take; an op takes them.
"""
