"""How public functions are called: registration as ops, options and keywords, argument errors."""
