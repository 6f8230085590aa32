"""Kernels on the GPU against numpy: special values, every dtype, and sizes that use different shaders."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED, GPU_FUNCTION, ROUNDING, assert_products, assert_sums

import tfpy as tf
from tfpy.core.run import run
from tfpy.engine import spec
from tfpy.engine.backend import registry
from tfpy.engine.cpu import table as cpu
from tfpy.engine.gl import elementwise, table
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.doctor import flushes_denormals
from tfpy.engine.kernels import KERNELS

pytestmark = pytest.mark.gl

SMALL = [
    0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    2.5,
    6,
    7,
    88,
    -87,
    89,
    -104,
    1e-30,
    -1e-30,
    1e-40,
    0.99999994,
    1.0000001,
    3.1415927,
]
LARGE = [np.inf, -np.inf, np.nan, 1e10, -1e10, 3e9, 2147483648, -2147483649, 4294967301, 1e38, 3.4e38, -3.4e38]
SPECIAL = np.array(SMALL + LARGE, np.float32)
INTEGERS = np.array([0, 1, -1, 2, -2, 3, 7, -7, 100, 46341, 2**31 - 1, -(2**31) + 1, -(2**31)], np.int32)
SMALLEST_NORMAL = np.finfo(np.float32).tiny
BOOLEANS = np.array([False, True])
VALUES = {"float32": SPECIAL, "int32": INTEGERS, "bool": BOOLEANS}
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "LeakyRelu": {"alpha": 0.3},
    "Step": {"alpha": -2.5},
    "ClipByValue": {"clip_value_min": -1.5, "clip_value_max": 6.5},
}
# Absolute tolerances.
ABSOLUTE = {"Erf": 4e-7}
UNARY = [
    (name, dtype)
    for name, by_dtype in {**elementwise.UNARY, **elementwise.TESTS, **dict.fromkeys(ATTRIBUTES, VALUES)}.items()
    for dtype in by_dtype
    if dtype in VALUES and (name, dtype) not in {("LeakyRelu", "int32"), ("LeakyRelu", "bool")}
]
PAIRS = [
    (name, dtype)
    for name, by_dtype in {**elementwise.BINARY, **elementwise.COMPARISONS, "FloorDiv": ("float32", "int32")}.items()
    for dtype in by_dtype
    if dtype in VALUES
]


def on_both(kernel: str, *arrays: Any, **attrs: Any) -> tuple[Any, Any]:
    """The results of a kernel on the GPU and in numpy; if the GPU flushes denormals to 0, the inputs have none."""
    if flushes_denormals(registry.find("webgl")):
        arrays = tuple(
            np.where(np.abs(a) < SMALLEST_NORMAL, np.copysign(np.float32(0), a), a) if a.dtype == np.float32 else a
            for a in arrays
        )
    found = []
    for name in ("webgl", "cpu"):
        registry.use(name)
        found.append(run(kernel, *[tf.tensor(a) for a in arrays], **attrs).numpy())
    registry.use("webgl")
    return found[0], found[1]


def assert_close(found: Any, expected: Any, relative: float = 6e-7, absolute: float = 0.0) -> None:
    """Check for equality, of floats up to a few ulp; near the range limit, one of them may be infinite."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        return
    near_limit = (np.isinf(found) != np.isinf(expected)) & (np.fmin(np.abs(found), np.abs(expected)) > 3.4e38)
    tiny = np.fmax(np.abs(found), np.abs(expected)) < 1.2e-38
    compared = ~(near_limit | tiny)
    np.testing.assert_allclose(found[compared], expected[compared], rtol=relative, atol=absolute)


@pytest.mark.parametrize(("kernel", "dtype"), UNARY)
def test_unary_kernels_on_special_values(gpu: GlBackend, kernel: str, dtype: str) -> None:
    found, expected = on_both(kernel, VALUES[dtype], **ATTRIBUTES.get(kernel, {}))
    assert_close(found, expected, absolute=ABSOLUTE.get(kernel, 0.0))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 3e9, -2.5])
@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_non_integer_attributes_for_integer_dtypes(gpu: GlBackend, number: float, dtype: str) -> None:
    places = np.array([1, 0, 3], np.int32)
    assert_close(*on_both("OneHot", places, depth=2, on_value=number, off_value=1, dtype=dtype))
    assert_close(*on_both("Step", VALUES[dtype], alpha=number))


@pytest.mark.parametrize(("kernel", "dtype"), PAIRS)
def test_binary_kernels_on_special_values(gpu: GlBackend, kernel: str, dtype: str) -> None:
    values = VALUES[dtype]
    found, expected = on_both(kernel, values[:, None], values[None, :])
    if (kernel, dtype) == ("FloorDiv", "float32"):
        with np.errstate(all="ignore"):  # beyond these, float32 quotients are integers anyway
            exact = ~(np.abs(values[:, None].astype(np.float64) / values[None, :]) > 2**23)
        found, expected = np.where(exact, found, 0), np.where(exact, expected, 0)
    assert_close(found, expected)


@pytest.mark.parametrize(("source", "target"), elementwise.CAST)
def test_cast_of_special_values(gpu: GlBackend, source: str, target: str) -> None:
    values = VALUES.get(source)
    if values is None:
        values = np.stack([SPECIAL, SPECIAL[::-1]], -1).view(np.complex64)[:, 0]
        values = values[np.isfinite(values)]
    found, expected = on_both("Cast", values, dtype=target)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "kernel", ["Add", "Sub", "Multiply", "Neg", "Square", "Equal", "NotEqual", "ComplexAbs", "Real"]
)
def test_kernels_on_complex_numbers(gpu: GlBackend, kernel: str) -> None:
    rng = np.random.default_rng(0)
    a, b = ((rng.normal(size=5) + 1j * rng.normal(size=5)).astype(np.complex64) for _ in range(2))
    b[0] = a[0]
    found, expected = on_both(kernel, *([a, b] if len(KERNELS[kernel].inputs) == 2 else [a]))
    np.testing.assert_allclose(found, expected, rtol=ROUNDING)


SHAPES = [((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 1, 5), (3, 1)), ((), (2, 3)), ((1, 1), (4,)), ((2, 3, 1, 5, 1, 2), (4, 1, 3, 2)),
          ((70000, 3), (3,)), ((70000, 3), (70000, 1)), ((3, 70001), (3, 1)), ((2, 1, 40000), (3, 1))]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_broadcasting(gpu: GlBackend, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    found, expected = on_both("Sub", rng.normal(size=a).astype(np.float32), rng.normal(size=b).astype(np.float32))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("size", [1, 2, 3, 255, 256, 257, 32767, 32768, 32769, 100003])
def test_sizes_that_do_not_fill_a_workgroup_or_vector(gpu: GlBackend, size: int) -> None:
    x = np.random.default_rng(0).normal(size=size).astype(np.float32)
    t = tf.tensor(x)
    np.testing.assert_array_equal(t.add(1).numpy(), x + np.float32(1))
    np.testing.assert_array_equal(t.greater(0).numpy(), x > 0)
    np.testing.assert_array_equal(t.reverse().add(t).numpy(), x[::-1] + x)


def test_more_workgroups_than_limit_of_one_axis(gpu: GlBackend) -> None:
    rows, columns = 70_000, 257
    down, across = tf.range(0, rows, 1, "int32").reshape([rows, 1]), tf.range(0, columns, 1, "int32")
    found = down.add(across).sum(1).numpy()
    np.testing.assert_array_equal(found, np.arange(rows) * columns + columns * (columns - 1) // 2)


@pytest.mark.parametrize(
    "shape", [(7,), (3, 5), (1000, 37), (37, 1000), (4, 300, 5), (2, 3, 4, 5), (9000, 3), (20, 40, 30)]
)
def test_reductions_over_any_axes(gpu: GlBackend, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    floats, ints = rng.normal(size=shape).astype(np.float32), rng.integers(-100, 100, shape).astype(np.int32)
    for count in range(1, len(shape) + 1):
        for axes in itertools.combinations(range(len(shape)), count):
            found, _ = on_both("Sum", floats, axes=axes, keep_dims=False)
            assert_sums(found, floats.sum(axes, np.float64), np.abs(floats).sum(axes))
            for kernel in ("Max", "Min"):
                np.testing.assert_array_equal(*on_both(kernel, floats, axes=axes, keep_dims=False))
            for kernel in ("Sum", "Max", "Min"):
                np.testing.assert_array_equal(*on_both(kernel, ints, axes=axes, keep_dims=True))
            np.testing.assert_array_equal(*on_both("Any", floats > 2, axes=axes, keep_dims=False))
            np.testing.assert_array_equal(*on_both("All", floats < 2, axes=axes, keep_dims=False))
    for axis in range(len(shape)):
        np.testing.assert_array_equal(*on_both("ArgMax", floats, axis=axis))
        np.testing.assert_array_equal(*on_both("ArgMin", ints, axis=axis))


def test_long_sum_is_accurate_and_deterministic(gpu: GlBackend) -> None:
    x = np.random.default_rng(0).normal(size=300_001).astype(np.float32)
    t = tf.tensor(x)
    assert_sums(float(t.sum()), x.sum(dtype=np.float64), np.abs(x).sum())
    assert float(t.sum()) == float(t.add(0).sum())


def test_max_and_min_with_nan_and_infinity(gpu: GlBackend) -> None:
    rows = np.array([[1, np.nan, 3], [np.nan, 5, 4], [-np.inf, -np.inf, -np.inf], [0, -0.0, -1]], np.float32)
    for kernel in ("Max", "Min"):
        np.testing.assert_array_equal(*on_both(kernel, rows, axes=(1,), keep_dims=False))
    for kernel in ("ArgMax", "ArgMin"):
        np.testing.assert_array_equal(*on_both(kernel, rows, axis=1))


@pytest.mark.parametrize("activation", ["relu", "relu6", "elu", "sigmoid", "leakyrelu"])
def test_special_values_through_fused_activations(gpu: GlBackend, activation: str) -> None:
    """The result of an activation does not depend on the shader it is fused into."""
    x = tf.tensor(np.float32([np.nan, np.inf, -np.inf, -1, -0.0, 7]))
    activate = {"leakyrelu": tf.leaky_relu}.get(activation) or getattr(tf, activation)
    pixels, one = x.reshape([1, 6, 1, 1]), tf.ones([1, 1, 1, 1])
    for found in (
        tf.fused.mat_mul(a=x.reshape([6, 1]), b=tf.ones([1, 1]), activation=activation),
        tf.fused.conv2d(x=pixels, filter=one, strides=1, pad="same", activation=activation),
        tf.fused.depthwise_conv2d(x=pixels, filter=one, strides=1, pad="same", activation=activation),
        activate(tf.conv2d_transpose(pixels, one, [1, 6, 1, 1], 1, "same")),
    ):
        np.testing.assert_array_equal(found.reshape([6]).numpy(), activate(x).numpy())


MATRICES = [
    (1, 300, 50),
    (50, 300, 1),
    (1, 300, 1),
    (3, 1, 4),
    (33, 17, 65),
    (64, 64, 64),
    (10, 300, 64),
    (64, 2048, 32),
    (31, 1001, 29),
]


@pytest.mark.parametrize(("m", "k", "n"), MATRICES)
@pytest.mark.parametrize("transposed", [(False, False), (False, True), (True, False), (True, True)])
def test_matmul(gpu: GlBackend, m: int, k: int, n: int, transposed: tuple[bool, bool]) -> None:
    rng = np.random.default_rng(0)
    ta, tb = transposed
    a = rng.normal(size=(k, m) if ta else (m, k)).astype(np.float32)
    b = rng.normal(size=(n, k) if tb else (k, n)).astype(np.float32)
    found, _ = on_both("BatchMatMul", a, b, transpose_a=ta, transpose_b=tb)
    assert_products(found, a.T if ta else a, b.T if tb else b)


@pytest.mark.parametrize(("a", "b"), [((5, 40, 50), (5, 50, 30)), ((5, 40, 50), (50, 30)), ((3, 1, 4, 5), (1, 2, 5, 6)),
                                      ((2, 3, 40, 50), (3, 50, 30)), ((4, 7, 300), (300, 1)), ((4, 1, 30), (4, 30, 5))])  # fmt: skip
def test_batched_matmul(gpu: GlBackend, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=a).astype(np.float32), rng.normal(size=b).astype(np.float32)
    found, _ = on_both("BatchMatMul", x, y, transpose_a=False, transpose_b=False)
    assert_products(found, x, y)
    ints = rng.integers(-9, 9, a).astype(np.int32), rng.integers(-9, 9, b).astype(np.int32)
    np.testing.assert_array_equal(*on_both("BatchMatMul", *ints, transpose_a=False, transpose_b=False))


def test_large_matmul_with_full_tiles(gpu: GlBackend) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(1024, 64)).astype(np.float32), rng.normal(size=(64, 1536)).astype(np.float32)
    x, y = tf.tensor(a), tf.tensor(b)
    product = x.mat_mul(y).numpy()
    assert_products(product, a, b)
    np.testing.assert_array_equal(x.mat_mul(y).add(1).relu().numpy(), np.maximum(product + 1, 0))


@pytest.mark.parametrize("shape", [(5,), (3, 7), (2, 300), (2, 5000), (9000, 4), (3, 40, 30)])
def test_cumsum_cumprod_and_softmax(gpu: GlBackend, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, ints = rng.normal(size=shape).astype(np.float32), rng.integers(-5, 5, shape).astype(np.int32)
    for axis, exclusive, reverse in itertools.product(range(len(shape)), (False, True), (False, True)):
        options = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
        np.testing.assert_array_equal(*on_both("Cumsum", ints, **options))
        found, _ = on_both("Cumsum", x, **options)
        exact, magnitudes = (cpu.KERNELS["Cumsum"](v, **options) for v in (x.astype(np.float64), np.abs(x)))
        assert_sums(found, exact, magnitudes)
        np.testing.assert_array_equal(*on_both("Cumprod", np.sign(x), **options))
    for kernel in ("Softmax", "LogSoftmax"):
        np.testing.assert_allclose(*on_both(kernel, x * 5), rtol=GPU_FUNCTION, atol=ROUNDING)


@pytest.mark.parametrize("shape", [(1,), (10,), (3, 7), (2, 1500), (1, 5000), (500, 4)])
def test_topk(gpu: GlBackend, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32).round(1)
    x.flat[3::7], x.flat[5::13] = 0, -0.0
    for values in (x, (x * 10).astype(np.int32), x > 0):
        for k in {1, min(5, shape[-1]), shape[-1]}:
            found = tf.topk(tf.tensor(values), k)
            order = np.argsort(-values.astype(np.float64), axis=-1, kind="stable")[..., :k]
            np.testing.assert_array_equal(found.indices.numpy(), order)
            np.testing.assert_array_equal(found.values.numpy(), np.take_along_axis(values, order, -1))


@pytest.mark.parametrize(
    ("rows", "tail", "segments"), [(10, (3,), 4), (3000, (8,), 20), (100, (2, 3), 500), (1, (), 1)]
)
def test_unsorted_segment_sum(gpu: GlBackend, rows: int, tail: tuple[int, ...], segments: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, *tail)).astype(np.float32)
    ids = rng.integers(-1, segments + 1, rows).astype(np.int32)
    found, _ = on_both("UnsortedSegmentSum", x, ids, num_segments=segments)
    exact, magnitudes = (
        cpu.KERNELS["UnsortedSegmentSum"](v, ids, num_segments=segments) for v in (x.astype(np.float64), np.abs(x))
    )
    assert_sums(found, exact, magnitudes)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.bool_, np.complex64])
def test_data_movement_of_every_dtype(gpu: GlBackend, dtype: Any) -> None:
    x = np.arange(120).reshape(2, 3, 4, 5).astype(dtype)
    moves: list[tuple[str, dict[str, Any]]] = [
        ("Transpose", {"perm": (2, 0, 3, 1)}),
        ("Slice", {"begin": (0, 1, 2, 1), "size": (2, 2, 1, 3)}),
        ("StridedSlice", {"index": ((1, -1, 2), (0, 2, 2), (3, -2, 2), (0, 1, 5)), "shape": (2, 4, 5)}),
        ("Reverse", {"axes": (1, 3)}),
        ("Tile", {"reps": (1, 2, 3, 1)}),
        ("Reshape", {"shape": (6, 20)}),
        ("PadV2", {"paddings": ((1, 0), (0, 2), (0, 0), (1, 1)), "constant_value": 1}),
    ]
    for kernel, attrs in moves:
        np.testing.assert_array_equal(*on_both(kernel, x, **attrs))
    np.testing.assert_array_equal(*on_both("Concat", x, x[:, :1], x[:, 1:], axis=1))
    np.testing.assert_array_equal(*on_both("Pack", *[x] * 19, axis=2))
    np.testing.assert_array_equal(*on_both("GatherV2", x, np.array([[2, 0], [1, 1]], np.int32), axis=1, batch_dims=0))
    np.testing.assert_array_equal(*on_both("GatherV2", x, np.array([[2, 0], [1, 1]], np.int32), axis=2, batch_dims=1))


def test_indices_out_of_range_raise_if_known_on_host(gpu: GlBackend) -> None:
    x = tf.tensor([1.0, 2, 3])
    for wrong in ([3], [0, -1], 5):
        with pytest.raises(ValueError, match="indices"):
            x.gather(tf.tensor(wrong, dtype="int32"))
    for wrong in ([0, 4], [0, -1]):
        with pytest.raises(ValueError, match="indices"):
            tf.sparse_to_dense(wrong, [1.0, 2.0], [4])
        with pytest.raises(ValueError, match="indices"):
            tf.scatter_nd(wrong, [1.0, 2.0], [4])
    computed = tf.tensor([0, 5, 2], dtype="int32").mul(tf.tensor([1, 1, 1], dtype="int32"))
    assert x.gather(computed).array_sync() == [1, 0, 3], "invalid indices computed on the GPU select 0"


def test_empty_tensors(gpu: GlBackend) -> None:
    empty = tf.zeros([0, 3])
    assert empty.add(1).shape == (0, 3)
    assert empty.sum().array_sync() == 0
    assert empty.sum(0).array_sync() == [0, 0, 0]
    assert tf.mat_mul(tf.zeros([2, 0]), tf.zeros([0, 3])).array_sync() == [[0, 0, 0]] * 2
    assert tf.concat([empty, tf.ones([1, 3])]).array_sync() == [[1, 1, 1]]
    assert math.isnan(float(empty.max()))


def test_kernels_without_shader_run_on_cpu_and_are_counted(gpu: GlBackend) -> None:
    gpu.device.counts.fallbacks.clear()
    x = tf.tensor([[0.2, 0.8]]).add(0)
    tf.multinomial(x, 3, 1, True)
    assert tf.memory()["cpuKernels"] == {"Multinomial": 1}
    assert "Multinomial" not in table.KERNELS
    assert gpu.implements("Multinomial")


def test_every_shader_is_declared() -> None:
    assert not set(table.KERNELS) - set(KERNELS)


def test_all_kernels_are_implemented_and_docs_list_fallbacks(gpu: GlBackend) -> None:
    assert all(gpu.implements(name) for name in KERNELS)
    tool = Path(__file__).parents[2] / "tools/gl_kernels.py"
    subprocess.run([sys.executable, str(tool), "--check"], check=True)


@pytest.mark.parametrize(
    ("shape", "perm"),
    [
        ((600, 500), (1, 0)),
        ((3, 300, 400), (0, 2, 1)),
        ((40, 30, 300), (2, 0, 1)),
        ((40, 30, 300), (1, 2, 0)),
        ((40, 30, 300), (2, 1, 0)),
        ((1, 600, 1, 500), (3, 2, 0, 1)),
        ((300_000, 2), (1, 0)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_large_transposes(gpu: GlBackend, shape: tuple[int, ...], perm: tuple[int, ...], dtype: Any) -> None:
    values = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    np.testing.assert_array_equal(tf.transpose(tf.tensor(values, dtype=dtype), perm).numpy(), values.transpose(perm))


@pytest.mark.parametrize("size", [(1 << 22) + 1, (1 << 22) + 4090])
def test_several_vectors_per_thread(gpu: GlBackend, size: int) -> None:
    x = np.random.default_rng(0).normal(size=size).astype(np.float32)
    np.testing.assert_array_equal(tf.tensor(x).mul(2).add(tf.tensor(x[::-1].copy())).numpy(), x * 2 + x[::-1])


@pytest.mark.parametrize("shape", [(20_000, 300), (300, 20_000), (70_000, 20)])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_reductions_of_many_rows_and_columns(gpu: GlBackend, shape: tuple[int, int], axis: int | None) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    assert_sums(tf.tensor(x).sum(axis).numpy(), x.sum(axis, np.float64), np.abs(x).sum(axis))
    np.testing.assert_array_equal(tf.tensor(x).max(axis).numpy(), x.max(axis))
    if axis is not None:
        np.testing.assert_array_equal(tf.tensor(x).arg_max(axis).numpy(), x.argmax(axis))


def test_limited_number_of_workgroups(gpu: GlBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu.device, "most_groups", 3)
    x = np.random.default_rng(0).normal(size=(50, 100)).astype(np.float32)
    t = tf.tensor(x)
    np.testing.assert_array_equal(t.add(1).numpy(), x + 1)
    assert_sums(t.sum(1).numpy(), x.sum(1, np.float64), np.abs(x).sum(1))
    assert_products(tf.mat_mul(t, t, False, True).numpy(), x, x.T)
    np.testing.assert_allclose(t.softmax().sum(1).numpy(), np.ones(50), rtol=ACCUMULATED)


def test_too_large_views_fall_back_to_cpu(gpu: GlBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    """The views of products are not stored, but their indices are limited, too; those of pooling are never formed."""
    x = np.random.default_rng(0).normal(size=(1, 6, 6, 2)).astype(np.float32)
    w, row = x[:, :3, :3, :, None].reshape(3, 3, 2, 1), x.reshape(4, 3, 1, 6)
    calls = {
        "MaxPool": lambda: tf.max_pool(tf.tensor(x), 3, 1, "same"),
        "Conv2D": lambda: tf.conv2d(tf.tensor(x), tf.tensor(w), 1, "same"),
        "BatchMatMul": lambda: tf.mat_mul(tf.tensor(row), tf.tensor(x[0, :3].reshape(3, 6, 2))),
    }
    for kernel, call in calls.items():
        before = gpu.memory()["cpu_kernels"].get(kernel, 0)
        with monkeypatch.context() as limited:
            limited.setattr(spec, "MAX_SIZE", 100)
            spec.spec.cache_clear()
            found = call().numpy()
        assert gpu.memory()["cpu_kernels"].get(kernel, 0) == before + (kernel != "MaxPool")
        np.testing.assert_allclose(found, call().numpy(), rtol=ACCUMULATED, atol=ROUNDING)


def test_six_dimensions(gpu: GlBackend) -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 2, 3, 2, 3)).astype(np.float32)
    t = tf.tensor(x)
    np.testing.assert_array_equal(t.transpose([5, 3, 1, 0, 2, 4]).numpy(), x.transpose(5, 3, 1, 0, 2, 4))
    assert_sums(t.sum([0, 2, 4]).numpy(), x.sum((0, 2, 4), np.float64), np.abs(x).sum((0, 2, 4)))
    np.testing.assert_array_equal(t.add(tf.tensor(x[:, :1, :, :1])).numpy(), x + x[:, :1, :, :1])
    np.testing.assert_array_equal(t.reverse([1, 4]).numpy(), x[:, ::-1, :, :, ::-1])


@pytest.mark.parametrize(
    ("size", "stride"), [((4, 4), (2, 2)), ((2, 2), (2, 2)), ((3, 3), (3, 3)), ((4, 2), (2, 1)), ((6, 4), (3, 2))]
)
@pytest.mark.parametrize("pad", ["same", "valid", 1])
@pytest.mark.parametrize("image", [(8, 6), (9, 13), (7, 7)])
def test_conv2d_input_gradient_with_strides(
    size: tuple[int, int], stride: tuple[int, int], pad: Any, image: tuple[int, int]
) -> None:
    rng = np.random.default_rng(3)
    arrays = [rng.normal(size=shape).astype(np.float32) for shape in ((2, *image, 5), (*size, 5, 3))]
    x, weights = (tf.tensor(a) for a in arrays)
    found = []
    for name in ("webgl", "double"):
        registry.use(name)
        found.append(tf.grad(lambda x: tf.conv2d(x, weights, stride, pad).square().sum())(x).numpy())
    scale = float(np.abs(found[1]).max())
    np.testing.assert_allclose(found[0], found[1], rtol=ACCUMULATED, atol=ACCUMULATED * scale)


def test_nan_does_not_spread_in_transposed_convolution(gpu: GlBackend) -> None:
    """NaN reaches only the outputs that its position covers."""
    dy = np.ones((1, 3, 3, 1), np.float32)
    dy[0, 1, 1, 0] = np.nan
    found = tf.conv2d_transpose(tf.tensor(dy), tf.ones([2, 2, 1, 1]), [1, 6, 6, 1], 2, "valid").numpy()
    is_nan = np.isnan(found[0, :, :, 0])
    assert is_nan.sum() == 4
    assert is_nan[2:4, 2:4].all()
