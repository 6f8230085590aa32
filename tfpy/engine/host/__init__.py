"""Algorithms whose results have shapes that depend on the values: they run on the host, whatever the backend.

They take and give numpy arrays and plain values. Of what can be differentiated they only say which elements to take;
the taking is an op's.
"""
