"""Tensors: creation, dtypes, reading, indexing, operators and invalid input."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy.engine.hooks import observing


def self_containing_list() -> list[Any]:
    nested: list[Any] = []
    nested.append(nested)
    return nested


@pytest.mark.parametrize(
    ("values", "dtype", "shape"),
    [
        (3, "float32", ()),
        (3.5, "float32", ()),
        (True, "bool", ()),
        ("a", "string", ()),
        ([1, 2, 3], "float32", (3,)),
        ([[True], [False]], "bool", (2, 1)),
        ([["a", "b"]], "string", (1, 2)),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        ((1, (2, 3)[0]), "float32", (2,)),
        (np.arange(4), "int32", (4,)),
        (np.arange(4, dtype=np.uint8).reshape(2, 2), "int32", (2, 2)),
        (np.ones((1, 2)), "float32", (1, 2)),
        (np.array([True]), "bool", (1,)),
        (np.array(2.5, dtype=np.float16), "float32", ()),
        ([np.float64(1), np.float64(2)], "float32", (2,)),
        (1 + 2j, "complex64", ()),
        (np.array([1j, 2]), "complex64", (2,)),
    ],
    ids=str,
)
def test_dtype_and_shape_are_inferred(values: Any, dtype: str, shape: tuple[int, ...]) -> None:
    t = tf.tensor(values)
    assert (t.dtype, t.shape, t.rank, t.size) == (dtype, shape, len(shape), int(np.prod(shape)))


def test_explicit_dtype_and_shape() -> None:
    t = tf.tensor([1.9, -1.9, 0, 300], [2, 2], "int32")
    assert t.array_sync() == [[1, -1], [0, 300]]
    assert (t.strides, tf.zeros([2, 3, 4]).strides, tf.scalar(1).strides) == ([2], [12, 4], [])
    assert tf.tensor([0, 2, -1], dtype="bool").array_sync() == [False, True, True]
    assert tf.tensor([0.4, -0.5, 0.5, -0.6, -1.0], dtype="bool").array_sync() == [False, False, True, True, True]
    assert tf.tensor([True, False], dtype="float32").array_sync() == [1.0, 0.0]
    assert tf.tensor(range(3)).array_sync() == [0, 1, 2]
    assert tf.tensor(range(3)).dtype == tf.tensor([range(2), range(2, 4)]).dtype == tf.tensor([0, 1]).dtype == "float32"
    assert tf.zeros([2, 0, 3]).array_sync() == []
    assert tf.tensor([[1, 2, 3, 4], [5, 6, 7, 8]], [2, 2, 2]).array_sync() == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    assert tf.tensor([[[1]], [[2]]], [2, 1]).array_sync() == [[1], [2]]
    assert (tf.scalar(1).rank_type, tf.zeros([1] * 4).rankType, tf.zeros([1] * 5).rankType) == ("0", "4", "higher")


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: tf.tensor([[1, 2], [3]]), ValueError, "tensor.*values.*rectangular"),
        (lambda: tf.tensor([1, [2]]), ValueError, "tensor.*values"),
        (lambda: tf.tensor([1, 2, 3], [2, 2]), ValueError, "tensor.*shape.*3.*2, 2"),
        (lambda: tf.tensor([1], [-1]), ValueError, "tensor.*shape.*-1"),
        (lambda: tf.tensor([[1, 2], [3, 4]], [4]), ValueError, "tensor.*shape.*2, 2.*4"),
        (lambda: tf.tensor([[1], [2], [3], [4]], [2, 2]), ValueError, "tensor.*shape.*4, 1.*2, 2"),
        (lambda: tf.tensor([1], dtype="float16"), ValueError, "tensor.*dtype.*float16"),
        (lambda: tf.tensor(["a"], dtype="float32"), (ValueError, TypeError), "tensor"),
        (lambda: tf.tensor([1, "a"]), (ValueError, TypeError), "tensor.*values"),
        (lambda: tf.tensor(None), (ValueError, TypeError), "tensor.*values.*None"),
        (lambda: tf.tensor(object()), TypeError, "tensor.*values"),
        (lambda: tf.tensor(np.array([2**40])), ValueError, "tensor.*values.*int32"),
        (lambda: tf.tensor([1j], dtype="float32"), TypeError, "tensor.*values.*real numbers"),
        (lambda: tf.sigmoid(np.array([1j])), TypeError, "sigmoid.*real numbers"),
        (lambda: tf.tensor1d([[1]]), ValueError, "tensor1d.*rank 1"),
        (lambda: tf.tensor2d([1, 2]), ValueError, "tensor2d.*shape"),
        (lambda: tf.scalar([1]), (ValueError, TypeError), "scalar"),
        (lambda: tf.zeros([2, "a"]), (ValueError, TypeError), "zeros.*shape"),
        (lambda: tf.fill([2], "a", "float32"), (ValueError, TypeError), "fill"),
        (lambda: tf.range(0, 5, 0), ValueError, "range.*step"),
        (lambda: tf.linspace(0, 1, 0), ValueError, "linspace.*num"),
        (lambda: tf.one_hot([0, 1], 0), ValueError, "one_hot.*depth"),
        (lambda: tf.eye(-1), ValueError, "eye"),
        (lambda: tf.complex([1.0], [1.0, 2.0]), ValueError, "complex"),
        (lambda: tf.complex(tf.complex(1.0, 2.0), 1.0), TypeError, "complex: argument .real."),
        (lambda: tf.complex(1.0, tf.complex(1.0, 2.0)), TypeError, "complex: argument .imag."),
        (lambda: tf.tensor([2**2000]), ValueError, "tensor.*values.*range of doubles"),
        (lambda: tf.tensor(10**5000), ValueError, "tensor.*values.*range of doubles.*an int"),
        (lambda: tf.add(tf.ones([2]), 2**2000), ValueError, "add.*'b'.*range of doubles"),
        (lambda: tf.add(2**2000, tf.ones([2])), ValueError, "add.*'a'.*range of doubles"),
        (lambda: tf.range(0, 2**2000), ValueError, "range.*stop.*range of doubles"),
        (lambda: tf.tensor(self_containing_list()), ValueError, "tensor.*values.*rectangular"),
        (lambda: tf.zeros([1] * 65), ValueError, "at most 64 sizes"),
        (lambda: tf.zeros([0, 2**40]), ValueError, "at most 64 sizes"),
        (lambda: tf.zeros([2**20, 2**20]), ValueError, "fill: .*more than 2147483647 elements"),
        (lambda: tf.one_hot(tf.tensor1d([0], "int32"), 2, 1, 0, "string"), ValueError, "one_hot.*dtype.*numbers"),
        (lambda: tf.eye(2, dtype="string"), ValueError, "eye.*dtype.*numbers"),
    ],
)  # fmt: skip
def test_invalid_values_raise(make: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=f"(?s){words}"):
        make()


@pytest.mark.parametrize("rank", range(1, 7))
def test_constructors_by_rank(rank: int) -> None:
    make = getattr(tf, f"tensor{rank}d")
    nested: Any = 5.0
    for _ in range(rank):
        nested = [nested]
    assert make(nested).shape == (1,) * rank
    if rank > 1:
        assert make([1, 2], [1] * (rank - 1) + [2]).shape == (1,) * (rank - 1) + (2,)
    with pytest.raises(ValueError, match=f"tensor{rank}d"):
        make([nested])


def test_data_array_numpy_and_buffer() -> None:
    t = tf.tensor([[1, 2], [3, 4]])
    np.testing.assert_array_equal(t.data_sync(), np.array([1, 2, 3, 4], dtype=np.float32))
    assert t.array_sync() == [[1, 2], [3, 4]]
    assert t.numpy().dtype == np.float32
    assert t.buffer_sync().get(1, 0) == 3
    assert tf.tensor(["é", ""]).data_sync() == ["é", ""]
    assert tf.tensor(["a\ud800b\ud83d\ude00"]).data_sync() == ["a\ufffdb\U0001f600"], (
        "lone surrogates are replaced, as by a browser's encoder"
    )
    assert tf.scalar(7, "int32").array_sync() == 7
    with pytest.raises(ValueError, match="read-only"):
        t.numpy()[0, 0] = 9
    buffer = t.buffer_sync()
    buffer.set(9, 0, 0)
    assert t.array_sync()[0][0] == 1, "the buffer is a copy"


def test_async_data_array_bytes_and_buffer() -> None:
    async def read() -> tuple[Any, Any, bytes, Any, list[bytes]]:
        t = tf.tensor([1.5, 2])
        texts = tf.tensor(["ab"])
        awaited = await t
        assert awaited is t
        return await t.data(), await t.array(), await t.bytes(), (await t.buffer()).get(1), await texts.bytes()

    data, array, raw, second, texts = asyncio.run(read())
    assert list(data) == array == [1.5, 2]
    assert raw == np.array([1.5, 2], dtype="<f4").tobytes()
    assert second == 2
    assert texts == tf.tensor(["ab"]).bytes_sync() == [b"ab"]
    assert tf.tensor([1.5, 2]).bytes_sync() == raw


def test_numpy_copy_argument() -> None:
    """As numpy requires, copy=False raises ValueError if a copy is needed."""
    t, texts = tf.tensor([1.0, 2]), tf.tensor(["a"])
    assert not np.array(t, copy=False).flags.writeable
    assert np.array(t, copy=True).flags.writeable
    assert not np.shares_memory(np.array(t), t.numpy())
    assert np.array(texts).tolist() == np.asarray(texts).tolist() == ["a"]
    for tensor, dtype in ((t, np.float64), (texts, None)):
        with pytest.raises(ValueError, match="copy"):
            np.array(tensor, dtype, copy=False)


def test_python_protocols() -> None:
    a = tf.tensor([[1, 2], [3, 4]])
    assert len(a) == 2
    assert [row.array_sync() for row in a] == [[1, 2], [3, 4]]
    assert (float(tf.scalar(2.5)), int(tf.tensor([7])), bool(tf.scalar(0))) == (2.5, 7, False)
    assert complex(tf.complex(1.0, 2.0)) == 1 + 2j
    np.testing.assert_array_equal(np.asarray(a), a.numpy())
    assert np.asarray(a, dtype=np.int64).dtype == np.int64
    np.testing.assert_array_equal(np.from_dlpack(a), a.numpy())
    assert (np.ones((2, 2)) + a).array_sync() == [[2, 3], [4, 5]], "numpy leaves the operator to the tensor"
    for wrong in (lambda: bool(a), lambda: float(a), lambda: int(a)):
        with pytest.raises(ValueError, match="only a tensor of one element"):
            wrong()
    with pytest.raises(TypeError):
        len(tf.scalar(1))
    with pytest.raises(TypeError):
        iter(tf.scalar(1))


@pytest.mark.parametrize(
    "index",
    [
        0, -1, slice(1), slice(None, None, -1), slice(2, 0, -1), ..., None, (0, 1), (slice(None), 2), (..., 0),
        (None, ..., None), (1, slice(0, 3, 2), -1), [0, 2], (slice(None), [2, 0]), np.array([1, 0]), ([1, 0], 2),
    ],
    ids=str,
)  # fmt: skip
def test_indexing_equals_numpy(index: Any) -> None:
    values = np.arange(36, dtype=np.float32).reshape(3, 3, 4)
    np.testing.assert_array_equal(tf.tensor(values)[index].numpy(), values[index])


def random_index(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Integers, slices, None, an Ellipsis and at most one array, in random order."""
    items: list[Any] = []
    for n in shape[: rng.integers(len(shape) + 1)]:
        if rng.random() < 0.2:
            items.append(None)
        ends = [None if rng.random() < 0.4 else int(rng.integers(-n, n + 1)) for _ in range(2)]
        array = rng.integers(-n, n, size=[(), (2,), (1, 2), (0,)][rng.integers(4)])
        mask = rng.random(n) < 0.5
        plain = [int(rng.integers(-n, n)), slice(*ends, [None, 1, 2, -1][rng.integers(4)])]
        free = not any(isinstance(item, np.ndarray) for item in items)
        choices = [*plain, *([array if array.ndim else int(array), mask] if free else [])]
        items.append(choices[rng.integers(len(choices))])
    if rng.random() < 0.5:
        items.insert(rng.integers(len(items) + 1), ...)
    return (*items, *[None] * int(rng.random() < 0.2))


def test_random_indices_equal_numpy() -> None:
    rng = np.random.default_rng(7)
    for _ in range(1000):
        shape = tuple(rng.integers(1, 4, size=rng.integers(1, 5)).tolist())
        values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        index = random_index(rng, shape)
        try:
            expected = values[index]
        except (
            IndexError,
            DeprecationWarning,
        ):  # after the Ellipsis, axes have other sizes; the warning is numpy 2.0's
            with pytest.raises(IndexError):
                tf.tensor(values)[index]
        else:
            np.testing.assert_array_equal(tf.tensor(values)[index].numpy(), expected, err_msg=f"{shape} {index}")


def test_indexing_with_tensors() -> None:
    with pytest.raises(TypeError, match=r"\[\].*index"):
        tf.ones([2])[np.array([np.inf])]
    values = np.arange(6, dtype=np.float32)
    t = tf.tensor(values)
    np.testing.assert_array_equal(t[tf.tensor([4, 1], dtype="int32")].numpy(), [4, 1])
    np.testing.assert_array_equal(t[t > 2].numpy(), [3, 4, 5])
    with pytest.raises(ValueError, match="index"):
        t[9]
    with pytest.raises(IndexError, match="indices"):
        t[0, 0]
    with pytest.raises((TypeError, ValueError), match="index"):
        t["a"]
    with pytest.raises(TypeError, match="at most one array"):
        t.reshape([2, 3])[[0, 1], [1, 2]]


def test_operators_agree_with_numpy() -> None:
    a, b = np.array([[7.0, -7.0], [2.5, 0.5]], np.float32), np.array([[2.0, 2.0], [-2.0, 3.0]], np.float32)
    x, y = tf.tensor(a), tf.tensor(b)
    for name in ("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__lt__", "__le__",
                 "__gt__", "__ge__", "__eq__", "__ne__", "__matmul__"):  # fmt: skip
        np.testing.assert_array_equal(getattr(x, name)(y).numpy(), getattr(a, name)(b), err_msg=name)
    np.testing.assert_allclose((x**2).numpy(), a**2)
    np.testing.assert_allclose((2 - x).numpy(), 2 - a)
    np.testing.assert_allclose((1 / y).numpy(), 1 / b, rtol=ROUNDING)
    np.testing.assert_array_equal((-x).numpy(), -a)
    np.testing.assert_array_equal(abs(x).numpy(), abs(a))
    p, q = tf.tensor([True, False]), tf.tensor([True, True])
    assert [(p & q).array_sync(), (p | q).array_sync(), (~p).array_sync(), (p ^ q).array_sync()] == [
        [True, False], [True, True], [False, True], [False, True],
    ]  # fmt: skip


def test_use_of_disposed_tensor_raises() -> None:
    t = tf.tensor([1, 2])
    t.dispose()
    assert t.is_disposed
    assert t.isDisposed
    t.dispose()
    for use in (t.data_sync, t.square, lambda: tf.add(t, 1), t.throw_if_disposed, lambda: t.reshape([2, 1])):
        with pytest.raises((RuntimeError, ValueError), match="disposed"):
            use()


def test_tensors_are_immutable() -> None:
    source = np.arange(3, dtype=np.float32)
    t = tf.tensor(source)
    source[0] = 9
    assert t.array_sync() == [0, 1, 2]
    with pytest.raises(AttributeError):
        t.shape = (3, 1)  # type: ignore[misc]


def test_tensor_buffer() -> None:
    buffer = tf.buffer([2, 2])
    buffer.set(5, 0, 1)
    assert buffer.get(0, 1) == 5
    assert buffer.toTensor().array_sync() == [[0, 5], [0, 0]]
    assert tf.buffer([2], "int32", [3, 4]).to_tensor().array_sync() == [3, 4]
    mixed = tf.buffer([5], "int32")
    for i, value in enumerate([2.9, 2**31 - 1, -(2**31), True, np.int8(3)]):
        mixed.set(value, i)
    assert mixed.values.tolist() == [2, 2**31 - 1, -(2**31), 1, 3]
    extremes = tf.buffer([3])
    for i, value in enumerate([1e300, -1e39, 3.4028234663852886e38]):
        extremes.set(value, i)
    assert extremes.values.tolist() == [np.inf, -np.inf, 3.4028234663852886e38]
    large = tf.buffer([3, 200])
    large.set(7, np.uint8(2), np.uint8(150))
    assert large.get(np.int8(2), np.uint8(150)) == large.values[large.loc_to_index(np.uint8([2, 150]))] == 7
    for wrong in (
        lambda: buffer.get(2, 0),
        lambda: buffer.get(0.5, 0),
        lambda: buffer.get("a", 0),
        lambda: buffer.set(1, 0),
        lambda: buffer.set([1, 2], 0, 0),
        lambda: tf.buffer([2], "float32", [1]),
    ):
        with pytest.raises((ValueError, TypeError), match="get: |set: |buffer: "):
            wrong()


def test_disposed_number_tensor_is_recreated() -> None:
    """Ops share the tensor of a number, which user-defined kernels or gradients may dispose."""
    x = tf.ones([2])
    saved: list[tf.Tensor] = []
    with observing(lambda run: saved.extend(t for t in run.inputs if t is not x)):
        x.mul(2.5)
    saved.pop().dispose()
    assert x.mul(2.5).array_sync() == [2.5, 2.5]


def test_rank_types() -> None:
    x: tf.Tensor2D = tf.ones([2, 3])
    assert isinstance(x, tf.Tensor2D)
    assert {tf.Scalar, tf.Tensor1D, tf.Tensor3D, tf.Tensor4D, tf.Tensor5D, tf.Tensor6D} == {tf.Tensor}


@pytest.mark.parametrize("sizes", [([2, 3],), ((2, 3),), (2, 3), (-1, 3), ([6],), (6,), (1, 6, -1)])
def test_reshape_method_takes_sizes_as_numpy_does(sizes: tuple[Any, ...]) -> None:
    values = np.arange(6, dtype=np.float32)
    np.testing.assert_array_equal(tf.tensor(values).reshape(*sizes).numpy(), values.reshape(*sizes))


def test_concat_and_stack_methods_take_one_or_several() -> None:
    t = tf.tensor([1.0, 2.0])
    for one in (tf.tensor([3.0, 4.0]), np.array([3.0, 4.0])):
        assert t.concat(one).array_sync() == [1, 2, 3, 4]
        assert t.stack(one).array_sync() == [[1, 2], [3, 4]]
        assert t.concat([one, one]).array_sync() == [1, 2, 3, 4, 3, 4]
    assert t.concat(iter([t, t])).array_sync() == [1, 2, 1, 2, 1, 2]  # type: ignore[arg-type]
    for wrong in (5, "five"):
        with pytest.raises((ValueError, TypeError), match="concat"):
            t.concat(wrong)


def test_strings_keep_trailing_nul() -> None:
    texts = tf.tensor(["a\0", "b"])
    at_0 = tf.scalar(0, "int32")
    found = [texts.gather(at_0), *texts.unstack(), tf.gather_nd(texts, [0]), tf.fill([], "a\0")]
    assert [t.data_sync() for t in found] == [["a\0"], ["a\0"], ["b"], ["a\0"], ["a\0"]]
    assert tf.stack(texts.unstack()).data_sync() == ["a\0", "b"]


def test_sparse_to_dense_does_not_truncate_strings() -> None:
    texts = tf.tensor(["a", "longer"])
    default = texts.gather(tf.scalar(0, "int32"))
    dense = tf.sparse_to_dense(tf.tensor1d([1], "int32"), texts.slice([1], [1]), [3], default)
    assert dense.data_sync() == ["a", "longer", "a"]


def test_where_of_strings() -> None:
    found = tf.where(tf.tensor([True, False]), tf.tensor(["a", "b"]), tf.tensor(["x", "y"]))
    assert found.array_sync() == ["a", "y"]


def test_concat_and_stack_take_iterators() -> None:
    parts = [tf.tensor([1.0, 2]), tf.tensor([3.0, 4])]
    assert tf.concat(t for t in parts).array_sync() == [1, 2, 3, 4]  # type: ignore[arg-type]
    assert tf.stack(iter([[1.0, 2], parts[1]])).array_sync() == [[1, 2], [3, 4]]  # type: ignore[arg-type]
