"""Fixtures for the tests of programs that use tfpy: put `pytest_plugins = ["tfpy.pytest_plugin"]` into conftest.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tfpy as tf
from tfpy.core.leaks import Leaks


@pytest.fixture
def no_leaks() -> Iterator[Leaks]:
    """Fails the test when tensors made in it are alive at its end; `no_leaks.allow(…)` leaves some out."""
    with tf.leaks(verbose=False) as report:
        yield report
    if len(report):
        pytest.fail(str(report), pytrace=False)
