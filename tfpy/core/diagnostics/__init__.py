"""Tools that show what tensors and ops do: debug mode, leaks, origins, profiles."""
