"""Ops that are asynchronous in TF.js: results are available at once, and awaitable."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

import tfpy as tf


def test_results_are_awaitable_and_usable_at_once() -> None:
    mask = tf.tensor([True, False, True])
    x = tf.tensor([1.0, 2.0, 3.0])

    async def main() -> list[Any]:
        places = await tf.where_async(mask)
        taken = await tf.booleanMaskAsync(x, mask)
        values, indices = await tf.setdiff1d_async(x, [2.0])
        hit = await tf.in_top_k_async([[1.0, 2.0]], tf.tensor(np.array([1], np.int32)))
        return [t.array_sync() for t in (places, taken, values, indices, hit)]

    expected = [[[0], [2]], [1, 3], [1, 3], [0, 2], [True]]
    assert asyncio.run(main()) == expected
    assert tf.where_async(mask).array_sync() == expected[0]
    assert tf.boolean_mask_async(x, mask).sum().array_sync() == 4


@pytest.mark.parametrize(
    ("kernel", "call"),
    [
        ("tensor_scatter_update", lambda: tf.sparse_to_dense(np.array([5], np.int32), [1.0], [5])),
        ("dense_bincount", lambda: tf.bincount(np.array([-1], np.int32), [1.0], 3)),
    ],
)
def test_values_out_of_range_raise_with_kernel_name(kernel: str, call: Any) -> None:
    with pytest.raises(ValueError, match=f"^{kernel}: argument"):
        call()
