"""Run programs in one process or several."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# From the MPI wheel that the extra `mpi` installs; otherwise the one on the path.
_BESIDE = Path(sys.executable).with_name("mpiexec")
MPIEXEC = str(_BESIDE) if _BESIDE.exists() else "mpiexec"
_LIMIT = 120.0


def start(ranks: int, *arguments: object, backend: str = "cpu") -> subprocess.CompletedProcess[str]:
    """Run a Python program, which must not warn.

    Raises:
        TimeoutExpired: it has not ended in time.
    """
    several = [] if ranks == 1 else [MPIEXEC, "-n", str(ranks)]
    warnings = ["-W", "error", "-W", "ignore:webgl"]
    return subprocess.run(
        [*several, sys.executable, *warnings, *map(str, arguments)],
        cwd=HERE.parents[1],
        env={**os.environ, "TFPY_BACKEND": backend},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_LIMIT,
    )
