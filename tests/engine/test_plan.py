"""Plans: what can be recorded, what a replay returns, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.core.tensor import Tensor
from tfpy.engine import recording
from tfpy.engine.backend import registry
from tfpy.engine.plan import Replay
from tfpy.engine.recording import recording_plan

RNG = np.random.default_rng(2)


def record(
    f: Callable[..., Any], inputs: Sequence[Any], variables: Sequence[Any] = ()
) -> tuple[Replay | None, str, list[Any]]:
    backend = registry.default()
    found, recorder = recording_plan(lambda: f(*inputs), backend, inputs, variables)
    results = found if isinstance(found, list) else [found]
    return recorder.compiled(results), recorder.refusal, results


def replay_values(replay: Replay | None, inputs: Sequence[Any]) -> list[Any]:
    assert replay is not None
    again = replay.run(Tensor, inputs)
    assert again is not None
    found, assigned = again
    for variable, value in assigned:
        variable.assign(value)  # type: ignore[attr-defined]
    return [t.numpy() for t in found]


def normal(*shape: int) -> Any:
    return tf.tensor(RNG.normal(size=shape).astype(np.float32))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "chain": lambda a, b: a.sub(b).square().mean(),
    "several outputs": lambda a, b: [*a.split(2, 1), *b.unstack()],
    "views": lambda a, b: [a.reshape([4, 3]).add(1), a.clone(), b.expand_dims(0)],
    "input as result": lambda a, b: [a, b.mul(2)],
    "same value twice": lambda a, b: [a.exp().add(a.exp()), a.exp()],
    "constants": lambda a, b: [tf.fill([2], 3).mul(tf.zeros([2])), a.add(tf.ones([3, 4]).div(7))],
    "signed zeros": lambda a, b: [tf.fill([2], -0.0), tf.fill([2], 0.0), tf.fill([2], 1).div(tf.fill([2], -0.0))],
    "gradients": lambda a, b: list(tf.grads(lambda x, y: x.mul(y).tanh().sum())([a, b])),
    "second gradients": lambda a, b: tf.grad(lambda x: tf.grad(lambda z: z.pow(3).sum())(x).mul(b).sum())(a),
    "dtypes": lambda a, b: [a.greater(b), a.cast("int32"), a.arg_max(1), a.greater(b).cast("float32").sum()],
    "tidy": lambda a, b: tf.tidy(lambda: a.mat_mul(b, False, True)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_replay_is_bit_identical(name: str) -> None:
    f = FUNCTIONS[name]
    replay, refusal, first = record(f, [normal(3, 4), normal(3, 4)])
    assert refusal == ""
    for _ in range(2):
        inputs = [normal(3, 4), normal(3, 4)]
        again = f(*inputs)
        for a, b in zip(again if isinstance(again, list) else [again], replay_values(replay, inputs), strict=True):
            np.testing.assert_array_equal(np.signbit(a.numpy()), np.signbit(b))
            np.testing.assert_array_equal(a.numpy(), b)
            assert a.numpy().dtype == b.dtype
    assert first


@pytest.mark.cpu
def test_unused_and_duplicate_kernels_are_removed() -> None:
    def f(a: Any) -> Any:
        a.exp()
        return a.sin().add(a.sin()).add(tf.fill([3], 2).sqrt())

    replay, _, _ = record(f, [normal(3)])
    assert replay is not None
    assert "Exp" not in [node.kernel for node in replay.plan.nodes]
    at_compile, later = kernels_run(replay, normal(3))
    assert at_compile == ["Fill", "Sqrt"]  # constants are computed once, when the plan is compiled
    assert later == ["Sin", "Add", "Add"]


@pytest.mark.cpu
@pytest.mark.parametrize("large", [10, 3])
def test_small_constants_are_folded(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfpy.engine.cpu.passes.constant_folding._LARGE_ELEMENTS", large)
    replay, _, _ = record(lambda a: a.add(tf.split(tf.range(0, 4), 2)[1]), [normal(2)])
    constant = ["Range", "SplitV"]
    assert kernels_run(replay, normal(2)) == ((constant, ["Add"]) if large > 4 else ([], [*constant, "Add"]))


def kernels_run(replay: Any, x: Any) -> tuple[list[str], list[str]]:
    """The numpy kernels that run when a plan of one input is compiled, and when it is run."""
    calls: list[str] = []
    backend: Any = registry.default()
    original = backend._function

    def counted(kernel: str, attrs: Any) -> Any:
        compute = original(kernel, attrs)

        def call(*arrays: Any) -> Any:
            calls.append(kernel)
            return compute(*arrays)

        return call

    backend._function = counted
    try:
        run = backend.compile(replay.plan)
    finally:
        del backend._function
    at_compile = calls.copy()
    run([x.numpy()])
    return at_compile, calls[len(at_compile) :]


def test_replay_reads_and_assigns_variables() -> None:
    v = tf.variable(tf.tensor([1.0, 2.0]))

    def f(a: Any) -> Any:
        before = v.mul(a)
        v.assign(v.add(a))
        return [before, v.mul(10)]

    replay, refusal, _ = record(f, [tf.tensor([1.0, 1.0])], [v])
    assert not refusal
    np.testing.assert_array_equal(v.numpy(), [2, 3])
    found = replay_values(replay, [tf.tensor([5.0, 5.0])])
    np.testing.assert_array_equal(found[0], [10, 15])
    np.testing.assert_array_equal(found[1], [70, 80])
    np.testing.assert_array_equal(v.numpy(), [7, 8])


def test_gradients_use_variable_value_at_time_of_use() -> None:
    v = tf.variable(tf.tensor([2.0]))

    def f(a: Any) -> Any:
        def loss() -> Any:
            y = v.square().mul(a).sum()
            v.assign(v.add(1))
            return y

        return list(tf.variable_grads(loss, [v]).grads.values())

    replay, refusal, first = record(f, [tf.tensor([1.0])], [v])
    assert not refusal
    np.testing.assert_array_equal(first[0].numpy(), [4])
    np.testing.assert_array_equal(replay_values(replay, [tf.tensor([1.0])])[0], [6])


def test_variables_with_shared_data_are_independent() -> None:
    start = tf.tensor([1.0])
    u, v = tf.variable(start), tf.variable(start)
    replay, _, _ = record(lambda a: a.mul(u).add(v.mul(10)), [tf.tensor([1.0])], [u, v])
    u.assign([3.0])
    np.testing.assert_array_equal(replay_values(replay, [tf.tensor([1.0])])[0], [13])


OUTSIDE = np.ones(3, np.float32)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (lambda a: a.add(float(a.sum())), "reads values"),
        (lambda a: a if a.numpy().any() else a.neg(), "reads values"),
        (lambda a: a.add(tf.tensor(OUTSIDE)), "from elsewhere"),
        (lambda a: a.add(tf.multinomial(tf.ones([3]), 3).cast("float32")), "a random number was drawn"),
        (lambda a: a.add(tf.rand([3], lambda: 0.5)), "from elsewhere"),
    ],
)
def test_values_that_replay_cannot_reproduce_are_refused(f: Any, why: str) -> None:
    replay, refusal, _ = record(f, [normal(3)])
    assert replay is None
    assert why in refusal


def test_too_many_kernels_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_MAX_NODES", 3)
    assert record(lambda a: a.neg().neg().neg(), [normal(3)])[1] == ""
    assert record(lambda a: a.neg().neg().neg().neg(), [normal(3)])[1] == "too many kernels ran"


def test_values_of_constants_may_be_read() -> None:
    """If constants are given, tensors created from host values are constants, too; random numbers are not."""
    a, c = normal(3), tf.tensor([2.0, 3.0])

    def with_constants(f: Callable[..., Any]) -> tuple[str, int]:
        found, recorder = recording_plan(lambda: f(a), registry.default(), [a], [], [c])
        plan = recorder.plan([found])
        return recorder.refusal, -1 if plan is None else len(plan.constants)

    assert with_constants(lambda x: x.mul(float(c.add(tf.tensor([1.0])).sum()))) == ("", 3)
    assert "reads values" in with_constants(lambda x: x.mul(float(c.add(x.sum()).sum())))[0]
    assert with_constants(lambda x: x.add(tf.random_normal([3]))) == ("", 1)
    assert "reads values" in with_constants(lambda x: x.add(float(tf.random_normal([3]).sum())))[0]


def test_replay_draws_new_random_numbers_in_order() -> None:
    def f(a: Any) -> Any:
        unused = tf.random_uniform([2])
        noisy = tf.dropout(a, 0.5).add(tf.random_normal([3], 0, 1, "float32"))
        return noisy.add(tf.random_uniform([3], 0, 9, "int32", 7).cast("float32")).add(unused.sum().mul(0))

    a = normal(3)
    tf.set_seed(1)
    eager = [f(a).numpy() for _ in range(4)]
    tf.set_seed(1)
    replay, refusal, results = record(f, [a])
    assert not refusal
    again = [results[0].numpy(), *[replay_values(replay, [a])[0] for _ in range(3)]]
    np.testing.assert_array_equal(again, eager)
    assert len({v.tobytes() for v in again}) == 4


def test_undeclared_tensors_and_variables_are_refused() -> None:
    other, v = normal(3), tf.variable(normal(3))
    assert "from elsewhere" in record(lambda a: a.add(other), [normal(3)])[1]
    assert "from elsewhere" in record(lambda a: a.add(v), [normal(3)])[1]
    assert "assigned" in record(lambda a: (v.assign(a), a.neg())[1], [normal(3)])[1]


def test_plan_is_void_on_other_backend_or_after_disposal() -> None:
    v = tf.variable(normal(3))
    replay, _, _ = record(lambda a: a.add(v), [normal(3)], [v])
    assert replay is not None
    assert replay.run(Tensor, [normal(3)]) is not None
    registry.use("double")
    assert replay.run(Tensor, [normal(3)]) is None
    registry.use("cpu")
    v.dispose()
    assert replay.run(Tensor, [normal(3)]) is None


def test_exact_backend_makes_no_plans() -> None:
    registry.use("exact")
    assert record(lambda a: a.add(1), [normal(3)])[0] is None


def test_registered_gradient_makes_plans_void() -> None:
    replay, _, _ = record(lambda a: tf.grad(lambda x: x.sin().sum())(a), [normal(3)])
    assert replay is not None
    tf.register_gradient(kernel_name="Sin", grad_func=lambda dy, saved, attrs: {"x": lambda: dy.mul(7)})
    try:
        assert replay.run(Tensor, [normal(3)]) is None
        assert record(lambda a: a.sin(), [normal(3)])[0] is None
    finally:
        tf.unregister_gradient("Sin")
    assert record(lambda a: a.sin(), [normal(3)])[0] is not None
