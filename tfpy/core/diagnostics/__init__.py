"""Tools for inspecting tensors and ops: debug mode, leaks, origins, profiles."""
