"""`python -m tfpy`: the command line."""

from __future__ import annotations

from tfpy.cli import main

main()
