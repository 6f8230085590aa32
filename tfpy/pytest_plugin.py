"""Fixtures for the tests of programs that use tfpy: put `pytest_plugins = ["tfpy.pytest_plugin"]` into conftest.py."""

from __future__ import annotations

from collections.abc import Generator

import pytest

import tfpy as tf
from tfpy.core.diagnostics.leaks import Leaks


@pytest.fixture
def no_leaks() -> Leaks:
    """Fails the test when tensors made in it are alive at its end; `no_leaks.allow(…)` leaves some out.

    Those that other fixtures make do not count. Of a test that fails anyway it says nothing: what the traceback refers
    to is alive.
    """
    return tf.leaks(verbose=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    report = getattr(item, "funcargs", {}).get("no_leaks")
    if not isinstance(report, Leaks):
        return (yield)
    with report:
        result = yield
    if len(report):
        pytest.fail(str(report), pytrace=False)
    return result
