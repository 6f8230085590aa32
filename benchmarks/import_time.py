"""The time of `import tfpy` beyond numpy's: python benchmarks/import_time.py"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

CODE = """
import time, numpy
wall, cpu = time.perf_counter(), time.process_time()
import tfpy
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def main() -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", CODE]
    runs = []
    with tempfile.TemporaryDirectory() as cache:  # compiled once, like an installed package
        environment["PYTHONPYCACHEPREFIX"] = cache
        for _ in range(12):
            out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            runs.append([float(v) for v in out.split()])
    wall, cpu = (statistics.median(column) for column in zip(*runs[1:], strict=True))
    print(f"import tfpy, beyond numpy: {wall * 1e3:.0f} ms of wall time, {cpu * 1e3:.0f} ms of CPU time (limit 200 ms)")


if __name__ == "__main__":
    main()
