"""The environment of a program: flags, the platform, packages that may be missing, the network."""
