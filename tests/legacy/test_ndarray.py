"""NDArrays: creation, reading, writing, reshaping, sharing data with tensors, and disposal."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from growth import growth

import tfpy as tf
from tfpy import legacy as dl
from tfpy.engine.handle import DisposedError

BY_RANK = [dl.Scalar, dl.Array1D, dl.Array2D, dl.Array3D, dl.Array4D]


# Creation


def test_new_creates_arrays_of_each_rank() -> None:
    assert dl.Scalar.new(3).get() == dl.Scalar.new(3).get(0) == 3
    assert dl.Array1D.new([1, 2]).shape == (2,)
    assert dl.Array2D.new([2, 3], [1, 2, 3, 4, 5, 6]).get(1, 2) == 6
    assert dl.Array2D.new([2, 2], [[1, 2], [3, 4]]).get(1, 0) == 3
    assert dl.Array3D.new([1, 2, 1], [[[1], [2]]]).get(0, 1, 0) == 2
    assert dl.Array4D.new([1, 1, 1, 2], [7, 8]).get(0, 0, 0, 1) == 8


@pytest.mark.parametrize("rank", range(7))
def test_class_follows_from_the_rank(rank: int) -> None:
    a = dl.NDArray.zeros([1] * rank)
    assert type(a) is (BY_RANK[rank] if rank < 5 else dl.NDArray)
    assert a.rank == rank
    assert a.rank_type == a.rankType == (str(rank) if rank < 5 else "higher")


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
def test_zeros_ones_and_like_functions_keep_the_dtype(dtype: Any) -> None:
    for make, value in ((dl.NDArray.zeros, 0), (dl.NDArray.ones, 1)):
        a = make([2, 2], dtype)
        assert a.dtype == dtype
        assert list(a.get_values()) == [value] * 4
    a = dl.Array1D.new([1, 0, 1], dtype)
    for like, values in (
        (dl.NDArray.like, [1, 0, 1]),
        (dl.NDArray.zeros_like, [0, 0, 0]),
        (dl.NDArray.ones_like, [1, 1, 1]),
    ):
        b = like(a)
        assert (b.dtype, b.shape, list(b.get_values())) == (dtype, (3,), values)


def test_make_with_and_without_values() -> None:
    assert dl.NDArray.make([2, 2], {"values": np.arange(4, dtype=np.float32)}).get(1, 1) == 3
    assert type(dl.NDArray.make([2], {}, "int32")) is dl.Array1D
    assert dl.NDArray([2, 3]).get(1, 2) == 0
    assert dl.Array2D([2, 2], values=[1, 2, 3, 4]).get(1, 0) == 3


def test_random_arrays_have_the_requested_distribution() -> None:
    tf.set_seed(3)
    uniform = dl.Array1D.rand_uniform([500], 2, 4).get_values()
    assert uniform.min() >= 2
    assert uniform.max() < 4
    normal = dl.NDArray.rand_normal([4000], 5, 2).get_values()
    assert abs(normal.mean() - 5) < 0.2
    assert abs(normal.std() - 2) < 0.2
    truncated = dl.NDArray.randTruncatedNormal([2000], 0, 1).get_values()
    assert np.abs(truncated).max() <= 2
    assert dl.Array2D.rand([2, 2], lambda: 0.5).get(0, 1) == 0.5
    drawn = iter([0.9, 1.1])
    assert list(dl.NDArray.rand([2], lambda: next(drawn), "bool").get_values()) == [False, True]
    assert 0.4 < dl.Array1D.rand_uniform([500], 0, 2, "bool").get_values().mean() < 0.6


def test_from_pixels() -> None:
    pixels = {"width": 2, "height": 1, "data": [1, 2, 3, 255, 5, 6, 7, 255]}
    image = dl.Array3D.from_pixels(pixels)
    assert (image.shape, image.dtype, list(image.get_values())) == ((1, 2, 3), "int32", [1, 2, 3, 5, 6, 7])
    assert dl.Array3D.fromPixels(pixels, 4).shape == (1, 2, 4)
    assert list(dl.Array3D.from_pixels(np.array([[[9, 8, 7]]], np.uint8)).get_values()) == [9, 8, 7]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dl.Array2D.new([2, 2], [1, 2, 3]), "Array2D.new: argument 'values' must be 4 values"),
        (lambda: dl.Array2D.new([2, 2], [[1, 2, 3, 4]]), "nested in shape"),
        (lambda: dl.Array2D.new([4], [1, 2, 3, 4]), "shape"),
        (lambda: dl.Array1D.new([1], "string"), "dtype"),
        (lambda: dl.Array1D.new(["a"]), "numbers"),
        (lambda: dl.NDArray.zeros([-1]), "shape"),
        (lambda: dl.NDArray.make([2], {"values": [1, 2, 3]}), "2 values"),
        (lambda: dl.Array3D.from_pixels("image.png"), "pixels"),
    ],
)
def test_invalid_values_raise(make: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_scalar_constants_are_new_arrays() -> None:
    dl.Scalar.ONE.set(5)
    assert [s.get() for s in (dl.Scalar.ZERO, dl.Scalar.ONE, dl.Scalar.TWO, dl.Scalar.NEG_ONE)] == [0, 1, 2, -1]


# Reading


def test_reading_methods() -> None:
    a = dl.Array2D.new([2, 2], [1, 2, 3, 4])
    assert a.get(1, 0) == 3
    assert asyncio.run(a.val(1, 0)) == 3
    assert list(asyncio.run(a.data())) == list(a.dataSync()) == list(a.getValues()) == [1, 2, 3, 4]
    assert list(asyncio.run(a.getValuesAsync())) == list(a.getData()["values"]) == [1, 2, 3, 4]
    assert a.loc_to_index([1, 0]) == a.locToIndex([1, 0]) == 2
    assert a.index_to_loc(2) == a.indexToLoc(2) == [1, 0]
    for outside in (-1, 4):
        with pytest.raises(ValueError, match="index_to_loc"):
            a.index_to_loc(outside)
    assert a.strides == (2,)
    assert np.array_equal(np.asarray(a), [[1, 2], [3, 4]])
    assert "Array2D(shape=[2, 2], dtype=float32)" in repr(a)
    assert "<b>Array2D</b> float32, 2 × 2" in a._repr_html_()


@pytest.mark.parametrize("locs", [(1,), (2, 0), (-1, 0), (0, 2), (0, 0, 0)])
def test_indices_out_of_range_raise(locs: tuple[int, ...]) -> None:
    a = dl.Array2D.new([2, 2], [1, 2, 3, 4])
    for access in (lambda: a.get(*locs), lambda: a.set(1, *locs), lambda: a.add(1, *locs)):
        with pytest.raises(ValueError, match="locs"):
            access()


def test_get_without_indices_returns_the_first_element() -> None:
    for a in (dl.ones([1]), dl.tensor2d([[1, 2], [3, 4]]), dl.variable(dl.tensor1d([1, 2]))):
        assert a.get() == 1
    for access in (lambda: dl.zeros([0]).get(), lambda: dl.ones([2]).set(1), lambda: dl.ones([2]).add(1)):
        with pytest.raises(ValueError, match="locs"):
            access()


def test_equals_compares_dtype_shape_and_values() -> None:
    a = dl.Array1D.new([1, 2])
    assert a.equals(dl.Array1D.new([1, 2]))
    assert a.equals(tf.tensor1d([1, 2]))
    assert not a.equals(dl.Array1D.new([1, 2], "int32"))
    assert not a.equals(dl.Array2D.new([1, 2], [1, 2]))
    with pytest.raises(TypeError, match="equals"):
        a.equals([1, 2])  # type: ignore[arg-type]


def test_scalars_convert_to_numbers() -> None:
    assert float(dl.Scalar.new(2.5)) == 2.5
    assert int(dl.Scalar.new(2, "int32")) == 2
    with pytest.raises(ValueError, match="one element"):
        float(dl.Array1D.new([1, 2]))


# Writing


def test_set_add_and_fill_take_the_value_first() -> None:
    a = dl.Array2D.zeros([2, 2])
    a.set(5, 1, 0)
    a.add(2, 1, 0)
    assert list(a.get_values()) == [0, 0, 7, 0]
    a.fill(3)
    assert list(a.get_values()) == [3, 3, 3, 3]
    s = dl.Scalar.new(1)
    s.set(4)
    s.add(2)
    assert s.get() == 6


@pytest.mark.parametrize(
    ("dtype", "value", "stored"),
    [
        ("float32", 0.1, float(np.float32(0.1))),
        ("float32", 1e300, float("inf")),
        ("float32", -1e300, float("-inf")),
        ("float32", float("nan"), float("nan")),
        ("int32", 2.7, 2),
        ("int32", -2.7, -2),
        ("int32", float("nan"), 0),
        ("int32", float("inf"), 0),
        ("bool", 2, True),
        ("bool", 0, False),
        ("bool", 0.7, False),
        ("bool", float("nan"), False),
    ],
)
@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
def test_written_values_are_converted_to_the_dtype(dtype: Any, value: float, stored: Any, numerics: Any) -> None:
    a = dl.Array1D.zeros([1], dtype)
    with dl.numerics(numerics):
        a.set(value, 0)
        np.testing.assert_equal(a.get(0), stored)
        a.fill(value)
        np.testing.assert_equal(a.get(0), stored)


def test_writing_other_than_numbers_raises() -> None:
    a = dl.Array1D.zeros([1])
    for write in (lambda: a.set("x", 0), lambda: a.fill(None)):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="a number"):
            write()


def test_writes_do_not_affect_arrays_sharing_the_data(backend: str) -> None:
    t = tf.tensor2d([[1, 2], [3, 4]])
    a = dl.ENV.math.clone(t)
    reshaped, tensor = a.as_1d(), tf.reshape(a, [4])
    before = tf.mul(a, 1)
    a.set(100, 0, 0)
    a.add(1, 1, 1)
    assert np.asarray(a).tolist() == [[100, 2], [3, 5]]
    for other in (t, reshaped, tensor, before):
        assert np.asarray(other).reshape(-1).tolist() == [1, 2, 3, 4]
    assert tf.sum(a).array_sync() == 110, "ops see written values"
    a.set(0, 0, 0)
    assert tf.sum(a).array_sync() == 10
    assert before.sum().array_sync() == 10


def test_writes_do_not_affect_results_of_earlier_ops(math: dl.NDArrayMathCPU) -> None:
    a = dl.Array1D.new([1, 2])
    b = math.relu(a)
    a.set(9, 0)
    c = math.relu(a)
    a.set(8, 0)
    assert [list(x.get_values()) for x in (a, b, c)] == [[8, 2], [1, 2], [9, 2]]


def test_writes_through_get_values() -> None:
    a = dl.Array1D.new([1, 2])
    shared = a.as_2d(1, 2)
    values = a.get_values()
    values[0] = 7
    assert a.get(0) == 7
    assert tf.sum(a).array_sync() == 9
    values[1] = 0
    assert tf.sum(a).array_sync() == 7, "also a write after an op has read the array"
    a.set(1, 0)
    assert values[0] == 1
    assert list(shared.get_values()) == [1, 2]


def test_numpy_views_are_read_only_snapshots() -> None:
    a = dl.Array1D.new([1, 2])
    view = np.asarray(a)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 5
    a.set(5, 0)
    assert view.tolist() == [1, 2]
    after = np.asarray(a)
    a.set(6, 0)
    assert after.tolist() == [5, 2]


def test_writing_in_a_loop_does_not_copy_the_data() -> None:
    """Otherwise the time of an access would grow with the size of the array."""
    arrays = {rows: dl.Array2D.zeros([rows, 10]) for rows in (20_000, 200_000)}

    def fill(rows: int) -> None:
        a = arrays[rows]
        for i in range(10):
            for j in range(10):
                a.set(i * j, i, j)
                a.add(a.get(i, j), i, j)

    assert growth(fill, 20_000) < 5
    assert arrays[20_000].get(9, 9) == 162


# Reshaping and casting


def test_reshapes_share_the_data() -> None:
    a = dl.Array1D.new([1, 2, 3, 4])
    before = dl.ENV.math.get_num_arrays()
    views = [a.as_2d(2, 2), a.as3D(1, 2, 2), a.as_4d(1, 1, 2, 2), a.reshape([4, 1]), a.as1d().flatten()]
    assert [type(v) for v in views] == [dl.Array2D, dl.Array3D, dl.Array4D, dl.Array2D, dl.Array1D]
    assert dl.ENV.math.get_num_arrays() == before
    assert dl.Array2D.new([1, 1], [5]).asScalar().get() == 5
    assert a.reshape([4]) is a
    assert a.reshape([2, -1]).shape == (2, 2)
    assert dl.Array3D.zeros([1, 3, 1]).squeeze().shape == (3,)
    assert dl.Array3D.zeros([1, 3, 1]).squeeze([0]).shape == (3, 1)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("as_scalar", ()), ("as_2d", (2, 3)), ("as_3d", (1, 1, 1)), ("as_4d", (1, 2, 3, -1)), ("reshape", ([3],))],
)
def test_incompatible_reshapes_raise(name: str, sizes: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        getattr(dl.Array1D.new([1, 2, 3, 4]), name)(*sizes)


def test_as_type() -> None:
    a = dl.Array1D.new([1.7, -1.7, 0])
    assert list(a.as_type("int32").get_values()) == [1, -1, 0]
    assert list(a.asType("bool").get_values()) == [True, True, False]
    assert a.as_type("float32") is a
    with pytest.raises(ValueError, match="dtype"):
        a.as_type("string")  # type: ignore[arg-type]


# Interoperability with tensors


def test_arrays_and_tensors_are_interchangeable(math: dl.NDArrayMathCPU) -> None:
    a, t = dl.Array1D.new([1, 2]), tf.tensor1d([3, 4])
    assert isinstance(tf.add(a, t), tf.Tensor)
    assert isinstance(t.mul(a), tf.Tensor)
    assert isinstance(math.add(a, t), dl.Array1D)
    assert isinstance(math.add(t, t), dl.Array1D)
    assert tf.add(a, t).array_sync() == list(math.add(t, a).get_values()) == [4, 6]
    assert tf.grad(lambda x: tf.sum(math.multiply(x, x)))(a).array_sync() == [2, 4]
    assert tf.grad(lambda x: tf.sum(tf.square(a.as_1d()).mul(x)))(t).array_sync() == [1, 4]


@pytest.mark.cpu
def test_passing_arrays_between_apis_does_not_copy() -> None:
    a = dl.NDArray.zeros([1000, 1000])
    before = tf.memory().num_data_buffers
    t = tf.reshape(a, [1000000])
    b = dl.ENV.math.reshape(t, [1000, 1000])
    assert dl.ENV.math.get_num_arrays() == tf.memory().num_data_buffers == before
    t.dispose()
    assert b.get(0, 0) == 0


# Disposal


def test_dispose_keeps_arrays_sharing_the_data() -> None:
    a = dl.Array1D.new([1, 2])
    b = a.as_2d(1, 2)
    a.dispose()
    a.dispose()
    assert a.is_disposed
    assert a.isDisposed
    assert b.get(0, 1) == 2
    assert "disposed" in repr(a)


@pytest.mark.parametrize(
    "use",
    [
        lambda a: a.get(0),
        lambda a: a.set(1, 0),
        lambda a: a.get_values(),
        lambda a: a.as_1d(),
        lambda a: a.as_type("int32"),
        lambda a: a.throw_if_disposed(),
        lambda a: a.in_gpu(),
        lambda a: dl.ENV.math.neg(a),
        lambda a: tf.neg(a),
        lambda a: np.asarray(a),
    ],
)
def test_use_after_dispose_raises(use: Any) -> None:
    a = dl.Array1D.new([1, 2])
    a.set(3, 0)
    a.dispose()
    with pytest.raises(DisposedError, match="disposed"):
        use(a)


@pytest.mark.cpu
def test_texture_access_raises() -> None:
    a = dl.Array1D.new([1])
    assert not a.inGPU()
    for ask in (a.get_texture, a.getTextureShapeRC):
        with pytest.raises(RuntimeError, match="tfpy"):
            ask()


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
def test_copies_and_pickles_are_independent(duplicate: Callable[[Any], Any]) -> None:
    first = dl.Array2D.new([1, 2], [3, 4], "int32")
    first.set(5, 0, 0)
    second = duplicate(first)
    second.set(6, 0, 1)
    assert (type(second), second.dtype, second.id != first.id) == (dl.Array2D, "int32", True)
    assert (first.array_sync(), second.array_sync()) == ([[5, 4]], [[5, 6]])


def test_numpy_copy_argument() -> None:
    a = dl.Array1D.new([1, 2])
    assert not np.array(a, copy=False).flags.writeable
    with pytest.raises(ValueError, match="copy"):
        np.array(a, np.float64, copy=False)
    a.set(5, 0)
    assert np.asarray(a).tolist() == [5, 2]
    assert np.asarray(a).flags.writeable
    with pytest.raises(ValueError, match="copy"):
        np.array(a, copy=False)
