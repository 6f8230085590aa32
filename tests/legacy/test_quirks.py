"""Quirks: each result that differs between the numerics of deeplearn.js and TF.js, and the switch between them."""

from __future__ import annotations

import asyncio
import math as python_math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from legacy.providers import feeds
from tolerance import ACCUMULATED

import tfpy as tf
from tfpy import legacy as dl
from tfpy.engine.backend import registry
from tfpy.legacy import quirks
from tfpy.legacy.ops import conv as legacy_conv

S, A1, A2, A3, A4 = dl.Scalar.new, dl.Array1D.new, dl.Array2D.new, dl.Array3D.new, dl.Array4D.new
NAN = float("nan")
SMALLEST = -(2**31)


def m() -> dl.NDArrayMath:
    return dl.ENV.math


class Recorder(dl.Optimizer):
    """Records the gradient and changes nothing."""

    def after_batch(self, math: Any, batch_size: int, runtime: Any, activations: Any, gradients: Any) -> None:
        self.found = self.variable_gradients.get(self.variable_nodes[0].output).get_values().tolist()


def cost_gradient(build: Callable[[dl.Graph, dl.Tensor], dl.Tensor], start: Any) -> list[float]:
    """The gradient of a graph's cost with respect to its variable."""
    g = dl.Graph()
    cost = build(g, g.variable("w", A1(start)))
    recorder = Recorder(1)
    dl.Session(g, m()).train(cost, [], 1, recorder)
    return recorder.found  # type: ignore[no-any-return]


def evaluated(build: Callable[[dl.Graph], dl.Tensor]) -> list[float]:
    """The values of a graph's output."""
    g = dl.Graph()
    return flat(dl.Session(g, m()).eval(build(g)))


def minimized(optimizer: Any) -> float:
    """A variable that started at 0, after a step by the gradient 10⁻⁷."""
    w = dl.variable(S(0))
    optimizer.minimize(lambda: dl.mul(w, S(1e-7)))
    return float(w.get())


def train_scalar(optimizer: dl.Optimizer, examples: list[float], steps: int) -> float:
    """Train a variable from 0, with the examples as gradients, and return its value."""
    g = dl.Graph()
    x, w = g.placeholder("x", []), g.variable("w", S(0))
    cost = g.multiply(w, x)
    session = dl.Session(g, m())
    entries = feeds((x, examples))
    for _ in range(steps):
        session.train(cost, entries, len(examples), optimizer)
    return round(float(session.eval(w).get()), 5)


def train_vector(optimizer: dl.Optimizer) -> list[float]:
    """Train four elements from 0 for three steps, each with different gradients, and return their values."""
    g = dl.Graph()
    x, w = g.placeholder("x", [4]), g.variable("w", dl.NDArray.zeros([4]))
    cost = g.reduce_sum(g.multiply(w, x))
    session = dl.Session(g, m())
    examples = [[0.0001, 0.0003, 0.0005, 0.0009], [0.0007, 0.0011, 0.0013, 0.0019], [0.001, 0.0021, 0.0023, 0.003]]
    entries = feeds((x, examples))
    for _ in range(3):
        session.train(cost, entries, 3, optimizer)
    return flat(session.eval(w))


def train_with_changed_optimizer(change: Callable[[Any], None], optimizer: Any) -> float:
    """Train for two steps, changing the optimizer after the first, and return the value of the variable."""
    g = dl.Graph()
    x, w = g.placeholder("x", []), g.variable("w", S(0))
    cost = g.multiply(w, x)
    session = dl.Session(g, m())
    for i in range(2):
        session.train(cost, feeds((x, [1])), 1, optimizer)
        if not i:
            change(optimizer)
    return round(float(session.eval(w).get()), 6)


def gradient(f: Callable[[dl.NDArray], Any]) -> list[float]:
    a = A1([-1, 2])
    return m().gradients(lambda: m().sum(m().square(f(a))), a).get_values().tolist()  # type: ignore[no-any-return]


def added_in_order() -> float:
    """The sum 1e8 + 62 · 1 - 1e8 as a session computes it."""
    g = dl.Graph()
    x, w = g.placeholder("x", [64]), g.variable("w", dl.NDArray.ones([64]))
    cost = g.reduce_sum(g.multiply(w, x))
    examples = [np.full(64, v) for v in (1e8, *[1.0] * 62, -1e8)]
    session = dl.Session(g, m())
    return session.train(cost, feeds((x, examples)), 64, dl.SGDOptimizer(0), dl.CostReduction.SUM).get() / 64


def image(*shape: int) -> dl.NDArray:
    return dl.NDArray.make(shape, {"values": np.arange(np.prod(shape), dtype=np.float32) + 1})


def raises_type_error(call: Callable[[], Any]) -> bool:
    """Whether a call raises TypeError."""
    try:
        call()
    except TypeError:
        return True
    return False


def power_of_bool_and_int(function: Callable[..., dl.NDArray]) -> tuple[str, list[float]]:
    found = function(A1([1, 0], "bool"), A1([3, 2], "int32"))
    return found.dtype, flat(found)


def flat(a: dl.NDArray) -> list[float]:
    return a.get_values().tolist()  # type: ignore[no-any-return]


def long_product() -> float:
    """1e8 + 3 + 3 as a dot product of 49 elements, of which TF.js rounds the sum after 48."""
    return float(m().dotProduct(A1([1e8, *[0] * 46, 3, 3]), A1([1] * 49)).get())


# Name: (computation, result of deeplearn.js, result of TF.js).
CASES: dict[str, tuple[Callable[[], Any], Any, Any]] = {
    "typed_arrays": (lambda: flat(A1([NAN, 1.7], "int32")), [SMALLEST, 1], [0, 1]),
    "cast_through_typed_array": (
        lambda: [flat(a) for a in (A1([0.3, -0.4, 0, NAN]).asType("bool"), A1([NAN, 1.7]).asType("int32"))],
        [[0, 0, 0, 1], [SMALLEST, 1]],
        [[1, 1, 0, 1], [0, 1]],
    ),
    "variance_scaling_one_sided": (
        lambda: bool(dl.VarianceScalingInitializer(1, "fan_in", "uniform").initialize([99], 1, 1).get_values().min() < 0),
        False,
        True,
    ),
    "scalar_constants_undefined": (lambda: dl.Scalar.ONE is None, True, False),
    "Adagrad_rule": (lambda: train_scalar(dl.AdagradOptimizer(0.1), [1, 3], 1), -0.05, -0.09877),
    "RMSProp_rule": (lambda: train_scalar(dl.RMSPropOptimizer(0.1, 0.9), [1, 3], 1), -0.15811, -0.31623),
    "Adam_rule": (lambda: train_scalar(dl.AdamOptimizer(0.1), [1, 3], 1), -0.05, -0.1),
    "Adamax_rule": (lambda: train_scalar(dl.AdamaxOptimizer(0.1), [1, 3], 1), -0.05, -0.1),
    "learning_rate_kept_until_batch_size_changes": (
        lambda: train_with_changed_optimizer(lambda o: o.set_learning_rate(1), dl.SGDOptimizer(0.1)), -0.2, -1.1
    ),
    "momentum_kept": (lambda: train_with_changed_optimizer(lambda o: o.setMomentum(0), dl.MomentumOptimizer(0.1, 0.5)), -0.25, -0.2),
    "epsilon_of_functions": (
        lambda: [
            round(minimized(make()), 3)
            for make in (
                lambda: dl.train.adam(1),
                lambda: dl.train.adamax(1),
                lambda: dl.AdamOptimizer(1),
                lambda: dl.train.adam(1, epsilon=1e-7),
                lambda: dl.AdamOptimizer(1, 0.9, 0.999, 1e-7),
            )
        ],
        [-0.909, -0.909, -0.909, -0.5, -0.5],
        [-0.5, -0.5, -0.5, -0.5, -0.5],
    ),
    "softmax_through_logarithm": (lambda: round(m().softmax(A1([1000, 1001])).get(0), 7), 0.2689493, 0.2689414),
    "true_quotient": (lambda: flat(m().divide(A1([7], "int32"), A1([2], "int32"))), [3.5], [3]),
    "true_divide_strict": (lambda: flat(m().divideStrict(A1([7], "int32"), A1([2], "int32"))), [3.5], [3]),
    "true_scalar_divided_by_array": (lambda: flat(m().scalarDividedByArray(S(7, "int32"), A1([2], "int32"))), [3.5], [3]),
    "true_array_divided_by_scalar": (lambda: flat(m().arrayDividedByScalar(A1([7], "int32"), S(2, "int32"))), [3.5], [3]),
    "arg_max_of_nan": (
        lambda: [m().argMax(A1([1, NAN, 3])).get(), evaluated(lambda g: g.argmax(g.constant([1, NAN, 3])))],
        [SMALLEST, [SMALLEST]],
        [2, [2]],
    ),
    "arg_min_of_nan": (lambda: m().argMin(A1([2, NAN, 1])).get(), SMALLEST, 2),
    "pow_of_whole_exponents": (
        lambda: [raises_type_error(lambda: m().pow(A1([2]), A1([0.5]))), power_of_bool_and_int(m().pow)],
        [True, ("bool", [1, 0])],
        [False, ("int32", [1, 0])],
    ),
    "pow_strict_of_whole_exponents": (
        lambda: [raises_type_error(lambda: m().powStrict(A1([2]), A1([0.5]))), power_of_bool_and_int(m().powStrict)],
        [True, ("bool", [1, 0])],
        [False, ("int32", [1, 0])],
    ),
    "maximum_of_one_dtype": (lambda: m().maximum(A1([1], "bool"), A1([0], "bool")).dtype, "bool", "int32"),
    "maximum_strict_of_one_dtype": (lambda: raises_type_error(lambda: m().maximumStrict(A1([1], "int32"), A1([0]))), True, False),
    "minimum_strict_of_one_dtype": (lambda: m().minimumStrict(A1([1], "bool"), A1([0], "bool")).dtype, "bool", "int32"),
    "minimum_of_one_dtype": (lambda: raises_type_error(lambda: m().minimum(A1([1], "bool"), A1([0]))), True, False),
    "sum_of_moved_axes": (lambda: m().sum(A2([1, 2], [1, 2], "int32"), 0).dtype, "float32", "int32"),
    "max_of_moved_axes": (lambda: m().max(A2([1, 2], [1, 2], "int32"), [0]).dtype, "float32", "int32"),
    "min_with_first_element": (lambda: flat(m().min(A2([2, 2], [1, 2, 3, 4]), 1)), [1, 1], [1, 3]),
    "norm_with_first_element": (
        lambda: flat(m().norm(A3([2, 2, 1], [-1, 2, 3, -4]), -python_math.inf, 1)), [1, 1], [1, 3],
    ),
    "top_k_with_float_indices": (lambda: m().topK(A1([1, 2]), 1).indices.dtype, "float32", "int32"),
    "row_entropies_with_epsilon": (
        lambda: round(m().softmaxCrossEntropyWithLogits(A1([1, 0]), A1([0, 20])).get(), 3),
        round(-python_math.log(1e-5 + python_math.exp(-20)), 3),
        20,
    ),
    "float32_results": (
        lambda: [f(A1([1, 2], "int32")).dtype for f in (m().abs, m().square, m().clone, m().neg)], ["float32"] * 4, ["int32"] * 4
    ),
    "relu_without_dy": (lambda: gradient(m().relu), [0, 1], [0, 4]),
    "subtract_without_dy": (lambda: gradient(lambda a: m().subtract(a, A1([1, 1]))), [1, 1], [-4, 2]),
    "multiply_without_dy": (lambda: gradient(lambda a: m().multiply(a, A1([3, 3]))), [3, 3], [-18, 36]),
    "squared_cost_without_mean": (lambda: cost_gradient(lambda g, w: g.mean_squared_cost(w, g.constant([0, 0])), [2, 4]), [2, 4], [1, 2]),
    "cross_entropy_with_epsilon": (
        lambda: cost_gradient(lambda g, w: g.multiply(g.constant(2), g.softmax_cross_entropy_cost(w, g.constant([1, 0]))), [0, 0]),
        [-0.5, 0.5],
        [-1, 1],
    ),
    "leaky_relu_by_step": (
        lambda: [
            cost_gradient(lambda g, w: g.reduce_sum(g.leakyRelu(w)), [-1, 0, 2]),
            evaluated(lambda g: g.multiply(g.constant(5), g.leakyRelu(g.constant([-1, 2])))),
            cost_gradient(lambda g, w: g.reduce_sum(g.leakyRelu(w, 0.5)), [-1, 0, 2]),
            cost_gradient(lambda g, w: g.reduce_sum(g.leakyRelu(g.log(w), 0.5)), [-1, 1, 2]),
        ],
        [[0, 0, 1], [-1, 10], [0.5, 0.5, 1], pytest.approx([NAN, 0.5, 0.5], nan_ok=True)],
        [pytest.approx([0.2, 0.2, 1]), [-1, 10], [0.5, 0.5, 1], [-0.5, 0.5, 0.5]],
    ),
    "prelu_of_fixed_slopes": (
        lambda: [
            cost_gradient(lambda g, w: g.reduce_sum(g.prelu(w, g.constant([3, 3]))), [0, -1]),
            cost_gradient(lambda g, a: g.reduce_sum(g.add(g.prelu(g.constant([-1, 2]), a), a)), [0.5, 0.5]),
        ],
        [[0, 3], [1, 1]],
        [[3, 3], [0, 1]],
    ),
}  # fmt: skip


# Differences in rounding only, recorded with the CPU backends of deeplearn.js 0.3.17 and TF.js 4.22.
ROUNDED: dict[str, tuple[Callable[[], Any], Any, Any]] = {
    "SGD_rule": (
        lambda: train_vector(dl.SGDOptimizer(0.37)),
        [-0.000666000007186085, -0.001294999965466559, -0.0015169999096542597, -0.0021460000425577164],
        [-0.0006660000653937459, -0.001294999965466559, -0.0015170001424849033, -0.0021460000425577164],
    ),
    "Momentum_rule": (
        lambda: train_vector(dl.MomentumOptimizer(0.37, 0.7)),
        [-0.0010855799773707986, -0.0021108498331159353, -0.002472710097208619, -0.0034979800693690777],
        [-0.0010855800937861204, -0.002110850065946579, -0.002472710097208619, -0.0034979800693690777],
    ),
    "Adadelta_rule": (
        lambda: train_vector(dl.AdadeltaOptimizer(0.1, 0.95)),
        [-0.00018000000272877514, -0.00035000001662410796, -0.00041000000783242285, -0.0005799999926239252],
        [-0.00018000000272877514, -0.0003499999875202775, -0.0004100000369362533, -0.0005800000508315861],
    ),
    "products_in_double": (long_product, 100000008.0, 100000000.0),
    "examples_summed_in_order": (added_in_order, 0.0, 62.0),
    "sigmoid_rounded": (
        lambda: cost_gradient(lambda g, w: g.reduce_sum(g.sigmoid(w)), [-2.7, -2.2, -1.5]),
        [0.059007707983255386, 0.08980032056570053, 0.1491464525461197],
        [0.05900770425796509, 0.08980032801628113, 0.14914646744728088],
    ),
    "elu_rounded": (
        lambda: cost_gradient(lambda g, w: g.reduce_sum(g.elu(w)), [-3, -2.9, -2.8]),
        [0.049787066876888275, 0.05502321571111679, 0.060810066759586334],
        [0.049787044525146484, 0.055023193359375, 0.060810089111328125],
    ),
    "softmax_rounded": (
        lambda: cost_gradient(lambda g, w: g.reduce_sum(g.square(g.softmax(w))), [-3, -1, 0, 0.5, 1, 2]),
        [-0.002839125460013747, -0.019629886373877525, -0.04607485234737396, -0.06363869458436966, -0.07141724973917007, 0.20359985530376434],
        [-0.0028391245286911726, -0.019629888236522675, -0.046074848622083664, -0.06363870203495026, -0.07141724973917007, 0.20359984040260315],
    ),
    "divide_rounded": (
        lambda: cost_gradient(lambda g, w: g.reduce_sum(g.square(g.divide(g.constant(0.7), w))), [0.53, 0.57, 0.8]),
        [-6.582616329193115, -5.291776657104492, -1.914062261581421],
        [-6.582615852355957, -5.291776180267334, -1.9140623807907104],
    ),
}  # fmt: skip


def square(size: int = 3) -> dl.NDArray:
    return image(size, size, 1)


def column() -> dl.NDArray:
    """A filter of three rows and one column."""
    return A4([3, 1, 1, 1], [1, 10, 100])


# Filters that are not square and strides larger than the filter, for which deeplearn.js reads other pixels.
IMAGES: dict[str, tuple[Callable[[], Any], Any, Any]] = {
    "conv2d_swapped": (lambda: flat(m().conv2d(square(2), column(), None, 1, "same")), [0, 31, 0, 3], [310, 420, 31, 42]),
    "conv1d_swapped": (
        lambda: flat(m().conv1d(A2([3, 1], [1, 2, 3]), A3([3, 1, 1], [1, 10, 100]), None, 1, "same")), [0, 0, 0], [210, 321, 32]
    ),
    "depthwise_swapped": (lambda: flat(m().depthwiseConv2D(square(2), column(), 1, "same")), [0, 31, 0, 3], [310, 420, 31, 42]),
    "der_input_swapped": (
        lambda: flat(m().conv2dDerInput([2, 2, 1], square(2), column(), 1, "same")), [0, 130, 0, 300], [13, 24, 130, 240]
    ),
    "transpose_swapped": (
        lambda: flat(m().conv2dTranspose(square(2), column(), [2, 2, 1], 1, "same")), [0, 130, 0, 300], [13, 24, 130, 240]
    ),
    "der_filter_with_margins": (lambda: flat(m().conv2dDerFilter(square(3), square(1), [1, 1, 1, 1], 3, "same")), [5], [1]),
    "max_pool_with_margins": (lambda: flat(m().maxPool(square(3), 1, 3, "same")), [5], [1]),
    "min_pool_with_margins": (lambda: flat(m().minPool(square(3), 1, 3, "same")), [5], [1]),
    "resize_through_zero": (lambda: bool(np.isnan(np.asarray(m().resizeBilinear3D(square(2), [1, 2], True))).all()), True, False),
    "avg_pool_of_whole_windows": (lambda: flat(m().avgPool(square(1), 2, 1, 1)), [0.25] * 4, [1] * 4),
    "max_pool_gradient": (
        lambda: flat(m().maxPoolBackprop(square(1), square(3), 1, 3, "same")), [0, 0, 0, 0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 0]
    ),
    "avg_pool_gradient": (lambda: flat(m().avgPoolBackprop(square(2), square(1), 2, 1, 1)), [2.5], [10]),
}  # fmt: skip


def test_conv2d_der_input_checks_the_shape_of_dy() -> None:
    def gradient(side: int) -> Any:
        return flat(m().conv2dDerInput([2, 2, 1], square(side), column(), 1, "same"))

    with pytest.raises(ValueError, match=r"conv2d_transpose: argument 'output_shape' .* takes to \[3, 3\]"):
        gradient(3)
    with dl.numerics("deeplearn.js"):
        assert gradient(3) == flat(m().conv2dDerInput([2, 2, 1], A3([2, 2, 1], [1, 2, 4, 5]), column(), 1, "same"))
        with pytest.raises(ValueError, match=r"conv2d_der_input: argument 'dy' .* inner sizes \[2, 2\]"):
            gradient(1)


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
def test_pooling_ignores_padding(numerics: Any) -> None:
    with dl.numerics(numerics):
        assert flat(m().maxPool(square(3), 2, 1, "same")) == [5, 6, 6, 8, 9, 9, 8, 9, 9]
        assert flat(m().minPool(square(3), 2, 1, "same")) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_windows_larger_than_the_images() -> None:
    image, images, filters = square(2), A4([1, 2, 2, 1], [1, 2, 3, 4]), A4([3, 3, 1, 2], [1] * 18)
    for op, shape in (
        (lambda x: m().maxPool(x, 3, 1, "valid"), (0, 0, 1)),
        (lambda x: m().avgPool(x, [3, 2], 3, "valid"), (0, 1, 1)),
        (lambda x: m().conv2d(x, filters, A1([1, 2]), 1, 0), (0, 0, 2)),
        (lambda x: m().depthwiseConv2D(x, filters, 1, "valid"), (0, 0, 2)),
    ):
        assert in_both_numerics(lambda op=op: op(images).shape) == ((1, *shape), (1, *shape))
        assert op(image).shape == shape
        with dl.numerics("deeplearn.js"), pytest.raises(ValueError, match="argument 'x' must be no smaller"):
            op(image)
    with dl.numerics("deeplearn.js"):
        g = dl.Graph()
        assert g.maxPool(g.placeholder("x", [2, 2, 1]), 3, 1, 0).shape == (0, 0, 1)


def test_pooling_of_nan() -> None:
    x, dy = A3([3, 3, 1], [1, 2, 3, 4, 5, 6, 7, NAN, 9]), A3([2, 2, 1], [1, 2, 3, 4])
    for pool, expected, plain in (
        (m().maxPool, [5, 6, NAN, NAN], [5, 6, 7, 9]),
        (m().minPool, [1, 2, NAN, NAN], [1, 2, 4, 5]),
    ):
        deeplearnjs, tfjs = in_both_numerics(lambda pool=pool: flat(pool(x, 2, 1, 0)))
        np.testing.assert_equal(deeplearnjs, expected)
        assert tfjs == plain
    assert in_both_numerics(lambda: flat(m().maxPoolBackprop(dy, x, 2, 1, 0))) == ([0, 0, 0, 0, 1, 2, 3, 0, 4],) * 2


def test_values_of_ops_with_quirky_gradients_are_unchanged() -> None:
    for f, expected in (
        (lambda a: m().subtract(a, A1([1, 1])), -1),
        (lambda a: m().multiply(a, A1([3, 3])), 3),
        (m().relu, 2),
    ):
        a = A1([-1, 2])
        with dl.numerics("deeplearn.js"):
            assert m().value_and_gradients(lambda f=f, a=a: m().sum(f(a)), a).value.get() == expected


def test_nan_affects_only_its_own_slice() -> None:
    with dl.numerics("deeplearn.js"):
        x = A2([2, 3], [1, NAN, 3, 4, 5, 6])
        for op, along_columns, along_rows in (
            (m().argMin, [0, SMALLEST, 0], [SMALLEST, 0]),
            (m().argMax, [1, SMALLEST, 1], [SMALLEST, 2]),
            (m().min, [1, NAN, 1], [NAN, 1]),
            (m().max, [4, NAN, 6], [NAN, 6]),
        ):
            np.testing.assert_equal(flat(op(x, 0)), along_columns)
            np.testing.assert_equal(flat(op(x, 1)), along_rows)


def test_gradient_of_softmax_cross_entropy_by_rows() -> None:
    with dl.numerics("deeplearn.js"):
        labels, x = A2([2, 2], [0.25, 0.75, 1, 0]), A2([2, 2], [0, 0, 0, python_math.log(3)])
        weighted = lambda: m().sum(m().multiply(m().softmaxCrossEntropyWithLogits(labels, x), A1([2, 1])))  # noqa: E731
        found = m().gradients(weighted, {"x": x, "labels": labels})
        np.testing.assert_allclose(flat(found["x"]), [0.5, -0.5, -0.75, 0.75], rtol=ACCUMULATED)


@pytest.mark.parametrize("order", [1, "euclidean", "fro", python_math.inf, -python_math.inf])
@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_norm_of_int32_and_bool_is_float32(order: Any, dtype: Any) -> None:
    with dl.numerics("deeplearn.js"):
        found = m().norm(A2([2, 2], [1, 1, 1, 1], dtype), order, [0, 1])
    assert (found.dtype, found.shape) == ("float32", ())


@pytest.mark.parametrize(("name", "expected"), [("maxPool", 7), ("minPool", -2), ("avgPool", 2)])
def test_pooling_of_int32_is_float32(name: str, expected: float) -> None:
    with dl.numerics("deeplearn.js"):
        found = getattr(m(), name)(A3([2, 2, 1], [-2, 1, 2, 7], "int32"), 2, 1, 0)
    assert (found.dtype, flat(found)) == ("float32", [expected])


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_conv2d_der_bias_is_float32(dtype: Any, numerics: Any) -> None:
    with dl.numerics(numerics):
        found = m().conv2dDerBias(A3([1, 2, 1], [1, 1], dtype))
    assert (found.dtype, flat(found)) == ("float32", [2])


def test_conv2d_with_zero_filter_keeps_infinity_as_nan() -> None:
    with dl.numerics("deeplearn.js"):
        found = flat(m().conv2d(A3([1, 2, 1], [1, python_math.inf]), A4([1, 1, 1, 1], [0]), None, 1, 0))
    np.testing.assert_equal(found, [0, NAN])


def test_cast_matches_the_core_in_both_numerics() -> None:
    with dl.numerics("deeplearn.js"):
        for cast in (m().cast, dl.cast, lambda x, dtype: x.toBool() if dtype == "bool" else x.toInt()):
            assert flat(cast(A1([0.3, 0]), "bool")) == [True, False]
            assert flat(cast(A1([NAN, 1.7]), "int32")) == [0, 1]


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x, dy: m().conv2dDerFilter(x, dy, [2, 2, 1, 1], 1, 0), [2, 4, 6, 8]),
        (lambda x, dy: m().conv2dDerInput([2, 2, 1], dy, A4([2, 2, 1, 1], [1, 2, 3, 4], "int32"), 1, 0), [2, 4, 6, 8]),
        (lambda x, dy: m().maxPoolBackprop(dy, x, 2, 1, 0), [0, 0, 0, 2]),
        (lambda x, dy: m().avgPoolBackprop(dy, x, 2, 1, 0), [0.5] * 4),
    ],
)
def test_gradients_of_int32_are_float32(compute: Any, expected: list[float]) -> None:
    with dl.numerics("deeplearn.js"):
        found = compute(A3([2, 2, 1], [1, 2, 3, 4], "int32"), A3([1, 1, 1], [2], "int32"))
    assert (found.dtype, flat(found)) == ("float32", expected)


def test_lstm_cell_accepts_int32() -> None:
    with dl.numerics("deeplearn.js"):
        kernel, bias = A2([2, 4], [1, 0, 1, 0, 1, 1, 0, 1], "int32"), A1([0, 1, 0, 1], "int32")
        one, zero = A2([1, 1], [1], "int32"), A2([1, 1], [0], "int32")
        c, h = m().basicLSTMCell(S(1, "int32"), kernel, bias, one, zero, one)
    assert [c.get(0, 0), h.get(0, 0)] == pytest.approx([0.8491127, 0.6082834], rel=1e-6)


def test_replacing_a_function_twice_raises() -> None:
    with pytest.raises(ValueError, match="conv2d is already replaced by conv2d_swapped"):
        quirks.call_instead(abs, legacy_conv.conv2d)


def in_both_numerics(compute: Callable[[], Any]) -> tuple[Any, Any]:
    """The results in the numerics of deeplearn.js and of TF.js."""
    tf.set_seed(4)
    with dl.numerics("deeplearn.js"):
        deeplearnjs = compute()
    tf.set_seed(4)
    return deeplearnjs, compute()


def check(compute: Callable[[], Any], expected: Any, plain: Any) -> None:
    assert expected != plain
    deeplearnjs, tfjs = in_both_numerics(compute)
    assert deeplearnjs == expected
    assert tfjs == plain


@pytest.mark.parametrize("name", CASES)
def test_quirk(name: str) -> None:
    check(*CASES[name])


@pytest.mark.parametrize("name", IMAGES)
def test_image_quirk(name: str) -> None:
    check(*IMAGES[name])


@pytest.mark.parametrize("name", ROUNDED)
def test_rounding_quirk(name: str) -> None:
    registry.use("exact")
    check(*ROUNDED[name])


def test_every_quirk_has_a_test_and_a_description() -> None:
    assert {*CASES, *IMAGES, *ROUNDED} == set(dl.QUIRKS)
    for name, entry in dl.QUIRKS.items():
        assert entry.name == name
        assert entry.source
        assert entry.formula.endswith(".")
    with pytest.raises(ValueError, match="already"):
        quirks.behavior("SGD_rule", "", "")


# The switch


def test_default_numerics() -> None:
    assert dl.get_numerics() == dl.getNumerics() == "tfjs"
    assert m().divide(A1([7], "int32"), A1([2], "int32")).get(0) == 3


def test_numerics_as_setting_and_context_manager() -> None:
    dl.numerics("deeplearn.js")
    assert dl.get_numerics() == "deeplearn.js"
    with dl.numerics("tfjs") as inner:
        assert dl.get_numerics() == "tfjs"
        dl.numerics("deeplearn.js")
        assert dl.get_numerics() == "deeplearn.js", "a setting inside a with block applies until its end"
        with dl.numerics("tfjs"):
            assert dl.get_numerics() == "tfjs"
        assert dl.get_numerics() == "deeplearn.js"
    assert "tfjs" in repr(inner)
    assert dl.get_numerics() == "deeplearn.js"
    dl.numerics("tfjs")
    with pytest.raises(KeyError), dl.numerics("deeplearn.js"):
        raise KeyError
    assert dl.get_numerics() == "tfjs"
    with pytest.raises(ValueError, match=r"deeplearn\.js"):
        dl.numerics("numpy")  # type: ignore[arg-type]


def numerics_in_new_thread() -> str:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(dl.get_numerics()))
    thread.start()
    thread.join()
    return found[0]


def test_setting_is_global_and_context_is_thread_local() -> None:
    dl.numerics("deeplearn.js")
    assert numerics_in_new_thread() == "deeplearn.js"
    with dl.numerics("tfjs"):
        assert numerics_in_new_thread() == "deeplearn.js"
    dl.numerics("tfjs")
    with dl.numerics("deeplearn.js"):
        assert numerics_in_new_thread() == "tfjs"


def test_context_is_task_local() -> None:
    async def ask(mode: Any) -> str:
        with dl.numerics(mode):
            await asyncio.sleep(0)
            return dl.get_numerics()

    async def main() -> list[str]:
        return await asyncio.gather(*[ask(mode) for mode in ("tfjs", "deeplearn.js") * 3])

    assert asyncio.run(main()) == ["tfjs", "deeplearn.js"] * 3
    assert dl.get_numerics() == "tfjs"


def test_numerics_do_not_affect_tf() -> None:
    with dl.numerics("deeplearn.js"):
        assert tf.div(tf.tensor1d([7], "int32"), tf.tensor1d([2], "int32")).array_sync() == [3]
        assert tf.tensor1d([NAN], "int32").array_sync() == [0]
        assert tf.softmax([1000.0, 1001.0]).array_sync()[0] == pytest.approx(0.2689414, abs=1e-7)  # type: ignore[index]
