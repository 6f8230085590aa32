"""Variables of 0.4: they have the methods of arrays and additional ones."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from legacy.test_faces import ARGUMENTS

import tfpy as tf
from tfpy import legacy as dl
from tfpy.engine.scope import handles_in
from tfpy.legacy.arrays.buffer import ArrayBuffer

# Methods that write to arrays, which variables lack (they have `assign`), and methods that return no values.
WRITING = {"set", "fill", "add", "new", "dispose", "variable", "math", "print"}
INNER = {"host_values", "writable_values", "exposed_values"}
STATIC = {n for n in dir(dl.NDArray) if inspect.ismethod(getattr(dl.NDArray, n))}  # zeros, randNormal, …
METHODS = sorted(
    n
    for n in dir(dl.NDArray)
    if not n.startswith("_") and callable(getattr(dl.NDArray, n)) and n not in WRITING | INNER | STATIC
)
VALUES = [[1.5, -2], [3, 4]]
OTHER = dl.Array2D.new([2, 2], [1, 2, 3, 4])
METHOD_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("concat", "stack", "equals", "reshape_as", "mat_mul"), (OTHER,)),
    **dict.fromkeys(("get", "val"), (1, 0)),
    "as_2d": (4, 1),
    "as_3d": (2, 2, 1),
    "as_4d": (1, 2, 2, 1),
    "as_type": ("int32",),
    "batch_normalization": (dl.Array1D.new([1, 2]), dl.Array1D.new([1, 4])),
    "gather": (dl.Array1D.new([1, 0], "int32"),),
    "index_to_loc": (3,),
    "loc_to_index": ([1, 0],),
    "reshape": ([2, 2],),
    "slice": ([0, 1], [2, 1]),
    "where": (dl.Array2D.new([2, 2], [1, 0, 0, 1], "bool"), OTHER),
}


def snake(name: str) -> str:
    """The snake_case name of a method."""
    own = getattr(dl.NDArray, name)
    means = getattr(own, "means", name)
    return next((n for n in METHODS if n == n.lower() and getattr(dl.NDArray, n) is own), means)


def arguments(name: str) -> tuple[Any, tuple[Any, ...]]:
    """Return an array and the arguments for its method."""
    plain = snake(name)
    plain = {"as1d": "as_1d", "as2d": "as_2d", "as3d": "as_3d", "as4d": "as_4d"}.get(plain, plain)
    if plain in ("to_string", "as_scalar"):
        return dl.Scalar.new(2), ()
    if plain == "resize_bilinear":
        return dl.Array3D.new([2, 2, 1], [1, 2, 3, 4]), ([1, 1],)
    if plain in METHOD_ARGUMENTS or plain not in ARGUMENTS:
        given = (dl.Array2D.new([2, 2], VALUES), *METHOD_ARGUMENTS.get(plain, ()))
    else:
        given = next(a for a in ARGUMENTS[plain] if (a[0].dtype == "bool") == ("logical" in plain))
    # Copies, because arrays held by this module would stay on the GPU.
    first, *rest = [a.clone() if isinstance(a, dl.NDArray) else a for a in given]
    return first, tuple(rest)


def outcome(call: Callable[[], Any]) -> Any:
    try:
        found = call()
    except (TypeError, ValueError, RuntimeError) as error:
        return type(error), str(error).replace("Array2D", "").replace("Variable", "")
    if inspect.isawaitable(found):
        found = asyncio.run(_awaited(found))
    if isinstance(found, ArrayBuffer):
        found = found.toTensor()
    handles = list(handles_in(found))
    if not handles:
        return str(found)
    return [(type(a), a.dtype, np.asarray(a).tolist()) for a in handles]


async def _awaited(found: Any) -> Any:
    return await found


@pytest.mark.parametrize("numerics", ["tfjs", "deeplearn.js"])
@pytest.mark.parametrize("name", METHODS)
def test_methods_of_variables_match_those_of_arrays(name: str, numerics: Any) -> None:
    array, given = arguments(name)
    variable = dl.variable(array)
    with dl.numerics(numerics):
        expected = outcome(lambda: getattr(array, name)(*given))
        found = outcome(lambda: getattr(variable, name)(*given))
    assert str(found) == str(expected)


def test_operators_return_arrays() -> None:
    v, a = dl.variable(dl.tensor1d([1, 2])), dl.tensor1d([10, 20])
    found = [v + a, a + v, v * 2, 2 - v, -v, v / 2, 2 / v, v**2, v % 2, v // 2, abs(v), v @ a, v[0], np.ones(2) + v]
    assert [type(x) for x in found] == [*[dl.Array1D] * 11, dl.Scalar, dl.Scalar, dl.Array1D]
    assert [x.array_sync() for x in found[:6]] == [[11, 22], [11, 22], [2, 4], [1, 0], [-1, -2], [0.5, 1]]
    with pytest.raises(TypeError, match="assign"):
        v += a


def test_no_op_methods_return_a_snapshot() -> None:
    v = dl.variable(dl.tensor1d([1, 2]))
    for same in (v.reshape([2]), v.flatten(), v.toFloat(), v.clone()):
        assert type(same) is dl.Array1D
        v.assign([5, 6])
        assert same.getValues().tolist() == [1, 2]
        v.assign([1, 2])


def test_variable_from_variable() -> None:
    v = dl.variable(dl.tensor1d([1, 2]), True, "first")
    second, third = v.variable(False, "second"), dl.Variable.variable(dl.scalar(1), True, "third")
    second.assign([3, 4])
    assert [type(x) for x in (second, third)] == [dl.Variable] * 2
    assert (v.get(0), second.get(0), second.trainable, second.name, third.name) == (1, 3, False, "second", "third")
    assert copy.copy(v).get() == 1


def test_gradients_flow_through_methods_of_variables() -> None:
    v = dl.variable(dl.tensor1d([1, 2]), True, "w")
    found = dl.variableGrads(lambda: (v.reshapeAs(dl.ones([2, 1])).toFloat() * 3 - v.as2D(2, 1)).square().sum())
    assert found.grads["w"].getValues().tolist() == [8, 16]


@pytest.mark.parametrize("make", [lambda: dl.train.sgd(0.1), lambda: dl.SGDOptimizer(0.1), lambda: dl.train.adam(0.1)])
def test_optimizers_return_arrays(make: Callable[[], Any]) -> None:
    v = dl.variable(dl.scalar(3), True, "v")
    optimizer = make()
    found = optimizer.computeGradients(lambda: v.square())
    assert (type(found.value), type(found.grads["v"])) == (dl.Scalar, dl.Scalar)
    assert (found.value.get(), found.grads["v"].get()) == (9, 6)
    optimizer.applyGradients(found.grads)
    assert v.get() < 3
    assert optimizer.minimize(lambda: v.square(), True).get() < 9


def test_dl_train_optimizers_work_with_layers_models() -> None:
    tf.set_seed(1)
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    model.compile(optimizer=dl.train.adam(0.1), loss="meanSquaredError")
    assert model.fit(tf.ones([4, 1]), tf.ones([4, 1]), epochs=2, verbose=0).history["loss"][1] >= 0
    assert {n for n in dir(tf.train) if not n.startswith("_")} <= set(dir(dl.train))


def test_buffers_convert_to_arrays() -> None:
    for buffer in (dl.buffer([2]), dl.tensor([1, 2]).buffer(), dl.variable(dl.tensor([1, 2])).buffer()):
        buffer.set(7, 1)
        assert type(buffer.toTensor()) is type(buffer.to_tensor()) is dl.Array1D
        assert buffer.toTensor().get(1) == 7
    assert dl.buffer([1], "int32", [3]).toTensor().dtype == "int32"
    with pytest.raises(ValueError, match="buffer: argument 'dtype'"):
        dl.buffer([1], "string")  # type: ignore[arg-type]
