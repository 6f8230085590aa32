"""Ways back that come by again run from plans: the same bits as walked, and only where nothing can have changed."""

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
    """How many ways were walked and not run from a plan."""

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
    "of no scalar": lambda a, b: a.mul(b).sum(0),
    "one value twice": lambda a, b: a.mul(a).add(b.exp().mul(b.exp())),
    "an intermediate value twice": lambda a, b: (lambda c: c.mul(c).add(c))(a.tanh()).sub(b).sum(),
    "the same gradient for both": lambda a, b: a.add(b).mean(),
    "broadcasting": lambda a, b: a.add(b.slice([0, 0], [1, 4])).sigmoid().sum(),
    "products": lambda a, b: a.mat_mul(b, False, True).relu().log_softmax().mean(),
    "several inputs": lambda a, b: tf.concat([a, b, a], 1).square().sum(),
    "several outputs": lambda a, b: tf.add_n(tf.split(a.mul(b), 2, 1)[:1]).sum(),
    "attributes": lambda a, b: a.clip_by_value(-0.5, 0.5).mul(b).leaky_relu(0.3).sum(1).mean(),
    "tidied inside": lambda a, b: tf.tidy(lambda: a.exp().mul(b).square()).sum(),
    "a linear function": lambda a, b: a.sub(b),
}


def differentiated(f: Loss, a: tf.Tensor, b: tf.Tensor) -> list[bytes]:
    return [t.numpy().tobytes() for t in tf.grads(f)([a, b])]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_plan_gives_the_same_bits(name: str, walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    f = FUNCTIONS[name]
    for _ in range(5):
        a, b = normal(3, 4), normal(3, 4)
        found = differentiated(f, a, b)
        with monkeypatch.context() as m:
            m.setattr(backprop, "may_plan", lambda backend: False)
            before = walks.count
            assert found == differentiated(f, a, b)
            walks.count = before
    assert walks.count == 2


def test_what_is_not_a_source_may_be_another_each_time(walks: Walks) -> None:
    for k in range(1, 6):
        x, c = normal(4), normal(4)
        np.testing.assert_array_equal(tf.grad(lambda x: x.mul(c).mul(k))(x).numpy(), c.numpy() * np.float32(k))  # noqa: B023
    assert walks.count == 2


def test_a_weighted_start(walks: Walks) -> None:
    for _ in range(5):
        x, dy = normal(4), normal(4)
        np.testing.assert_array_equal(tf.grad(lambda x: x.square())(x, dy).numpy(), (dy.numpy() * 2) * x.numpy())
    assert walks.count == 2
    walks.count = 0
    for _ in range(5):
        a, b, dy = normal(3), normal(3), normal(3)
        weighted = tf.grads(lambda a, b: a.sub(b))([a, b], dy)
        np.testing.assert_array_equal([t.numpy() for t in weighted], [dy.numpy(), -dy.numpy()])
    assert walks.count == 5  # what comes back is dy itself


def test_shapes_branches_and_attributes_have_plans_of_their_own(walks: Walks) -> None:
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


class Rounded(float):
    def __repr__(self) -> str:
        return f"{self:.1f}"


def test_attributes_of_the_users_own(walks: Walks) -> None:
    """`run_kernel` takes what there is: strings that do not tell all, and lists, which have no hash."""

    def slope(kernel: str, **attrs: Any) -> float:
        return float(tf.grad(lambda x: tf.engine().run_kernel(kernel, [x], attrs).sum())(tf.tensor([-2.0])))

    for alpha in (0.21, 0.21, 0.21, 0.24):
        assert slope("LeakyRelu", alpha=Rounded(alpha)) == float(np.float32(alpha))
    walks.count = 0
    for _ in range(4):
        assert slope("Sum", axes=[0], keep_dims=False) == 1
    assert walks.count == 4


def test_a_variable_that_changes_in_between(walks: Walks) -> None:
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


def test_one_variable_for_another(walks: Walks) -> None:
    """Which inputs are one and the same is part of what a tape looks like."""
    v, w = tf.variable(tf.scalar(2)), tf.variable(tf.scalar(5))
    for a, b in [(v, w)] * 4 + [(v, v)] * 4 + [(w, v)] * 4:
        grads = tf.variable_grads(lambda: a.mul(b), [v, w]).grads  # noqa: B023
        if a is b:
            assert {k: float(g) for k, g in grads.items()} == {v.name: 4}
        else:
            assert {k: float(g) for k, g in grads.items()} == {v.name: 5, w.name: 2}


def test_how_many_inputs_each_kernel_has(walks: Walks) -> None:
    """Two tapes whose kernels, specs and connections are alike when nobody tells where a kernel's inputs end."""
    a, d = tf.zeros([0]), tf.zeros([0])
    b, e = tf.variable(tf.zeros([0])), tf.variable(tf.zeros([1]))

    def one() -> tf.Tensor:
        return tf.concat([d, tf.concat([a, b]), e]).sum()

    def other() -> tf.Tensor:
        tf.concat([a, b, d])
        return tf.concat([d, e]).sum()

    for _ in range(4):
        assert set(tf.variable_grads(one, [b, e]).grads) == {b.name, e.name}
    assert set(tf.variable_grads(other, [b, e]).grads) == {e.name}


def test_values_that_were_left_on_another_backend(walks: Walks) -> None:
    def f(x: tf.Tensor) -> tf.Tensor:
        with using(registry.find("exact")):
            y = x.exp()
        return y.sum()

    for _ in range(4):
        x = normal(50)
        slopes = tf.grad(f)(x)
        np.testing.assert_allclose(slopes.numpy(), x.exp().numpy(), rtol=ROUNDING)  # of 64 bits there, and rounded
        assert slopes.payload.dtype == np.float32
    assert walks.count == 4


def test_gradients_of_ones_own_are_asked_each_time(walks: Walks) -> None:
    asked = []

    @tf.custom_grad
    def doubled(x: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        return x.mul(2), lambda dy: (asked.append(1), dy.mul(len(asked)))[1]

    for i in range(4):
        assert float(tf.grad(lambda x: doubled(x).sum())(tf.scalar(1))) == i + 1
    assert not backward_cache._passes


def test_registered_gradients_take_the_place_of_plans(walks: Walks) -> None:
    slope = tf.grad(lambda x: x.square())
    for _ in range(4):
        assert float(slope(tf.scalar(3))) == 6
    tf.register_gradient({"kernel_name": "Square", "grad_func": lambda dy, saved, attrs: {"x": lambda: dy}})
    try:
        assert float(slope(tf.scalar(3))) == 1
    finally:
        tf.unregister_gradient("Square")
    assert float(slope(tf.scalar(3))) == 6


def test_errors_come_each_time(walks: Walks) -> None:
    x = tf.scalar(1)
    for _ in range(4):
        with pytest.raises(ValueError, match="argument 1"):
            tf.grads(lambda a, b: a.square())([x, x.add(1)])
        with pytest.raises(ValueError, match="greater has none"):
            tf.grad(lambda a: a.greater(0.5).cast("float32").square())(x)


def test_higher_orders_and_outer_tapes(walks: Walks) -> None:
    second = tf.grad(lambda x: tf.grad(lambda z: z.pow(3).sum())(x).sum())
    for k in range(1, 6):
        np.testing.assert_allclose(second(tf.tensor([k, 2.0 * k])).numpy(), [6 * k, 12 * k], rtol=ROUNDING)


def test_what_is_planned_leaves_other_tapes_alone(walks: Walks) -> None:
    """The tape of `gradients_scope` has nodes that the tapes around it have, too; they stay as they are."""
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


def test_profiles_see_the_kernels(walks: Walks) -> None:
    slope, x = tf.grad(lambda x: x.exp().sum()), normal(3)
    before = tf.profile(lambda: slope(x)).kernel_names
    for _ in range(4):
        slope(x)
    assert tf.profile(lambda: slope(x)).kernel_names == before


def test_large_values_are_walked(walks: Walks) -> None:
    for size, count in ((1 << 16, 2), ((1 << 16) + 1, 4)):
        x, walks.count = normal(size), 0
        for _ in range(4):
            tf.grad(lambda x: x.square())(x)
        assert walks.count == count


def test_other_backends_walk(walks: Walks) -> None:
    slope = tf.grad(lambda x: x.square())
    for name in ("cpu", "exact", "cpu", "exact", "cpu", "exact", "cpu", "exact"):
        with using(registry.find(name)):
            assert float(slope(tf.scalar(3))) == 6
    assert walks.count == 2 + 4


def test_backends_of_ones_own_run_their_kernels(walks: Walks) -> None:
    ran: list[str] = []

    class Listed(CpuBackend):
        def run(self, kernel: str, *rest: Any) -> Any:
            ran.append(kernel)
            return super().run(kernel, *rest)

    slope = tf.grad(lambda x: x.square())
    with using(Listed()):
        for _ in range(4):
            ran.clear()
            assert float(slope(tf.scalar(3))) == 6
            assert ran == ["Square", "Multiply", "Multiply"]


def test_backends_that_do_not_say_whether_they_put_work_off(walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(CpuBackend, "immediate")
    for _ in range(4):
        assert float(tf.grad(lambda x: x.square())(tf.scalar(3))) == 6
    assert walks.count == 4


def test_nothing_is_left_behind(walks: Walks) -> None:
    slope, x = tf.grad(lambda x: x.mul(x).exp().sum()), normal(3)
    before = tf.memory().num_tensors
    for _ in range(6):
        tf.tidy(lambda: slope(x))
    assert tf.memory().num_tensors == before


def test_gradients_share_their_data_as_ever(walks: Walks) -> None:
    """What two inputs get of one sum is the same, whatever their shapes; so it is with what one of them gets of dy."""
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


def test_the_number_of_planned_passes_is_bounded(walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward_cache, "_MOST_PASSES", 5)
    for _ in range(2):
        for size in range(1, 12):
            x = normal(size)
            np.testing.assert_array_equal(tf.grad(lambda x: x.square())(x).numpy(), 2 * x.numpy())
        assert len(backward_cache._passes) <= 5


def test_the_memory_of_planned_passes_is_bounded(walks: Walks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backward_cache, "_MOST_BYTES", 100_000)

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
