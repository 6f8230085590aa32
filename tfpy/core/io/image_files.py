"""Image files: BMP, GIF, JPEG and PNG to tensors, and tensors to JPEG and PNG. Pillow reads and writes them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from tfpy.core.calling.ready import Ready
from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.system.extras import optional_module
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_int, as_int_within, as_number
from tfpy.engine.backend import Array
from tfpy.engine.errors import Unquoted, argument_error

Contents: TypeAlias = Any  # bytes, or an array of them
Image: TypeAlias = Any  # of Pillow, which has no part in the types of a package that does not require it

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_SIGNATURES = {b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF", b"\x89PNG\r\n\x1a\n": "PNG", b"BM": "BMP"}


class ImageBytes(bytes, Ready):
    """The bytes of an image file; awaitable."""


# Decoding


@op(namespace="node", doc="Operations / Images")
def decode_image(content: Contents, channels: int = 0, dtype: str = "int32", expand_animations: bool = True) -> Tensor:
    """An image file as a tensor. It needs the extra `images` of tfpy.

    Args:
        content: the bytes of a BMP, GIF, JPEG or PNG file.
        channels: 1 for grayscale, 3 for RGB, 4 for RGBA (not of a JPEG); 0 for as many as the file has. A GIF always
            has 3.
        dtype: 'int32'.
        expand_animations: whether a GIF has an axis of frames; otherwise its first frame is taken.

    Returns:
        An int32 tensor (height, width, channels), or (frames, height, width, 3), with values from 0 to 255.

    Raises:
        ValueError: a file of another kind, a damaged one, or a wrong number of channels. TypeError: not bytes.
        ImportError: Pillow is not installed.

    Source: TF.js `tf.node.decodeImage`. JPEGs may differ by 1 or 2, since decoders differ.
    """
    if dtype != "int32":
        raise argument_error("decode_image", "dtype", "'int32'", dtype)
    data = _bytes_of("decode_image", "content", content)
    kind = _kind_of(data)
    if kind is None:
        raise argument_error("decode_image", "content", "the bytes of a BMP, GIF, JPEG or PNG file", _start_of(data))
    if kind == "GIF":
        frames = _frames("decode_image", "content", data, None if expand_animations else 1)
        return _as_tensor(frames if expand_animations else frames[0])
    return _as_tensor(_decoded("decode_image", "content", data, kind, channels))


@op(namespace="node", doc="Operations / Images")
def decode_png(contents: Contents, channels: int = 0, dtype: str = "int32") -> Tensor:
    """A PNG file as a tensor. It needs the extra `images` of tfpy.

    Args:
        contents: the bytes of the file.
        channels: 1 for grayscale, 3 for RGB, 4 for RGBA; 0 for as many as the file has, which may be 2.
        dtype: 'int32'.

    Returns:
        An int32 tensor (height, width, channels), with values from 0 to 255; of 16 bits the upper 8 are taken.

    Raises:
        ValueError: a file of another kind, a damaged one, or a wrong number of channels. TypeError: not bytes.
        ImportError: Pillow is not installed.

    Source: TF.js `tf.node.decodePng`.
    """
    if dtype != "int32":
        raise argument_error("decode_png", "dtype", "'int32'", dtype)
    return _as_tensor(_decoded("decode_png", "contents", contents, "PNG", channels))


@op(namespace="node", doc="Operations / Images")
def decode_bmp(contents: Contents, channels: int = 0) -> Tensor:
    """A BMP file as a tensor. It needs the extra `images` of tfpy.

    Args:
        contents: the bytes of the file.
        channels: 1 for grayscale, 3 for RGB, 4 for RGBA; 0 for as many as the file has.

    Returns:
        An int32 tensor (height, width, channels), with values from 0 to 255.

    Raises:
        ValueError: a file of another kind, a damaged one, or a wrong number of channels. TypeError: not bytes.
        ImportError: Pillow is not installed.

    Source: TF.js `tf.node.decodeBmp`, which cannot convert channels and takes indices into a palette for gray.
    """
    return _as_tensor(_decoded("decode_bmp", "contents", contents, "BMP", channels))


@op(namespace="node", doc="Operations / Images")
def decode_gif(contents: Contents) -> Tensor:
    """The frames of a GIF file as a tensor. It needs the extra `images` of tfpy.

    Args:
        contents: the bytes of the file.

    Returns:
        An int32 tensor (frames, height, width, 3), with values from 0 to 255.

    Raises:
        ValueError: a file of another kind, or a damaged one. TypeError: not bytes.
        ImportError: Pillow is not installed.

    Source: TF.js `tf.node.decodeGif`.
    """
    return _as_tensor(_frames("decode_gif", "contents", contents))


@op(namespace="node", doc="Operations / Images")
def decode_jpeg(
    contents: Contents,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
) -> Tensor:
    """A JPEG file as a tensor. It needs the extra `images` of tfpy.

    Args:
        contents: the bytes of the file.
        channels: 1 for grayscale, 3 for RGB; 0 for as many as the file has.
        ratio: 1, 2, 4 or 8: how many times smaller the image becomes, which takes less time than decoding all of it.
        fancy_upscaling: True; Pillow always interpolates colors.
        try_recover_truncated: False; Pillow reads only complete files.
        acceptable_fraction: the part of a truncated file that must be there; not used.
        dct_method: 'INTEGER_FAST' or 'INTEGER_ACCURATE', which is a hint in TF.js, or ''; not used.

    Returns:
        An int32 tensor (height, width, channels), with values from 0 to 255.

    Raises:
        ValueError: a file of another kind, a damaged one, a wrong number of channels, or an option that is not
            available. TypeError: not bytes. ImportError: Pillow is not installed.

    Source: TF.js `tf.node.decodeJpeg`. Values may differ by 1 or 2, since decoders differ.
    """
    where = "decode_jpeg"
    if ratio not in (1, 2, 4, 8):
        raise argument_error(where, "ratio", "1, 2, 4 or 8", ratio)
    for name, value, only in (
        ("fancy_upscaling", fancy_upscaling, True),
        ("try_recover_truncated", try_recover_truncated, False),
    ):
        if value is not only:
            raise argument_error(where, name, f"{only}, since Pillow has no such option", value)
    return _as_tensor(_decoded(where, "contents", contents, "JPEG", channels, int(ratio)))


def _bytes_of(where: str, argument: str, contents: Contents) -> bytes:
    if isinstance(contents, np.ndarray) and contents.dtype == np.uint8:
        return contents.tobytes()
    if not isinstance(contents, (bytes, bytearray, memoryview)):
        raise argument_error(
            where, argument, "the bytes of an image file, as open(path, 'rb').read()", contents, TypeError
        )
    return bytes(contents)


def _start_of(data: bytes) -> Unquoted:
    return Unquoted(f"{len(data)} bytes that begin with {data[:8]!r}")


def _as_tensor(values: Array) -> Tensor:
    return dispatch.make(Tensor, values.astype(np.int32), "int32")


def _decoded(where: str, argument: str, contents: Contents, kind: str, channels: Any, ratio: int = 1) -> Array:
    """The bytes (height, width, channels) of an image."""
    count = as_int(where, "channels", channels)
    allowed = (0, 1, 3) if kind == "JPEG" else (0, 1, 3, 4)
    if count not in allowed:
        raise argument_error(where, "channels", f"one of {', '.join(map(str, allowed))}", channels)
    with _opened(where, argument, contents, kind) as image:
        count = count or _channels_of(image)
        if kind == "JPEG":
            image.draft(_MODES[count], (image.width / ratio, image.height / ratio))
        return _with_channels(image, count)


def _frames(where: str, argument: str, contents: Contents, most: int | None = None) -> Array:
    """The bytes (frames, height, width, 3) of the frames of a GIF."""
    with _opened(where, argument, contents, "GIF") as image:
        frames = []
        for i in range(image.n_frames if most is None else most):
            image.seek(i)
            frames.append(_with_channels(image, 3))
        return np.stack(frames)


@contextmanager
def _opened(where: str, argument: str, contents: Contents, kind: str) -> Iterator[Image]:
    """A file in Pillow. What Pillow raises while it is open becomes an error about the argument."""
    data = _bytes_of(where, argument, contents)
    pillow = _pillow(where)
    if _kind_of(data) != kind:
        raise argument_error(where, argument, f"the bytes of a {kind} file", _start_of(data))
    try:
        with pillow.open(io.BytesIO(data), formats=[kind]) as image:
            yield image
    except Exception as error:  # decoders raise all kinds of errors for damaged files
        unidentified = isinstance(error, pillow.UnidentifiedImageError)
        found = Unquoted("bytes without a valid header" if unidentified else str(error))
        raise argument_error(where, argument, f"an undamaged {kind} file", found) from error


def _kind_of(data: bytes) -> str | None:
    return next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), None)


def _pillow(where: str) -> Any:
    return optional_module("PIL.Image", "images", where)


def _channels_of(image: Image) -> int:
    """The number of channels of an image file; of one with a palette, that of its colors."""
    if image.mode == "P":
        return 4 if "transparency" in image.info else 3
    return {"RGBA": 4, "LA": 2, "1": 1, "L": 1}.get(image.mode, 1 if image.mode.startswith("I") else 3)


def _with_channels(image: Image, count: int) -> Array:
    """The bytes (height, width, count) of an image; of 16 bits the upper 8."""
    if image.mode.startswith("I"):
        gray = (np.asarray(image) >> 8).astype(np.uint8)[..., None]
        opaque = np.full_like(gray, 255)
        return np.concatenate([gray] * (1 if count < 3 else 3) + [opaque] * (1 - count % 2), axis=2)
    if image.mode == "P":
        image = image.convert("RGBA")
    if count == 1 and image.mode not in ("1", "L", "LA"):
        return _gray(np.asarray(image.convert("RGB")))
    found = np.asarray(image.convert(_MODES[count]))
    return found[..., None] if count == 1 else found


def _gray(rgb: Array) -> Array:
    """Grayscale by the weights of ITU-R BT.601, truncated, as libpng computes it."""
    red, green, blue = (rgb[..., i].astype(np.uint32) for i in range(3))
    return ((9797 * red + 19234 * green + 3737 * blue) >> 15).astype(np.uint8)[..., None]


# Encoding


@op(namespace="node", doc="Operations / Images")
def encode_png(image: TensorLike, compression: int = 1) -> ImageBytes:
    """A tensor as the bytes of a PNG file. It needs the extra `images` of tfpy.

    Args:
        image: a tensor (height, width, 1, 2, 3 or 4) with values from 0 to 255; fractions are dropped.
        compression: from 0 to 9, the smallest; -1 for zlib's default.

    Returns:
        The bytes; awaitable.

    Raises:
        ValueError: a wrong shape, values out of range, or a compression out of range. TypeError: a wrong dtype.
        ImportError: Pillow is not installed.

    Source: TF.js `tf.node.encodePng`.
    """
    level = as_int_within("encode_png", "compression", compression, -1, 9)
    return _encoded("encode_png", image, (1, 2, 3, 4), "PNG", compress_level=level)


@op(namespace="node", doc="Operations / Images")
def encode_jpeg(
    image: TensorLike,
    format: str = "",  # noqa: A002
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
) -> ImageBytes:
    """A tensor as the bytes of a JPEG file. It needs the extra `images` of tfpy.

    Args:
        image: a tensor (height, width, 1 or 3) with values from 0 to 255; fractions are dropped.
        format: 'grayscale' for 1 channel, 'rgb' for 3; '' for either.
        quality: from 0 to 100, the best.
        progressive: whether the file shows a coarse image while it is loaded.
        optimize_size: whether to take more time for a smaller file.
        chroma_downsampling: whether to halve the resolution of colors.
        density_unit: 'in' or 'cm', the unit of the densities.
        x_density: the number of pixels per unit horizontally.
        y_density: the number of pixels per unit vertically.
        xmp_metadata: XMP metadata to embed.

    Returns:
        The bytes; awaitable.

    Raises:
        ValueError: a wrong shape, values out of range, or an option out of range. TypeError: a wrong dtype.
        ImportError: Pillow is not installed.

    Source: TF.js `tf.node.encodeJpeg`.
    """
    where = "encode_jpeg"
    formats = {"": (1, 3), "grayscale": (1,), "rgb": (3,)}
    if format not in formats:
        raise argument_error(where, "format", "'', 'grayscale' or 'rgb'", format)
    level = as_int_within(where, "quality", quality, 0, 100)
    if density_unit not in ("in", "cm"):
        raise argument_error(where, "density_unit", "'in' or 'cm'", density_unit)
    inches = 1 if density_unit == "in" else 2.54  # Pillow takes dots per inch
    density = [as_number(where, f"{a}_density", d) * inches for a, d in (("x", x_density), ("y", y_density))]
    return _encoded(
        where,
        image,
        formats[format],
        "JPEG",
        quality=level,
        progressive=bool(progressive),
        optimize=bool(optimize_size),
        subsampling="4:2:0" if chroma_downsampling else "4:4:4",
        dpi=density,
        extra=_xmp_segment(where, xmp_metadata),
    )


def _xmp_segment(where: str, metadata: str) -> bytes:
    """Metadata as a segment of a JPEG file; its size, with the two bytes of the size itself, is limited to 16 bits."""
    content = b"http://ns.adobe.com/xap/1.0/\0" + metadata.encode()
    if len(content) > 65533:
        raise argument_error(where, "xmp_metadata", "of at most 65,504 bytes", Unquoted(f"{len(metadata)} characters"))
    return b"\xff\xe1" + (len(content) + 2).to_bytes(2, "big") + content if metadata else b""


def _encoded(where: str, image: TensorLike, channels: tuple[int, ...], kind: str, **options: Any) -> ImageBytes:
    pixels = _pixels(where, image, channels)
    out = io.BytesIO()
    _pillow(where).fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels).save(out, kind, **options)
    return ImageBytes(out.getvalue())


def _pixels(where: str, image: TensorLike, channels: tuple[int, ...]) -> Array:
    """A tensor as bytes (height, width, channels)."""
    t = to_tensor(where, "image", image)
    if t.rank != 3 or t.shape[2] not in channels or not t.size:
        expected = f"of shape (height, width, {' or '.join(map(str, channels))}), and not empty"
        raise argument_error(where, "image", expected, t)
    if t.dtype not in ("float32", "int32", "bool"):
        raise argument_error(where, "image", "a tensor of numbers", t, TypeError)
    values = t.numpy()
    if not (values.min() >= 0 and values.max() < 256):  # NaN fails, too
        raise argument_error(where, "image", "values from 0 to 255", values)
    return values.astype(np.uint8)
