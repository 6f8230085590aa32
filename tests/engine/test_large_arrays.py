"""Kernels with a special implementation for large arrays give bit-identical results."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tfpy.engine.cpu import matmul, resize
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.where import where
from tfpy.engine.javascript_numbers import to_int32

COUNT = 5000
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)


@pytest.fixture(autouse=True)
def _ignore_float_errors() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def _random(dtype: str, seed: int) -> np.ndarray:
    values = np.random.default_rng(seed).standard_normal(COUNT) * 100
    if np.dtype(dtype).kind == "f":
        values[: len(SPECIAL)] = SPECIAL
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64", "bool"])
@pytest.mark.parametrize("shape", [(COUNT,), (50, 100)])
def test_where_equals_numpy(dtype: str, shape: tuple[int, ...]) -> None:
    a, b = _random(dtype, 1).reshape(shape), _random(dtype, 2).reshape(shape)
    condition = _random("float32", 3).reshape(shape) > 0
    row = a.reshape(-1)[: shape[-1]]
    for x, y in [
        (a, b),
        (a, b[..., ::-1]),
        (row, b),
        (a, b.dtype.type(3)),
        (np.asarray(a.flat[7]), np.asarray(b.flat[7])),
    ]:
        found, expected = where(condition, x, y), np.where(condition, x, y)
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()
    assert where(condition.T, a.T, b.T).tobytes() == np.where(condition.T, a.T, b.T).tobytes()


@pytest.mark.parametrize("scale", [1, 1e7, 1e12])
def test_to_int32_wraps(scale: float) -> None:
    values = (_random("float32", 4) * scale).astype(np.float32)
    expected = [
        0 if not math.isfinite(v) else (math.trunc(v) + 2**31) % 2**32 - 2**31 for v in values.astype(float).tolist()
    ]
    assert to_int32(values).tolist() == expected
    assert to_int32(values[len(SPECIAL) :]).tolist() == expected[len(SPECIAL) :]


def test_to_int32_of_float16_does_not_overflow() -> None:
    with np.errstate(over="raise"):
        assert to_int32(np.float16([3.9, -2.5])).tolist() == [3, -2]


def _remainder(a: float, b: float) -> float:
    """The remainder as TF.js computes it."""
    if b == 0 or not math.isfinite(a) or math.isnan(b):
        return math.nan
    rest = math.fmod(a, b)
    return rest if (a < 0) == (b < 0) else math.nan if math.isinf(b) else math.fmod(rest + b, b)


@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize(
    ("numerator_scale", "denominator_scale"), [(1, 1), (1e3, 1e-3), (1e-30, 1), (1e9, 1e-3), (1, 1e20)]
)
def test_mod_equals_tfjs(numerator_scale: float, denominator_scale: float, special: bool) -> None:
    start = 0 if special else len(SPECIAL)
    a, b = (
        (_random("float32", i) * f).astype(np.float32)[start:]
        for i, f in ((5, numerator_scale), (6, denominator_scale))
    )
    a[100:200] = b[100:200] * 3
    a[200:300], b[200:300] = np.rint(a[200:300]), np.rint(b[200:300]) * 2 + 1
    pairs = zip(a.astype(float).tolist(), b.astype(float).tolist(), strict=True)
    expected = np.array([_remainder(x, y) for x, y in pairs], np.float32)
    np.testing.assert_array_equal(KERNELS["Mod"](a, b), expected)


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 6), (2, 1), (-np.inf, 3)])
def test_clip_by_value(low: float, high: float) -> None:
    x = _random("float32", 7)
    expected = [v if math.isnan(v) else min(max(v, low), high) for v in x.tolist()]
    found = KERNELS["ClipByValue"](x, clip_value_min=low, clip_value_max=high)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, np.array(expected, np.float32))


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("k", [1, 5, 6, 7])
def test_topk_of_long_rows(k: int, distinct: bool, dtype: str) -> None:
    """Up to six of fifty are selected without a full sort, unless there are ties with the last one."""
    x = np.random.default_rng(k).standard_normal((9, 50)) * 1000
    x = (x if distinct else np.rint(x / 500)).astype(dtype)
    if dtype == "float32":
        x[3, 7] = np.nan
        x[4] = np.nan
    values, indices = KERNELS["TopK"](x, k=k, sorted=True)
    missing = np.isnan(x)
    rows = [
        sorted(range(50), key=lambda i, r=r: (missing[r, i], -x[r, i] if not missing[r, i] else 0)) for r in range(9)
    ]
    np.testing.assert_array_equal(indices, [row[:k] for row in rows])
    np.testing.assert_array_equal(values, np.take_along_axis(x, indices, axis=-1))


@pytest.mark.parametrize("size", [(3, 4), (7, 9), (2, 20), (40, 5), (1, 1)])
@pytest.mark.parametrize(("align", "half"), [(False, False), (True, False), (False, True)])
def test_resize_in_blocks(size: tuple[int, int], align: bool, half: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    images = _random("float32", 5)[: 5 * 9 * 11 * 2].reshape(5, 9, 11, 2)
    expected = KERNELS["ResizeBilinear"](images, size=size, align_corners=align, half_pixel_centers=half)
    for block in (1, 60, 300):  # a row, some rows, some images
        monkeypatch.setattr(resize, "_BLOCK_ELEMENTS", block)
        found = KERNELS["ResizeBilinear"](images, size=size, align_corners=align, half_pixel_centers=half)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("turned", [False, True])
def test_batched_matmul_in_shards(turned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((5, 2, 7, 8), (5, 7, 2, 8)))
    b = b.transpose(0, 2, 3, 1) if not turned else b.transpose(0, 2, 1, 3)
    expected = KERNELS["BatchMatMul"](a, b, transpose_a=False, transpose_b=turned)
    monkeypatch.setattr(matmul, "_SHARD_MULTIPLICATIONS", 100)
    assert KERNELS["BatchMatMul"](a, b, transpose_a=False, transpose_b=turned).tobytes() == expected.tobytes()
