"""Helpers that run converted Python and compare its output with that of Node."""

from __future__ import annotations

import builtins
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def snippets() -> dict[str, str]:
    """The parts of snippets.js by name."""
    parts = (HERE / "snippets.js").read_text(encoding="utf-8").split("//// ")[1:]
    return {name: body for name, _, body in (part.partition("\n") for part in parts)}


def printed(code: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arguments of all calls of print in Python code."""
    out: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "print", lambda *args, **options: out.append([plain(a) for a in args]))
        exec(compile(code, "converted", "exec"), {"__name__": "__main__"})
    return out


def plain(value: Any) -> Any:
    """Convert a value to its JSON form."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    return value


def assert_same(found: Any, expected: Any) -> None:
    """Assert equality up to rounding and to the format of numbers within strings."""
    if isinstance(expected, list):
        assert isinstance(found, list)
        assert len(found) == len(expected), (found, expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key in expected:
            assert_same(found[key], expected[key])
    elif isinstance(expected, str) and isinstance(found, str):
        assert re.sub(r"\s+", " ", _NUMBER.sub("#", found)) == re.sub(r"\s+", " ", _NUMBER.sub("#", expected))
        assert_same([float(n) for n in _NUMBER.findall(found)], [float(n) for n in _NUMBER.findall(expected)])
    elif isinstance(expected, bool) or expected is None or isinstance(expected, str):
        assert found is expected or str(found) == expected
    else:
        assert found == pytest.approx(expected, rel=2e-5, abs=1e-6)
