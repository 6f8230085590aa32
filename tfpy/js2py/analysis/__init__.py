"""Static analysis of a script: scopes, the kinds of expressions, imports and exports."""
