"""Ops that exist as functions, methods of arrays and methods of math return the same in all forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl
from tfpy.engine.scope import handles_in

NAN = float("nan")
S, A1, A2, A3, A4 = dl.Scalar.new, dl.Array1D.new, dl.Array2D.new, dl.Array3D.new, dl.Array4D.new

# Shared names that are not ops.
NO_OPS = {"buffer", "dispose", "keep", "memory", "print", "time", "variable", "math", "tidy"}
# Creation ops, which are static methods of arrays.
CREATION_OPS = {"ones", "ones_like", "zeros", "zeros_like", "fill", "rand", "from_pixels"}

VECTORS = [A1([0.3, -2, 1.5]), A1([0.5, NAN, 2]), A1([7, -2, 0], "int32"), A1([True, False, True], "bool")]
MATRIX, INT_MATRIX = A2([2, 3], [1, 5, -3, 4, 2, 6]), A2([2, 3], [1, 5, -3, 4, 2, 6], "int32")
IMAGE = A3([5, 5, 2], np.arange(50.0) % 7)
BOOLS = A1([True, False, True], "bool")

UNARY = [(v,) for v in VECTORS] + [(MATRIX,), (INT_MATRIX,)]
PAIRS = [
    (VECTORS[0], VECTORS[1]),
    (VECTORS[2], A1([2, 3, 5], "int32")),
    (BOOLS, BOOLS),
    (VECTORS[0], VECTORS[2]),
    (MATRIX, VECTORS[0]),
]
REDUCED = [*UNARY, (MATRIX, 0), (MATRIX, 1), (INT_MATRIX, 0), (INT_MATRIX, [1, 0], True), (MATRIX, 0, True)]
FILTER = A4([2, 3, 2, 2], np.arange(24.0))
POOLED = [(IMAGE, 2, 1, 1), (IMAGE, 2, 2, 0), (IMAGE, 2, 2, 0, "ceil"), (IMAGE, [2, 3], [2, 1], "same")]
CONVOLVED = [
    (IMAGE, FILTER, 1, "same"),
    (IMAGE, FILTER, 2, 1, "floor"),
    (IMAGE, FILTER, [2, 1], 0),
    (IMAGE, FILTER, 1, 1),
]
NORMALIZED = (A1([1, 2, 3]), A1([1, 4, 9]), 0.1, A1([2, 2, 2]), A1([1, 0, -1]))
BINARY = """
    add add_strict div div_strict sub sub_strict mul mul_strict pow pow_strict maximum maximum_strict minimum
    minimum_strict equal equal_strict not_equal not_equal_strict less less_strict less_equal less_equal_strict greater
    greater_strict greater_equal greater_equal_strict logical_and logical_or logical_xor prelu
"""
# Arguments by function, first the array that has the method. Ops without an entry are unary and use UNARY.
ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    **dict.fromkeys(BINARY.split(), PAIRS),
    **dict.fromkeys(["sum", "max", "min", "mean", "log_sum_exp", "moments"], REDUCED),
    "arg_max": [*UNARY, (MATRIX, 0), (INT_MATRIX, 1)],
    "arg_min": [*UNARY, (MATRIX, 0), (INT_MATRIX, 1)],
    **dict.fromkeys(("avg_pool", "max_pool", "min_pool"), POOLED),
    "basic_lstm_cell": [(S(1), A2([3, 8], [1] * 24), A1([1] * 8), A2([1, 1], [2]), A2([1, 2], [1, 2]), A2([1, 2], [1, 2]))],
    "batch_normalization": [(MATRIX, *NORMALIZED)],
    "batch_normalization2d": [(MATRIX, *NORMALIZED)],
    "batch_normalization3d": [(MATRIX.as_3d(1, 2, 3), *NORMALIZED)],
    "batch_normalization4d": [(MATRIX.as_4d(1, 1, 2, 3), *NORMALIZED)],
    "cast": [(v, dtype) for v in VECTORS for dtype in ("float32", "int32", "bool")],
    "clip_by_value": [(v, -1, 1) for v in VECTORS],
    "concat": [([MATRIX, MATRIX], 1), ([INT_MATRIX, INT_MATRIX], 0)],
    "concat1d": [([VECTORS[2], VECTORS[2]],)],
    **{f"concat{n}d": [([t, t], n - 1)] for n, t in ((2, INT_MATRIX), (3, IMAGE.toInt()), (4, FILTER.toInt()))},
    "conv1d": [(IMAGE, A3([2, 2, 1], [1, 2, 3, 4]), 2, 1, "floor"), (IMAGE, A3([2, 2, 1], [1, 2, 3, 4]), 1, 0)],
    "conv2d": CONVOLVED,
    "conv2d_transpose": [(IMAGE, FILTER, [5, 5, 2], 1, "same"), (IMAGE, FILTER, [10, 10, 2], 2, 1, "floor")],
    "depthwise_conv2d": [*CONVOLVED[:1], *CONVOLVED[2:], (IMAGE, FILTER, 2, 0, [1, 1], "floor")],
    "elu": UNARY,
    "expand_dims": [(MATRIX, 1)],
    "gather": [(MATRIX, A1([1, 0], "int32"))],
    "leaky_relu": [*UNARY, (VECTORS[0], 0.5)],
    "local_response_normalization": [(IMAGE,), (IMAGE, 1, 1, 0.5, 0.5, "withinChannel")],
    "mat_mul": [(MATRIX, MATRIX.transpose()), (INT_MATRIX, INT_MATRIX.transpose()), (A2([1, 2], [1e8, 1]), A2([2, 1], [1, 1]))],
    "matrix_times_vector": [(MATRIX, VECTORS[0])],
    "multi_rnn_cell": [([lambda data, c, h: [dl.add(c, 1), h]], MATRIX, [MATRIX], [MATRIX])],
    "norm": [(MATRIX,), (MATRIX, 1, 0), (INT_MATRIX, float("-inf"), 1), (INT_MATRIX,)],
    "one_hot": [(A1([0, 2], "int32"), 3)],
    "outer_product": PAIRS[:2],
    "pad": [(MATRIX, [[1, 0], [0, 2]], 5)],
    "pad1d": [(VECTORS[2], [1, 2], 9)],
    "pad2d": [(MATRIX, [[1, 0], [0, 2]])],
    "reshape": [(INT_MATRIX, [3, 2])],
    "reverse": [(MATRIX, 1)],
    "reverse1d": [(VECTORS[0],)],
    **{f"reverse{t.rank}d": [(t, 1)] for t in (INT_MATRIX, IMAGE, FILTER)},
    "slice": [(MATRIX, [0, 1], [2, 1])],
    "slice1d": [(VECTORS[2], 1, 2)],
    **{f"slice{t.rank}d": [(t.toInt(), [1] * t.rank, [1] * t.rank)] for t in (MATRIX, IMAGE, FILTER)},
    "softmax": [(VECTORS[0],), (MATRIX, 1), (MATRIX, 0), (A1([1000, 1001]),)],
    "squeeze": [(IMAGE.as_4d(5, 1, 5, 2),)],
    "stack": [([INT_MATRIX, INT_MATRIX], 1)],
    "step": [*UNARY, (VECTORS[0], 0.5)],
    "tile": [(INT_MATRIX, [1, 2])],
    "transpose": [(MATRIX,), (INT_MATRIX, [1, 0])],
    "vector_times_matrix": [(A1([1, 2]), MATRIX)],
    "where": [(BOOLS, VECTORS[0], VECTORS[1])],
}  # fmt: skip


def snake_case(owner: Any) -> set[str]:
    return {n for n in dir(owner) if n == n.lower() and not n.startswith("_") and callable(getattr(owner, n))}


FUNCTIONS = snake_case(dl._eager) & set(dl._eager.__all__)
SHARED = sorted((FUNCTIONS & (snake_case(dl.NDArray) | snake_case(dl.NDArrayMath))) - NO_OPS - CREATION_OPS)


def method(name: str) -> Callable[..., Any] | None:
    """The array method of this name, as a function with the arguments of `dl.name`."""
    if name in ("concat", "stack"):
        return lambda arrays, axis: getattr(arrays[0], name)(arrays[1], axis)
    if name == "where":
        return lambda condition, a, b: a.where(condition, b)
    return getattr(dl.NDArray, name, None)


def math_method(name: str) -> Callable[..., Any] | None:
    """The math method of this name, as a function with the arguments of `dl.name`."""
    found = getattr(dl.ENV.math, name, None)
    if name in ("conv1d", "conv2d"):
        return lambda x, weights, *rest: found(x, weights, None, *rest)  # type: ignore[misc]
    if name.startswith("concat") and name != "concat":
        return lambda arrays, *axis: found(*arrays, *axis)  # type: ignore[misc]
    if name == "clip_by_value":
        return dl.ENV.math.clip
    return found


def outcome(call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Results in a comparable form, or the name of the exception type."""
    try:
        result = call(*arguments)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    assert all(isinstance(a, dl.NDArray) for a in handles_in(result))
    return [(a.dtype, a.shape, np.asarray(a).tobytes()) for a in handles_in(result)]


@pytest.mark.cpu  # the backend of the global math; on others the last bits differ
@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize("name", SHARED)
def test_functions_methods_and_math_agree(name: str, numerics: Any) -> None:
    cases = ARGUMENTS.get(name, UNARY)
    assert cases
    errors = 0
    with dl.numerics(numerics):
        for arguments in cases:
            expected = outcome(getattr(dl, name), arguments)
            errors += isinstance(expected, str)
            for other in (method(name), math_method(name)):
                if other is not None:
                    assert outcome(other, arguments) == expected, arguments
    assert errors < len(cases)


def test_functions_take_keywords_in_both_numerics() -> None:
    x = A2([2, 2], [1, 2, 3, 4])
    for numerics in ("tfjs", "deeplearn.js"):
        with dl.numerics(numerics):  # type: ignore[arg-type]
            assert dl.sum(x, axis=0, keepDims=True).shape == (1, 2)
            assert dl.matMul(x, x, transposeB=True).array_sync() == [[5, 11], [11, 25]]
            assert (
                dl.conv2d(
                    A3([2, 2, 1], [1, 2, 3, 4]), A4([1, 1, 1, 1], [2]), strides=1, pad=0, dimRoundingMode="floor"
                ).size
                == 4
            )
            assert dl.slice1d(x=A1([1, 2], "int32"), begin=1, size=1).dtype == (
                "int32" if numerics == "tfjs" else "float32"
            )


def test_gradients_of_functions_and_methods_agree() -> None:
    a, other = A1([-1, 2]), dl.NDArrayMathCPU()
    dl.NDArrayMathCPU()  # the global one is not the one that differentiates
    with dl.numerics("deeplearn.js"):
        found = [
            other.gradients(lambda f=f: other.sum(other.square(f(a))), a).get_values().tolist()
            for f in (dl.relu, dl.NDArray.relu, other.relu)
        ]
    assert found == [[0, 1]] * 3


ARGUMENT_ORDER: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "conv2d": (lambda x: dl.conv2d(x, FILTER, 2, 0, "floor"), (2, 2, 2)),
    "conv2d with keyword": (lambda x: dl.conv2d(x, FILTER, 2, 0, dimRoundingMode="ceil"), (3, 3, 2)),
    "x.conv2d": (lambda x: x.conv2d(FILTER, 2, 0, "floor"), (2, 2, 2)),
    "conv1d": (lambda x: dl.conv1d(x, A3([2, 2, 1], [1] * 4), 2, 0, "floor"), (5, 5, 1)),
    "x.conv1d": (lambda x: x.conv1d(A3([2, 2, 1], [1] * 4), 2, 0, "ceil"), (5, 5, 1)),
    "depthwiseConv2d": (lambda x: dl.depthwiseConv2d(x, FILTER, 1, "same", [1, 1]), (5, 5, 4)),
    "depthwiseConv2d with dilations": (
        lambda x: dl.depthwiseConv2d(x, FILTER, 1, "valid", dilations=[2, 2]),
        (3, 1, 4),
    ),
    "x.depthwiseConv2D": (lambda x: x.depthwiseConv2D(FILTER, 2, 0, [1, 1], "floor"), (2, 2, 4)),
    "conv2dTranspose": (lambda x: x.conv2dTranspose(FILTER, [5, 5, 2], 1, "same"), (5, 5, 2)),
}


@pytest.mark.parametrize("case", ARGUMENT_ORDER)
def test_argument_order_of_convolutions_matches_05(case: str) -> None:
    call, shape = ARGUMENT_ORDER[case]
    assert call(IMAGE).shape == shape


@pytest.mark.parametrize("name", ["max_pool", "min_pool", "avg_pool"])
def test_pooling_floors_by_default_and_raises_in_deeplearnjs_numerics(name: str) -> None:
    for pool in (getattr(dl, name), getattr(dl.NDArray, name), getattr(dl.ENV.math, name)):
        assert pool(IMAGE, 2, 2, 0).shape == (2, 2, 2)
        with dl.numerics("deeplearn.js"), pytest.raises(ValueError, match=f"{name}: argument 'pad'"):
            pool(IMAGE, 2, 2, 0)


@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_averages_of_whole_numbers_are_float32(dtype: str) -> None:
    x = dl.Array3D.new([2, 2, 1], [1, 0, 0, 1], dtype)
    for pool in (dl.avg_pool, dl.NDArray.avg_pool, dl.ENV.math.avg_pool):
        found = pool(x, 2, 1, 0)
        assert (found.dtype, found.get(0, 0, 0)) == ("float32", 0.5)


def test_safe_mode_applies_to_functions_and_tidy() -> None:
    kept = dl.scalar(1)
    dl.setBackend("cpu", True)
    for call in (
        lambda: dl.add(kept, kept),
        lambda: dl.scalar(1),
        lambda: dl.grad(dl.square)(kept),
        lambda: dl.keep(kept),
        lambda: dl.tidy(lambda: dl.scalar(1)),
        kept.square,
    ):
        with pytest.raises(RuntimeError, match="safe mode"):
            call()
    with pytest.raises(RuntimeError, match="safe mode"), dl.tidy() as scope:
        scope.result = dl.square(kept)
    assert dl.tidy(lambda: dl.add(kept, kept).get()) == 2
    assert dl.tidy("named", lambda: dl.tidy(lambda: dl.square(kept)).get(), True) == 1
    dl.tidy(lambda: dl.keep(dl.square(kept))).dispose()
    dl.setBackend("cpu")
    assert dl.add(kept, kept).get() == 2
    with dl.tidy() as scope:
        scope.result = dl.square(kept)
    assert scope.result.get() == 1


def test_safe_mode_does_not_apply_to_tf() -> None:
    dl.setBackend("cpu", True)
    assert tf.add(1, 2).array_sync() == 3
