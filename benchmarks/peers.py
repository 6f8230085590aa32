"""tfpy compared with other libraries: the same models, weights and data, alternating, on this machine.

    python benchmarks/peers.py [--torch PYTHON] [--keras PYTHON] [--tfjs NODE_MODULES] [--rounds N] [--cores N]
        [words …]

Each contender runs in a separate process and is called in turn, so that noise of the machine affects all equally.
Libraries that are not installed are skipped with a message: PyTorch and Keras are looked for in the given interpreters
(by default in this one), TF.js in the given folder of node modules. Words select the workloads with one of them in
their names; --cores limits the threads of all contenders, and with 1 the ratios are also valid on a busy machine, where
threads wait for each other. Results are compared: the loss of the first step, or the first number computed. The output
is medians in milliseconds, and the ratio of tfpy's to each other one: below 1, tfpy is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from workloads import WORKLOADS, Workload, arrays_of

FOLDER = Path(__file__).resolve().parent / "contenders"

# PyTorch's GRU applies the reset gate after the product, TF.js's before it, so results differ.
OTHER_MATHS = {("torch", "gru")}


class Contender:
    """A library in a separate process."""

    def __init__(self, name: str, command: list[str], cores: int) -> None:
        self.name = name
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, cwd=FOLDER, env=_environment(cores)
        )

    def answer(self) -> dict[str, Any] | None:
        """The next line that is an answer; None if the process has ended."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                found: dict[str, Any] = json.loads(line)
                return found
        return None

    def run(self, workload: Workload, folder: str, steps: int) -> dict[str, Any]:
        return self.ask({**workload._asdict(), "folder": folder, "steps": steps})

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self.answer() or {"skipped": "the process ended"}

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def _told_kernels() -> str:
    """The setting of numpy's BLAS kernels in the environment, which may not be the machine's fastest."""
    kind = os.environ.get("OPENBLAS_CORETYPE")
    return f"; OPENBLAS_CORETYPE={kind} is set, and numpy's products are those of such a processor" if kind else ""


def _environment(cores: int) -> dict[str, str]:
    """The environment, with a limit on the threads of every contender if the number of cores is given."""
    names = (
        "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS TFPY_SHARDS TF_NUM_INTRAOP_THREADS TF_NUM_INTEROP_THREADS"
    )
    return {**os.environ, **(dict.fromkeys(names.split(), str(cores)) if cores else {})}


def contenders(options: argparse.Namespace) -> list[Contender]:
    """The contenders that start."""
    commands = {
        "tfpy": [sys.executable, str(FOLDER / "tfpy_.py")],
        "torch": [options.torch, str(FOLDER / "torch_.py")],
        "keras": [options.keras, str(FOLDER / "keras_.py")],
        "tfjs": ["node", str(FOLDER / "tfjs.cjs"), options.tfjs] if options.tfjs else [],
    }
    found = []
    for name, command in commands.items():
        try:
            contender = Contender(name, command, options.cores) if command else None
        except OSError:
            contender = None
        if contender is not None and contender.answer() is not None:
            found.append(contender)
        else:
            print(f"{name}: not installed, left out")
    return found


def compared(workload: Workload, rivals: list[Contender], rounds: int) -> str:
    """A line of the table."""
    times: dict[str, list[float]] = {}
    checks: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        arrays = arrays_of(workload)
        for name, array in arrays.items():
            array.tofile(Path(folder) / name)
        (Path(folder) / "shapes.json").write_text(json.dumps({name: a.shape for name, a in arrays.items()}))
        for _ in range(rounds):
            for rival in rivals:
                found = rival.run(workload, folder, 1 if rival.name == "tfjs" else workload.steps)
                if "seconds" in found:
                    times.setdefault(rival.name, []).append(found["seconds"])
                    checks[rival.name] = found["check"]
    medians = {name: statistics.median(found) for name, found in times.items()}
    line = f"{workload.name:40}"
    for rival in rivals:
        if rival.name not in medians:
            line += f"{'–':>19}"
            continue
        seconds = medians[rival.name]
        ratio = "" if rival.name == "tfpy" or "tfpy" not in medians else f"{medians['tfpy'] / seconds:7.2f}"
        line += f"{seconds * 1e3:12.3f}{ratio:>7}"
    return line + _disagreement(workload, checks)


def _disagreement(workload: Workload, checks: dict[str, float]) -> str:
    own = checks.get("tfpy")
    if own is None:
        return ""
    kind = workload.name.split(" ")[0]
    wrong = [
        f"{name} {value:.6g}"
        for name, value in checks.items()
        if abs(value - own) > 2e-4 * max(1.0, abs(own)) and (name, kind) not in OTHER_MATHS
    ]
    return f"   other numbers: tfpy {own:.6g}, {', '.join(wrong)}" if wrong else ""


def main() -> None:
    parser = argparse.ArgumentParser(description="tfpy beside other libraries.")
    parser.add_argument("--torch", default=sys.executable)
    parser.add_argument("--keras", default=sys.executable)
    parser.add_argument("--tfjs", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cores", type=int, default=0)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    rivals = contenders(options)
    print(
        f"{platform.processor() or platform.machine()}, Python {platform.python_version()}; milliseconds, tfpy / other"
        + _told_kernels()
    )
    print(" " * 40 + "".join(f"{rival.name:>12}{'':7}" for rival in rivals))
    for workload in WORKLOADS:
        if not options.words or any(word in workload.name for word in options.words):
            print(compared(workload, rivals, options.rounds), flush=True)
    for rival in rivals:
        rival.close()


if __name__ == "__main__":
    main()
