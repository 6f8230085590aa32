"""What every test of the legacy generation gets: TF.js's numbers, and no global math of an earlier test."""

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
