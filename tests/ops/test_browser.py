"""tf.browser: images as ImageData, numpy arrays and Pillow images."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tfpy as tf

RGBA = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)


def _image_data(width: int = 3, height: int = 2) -> dict[str, Any]:
    return {"data": RGBA.reshape(-1), "width": width, "height": height}


@pytest.mark.parametrize(
    "pixels",
    [
        _image_data(),
        {**_image_data(), "data": RGBA.tobytes()},
        {**_image_data(), "data": RGBA.reshape(-1).tolist()},
        SimpleNamespace(**_image_data()),
        RGBA,
    ],
)
def test_from_pixels_of_rgba(pixels: Any) -> None:
    for channels in (1, 3, 4):
        found = tf.browser.from_pixels(pixels, channels)
        assert found.dtype == "int32"
        np.testing.assert_array_equal(found.numpy(), RGBA[..., :channels])


def test_from_pixels_of_rgb_and_grayscale_arrays() -> None:
    np.testing.assert_array_equal(tf.browser.fromPixels(RGBA[..., :3]).numpy(), RGBA[..., :3])
    gray = tf.browser.from_pixels(RGBA[..., 0], 4).numpy()
    np.testing.assert_array_equal(gray[..., :3], np.repeat(RGBA[..., :1], 3, -1))
    assert (gray[..., 3] == 255).all()


@pytest.mark.parametrize(
    ("pixels", "channels", "error"),
    [
        (_image_data(), 5, ValueError),
        (_image_data(), 0, ValueError),
        (_image_data(4), 3, ValueError),
        ({**_image_data(), "data": np.ones(24)}, 3, ValueError),
        (RGBA.astype(float), 3, ValueError),
        (RGBA[..., :2], 3, ValueError),
        (None, 3, TypeError),
        ({"data": RGBA}, 3, TypeError),
    ],
)
def test_from_pixels_of_invalid_image_raises(pixels: Any, channels: int, error: type[Exception]) -> None:
    with pytest.raises(error, match="from_pixels: argument"):
        tf.browser.from_pixels(pixels, channels)


def test_to_pixels_scales_floats_and_adds_alpha() -> None:
    found = tf.browser.to_pixels(tf.tensor([[0.0, 0.5], [0.25, 1.0]]))
    assert found.dtype == np.uint8
    assert found.tolist() == [0, 0, 0, 255, 128, 128, 128, 255, 64, 64, 64, 255, 255, 255, 255, 255]
    assert tf.browser.to_pixels([[[1, 2, 3.9, 4]]]).tolist() == [1, 2, 3, 4]
    assert tf.browser.to_pixels(tf.tensor([[[1, 2, 3]]], dtype="int32")).tolist() == [1, 2, 3, 255]


def test_to_pixels_is_awaitable() -> None:
    async def run() -> Any:
        return await tf.browser.toPixels([[7]])

    assert asyncio.run(run()).tolist() == [7, 7, 7, 255]


@pytest.mark.parametrize(
    ("image", "error"),
    [
        (np.ones((2, 2, 2), np.float32), ValueError),
        (np.ones((2, 2, 5), np.float32), ValueError),
        (np.ones(4, np.float32), ValueError),
        (np.array([[1.5]]), ValueError),
        (np.array([[-0.5]]), ValueError),
        (np.array([[np.nan]]), ValueError),
        (np.array([[256]], np.int32), ValueError),
        (np.array([[True]]), TypeError),
    ],
)
def test_to_pixels_of_invalid_image_raises(image: np.ndarray, error: type[Exception]) -> None:
    with pytest.raises(error, match="to_pixels: argument 'img'"):
        tf.browser.to_pixels(tf.tensor(image))


def test_to_pixels_writes_to_canvas() -> None:
    picture = tf.tensor(RGBA.astype(np.int32))
    array, data, namespace = np.zeros((2, 3, 3), np.uint8), {}, SimpleNamespace(data=None, width=0, height=0)
    for canvas in (array, data, namespace):
        tf.browser.to_pixels(picture, canvas)
    np.testing.assert_array_equal(array, RGBA[..., :3])
    assert (data["width"], data["height"], data["data"].tolist()) == (3, 2, RGBA.reshape(-1).tolist())
    np.testing.assert_array_equal(tf.browser.from_pixels(namespace, 4).numpy(), RGBA)


def test_draw_with_alpha_and_invalid_arguments() -> None:
    canvas: dict[str, Any] = {}
    tf.browser.draw(tf.tensor([[0.5]]), canvas, {"imageOptions": {"alpha": 0.5}})
    assert canvas["data"].tolist() == [128, 128, 128, 128]
    with pytest.raises(ValueError, match="draw: argument 'alpha'"):
        tf.browser.draw(tf.tensor([[0.5]]), canvas, {"imageOptions": {"alpha": 2}})
    with pytest.raises(TypeError, match="draw: argument 'canvas'"):
        tf.browser.draw(tf.tensor([[0.5]]), 3)
    with pytest.raises(ValueError, match="draw: argument 'canvas'"):
        tf.browser.draw(tf.tensor([[0.5]]), np.zeros((2, 2, 3), np.uint8))


def test_pillow_images() -> None:
    picture = Image.fromarray(RGBA)
    np.testing.assert_array_equal(tf.browser.from_pixels(picture, 4).numpy(), RGBA)
    canvas = Image.new("RGBA", (3, 2))
    tf.browser.draw(tf.tensor(RGBA.astype(np.int32)), canvas)
    np.testing.assert_array_equal(np.asarray(canvas), RGBA)
    with pytest.raises(ValueError, match="draw: argument 'canvas'"):
        tf.browser.draw(tf.tensor([[1.0]]), canvas)
