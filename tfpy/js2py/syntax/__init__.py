"""The syntax of the two languages: JavaScript's trees, and Python's put together, ordered and printed."""
