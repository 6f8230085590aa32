"""What shows users what their tensors and ops do: debug mode, leaks, origins, profiles."""
