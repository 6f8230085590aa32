"""Methods of arrays as deeplearn.js 0.5 has them: values, lifetimes, gradients, and what numpy makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl
from tfpy.core.names import camel
from tfpy.legacy.derived import CHAINED_OPS

A1, A2 = dl.Array1D.new, dl.Array2D.new

# All methods of 0.5.1's tensors that arrays do not have anyway.
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
    "an op": (lambda a: a.square(), [[1, 4], [9, 16]]),
    "a chain": (lambda a: a.sub(a.mean()).square().sum(), 5),
    "options": (lambda a: a.sum(axis=0, keepDims=True), [[4, 6]]),
    "add": (lambda a: a.add(A1([10, 20])), [[11, 22], [13, 24]]),
    "add of a tensor": (lambda a: a.add(tf.scalar(1)), [[2, 3], [4, 5]]),
    "add to a Scalar": (lambda a: dl.Scalar.new(1).add(a), [[2, 3], [4, 5]]),
    "of all elements": (lambda a: a.argMax(), 3),
    "concat": (lambda a: a.concat(a, 1), [[1, 2, 1, 2], [3, 4, 3, 4]]),
    "stack": (lambda a: a.stack(a.neg()), [[[1, 2], [3, 4]], [[-1, -2], [-3, -4]]]),
    "where": (lambda a: a.where(A1([1, 0], "bool"), a.neg()), [[1, 2], [-3, -4]]),
    "batchNormalization": (lambda a: a.batchNormalization(A1([1, 2]), A1([1, 4]), 0), [[0, 0], [2, 1]]),
    "resizeBilinear": (lambda a: a.as3D(2, 2, 1).resizeBilinear([1, 1]), [[[1]]]),
    "reshapeAs": (lambda a: a.reshapeAs(dl.Array1D.zeros([4])), [1, 2, 3, 4]),
    "to and fro": (lambda a: a.mul(dl.Scalar.new(0.6)).toInt().toBool().toFloat(), [[0, 1], [1, 1]]),
    "variable": (lambda a: a.variable(), [[1, 2], [3, 4]]),
    "the strict": (lambda a: a.mulStrict(a), [[1, 4], [9, 16]]),
}


@pytest.mark.parametrize("name", NAMES.split())
def test_arrays_have_the_methods_of_05(name: str) -> None:
    assert callable(getattr(dl.NDArray, name))


@pytest.mark.parametrize("name", CHAINED_OPS.split())
def test_both_spellings_are_one_method(name: str) -> None:
    plain = name.rpartition(".")[2]
    spelling = "depthwiseConv2D" if plain == "depthwise_conv2d" else camel(plain, "")
    assert getattr(dl.NDArray, plain) is getattr(dl.NDArray, spelling)
    assert getattr(dl.NDArray, plain).__doc__


@pytest.mark.parametrize("case", VALUES)
def test_values(case: str) -> None:
    compute, expected = VALUES[case]
    found = compute(A2([2, 2], [1, 2, 3, 4]))
    np.testing.assert_allclose(np.asarray(found), expected)
    assert isinstance(found, (dl.NDArray, dl.Variable))


def test_text_and_buffer(capsys: pytest.CaptureFixture[str]) -> None:
    a = A1([1, 2])
    a.print()
    assert "[1, 2]" in capsys.readouterr().out
    assert "[1, 2]" in a.toString()
    copy = a.buffer()
    copy.set(5, 0)
    assert (copy.get(0), a.get(0)) == (5, 1)


def test_numbers_are_still_written() -> None:
    a = A1([1, 2])
    a.add(5, 1)
    assert list(a.get_values()) == [1, 7]
    with pytest.raises(ValueError, match="add: argument 'locs' must be 1 indices"):
        a.add(5)


def test_scopes_free_what_chains_make(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, 2])
    before = math.getNumArrays()
    result = math.scope(lambda: a.square().add(a).sum())
    assert (result.get(), math.getNumArrays() - before) == (8, 1)


def test_gradients_and_numerics(math: dl.NDArrayMathCPU) -> None:
    a = A1([1, -2])
    np.testing.assert_allclose(np.asarray(math.gradients(lambda: a.square().sum(), a)), [2, -4])
    np.testing.assert_allclose(np.asarray(dl.grad(lambda x: x.square().sum())(a)), [2, -4])
    whole = A1([7], "int32")
    assert whole.div(A1([2], "int32")).get(0) == 3
    with dl.numerics("deeplearn.js"):
        assert whole.div(A1([2], "int32")).get(0) == 3.5


def test_numpys_functions_work_on_arrays() -> None:
    a = A2([2, 2], [1, 2, 3, 4])
    assert (np.sum(a), np.mean(a), np.argmax(a), np.max(a, axis=0).tolist()) == (10, 2.5, 3, [3, 4])
    assert np.concatenate([a, a]).shape == (4, 2)
    assert np.transpose(a).tolist() == [[1, 3], [2, 4]]
