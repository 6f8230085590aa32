"""math.gradients, vjp, variable and custom gradients, gradients_scope, and optimizers without a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy import legacy as dl

A1 = dl.Array1D.new


def test_gradients_by_one_or_several_arrays(math: dl.NDArrayMathCPU) -> None:
    a, b = A1([1, 2]), A1([3, 4])
    assert list(math.gradients(lambda: math.sum(math.square(a)), a).get_values()) == [2, 4]
    found = math.gradients(lambda: math.sum(math.multiply(a, b)), {"a": a, "b": b})
    assert list(found["a"].get_values()) == [3, 4]
    assert list(found["b"].get_values()) == [1, 2]


def test_gradients_flow_through_reshapes_and_core_ops(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, 2, 3, 4])
    found = math.gradients(lambda: math.sum(tf.square(a.as_2d(2, 2)).mul(2)), a)
    assert isinstance(found, dl.Array1D)
    assert list(found.get_values()) == [4, 8, 12, 16]


@pytest.mark.parametrize(
    ("ops", "expected"),
    [
        ("multiply elementWiseMul multiplyStrict", ([3, 4], [1, 2])),
        ("subtract sub subStrict", ([1, 1], [-1, -1])),
    ],
)
def test_deeplearnjs_gradients_ignore_upstream_gradient(math: dl.NDArrayMathCPU, ops: str, expected: Any) -> None:
    given = {"a": A1([1, 2]), "b": A1([3, 4])}
    weights = A1([10, 20])
    for op in ops.split():
        with dl.numerics("deeplearn.js"):
            found = math.gradients(
                lambda op=op: math.sum(math.multiply(getattr(math, op)(*given.values()), weights)), given
            )
        assert (list(found["a"].get_values()), list(found["b"].get_values())) == expected


@pytest.mark.parametrize(
    ("op", "expected"), [("scalarMinusArray", (1, -1)), ("arrayMinusScalar", (1, -1)), ("scalarTimesArray", (5, 2))]
)
def test_deeplearnjs_scalar_gradients_ignore_upstream_gradient(math: dl.NDArrayMathCPU, op: str, expected: Any) -> None:
    given = {"a": dl.Scalar.new(2), "b": dl.Scalar.new(5)}
    twice = dl.Scalar.new(2)
    with dl.numerics("deeplearn.js"):
        found = math.gradients(
            lambda: math.multiply(math.multiply(getattr(math, op)(*given.values()), twice), twice), given
        )
    assert (found["a"].get(), found["b"].get()) == expected


def test_gradients_flow_through_as_type(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, 2], "int32")
    found = math.gradients(lambda: math.sum(math.square(a.asType("float32"))), a)
    assert (found.dtype, list(found.get_values())) == ("float32", [2, 4])


def test_value_and_gradients(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, 2])
    result = math.value_and_gradients(lambda: math.sum(math.exp(a)), a)
    np.testing.assert_allclose(result.value.get(), np.exp([1, 2]).sum(), rtol=ROUNDING)
    np.testing.assert_allclose(result.gradients.get_values(), np.exp([1, 2]), rtol=ROUNDING)
    assert math.valueAndGradients(lambda: math.sum(a), {"a": a})["gradients"]["a"].get(0) == 1


def test_second_order_gradients(math: dl.NDArrayMathCPU) -> None:
    a = A1([2])

    def slope() -> dl.NDArray:
        cubed = math.gradients(lambda: math.sum(math.multiply(a, math.square(a))), a)
        return math.sum(cubed)

    assert math.gradients(slope, a).get(0) == 12


def test_vjp(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, 2])
    assert list(math.vjp(lambda: math.square(a), a, A1([10, 1])).get_values()) == [20, 4]
    with pytest.raises(ValueError, match="dy"):
        math.vjp(lambda: math.square(a), a, A1([1]))


def test_variable_gradients(math: dl.NDArrayMathCPU) -> None:
    w = dl.variable(A1([3]), True, "w")
    result = math.variable_gradients(lambda: math.sum(math.square(w)))
    assert result.value.get() == 9
    assert result.gradients["w"].get(0) == 6


@pytest.mark.parametrize("form", [tuple, lambda pair: dict(zip(("value", "gradients"), pair, strict=True))])
def test_custom_gradient(math: dl.NDArrayMathCPU, form: Any) -> None:
    a = A1([1, 2])

    def tenfold() -> dl.NDArray:
        def f() -> Any:
            return form((math.square(a), lambda dy, y: {"a": lambda: math.multiply(dl.Scalar.new(10), dy)}))

        return math.sum(math.customGradient(f, {"a": a}))

    assert list(math.gradients(tenfold, a).get_values()) == [10, 10]
    assert math.value_and_gradients(tenfold, a).value.get() == 5


def test_gradients_scope(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, 2])

    def compute() -> dl.NDArray:
        y = math.sum(math.square(a))
        return math.gradient_wrt(y, a)

    assert list(math.gradientsScope(compute).get_values()) == [2, 4]
    with pytest.raises(RuntimeError, match="gradients_scope"):
        math.gradientWrt(dl.Scalar.new(1), a)


def test_nested_gradients_see_the_outer_tape(math: dl.NDArrayMathCPU) -> None:
    a, three = dl.Scalar.new(2), dl.Scalar.new(3, "int32")

    def again() -> dl.NDArray:
        slope = math.gradients(lambda: math.pow(a, three), a)
        return math.gradients(lambda: slope, a)

    def through() -> dl.NDArray:
        cubed = math.pow(a, three)
        return math.gradients(lambda: math.multiply(cubed, a), a)

    assert math.gradients_scope(again).get() == 12
    assert math.gradients_scope(through).get() == 32
    assert math.gradients(through, a).get() == 48


THROUGH_SCOPES: list[Any] = [
    lambda m, x: m.relu(x),
    lambda m, x: m.subtract(x, m.square(x)),
    lambda m, x: m.multiply(x, x),
    lambda m, x: m.softmax_cross_entropy_with_logits(A1([0, 1]), x),
    lambda m, x: m.dot_product(x, x),
    lambda m, x: m.conv1d(x.as_2d(2, 1), dl.Array3D.new([1, 1, 1], [3]), None, 1, 0),
    lambda m, x: m.custom_gradient(
        lambda: (m.square(x), lambda dy, y: {"x": lambda: m.multiply(dy, y)}), {"x": x}
    ),
]  # fmt: skip


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize("f", THROUGH_SCOPES)
def test_gradients_flow_through_scopes(math: dl.NDArrayMathCPU, numerics: Any, f: Any) -> None:
    """Arrays that a scope disposes are still available to the gradients."""
    a = A1([1, -2])
    with dl.numerics(numerics):

        def total() -> dl.NDArray:
            return math.sum(f(math, math.neg(a)))

        expected = math.gradients(total, a).get_values()
        assert list(math.gradients(lambda: math.scope(total), a).get_values()) == list(expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, a: m.gradients(lambda: m.square(a), a), "Scalar"),
        (lambda m, a: m.gradients(lambda: 5, a), "returns an array"),
        (lambda m, a: m.gradients(5, a), "a function"),
        (lambda m, a: m.gradients(lambda: m.sum(a), 5), "NDArray"),
        (lambda m, a: m.gradients(lambda: dl.Scalar.new(1), a), "not a function of x"),
        (lambda m, a: m.gradients(lambda: m.sum(a), {"a": a, "b": A1([1])}), r"x\['b'\]"),
    ],
)
def test_invalid_arguments_raise(math: dl.NDArrayMathCPU, call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call(math, A1([1, 2]))


def test_recording_stops_after_an_error(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, 2])

    def fail() -> dl.NDArray:
        raise KeyError

    with pytest.raises(KeyError):
        math.gradients(fail, a)
    assert math.gradients(lambda: math.sum(a), a).get(0) == 1


def test_optimizers_train_variables_without_a_graph(math: dl.NDArrayMathCPU) -> None:
    w = dl.Variable.variable(A1([4]))
    optimizer = dl.SGDOptimizer(0.1)
    cost = optimizer.minimize(lambda: math.sum(math.square(w)), True)
    assert cost is not None
    assert cost.get() == 16
    assert w.get(0) == pytest.approx(3.2)
    found = optimizer.computeGradients(lambda: math.sum(math.square(w)))
    optimizer.applyGradients(found.grads)
    assert w.get_values()[0] == pytest.approx(3.2 - 0.64)
    assert optimizer.minimize(lambda: math.sum(math.square(w))) is None
    with pytest.raises(TypeError, match="graphs only"):
        dl.Optimizer(0.1).minimize(lambda: math.sum(w))
