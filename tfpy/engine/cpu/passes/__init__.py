"""Optimizations of plans: fewer nodes, or nodes in parallel. The results stay bit-identical."""
