"""Ops that are asynchronous in TF.js: their results are those of the synchronous ops, and may be awaited."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from ops.cases_image import CORNERS, INT_CORNERS, INT_SCORES, SCORES

import tfpy as tf


def _awaited(result: Any) -> Any:
    async def wait() -> Any:
        return await result

    assert asyncio.run(wait()) is result
    return result


def test_from_pixels_async() -> None:
    pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    np.testing.assert_array_equal(_awaited(tf.browser.fromPixelsAsync(pixels)).numpy(), pixels)


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("non_max_suppression", []),
        ("non_max_suppression_with_score", [0.5]),
        ("non_max_suppression_padded", [True]),
    ],
)
def test_non_max_suppression_async(name: str, last: list[Any]) -> None:
    arguments = (CORNERS, SCORES, 3, 0.4, 0.1, *last)
    found = _awaited(getattr(tf.image, f"{name}_async")(*arguments))
    expected = getattr(tf.image, name)(*arguments)
    for f, e in zip(_parts(found), _parts(expected), strict=True):
        np.testing.assert_array_equal(f.numpy(), e.numpy())


def test_non_max_suppression_async_of_integers() -> None:
    found = _awaited(tf.image.non_max_suppression_async(INT_CORNERS, INT_SCORES, 3))
    assert found.numpy().tolist() == [1, 2]


def _parts(result: Any) -> list[Any]:
    return [result] if isinstance(result, tf.Tensor) else list(result)
