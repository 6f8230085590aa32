"""Initializers, util, conv_util, test_util, and stubs of WebGL functions."""

from __future__ import annotations

import asyncio
import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl

A1 = dl.Array1D.new
util, conv_util, checks = dl.util, dl.conv_util, dl.test_util


# Initializers


@pytest.mark.parametrize(
    ("initializer", "low", "high"),
    [
        (dl.ZerosInitializer(), 0, 0),
        (dl.OnesInitializer(), 1, 1),
        (dl.ConstantInitializer(2.5), 2.5, 2.5),
        (dl.ConstantInitializer(), 0, 0),
        (dl.RandomUniformInitializer(-1, 2), -1, 2),
        (dl.RandomUniformInitializer(), -0.05, 0.05),
        (dl.RandomTruncatedNormalInitializer(1, 0.5), 0, 2),
        (dl.RandomNormalInitializer(10, 0.001), 9, 11),
        (dl.VarianceScalingInitializer(), -2 / 10, 2 / 10),
        (dl.VarianceScalingInitializer(3, "fan_out", "uniform"), -1.5, 1.5),
        (dl.VarianceScalingInitializer(1, mode="fan_avg"), -2 / math.sqrt(52), 2 / math.sqrt(52)),
    ],
)
def test_initializer_ranges(initializer: Any, low: float, high: float) -> None:
    tf.set_seed(2)
    values = initializer.initialize([20, 20], 100, 4).get_values()
    assert low <= values.min() <= values.max() <= high
    if low < high and high < 9:
        assert values.min() < low + 0.2 * (high - low), "the whole range is used"
        assert values.max() > high - 0.2 * (high - low)


def test_ndarray_initializer_returns_its_array() -> None:
    a = A1([1, 2])
    assert dl.NDArrayInitializer(a).initialize([2], 1, 1) is a
    assert dl.TensorInitializer is dl.NDArrayInitializer


def test_invalid_variance_scaling_raises() -> None:
    with pytest.raises(ValueError, match="fan_in"):
        dl.VarianceScalingInitializer(1, "fan")
    with pytest.raises(ValueError, match="uniform"):
        dl.VarianceScalingInitializer(1, "fan_in", "cauchy")


# util


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda: util.clamp(0, 5, 3), 3),
        (lambda: util.clamp(0, -5, 3), 0),
        (lambda: util.clamp(0, 2, 3), 2),
        (lambda: util.clamp(5, 7, 1), 5),
        (lambda: util.dist_squared([0, 0], [3, 4]), 25),
        (lambda: util.flatten([1, [2, [3]], [4]]), [1, 2, 3, 4]),
        (lambda: util.flatten(5), [5]),
        (lambda: [len(util.flatten([np.zeros(3), [1]])), len(tf.util.flatten([np.zeros(3), [1]]))], [2, 4]),
        (lambda: util.infer_shape([[1, 2], [3, 4], [5, 6]]), [3, 2]),
        (lambda: util.inferShape(5), []),
        (lambda: util.size_from_shape([2, 3]), 6),
        (lambda: util.sizeFromShape([]), 1),
        (lambda: util.is_scalar_shape([]), True),
        (lambda: util.arrays_equal([1, 2], [1, 2]), True),
        (lambda: util.arraysEqual([1, 2], [1]), False),
        (lambda: util.is_int(2.0), True),
        (lambda: util.isInt(2.5), False),
        (lambda: util.size_to_squarish_shape(12), [3, 4]),
        (lambda: util.sizeToSquarishShape(7), [1, 7]),
        (lambda: util.right_pad("ab", 4), "ab  "),
        (lambda: util.get_query_params("?a=1&b=x%20y"), {"a": "1", "b": "x y"}),
        (lambda: util.get_query_params("http://host/page?a=1"), {"a": "1"}),
        (lambda: util.infer_from_implicit_shape([2, -1], 6), [2, 3]),
        (lambda: util.infer_from_implicit_shape([1, -1], 6), [1, 6]),
        (lambda: util.inferFromImplicitShape([2, 3], 6), [2, 3]),
        (lambda: util.is_val_nan(float("nan"), "float32"), True),
        (lambda: util.isValNaN(-(2**31), "int32"), True),
        (lambda: util.is_val_nan(255, "bool"), True),
        (lambda: util.get_nan("int32"), -(2**31)),
        (lambda: util.squeeze_shape([1, 2, 1, 3]), {"newShape": [2, 3], "keptDims": [1, 3]}),
        (lambda: util.squeezeShape([1, 2, 1], [0]), {"newShape": [2, 1], "keptDims": [1, 2]}),
        (lambda: util.squeeze_shape([1, 2, 1], [-1]), {"newShape": [1, 2], "keptDims": [0, 1]}),
        (lambda: util.squeeze_shape([1, 2, 1], []), {"newShape": [1, 2, 1], "keptDims": [0, 1, 2]}),
        (lambda: util.get_typed_array_from_dtype("int32", 3).dtype, np.int32),
        (lambda: util.copy_typed_array([1.7, float("nan")], "int32").tolist(), [1, -(2**31)]),
        (lambda: util.copyTypedArray([0.5, 0.4, float("nan")], "bool").tolist(), [1, 0, 255]),
        (lambda: util.copy_typed_array([0.5]).dtype, np.float32),
        (lambda: [util.is_typed_array(a) for a in (np.zeros(1, np.int32), np.zeros(1), [0])], [True, False, False]),
        (lambda: [util.bytesPerElement(d) for d in ("float32", "int32", "bool")], [4, 4, 1]),
        (lambda: [util.is_function(abs), util.isFunction(1)], [True, False]),
        (lambda: util.flatten_name_array_map({"b": 1, "a": 2}, ["a", "b"]), [2, 1]),
        (lambda: util.unflatten_to_name_array_map(["a", "b"], [1, 2]), {"a": 1, "b": 2}),
        (lambda: util.has_encoding_loss("float32", "int32"), True),
        (lambda: util.hasEncodingLoss("bool", "float32"), False),
        (lambda: util.assert_and_get_broadcasted_shape([2, 1], [3]), [2, 3]),
        (lambda: util.tanh(0.5), math.tanh(0.5)),
    ],
)
def test_util_functions(found: Any, expected: Any) -> None:
    assert found() == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: util.assert_(False, "so it is"), "so it is"),  # noqa: PT009
        (lambda: util.assert_shapes_match([1], [2], "here: "), "here: Shapes"),
        (lambda: util.assertTypesMatch(A1([1]), A1([1], "int32")), "dtypes"),
        (lambda: util.assert_and_get_broadcasted_shape([2], [3]), "assert_and_get"),
        (lambda: util.infer_from_implicit_shape([-1, -1], 6), "shape"),
        (lambda: util.infer_from_implicit_shape([4, -1], 6), "6 elements"),
        (lambda: util.check_for_nan([1, float("nan")], "float32", "log"), r"math\.log"),
        (lambda: util.unflatten_to_name_array_map(["a"], []), "1 arrays"),
        (lambda: util.get_nan("text"), "dtype"),
        (lambda: util.squeeze_shape([1, 2], [1]), "squeeze_shape: argument 'axis' must be axes of size 1"),
    ],
)
def test_util_functions_raise(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_random_functions_of_util() -> None:
    tf.set_seed(1)
    items = list("abcdef")
    util.shuffle(items)
    assert sorted(items) == list("abcdef")
    assert sorted(util.createShuffledIndices(5)) == list(range(5))
    assert all(2 <= util.rand_uniform(2, 3) < 3 for _ in range(20))
    assert all(abs(util.randGauss(0, 1, True)) <= 2 for _ in range(50))


def test_async_functions_of_util() -> None:
    tries: list[int] = []

    def third_time() -> bool:
        tries.append(1)
        return len(tries) == 3

    asyncio.run(util.repeated_try(third_time))
    assert len(tries) == 3
    with pytest.raises(RuntimeError, match="2 tries"):
        asyncio.run(util.repeatedTry(lambda: False, lambda n: 0.1, 2))
    asyncio.run(util.next_frame())


def test_is_ndarray_in_list() -> None:
    a, b = A1([1]), A1([1])
    assert util.is_ndarray_in_list(a, [b, a])
    assert not util.isNDArrayInList(a, [b])


def test_arrays_of_a_container() -> None:
    a, b = A1([1]), A1([2])
    assert [x.get(0) for x in util.extractTensorsFromContainer({"a": a, "b": [b, 3]})] == [1, 2]
    assert util.extract_tensors_from_any(5) == []


# conv_util


def test_conv_util_output_sizes() -> None:
    info = conv_util.compute_conv2d_info([1, 5, 6, 3], [3, 3, 3, 8], [2, 1], "same")
    assert info.outShape == (1, 3, 6, 8)
    assert tuple(info.padInfo) == (1, 1, 1, 1)
    assert (info.padInfo.top, info["padInfo"]["left"], info.out_height, info.outWidth) == (1, 1, 3, 6)
    assert conv_util.computeConv2DInfo([1, 5, 5, 3], [3, 3, 3, 8], 1, "valid").outShape == (1, 3, 3, 8)
    assert conv_util.computeConv2DInfo([1, 3, 5, 5], [3, 3, 3, 8], 1, 0, dataFormat="channelsFirst").outShape == (
        1,
        8,
        3,
        3,
    )
    first = conv_util.computeConv2DInfo([1, 3, 5, 6], [3, 3, 3, 8], 1, 0, dataFormat="channelsFirst")
    assert (first.batch_size, first.in_channels, first.in_height, first.in_width) == (1, 3, 5, 6)
    assert (first.out_channels, first.out_height, first.out_width) == (8, 3, 4)
    assert conv_util.compute_conv2d_info([1, 6, 6, 1], [3, 3, 1, 1], 2, 0, rounding_mode="floor").outHeight == 2
    assert conv_util.computeDepthwiseConv2DInfo([1, 5, 5, 3], [3, 3, 3, 2], 1, "valid").outShape == (1, 3, 3, 6)
    assert conv_util.computePool2DInfo([1, 4, 4, 3], 2, 2, 0).outShape == (1, 2, 2, 3)
    assert conv_util.compute_conv_info([5, 5, 2], 3, 3, 4, 1, 1, 1)["outShape"] == (5, 5, 4)
    assert conv_util.compute_output_shape3d([5, 5, 2], 3, 4, 1) == [5, 5, 4]
    assert conv_util.computeDefaultPad([5, 5, 2], 2, 1) == 0
    assert conv_util.compute_weights_shape4d(3, 4, 5, 6) == (5, 6, 3, 4)
    assert conv_util.computeDilatedRC([3, 2], 2) == (5, 3)
    assert conv_util.compute_tex_shape_from3d([2, 3, 4]) == (2, 12)
    assert conv_util.computeWeightsTexShape(3, 4, 2) == (12, 4)
    assert conv_util.compute_biases_tex_shape(4) == (1, 4)
    with pytest.raises(ValueError, match="'rounding_mode'"):
        conv_util.computeConv2DInfo([1, 5, 5, 3], [3, 3, 3, 8], 1, 1, roundingMode="up")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: conv_util.compute_conv2d_info([1, 6, 6, 1], [3, 3, 1, 1], 2, 0), "pad"),
        (lambda: conv_util.compute_conv2d_info([1, 6, 6, 1], [3, 3, 1, 1], 2, 0, rounding_mode="up"), "rounding_mode"),
        (lambda: conv_util.compute_conv2d_info([1, 6, 6, 1], [3, 3, 1, 1], 0, 0), "strides"),
        (lambda: conv_util.compute_conv2d_info([1, 6, 6, 1], [3, 3, 1, 1], [1, 2, 3], 0), "pair"),
        (lambda: conv_util.compute_conv2d_info([1, 6, 6, 1], [3, 3, 1, 1], 1, "full"), "pad"),
        (lambda: conv_util.compute_conv2d_info([1, 6, 6, 1], [3, 3, 1, 1], 1, -1), "pad"),
        (lambda: conv_util.compute_conv2d_info([6, 6, 1], [3, 3, 1, 1], 1, 0), "in_shape"),
        (lambda: conv_util.compute_conv2d_info([1, 6, 6, 1], [3, 3, 1, 1], 1, 0, data_format="NHWC"), "data_format"),
        (lambda: conv_util.compute_output_shape3d([6, 6, 1], 3, 1, 2, 0), "pad"),
    ],
)
def test_invalid_conv_util_arguments_raise(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# test_util


def test_assertions_of_test_util() -> None:
    a = A1([1, 2])
    checks.expect_arrays_close(a, [1.001, 2])
    checks.expectArraysEqual(a, A1([1, 2]))
    checks.expect_numbers_close(float("nan"), float("nan"))
    checks.expectValuesInRange(a, 1, 2)
    checks.assert_is_nan(-(2**31), "int32")
    checks.expect_array_in_mean_std_range([1, 2, 3], 2, math.sqrt(2 / 3))
    for wrong in (
        lambda: checks.expect_arrays_close(a, [1.1, 2]),
        lambda: checks.expect_arrays_equal(a, [1, 2, 3]),
        lambda: checks.expect_arrays_equal(a, A1([1, 2], "int32")),
        lambda: checks.expectNumbersClose(1, 2),
        lambda: checks.expect_values_in_range(a, 2, 3),
        lambda: checks.assertIsNan(0, "float32"),
    ):
        with pytest.raises(AssertionError):
            wrong()


def test_statistics_of_test_util() -> None:
    values = np.array([NormalDist().inv_cdf((i + 0.5) / 500) for i in range(500)])
    checks.jarque_bera_normality_test(values)
    with pytest.raises(AssertionError, match="Not normal"):
        checks.jarqueBeraNormalityTest(np.exp(values))
    assert checks.mean([1, 3]) == 2
    assert checks.standard_deviation([1, 3], 2) == 1
    assert checks.kurtosis([1, -1]) == 1
    assert checks.skewness([1, -1]) == 0


def test_computations_of_test_util() -> None:
    assert checks.make_identity(2).tolist() == [1, 0, 0, 1]
    assert checks.cpuMultiplyMatrix([1, 2, 3, 4], 2, 2, [1, 0, 0, 1], 2, 2).tolist() == [1, 2, 3, 4]
    assert checks.cpu_dot_product([1, 2], [3, 4]) == 11
    with pytest.raises(ValueError, match="length 2"):
        checks.cpu_dot_product([1, 2], [3])
    matrix = dl.Array2D.zeros([2, 2])
    checks.set_value(matrix, 1, 0, 5)
    assert matrix.get(1, 0) == 5
    flat = np.zeros(4)
    checks.setValue(flat, 2, 7, 1, 0)
    assert flat.sum() == 7
    checks.setValue(flat, 2, 2, 5, 0, 1)  # as in 0.1
    assert flat.tolist() == [0, 5, 7, 0]
    with pytest.raises(ValueError, match="a row below 2"):
        checks.setValue(flat, 2, 2, 5, 2, 1)
    with pytest.raises(ValueError, match="set_value"):
        checks.set_value(flat, 1, 2)
    assert np.abs(checks.random_array_in_range(50, -1, 1)).max() <= 1


# Functions of browsers


@pytest.mark.parametrize(
    "call",
    [
        lambda: dl.GPGPUContext(),
        lambda: dl.gpgpu_util.createWebGLContext(),
        lambda: dl.webgl_util.isWebGL2Enabled(),
        lambda: dl.render_ndarray_gpu_util.renderToCanvas(),
        lambda: checks.describe_math_cpu("name", []),
        lambda: checks.describeWithFlags("name", checks.ALL_ENVS, None),
    ],
)
def test_webgl_functions_raise(call: Any) -> None:
    with pytest.raises(RuntimeError, match=r"WebGL|browser"):
        call()


def test_initialize_gpu_is_a_no_op() -> None:
    dl.initialize_gpu(None, None)
    dl.initializeGPU()
    assert "WebGL" in repr(dl.gpgpu_util)
