"""Fusion on the GPU: number of shaders and stored bytes of chains, reductions, products, gradients and optimizers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from gpu import Work, computed
from tolerance import ACCUMULATED, GPU_FUNCTION, GPU_FUNCTIONS, ROUNDING, TRAINED, assert_products

import tfpy as tf
from tfpy.engine.dispatch import run
from tfpy.engine.gl import fusion
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device, Dispatched
from tfpy.engine.gl.elementwise import UNARY
from tfpy.engine.gl.memory_pool import Part, size_class

pytestmark = pytest.mark.gl

Measure = Callable[[Callable[[], object]], Work]


def on_gpu(shape: Any, seed: int = 0) -> tf.Tensor:
    """A random tensor with a buffer on the GPU."""
    return computed(tf.tensor(np.random.default_rng(seed).normal(size=shape).astype(np.float32)))


def test_large_mean_squared_error_is_one_shader(work: Measure) -> None:
    a, b = on_gpu(1_000_000, 1), on_gpu(1_000_000, 2)
    found = work(lambda: computed(a.sub(b).square().mean()))
    assert found.dispatches == 1
    assert found.bytes == size_class(4), "intermediate values are stored"
    x, y = (t.numpy().astype(np.float64) for t in (a, b))
    assert float(a.sub(b).square().mean()) == pytest.approx(np.mean((x - y) ** 2), rel=ROUNDING)


def test_elementwise_chain_is_one_shader(work: Measure) -> None:
    a, b = on_gpu((30, 40), 1), on_gpu((30, 40), 2)
    row = on_gpu(40, 3)
    chain = lambda: computed(((a - b) * row + 2).tanh().maximum(0).transpose().slice([3, 0], [5, 30]).reshape([150]))  # noqa: E731
    found = work(chain)
    assert found == Work(1, size_class(600))
    x, y, r = (t.numpy() for t in (a, b, row))
    expected = np.maximum(np.tanh((x - y) * r + 2), 0).T[3:8].reshape(150)
    np.testing.assert_allclose(chain().numpy(), expected, rtol=ACCUMULATED, atol=ROUNDING)


def test_batch_norm_divides_once_per_channel(work: Measure) -> None:
    x, (mean, variance, offset, scale) = on_gpu((2, 8, 8, 6)), (computed(on_gpu(6, i).abs()) for i in range(1, 5))
    found = work(lambda: computed(tf.batch_norm(x, mean, variance, offset, scale).relu()))
    assert found == Work(2, size_class(4 * x.size))
    few = on_gpu((2, 6))
    assert work(lambda: computed(tf.batch_norm(few, mean, variance, offset, scale))) == Work(
        1, size_class(4 * few.size)
    )
    m, v, o, s, values = (t.numpy().astype(np.float64) for t in (mean, variance, offset, scale, x))
    expected = np.maximum((values - m) * s / np.sqrt(v + 0.001) + o, 0)
    np.testing.assert_allclose(
        tf.batch_norm(x, mean, variance, offset, scale).relu().numpy(), expected, rtol=ACCUMULATED, atol=ROUNDING
    )


def test_chain_with_a_reduction_stores_only_what_is_needed_after_it(device: Device) -> None:
    x = on_gpu((4, 300))

    def centered() -> tf.Tensor:
        y = x.exp().mul(x)
        return y.sub(y.sum(1, True))

    assert _buffers_written(device, centered()) == [2, 1], "the sum with y, but not the exponential; the difference"


def test_gradient_of_relu_needs_its_result_only(device: Device) -> None:
    value, slope = tf.value_and_grad(lambda x: x.mul(2).relu().square().sum())(on_gpu((4, 300)))
    assert _buffers_written(device, value) == [2], "the sum and the result of relu"
    assert slope.shape == (4, 300)


def _buffers_written(device: Device, t: tf.Tensor) -> list[int]:
    """To how many buffers each shader writes that computes the tensor."""
    device.log = log = []
    try:
        computed(t)
    finally:
        device.log = None
    return [len(done.writes) for done in log if isinstance(done, Dispatched)]


def test_ops_are_lazy(work: Measure) -> None:
    a = on_gpu((8, 8))
    assert work(lambda: a.exp().mat_mul(a).sum()) == Work(0, 0)


def test_constants_take_no_memory(work: Measure) -> None:
    assert work(lambda: [tf.scalar(3), tf.ones([1000]), tf.zeros([5, 5]).add(1).reshape([25])]) == Work(0, 0)


def test_referenced_intermediate_is_stored(work: Measure) -> None:
    a, b = on_gpu((20, 20), 1), on_gpu((20, 20), 2)

    def both() -> object:
        difference = a.sub(b)
        total = computed(difference.square().sum())
        return difference, total

    assert work(both) == Work(1, size_class(1600) + size_class(4))
    difference, total = both()  # type: ignore[misc]
    assert work(lambda: computed(difference)).dispatches == 0
    assert float(total) == pytest.approx(float(np.sum((a.numpy() - b.numpy()) ** 2)), rel=ACCUMULATED)


def test_shared_intermediate_is_computed_once(work: Measure) -> None:
    a = on_gpu((20, 20))

    def diamond() -> object:
        e = a.exp()
        p = e.div(e.sum(1, True))
        del e
        return computed(p)

    assert work(diamond).dispatches == 2
    x = np.exp(a.numpy())
    np.testing.assert_allclose(diamond().numpy(), x / x.sum(1, keepdims=True), rtol=ACCUMULATED)  # type: ignore[attr-defined]


def test_dense_layer_is_one_shader(work: Measure) -> None:
    for rows in (4, 64):
        x, w, b = on_gpu((rows, 50), 1), on_gpu((50, 33), 2), on_gpu(33, 3)
        layer = lambda x=x, w=w, b=b: computed(x.mat_mul(w).add(b).relu())  # noqa: E731
        assert work(layer) == Work(1, size_class(rows * 33 * 4))
        expected = np.maximum(x.numpy() @ w.numpy() + b.numpy(), 0)
        np.testing.assert_allclose(layer().numpy(), expected, rtol=TRAINED, atol=ACCUMULATED)


def test_referenced_matmul_result_is_stored(work: Measure) -> None:
    x, w = on_gpu((40, 50), 1), on_gpu((50, 30), 2)

    def run() -> tuple[tf.Tensor, tf.Tensor]:
        z = x.mat_mul(w)
        return z, computed(z.sigmoid())

    assert work(run).dispatches == 1
    z, y = run()
    assert_products(z.numpy(), x.numpy(), w.numpy())
    np.testing.assert_allclose(y.numpy(), 1 / (1 + np.exp(-z.numpy())), rtol=GPU_FUNCTION)


def test_matmul_used_at_different_indices(gpu: GlBackend) -> None:
    x, w = on_gpu((40, 40), 1), on_gpu((40, 40), 2)
    z = x.numpy() @ w.numpy()
    product = x.mat_mul(w)
    both = product.add(product.transpose())
    del product
    np.testing.assert_allclose(both.numpy(), z + z.T, rtol=TRAINED, atol=ACCUMULATED)


def test_mlp_step_with_adam_takes_few_shaders(work: Measure) -> None:
    """Forward: one shader per layer and one for the loss. Backward: gradients are fused with updates."""
    x, y = on_gpu((64, 20), 1), on_gpu((64, 3), 2)
    layers = [(tf.variable(on_gpu((20, 32), 3)), tf.variable(on_gpu(32, 4))),
              (tf.variable(on_gpu((32, 3), 5)), tf.variable(on_gpu(3, 6)))]  # fmt: skip
    variables = [v for pair in layers for v in pair]
    optimizer = tf.train.adam(0.01)

    def cost() -> tf.Tensor:
        (w1, b1), (w2, b2) = layers
        return x.mat_mul(w1).add(b1).relu().mat_mul(w2).add(b2).sub(y).square().mean()

    def step() -> None:
        optimizer.minimize(cost, False, variables)
        for v in variables:
            computed(v)

    step()
    assert work(step).dispatches <= 12
    optimizer.dispose()


def test_training_steps_do_not_leak_memory(device: Device) -> None:
    """The memory in use is the same after each step."""
    w = tf.variable(on_gpu((30, 30)))
    x = on_gpu((16, 30), 1)
    optimizer = tf.train.momentum(0.01, 0.9)
    used = []
    for _ in range(6):
        optimizer.minimize(lambda: x.mat_mul(w).tanh().square().mean(), False, [w])
        computed(w)
        used.append(device.pool.in_use())
    assert used[1:] == used[1:2] * 5
    optimizer.dispose()


@pytest.mark.parametrize("count", [23, 24, 25, 200])
def test_long_chains_are_split(gpu: GlBackend, count: int) -> None:
    t = on_gpu(50)
    expected = t.numpy()
    for _ in range(count):
        t = t.add(1)
        expected = expected + np.float32(1)
    np.testing.assert_array_equal(t.numpy(), expected)


def test_more_inputs_than_shader_bindings(gpu: GlBackend) -> None:
    parts = [on_gpu(50, i) for i in range(40)]
    total = tf.add_n(parts)
    np.testing.assert_allclose(total.numpy(), sum(p.numpy() for p in parts), rtol=ACCUMULATED, atol=ACCUMULATED)


def test_long_chain_of_dependent_tasks(gpu: GlBackend) -> None:
    """A long lazy chain of reductions and products does not exceed the recursion limit."""
    t = on_gpu((10, 10))
    expected = t.numpy().astype(np.float64)
    for _ in range(300):
        t = t.mat_mul(t).div(t.abs().max().add(1)).sub(t.mean())
        expected = (expected @ expected) / (np.abs(expected).max() + 1) - expected.mean()
    assert np.isfinite(t.numpy()).all()


def test_values_used_twice_do_not_explode(work: Measure) -> None:
    """Each value is used twice: expanded as a tree, there would be 2³⁰ operations."""
    t = on_gpu(10)

    def run() -> tf.Tensor:
        x = t
        for _ in range(30):
            x = x.mul(x).add(x.mul(0.5)).mul(0.1)
        return computed(x)

    assert work(run).dispatches <= 30


def test_other_shapes_and_numbers_share_a_program(device: Device) -> None:
    """Shapes and numbers are parameters of shaders."""
    computed(on_gpu((3, 5)).mul(2).add(on_gpu(5)))
    count = len(device.programs)
    computed(on_gpu((7, 11)).mul(3).add(on_gpu(11)))
    assert len(device.programs) == count


def test_computed_prefix_is_not_taken_for_the_full_tensor(gpu: GlBackend) -> None:
    """A slice from the start has the same indices as its source, of which more is needed later."""
    a = on_gpu(10)
    doubled = a.mul(2)
    head = computed(doubled.slice([0], [4]))
    np.testing.assert_array_equal(head.numpy(), a.numpy()[:4] * 2)
    np.testing.assert_array_equal(doubled.numpy(), a.numpy() * 2)


def test_fused_results_are_bit_identical_to_single_ones(gpu: GlBackend) -> None:
    a, b, c = (on_gpu(1000, i) for i in range(3))
    fused = a.mul(b).add(c).mul(a).sub(b).numpy()
    x = computed(a.mul(b))
    x = computed(x.add(c))
    x = computed(x.mul(a))
    np.testing.assert_array_equal(fused, x.sub(b).numpy())


@pytest.mark.parametrize("name", [name for name, texts in UNARY.items() if "m_" in texts.get("float32", "")])
def test_nested_function_is_bit_identical_to_two_shaders(gpu: GlBackend, name: str) -> None:
    """Drivers must compile a function that occurs twice consistently."""
    x, y = on_gpu(50, 1), on_gpu(50, 2)
    f = partial(run, tf.Tensor, name)
    np.testing.assert_array_equal(f(f(x).add(y)).numpy(), f(computed(computed(f(x)).add(y))).numpy())


@pytest.mark.parametrize(
    "chain",
    [
        lambda a, b: a.tanh().add(b.tanh()).tanh(),
        lambda a, b: a.round().tanh(),
        lambda a, b: a.log_sigmoid().add(b.atan()).tanh(),
        lambda a, b: a.sinh().sub(b.asinh()).mul(0.1).atanh(),
        lambda a, b: a.div(9).asin().mod(b),
    ],
)
def test_signs_are_kept_in_chains(gpu: GlBackend, chain: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]) -> None:
    a, b = on_gpu(100, 1), on_gpu(100, 2)
    found = chain(a, b).numpy()
    tf.set_backend("cpu")
    np.testing.assert_allclose(found, chain(a, b).numpy(), rtol=GPU_FUNCTIONS, atol=ROUNDING)


def test_reading_twice_downloads_once(device: Device) -> None:
    t = on_gpu(10).add(1)
    t.numpy()
    count = device.counts.downloads
    t.numpy()
    t.reshape([2, 5]).numpy()
    assert device.counts.downloads == count


def test_gradient_of_chain_is_fused(work: Measure) -> None:
    x = on_gpu(100)
    gradient = tf.grad(lambda x: x.sin().mul(x).tanh())
    assert work(lambda: computed(gradient(x))).dispatches <= 3
    v = x.numpy().astype(np.float64)
    expected = (1 - np.tanh(v * np.sin(v)) ** 2) * (np.sin(v) + v * np.cos(v))
    np.testing.assert_allclose(gradient(x).numpy(), expected, rtol=TRAINED, atol=ROUNDING)


def test_aligned_row_slices_are_views(work: Measure, gpu: GlBackend) -> None:
    x = on_gpu((40, 64))
    expected = x.numpy()[9:12]
    assert work(lambda: computed(x.slice([8, 0], [5, 64]))) == Work(0, 0)
    assert work(lambda: computed(x.slice([0, 0], [5, 64]))) == Work(0, 0)
    inner = computed(computed(x.slice([8, 0], [5, 64])).slice([1, 0], [3, 64]))
    shifted = on_gpu((40, 63)).slice([1, 0], [5, 63])
    assert work(lambda: computed(shifted)).dispatches == 1, "its offset is not a multiple of 256 bytes"
    np.testing.assert_array_equal(inner.mul(2).numpy(), expected * 2)


def test_row_view_outlives_the_matrix(gpu: GlBackend) -> None:
    x = on_gpu((40, 64))
    expected = x.numpy()[39:]
    last = computed(x.slice([39, 0], [1, 64]))
    x.dispose()
    for seed in range(3):
        computed(on_gpu((40, 64), seed).mul(3))
    np.testing.assert_array_equal(last.add(1).numpy(), expected + 1)


def test_row_view_of_buffer_part_waits_for_writes(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = on_gpu((4, 64), 1), on_gpu((64, 64), 2)
    product = x.mat_mul(w)
    fusion.place_in(device, product.payload, Part(device.take(4096), 2048, 1024))
    rows = computed(product.slice([1, 0], [2, 64]))
    barriers, barrier = [], device.memory_barrier

    def counted(bits: int, everywhere: bool) -> None:
        barriers.append(bits)
        barrier(bits, everywhere)

    monkeypatch.setattr(device, "memory_barrier", counted)
    computed(rows.relu())
    assert barriers


def test_operand_of_matmul_lives_until_it_is_read(gpu: GlBackend) -> None:
    def squares() -> tf.Tensor:
        row = tf.tensor([[1, 2, 3]]).mul(2).reshape([1, 3])
        total = row.mat_mul(tf.ones([3, 1])).mul(2)  # computes the row first, and frees what it is a view of
        return row.mat_mul(total, True)

    assert squares().array_sync() == [[48], [96], [144]]


def test_inputs_of_convolutions_are_stored_not_windows(device: Device) -> None:
    """Where fusion stops, the input of a convolution is stored, and not its value for each cell of a window."""
    x, depthwise, points = on_gpu((2, 32, 32, 8)), on_gpu((3, 3, 8, 1)), on_gpu((1, 1, 8, 8))
    before = device.pool.allocated
    y = x
    for _ in range(3):
        y = y.depthwise_conv2d(depthwise, 1, "same").conv2d(points, 1, "same").sub(y.mean()).square().tanh().relu()
    computed(y)
    assert device.pool.allocated - before < 12 * x.size * 4
