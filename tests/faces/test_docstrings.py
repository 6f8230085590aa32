"""What the docstrings of ops say."""

from __future__ import annotations

import inspect

import pytest

from tfpy.core.calling.registry import OPS

# An async op does what its sync one does, whose docstring says the rest.
DOCUMENTED = [
    path
    for path, info in OPS.items()
    if inspect.unwrap(info.function).__module__.startswith("tfpy.core.ops") and not path.endswith("_async")
]


@pytest.mark.parametrize("path", DOCUMENTED)
def test_an_op_says_what_it_takes_what_it_returns_and_where_it_is_from(path: str) -> None:
    function = inspect.unwrap(OPS[path].function)
    said = inspect.getdoc(function) or ""
    assert "Source:" in said
    assert ("Args:" in said) == bool(inspect.signature(function).parameters)
    assert ("Returns:" in said) == (function.__annotations__["return"] != "None")
