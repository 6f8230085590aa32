"""Fixtures for the tests of the deeplearn.js API: numerics of TF.js and a new global math for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tfpy import legacy as dl


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    dl.numerics("tfjs")
    dl.ENV.reset()
    yield
    dl.numerics("tfjs")
    dl.ENV.reset()


@pytest.fixture
def math() -> dl.NDArrayMathCPU:
    return dl.NDArrayMathCPU()
