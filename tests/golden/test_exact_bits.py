"""The backend `exact` is bit-identical to the recorded results: ops, gradients, random numbers, layers, training.

Cases listed in inexact.toml differ within the recorded tolerance; remove the line of a case that no longer differs.
"""

from __future__ import annotations

import fnmatch
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import run_golden
from test_golden import EXPECTED as FAILING
from test_golden import dispose_kept

import tfpy as tf

HERE = Path(__file__).parent
INEXACT: dict[str, str] = tomllib.loads((HERE / "inexact.toml").read_text(encoding="utf-8"))["cases"]
FILES = ("ops_*.json", "gradients_*.json", "random_*.json", "layers_*.json", "training_*.json")
MAX_INEXACT = 0.01  # the fraction of cases that may differ


def equal_as_float32(expected: Any, found: Any, tolerance: Any) -> Any:
    """Replaces the comparison of the runner: equality as float32."""
    with np.errstate(over="ignore"):
        e, f = np.asarray(expected, np.float32), np.asarray(found, np.float32)
    return (e == f) | (np.isnan(e) & np.isnan(f))


def _matches(patterns: dict[str, str], name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def cases() -> Iterator[Any]:
    for pattern in FILES:
        for path in sorted(HERE.glob(pattern)):
            for case in json.loads(path.read_text(encoding="utf-8")):
                name = case["id"]
                if _matches(FAILING, name):
                    continue
                marks = [pytest.mark.xfail(strict=True)] if _matches(INEXACT, name) else []
                yield pytest.param(case, id=name, marks=marks)


CASES = list(cases())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("case", CASES)
def test_result_is_bit_identical(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    tf.set_backend("exact")
    monkeypatch.setattr(run_golden, "close", equal_as_float32)
    message = run_golden.run_case(case, "exact", str(HERE), tf)
    dispose_kept()
    assert message is None, message


def test_number_of_inexact_cases() -> None:
    ids = [case.values[0]["id"] for case in CASES]
    differing = [i for i in ids if _matches(INEXACT, i)]
    assert len(differing) <= MAX_INEXACT * len(ids), f"{len(differing)} of {len(ids)}"
    unknown = [pattern for pattern in INEXACT if not fnmatch.filter(ids, pattern)]
    assert not unknown, f"no case matches {unknown}"
