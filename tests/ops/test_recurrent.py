"""Stacked recurrent cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfpy as tf


def _cell(inputs: int, units: int) -> Any:
    kernel = tf.linspace(-1, 1, (inputs + units) * 4 * units).reshape([inputs + units, 4 * units])
    bias = tf.linspace(0, 1, 4 * units)
    return lambda x, c, h: tf.basic_lstm_cell(0.5, kernel, bias, x, c, h)


def test_multi_rnn_cell_chains_cells() -> None:
    first, second = _cell(3, 2), _cell(2, 4)
    x, c, h = tf.ones([1, 3]), [tf.ones([1, 2]), tf.zeros([1, 4])], [tf.zeros([1, 2]), tf.ones([1, 4])]
    states, outputs = tf.multiRNNCell([first, second], x, c, h)
    c1, h1 = first(x, c[0], h[0])
    c2, h2 = second(h1, c[1], h[1])
    for found, expected in zip([*states, *outputs], [c1, c2, h1, h2], strict=True):
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize(
    ("cells", "states", "error"),
    [([_cell(3, 2)], [], ValueError), ([7], [np.ones((1, 2))], TypeError)],
)
def test_invalid_cells_raise(cells: Any, states: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="multi_rnn_cell: argument"):
        tf.multi_rnn_cell(cells, tf.ones([1, 3]), states, states)
