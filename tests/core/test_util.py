"""Helpers that are not ops: tf.util, tf.backend_util and the other *_util namespaces."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import math
from typing import Any

import numpy as np
import pytest

import tfpy as tf

util = tf.util


def test_shapes_and_indices() -> None:
    assert util.size_from_shape([2, 3, 4]) == 24
    assert util.sizeFromShape([]) == 1
    assert util.compute_strides([2, 3, 4]) == [12, 4]
    assert util.index_to_loc(17, 3, [12, 4]) == [1, 1, 1]
    assert util.index_to_loc(0, 0, []) == []
    assert util.loc_to_index([1, 1, 1], 3, [12, 4]) == 17
    assert util.loc_to_index([], 0, []) == 0
    assert util.loc_to_index(np.uint8([2, 150]), 2, [200]) == 550
    assert util.infer_from_implicit_shape([2, -1], 6) == [2, 3]
    assert util.parse_axis_param([-1, 0], [2, 3]) == [1, 0]
    assert util.parse_axis_param(None, [2, 3]) == [0, 1]
    squeezed = util.squeeze_shape([1, 2, 1])
    assert (squeezed.newShape, squeezed.keptDims) == ([2], [1])
    assert util.squeeze_shape([1, 2, 1], [0]).new_shape == [2, 1]
    assert util.size_to_squarish_shape(10) == [4, 3]
    assert util.size_to_squarish_shape(0) == [0, 0]
    assert util.size_to_squarish_shape(10**400) == [10**200, 10**200]
    assert util.is_scalar_shape([])
    assert util.arrays_equal([1, 2], (1, 2))
    assert not util.arrays_equal([1], [1, 2])
    assert util.arrays_equal_with_null([1, None], [1, 5])
    assert not util.arrays_equal_with_null([1], None)
    assert util.flatten([[1, [2]], np.array([3, 4])]) == [1, 2, 3, 4]
    assert len(util.flatten([1, np.array([2])], None, True)) == 2


def test_dtypes_and_arrays() -> None:
    assert util.bytes_per_element("complex64") == 8
    assert util.bytes_from_string_array([b"ab", b"c"]) == 3
    assert util.infer_dtype([True]) == "bool"
    assert util.infer_dtype(["a"]) == "string"
    assert util.is_valid_dtype("int32")
    assert not util.is_valid_dtype("float16")
    assert util.has_encoding_loss("float32", "int32")
    assert not util.has_encoding_loss("bool", "int32")
    assert util.to_typed_array([[1.7], [-1.7]], "int32").tolist() == [1, -1]
    assert util.to_nested_array([2, 2], [1, 2, 3, 4]) == [[1, 2], [3, 4]]
    assert util.to_nested_array([1], [1, 2], True) == [[1, 2]]
    assert util.to_nested_array([], [5]) == 5
    assert util.make_zeros_typed_array(2, "bool").dtype == np.uint8
    assert util.make_ones_typed_array(2, "float32").tolist() == [1, 1]
    assert util.make_zeros_nested_typed_array([1, 2], "int32") == [[0, 0]]
    assert util.getArrayFromDType("string", 1) == [""]
    assert util.getTypedArrayFromDType is util.getArrayFromDType
    for dtype in ("string", "int32"):
        assert len(util.get_array_from_dtype(dtype, 2.0)) == 2
        with pytest.raises(ValueError, match="get_array_from_dtype: argument 'size' must be a whole number of 0 or mo"):
            util.get_array_from_dtype(dtype, -1)
    assert util.create_scalar_value("a", "string") == b"a"
    assert util.create_scalar_value(2.5, "int32").tolist() == [2]
    with pytest.raises(TypeError, match="create_scalar_value: argument 'value'"):
        util.create_scalar_value(2.5, "string")
    assert util.convert_backend_values_and_array_buffer(b"\0\0\x80\x3f", "float32").tolist() == [1]
    assert util.convert_backend_values_and_array_buffer([1], "float32") == [1]


def test_type_predicates() -> None:
    assert util.is_typed_array(np.ones(2))
    assert not util.is_typed_array([1])
    assert util.is_string("a")
    assert util.is_boolean(True)
    assert util.is_number(2)
    assert not util.is_number(True)
    assert util.is_int(2.0)
    assert not util.is_int(2.5)
    assert util.is_int(10**400)
    assert util.is_function(len)
    assert not util.is_promise(3)
    assert util.is_promise(concurrent.futures.Future())
    assert not tf.device_util.is_browser()
    assert not tf.device_util.is_mobile()


def test_number_helpers() -> None:
    assert [util.clamp(0, x, 2) for x in (-1, 1, 3)] == [0, 1, 2]
    assert [util.nearest_larger_even(x) for x in (3, 4)] == [4, 4]
    assert util.nearest_divisor(12, 5) == 6
    assert util.sum([1, 2, 3]) == 6
    assert util.dist_squared([0, 0], [3, 4]) == 25
    assert util.tanh(0.5) == math.tanh(0.5)
    values = [1, 2]
    util.swap(values, 0, 1)
    assert values == [2, 1]


def test_shuffling_and_random_helpers() -> None:
    tf.set_seed(3)
    assert sorted(util.create_shuffled_indices(5).tolist()) == [0, 1, 2, 3, 4]
    letters, numbers = list("abcd"), np.arange(4)
    util.shuffle_combo(letters, numbers)
    assert letters == ["abcd"[i] for i in numbers]
    util.shuffle(letters)
    assert sorted(letters) == list("abcd")
    assert 2 <= util.rand_uniform(2, 3) <= 3
    with pytest.raises(ValueError, match="array2"):
        util.shuffle_combo([1], [1, 2])
    tf.set_seed(None)


def test_string_helpers() -> None:
    assert util.encode_string("é") == "é".encode()
    assert util.decode_string("é".encode()) == "é"
    assert util.decode_string(b"a\xffb\xc3") == "a\ufffdb\ufffd"
    assert util.right_pad("a", 3) == "a  "
    assert util.finger_print64(b"Hello") % 3463 == 2842
    assert util.finger_print64(b"Hello!", 5) == util.fingerPrint64(b"Hello")
    assert util.hex_to_long("ff") == 255


# Recorded from TF.js 4.22: one string for each branch of the hash.
FINGERPRINTS = [
    (1, ".", 15830612087174379815),
    (6, "oy7]7y", 770741361281556270),
    (12, "cm+Q+mcgy?mO", 14447567212233460735),
    (25, "XbzFzbX\\n4bD42>X&\\F>DXzP4", 7968480983218916988),
    (50, "5?W#W?59Kk?!kiu5]9#u!5W-k]]k-W5!u#9]5uik!?kK95?W#W", 12254247228170391410),
    (65, "DNf2fNDHZzN0zx*DlH2*0Df<zllz<fD0*2HlD*xz0NzZHDNf2fNDHZzN0zx*DlH2*", 3058019507340405822),
    (
        130,
        "gq/U/qgk#CqSCAMg5kUMSg/_C55C_/gSMUk5gMACSqC#kgq/U/qgk#CqSCAMg5kUMSg/_C55C_/gSMUk5gMACSqC#kgq/U/qgk#CqSCAMg5kUMSg/_C55C_/gSMUk5gMAC",
        9631941709535097348,
    ),
]


@pytest.mark.parametrize(("size", "text", "expected"), FINGERPRINTS)
def test_fingerprints_equal_farmhash(size: int, text: str, expected: int) -> None:
    assert len(text) == size
    assert util.finger_print64(text.encode()) == expected


def test_assertions() -> None:
    util.assert_(True, "never")  # noqa: PT009
    with pytest.raises(ValueError, match="why"):
        util.assert_(False, lambda: "why")  # noqa: PT009
    with pytest.raises(ValueError, match="why"):
        util.assert_(False, "why")  # noqa: PT009
    util.assert_shapes_match([1, 2], (1, 2))
    with pytest.raises(ValueError, match="here"):
        util.assert_shapes_match([1], [2], "here:")
    for call in (
        lambda: util.assert_non_null(None),
        lambda: util.assert_non_negative_integer_dimensions([-1]),
        lambda: util.check_conversion_for_errors([1.0, math.nan], "float32"),
        lambda: util.squeeze_shape([2], [0]),
        lambda: util.bytes_per_element("string"),
        lambda: util.to_nested_array([2], [1]),
        lambda: util.infer_from_implicit_shape([4, -1], 6),
        lambda: util.infer_from_implicit_shape([2, 3, 4], 25),
        lambda: util.parse_axis_param(2, [1]),
    ):
        with pytest.raises(ValueError, match=r"."):
            call()
    with pytest.raises(TypeError):
        util.to_typed_array(["a"], "string")


def test_repeated_try() -> None:
    counter = iter(range(10))
    asyncio.run(util.repeated_try(lambda: next(counter) == 3, lambda n: 0, 5))
    with pytest.raises(RuntimeError, match="3 tries"):
        asyncio.run(util.repeatedTry(lambda: False, None, 3))
    assert util.now() <= util.now()


def test_upcast_type_and_sum_out_type() -> None:
    assert tf.upcast_type("bool", "int32") == tf.backend_util.upcastType("int32", "bool") == "int32"
    assert tf.upcast_type("string", "string") == "string"
    assert [tf.sum_out_type(t) for t in ("bool", "float32")] == ["int32", "float32"]
    for call in (lambda: tf.upcast_type("string", "int32"), lambda: tf.sum_out_type("string")):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="type_a"):
        tf.upcast_type("float16", "int32")
    assert [tf.enclosing_power_of_two(n) for n in (1, 3, 4, 5)] == [1, 4, 4, 8]
    with pytest.raises(ValueError, match="value"):
        tf.enclosing_power_of_two(0)


def test_op_wraps_function_under_its_name() -> None:
    def twice_(x: Any) -> Any:
        return x.add(x).mul(1)

    twice = tf.op({"twice_": twice_})
    assert twice.__name__ == "twice"
    assert twice(tf.tensor([2.0])).array_sync() == [4]
    with pytest.raises(ValueError, match="op:"):
        tf.op({})
    with pytest.raises(TypeError, match="op:"):
        tf.op({"a": 3})
    with pytest.raises(TypeError, match="op: argument 'f' must be a dict with one name and one function"):
        tf.op({1: twice_})


def test_broadcast_util() -> None:
    b = tf.broadcast_util
    assert b.assert_and_get_broadcast_shape([2, 1], [3]) == [2, 3]
    assert b.get_broadcast_dims([1, 3], [2, 4, 3]) == [0]
    assert b.get_reduction_axes([1, 3], [2, 4, 3]) == [0, 1]
    assert tf.backend_util.getReductionAxes is b.get_reduction_axes
    for call in (b.get_broadcast_dims, b.get_reduction_axes):
        with pytest.raises(ValueError, match=f"{call.__name__}: argument 'out_shape'"):
            call([1], [])


def test_slice_util() -> None:
    s, x = tf.slice_util, tf.ones([4, 5])
    assert s.parse_slice_params(x, 1) == [[1, 0], [3, 5]]
    s.assert_params_valid(x, [0, 0], [4, 5])
    with pytest.raises(ValueError, match="begin"):
        s.assert_params_valid(x, [0], [4])
    assert s.compute_out_shape([0, 4], [4, 0], [3, -2]) == [2, 2]
    assert s.mask_to_axes(0b101) == [0, 2]
    assert s.is_slice_continous([4, 5], [1, 0], [2, 5])
    assert not s.is_slice_continous([4, 5], [1, 0], [2, 4])
    assert s.compute_flat_offset([2, 3], [5]) == 13
    info = s.slice_info([4, 5], [1], [3], None, 0, 0, 0, 0, 1)
    assert (info.finalShape, info.begin, info.end, info.strides) == ([5], [1, 0], [2, 5], [1, 1])
    assert info.sliceDim0
    assert not info.is_identity
    info = s.slice_info([4, 5, 6], [1, 2, 3], [3, 4, 5], [1, 1, 1], 0b001, 0b100, 0, 0b010, 0)
    assert (info.finalShape, info.begin, info.end) == ([3, 1, 2, 6], [0, 3, 0], [3, 5, 6])
    info = s.slice_info([4, 5, 6], [1, 2, 3], [3, 4, 5], [1, 1, 1], 0b001, 0b100, 0, 0, 0b010)
    assert (info.finalShape, info.begin, info.end) == ([3, 3], [0, 2, 3], [3, 3, 6])
    parts = (([0], [4], 1, True), ([1], [4], 1, False), ([0], [3], 1, False), ([0], [4], 2, False))
    for begin, end, step, identity in parts:
        assert s.slice_info([4], begin, end, [step], 0, 0, 0, 0, 0).is_identity == identity


def test_gather_util_and_scatter_util() -> None:
    x, indices = tf.ones([2, 3, 4]), tf.zeros([5, 2], "int32")
    assert tf.gather_util.prepare_and_validate(x, indices) == [[5, 4], 5, 4, [3, 1]]
    assert tf.scatter_util.calculate_shapes(tf.ones([5, 4]), indices, [2, 3, 4]).strides == [3, 1]
    found = tf.scatter_util.calculate_shapes(tf.ones([5, 4]), tf.zeros([5, 1], "int32"), [2, 4])
    assert (found.slice_rank, found.num_updates, found.slice_size, found.output_size) == (1, 5, 4, 8)
    tf.scatter_util.validate_input(tf.ones([5, 4]), indices, [2, 3, 4])
    with pytest.raises(ValueError, match="shape"):
        tf.scatter_util.validate_update_shape([2, 3, 4], indices, tf.ones([5]))
    with pytest.raises(TypeError, match="int32"):
        tf.scatter_util.validate_input(tf.ones([5, 4]), tf.ones([5, 2]), [2, 3, 4])
    with pytest.raises(ValueError, match="indices"):
        tf.gather_util.prepare_and_validate(x, tf.zeros([1, 4], "int32"))


def test_axis_helpers_of_backend_util() -> None:
    b = tf.backend_util
    assert b.get_axes_permutation([0], 3) == [1, 2, 0]
    assert b.get_axes_permutation([2], 3) is None
    assert b.get_undo_axes_permutation([1, 2, 0]) == [2, 0, 1]
    assert b.get_inner_most_axes(2, 3) == [1, 2]
    assert b.compute_out_and_reduce_shapes([2, 3, 4], [1]) == [[2, 4], [3]]
    assert b.expand_shape_to_keep_dim([2, 4], [1]) == [2, 1, 4]
    assert b.combine_locations([7, 9], [8], [1]) == [7, 8, 9]
    assert b.compute_out_shape([[2, 3], [1, 3]], 0) == [3, 3]
    assert b.prepare_split_size(tf.ones([6]), [2, -1]) == [2, 4]
    assert b.is_identity_permutation([0, 1])
    b.assert_axes_are_inner_most_dims("sum", [1], 2)
    with pytest.raises(ValueError, match="sum"):
        b.assert_axes_are_inner_most_dims("sum", [0], 2)
    with pytest.raises(ValueError, match="shapes"):
        b.assert_params_consistent([[2, 3], [2, 4]], 0)


def test_complex_and_string_helpers_of_backend_util() -> None:
    b = tf.backend_util
    merged = b.merge_real_and_imag_arrays([1, 2], [3, 4])
    assert merged.tolist() == [1, 3, 2, 4]
    assert b.split_real_and_imag_arrays(merged)["imag"].tolist() == [3, 4]
    assert b.merge_real_and_imag_arrays([1e308], [0]).tolist() == [math.inf, 0]
    assert b.from_uint8_to_string_array(b.from_string_array_to_uint8(["ä"])) == ["ä"]


def test_warn_and_log(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(UserWarning, match="a 1"):
        tf.backend_util.warn("a", 1)
    tf.backend_util.log("b", 2)
    assert capsys.readouterr().out == "b 2\n"


def test_tensor_util() -> None:
    a, b = tf.tensor([1.0]), tf.ones([1], "int32")
    u = tf.tensor_util
    assert [t.dtype for t in u.make_types_match(a, b)] == ["float32", "float32"]
    with pytest.raises(TypeError, match="float32"):
        u.assert_types_match(a, b)
    assert u.is_tensor_in_list(a, [b, a])
    assert not u.is_tensor_in_list(a, [b, tf.tensor([1.0])])
    assert [t.id for t in u.get_tensors_in_container({"x": a, "y": [{"z": b}, a]})] == [a.id, b.id]


def test_test_util() -> None:
    t = tf.test_util
    t.expect_arrays_close([1.0, 2], [1.0005, 2])
    t.expect_arrays_equal([[1, 2]], [[1, 2]])
    t.expect_numbers_close(1, 1.0001)
    t.expect_values_in_range([0, 1, 3], 0, 3)
    t.expect_array_buffers_equal(b"ab", bytearray(b"ab"))
    assert t.encode_strings([["a"], "b"]) == [[b"a"], b"b"]
    assert t.test_epsilon() == 1e-3
    with pytest.raises(AssertionError):
        t.expect_values_in_range([5], 0, 3)


FLOATS = np.array([1, 2, 3, 4], np.float32)


@pytest.mark.parametrize(
    ("actual", "expected", "equal"),
    [
        ([1], [1.1], False),
        ([1], [2], False),
        ([1], 1, False),
        ([[1, 2]], [[1, 2]], True),
        ([[1, 2]], [1, 2], False),
        ([True, False], [1, 0], True),
        (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a", "c"], False),
        (FLOATS, [[1, 2], [3, 4]], True),  # of an array and a list only the values are compared
        (FLOATS, [1, 2, 3], False),
        (FLOATS[:1], 1, True),
        (FLOATS, 1, False),
        (FLOATS, FLOATS.reshape(2, 2), False),
        (FLOATS, FLOATS.astype(np.float64), True),
        (FLOATS, FLOATS.astype(np.int32), False),
        (FLOATS.view(np.complex64), [1 + 2j, 3 + 4j], True),
        (FLOATS.view(np.complex64), [1, 2, 3, 4], True),  # complex numbers as TF.js stores them
        (FLOATS.view(np.complex64), [1, 3], False),
    ],
    ids=str,
)
def test_expected_values_match_as_in_tfjs(actual: Any, expected: Any, equal: bool) -> None:
    for expect in (tf.test_util.expect_arrays_close, tf.test_util.expect_arrays_equal):
        with contextlib.nullcontext() if equal else pytest.raises(AssertionError):
            expect(actual, expected)
