"""Matrix products with every tile size, and the shaders for very large arrays, on smaller ones."""

from __future__ import annotations

import numpy as np
import pytest
from tolerance import ACCUMULATED, ROUNDING, assert_sums

import tfpy as tf
from tfpy.engine.gl import fusion, matmul
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.compilers import Compiler, compiler_of
from tfpy.engine.gl.gemm import Tile

pytestmark = pytest.mark.gl

RNG = np.random.default_rng(5)

TILES = [*matmul._LARGE, matmul._MEDIUM, *matmul._FLAT, matmul._NARROW, matmul._LEAST, matmul._LOW]


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: "x".join(map(str, tile)))
@pytest.mark.parametrize(("m", "k", "n"), [(128, 64, 256), (130, 70, 67), (67, 1100, 132)])
@pytest.mark.parametrize("transposed", [(False, False), (True, True)])
@pytest.mark.parametrize("unrolls", [True, False])
def test_matmul_with_every_tile(
    gpu: GlBackend, monkeypatch: pytest.MonkeyPatch, tile: Tile, m: int, k: int, n: int, transposed: tuple[bool, bool],
    unrolls: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(matmul, "tile_for", lambda *given: tile)
    monkeypatch.setattr(gpu.device, "compiler", Compiler(True, unrolls))
    a, b = (RNG.normal(size=size).astype(np.float32) for size in ((m, k), (k, n)))
    bias = RNG.normal(size=n).astype(np.float32)
    x, y = (tf.tensor(np.ascontiguousarray(v.T if t else v)) for v, t in zip((a, b), transposed, strict=True))
    dense = tf.mat_mul(x, y, *transposed).add(tf.tensor(bias)).relu()
    expected = np.maximum(a.astype(np.float64) @ b + bias, 0)
    assert_sums(dense.numpy(), expected, np.abs(a) @ np.abs(b) + np.abs(bias))


def test_fused_ops_after_matmul_may_change_dtype(gpu: GlBackend) -> None:
    a, b = (RNG.integers(-3, 4, size).astype(np.float32) for size in ((70, 40), (40, 68)))
    found = tf.mat_mul(tf.tensor(a), tf.tensor(b)).greater(0)
    np.testing.assert_array_equal(found.numpy(), a @ b > 0)
    converted = tf.mat_mul(tf.tensor(a), tf.tensor(b)).cast("complex64")
    np.testing.assert_array_equal(converted.numpy(), (a @ b).astype(np.complex64))


@pytest.mark.parametrize(("m", "k", "n"), [(64, 640, 256), (32, 4096, 32), (128, 1024, 1024), (4096, 64, 4096)])
def test_tiles_give_enough_workgroups_and_long_parts(m: int, k: int, n: int) -> None:
    sizes = matmul.Sizes(1, m, n, k, 0, 0)
    tile = matmul.tile_for(sizes, compiler_of("NVIDIA Corporation", software=False))
    parts = matmul._parts(sizes, tile)
    assert -(-m // tile.m) * -(-n // tile.n) * parts >= 32
    assert k // parts >= 64


@pytest.mark.parametrize(
    ("vendor", "software", "many_registers", "unrolls"),
    [
        ("NVIDIA Corporation", False, True, True),
        ("Mesa", True, True, True),
        ("AMD", False, False, False),
        ("ATI Technologies Inc.", False, False, False),
        ("Intel", False, False, True),
        ("Mesa", False, False, True),
    ],
)
def test_shaders_suit_the_compiler(vendor: str, software: bool, many_registers: bool, unrolls: bool) -> None:
    compiler = compiler_of(vendor, software)
    assert compiler == (many_registers, unrolls)
    assert (matmul.tile_for(matmul.Sizes(1, 4096, 4096, 4096, 0, 0), compiler).tn == 8) == many_registers


def test_workgroups_along_stretches(gpu: GlBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fusion, "STRETCH_BYTES", 0)
    x = RNG.normal(size=(1 << 22) + 5).astype(np.float32)
    np.testing.assert_array_equal(tf.tensor(x).mul(2).add(tf.tensor(x[::-1].copy())).numpy(), x * 2 + x[::-1])
    rows = x[:1_470_000].reshape(70_000, 21)
    powers = np.exp(rows - rows.max(1, keepdims=True))
    expected = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(tf.softmax(tf.tensor(rows)).numpy(), expected, rtol=ACCUMULATED)
    assert_sums(tf.cumsum(tf.tensor(rows), 1).numpy(), rows.cumsum(1, np.float64), np.abs(rows).cumsum(1))


@pytest.mark.parametrize("length", [1, 3, 17, 300, 9000])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumsum_and_log_softmax_of_every_row_length(gpu: GlBackend, length: int, reverse: bool) -> None:
    x = RNG.normal(size=(3, length)).astype(np.float32)
    exact = x.astype(np.float64)
    sums, magnitudes = (v[:, ::-1].cumsum(1)[:, ::-1] if reverse else v.cumsum(1) for v in (exact, np.abs(x)))
    assert_sums(tf.cumsum(tf.tensor(x), 1, False, reverse).numpy(), sums, magnitudes)
    expected = exact - exact.max(1, keepdims=True)
    expected -= np.log(np.exp(expected).sum(1, keepdims=True))
    np.testing.assert_allclose(tf.log_softmax(tf.tensor(x)).numpy(), expected, rtol=ACCUMULATED, atol=ACCUMULATED)


@pytest.mark.parametrize("length", [1, 2, 3, 10, 17, 64, 65, 128, 200, 500, 513, 1000, 2049, 9000])
def test_softmax_of_every_row_length(gpu: GlBackend, length: int) -> None:
    """The number of threads per row, and how they combine their values, depends on the length."""
    x = (RNG.normal(size=(7, length)) * 30).astype(np.float32)
    x[1, length // 2] = np.nan
    x[2, length // 2] = np.inf
    x[3, length // 2] = -np.inf
    x[4, -1] = 1e30
    with np.errstate(all="ignore"):
        powers = np.exp((x - x.max(1, keepdims=True)).astype(np.float64))
        expected = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(
        tf.softmax(tf.tensor(x)).numpy(), expected, rtol=ROUNDING, atol=8 * np.finfo(np.float32).tiny
    )


@pytest.mark.parametrize("stretch_bytes", [0, fusion.STRETCH_BYTES])
@pytest.mark.parametrize("shape", [(8300, 37), (41, 8200), (2, 16500, 18)])
def test_transpose_with_several_bands_of_tiles(
    gpu: GlBackend, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], stretch_bytes: int
) -> None:
    monkeypatch.setattr(fusion, "STRETCH_BYTES", stretch_bytes)
    x = RNG.normal(size=shape).astype(np.float32)
    perm = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
    np.testing.assert_array_equal(tf.tensor(x).transpose(perm).numpy(), x.swapaxes(-1, -2))
