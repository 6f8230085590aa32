"""Softmax on the CPU: many rows, large logits, values that are not finite, and blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from tolerance import ACCUMULATED

from tfpy.engine.cpu import softmax
from tfpy.engine.cpu.table import KERNELS


@pytest.fixture(autouse=True)
def _ignore_float_errors() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def _softmax_in_double(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


@pytest.mark.parametrize("scale", [1.0, 25.0, 1000.0])
@pytest.mark.parametrize("offset", [0.0, 300.0, -300.0])
@pytest.mark.parametrize("shape", [(3, 7), (700, 2, 9), (6, 3000)])
def test_softmax_of_many_rows_and_large_logits(shape: tuple[int, ...], offset: float, scale: float) -> None:
    rng = np.random.default_rng(1)
    x = (rng.standard_normal(shape) * scale + offset).astype(np.float32)
    expected = _softmax_in_double(x)
    tiny = np.finfo(np.float32).tiny
    np.testing.assert_allclose(KERNELS["Softmax"](x), expected, rtol=ACCUMULATED, atol=tiny)
    log = x - x.max(-1, keepdims=True).astype(np.float64)
    log -= np.log(np.exp(log).sum(-1, keepdims=True))
    np.testing.assert_allclose(KERNELS["LogSoftmax"](x), log, rtol=ACCUMULATED, atol=ACCUMULATED)
    y, dy = expected.astype(np.float32), rng.standard_normal(shape).astype(np.float32)
    slope = expected * (dy - (dy * expected).sum(-1, keepdims=True))
    np.testing.assert_allclose(KERNELS["SoftmaxGrad"](dy, y), slope, rtol=ACCUMULATED, atol=ACCUMULATED)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_softmax_of_nonfinite_logits(special: float) -> None:
    """A row with NaN or +∞ is NaN, as in TF.js; -∞ has probability 0. Other rows are not affected."""
    x = np.random.default_rng(2).standard_normal((900, 8)).astype(np.float32)
    x[5, 3] = special
    found = KERNELS["Softmax"](x)
    np.testing.assert_allclose(found[6:], _softmax_in_double(x[6:]), rtol=ACCUMULATED)
    if special == -np.inf:
        assert found[5, 3] == 0
        np.testing.assert_allclose(found[5], _softmax_in_double(x[5]), rtol=ACCUMULATED)
    else:
        assert np.isnan(found[5]).all()


def test_softmax_in_blocks_and_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(3).standard_normal((3, 500, 12)).astype(np.float32)
    dy = np.cos(x)
    expected = [KERNELS["Softmax"](x), KERNELS["LogSoftmax"](x), KERNELS["SoftmaxGrad"](dy, x)]
    monkeypatch.setattr(softmax, "_BLOCK_ELEMENTS", 6000)
    monkeypatch.setattr(softmax, "_SHARD_ELEMENTS", 6000)
    found = [KERNELS["Softmax"](x), KERNELS["LogSoftmax"](x), KERNELS["SoftmaxGrad"](dy, x)]
    for a, b in zip(found, expected, strict=True):
        assert a.tobytes() == b.tobytes()
