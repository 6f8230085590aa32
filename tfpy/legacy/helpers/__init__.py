"""The helper namespaces, such as `dl.util`, in snake_case; tools/generate.py derives their faces from these."""
