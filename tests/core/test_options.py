"""Options: both spellings, dicts or keywords, None for a default, and errors for invalid options."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypedDict, Unpack

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl
from tfpy.core.calling.argument_errors import name_call
from tfpy.core.calling.options import accepts_options, read_options
from tfpy.core.naming.names import EXCEPTIONS, camel, spellings
from tfpy.engine.package import PACKAGE


@accepts_options("args")
def recipe(dish: str, args: Any = None, *, oven_heat: int = 200, time: float = 1) -> tuple[str, int, float]:
    return dish, oven_heat, time


@pytest.mark.parametrize(
    "call",
    [
        lambda: recipe("pie", {"ovenHeat": 150, "time": 2}),
        lambda: recipe("pie", {"oven_heat": 150}, time=2),
        lambda: recipe("pie", ovenHeat=150, time=2),
        lambda: recipe("pie", None, oven_heat=150, time=2),
        lambda: recipe(dish="pie", args={"ovenHeat": 150}, time=2),
    ],
)
def test_equivalent_forms_of_options(call: Callable[[], Any]) -> None:
    assert call() == ("pie", 150, 2)


class Times(TypedDict, total=False):
    rest_minutes: float | None
    bake_minutes: float | None


@accepts_options()
def bread(flour: str = "rye", **times: Unpack[Times]) -> tuple[str, Times]:
    return flour, times


def test_options_declared_as_typed_dict() -> None:
    assert bread(restMinutes=30, bake_minutes=None) == ("rye", {"rest_minutes": 30})
    assert list(inspect.signature(bread).parameters) == ["flour", "rest_minutes", "bake_minutes"]
    for call, words in [
        (lambda: bread(times={}), "unknown option 'times'.*flour, rest_minutes, bake_minutes"),
        (lambda: bread(bakeminutes=1), "bake_minutes"),
        (lambda: bread(bakeMinutes="long"), "bread.*'bake_minutes' must be a number"),
    ]:
        with pytest.raises(TypeError, match=words):
            call()


def test_none_means_default() -> None:
    assert recipe("pie", {"ovenHeat": None, "time": None}) == ("pie", 200, 1)
    assert tf.one_hot([0], 2, None, None).array_sync() == [[1, 0]]
    assert tf.sum([[1.0, 2]], None, None).array_sync() == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: recipe("pie", {"ovenheat": 1}), "recipe.*'ovenheat'.*oven_heat"),
        (lambda: recipe("pie", ofen=1), "recipe.*unknown option 'ofen'"),
        (lambda: recipe("pie", {"ovenHeat": 1}, oven_heat=2), "given twice"),
        (lambda: recipe("pie", {"ovenHeat": 1, "oven_heat": 2}), "given twice"),
        (lambda: recipe("pie", 3), "recipe.*args.*dict"),
        (lambda: tf.layers.dense(unit=3), "Dense.*'unit'.*units"),
        (lambda: tf.layers.dense(), "Dense.*'units'.*required"),
        (lambda: tf.layers.dense({"units": 3}, units=4), "given twice"),
        (lambda: tf.one_hot([0], 2, onvalue=3), "one_hot.*onvalue"),
    ],
)  # fmt: skip
def test_unknown_or_duplicate_option_raises(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()


def test_camel_case_names_and_exceptions() -> None:
    assert camel("one_hot") == "oneHot"
    assert camel("simple_rnn", "layers") == "simpleRNN"
    assert camel("_private_name") == "_privateName"
    assert camel("add") == "add"
    assert spellings(["is_nan"]) == {"isNaN": "is_nan", "is_nan": "is_nan"}
    for namespace, names in EXCEPTIONS.items():
        for snake, spelling in names.items():
            assert camel(snake, namespace) == spelling


def test_read_options_omits_none() -> None:
    assert read_options({"keepDims": True, "axis": None}, ["keep_dims", "axis"], "sum") == {"keep_dims": True}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: recipe("pie", 150), "argument 'args' must be a dict of options, or keywords such as oven_heat=…"),
        (
            lambda: recipe("pie", 150, 2),
            "recipe: takes dish by position, and by name or in a dict oven_heat, time, but got 3",
        ),
        (lambda: recipe("pie", colour=1), "unknown option 'colour'. It takes dish, oven_heat, time."),
        (lambda: tf.layers.dense(10), "Dense: argument 'config' must be a dict of options, or keywords such as units"),
        (lambda: tf.layers.conv2d(8, 3), "keywords such as kernel_size=…, but got (8, 3)"),
        (lambda: tf.layers.Dense(8, "relu"), "keywords such as units=…, but got (8, 'relu')"),
        (
            lambda: tf.layers.add([tf.ones([2]), tf.ones([2])]),
            "pass tensors to its apply, but got [a Tensor of",
        ),
        (
            lambda: tf.layers.dense(tf.input(shape=[2])),
            "such as units=…; pass tensors to its apply, but got a Symbolic",
        ),
        (lambda: tf.layers.lstm(8), "LSTM: argument 'config' must be a dict of options, or keywords such as units"),
        (lambda: tf.initializers.random_normal(0, 1), "keywords such as mean=…, but got (0, 1)"),
        (lambda: tf.train.adam(rate_of_learning=1), "unknown option 'rate_of_learning'. It takes learning_rate, beta1"),
        (
            lambda: tf.model(1, 2),
            "model: takes nothing by position, and by name or in a dict inputs, outputs, name, but got 2",
        ),
    ],
)
def test_positional_options_error_explains_usage(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.regularizers.l2(l2=0.5), "L2(l2=0.5)"),
        (lambda: tf.initializers.glorot_normal(seed=1), "GlorotNormal(seed=1)"),
        (lambda: tf.constraints.max_norm(max_value=3), "MaxNorm(max_value=3)"),
        (lambda: tf.train.momentum(0.1, 0.9), "Momentum(learning_rate=0.1, momentum=0.9, use_nesterov=False)"),
    ],
)
def test_repr_shows_options(make: Callable[[], Any], text: str) -> None:
    assert repr(make()) == text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.leaky_relu([1.0], alpha="a"), "leaky_relu: argument 'alpha' must be a number, but got 'a'"),
        (lambda: tf.leaky_relu([1.0], "a"), "leaky_relu: argument 'alpha' must be a number, but got 'a'"),
        (lambda: tf.clip_by_value([1.0], [0, 1], 2), "clip_by_value: argument 'clip_value_min' must be a number"),
        (lambda: tf.batch_norm(tf.ones([1, 2]), 0, 1, varianceEpsilon="a"), "'variance_epsilon' must be a number"),
        (lambda: tf.linspace("a", 1, 3), "linspace: argument 'start' must be a number, but got 'a'"),
        (lambda: tf.util.shuffle(3), "shuffle: argument 'array' must be a list or array, but got 3"),
        (lambda: tf.cosine_window(3, None, 1), "cosine_window: argument 'a' must be a number, but got None"),
        (lambda: tf.Tensor([1, 2]), "Tensor: create tensors with tf.tensor(values)"),
        (lambda: tf.tensor([1], dtype=float), "'dtype' must be one of 'float32'"),
    ],
)
def test_non_numeric_arguments_raise(call: Callable[[], Any], text: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert text in str(caught.value)


TWO_VALUES = np.array([1, 2])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.sum([[1.0]], 0, TWO_VALUES), "sum: argument 'keep_dims' must be True or False"),
        (lambda: tf.mat_mul([[1.0]], [[1.0]], transpose_b=tf.ones([2])), "mat_mul: argument 'transpose_b' must be True or"),
        (lambda: tf.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), 1, "same", TWO_VALUES), "'data_format' must be a string"),
        (lambda: tf.norm([1.0], TWO_VALUES), "norm: argument 'ord' must be a number, but got a ndarray"),
        (lambda: tf.range(0, 1, 1, TWO_VALUES), "range: argument 'dtype' must be the name of a dtype"),
        (lambda: tf.losses.hinge_loss([1.0], [1.0], None, TWO_VALUES), "argument 'reduction' must be a Reduction"),
        (lambda: tf.util.clamp(None, 1, 2), "clamp: argument 'min' must be a number, but got None"),
        (lambda: tf.util.dist_squared(["a"], [1]), "dist_squared: argument 'a' must be a list of numbers"),
        (lambda: tf.util.dist_squared([1], [1, 2]), "dist_squared: argument 'b' must be of length 1"),
        (lambda: tf.util.encode_string("a", encoding=b"a"), "encode_string: argument 'encoding' must be a string"),
        (lambda: tf.util.swap([1], 0, 1), "swap: argument 'object' must be a list, array or dict with elements at 0 and"),
        (lambda: tf.util.shuffle_combo([1, 2], b"ab"), "shuffle_combo: argument 'array2' must be a list or array"),
        (lambda: tf.util.now(1), "now: takes nothing by position, but got 1"),
        (lambda: tf.backend_util.get_broadcast_dims(None, [1]), "'in_shape' must be a list of whole numbers, but got None"),
        (lambda: tf.slice_util.compute_out_shape([0], [1], None), "'strides' must be a list of whole numbers"),
        (lambda: tf.env().get([]), "get: argument 'flag_name' must be a string, but got []"),
        (lambda: tf.env().register_flag(None, lambda: 1), "register_flag: argument 'flag_name' must be a string"),
        (lambda: tf.get_kernel([], "cpu"), "get_kernel: argument 'kernel_name' must be a string"),
        (lambda: tf.find_backend([]), "find_backend: argument 'name' must be a string"),
        (lambda: tf.engine().run_kernel("Add", [tf.ones([1])] * 2, "a"), "run_kernel: argument 'attrs' must be a dict"),
        (lambda: tf.train.sgd(0.1).from_config(None), "from_config: argument 'config' must be a dict, but got None"),
        (lambda: tf.train.adam("a"), "adam: argument 'learning_rate' must be a number, but got 'a'"),
        (lambda: tf.TensorBuffer(None), "buffer: argument 'shape' must be a whole number, but got None"),
        (lambda: tf.TensorBuffer([1], "float"), "buffer: argument 'dtype' must be one of 'float32'"),
        (lambda: tf.buffer([2]).index_to_loc("a"), "index_to_loc: argument 'index' must be a whole number, but got 'a'"),
        (lambda: tf.ones([6]).as_2d(3, 3), "as_2d: argument 'self' must be a tensor of 9 elements, for shape [3, 3]"),
        (lambda: tf.ones([6]).as_3d(1, "a", 2), "as_3d: argument 'columns' must be a whole number, but got 'a'"),
        (lambda: tf.ones([6]).as_4d(1, 2, 3, -7), "as_4d: argument 'shape' must be sizes of 0 or more"),
        (lambda: tf.ones([6]).as_5d(1, 1, 1, -1, -1), "as_5d: argument 'shape' must be a shape with at most one -1"),
        (lambda: tf.ones([6]).as_type("foo"), "as_type: argument 'dtype' must be one of"),
        (lambda: tf.tensor(["a"]).to_int(), "to_int: argument 'dtype' must be a dtype that string can be cast to"),
        (lambda: tf.ones([6]).reshape([2], 3), "reshape: argument 'shape' must be a whole number, but got [2]"),
        (lambda: tf.zeros(2, 3), "(the sizes of a shape are given as one list, as in [2, 3]), but got 3"),
        (lambda: tf.cast([1], np.int64), "'complex64' (here 'int32'), but got <class 'numpy.int64'>"),
        (lambda: tf.cast([1], "float"), "'complex64' (here 'float32'), but got 'float'"),
        (lambda: tf.cast([1], None), "'complex64', but got None"),
        (lambda: tf.train.adam("0.1"), "adam: argument 'learning_rate' must be a number, but got '0.1'"),
        (lambda: tf.ones([1]).reshape_as(None), "reshape_as: argument 'x' must be a tensor, but got None"),
        (lambda: tf.ones([1]).concat(None), "concat: argument 'tensors[1]' must be a tensor or numbers, but got None"),
        (lambda: tf.ones([2, 2])[[[0, 1], [0]]], "[]: argument 'index' must be rectangular"),
        (lambda: recipe("pie", {5: 1}), "recipe: unknown option 5. It takes dish, oven_heat, time."),
        (lambda: tf.util.dist_squared([1e200], [0]), "dist_squared: failed with a=[1e+200], b=[0]: OverflowError: "),
        (lambda: tf.train.sgd(0.1).minimize(tf.scalar(1)), "minimize: argument 'f' must be a function, but got a Tensor"),
        (lambda: tf.io.ModelArtifacts(3), "ModelArtifacts: argument 'values' must be a dict, but got 3"),
        (lambda: tf.io.decode_weights(3, []), "decode_weights: argument 'weight_data' must be bytes, or a list of them"),
        (lambda: tf.io.decode_weights_stream(3, []), "decode_weights_stream: argument 'weight_stream' must be a file"),
        (lambda: tf.layers.add(name="\x1b[2J").apply(tf.ones([1])), "\\x1b[2J: argument 'inputs' must be a list of 2"),
        (lambda: tf.util.hex_to_long("same"), "hex_to_long: argument 'hex' must be hexadecimal digits, but got 'same'"),
        (lambda: tf.util.to_nested_array([2], [1, [2]]), "to_nested_array: argument 'a' must be values in equally long"),
        (lambda: tf.util.size_to_squarish_shape(-1), "size_to_squarish_shape: argument 'size' must be a whole number of 0"),
        (lambda: tf.util.make_zeros_typed_array(-1, "int32"), "make_zeros_typed_array: argument 'size'"),
        (lambda: tf.backend_util.split_real_and_imag_arrays("x"), "arrays: argument 'complex' must be numbers, but got 'x'"),
        (lambda: tf.backend_util.merge_real_and_imag_arrays([1], [10**400]), "argument 'imag' must be numbers"),
        (lambda: tf.backend_util.get_undo_axes_permutation([1]), "argument 'axes' must be each axis from 0 to 0 once"),
        (lambda: tf.backend_util.combine_locations([1], [1], "a"), "combine_locations: argument 'axes'"),
        (lambda: tf.enclosing_power_of_two(1e308), "enclosing_power_of_two: argument 'value' must be above 0, and at most"),
        (lambda: tf.scatter_util.validate_update_shape([4], np.ones([1, 2]), np.ones(2)), "validate_update_shape: indices of 2"),
    ],
)  # fmt: skip
def test_argument_that_breaks_python_or_numpy_raises(call: Callable[[], Any], text: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert text in str(caught.value)


def test_error_in_user_function_is_not_replaced() -> None:
    with pytest.raises(KeyError):
        tf.tidy("name", lambda: {}["a"])
    with pytest.raises(TypeError, match="^int"):
        tf.data.array([{}]).map(int).to_array()


def test_error_names_the_invalid_argument() -> None:
    with pytest.raises(ValueError, match=r"sum: argument 'axis' must be an axis from -1 to 0, but got 3\."):
        tf.sum([1.0], 3, np.array([True]))


def test_scalar_tensor_as_number() -> None:
    assert tf.leaky_relu([-2.0], tf.scalar(0.5)).array_sync() == [-1]
    assert tf.norm([3.0, 4.0], tf.scalar(1)).array_sync() == 7


def test_none_without_default_is_passed_on() -> None:
    assert tf.util.parse_axis_param(axis=None, shape=[2, 3]) == [0, 1]
    dl_math, x = dl.NDArrayMathCPU(), dl.Array3D.ones([3, 3, 1])
    weights = dl.Array4D.ones([2, 2, 1, 1])
    expected = dl_math.conv2d(x, weights, None, 1, 0).get_values()
    np.testing.assert_array_equal(dl_math.conv2d(x, weights, bias=None, strides=1, pad=0).get_values(), expected)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: recipe(), "recipe: argument 'dish' is missing."),
        (lambda: recipe(ovenHeat=150), "recipe: argument 'dish' is missing."),
        (lambda: recipe("pie", dish="tart"), "recipe: argument 'dish' is given twice."),
        (lambda: tf.one_hot(), "one_hot: arguments 'indices', 'depth' are missing."),
        (lambda: tf.data.array([1]).shuffle(), "shuffle: argument 'buffer_size' is missing."),
        (lambda: tf.callbacks.model_checkpoint(), "model_checkpoint: argument 'filepath' is missing."),
        (lambda: tf.fused.mat_mul(a=1), "mat_mul: argument 'b' is missing."),
        (lambda: tf.train.momentum(0.1), "momentum: argument 'momentum' is missing."),
        (lambda: dl.MomentumOptimizer(0.1), "MomentumOptimizer: argument 'momentum' is missing."),
        (lambda: tf.regularizers.l2(l=0.1), "L2: unknown option 'l'. Did you mean 'l2'?"),
        (lambda: tf.regularizers.l1(0.1), "such as l1=…"),
        # Python's own message, if the function is called without a wrapper
        (lambda: tf.ones([1]).as_2d(1), "Tensor.as_2d() missing 1 required positional argument"),
        (lambda: dl.NDArrayMathCPU().add(1), "NDArrayMath.add() missing 1 required positional argument"),
    ],
)
def test_binding_errors_use_the_public_name(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        call()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: tf.data.array([1]).map(lambda x, y: x),
            "map: argument 'transform' must be a function of one argument, the element (tuples and dicts are passed "
            "whole), but got <lambda>(x, y).",
        ),
        (lambda: tf.data.array([1]).filter(lambda *, y: y), "filter: argument 'predicate' must be a function of one"),
        (lambda: tf.data.array([1]).for_each_async(lambda x, *, y: x), "but got <lambda>(x, *, y)"),
        (
            lambda: tf.grad(lambda x, y: x),
            "grad: argument 'f' must be a function of one tensor (tf.grads is for several), but got <lambda>(x, y).",
        ),
        (lambda: tf.value_and_grad(tf.mul), "(tf.value_and_grads is for several), but got mul(a: "),
    ],
)
def test_function_of_other_arguments_raises(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        call()


@pytest.mark.parametrize(
    "function",
    [lambda *args: args[0], lambda x, y=2: x, lambda: 1, functools.partial(max, 0), abs, int, np.sqrt],
)
def test_function_that_may_be_called_with_one_argument(function: Any) -> None:
    data = tf.data.array([1]).map(function)
    assert data.to_array() == tf.data.array([1]).iterator().map(function).to_array() == [1]


def test_type_error_inside_function_is_not_replaced() -> None:
    @accepts_options()
    def outer(dish: str, size: int = 1) -> None:
        (lambda x: x)()  # type: ignore[call-arg]

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        outer("pie")


@pytest.mark.parametrize(("statement", "is_named"), [("raise LookupError(x)", False), ("[][x]", True)])
def test_errors_of_code_without_source(statement: str, is_named: bool) -> None:
    """As in programs frozen into one file: what Python has raised gets the function's name, the rest is left alone."""
    scope: dict[str, Any] = {}
    exec(compile(f"def inner(x):\n    {statement}", f"{PACKAGE}frozen.py", "exec"), scope)
    with pytest.raises(LookupError) as raised:
        scope["inner"](1)
    assert raised.tb.tb_next is not None
    error = raised.value.with_traceback(raised.tb.tb_next)
    with pytest.raises(ValueError, match="outer: failed with x=1") if is_named else nullcontext():
        name_call("outer", {"x": 1}, error)
