"""tf.node: image files to tensors and back."""

from __future__ import annotations

import asyncio
import io
import sys
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tfpy as tf

# The image of the tests of tfjs-node, its gray values there, and three more columns with other colors.
COLORS = np.array(
    [[[238, 101, 0], [50, 50, 50], [255, 255, 255]], [[100, 50, 0], [200, 100, 50], [0, 0, 255]]], np.uint8
)
GRAY = [[[130], [50], [255]], [[59], [124], [29]]]
RNG = np.random.default_rng(3)
PHOTO = np.kron(RNG.integers(0, 256, (3, 4, 3)), np.ones((8, 8, 1))).astype(np.uint8)  # blocks survive a JPEG


def file(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def rgb(kind: str = "PNG") -> bytes:
    return file(Image.fromarray(COLORS), kind)


def png_of_gray_bits(bits: int, rows: list[list[int]]) -> bytes:
    """A PNG file with 16 bits per pixel, as Pillow's versions write it differently."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4, "big") + name + content + zlib.crc32(name + content).to_bytes(4, "big")

    size = len(rows[0]).to_bytes(4, "big") + len(rows).to_bytes(4, "big")
    lines = b"".join(b"\0" + np.array(row, f">u{bits // 8}").tobytes() for row in rows)
    header = size + bytes([bits, 0, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def with_palette(transparent: bool) -> bytes:
    image = Image.fromarray(np.array([[0, 1, 2], [1, 2, 0]], np.uint8), "P")
    image.putpalette([10, 20, 30, 40, 50, 60, 70, 80, 90])
    return file(image, "PNG", **({"transparency": bytes([255, 0, 128])} if transparent else {}))


PALETTE = np.array([[10, 20, 30], [40, 50, 60], [70, 80, 90]])[[[0, 1, 2], [1, 2, 0]]]
ALPHA = np.array([255, 0, 128])[[[0, 1, 2], [1, 2, 0]]][..., None]
OPAQUE = np.full((2, 3, 1), 255)
GRAYS = np.array([[[0], [100], [255]], [[7], [8], [9]]], np.uint8)
GRAY_AND_ALPHA = np.concatenate([GRAYS, ALPHA.astype(np.uint8)], axis=2)


@pytest.mark.parametrize(
    ("contents", "channels", "expected"),
    [
        (rgb(), 0, COLORS),
        (rgb(), 1, GRAY),
        (rgb(), 3, COLORS),
        (rgb(), 4, np.concatenate([COLORS, OPAQUE], axis=2)),
        (rgb("BMP"), 0, COLORS),
        (rgb("BMP"), 4, np.concatenate([COLORS, OPAQUE], axis=2)),
        (with_palette(False), 0, PALETTE),
        (with_palette(True), 0, np.concatenate([PALETTE, ALPHA], axis=2)),
        (with_palette(True), 3, PALETTE),
        (file(Image.fromarray(GRAYS[..., 0]), "PNG"), 0, GRAYS),
        (file(Image.fromarray(GRAYS[..., 0]), "PNG"), 3, np.repeat(GRAYS, 3, 2)),
        (file(Image.fromarray(GRAYS[..., 0]), "BMP"), 0, GRAYS),
        (file(Image.fromarray(GRAYS[..., 0] > 8), "PNG"), 0, np.where(GRAYS > 8, 255, 0)),
        (file(Image.fromarray(GRAY_AND_ALPHA), "PNG"), 0, GRAY_AND_ALPHA),
        (file(Image.fromarray(GRAY_AND_ALPHA), "PNG"), 1, GRAYS),
        (file(Image.fromarray(GRAY_AND_ALPHA), "PNG"), 4, np.concatenate([np.repeat(GRAYS, 3, 2), ALPHA], axis=2)),
        (png_of_gray_bits(16, [[0, 300, 65535]]), 0, [[[0], [1], [255]]]),
        (png_of_gray_bits(16, [[0, 300, 65535]]), 4, [[[0, 0, 0, 255], [1, 1, 1, 255], [255, 255, 255, 255]]]),
    ],
)
def test_channels(contents: bytes, channels: int, expected: Any) -> None:
    found = tf.node.decode_image(contents, channels)
    assert found.dtype == "int32"
    np.testing.assert_array_equal(found.numpy(), expected)
    decode = tf.node.decode_bmp if contents.startswith(b"BM") else tf.node.decodePng
    np.testing.assert_array_equal(decode(np.frombuffer(contents, np.uint8), channels).numpy(), expected)


@pytest.mark.parametrize(("channels", "shape"), [(0, (24, 32, 3)), (1, (24, 32, 1)), (3, (24, 32, 3))])
def test_jpeg(channels: int, shape: tuple[int, ...]) -> None:
    contents = file(Image.fromarray(PHOTO), "JPEG", quality=98, subsampling=0)
    found = tf.node.decode_jpeg(contents, channels)
    assert found.shape == shape
    expected = PHOTO if channels != 1 else (PHOTO @ [0.299, 0.587, 0.114])[..., None]
    np.testing.assert_allclose(found.numpy(), expected, atol=4)
    np.testing.assert_array_equal(tf.node.decodeImage(bytearray(contents), channels).numpy(), found.numpy())


@pytest.mark.parametrize("ratio", [1, 2, 4, 8])
@pytest.mark.parametrize(("height", "width"), [(24, 32), (23, 31), (1, 9)])
def test_smaller_jpeg(ratio: int, height: int, width: int) -> None:
    contents = file(Image.fromarray(PHOTO[:height, :width]), "JPEG", quality=98, subsampling=0)
    found = tf.node.decode_jpeg(contents, ratio=ratio)
    assert found.shape == (-(-height // ratio), -(-width // ratio), 3)
    if height == 24:
        blocks = PHOTO.reshape(24 // ratio, ratio, 32 // ratio, ratio, 3).mean((1, 3))
        np.testing.assert_allclose(found.numpy(), blocks, atol=4)


def test_grayscale_jpeg_becomes_rgb() -> None:
    contents = file(Image.fromarray(PHOTO[..., 0]), "JPEG")
    gray = tf.node.decode_jpeg(contents)
    assert gray.shape == (24, 32, 1)
    np.testing.assert_array_equal(tf.node.decode_jpeg(contents, 3).numpy(), np.repeat(gray.numpy(), 3, 2))


def test_frames_of_a_gif() -> None:
    frames = [Image.fromarray(np.full((2, 3, 3), color, np.uint8)) for color in (0, 255, 0)]
    contents = file(frames[0], "GIF", save_all=True, append_images=frames[1:])
    found = tf.node.decode_gif(contents).numpy()
    assert found.shape == (3, 2, 3, 3)
    assert found[:, 0, 0, 0].tolist() == [0, 255, 0]
    np.testing.assert_array_equal(tf.node.decode_image(contents, 3).numpy(), found)
    np.testing.assert_array_equal(tf.node.decodeImage(contents, expandAnimations=False).numpy(), found[0])


@pytest.mark.parametrize("shape", [(2, 3, 1), (2, 3, 2), (2, 3, 3), (5, 1, 4)])
@pytest.mark.parametrize("compression", [-1, 0, 9])
def test_png_round_trip(shape: tuple[int, ...], compression: int) -> None:
    image = RNG.integers(0, 256, shape).astype(np.int32)
    contents = tf.node.encode_png(tf.tensor(image), compression)
    np.testing.assert_array_equal(tf.node.decode_png(contents).numpy(), image)
    fractions = tf.tensor((image + 0.5).astype(np.float32))
    assert asyncio.run(_awaited(tf.node.encodePng(fractions, compression=compression))) == contents


async def _awaited(contents: Any) -> bytes:
    return await contents


def test_jpeg_round_trip() -> None:
    image = tf.tensor(PHOTO.astype(np.int32))
    contents = tf.node.encode_jpeg(image, "rgb", chroma_downsampling=False)
    np.testing.assert_allclose(tf.node.decode_jpeg(contents).numpy(), PHOTO, atol=6)
    gray = tf.node.encodeJpeg(image.slice([0, 0, 0], [24, 32, 1]), "grayscale", 98)
    np.testing.assert_allclose(tf.node.decode_jpeg(gray).numpy(), PHOTO[..., :1], atol=3)


def test_options_of_encode_jpeg() -> None:
    image = tf.tensor(PHOTO.astype(np.int32))
    sizes = [len(tf.node.encode_jpeg(image, quality=quality)) for quality in (0, 50, 100)]
    assert sizes == sorted(sizes)
    assert len(tf.node.encode_jpeg(image, optimize_size=True)) < len(tf.node.encode_jpeg(image))
    options = {
        "progressive": True,
        "densityUnit": "cm",
        "xDensity": 100,
        "yDensity": 200,
        "xmpMetadata": "<x:xmpmeta/>",
    }
    opened = Image.open(io.BytesIO(tf.node.encodeJpeg(image, **options)))
    assert opened.info["progressive"]
    assert opened.info["dpi"] == (254, 508)
    assert b"ns.adobe.com/xap/1.0/\0<x:xmpmeta/>" in tf.node.encode_jpeg(image, xmp_metadata="<x:xmpmeta/>")


def small() -> tf.Tensor:
    return tf.zeros([2, 2, 3], "int32")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tf.node.decode_image("x.png"), TypeError, "decode_image: argument 'content' must be the bytes of an"),
        (lambda: tf.node.decode_image(b"<svg/>"), ValueError, "BMP, GIF, JPEG or PNG file, but got 6 bytes that begin"),
        (lambda: tf.node.decode_image(rgb(), 2), ValueError, "argument 'channels' must be one of 0, 1, 3, 4"),
        (lambda: tf.node.decode_image(rgb("JPEG"), 4), ValueError, "argument 'channels' must be one of 0, 1, 3"),
        (lambda: tf.node.decode_image(rgb(), dtype="float32"), ValueError, "argument 'dtype' must be 'int32'"),
        (
            lambda: tf.node.decode_png(rgb("BMP")),
            ValueError,
            "decode_png: argument 'contents' must be the bytes of a PNG",
        ),
        (
            lambda: tf.node.decode_png(rgb()[:12]),
            ValueError,
            "'contents' must be an undamaged PNG file, but got bytes without a valid header",
        ),
        (lambda: tf.node.decode_png(rgb()[:40]), ValueError, "argument 'contents' must be an undamaged PNG file"),
        (lambda: tf.node.decode_bmp(b"BM" + bytes(60)), ValueError, "must be an undamaged BMP file"),
        (lambda: tf.node.decode_gif(b"GIF89a"), ValueError, "must be an undamaged GIF file"),
        (lambda: tf.node.decode_jpeg(rgb("JPEG")[:300]), ValueError, "must be an undamaged JPEG file, but got"),
        (lambda: tf.node.decode_jpeg(rgb("JPEG"), ratio=3), ValueError, "argument 'ratio' must be 1, 2, 4 or 8"),
        (lambda: tf.node.decode_jpeg(rgb("JPEG"), fancy_upscaling=False), ValueError, "Pillow has no such option"),
        (lambda: tf.node.encode_png(small(), 10), ValueError, "argument 'compression' must be from -1 to 9"),
        (lambda: tf.node.encode_png(small().add(256)), ValueError, "argument 'image' must be values from 0 to 255"),
        (lambda: tf.node.encode_png(small().reshape([4, 3])), ValueError, "argument 'image' must be of shape"),
        (lambda: tf.node.encode_png(small().div(0)), ValueError, "argument 'image' must be values from 0 to 255"),
        (lambda: tf.node.encode_png(tf.zeros([0, 2, 3])), ValueError, "and not empty"),
        (lambda: tf.node.encode_png(small().cast("complex64")), TypeError, "must be a tensor of numbers"),
        (lambda: tf.node.encode_jpeg(small(), "grayscale"), ValueError, r"of shape \(height, width, 1\)"),
        (lambda: tf.node.encode_jpeg(small(), "cmyk"), ValueError, "argument 'format' must be"),
        (lambda: tf.node.encode_jpeg(small(), quality=101), ValueError, "argument 'quality' must be from 0 to 100"),
        (lambda: tf.node.encode_jpeg(small(), density_unit="mm"), ValueError, "argument 'density_unit' must be"),
        (lambda: tf.node.encode_jpeg(small(), xmp_metadata="x" * 65536), ValueError, "argument 'xmp_metadata' must be"),
    ],
)
def test_invalid_argument_raises(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_image_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 2)
    with pytest.raises(ValueError, match="decode_png: argument 'contents' .* exceeds limit"):
        tf.node.decode_png(rgb())


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    contents = rgb()
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(
        ImportError, match=r"decode_image needs the extra 'images' of tfpy; pip install 'tfpy\[images\]'"
    ):
        tf.node.decode_image(contents)


def test_tensor_board_has_its_name_in_node() -> None:
    assert tf.node.tensorBoard is tf.callbacks.tensorBoard
