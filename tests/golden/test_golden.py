"""Results recorded from TF.js and deeplearn.js, one test per case.

Cases listed in expected_failures.toml must fail; remove the line of a case that passes.
"""

from __future__ import annotations

import fnmatch
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import run_golden

import tfpy as tf
from tfpy import legacy
from tfpy.engine.handle import kept

HERE = Path(__file__).parent
EXPECTED: dict[str, str] = tomllib.loads((HERE / "expected_failures.toml").read_text(encoding="utf-8"))["cases"]


def cases() -> Iterator[Any]:
    for path in sorted(HERE.glob("*_*.json")):
        if path.name == "prng_vectors.json":
            continue
        for case in json.loads(path.read_text(encoding="utf-8")):
            reason = next((why for pattern, why in EXPECTED.items() if fnmatch.fnmatchcase(case["id"], pattern)), None)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            yield pytest.param(case, id=f"{path.stem}:{case['id']}", marks=marks)


def dispose_kept() -> None:
    """Dispose the kept tensors of a case, which it does not dispose itself."""
    for handle in list(kept.values()):
        handle.dispose()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("case", list(cases()))
def test_result_matches_the_recording(case: dict[str, Any], default_backend: str) -> None:
    message = run_golden.run_case(case, default_backend, str(HERE), tf)
    dispose_kept()
    legacy.numerics("tfjs")
    assert message is None, message


def test_every_expected_failure_matches_a_case() -> None:
    ids = [
        c["id"]
        for path in HERE.glob("*_*.json")
        if path.name != "prng_vectors.json"
        for c in json.loads(path.read_text())
    ]
    unknown = [pattern for pattern in EXPECTED if not fnmatch.filter(ids, pattern)]
    assert not unknown, f"no case matches {unknown}"
