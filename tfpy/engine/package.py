"""Where the package lies: what tells its own code from the user's."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent  # as the code objects have it, links and all
PACKAGE = f"{ROOT}{os.sep}"
"""What the names of the package's files begin with."""
