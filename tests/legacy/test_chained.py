"""Methods of arrays in deeplearn.js 0.5: values, lifetimes, gradients, and numpy functions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy import legacy as dl
from tfpy.core.naming.names import camel
from tfpy.legacy.naming.generated_names import CHAINED_OPS

A1, A2 = dl.Array1D.new, dl.Array2D.new

# Methods of tensors in 0.5.1 that arrays did not have before.
NAMES = """
    buffer toFloat toInt toBool print reshapeAs expandDims clone toString tile gather matMul norm slice reverse concat
    stack pad batchNormalization logSumExp sum mean min max argMin argMax add addStrict sub subStrict pow powStrict mul
    mulStrict div divStrict minimum minimumStrict maximum maximumStrict transpose notEqual notEqualStrict less lessStrict
    equal equalStrict lessEqual lessEqualStrict greater greaterStrict greaterEqual greaterEqualStrict logicalAnd
    logicalOr logicalXor where neg ceil floor exp log sqrt square abs clipByValue relu elu selu leakyRelu prelu sigmoid
    sin cos tan asin acos atan sinh cosh tanh step softmax resizeBilinear conv1d conv2d conv2dTranspose depthwiseConv2D
    avgPool maxPool minPool localResponseNormalization variable
"""

VALUES: dict[str, tuple[Callable[[dl.NDArray], Any], Any]] = {
    "op": (lambda a: a.square(), [[1, 4], [9, 16]]),
    "chain": (lambda a: a.sub(a.mean()).square().sum(), 5),
    "options": (lambda a: a.sum(axis=0, keepDims=True), [[4, 6]]),
    "add": (lambda a: a.add(A1([10, 20])), [[11, 22], [13, 24]]),
    "add of a tensor": (lambda a: a.add(tf.scalar(1)), [[2, 3], [4, 5]]),
    "add to a Scalar": (lambda a: dl.Scalar.new(1).add(a), [[2, 3], [4, 5]]),
    "argMax over all elements": (lambda a: a.argMax(), 3),
    "concat": (lambda a: a.concat(a, 1), [[1, 2, 1, 2], [3, 4, 3, 4]]),
    "stack": (lambda a: a.stack(a.neg()), [[[1, 2], [3, 4]], [[-1, -2], [-3, -4]]]),
    "where": (lambda a: a.where(A1([1, 0], "bool"), a.neg()), [[1, 2], [-3, -4]]),
    "batchNormalization": (lambda a: a.batchNormalization(A1([1, 2]), A1([1, 4]), 0), [[0, 0], [2, 1]]),
    "resizeBilinear": (lambda a: a.as3D(2, 2, 1).resizeBilinear([1, 1]), [[[1]]]),
    "localResponseNormalization": (
        lambda a: a.as3D(2, 2, 1).localResponseNormalization(1, 6, 1, 1, "withinChannel"),
        [[[1 / 36], [2 / 36]], [[3 / 36], [4 / 36]]],
    ),
    "reshapeAs": (lambda a: a.reshapeAs(dl.Array1D.zeros([4])), [1, 2, 3, 4]),
    "casts": (lambda a: a.mul(dl.Scalar.new(0.6)).toInt().toBool().toFloat(), [[0, 1], [1, 1]]),
    "variable": (lambda a: a.variable(), [[1, 2], [3, 4]]),
    "strict op": (lambda a: a.mulStrict(a), [[1, 4], [9, 16]]),
}


@pytest.mark.parametrize("name", NAMES.split())
def test_arrays_have_the_methods_of_05(name: str) -> None:
    assert callable(getattr(dl.NDArray, name))


@pytest.mark.parametrize(
    "make",
    [lambda: dl.tensor([1, 2]), lambda: dl.sqrt(tf.tensor1d([1, 4])), lambda: dl.variable(A1([1, 2]))],
)
def test_results_of_functions_and_variables_have_the_methods_of_05(make: Callable[[], Any]) -> None:
    array = make()
    for name in (*NAMES.split(), "flatten", "asScalar", "as1D", "as2D", "as3D", "as4D", "squeeze", "getValuesAsync"):
        assert callable(getattr(array, name))
    first = array.get(0)
    assert (first, array.locToIndex([1]), array.indexToLoc(1), array.getValues()[0]) == (1, 1, [1], 1)
    assert asyncio.run(array.val(0)) == 1
    assert array.rankType == "1"
    results = (
        array.neg(),
        array.mul(2),
        array.reshape([1, 2]),
        array.asType("int32"),
        array.concat(array),
        array.argMax(),
    )
    for found in results:
        assert isinstance(found, dl.NDArray)


def test_functions_return_the_class_of_the_rank() -> None:
    scalar, vector, matrix = dl.scalar(1), dl.ones([2]), dl.tensor2d([[1, 2]])
    assert isinstance(scalar, dl.Scalar)
    assert isinstance(vector, dl.Tensor1D)
    assert isinstance(dl.matMul(matrix, matrix, False, True), dl.Tensor2D)
    vector.set(5, 0)
    assert vector.getValues().tolist() == [5, 1]


def test_functions_leave_their_arguments_intact() -> None:
    tensor = tf.tensor1d([1, 2])
    assert dl.cast(tensor, "float32").get(1) == dl.reshape(x=tensor, shape=[2]).get(1) == 2
    assert tensor.array_sync() == [1, 2]


ROW = [[1.0, 2.0]]
FUNCTION_CASES: dict[str, tuple[Callable[[], Any], Any]] = {
    "moments": (lambda: dl.moments(A1([1, 3])).variance, 1),
    "basicLSTMCell": (lambda: dl.basicLSTMCell(dl.scalar(1), dl.zeros([3, 4]), dl.zeros([4]), ROW, [[2.0]], [[0.0]])[0], [[1.4621172]]),
    "multiRNNCell": (lambda: dl.multiRNNCell([lambda data, c, h: [dl.add(c, 1), h]], ROW, [ROW], [ROW])[0][0], [[2, 3]]),
    "grad": (lambda: dl.grad(lambda x: dl.mul(x, x.get(1)))(A1([1, 3]), A1([1, 10])), [3, 30]),
    "grad of grad": (lambda: dl.grad(lambda x: dl.grad(lambda y: y.square().mul(y))(x))(A1([2])), [12]),
    "grads": (lambda: dl.grads(lambda x, y: x.mul(y))([A1([1]), A1([3])])[0], [3]),
    "valueAndGrad": (lambda: dl.valueAndGrad(lambda x: x.square())(A1([3])).grad, [6]),
    "valueAndGrads": (lambda: dl.valueAndGrads(lambda x: x.square())([A1([3])]).grads[0], [6]),
    "variableGrads": (lambda: dl.variableGrads(dl.variable(dl.scalar(3), True, "given").square).grads["given"], 6),
    "customGrad": (lambda: dl.customGrad(lambda x: (x.square(), lambda dy: dy.mul(x.get(0))))(A1([3])), [9]),
    "second gradient of customGrad": (
        lambda: dl.grad(dl.grad(dl.customGrad(lambda x: (x.square(), lambda dy: dy.mul(x.square())))))(A1([3])), [6]
    ),
    "gradient of customGrad": (lambda: dl.grad(dl.customGrad(lambda x: (x.square(), lambda dy: dy.mul(x.get(0)))))(A1([3])), [3]),
}  # fmt: skip


@pytest.mark.parametrize("case", FUNCTION_CASES)
def test_functions_take_and_return_arrays(case: str) -> None:
    compute, expected = FUNCTION_CASES[case]
    found = compute()
    assert isinstance(found, dl.NDArray)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=ROUNDING)


def test_arithmetic_operators() -> None:
    a = A1([1, 2])
    assert ((a + 1) * a - 2).array_sync() == [0, 4]
    assert (1 - a / 2).array_sync() == [0.5, 0]
    assert (2 / -a).numpy().tolist() == [-2, -1]
    assert isinstance(a + tf.scalar(1), dl.Array1D)


def test_training_and_gradients_with_plain_functions() -> None:
    x, v = dl.tensor1d([1, 2]), dl.variable(dl.scalar(1))
    cost = dl.train.sgd(0.1).minimize(lambda: dl.mean(dl.square(x - v)), True)
    assert (cost.get(), round(v.get(), 6)) == (0.5, 1.1)
    assert dl.value_and_grad(lambda z: dl.square(z))(dl.scalar(3)).value.get() == 9
    assert dl.grad(lambda z: dl.sum(x.mul(z)))(dl.scalar(2)).array_sync() == 3


@pytest.mark.parametrize("name", CHAINED_OPS.split())
def test_both_spellings_are_one_method(name: str) -> None:
    plain = name.rpartition(".")[2]
    spelling = "depthwiseConv2D" if plain == "depthwise_conv2d" else camel(plain, "")
    assert getattr(dl.NDArray, plain) is getattr(dl.NDArray, spelling)
    assert getattr(dl.NDArray, plain).__doc__


@pytest.mark.parametrize("case", VALUES)
def test_values_of_methods(case: str) -> None:
    compute, expected = VALUES[case]
    found = compute(A2([2, 2], [1, 2, 3, 4]))
    np.testing.assert_allclose(np.asarray(found), expected)
    assert isinstance(found, (dl.NDArray, dl.Variable))


def test_print_to_string_and_buffer(capsys: pytest.CaptureFixture[str]) -> None:
    a = A1([1, 2])
    a.print()
    assert capsys.readouterr().out == "Tensor\n    [1, 2]\n"
    a.print(True)
    verbose = "Tensor\n  dtype: float32\n  rank: 1\n  shape: [2]\n  values:\n    [1, 2]"
    assert capsys.readouterr().out == verbose + "\n"
    assert a.toString() == verbose
    copy = a.buffer()
    copy.set(5, 0)
    assert (copy.get(0), a.get(0)) == (5, 1)


def test_add_with_a_number_writes_an_element() -> None:
    a = A1([1, 2])
    a.add(5, 1)
    assert list(a.get_values()) == [1, 7]
    with pytest.raises(ValueError, match="add: argument 'locs' must be 1 indices"):
        a.add(5)


def test_scopes_dispose_intermediate_results_of_chains(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, 2])
    before = math.getNumArrays()
    result = math.scope(lambda: a.square().add(a).sum())
    assert (result.get(), math.getNumArrays() - before) == (8, 1)


def test_gradients_and_numerics(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, -2])
    np.testing.assert_allclose(np.asarray(math.gradients(lambda: a.square().sum(), a)), [2, -4])
    np.testing.assert_allclose(np.asarray(dl.grad(lambda x: x.square().sum())(a)), [2, -4])
    integer = A1([7], "int32")
    assert integer.div(A1([2], "int32")).get(0) == 3
    with dl.numerics("deeplearn.js"):
        assert integer.div(A1([2], "int32")).get(0) == 3.5


def test_numpy_functions_accept_arrays() -> None:
    a = A2([2, 2], [1, 2, 3, 4])
    assert (np.sum(a), np.mean(a), np.argmax(a), np.max(a, axis=0).tolist()) == (10, 2.5, 3, [3, 4])
    assert np.concatenate([a, a]).shape == (4, 2)
    assert np.transpose(a).tolist() == [[1, 3], [2, 4]]


def test_gradient_of_a_function_that_uses_the_array_itself() -> None:
    a = A1([1, 2])
    assert dl.grad(lambda x: a.square())(a).get_values().tolist() == [2, 4]
    assert dl.grad(lambda x: dl.mul(a, x))(a).get_values().tolist() == [2, 4]


def test_gradients_by_the_same_array_given_twice() -> None:
    """Each is the full gradient, as in `tf.grads` and deeplearn.js 0.5.1."""
    y = A1([1, 2])
    for found in (dl.grads(lambda a, b: a.mul(b))([y, y]), dl.valueAndGrads(lambda a, b: a.mul(b))([y, y]).grads):
        assert [g.getValues().tolist() for g in found] == [[2, 4], [2, 4]]
