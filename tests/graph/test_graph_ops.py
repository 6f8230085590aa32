"""Single graph ops that no converted model contains, and custom ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph.graph_builders import model, node, placeholder, run_op
from graph.small_model import FLOAT, INT, N, X
from graph.test_converted import MODELS, ops_in
from tolerance import ROUNDING

import tfpy as tf
from tfpy.graph import ops  # noqa: F401  (fills the table)
from tfpy.graph.mappers import MAPPERS

# Ops that no converted model contains

SINGLE_OPS: dict[str, tuple[tuple[Any, ...], dict[str, Any], list[Any]]] = {
    "ClipByValue": ((X, np.float32(-1), np.float32(2)), {}, [np.clip(X, -1, 2)]),
    "Concat": ((np.int32(1), X, X), {"N": 2}, [np.concatenate([X, X], 1)]),
    "Fill": ((N[:1], np.float32(7)), {"T": FLOAT}, [np.full(2, 7, np.float32)]),
    "Gather": ((X, N[:2] % 2), {}, [X[[0, 0]]]),
    "IdentityN": ((X, N), {}, [X, N]),
    "LinSpace": ((np.float32(0), np.float32(1), np.int32(3)), {}, [np.array([0, 0.5, 1], np.float32)]),
    "NoOp": ((), {}, [np.float32(1)]),
    "Ones": ((N[:1],), {"T": INT}, [np.ones(2, np.int32)]),
    "Prelu": ((X, np.float32([0.1, 0.2, 0.3])), {}, [np.where(X > 0, X, X * np.float32([0.1, 0.2, 0.3]))]),
    "Rank": ((X,), {}, [np.int32(2)]),
    "Reverse": ((X, np.array([False, True])), {}, [X[:, ::-1]]),
    "UniqueV2": ((N, np.array([0], np.int32)), {}, [N, np.arange(3, dtype=np.int32)]),
    "Zeros": ((N[:1],), {"T": FLOAT}, [np.zeros(2, np.float32)]),
    "Conv1D": (
        (np.ones((1, 3, 1), np.float32), np.ones((2, 1, 1), np.float32)),
        {"stride": 1, "padding": "VALID", "data_format": "NWC"},
        [np.full((1, 2, 1), 2, np.float32)],
    ),
    "FusedBatchNormV3": (
        (np.ones((1, 1, 1, 2), np.float32), *(np.float32(v) for v in ([2, 3], [1, 1], [0, 1], [4, 4]))),
        {"epsilon": 0.0},
        [np.float32([[[[2, 1]]]])],
    ),
    "FusedDepthwiseConv2dNative": (
        (np.ones((1, 1, 1, 2), np.float32), np.float32([[[[2], [-3]]]]), np.float32([1, 1])),
        {"strides": [1, 1, 1, 1], "padding": "VALID", "fused_ops": ["BiasAdd", "Relu"], "num_args": 1},
        [np.float32([[[[3, 0]]]])],
    ),
    "NonMaxSuppressionV2": (
        (np.float32([[0, 0, 1, 1], [0, 0, 1, 0.9]]), np.float32([0.5, 0.9]), np.int32(2), np.float32(0.5)),
        {},
        [np.int32([1])],
    ),
    "RaggedRange": ((np.int32([0, 5]), np.int32([2, 6]), np.int32([1, 1])), {}, [np.int32([0, 2, 3]), np.int32([0, 1, 5])]),
    "RaggedGather": (
        (np.int32([0, 2, 3]), np.float32([1, 2, 3]), np.int32([1, 0])),
        {"OUTPUT_RAGGED_RANK": 1},
        [np.int32([0, 1, 3]), np.float32([3, 1, 2])],
    ),
    "RaggedTensorToTensor": (
        (np.int32([2, 2]), np.float32([1, 2, 3]), np.float32(0), np.int32([0, 2, 3])),
        {"row_partition_types": ["ROW_SPLITS"]},
        [np.float32([[1, 2], [3, 0]])],
    ),
}  # fmt: skip


RANDOM = ("Multinomial", "RandomStandardNormal", "RandomUniform", "RandomUniformInt", "TruncatedNormal")


@pytest.mark.parametrize("name", SINGLE_OPS)
def test_single_ops(name: str) -> None:
    inputs, attributes, expected = SINGLE_OPS[name]
    found = run_op(name, *inputs, outputs=len(expected), **attributes)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=ROUNDING)


def test_random_ops() -> None:
    shape = np.array([1000], np.int32)
    (normal,) = run_op("RandomStandardNormal", shape, dtype=FLOAT, seed=5)
    (again,) = run_op("RandomStandardNormal", shape, dtype=FLOAT, seed=5)
    assert (normal.numpy() == again.numpy()).all()
    assert abs(float(normal.mean())) < 0.2
    (uniform,) = run_op("RandomUniform", shape, dtype=FLOAT)
    assert 0 <= float(uniform.min()) < float(uniform.max()) < 1
    (integers,) = run_op("RandomUniformInt", shape, np.int32(3), np.int32(6), seed=1)
    assert sorted(set(integers.data_sync().tolist())) == [3, 4, 5]
    (truncated,) = run_op("TruncatedNormal", shape, dtype=FLOAT, seed=2)
    assert float(truncated.abs().max()) <= 2
    (drawn,) = run_op("Multinomial", np.float32([[0, 100]]), np.int32(7), seed=3)
    assert drawn.array_sync() == [[1] * 7]


def test_random_uniform_int_bounds_as_attributes() -> None:
    shape = np.array([50], np.int32)
    given = run_op("RandomUniformInt", shape, np.int32(3), np.int32(6), seed=1)
    (attributes,) = run_op("RandomUniformInt", shape, minval=3, maxval=6, seed=1)
    np.testing.assert_array_equal(attributes.numpy(), given[0].numpy())


@pytest.mark.parametrize(("lower", "upper"), [(5, 0), (-1, 0), (0, 7), (0, -1), (9, 9)])
def test_matrix_band_part_beyond_the_matrix(lower: int, upper: int) -> None:
    (found,) = run_op("MatrixBandPart", X, np.int32(lower), np.int32(upper))
    expected = {5: np.tril(X), -1: np.tril(X), 0: np.triu(X), 9: X}[lower]
    np.testing.assert_array_equal(found.numpy(), expected)
    with pytest.raises(ValueError, match="band_part"):
        run_op("MatrixBandPart", X[0], np.int32(lower), np.int32(upper))


def test_print_op(capsys: pytest.CaptureFixture[str]) -> None:
    graph_model = model(placeholder("x"), node("y", "Print", "x", "x", message="here:", summarize=2))
    graph_model.execute(X[0], "y")
    assert capsys.readouterr().out == "here: [ 1. -2.]\n"


def test_every_op_is_tested() -> None:
    handled_here = {*SINGLE_OPS, *RANDOM, "Print", "Placeholder", "PlaceholderWithDefault", "NonMaxSuppressionV4"}
    handled_here |= {"PartitionedCall"} | {op for op in MAPPERS if op.startswith("TensorArray")}
    assert handled_here <= set(MAPPERS)
    tested = handled_here.union(*(ops_in(folder) for folder in MODELS))
    functions = {id(MAPPERS[op].function) for op in tested if op in MAPPERS}
    assert [op for op, mapper in MAPPERS.items() if id(mapper.function) not in functions] == []


@pytest.mark.parametrize(
    ("op", "inputs"),
    [
        ("TensorListScatter", ["x", "two", "shape"]),
        ("TensorListScatterIntoExistingList", ["list", "x", "two"]),
        ("TensorArrayScatterV3", ["array", "two", "x"]),
    ],
)
@pytest.mark.parametrize("x", [np.float32(1), np.zeros((3, 2), np.float32)])
def test_scatter_with_wrong_number_of_indices_raises(op: str, inputs: list[str], x: Any) -> None:
    numbers = {"two": np.arange(2, dtype=np.int32), "shape": np.array([-1], np.int32), "n": np.int32(3)}
    graph_model = model(
        placeholder("x"),
        node("array", "TensorArrayV3", "n", dtype=FLOAT),
        node("list", "TensorListReserve", "shape", "n", element_dtype=FLOAT),
        node("y", op, *inputs, element_dtype=FLOAT),
        constants=numbers,
    )
    with pytest.raises(ValueError, match=f"{op} 'y': argument 'indices' must be as many as there are tensors in one"):
        graph_model.execute({"x": x}, "y")


def test_non_max_suppression_with_padding() -> None:
    boxes = np.float32([[0, 0, 1, 1], [0, 0, 1, 0.9]])
    numbers = (np.int32(2), np.float32(0.5), np.float32(0))
    kept, count = run_op(
        "NonMaxSuppressionV4", boxes, np.float32([0.5, 0.9]), *numbers, outputs=2, pad_to_max_output_size=True
    )
    assert (kept.array_sync(), int(count)) == ([1, 0], 1)


# Custom ops


def test_register_custom_op() -> None:
    def triple(given: Any) -> Any:
        assert (given.name, given.op) == ("y", "Triple")
        return given.inputs[0].mul(given.attrs["by"]).add(len(given.attrs["words"]))

    nodes = [placeholder("x"), node("y", "Triple", "x", by=3, words=["a", "b"], kind=FLOAT, on=True)]
    with pytest.raises(tf.io.ModelFileError, match="uses unknown ops: Triple"):
        model(*nodes)
    tf.register_op("Triple", triple)
    try:
        np.testing.assert_array_equal(model(*nodes).predict(X).numpy(), X * 3 + 2)
    finally:
        tf.deregister_op("Triple")
    with pytest.raises(TypeError, match="op_func"):
        tf.registerOp("Triple", None)


def test_custom_op_receives_attributes_of_every_kind() -> None:
    given = {
        "text": "Ab", "number": 3, "part": 0.5, "on": True, "off": False, "kind": INT,
        "shape": {"shape": {"dim": [{"size": "-1"}, {"size": "3"}]}}, "any": {"shape": {"unknownRank": True}},
        "numbers": [1, 2], "parts": {"list": {"f": [0.5]}}, "texts": ["a", "B"], "nothing": {"list": {}},
        "body": {"func": {"name": "f"}}, "value": {"tensor": {"dtype": "DT_FLOAT"}},
    }  # fmt: skip
    read: dict[str, Any] = {}
    tf.register_op("Look", lambda given: read.update(given.attrs) or given.inputs[0].neg())
    try:
        model(placeholder("x"), node("y", "Look", "x", **given)).predict(X)
    finally:
        tf.deregister_op("Look")
    assert read == {
        "text": "Ab", "number": 3, "part": 0.5, "on": True, "off": False, "kind": "int32",
        "shape": (-1, 3), "any": None, "numbers": [1, 2], "parts": [0.5], "texts": ["a", "B"], "nothing": [],
        "body": "f", "value": None,
    }  # fmt: skip


def test_error_lists_all_unknown_ops() -> None:
    with pytest.raises(tf.io.ModelFileError, match="uses unknown ops: Aha, Oho"):
        model(placeholder("x"), node("a", "Oho", "x"), node("b", "Aha", "a"))
