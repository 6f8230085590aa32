"""Repeated backward passes run from plans: bit-identical to walked ones, and only where nothing can have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy.engine import backprop, backward_cache
from tfpy.engine.backend import registry, using
from tfpy.engine.cpu.backend import CpuBackend
from tfpy.legacy import NDArrayMathCPU

RNG = np.random.default_rng(3)
Loss = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]


class Walks:
    """The number of backward passes that were walked, not run from a plan."""

    def __init__(self) -> None:
        self.count = 0


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Walks]:
    walks, walk = Walks(), backprop.backward_pass

    def counted(*args: object) -> backprop.Gradients:
        walks.count += 1
        return walk(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(backprop, "backward_pass", counted)
    monkeypatch.setattr(backward_cache, "_passes", {})
    with using(registry.find("cpu")):
        yield walks


def normal(*shape: int) -> tf.Tensor:
    return tf.tensor(RNG.normal(size=shape).astype(np.float32))


FUNCTIONS: dict[str, Loss] = {
    "chain": lambda a, b: a.sub(b).square().mean(),
    "non-scalar output": lambda a, b: a.mul(b).sum(0),
    "value used twice": lambda a, b: a.mul(a).add(b.exp().mul(b.exp())),
    "intermediate value used twice": lambda a, b: (lambda c: c.mul(c).add(c))(a.tanh()).sub(b).sum(),
    "equal gradients": lambda a, b: a.add(b).mean(),
    "broadcasting": lambda a, b: a.add(b.slice([0, 0], [1, 4])).sigmoid().sum(),
    "products": lambda a, b: a.mat_mul(b, False, True).relu().log_softmax().mean(),
    "several inputs": lambda a, b: tf.concat([a, b, a], 1).square().sum(),
    "several outputs": lambda a, b: tf.add_n(tf.split(a.mul(b), 2, 1)[:1]).sum(),
    "attributes": lambda a, b: a.clip_by_value(-0.5, 0.5).mul(b).leaky_relu(0.3).sum(1).mean(),
    "tidy": lambda a, b: tf.tidy(lambda: a.exp().mul(b).square()).sum(),
    "linear": lambda a, b: a.sub(b),
}


def gradient_bytes(f: Loss, a: tf.Tensor, b: tf.Tensor) -> list[bytes]:
    return [t.numpy().tobytes() for t in tf.grads(f)([a, b])]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_planned_pass_is_bit_identical(name: str, walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    f = FUNCTIONS[name]
    for _ in range(5):
        a, b = normal(3, 4), normal(3, 4)
        found = gradient_bytes(f, a, b)
        with monkeypatch.context() as m:
            m.setattr(backprop, "may_plan", lambda backend: False)
            before = walks.count
            assert found == gradient_bytes(f, a, b)
            walks.count = before
    assert walks.count == 2


def test_plan_is_reused_with_other_constants(walks: Walks) -> None:
    for k in range(1, 6):
        x, c = normal(4), normal(4)
        np.testing.assert_array_equal(tf.grad(lambda x: x.mul(c).mul(k))(x).numpy(), c.numpy() * np.float32(k))  # noqa: B023
    assert walks.count == 2


def test_plan_with_given_dy(walks: Walks) -> None:
    for _ in range(5):
        x, dy = normal(4), normal(4)
        np.testing.assert_array_equal(tf.grad(lambda x: x.square())(x, dy).numpy(), (dy.numpy() * 2) * x.numpy())
    assert walks.count == 2
    walks.count = 0
    for _ in range(5):
        a, b, dy = normal(3), normal(3), normal(3)
        weighted = tf.grads(lambda a, b: a.sub(b))([a, b], dy)
        np.testing.assert_array_equal([t.numpy() for t in weighted], [dy.numpy(), -dy.numpy()])
    assert walks.count == 5  # a gradient that is dy itself is not planned


def test_each_shape_branch_and_attribute_has_its_plan(walks: Walks) -> None:
    def f(x: tf.Tensor, negative: bool, alpha: float) -> tf.Tensor:
        return (x.neg() if negative else x).leaky_relu(alpha).sum()

    for _ in range(4):
        for size in (2, 3):
            for negative in (False, True):
                for alpha in (0.0, 0.5, 1):
                    x = normal(size)
                    sign = -1 if negative else 1
                    expected = np.where(sign * x.numpy() > 0, sign, np.float32(sign * alpha))
                    slopes = tf.grad(lambda x: f(x, negative, alpha))(x)  # noqa: B023
                    np.testing.assert_array_equal(slopes.numpy(), expected)
    assert walks.count == 2 * 12


class RoundedRepr(float):
    def __repr__(self) -> str:
        return f"{self:.1f}"


def test_plans_with_unusual_kernel_attributes(walks: Walks) -> None:
    """Attributes whose repr is ambiguous, and lists, which are not hashable."""

    def slope(kernel: str, **attrs: Any) -> float:
        return float(tf.grad(lambda x: tf.engine().run_kernel(kernel, [x], attrs).sum())(tf.tensor([-2.0])))

    for alpha in (0.21, 0.21, 0.21, 0.24):
        assert slope("LeakyRelu", alpha=RoundedRepr(alpha)) == float(np.float32(alpha))
    walks.count = 0
    for _ in range(4):
        assert slope("Sum", axes=[0], keep_dims=False) == 1
    assert walks.count == 4


def test_variable_assigned_between_uses(walks: Walks) -> None:
    v = tf.variable(tf.scalar(3))

    def f(x: tf.Tensor, new: float | None) -> tf.Tensor:
        y = x.mul(v)
        if new is not None:
            v.assign(tf.scalar(new))
        return y.mul(v).sum()

    for new in (None, None, None, 5.0, None, 7.0, 7.0, 2.0):
        before = float(v)
        slope = tf.grad(lambda x: f(x, new))(tf.tensor([1.0]))  # noqa: B023
        assert float(slope) == before * float(v)


def test_identity_of_inputs_is_part_of_the_plan_key(walks: Walks) -> None:
    """A plan for two variables does not apply where both inputs are the same variable."""
    v, w = tf.variable(tf.scalar(2)), tf.variable(tf.scalar(5))
    for a, b in [(v, w)] * 4 + [(v, v)] * 4 + [(w, v)] * 4:
        grads = tf.variable_grads(lambda: a.mul(b), [v, w]).grads  # noqa: B023
        if a is b:
            assert {k: float(g) for k, g in grads.items()} == {v.name: 4}
        else:
            assert {k: float(g) for k, g in grads.items()} == {v.name: 5, w.name: 2}


def test_number_of_kernel_inputs_is_part_of_the_plan_key(walks: Walks) -> None:
    """The two tapes differ only in how many inputs each kernel has."""
    a, d = tf.zeros([0]), tf.zeros([0])
    b, e = tf.variable(tf.zeros([0])), tf.variable(tf.zeros([1]))

    def first() -> tf.Tensor:
        return tf.concat([d, tf.concat([a, b]), e]).sum()

    def second() -> tf.Tensor:
        tf.concat([a, b, d])
        return tf.concat([d, e]).sum()

    for _ in range(4):
        assert set(tf.variable_grads(first, [b, e]).grads) == {b.name, e.name}
    assert set(tf.variable_grads(second, [b, e]).grads) == {e.name}


def test_values_from_another_backend_are_not_planned(walks: Walks) -> None:
    def f(x: tf.Tensor) -> tf.Tensor:
        with using(registry.find("exact")):
            y = x.exp()
        return y.sum()

    for _ in range(4):
        x = normal(50)
        slopes = tf.grad(f)(x)
        np.testing.assert_allclose(
            slopes.numpy(), x.exp().numpy(), rtol=ROUNDING
        )  # computed in 64 bits there, and rounded
        assert slopes.payload.dtype == np.float32
    assert walks.count == 4


def test_custom_gradients_are_not_planned(walks: Walks) -> None:
    calls = []

    @tf.custom_grad
    def doubled(x: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        return x.mul(2), lambda dy: (calls.append(1), dy.mul(len(calls)))[1]

    for i in range(4):
        assert float(tf.grad(lambda x: doubled(x).sum())(tf.scalar(1))) == i + 1
    assert not backward_cache._passes


def test_registered_gradient_invalidates_plans(walks: Walks) -> None:
    slope = tf.grad(lambda x: x.square())
    for _ in range(4):
        assert float(slope(tf.scalar(3))) == 6
    tf.register_gradient({"kernel_name": "Square", "grad_func": lambda dy, saved, attrs: {"x": lambda: dy}})
    try:
        assert float(slope(tf.scalar(3))) == 1
    finally:
        tf.unregister_gradient("Square")
    assert float(slope(tf.scalar(3))) == 6


def test_errors_are_raised_each_time(walks: Walks) -> None:
    x = tf.scalar(1)
    for _ in range(4):
        with pytest.raises(ValueError, match="argument 1"):
            tf.grads(lambda a, b: a.square())([x, x.add(1)])
        with pytest.raises(ValueError, match="greater has none"):
            tf.grad(lambda a: a.greater(0.5).cast("float32").square())(x)


def test_higher_order_gradients(walks: Walks) -> None:
    second = tf.grad(lambda x: tf.grad(lambda z: z.pow(3).sum())(x).sum())
    for k in range(1, 6):
        np.testing.assert_allclose(second(tf.tensor([k, 2.0 * k])).numpy(), [6 * k, 12 * k], rtol=ROUNDING)


def test_planned_pass_does_not_change_outer_tapes(walks: Walks) -> None:
    """The tape of `gradients_scope` shares nodes with the tapes around it."""
    math = NDArrayMathCPU()

    def cube(x: tf.Tensor) -> tf.Tensor:
        def steps() -> tf.Tensor:
            y = x.mul(x).mul(x)
            counts = []
            for _ in range(3):
                assert float(math.gradient_wrt(y, x)) == 12
                counts.append(tf.memory().num_tensors)
            assert len({*counts}) == 1
            return y

        return math.gradients_scope(steps)  # type: ignore[no-any-return]

    assert float(tf.grad(tf.grad(cube))(tf.scalar(2))) == 12
    assert walks.count == 4  # two of the three inside, and two with tapes around them


def test_profile_sees_kernels_of_planned_pass(walks: Walks) -> None:
    slope, x = tf.grad(lambda x: x.exp().sum()), normal(3)
    before = tf.profile(lambda: slope(x)).kernel_names
    for _ in range(4):
        slope(x)
    assert tf.profile(lambda: slope(x)).kernel_names == before


def test_large_values_are_not_planned(walks: Walks) -> None:
    for size, count in ((1 << 16, 2), ((1 << 16) + 1, 4)):
        x, walks.count = normal(size), 0
        for _ in range(4):
            tf.grad(lambda x: x.square())(x)
        assert walks.count == count


def test_exact_backend_is_not_planned(walks: Walks) -> None:
    slope = tf.grad(lambda x: x.square())
    for name in ("cpu", "exact", "cpu", "exact", "cpu", "exact", "cpu", "exact"):
        with using(registry.find(name)):
            assert float(slope(tf.scalar(3))) == 6
    assert walks.count == 2 + 4


def test_custom_backend_runs_its_kernels(walks: Walks) -> None:
    ran: list[str] = []

    class RecordingBackend(CpuBackend):
        def run(self, kernel: str, *rest: Any) -> Any:
            ran.append(kernel)
            return super().run(kernel, *rest)

    slope = tf.grad(lambda x: x.square())
    with using(RecordingBackend()):
        for _ in range(4):
            ran.clear()
            assert float(slope(tf.scalar(3))) == 6
            assert ran == ["Square", "Multiply", "Multiply"]


def test_backend_without_immediate_flag_is_not_planned(walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(CpuBackend, "immediate")
    for _ in range(4):
        assert float(tf.grad(lambda x: x.square())(tf.scalar(3))) == 6
    assert walks.count == 4


def test_planned_passes_do_not_leak_tensors(walks: Walks) -> None:
    slope, x = tf.grad(lambda x: x.mul(x).exp().sum()), normal(3)
    before = tf.memory().num_tensors
    for _ in range(6):
        tf.tidy(lambda: slope(x))
    assert tf.memory().num_tensors == before


def test_gradients_share_data_buffers(walks: Walks) -> None:
    """Equal gradients of two inputs, and a reshaped dy, share one buffer."""
    a, b, dy = normal(2, 3), normal(6), normal(6)
    before = tf.memory().num_data_buffers
    for _ in range(4):
        grads = tf.grads(lambda a, b: a.reshape([6]).add(b).square())([a, b])
        assert tf.memory().num_data_buffers == before + 1
        del grads
    for _ in range(4):
        slopes = tf.grad(lambda a: a.reshape([6]))(a, dy)
        assert tf.memory().num_data_buffers == before
        del slopes
    assert walks.count == 8


def test_number_of_planned_passes_is_bounded(walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward_cache, "_MAX_PASSES", 5)
    for _ in range(2):
        for size in range(1, 12):
            x = normal(size)
            np.testing.assert_array_equal(tf.grad(lambda x: x.square())(x).numpy(), 2 * x.numpy())
        assert len(backward_cache._passes) <= 5


def test_memory_of_planned_passes_is_bounded(walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward_cache, "_MAX_BYTES", 100_000)

    def f(x: tf.Tensor, count: int) -> tf.Tensor:
        for _ in range(count):
            x = x.square()
        return x.sum()

    def kept_after(count: int, size: int) -> dict[tuple[Any, ...], Any]:
        tf.grad(lambda x: f(x, count))(tf.ones([size]))
        return backward_cache._passes

    for count in range(1, 60):
        assert sum(map(len, kept_after(count, 2))) < 1000
    for size in range(3000, 3030):
        assert len(kept_after(1, size)) < 9  # a plan may hold a constant as large as the values
