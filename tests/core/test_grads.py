"""Gradient functions: forms, errors, custom gradients, higher orders and memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf


def test_grad_grads_and_value_and_grads_agree() -> None:
    x, y = tf.tensor([1.0, 2, 3]), tf.tensor([4.0, 5, 6])
    product = lambda a, b: a.mul(b).sum()  # noqa: E731
    np.testing.assert_array_equal(tf.grad(lambda a: a.square().sum())(x).numpy(), [2, 4, 6])
    ga, gb = tf.grads(product)([x, y])
    np.testing.assert_array_equal(ga.numpy(), y.numpy())
    np.testing.assert_array_equal(gb.numpy(), x.numpy())
    one = tf.value_and_grad(lambda a: a.square().sum())(x)
    assert float(one.value) == 14
    np.testing.assert_array_equal(one.grad.numpy(), [2, 4, 6])
    value, grads = tf.value_and_grads(product)([x, y])
    assert float(value) == 32
    assert len(grads) == 2


def test_dy_weights_the_output() -> None:
    x = tf.tensor([1.0, 2, 3])
    dy = tf.tensor([1.0, 10, 100])
    np.testing.assert_array_equal(tf.grad(lambda a: a.square())(x, dy).numpy(), [2, 40, 600])
    np.testing.assert_array_equal(tf.grad(lambda a: a.square())(x).numpy(), [2, 4, 6])
    with pytest.raises(ValueError, match="dy.*shape"):
        tf.grad(lambda a: a.square())(x, tf.scalar(1))


def test_variable_grads_by_name() -> None:
    v = tf.variable(tf.tensor([1.0, 2]), True, "v")
    w = tf.variable(tf.tensor([3.0, 4]), True, "w")
    frozen = tf.variable(tf.tensor([5.0, 6]), False, "frozen")
    value, grads = tf.variable_grads(lambda: v.mul(w).mul(frozen).sum())
    assert float(value) == 63
    assert set(grads) == {"v", "w"}
    np.testing.assert_array_equal(grads["v"].numpy(), [15, 24])
    only = tf.variable_grads(lambda: v.mul(w).sum(), [w])
    assert set(only.grads) == {"w"}
    listed = tf.variable_grads(lambda: v.mul(frozen).sum(), [frozen, v])
    assert set(listed.grads) == {"v", "frozen"}
    assert listed.grads["frozen"] is None
    with pytest.raises(ValueError, match="variable_grads.*trainable|trainable"):
        tf.variable_grads(lambda: frozen.sum(), [frozen])


def test_higher_order_gradients() -> None:
    cube = lambda x: x.pow(3).sum()  # noqa: E731
    second = tf.grad(lambda x: tf.grad(cube)(x).sum())
    third = tf.grad(lambda x: second(x).sum())
    x = tf.tensor([1.0, 2])
    np.testing.assert_allclose(second(x).numpy(), [6, 12], rtol=ROUNDING)
    np.testing.assert_allclose(third(x).numpy(), [6, 6], rtol=ROUNDING)


@pytest.mark.parametrize(("op", "slopes"), [("relu", [1, 0]), ("abs", [1, -1])])
def test_second_derivative_of_piecewise_linear_op_is_zero(op: str, slopes: list[float]) -> None:
    """As in TF.js, the second derivative with respect to x is 0, and no error is raised."""

    def slope(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
        return tf.grads(lambda x, y: getattr(x, op)().mul(y).sum())([a, b])[0].sum()

    by_x, by_y = tf.grads(slope)([tf.tensor([1.0, -2.0]), tf.tensor([3.0, 4.0])])
    assert (by_x.array_sync(), by_y.array_sync()) == ([0, 0], slopes)


def test_indices_are_constants_for_gradients() -> None:
    """As in TF.js, no gradient flows through arg_max, one_hot or casts to int32."""

    def f(x: tf.Tensor) -> tf.Tensor:
        places = tf.add(tf.arg_max(x), tf.arg_min(x))
        return tf.sum(x).add(tf.sum(tf.one_hot(tf.cast(x, "int32"), 6))).add(places.to_float())

    assert tf.grad(f)(tf.tensor([1.0, 5, 2])).array_sync() == [1, 1, 1]


def test_gradients_of_tensor_used_twice_add_up() -> None:
    x = tf.scalar(3)
    assert float(tf.grad(lambda a: a.mul(a).add(a))(x)) == 7
    # As in TF.js, a tensor given twice is one variable.
    da, db = tf.grads(lambda a, b: a.mul(3).sub(b))([x, x])
    assert (float(da), float(db)) == (2, 2)


@pytest.mark.parametrize("dy", [np.array([1, 3]), np.array([1, 3], np.uint8), [1, 3]])
def test_dy_of_any_real_dtype(dy: object) -> None:
    found = tf.grads(lambda a, b: a.add(b))([tf.ones([2]), tf.ones([2])], dy)
    assert [(g.dtype, g.array_sync()) for g in found] == [("float32", [1, 3])] * 2


def test_custom_gradient_forms() -> None:
    def half(x: tf.Tensor, save: object) -> dict[str, object]:
        save([x])  # type: ignore[operator]
        return {"value": x.square(), "gradFunc": lambda dy, saved: [dy.mul(saved[0]).mul(100)]}

    f = tf.custom_grad(half)
    x = tf.tensor([1.0, 2])
    np.testing.assert_array_equal(f(x).numpy(), [1, 4])
    np.testing.assert_array_equal(tf.grad(lambda a: f(a).sum())(x).numpy(), [100, 200])
    plain = tf.customGrad(lambda a: (a.mul(2), lambda dy: dy.mul(-1)))
    assert float(tf.grad(lambda a: plain(a))(tf.scalar(5))) == -1
    by_numpy = tf.custom_grad(lambda a: (a.mul(2), lambda dy: 7 * np.asarray(dy)))
    assert tf.grad(by_numpy)(tf.tensor([1.0, 2.0])).array_sync() == [7, 7]


def test_saved_tensors_of_custom_gradient_survive_tidy() -> None:
    def squared(x: tf.Tensor, save: Callable[[list[tf.Tensor]], None]) -> object:
        save([x])
        return x.square(), lambda dy, saved: dy.mul(saved[0]).mul(2)

    slope = tf.grad(lambda x: tf.tidy(lambda: tf.custom_grad(squared)(x.mul(2))))
    assert float(slope(tf.scalar(3))) == 24
    assert float(tf.grad(lambda x: slope(x))(tf.scalar(3))) == 8


def test_custom_gradient_may_dispose_its_arguments() -> None:
    def squared(x: tf.Tensor, save: Callable[[list[tf.Tensor]], None]) -> object:
        def slope(dy: tf.Tensor, saved: list[tf.Tensor]) -> tf.Tensor:
            found = dy.mul(saved[0]).mul(2)
            tf.dispose([dy, saved])
            return found

        save([x])
        return x.square(), slope

    f = tf.custom_grad(squared)
    x, v = tf.tensor([1.0, 2.0]), tf.variable([3.0, 4.0])
    tf.train.sgd(0.1).minimize(lambda: f(v).sum(), var_list=[v])
    np.testing.assert_allclose(v.numpy(), [2.4, 3.2], rtol=ROUNDING)
    twice, plain = tf.grads(lambda a, b: f(a).add(f(a)).add(b))([x, v])
    assert (twice.array_sync(), plain.array_sync(), x.array_sync()) == ([4, 8], [1, 1], [1, 2])


@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_non_float_custom_gradient_raises(dtype: tf.DataType) -> None:
    f = tf.custom_grad(lambda x: (x.to_float().sum(), lambda dy: tf.ones([2], dtype)))
    with pytest.raises(RuntimeError, match=f"needs a float32 gradient .* gave {dtype}"):
        tf.grad(f)(tf.ones([2], dtype))


def test_disposing_a_gradient_disposes_nothing_else() -> None:
    x, y, dy = tf.tensor([1.0, 2.0]), tf.tensor([3.0, 4.0]), tf.tensor([5.0, 6.0])
    for _ in range(4):  # the last backward passes run from a plan
        first, second = tf.grads(lambda a, b: a.add(b))([x, y], dy)
        first.dispose()
        assert second.array_sync() == dy.array_sync() == [5, 6]
    v = tf.variable([7.0, 8.0])
    tf.grad(tf.custom_grad(lambda a: (a.mul(1), lambda dy: x)))(y).dispose()
    tf.grad(tf.custom_grad(lambda a: (a.mul(1), lambda dy: v)))(y).dispose()
    assert not x.is_disposed
    assert not v.is_disposed
    w = tf.variable([1.0, 1.0])
    found = tf.variable_grads(lambda: v.add(w).mul(x).sum(), [v, w]).grads
    found[v.name].dispose()
    assert found[w.name].array_sync() == [1, 2]
    slope = tf.grad(lambda a: tf.grads(lambda p, q: p.add(q).square())([a, y])[1])
    assert slope(x).array_sync() == [2, 2]


CONSTANT_IN_X: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "zeros_like": tf.zeros_like,
    "ones_like": lambda x: tf.ones_like(x.mul(2)),
    "greater_equal": lambda x: x.greater_equal(1),
    "where": lambda x: tf.where(x.cast("bool"), [1.0, 2.0], 3.0),
    "where of greater_equal": lambda x: tf.where(x.greater_equal(1), [1.0, 2.0], 3.0).square(),
}


@pytest.mark.parametrize("f", CONSTANT_IN_X.values(), ids=CONSTANT_IN_X.keys())
def test_gradient_through_conditions_is_zero(f: Callable[[tf.Tensor], tf.Tensor]) -> None:
    x = tf.tensor1d([0, 2])
    assert tf.grad(f)(x).array_sync() == [0, 0]
    assert tf.grad(tf.grad(f))(x).array_sync() == [0, 0]
    assert tf.grad(lambda t: f(t).cast("float32").mul(t))(x).array_sync() == f(x).cast("float32").array_sync()


def test_gradient_of_where_condition_is_zero() -> None:
    chosen, a, b = tf.grads(tf.where)([tf.tensor1d([1, 0], "bool"), tf.ones([2]), tf.ones([2])], [3.0, 4.0])
    assert (chosen.dtype, chosen.array_sync(), a.array_sync(), b.array_sync()) == ("float32", [0, 0], [3, 0], [0, 4])


def test_custom_gradient_may_return_none() -> None:
    second_only = tf.custom_grad(lambda a, b: (a.mul(b), lambda dy: [None, dy]))
    assert float(tf.grad(lambda x: second_only(x.mul(2), x))(tf.scalar(3))) == 1
    assert float(tf.grad(lambda x: second_only(tf.split(x, 2)[0].sum(), x.sum()).sum())(tf.ones([2])).sum()) == 2
    blocked = tf.custom_grad(lambda a: (a.mul(1), lambda dy: None))
    for f in (lambda x: blocked(x.mul(2)), lambda x: blocked(tf.split(x, 2)[0]).sum()):
        with pytest.raises(ValueError, match="does not depend on x"):
            tf.grad(f)(tf.ones([2]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.grad(lambda x: 3)(tf.scalar(1)), "tensor"),
        (lambda: tf.grad(lambda x: tf.scalar(2))(tf.scalar(1)), "depend"),
        (lambda: tf.grad(lambda x: x.greater(0))(tf.scalar(1)), "depend|gradient"),
        (lambda: tf.grad("f"), "grad.*f.*function"),
        (lambda: tf.grads(lambda a, b: a.add(b))(tf.scalar(1)), "grads.*args.*list"),
        (lambda: tf.variable_grads(lambda: tf.scalar(1), []), "var_list|variable"),
        (lambda: tf.value_and_grad(lambda x: x.square())([1.0, 2.0], tf.scalar(1)), "dy|shape"),
        (lambda: tf.grad(lambda x: x.square())([1.0], tf.complex([1.0], [2.0])), "grad.*dy.*real"),
        (lambda: tf.grad(lambda x: x.square())([1.0], tf.ones([1], "int32")), "grad.*dy.*float32"),
        (lambda: tf.grad(lambda x: x.square())([1.0], tf.ones([1], "bool")), "grad.*dy.*float32"),
        (lambda: tf.grad(lambda x: tf.custom_grad(lambda a: a)(x))(tf.scalar(1)), "custom_grad"),
        (lambda: tf.grad(lambda x: tf.custom_grad(lambda a: (a.mul(1), lambda dy: tf.ones([7])))(x))(tf.scalar(1)), "shape"),
        (lambda: tf.custom_grad(lambda a, save: (save(a), a))([1.0]), "custom_grad.*save.*list of tensors"),
        (lambda: tf.grad(tf.custom_grad(lambda a: (a.mul(1), lambda dy: 3.0)))(tf.ones([2])), "gradient of custom_grad.*shape"),
        (lambda: tf.grad(tf.custom_grad(lambda a: (a.mul(1), lambda dy: "no")))(tf.ones([2])), "custom_grad.*grad_func"),
    ],
)  # fmt: skip
def test_invalid_arguments_raise(call: object, words: str) -> None:
    with pytest.raises((ValueError, TypeError, RuntimeError), match=words):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (tf.variable_grads, "variable_grads"),
        (tf.train.sgd(0.1).compute_gradients, "compute_gradients"),
        (tf.train.sgd(0.1).minimize, "minimize"),
    ],
)
def test_invalid_cost_raises_an_error_that_names_the_function(function: Callable[..., object], name: str) -> None:
    v = tf.variable(tf.tensor([1.0, 2]))
    with pytest.raises(ValueError, match=f"^{name}: argument 'f' must be a function that returns a scalar"):
        function(lambda: v.square())
    with pytest.raises(ValueError, match=f"^{name}: the value of f does not depend"):
        function(lambda: tf.scalar(1))
    with pytest.raises(TypeError, match=rf"^{name}: argument 'var_list\[0\]' must be a variable"):
        function(lambda: v.sum(), var_list=[3])
    assert v.array_sync() == [1, 2]


def test_long_chain_does_not_exhaust_the_stack() -> None:
    def deep(x: tf.Tensor) -> tf.Tensor:
        for _ in range(5000):
            x = x.add(0.001)
        return x

    assert float(tf.grad(deep)(tf.scalar(1))) == 1


def test_gradient_frees_intermediate_results() -> None:
    x = tf.ones([10])
    before = tf.memory().num_tensors
    g = tf.grad(lambda a: a.exp().square().sum())(x)
    assert tf.memory().num_tensors == before + 1
    g.dispose()
    assert tf.memory().num_tensors == before


def test_gradients_are_freed_during_backward_pass() -> None:
    """Only a few gradients of a long chain are alive at a time."""
    alive = []

    def counting(x: tf.Tensor) -> tuple[tf.Tensor, object]:
        def backward(dy: tf.Tensor) -> tf.Tensor:
            alive.append(tf.memory().num_tensors)
            return dy.mul(1)

        return x.add(0), backward

    link = tf.custom_grad(counting)

    def chain(x: tf.Tensor) -> tf.Tensor:
        for _ in range(20):
            x = link(x)
        return x.sum()

    tf.grad(chain)(tf.ones([3])).dispose()
    assert max(alive) - min(alive) <= 2


def test_error_in_function_is_not_replaced() -> None:
    """Errors of the user's function are not blamed on arguments such as var_list."""

    class CustomError(Exception):
        pass

    def fail() -> tf.Tensor:
        raise CustomError("of the user's")

    variable = tf.variable(tf.scalar(2.0))
    for call in (lambda: tf.variable_grads(fail, variable), lambda: tf.variable_grads(fail, (v for v in [variable]))):
        with pytest.raises(CustomError, match="of the user's"):
            call()
    assert next(iter(tf.variable_grads(lambda: variable.square(), variable).grads.values())).array_sync() == 4
    with pytest.raises(TypeError, match="'var_list' must be a list of variables, but got 5"):
        tf.variable_grads(lambda: variable.square(), 5)  # type: ignore[call-overload, arg-type]


def test_gradient_of_rows_without_segment_is_zero(backend: str) -> None:
    ids = tf.tensor([0, -1], [2], "int32")
    found = tf.grad(lambda x: tf.unsorted_segment_sum(x, ids, 1).sqrt())(tf.tensor([0.0, 5.0]))
    assert found.array_sync() == [np.inf, 0]
