"""Callbacks: what is called while a model trains."""
