"""Fixtures for the tests of programs that use tfpy: put `pytest_plugins = ["tfpy.pytest_plugin"]` into conftest.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tfpy as tf
from tfpy.core.diagnostics.leaks import Leaks

# Whether a test has run to its end.
_PASSED = pytest.StashKey[bool]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    if call.when == "call":
        item.stash[_PASSED] = call.excinfo is None


@pytest.fixture
def no_leaks(request: pytest.FixtureRequest) -> Iterator[Leaks]:
    """Fails the test when tensors made in it are alive at its end; `no_leaks.allow(…)` leaves some out.

    Of a test that fails anyway it says nothing: what the traceback refers to is alive.
    """
    with tf.leaks(verbose=False) as report:
        yield report
    if request.node.stash.get(_PASSED, True) and len(report):
        pytest.fail(str(report), pytrace=False)
