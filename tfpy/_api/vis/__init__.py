"""The generated namespaces of `tf`."""
