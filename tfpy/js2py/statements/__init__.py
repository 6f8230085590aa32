"""The rules for statements: declarations, loops, conditions, classes, imports and exports."""
