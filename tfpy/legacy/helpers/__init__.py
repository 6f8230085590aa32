"""The namespaces of helpers, `dl.util` and its like, in snake_case; tools/generate.py makes their faces of these."""
