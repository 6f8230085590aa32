"""The layer classes, in modules by purpose."""
