"""Methods of NDArrayMath: values, invalid arguments, backends, debug mode, storage."""

from __future__ import annotations

import asyncio
import math as python_math
from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf
from tfpy import legacy as dl
from tfpy.engine.backend import registry
from tfpy.engine.cpu import CpuBackend

A1, A2, A3, A4 = dl.Array1D.new, dl.Array2D.new, dl.Array3D.new, dl.Array4D.new
S = dl.Scalar.new
MATRIX_2X3 = [[1, 2, 3], [4, 5, 6]]
MATRIX_3X2 = [[1, 2], [3, 4], [5, 6]]


def nested(result: Any) -> Any:
    return np.asarray(result).tolist()


def close(result: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(result), expected, rtol=ACCUMULATED, atol=ROUNDING)


def m() -> dl.NDArrayMath:
    return dl.ENV.math


VALUES: list[tuple[str, Any, Any]] = [
    ("matMul", lambda: m().matMul(A2([2, 3], MATRIX_2X3), A2([3, 2], MATRIX_3X2)), [[22, 28], [49, 64]]),
    (
        "matMul transposed",
        lambda: m().matMul(
            A2([2, 3], MATRIX_2X3), A2([3, 2], MATRIX_3X2), dl.MatrixOrientation.TRANSPOSED, dl.MatrixOrientation.TRANSPOSED
        ),
        [[9, 19, 29], [12, 26, 40], [15, 33, 51]],
    ),
    ("matMul second", lambda: m().mat_mul(A2([2, 3], MATRIX_2X3), A2([2, 3], MATRIX_2X3), 0, 1), [[14, 32], [32, 77]]),
    ("vectorTimesMatrix", lambda: m().vectorTimesMatrix(A1([1, 2]), A2([2, 3], MATRIX_2X3)), [9, 12, 15]),
    ("matrixTimesVector", lambda: m().matrixTimesVector(A2([2, 3], MATRIX_2X3), A1([0, 1, 2])), [8, 17]),
    ("dotProduct", lambda: m().dotProduct(A1([1, 2]), A1([3, 4])), 11),
    ("outerProduct", lambda: m().outerProduct(A1([1, 2]), A1([3, 4])), [[3, 4], [6, 8]]),
    ("clone", lambda: m().clone(A1([1, 2])), [1, 2]),
    ("reshape", lambda: m().reshape(A1([1, 2]), [2, 1]), [[1], [2]]),
    ("slice1D", lambda: m().slice1D(A1([1, 2, 3]), 1, 2), [2, 3]),
    ("slice1D to the end", lambda: m().slice1D(A1([1, 2, 3]), 1, -1), [2, 3]),
    ("slice2D", lambda: m().slice2D(A2([2, 3], MATRIX_2X3), [0, 1], [2, 1]), [[2], [5]]),
    ("slice3D", lambda: m().slice3D(A3([1, 2, 2], [1, 2, 3, 4]), [0, 1, 0], [1, 1, 2]), [[[3, 4]]]),
    ("slice4D", lambda: m().slice4D(A4([1, 1, 2, 2], [1, 2, 3, 4]), [0, 0, 0, 1], [1, 1, 2, 1]), [[[[2], [4]]]]),
    ("reverse1D", lambda: m().reverse1D(A1([1, 2])), [2, 1]),
    ("reverse2D", lambda: m().reverse2D(A2([1, 2], [1, 2]), 1), [[2, 1]]),
    ("reverse3D", lambda: m().reverse3D(A3([1, 1, 2], [1, 2]), [2]), [[[2, 1]]]),
    ("reverse4D", lambda: m().reverse4D(A4([1, 1, 1, 2], [1, 2]), [3]), [[[[2, 1]]]]),
    ("concat", lambda: m().concat([A1([1]), A1([2, 3])]), [1, 2, 3]),
    ("concat1D", lambda: m().concat1D(A1([1]), A1([2])), [1, 2]),
    ("concat2D", lambda: m().concat2D(A2([1, 1], [1]), A2([1, 1], [2]), 1), [[1, 2]]),
    ("concat3D", lambda: m().concat3D(A3([1, 1, 2], [1, 2]), A3([1, 1, 2], [3, 4]), 2), [[[1, 2, 3, 4]]]),
    ("concat4D", lambda: m().concat4D(A4([1, 1, 1, 1], [1]), A4([1, 1, 1, 1], [2]), 0), [[[[1]]], [[[2]]]]),
    ("logSumExp", lambda: m().logSumExp(A1([1, 2, 3])), 3.4076059),
    ("sum", lambda: m().sum(A2([2, 3], MATRIX_2X3)), 21),
    ("sum axis", lambda: m().sum(A2([2, 3], MATRIX_2X3), 1, True), [[6], [15]]),
    ("mean", lambda: m().mean(A2([2, 3], MATRIX_2X3), 0), [2.5, 3.5, 4.5]),
    ("argMin", lambda: m().argMin(A1([3, 1, 1])), 1),
    ("argMax", lambda: m().argMax(A1([3, 9, 1, 9])), 1),
    ("argMax axis", lambda: m().argMax(A2([2, 3], MATRIX_2X3), 0), [1, 1, 1]),
    ("argMaxEquals", lambda: m().argMaxEquals(A1([1, 3]), A1([0, 1])), True),
    ("min", lambda: m().min(A2([2, 3], MATRIX_2X3), 1), [1, 4]),
    ("max", lambda: m().max(A2([2, 3], MATRIX_2X3)), 6),
    ("maximum", lambda: m().maximum(A1([1, 4]), A1([2, 3])), [2, 4]),
    ("minimumStrict", lambda: m().minimumStrict(A1([1, 4]), A1([2, 3])), [1, 3]),
    ("softmax", lambda: m().softmax(A1([1, 2, 3])), [0.0900306, 0.2447285, 0.665241]),
    ("equal", lambda: m().equal(A1([1, 2]), S(2)), [False, True]),
    ("lessStrict", lambda: m().lessStrict(A1([1, 2]), A1([2, 1])), [True, False]),
    ("logicalXor", lambda: m().logicalXor(A1([1, 0], "bool"), A1([1, 1], "bool")), [False, True]),
    ("where", lambda: m().where(A1([1, 0], "bool"), A1([1, 2]), A1([3, 4])), [1, 4]),
    ("topK", lambda: m().topK(A1([3, 9, 1, 9, 5]), 3).values, [9, 9, 5]),
    ("topK indices", lambda: m().top_k(A1([3, 9, 1, 9, 5]), 3).indices, [1, 3, 4]),
    ("transpose", lambda: m().transpose(A2([2, 3], MATRIX_2X3)), [[1, 4], [2, 5], [3, 6]]),
    ("switchDim", lambda: m().switchDim(A2([1, 2], [1, 2]), [1, 0]), [[1], [2]]),
    ("gather", lambda: m().gather(A1([5, 6, 7]), A1([2, 0], "int32")), [7, 5]),
    ("tile", lambda: m().tile(A1([1, 2]), [2]), [1, 2, 1, 2]),
    ("pad1D", lambda: m().pad1D(A1([1]), [1, 2], 9), [9, 1, 9, 9]),
    ("pad2D", lambda: m().pad2D(A2([1, 1], [1]), [[0, 1], [1, 0]]), [[0, 1], [0, 0]]),
    ("oneHot", lambda: m().oneHot(A1([1, 0], "int32"), 2, 5, -1), [[-1, 5], [5, -1]]),
    ("scaledArrayAdd", lambda: m().scaledArrayAdd(S(2), A1([1, 2]), S(3), A1([1, 1])), [5, 7]),
    ("scalarPlusArray", lambda: m().scalarPlusArray(S(2), A1([1, 2])), [3, 4]),
    ("scalarMinusArray", lambda: m().scalarMinusArray(S(2), A1([1, 2])), [1, 0]),
    ("arrayMinusScalar", lambda: m().arrayMinusScalar(A1([1, 2]), S(2)), [-1, 0]),
    ("scalarTimesArray", lambda: m().scalarTimesArray(S(2), A1([1, 2])), [2, 4]),
    ("scalarDividedByArray", lambda: m().scalarDividedByArray(S(2), A1([1, 2])), [2, 1]),
    ("arrayDividedByScalar", lambda: m().arrayDividedByScalar(A1([1, 2]), S(2)), [0.5, 1]),
    ("elementWiseMul", lambda: m().elementWiseMul(A1([1, 2]), A1([3, 4])), [3, 8]),
    ("elementWiseMulBroadcast", lambda: m().elementWiseMulBroadcast(A2([1, 2], [1, 2]), A2([2, 1], [3, 4])), [[3, 6], [4, 8]]),
    ("multiply", lambda: m().multiply(A2([2, 3], MATRIX_2X3), A2([2, 1], [10, 20])), [[10, 20, 30], [80, 100, 120]]),
    ("divide", lambda: m().divide(A1([1, -1, 0]), A1([0, 0, 0])), [np.inf, -np.inf, np.nan]),
    ("subtract", lambda: m().subtract(A1([1, 2]), S(1)), [0, 1]),
    ("pow", lambda: m().pow(A1([2, 3]), S(2, "int32")), [4, 9]),
    ("step", lambda: m().step(A1([2, 0, -1]), 0.5), [1, 0.5, 0.5]),
    ("leakyRelu", lambda: m().leakyRelu(A1([-1, 1])), [-0.2, 1]),
    ("prelu", lambda: m().prelu(A1([-1, 1]), A1([3, 3])), [-3, 1]),
    ("preluDer", lambda: m().preluDer(A1([-1, 2]), A1([3, 3])), [3, 1]),
    ("elu", lambda: m().elu(A1([-1, 1])), [-0.6321205, 1]),
    ("eluDer", lambda: m().eluDer(A1([-1, 1])), [0.3678794, 1]),
    ("selu", lambda: m().selu(A1([-1, 1])), [-1.1113307, 1.050701]),
    ("clip", lambda: m().clip(A1([-5, 0.5, 5]), -1, 1), [-1, 0.5, 1]),
    ("cast", lambda: m().cast(A1([1.7]), "int32"), [1]),
    ("norm", lambda: m().norm(A1([3, 4])), 5),
    ("moments", lambda: m().moments(A1([1, 3])).variance, 1),
    ("softmaxCrossEntropyWithLogits", lambda: m().softmaxCrossEntropyWithLogits(A2([1, 2], [0, 1]), A2([1, 2], [0, 0])), [python_math.log(2)]),
    ("softmaxCrossEntropy", lambda: m().softmaxCrossEntropy(A2([1, 2], [0, 1]), A2([1, 2], [0, 0]), 1), [python_math.log(2)]),
    ("multinomial", lambda: m().multinomial(A1([0.2, 0.3, 0.5]), 10, 42), [2, 2, 2, 0, 2, 2, 0, 2, 2, 1]),
]  # fmt: skip


@pytest.mark.parametrize(("compute", "expected"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_values_of_methods(compute: Any, expected: Any, backend: str) -> None:
    result = compute()
    assert isinstance(result, dl.NDArray)
    close(result, expected)


def test_convolutions() -> None:
    x, f = A3([3, 3, 1], range(1, 10)), A4([2, 2, 1, 1], [1, 2, 3, 4])
    close(m().conv2d(x, f, None, 1, 0), np.reshape([37, 47, 67, 77], (2, 2, 1)))
    close(m().conv2d(x, f, A1([1]), [1, 1], "valid"), np.reshape([38, 48, 68, 78], (2, 2, 1)))
    padded = [4, 11, 18, 9, 18, 37, 47, 21, 36, 67, 77, 33, 14, 23, 26, 9]
    close(m().conv2d(x, f, None, 1, 1), np.reshape(padded, (4, 4, 1)))
    close(m().conv2d(x, f, None, 1, "same"), np.reshape([37, 47, 21, 67, 77, 33, 23, 26, 9], (3, 3, 1)))
    transposed = [1, 4, 4, 6, 20, 16, 9, 24, 16]
    dy = A3([2, 2, 1], [1, 2, 3, 4])
    close(m().conv2dTranspose(dy, f, [3, 3, 1], 1, 0), np.reshape(transposed, (3, 3, 1)))
    close(m().conv2dDerInput([3, 3, 1], dy, f, 1, 0), np.reshape(transposed, (3, 3, 1)))
    close(m().conv2dDerBias(dy), [10])
    found = m().conv2dBackProp(x, dy, f, 1, 0)
    close(found.dw, np.reshape([37, 47, 67, 77], (2, 2, 1, 1)))
    close(found.db, [10])
    close(found.dx, np.reshape(transposed, (3, 3, 1)))
    close(m().conv1d(A2([3, 1], [1, 2, 3]), A3([2, 1, 1], [1, 10]), None, 1, 0), [[21], [32], [3]])
    close(m().depthwiseConv2D(x, f, 1, "valid"), np.reshape([37, 47, 67, 77], (2, 2, 1)))


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
def test_bias_of_wrong_length_raises(numerics: Any) -> None:
    with dl.numerics(numerics):
        with pytest.raises(ValueError, match="conv2d: argument 'bias' must be of 2 numbers"):
            m().conv2d(A3([1, 1, 1], [1]), A4([1, 1, 1, 2], [1, 2]), A1([1, 2, 3]), 1, 0)
        with pytest.raises(ValueError, match="conv1d: argument 'bias' must be of 2 numbers"):
            m().conv1d(A2([1, 1], [1]), A3([1, 1, 2], [1, 2]), A1([1]), 1, 0)


def test_pools() -> None:
    x = A3([3, 3, 1], range(1, 10))
    close(m().maxPool(x, 2, 1, 0), np.reshape([5, 6, 8, 9], (2, 2, 1)))
    close(m().minPool(x, 2, 1, 0), np.reshape([1, 2, 4, 5], (2, 2, 1)))
    close(m().avgPool(x, 2, 1, 0), np.reshape([3, 4, 6, 7], (2, 2, 1)))
    with dl.numerics("deeplearn.js"):
        assert m().avgPool(x, 2, 1, 1).get(0, 0, 0) == 0.25
    dy = A3([2, 2, 1], [1, 2, 3, 4])
    close(m().maxPoolBackprop(dy, x, 2, 1, 0), np.reshape([0, 0, 0, 0, 1, 2, 0, 3, 4], (3, 3, 1)))
    assert m().avgPoolBackprop(dy, x, 2, 1, 0).get(1, 1, 0) == 2.5


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize("order", [1, 2, "euclidean", float("inf")])
def test_norm_over_no_axes_is_the_absolute_value(numerics: Any, order: Any) -> None:
    """As in 0.3.17, 0.5.1 and TF.js."""
    with dl.numerics(numerics):
        close(m().norm(A1([3, -4]), order, []), [3, 4])


@pytest.mark.parametrize(("numerics", "dtype"), [("tfjs", "bool"), ("deeplearn.js", "float32")])
def test_min_pool_of_bool(numerics: Any, dtype: str) -> None:
    x = A3([2, 2, 1], [1, 0, 1, 1], "bool")
    with dl.numerics(numerics):
        found = m().minPool(x, 2, 1, 0)
        assert (found.dtype, found.get(0, 0, 0)) == (dtype, 0)
        close(m().minPool(x, 2, 1, 1), np.reshape([1, 0, 0, 1, 0, 0, 1, 1, 1], (3, 3, 1)))


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
def test_dim_rounding_mode(numerics: Any) -> None:
    """The argument dimRoundingMode of 0.4."""
    x, f = A3([3, 3, 1], range(1, 10)), A4([2, 2, 1, 1], [1, 2, 3, 4])
    with dl.numerics(numerics):
        close(m().maxPool(x, 2, 2, 0, "floor"), [[[5]]])
        close(m().maxPool(x, 2, 2, 0, dimRoundingMode="ceil"), np.reshape([5, 6, 8, 9], (2, 2, 1)))
        close(m().minPool(x, 2, 2, 0, "round"), np.reshape([1, 3, 7, 9], (2, 2, 1)))
        close(m().avgPool(x, 2, 2, 0, "floor"), [[[3]]])
        close(x.minPool(2, 2, 0, "floor"), [[[1]]])
        close(m().conv2d(x, f, None, 2, 0, "floor"), [[[37]]])
        close(m().conv2d(x, f, None, 2, 0, "ceil"), np.reshape([37, 21, 23, 9], (2, 2, 1)))
        close(m().depthwiseConv2D(x, f, 2, 0, 1, "floor"), [[[37]]])
        close(
            m().maxPoolBackprop(A3([1, 1, 1], [7]), x, 2, 2, 0, "floor"), np.reshape([0] * 4 + [7] + [0] * 4, (3, 3, 1))
        )
        with pytest.raises(ValueError, match="'dim_rounding_mode'"):
            m().maxPool(x, 2, 2, 0, "up")
        for rounded in (
            lambda: m().maxPool(x, 2, 2, "same", "up"),
            lambda: m().conv2d(x, f, None, 2, "valid", "floor"),
        ):
            with pytest.raises(ValueError, match="dim_rounding_mode"):  # without a numeric pad
                rounded()
    row, taps = A2([3, 1], [1, 2, 3]), A3([2, 1, 1], [1, 10])
    for rounding in ("floor", "ceil"):  # no effect: deeplearn.js computes the output size from the height, which is 1
        close(m().conv1d(row, taps, None, 2, 0, rounding), [[21], [3], [0]])
    close(m().conv1d(row, taps, None, 2, 1, "floor"), [[10], [32]])
    close(m().conv1d(row, taps, None, 2, 1, "ceil"), [[10], [32], [0]])


def test_normalizations() -> None:
    x = A3([1, 2, 2], [1, 2, 3, 4])
    close(m().batchNormalization3D(x, A1([1, 2]), A1([1, 4])), [[[0, 0], [1.9990008, 0.999875]]])
    close(m().batchNormalization2D(A2([1, 2], [1, 2]), A1([1, 2]), A1([1, 4]), 0.001, A1([1, 1]), A1([5, 6])), [[5, 6]])
    close(m().batchNormalization4D(A4([1, 1, 1, 1], [2]), A1([1]), A1([1]), 0), [[[[1]]]])
    # mean and variance of different ranks
    mean, variance = A3([1, 2, 2], [1, 2, 1, 2]), A1([1, 4])
    close(m().batchNormalization3D(x, mean, variance), [[[0, 0], [1.9990008, 0.999875]]])
    close(m().batchNormalization3D(x, A1([1, 2]), variance, 0, A1([1, 2]), mean), [[[1, 2], [3, 4]]])
    with pytest.raises(
        ValueError, match="batch_normalization3d: argument 'scale' must be of x's shape, or of 2 numbers"
    ):
        m().batchNormalization3D(x, mean, variance, 0.001, A1([1, 2, 3]))
    row = A3([1, 1, 4], [1, 2, 3, 4])
    close(m().localResponseNormalization3D(row, 1), [[[0.4082483, 0.5163978, 0.5477226, 0.7844645]]])
    sums = 2 + 0.5 * np.reshape([4, 6, 4, 4, 6, 4], (2, 3, 1))
    ones = dl.Array3D.ones([2, 3, 1])
    close(m().localResponseNormalization3D(ones, 1, 2, 0.5, 0.75, "withinChannel"), sums**-0.75)
    close(
        m().localResponseNormalization4D(ones.as4D(1, 2, 3, 1), 0, 1, 3, 1, "withinChannel"),
        np.full((1, 2, 3, 1), 1 / 4),
    )
    with pytest.raises(ValueError, match="norm_region"):
        m().localResponseNormalization3D(ones, 1, 2, 0.5, 0.75, "across")
    with pytest.raises(ValueError, match="radius"):
        m().localResponseNormalization3D(ones, -1, 2, 0.5, 0.75, "withinChannel")


def test_resizing() -> None:
    x = A3([2, 2, 1], [1, 2, 3, 4])
    plain = [1, 5 / 3, 2, 7 / 3, 3, 10 / 3, 3, 11 / 3, 4]
    close(m().resizeBilinear3D(x, [3, 3]), np.reshape(plain, (3, 3, 1)))
    close(m().resizeBilinear3D(x, [3, 3], True), np.reshape([1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4], (3, 3, 1)))


def test_lstm_cells() -> None:
    kernel = A2([3, 8], [((k % 7) - 3) / 10 for k in range(24)])
    bias = A1([k / 10 for k in range(8)])
    data, c, h = A2([1, 1], [0.5]), A2([1, 2], [0.1, 0.2]), A2([1, 2], [0.3, 0.4])
    new_c, new_h = m().basicLSTMCell(S(1), kernel, bias, data, c, h)
    close(new_c, [[0.16581666, 0.35687975]])
    close(new_h, [[0.10533603, 0.20912112]])

    def cell(data: Any, c: Any, h: Any) -> Any:
        return m().basicLSTMCell(S(1), kernel, bias, data, c, h)

    cs, hs = m().multiRNNCell([cell], data, [c], [h])
    close(cs[0], new_c)
    close(hs[0], new_h)


# Results


def test_result_dtypes() -> None:
    a = A1([7, 2], "int32")
    assert m().argMax(a).dtype == "int32"
    assert m().equal(a, a).dtype == "bool"
    assert m().sum(a).dtype == "int32"
    assert m().mean(a).dtype == "float32"
    assert m().add(a, A1([0.5, 0.5])).dtype == "float32"
    assert m().topK(A1([1, 2]), 1).indices.dtype == "int32"


def test_tensors_and_lists_are_accepted() -> None:
    assert nested(m().add(tf.tensor1d([1, 2]), [3, 4])) == [4, 6]
    assert nested(m().relu([-1, 1])) == [0, 1]


def test_no_op_cast_returns_an_independent_array() -> None:
    a = A1([1, 2])
    b = m().cast(a, "float32")
    a.set(5, 0)
    assert nested(b) == [1, 2]
    a.dispose()
    assert nested(b) == [1, 2]


# Invalid arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: m().matMul(A1([1]), A2([1, 1], [1])), "mat_mul: argument 'a' must be of rank 2"),
        (lambda: m().matMul(A2([1, 2], [1, 2]), A2([1, 2], [1, 2])), "mat_?mul"),
        (lambda: m().matMul(A2([1, 1], [1]), A2([1, 1], [1]), 3), "MatrixOrientation"),
        (lambda: m().vectorTimesMatrix(A1([1]), A2([2, 1], [1, 2])), "rows"),
        (lambda: m().matrixTimesVector(A2([2, 1], [1, 2]), A1([1, 2])), "size 1"),
        (lambda: m().dotProduct(A1([1]), A1([1, 2])), "size 1"),
        (lambda: m().addStrict(A1([1, 2]), S(1)), "add_strict: argument 'b' must be of shape"),
        (lambda: m().elementWiseMul(A1([1, 2]), S(1)), "shape"),
        (lambda: m().scalarPlusArray(A1([1, 2]), A1([1, 2])), "a Scalar"),
        (lambda: m().slice1D(A2([1, 1], [1]), 0, 1), "rank 1"),
        (lambda: m().slice1D(A1([1]), 0, 5), "slice1d: argument 'begin'"),
        (lambda: m().concat2D(A2([1, 2], [1, 2]), A2([1, 1], [1]), 0), "concat"),
        (lambda: m().concat1D(A2([1, 2], [1, 2]), A1([1])), "rank 1"),
        (lambda: m().topK(A1([1]), 2), "top_k: argument 'k'"),
        (lambda: m().add("x", 1), "add"),
        (lambda: m().add(A1([1, 2]), A1([1, 2, 3])), "add"),
        (lambda: m().softmax(A2([1, 1], [1]), 5), "softmax"),
        (lambda: m().multinomial(A1([0.5]), 0.5), "multinomial|num_samples"),
        (lambda: m().pad1D(A1([1]), [1]), "paddings"),
        (lambda: m().argMaxEquals(A1([1]), A1([1, 2])), "shape"),
        (lambda: m().oneHot(A1([1], "int32"), 0), "depth"),
        (lambda: m().softmaxCrossEntropyWithLogits(A1([1, 2]), A1([1, 2]), 5), "last axis"),
    ],
)  # fmt: skip
def test_invalid_arguments_raise(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call()


# Backends


def test_cpu_math_uses_the_current_numpy_backend(backend: str) -> None:
    a = dl.NDArrayMathCPU().neg(A1([1]))
    assert isinstance(a.backend, CpuBackend)
    assert tf.get_backend() == backend


def test_gpu_math_without_gpu_warns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    find = registry.find

    def no_gpu(name: str) -> Any:
        if name != "webgl":
            return find(name)
        raise RuntimeError("webgl: no usable GPU with OpenGL 4.3 was found (no display was found).")

    monkeypatch.setattr("tfpy.legacy.math_backends._warned", [])
    monkeypatch.setattr("tfpy.legacy.math_backends.registry.find", no_gpu)
    with pytest.warns(UserWarning, match=r"the CPU is used instead\. webgl: no usable GPU.*no display was found"):
        gpu = dl.NDArrayMathGPU()
    again = dl.NDArrayMathGPU(None, True)
    assert again.safe_mode
    assert dl.NDArrayMathCPU().add(A1([1]), A1([2])).get(0) == 3
    assert gpu.add(A1([1]), A1([2])).get(0) == 3
    with pytest.raises(RuntimeError, match="context"):
        gpu.getGPGPUContext()


@pytest.mark.cpu
def test_math_keeps_its_backend() -> None:
    exact = dl.NDArrayMath(tf.find_backend("exact"), False)
    a = exact.add(A1([1]), A1([2]))
    assert a.backend is tf.find_backend("exact")
    assert tf.get_backend() == "cpu"
    assert dl.NDArrayMathCPU().neg(a).get(0) == -3
    assert dl.NDArrayMath("exact", False).neg(a).backend is tf.find_backend("exact")
    assert dl.NDArrayMath(dl.MathBackendCPU(), False).neg(a).get(0) == -3
    with pytest.raises(ValueError, match="backend"):
        dl.NDArrayMath("nothing", False)
    with pytest.raises(TypeError, match="backend"):
        dl.NDArrayMath(5, False)


def test_last_created_math_is_the_global_one() -> None:
    first = dl.NDArrayMathCPU()
    assert dl.ENV.math is first
    second = dl.NDArrayMathCPU(True)
    assert dl.ENV.math is second
    assert dl.environment.ENV is dl.ENV
    dl.ENV.setMath(first)
    assert dl.ENV.math is first
    assert A1([1]).math is first
    with pytest.raises(TypeError, match="set_math"):
        dl.ENV.set_math("cpu")  # type: ignore[arg-type]


@pytest.mark.cpu
def test_set_backend_creates_a_math() -> None:
    """As in 0.5: the methods of arrays use the new backend, too."""
    try:
        assert dl.setBackend("exact")
        assert A1([1]).square().backend is tf.find_backend("exact")
        dl.set_backend("cpu", safe_mode=True)
        with pytest.raises(RuntimeError, match="safe mode"):
            A1([1])
        assert dl.tidy(lambda: A1([3]).square().get(0)) == 9
        with pytest.raises(ValueError, match="nothing"):
            dl.set_backend("nothing")
    finally:
        dl.setBackend("cpu")
    assert tf.get_backend() == "cpu"


@pytest.mark.cpu
def test_environment_features() -> None:
    assert dl.ENV.get("WEBGL_VERSION") == dl.ENV.get("WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_VERSION") == 0
    assert dl.Environment({"DEBUG": True}).get("DEBUG") is True
    with pytest.raises(ValueError, match="feature"):
        dl.ENV.get("NOTHING")
    dl.environment.set_environment(dl.Environment({"DEBUG": True}))
    assert dl.ENV.get("DEBUG") is True
    assert dl.ENV.getBestBackend() is dl.ENV.findBackend("cpu") is tf.find_backend("cpu")
    assert dl.ENV.getBestBackendType() == "cpu"


# Debug mode


def test_debug_mode_raises_on_nan(math: dl.NDArrayMathCPU) -> None:
    math.log(A1([-1]))
    with pytest.warns(UserWarning, match="Debug mode"):
        math.enable_debug_mode()
    assert math.log(A1([1])).get(0) == 0
    with pytest.raises(ValueError, match=r"math\.log has NaNs"):
        math.log(A1([-1]))


# Storage


def test_read_write_and_dispose_by_id(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, 2])
    assert list(math.read_sync(a.id)) == list(asyncio.run(math.read(a.id))) == [1, 2]
    math.write(a.id, [5, 6])
    assert nested(a) == [5, 6]
    with pytest.raises(ValueError, match="2 values"):
        math.write(a.id, [1])
    image = A3([1, 1, 3], [0, 0, 0], "int32")
    math.writePixels(image.id, {"width": 1, "height": 1, "data": [7, 8, 9, 255]}, 3)
    assert nested(image) == [[[7, 8, 9]]]
    math.disposeData(a.id)
    assert a.is_disposed
    with pytest.raises(ValueError, match="id"):
        math.read_sync(a.id)


def test_register_arrays_and_variables(math: dl.NDArrayMathCPU) -> None:
    math.register(A1([1]))
    with pytest.raises(TypeError, match="register"):
        math.register(5)  # type: ignore[arg-type]
    v = dl.variable(A1([1]), True, "w")
    math.registerVariable(v)
    with pytest.raises(ValueError, match="'w'"):
        math.register_variable(v)
    other = dl.Variable(A1([2]), False, "other")
    assert (other.getValues().tolist(), other.trainable) == ([2], False)
    assert list(math.registeredVariables) == ["w", "other"]
    assert dl.ENV.engine.registeredVariables["other"] is math.engine.registered_variables["other"] is other
    with pytest.raises(TypeError, match="variable"):
        math.register_variable(5)


def test_copy2d(math: dl.NDArrayMathCPU) -> None:
    source, dest = A2([2, 3], MATRIX_2X3), dl.Array2D.zeros([3, 3])
    view = math.clone(dest)
    math.copy2D(source, [0, 1], [2, 2], dest, [1, 0], [2, 2])
    assert nested(dest) == [[0, 0, 0], [2, 3, 0], [5, 6, 0]]
    assert nested(view) == [[0, 0, 0]] * 3
    with pytest.raises(ValueError, match="copy2d"):
        math.copy2d(source, [0, 0], [2, 2], dest, [0, 0], [1, 1])
    with pytest.raises(ValueError, match="copy2d"):
        math.copy2d(source, [1, 1], [2, 2], dest, [0, 0], [2, 2])


def test_time_is_a_number_and_awaitable(math: dl.NDArrayMathCPU) -> None:
    taken = math.time(lambda: math.neg(A1([1])))
    assert taken > 0
    assert asyncio.run(_awaited(taken)) == taken
    math.dispose()


async def _awaited(value: Any) -> Any:
    return await value
