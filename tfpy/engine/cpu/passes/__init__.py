"""Optimizations of plans: fewer nodes, or nodes in parallel. The numbers stay the same, bit for bit."""
