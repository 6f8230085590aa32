"""How public functions are called: what is an op, options and keywords, errors about arguments."""
