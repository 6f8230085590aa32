"""Sections of the docstrings of ops."""

from __future__ import annotations

import inspect

import pytest

from tfpy.core.calling.registry import OPS

# The docstring of an async op refers to the one of its synchronous op.
DOCUMENTED = [
    path
    for path, info in OPS.items()
    if inspect.unwrap(info.function).__module__.startswith("tfpy.core.ops") and not path.endswith("_async")
]


@pytest.mark.parametrize("path", DOCUMENTED)
def test_docstring_has_args_returns_and_source(path: str) -> None:
    function = inspect.unwrap(OPS[path].function)
    docstring = inspect.getdoc(function) or ""
    assert "Source:" in docstring
    assert ("Args:" in docstring) == bool(inspect.signature(function).parameters)
    assert ("Returns:" in docstring) == (function.__annotations__["return"] != "None")
