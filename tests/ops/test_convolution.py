"""Convolution and pooling beyond the table: ties, second derivatives, blocking, grouped columns, edge cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED, DOUBLE, GRADIENT, ROUNDING, SECOND_STEP, central_difference

import tfpy as tf
from tfpy.core.ops import pool as pool_ops
from tfpy.engine.backend import registry
from tfpy.engine.cpu import conv, depthwise, pool
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.windows import Window, sliding_window


def _values(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).permutation(np.linspace(-1, 1, int(np.prod(shape)))).reshape(shape)


@pytest.mark.parametrize(
    "layer",
    [
        lambda x: tf.dilation2d(_values(2, 5, 6, 4), tf.slice(x, [0, 0, 0, 0], [1, 2, 3, 4]).squeeze([0]), 1, "same"),
        lambda x: tf.max_pool(x, 2, 1, "same"),
        lambda x: tf.max_pool(x, 2, 2, "valid"),
        lambda x: tf.avg_pool(x, 3, 2, "same"),
        lambda x: tf.pool(x, 2, "max", "same", 2),
        lambda x: tf.max_pool_with_argmax(x, 2, 1, "valid").result,
        lambda x: tf.dilation2d(x, _values(2, 2, 4) * 0.3, 1, "same"),
        lambda x: tf.max_pool3d(tf.reshape(x, [1, 4, 2, 3, 4]), 2, 1, "same"),
        lambda x: tf.avg_pool3d(tf.reshape(x, [1, 4, 2, 3, 4]), 2, 1, "same"),
        lambda x: tf.image.resize_bilinear(x, [5, 7]),
        lambda x: tf.image.resize_nearest_neighbor(x, [5, 7], True),
        lambda x: tf.image.crop_and_resize(x, [[0.1, 0.2, 0.8, 0.9]], tf.tensor([0], dtype="int32"), [3, 4]),
    ],
)
def test_second_derivative_of_backward_kernels(layer: Callable[[Any], Any]) -> None:
    registry.use("double")
    x, v, w = _values(1, 4, 6, 4), _values(1, 4, 6, 4)[:, ::-1], _values(1, 4, 6, 4)[:, :, ::-1]

    def slope(t: Any) -> Any:
        return tf.sum(tf.mul(tf.grad(lambda z: tf.sum(tf.pow(layer(z), 3)))(t), tf.tensor(w)))

    exact = float(np.sum(tf.grad(slope)(tf.tensor(x)).numpy() * v))
    numeric = central_difference(lambda h: slope(tf.tensor(x + h * v)), SECOND_STEP)
    assert exact == pytest.approx(numeric, rel=GRADIENT, abs=GRADIENT)


def test_gradient_of_equal_maxima() -> None:
    """As in TF.js, the gradient goes to the first maximum in 2D, and to the last in 3D."""
    ones = tf.ones([1, 2, 2, 1])
    assert tf.grad(lambda x: tf.max_pool(x, 2, 2, "valid"))(ones).data_sync().tolist() == [1, 0, 0, 0]
    volume = tf.ones([1, 2, 2, 2, 1])
    assert tf.grad(lambda x: tf.max_pool3d(x, 2, 2, "valid"))(volume).data_sync().tolist() == [0] * 7 + [1]
    assert tf.max_pool_with_argmax(ones, 2, 1, "same").indexes.data_sync().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("slope", [np.nan, np.inf])
@pytest.mark.parametrize(
    "largest",
    [
        lambda x: tf.max_pool(x, 2, 2, "valid"),
        lambda x: tf.max_pool(tf.tile(x, [1, 1, 1, 20]), 2, 2, "valid"),
        lambda x: tf.max_pool(x, 2, 1, "valid"),
        lambda x: tf.max_pool_with_argmax(x, 2, 2, "valid").result,
        lambda x: tf.max_pool3d(tf.reshape(x, [1, 2, 1, 4, 1]), 2, 2, "same"),
        lambda x: tf.dilation2d(x, tf.zeros([2, 2, 1]), 2, "valid"),
        lambda x: tf.dilation2d(tf.ones([1, 2, 4, 1]), tf.reshape(x, [2, 4, 1]), 1, "valid"),
    ],
)
def test_slopes_that_are_not_finite_stay_at_the_largest_elements(largest: Callable[[Any], Any], slope: float) -> None:
    x = tf.tensor([2.0, 1, 0, 3, 0, 1, 0, 1], [1, 2, 4, 1])
    one, other = (tf.grad(largest)(x, tf.fill(largest(x).shape, value)).numpy() for value in (1, slope))
    assert 0 < np.count_nonzero(one) < x.size
    np.testing.assert_array_equal(np.isfinite(other), one == 0)
    weights = tf.where(tf.tensor(one != 0), 1, slope)
    picked = tf.grad(lambda dy: tf.sum(tf.mul(tf.grad(largest)(x, dy), weights)))(tf.ones(largest(x).shape))
    assert np.isfinite(picked.numpy()).all()


@pytest.mark.parametrize("slope", [np.nan, np.inf])
@pytest.mark.parametrize("size", [(6, 5), (3, 7), (2, 2)])
@pytest.mark.parametrize("align_corners", [True, False])
def test_slopes_that_are_not_finite_stay_at_the_pixels_that_were_read(
    size: tuple[int, int], slope: float, align_corners: bool
) -> None:
    registry.use("cpu")  # the GPU multiplies by matrices of 0 and 1
    resize = lambda x: tf.image.resize_nearest_neighbor(x, size, align_corners)  # noqa: E731
    gradient = tf.grad(resize)
    x = tf.tensor(_values(1, 4, 3, 1))
    source = resize(tf.tensor(np.arange(12.0), x.shape)).numpy().ravel()
    for i, pixel in enumerate(source):
        dy = np.ones((1, *size, 1))
        dy[0].flat[i] = slope
        np.testing.assert_array_equal(np.isfinite(gradient(x, tf.tensor(dy)).numpy().ravel()), np.arange(12) != pixel)


def test_gradient_of_average_pooling_at_the_border() -> None:
    """The mean is over the cells inside the image; TF.js, in contrast, has 0.25, 0.25, 0.5, 1 here."""
    found = tf.grad(lambda x: tf.avg_pool(x, 2, 1, "same"))(tf.ones([1, 2, 2, 1]))
    np.testing.assert_allclose(found.data_sync(), [0.25, 0.75, 0.75, 2.25], rtol=ROUNDING)


def test_windows_entirely_on_padding(backend: str) -> None:
    x = tf.ones([1, 2, 2, 1])
    assert tf.max_pool(x, 2, 1, 2).numpy()[0, 0, 0, 0] == -np.inf
    assert np.isnan(tf.avg_pool(x, 2, 1, 2).numpy()[0, 0, 0, 0])
    assert tf.avg_pool3d(tf.ones([1, 2, 2, 2, 1]), 2, 1, 2).numpy()[0, 0, 0, 0, 0] == 0


@pytest.mark.parametrize("strides", [1, 3])
@pytest.mark.parametrize("pad", ["same", [[0, 0], [7, 2], [5, 9], [0, 0]], 8])
@pytest.mark.parametrize("size", [1, 2, 6, 7, 12])
def test_trimming_windows_to_input_does_not_change_results(
    size: int, pad: Any, strides: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, volume = tf.tensor(_values(2, 4, 5, 3)), tf.tensor(_values(1, 4, 5, 3, 2))
    three = pad if isinstance(pad, (int, str)) else [*pad[:3], [3, 3], [0, 0]]
    layers: list[tuple[Any, Any]] = [
        (x, lambda t: tf.max_pool(t, size, strides, pad)),
        (x, lambda t: tf.avg_pool(t, size, strides, pad)),
        (x, lambda t: tf.max_pool_with_argmax(t, size, strides, pad).result),
        (volume, lambda t: tf.max_pool3d(t, size, strides, three)),
        (volume, lambda t: tf.avg_pool3d(t, size, strides, three)),
    ]
    for x_or_volume, layer in layers:
        found = []
        for cells in (2**16, 0):
            monkeypatch.setattr(pool_ops, "_MANY_CELLS", cells)
            found.append([layer(x_or_volume).numpy(), tf.grad(lambda t, f=layer: tf.sum(f(t)))(x_or_volume).numpy()])
        for one, other in zip(*found, strict=True):  # a GPU may round the mean over the trimmed window differently
            np.testing.assert_allclose(one, other, rtol=ACCUMULATED, atol=ROUNDING)


@pytest.mark.parametrize("size", [10**5, 10**9, 2**31 - 1])
def test_huge_windows_are_trimmed_to_the_input(size: int) -> None:
    x = _values(1, 4, 6, 2)
    np.testing.assert_array_equal(
        tf.max_pool(x, size, 1, "same").numpy(),
        np.broadcast_to(x.max((1, 2), keepdims=True), x.shape).astype(np.float32),
    )
    volume = tf.tensor(_values(1, 2, 4, 6, 2))
    assert tf.avg_pool3d(volume, size, 1, "same").shape == (1, 2, 4, 6, 2)


def test_max_pool_ignores_nan() -> None:
    x = tf.tensor([[[[np.nan], [1.0]], [[2.0], [np.nan]]]])
    assert tf.max_pool(x, 2, 1, "valid").data_sync().tolist() == [2]
    all_nan = tf.max_pool_with_argmax(tf.fill([1, 2, 2, 1], np.nan), 2, 1, "valid")
    assert all_nan.indexes.data_sync().tolist() == [-1]


def test_max_pool_of_booleans() -> None:
    x = tf.tensor([[[[True], [False]], [[False], [False]]]])
    assert tf.max_pool(x, 1, 2, "same").numpy().tolist() == [[[[True]]]]


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 8, 12, 16])
@pytest.mark.parametrize("rounding", ["floor", "ceil"])
@pytest.mark.parametrize(("sizes", "cells"), [((9, 7), (2, 3)), ((8, 8), (2, 2)), ((6, 5), (3, 1))])
def test_max_pool_gradient_with_few_channels_equals_general_one(
    channels: int, sizes: tuple[int, int], cells: tuple[int, int], rounding: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The special case of adjacent windows on few channels, with ties, NaN and incomplete windows at the edges."""
    rng = np.random.default_rng(channels)
    x = rng.integers(0, 4, (3, *sizes, channels)).astype(np.float32)
    x[0, 0, :2] = np.nan
    window = sliding_window("op", sizes, cells, cells, 0, rounding=rounding)
    y = KERNELS["MaxPool"](x, window=window)
    dy = rng.normal(size=y.shape).astype(np.float32)
    monkeypatch.setattr(pool, "_BLOCK_BYTES", 400)
    found = KERNELS["MaxPoolGrad"](dy, x, y, window=window)
    monkeypatch.setattr(pool, "_FEW_CHANNELS", 0)
    np.testing.assert_array_equal(found, KERNELS["MaxPoolGrad"](dy, x, y, window=window))


@pytest.mark.parametrize("budget", [1, 300, 5000])
def test_results_do_not_depend_on_block_size(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels split their work into batches, images or lines."""
    x, w = _values(3, 7, 6, 5), _values(3, 2, 5, 6)
    few_channels, few_channels_filter = x[..., :2].copy(), w[..., :2, :].copy()
    window = sliding_window("op", (7, 6), (3, 2), (1, 2), "same")
    dy = _values(3, *window.out, 6)
    y = KERNELS["MaxPool"](x, window=window)
    calls = [
        ("Conv2D", (x, w), {}),
        ("Conv2D", (few_channels, few_channels_filter), {}),
        ("Conv2DBackpropFilter", (x, dy), {}),
        ("Conv2DBackpropFilter", (few_channels, dy), {}),
        ("Conv2DBackpropInput", (dy, w), {"input_shape": x.shape}),
        ("Conv2DBackpropInput", (dy, few_channels_filter), {"input_shape": few_channels.shape}),
        ("DepthwiseConv2dNative", (few_channels, w[:, :, :2, :3]), {}),
        ("DepthwiseConv2dNativeBackpropFilter", (few_channels, dy), {}),
        ("DepthwiseConv2dNativeBackpropInput", (dy, w[:, :, :2, :3]), {"input_shape": few_channels.shape}),
        ("MaxPoolGrad", (y * 2, x, y), {}),
        ("MaxPoolPick", (x * 2, x, y), {}),
    ]
    unblocked = [KERNELS[name](*args, window=window, **attrs) for name, args, attrs in calls]
    for module, constant in (
        (conv, "_COLUMN_BYTES"),
        (conv, "_PRODUCT_BYTES"),
        (depthwise, "_BLOCK_BYTES"),
        (pool, "_BLOCK_BYTES"),
    ):
        monkeypatch.setattr(module, constant, budget)
    for (name, args, attrs), expected in zip(calls, unblocked, strict=True):
        np.testing.assert_allclose(KERNELS[name](*args, window=window, **attrs), expected, rtol=DOUBLE, atol=DOUBLE)


GROUPED = [  # input, filter, strides, pad
    ((2, 12, 12, 3), (5, 5, 3, 8), 1, "valid"),
    ((3, 9, 12, 6), (5, 5, 6, 8), 1, "valid"),
    ((2, 8, 12, 5), (4, 7, 5, 3), (3, 1), "same"),
    ((1, 7, 12, 1), (3, 4, 1, 5), (2, 1), "same"),
    ((3, 6, 16, 6), (2, 4, 6, 2), (1, 2), "same"),
    ((2, 5, 10, 5), (3, 3, 5, 16), 1, ((2, 1), (0, 2))),
    ((1, 5, 20, 5), (3, 9, 5, 4), (2, 2), "same"),
    ((1, 1, 32, 8), (1, 5, 8, 4), (1, 2), ((0, 0), (3, 0))),
    ((2, 4, 5, 6, 5), (2, 3, 3, 5, 4), 1, "same"),
]


@pytest.fixture(autouse=True)
def _ignore_float_errors() -> Iterator[None]:
    """Ignore floating-point warnings as the backend does: some BLAS raise them for values that are not finite."""
    with np.errstate(all="ignore"):
        yield


def _convolution_and_gradients(x: np.ndarray, w: np.ndarray, window: Window) -> list[np.ndarray]:
    """A convolution and its two gradients."""
    kernel, version = ("Conv2D", "") if x.ndim == 4 else ("Conv3D", "V2")
    dy = _values(len(x), *window.out, w.shape[-1])
    return [
        KERNELS[kernel](x, w, window=window),
        KERNELS[f"{kernel}BackpropFilter{version}"](x, dy, window=window),
        KERNELS[f"{kernel}BackpropInput{version}"](dy, w, window=window, input_shape=x.shape),
    ]


@pytest.mark.parametrize(("shape", "filter_shape", "strides", "pad"), GROUPED)
def test_grouped_columns_equal_single_columns(
    shape: Any, filter_shape: Any, strides: Any, pad: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neighboring output columns computed together equal those computed one by one."""
    x, w = _values(*shape), _values(*filter_shape)
    window = sliding_window("op", shape[1:-1], filter_shape[:-2], strides, pad)
    count, wider = conv._combined_positions(window, *filter_shape[-2:])
    assert count > 1
    assert wider.covered == window.covered
    together = _convolution_and_gradients(x, w, window)
    monkeypatch.setattr(conv, "_combined_positions", lambda window, *numbers: (1, window))
    for found, expected in zip(together, _convolution_and_gradients(x, w, window), strict=True):
        np.testing.assert_allclose(found, expected, rtol=DOUBLE, atol=DOUBLE)


@pytest.mark.parametrize(
    ("size", "width", "dilation", "channels", "filters"),
    [(12, 3, 1, 4, 17), (12, 3, 1, 17, 4), (12, 3, 2, 4, 8), (13, 3, 1, 4, 8), (12, 3, 1, 4, 0)],
)
def test_columns_are_not_grouped_if_unsuitable(
    size: int, width: int, dilation: int, channels: int, filters: int
) -> None:
    """With many channels, with dilation, or if the number of columns is not divisible."""
    window = sliding_window("op", (9, size), (3, width), 1, "same", dilation)
    assert conv._combined_positions(window, channels, filters) == (1, window)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_nonfinite_values_stay_in_their_windows(special: float) -> None:
    """Products with the zeros of a widened window would spread them."""
    x, w = _values(1, 9, 8, 5), _values(5, 5, 5, 5)
    x[0, 4, 3, 1] = special
    window = sliding_window("op", (9, 8), (5, 5), 1, "same")
    assert conv._combined_positions(window, 5, 5)[0] > 1
    y, _, _ = _convolution_and_gradients(x, w, window)
    dx = KERNELS["Conv2DBackpropInput"](x, w, window=window, input_shape=x.shape)
    for found in (y, dx):
        places = np.argwhere(~np.isfinite(found).all(-1))[:, 1:]
        assert places.tolist() == [[i, j] for i in range(2, 7) for j in range(1, 6)]


def test_gradients_of_empty_tensors() -> None:
    """With no batch, no channels or no filters, the gradients have the shapes of their inputs."""
    for x, w in (((0, 3, 3, 2), (2, 2, 2, 1)), ((1, 3, 3, 0), (2, 2, 0, 2)), ((1, 3, 3, 2), (2, 2, 2, 0))):
        found = tf.grads(lambda a, b: tf.conv2d(a, b, 1, "same"))([tf.ones(x), tf.ones(w)])
        assert [g.shape for g in found] == [x, w]
        assert not sum(g.numpy().sum() for g in found)


@pytest.mark.parametrize("size", [(2, 4), (4, 2), (2, 2)])
@pytest.mark.parametrize("options", [{}, {"bias": np.ones(4)}, {"bias": np.ones(4), "activation": "relu"}])
@pytest.mark.parametrize(("op", "channels"), [(tf.fused.conv2d, 4), (tf.fused.depthwise_conv2d, 2)])
def test_output_smaller_than_window_is_empty(
    size: tuple[int, int], options: dict[str, Any], op: Any, channels: int, backend: str
) -> None:
    def convolved(x: Any, w: Any) -> Any:
        return op(x=x, filter=w, strides=1, pad="valid", **options)

    inputs = [tf.ones([2, *size, 2]), tf.ones([3, 3, 2, channels])]
    assert convolved(*inputs).numpy().shape == (2, size[0] - 2, size[1] - 2, 4)
    assert not sum(g.numpy().sum() for g in tf.grads(convolved)(inputs))


def test_local_response_normalization_of_no_channels() -> None:
    assert tf.local_response_normalization(tf.ones([1, 2, 2, 0])).numpy().shape == (1, 2, 2, 0)


def test_tensor_methods_equal_ops() -> None:
    x, w = tf.tensor(_values(1, 4, 4, 2)), tf.tensor(_values(2, 2, 2, 3))
    np.testing.assert_array_equal(x.conv2d(w, 1, "same").numpy(), tf.conv2d(x, w, 1, "same").numpy())
    np.testing.assert_array_equal(x.resizeBilinear([3, 3]).numpy(), tf.image.resizeBilinear(x, [3, 3]).numpy())
    np.testing.assert_array_equal(x.maxPool(2, 2, "valid").numpy(), tf.max_pool(x, 2, 2, pad="valid").numpy())


def test_shape_inference_without_values() -> None:
    from tfpy.engine.abstract import placeholder, shapes_only
    from tfpy.engine.spec import spec

    with shapes_only():
        x = placeholder(tf.Tensor, spec((2, 9, 9, 3), "float32"))
        w = placeholder(tf.Tensor, spec((3, 3, 3, 4), "float32"))
        y = tf.fused.conv2d(x=x, filter=w, strides=2, pad="same", activation="relu")
        assert y.shape == (2, 5, 5, 4)
        assert tf.max_pool(y, 2, 2, "valid").shape == (2, 2, 2, 4)
        assert tf.image.resize_bilinear(x, [4, 5]).shape == (2, 4, 5, 3)
