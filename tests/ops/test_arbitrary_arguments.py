"""Arbitrary arguments: every op returns a result, or raises ValueError, TypeError or RuntimeError."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.cases import CASES
from ops.strategies import ALLOWED_ERRORS, arrays, int_arrays
from ops.table import outputs

import tfpy as tf
from tfpy.core.calling.registry import OPS
from tfpy.engine import dispatch

# Ops that change or return the state of the process.
NOT_PURE = {
    "set_backend", "get_backend", "backend", "ready", "register_backend", "remove_backend", "find_backend",
    "find_backend_factory", "print", "dispose_variables", "env", "set_platform", "enable_debug_mode",
    "enable_prod_mode", "disable_deprecation_warnings", "deprecation_warn", "register_kernel", "unregister_kernel",
    "copy_registered_kernels", "register_gradient", "unregister_gradient", "set_seed", "next_frame", "variable",
    "keep", "dispose", "tidy",
}  # fmt: skip
CALLABLE = sorted(path for path in OPS if path not in NOT_PURE and "util." not in path)

# The kind of the numpy arrays that store each dtype.
KINDS = {"float32": "f", "int32": "i", "bool": "b", "complex64": "c", "string": "O"}

any_argument = st.one_of(
    arrays().map(lambda a: ("tensor", a)),
    int_arrays().map(lambda a: ("tensor", a)),
    st.sampled_from([None, True, 0, 1, 2, -1, 0.5, math.nan, math.inf, "a", "float32", "ij->ji", (), {}, object()]),
    st.lists(st.integers(-1, 3), max_size=3),
    st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), max_size=3),
    st.lists(st.just("text"), max_size=2),
)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.dropout([1.0], None), "dropout.*rate"),
        (lambda: tf.rand([1], "no"), "rand.*rand_function"),
        (lambda: tf.rand([1], lambda: "text"), "rand.*rand_function"),
        (lambda: tf.random_uniform([10**30]), "random_uniform.*shape"),
        (lambda: tf.random_normal([2**31]), "random_normal.*shape"),
        (lambda: tf.ensure_shape([1.0], 3), "ensure_shape.*shape"),
        (lambda: tf.enclosing_power_of_two({}), "enclosing_power_of_two.*value"),
        (lambda: tf.signal.hann_window(2**31), "hann_window: argument 'window_length'"),
        (lambda: tf.random_uniform_int([1], "a", 2), "random_uniform_int: argument 'minval'"),
        (lambda: tf.signal.stft([1.0, 2.0], "a", 1), "stft: argument 'frame_length'"),
        (lambda: tf.losses.huber_loss([1.0], [1.0], reduction=-1), "huber_loss: argument 'reduction'"),
        (lambda: tf.random_uniform([1], seed=[1]), "random_uniform: argument 'seed' must be a number or a string"),
        (lambda: tf.util.create_shuffled_indices(1.5), "create_shuffled_indices: argument 'n' must be a whole number"),
        (lambda: tf.signal.frame([1.0, 2.0], 2**31, 1), "frame.*frame_length"),
        (lambda: tf.image.rotate_with_offset(tf.ones([1, 2, 2, 1]), 0, 0, [[1, 2]]), "rotate_with_offset.*center"),
        (lambda: tf.image.rotate_with_offset(tf.ones([1, 2, 2, 1]), 0, 0, [1]), "rotate_with_offset.*center"),
        (lambda: tf.image.rotate_with_offset(tf.ones([1, 2, 2, 1]), 0, ["a"]), "rotate_with_offset.*fill_value"),
        (lambda: tf.multi_rnn_cell(3, 1.0, [], []), "multi_rnn_cell.*lstm_cells"),
        (lambda: tf.ragged_tensor_to_tensor([1], [1.0], 0.0, [[0, 1]], True), "row_partition_types"),
        (lambda: tf.ragged_gather([1], [1.0], 0, 1), "ragged_gather.*params_nested_splits"),
        (lambda: tf.ragged_range(0.0, math.nan, 1.0), "ragged_range.*limits"),
        (lambda: tf.ragged_range(0.0, 1e30, 1.0), "ragged_range.*limits"),
        (lambda: tf.scalar([[1, 2], [3]]), "scalar.*value"),
        (lambda: tf.variable_grads(lambda: tf.scalar(1), 3), "variable_grads.*var_list"),
        (lambda: tf.variable([1.0], True, 5), "variable.*name"),
        (lambda: tf.batch_norm(tf.ones([2]), 1.0, tf.complex(1.0, 0.0)), "batch_norm.*variance"),
        (lambda: tf.batch_norm2d(tf.ones([2, 2]), [0.0, 1.0], None), "batch_norm2d.*variance"),
        (lambda: tf.buffer([2**31]), "buffer.*shape"),
        (lambda: tf.zeros({}), "zeros: argument 'shape' must be a list"),
        (lambda: tf.sum([1.0], {0}), "sum: argument 'axis'"),
        (lambda: tf.concat({"a": [1.0]}), "concat: argument 'tensors' must be a list"),
        (
            lambda: tf.fused.mat_mul(a=[[1.0]], b=[[1.0]], activation="relu", prelu_activation_weights="a"),
            "mat_mul: argument 'prelu_activation_weights'",
        ),
        (lambda: tf.conv1d(tf.ones([2, 1]), tf.ones([1, 1, 1]), 1, np.ones(2)), "conv1d: argument 'pad'"),
        (lambda: tf.max_pool(tf.ones([2, 2, 1]), 1, 10**30, "valid"), "max_pool: argument 'strides'"),
        (lambda: tf.pool(tf.ones([2, 2, 1]), 1, "avg", np.ones(2)), "pool: argument 'pad'"),
        (lambda: tf.softmax([1.0], "a"), "softmax: argument 'dim'"),
        (lambda: tf.dropout([1.0], 0.5, 3), "dropout: argument 'noise_shape'"),
        (lambda: tf.ensure_shape([1.0], ["a"]), "ensure_shape: argument 'shape'"),
        (lambda: tf.signal.frame([1.0, 2.0], 1, 10**30), "frame: argument 'frame_step'"),
        (
            lambda: tf.image.rotate_with_offset(tf.ones([1, 2, 2, 1]), 0, {}),
            "rotate_with_offset: argument 'fill_value'",
        ),
        (lambda: tf.multi_rnn_cell([lambda *_: None], [[1.0]], [[[1.0]]], [[[1.0]]]), r"argument 'lstm_cells\[0\]'"),
        (lambda: tf.browser.from_pixels({"data": b"", "width": None, "height": 0}), "argument 'pixels.width'"),
        (lambda: tf.browser.from_pixels({"data": [[1], [1, 2]], "width": 1, "height": 1}), "argument 'pixels.data'"),
        (lambda: tf.sparse.sparse_fill_empty_rows(tf.zeros([0, 1], "int32"), [], [-1], 0), "argument 'dense_shape'"),
        (
            lambda: tf.ragged_tensor_to_tensor([1], [1.0], 0.0, [1, [0]], ["FIRST_DIM_SIZE", 3]),
            "argument 'row_partition_types'",
        ),
    ],
)
def test_invalid_argument_raises(call: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        call()


@pytest.mark.cpu  # a GPU allocates no memory for padding
def test_excessive_padding_raises() -> None:
    x, filter_ = tf.ones([2, 2, 1]), tf.ones([1, 1, 1, 1])
    with pytest.raises(ValueError, match="conv2d: .*padding"):
        tf.conv2d(x, filter_, 2**29, 2**30)


def test_window_larger_than_input_gives_empty_output() -> None:
    assert tf.max_pool3d(tf.ones([2, 2, 2, 1]), 2**31 - 1, 1, "valid").shape == (0, 0, 0, 1)
    assert tf.avg_pool3d(tf.ones([2, 2, 2, 1]), 2**31 - 1, 1, "valid").shape == (0, 0, 0, 1)


def test_rotation_by_infinity_gives_fill_value() -> None:
    """As in TF.js, where NaN coordinates lie outside the image."""
    for radians, center in ((math.inf, 0.5), (1, math.inf)):
        turned = tf.image.rotate_with_offset(tf.ones([1, 2, 2, 1]), radians, 7, center)
        assert turned.data_sync().tolist() == [7, 7, 7, 7]


def test_uniform_numbers_between_infinite_bounds_are_nan() -> None:
    assert np.isnan(tf.random_uniform([3], -math.inf, 1, seed=1).numpy()).all()


def test_mean_losses_of_empty_tensors_are_nan() -> None:
    empty = tf.zeros([0])
    assert math.isnan(float(tf.losses.softmax_cross_entropy(empty, empty, empty, 0.5)))
    assert math.isnan(float(tf.losses.absolute_difference(1.0, 2.0, tf.zeros([2, 0]), tf.Reduction.MEAN)))


def converted(t: tf.Tensor, dtype: str) -> tf.Tensor:
    """A tensor converted to any dtype, also where cast cannot."""
    if dtype == "string":
        return tf.fill(t.shape, "text")
    values = t.numpy().real
    return tf.complex(values, values + 1) if dtype == "complex64" else tf.tensor(values).cast(dtype)


@pytest.mark.cpu  # inspects the arrays that store results
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "int32", "bool", "complex64", "string"])
@pytest.mark.parametrize("op", sorted(CASES))
def test_results_are_stored_in_their_dtype(op: str, dtype: str) -> None:
    case = next(c for c in CASES[op] if c.error is None)
    given = case.arguments()
    for i, value in enumerate(given):
        if not isinstance(value, tf.Tensor) or value.dtype == "string":
            continue
        with contextlib.suppress(*ALLOWED_ERRORS):
            result = case.run([*given[:i], converted(value, dtype), *given[i + 1 :]])
            for t in outputs(result):
                stored = dispatch.read(t, "test")
                assert stored.shape == t.shape
                assert stored.dtype.kind in KINDS[t.dtype]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", CALLABLE)
@settings(max_examples=12)
@given(arguments=st.lists(any_argument, max_size=5))
def test_random_arguments_raise_allowed_errors_only(path: str, arguments: list[Any]) -> None:
    values = [tf.tensor(a[1]) if isinstance(a, tuple) and a else a for a in arguments]
    with contextlib.suppress(*ALLOWED_ERRORS):
        OPS[path].function(*values)
