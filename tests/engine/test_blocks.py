"""Elementwise kernels on large arrays: cut into blocks and shards they give the bits that they give in one piece."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfpy.engine.backend import registry
from tfpy.engine.cpu import backend as cpu
from tfpy.engine.cpu import blocks
from tfpy.engine.cpu.elementwise import ELEMENTWISE
from tfpy.engine.cpu.table import KERNELS as COMPUTE
from tfpy.engine.dispatch import make, run
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import KERNELS

ATTRS: dict[str, dict[str, Any]] = {
    "ClipByValue": {"clip_value_min": -0.5, "clip_value_max": 0.5},
    "LeakyRelu": {"alpha": 0.3},
    "Step": {"alpha": 0.25},
}
DTYPES = {name: ["bool"] for name in ELEMENTWISE if name.startswith("Logical")}
DTYPES |= {"BitwiseAnd": ["int32"], "ComplexAbs": ["complex64"], "Select": ["float32"]}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_BLOCK", 64)
    monkeypatch.setattr(blocks, "_SHARD", 200)
    monkeypatch.setattr(cpu, "LARGE", 500)


def operands(kernel: str, dtype: str, shapes: list[tuple[int, ...]]) -> list[Handle]:
    rng = np.random.default_rng(0)
    values = [rng.normal(size=shape) * 3 for shape in shapes]
    if dtype == "complex64":
        values = [v + 1j * v[::-1] for v in values]
    kinds = ["bool", dtype, dtype] if kernel == "Select" else [dtype] * len(values)
    types = {"float32": np.float32, "int32": np.int32, "bool": np.bool_, "complex64": np.complex64}
    return [make(Handle, (v > 0 if k == "bool" else v).astype(types[k]), k) for v, k in zip(values, kinds, strict=True)]


CASES = [(k, d) for k in sorted(ELEMENTWISE) for d in DTYPES.get(k, ["float32"])]


@pytest.mark.parametrize(("kernel", "dtype"), CASES)
def test_bits_are_those_of_one_piece(kernel: str, dtype: str, small_blocks: None) -> None:
    count = len(KERNELS[kernel].inputs)
    layouts = [[(31, 29)] * count]
    if count == 2:
        layouts += [[(31, 29), ()], [(1,), (31, 29)], [(31, 29), (29,)]]
    for shapes in layouts:
        inputs = operands(kernel, dtype, shapes)
        found = run(Handle, kernel, *inputs, **ATTRS.get(kernel, {})).payload
        with np.errstate(all="ignore"):
            expected = np.asarray(COMPUTE[kernel](*[t.payload for t in inputs], **ATTRS.get(kernel, {})))
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()


def test_what_is_not_laid_out_alike_goes_in_one_piece(small_blocks: None) -> None:
    a = np.ones((30, 40), np.float32)
    assert blocks.blocked("Tanh", np.tanh, [a.T], {}) is None
    assert blocks.blocked("Add", np.add, [a, a[0]], {}) is None
    assert blocks.blocked("MatMul", np.matmul, [a, a], {}) is None
    assert blocks.blocked("Add", np.add, [a, a[:1, :1]], {}).shape == (30, 40)
    assert registry.find("cpu").implements("Tanh")
