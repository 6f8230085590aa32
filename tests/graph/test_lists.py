"""Tensor lists and tensor arrays: empty gathers, element shapes, and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph.graph_builders import dtype, model, node, placeholder

FLOAT = dtype("float32")
X = np.arange(6, dtype=np.float32).reshape(2, 3)
NONE = np.zeros(0, np.int32)


@pytest.mark.parametrize("shape", [np.int32(-1), np.int32([-1]), np.int32([3])])
def test_empty_gather_of_a_list_keeps_the_element_shape(shape: Any) -> None:
    graph_model = model(
        placeholder("x"),
        node("l", "TensorListFromTensor", "x", "any", element_dtype=FLOAT),
        node("y", "TensorListGather", "l", "none", "shape", element_dtype=FLOAT),
        constants={"any": np.int32(-1), "none": NONE, "shape": shape},
    )
    assert graph_model.predict(X).shape == (0, 3)


@pytest.mark.parametrize(
    ("indices", "count", "expected"),
    [([0, -1], -1, "0 or more, but got -1"), ([2, 0], 2, "from 0 to 1, but got 2"), ([5, 1], -1, None)],
)
def test_indices_of_scattered_tensors(indices: list[int], count: int, expected: str | None) -> None:
    graph_model = model(
        placeholder("x"),
        node("l", "TensorListScatterV2", "x", "indices", "shape", "count", element_dtype=FLOAT),
        node("y", "TensorListStack", "l", "shape", element_dtype=FLOAT, num_elements={"i": "-1"}),
        constants={"indices": np.int32(indices), "shape": np.int32([3]), "count": np.int32(count)},
    )
    if expected is not None:
        with pytest.raises(ValueError, match=f"'l': argument 'index' must be {expected}"):
            graph_model.predict(X)
        return
    found = graph_model.predict(X).numpy()
    np.testing.assert_array_equal(found[[5, 1]], X)
    np.testing.assert_array_equal(found[[0, 2, 3, 4]], np.zeros((4, 3)))


def array_model(*, writes: list[Any], size: int = 0, **attributes: Any) -> Any:
    """A model that writes tensors to an array, with outputs that read, gather none, concatenate, and count."""
    names = [f"w{i}" for i in range(len(writes))]
    flows = ["a:1", *names]
    graph_model = model(
        node("a", "TensorArrayV3", "n", dtype=FLOAT, dynamic_size=True, **attributes),
        *(node(w, "TensorArrayWriteV3", "a", f"i{k}", f"v{k}", flows[k]) for k, w in enumerate(names)),
        node("last", "TensorArrayReadV3", "a", f"i{max(len(writes) - 1, 0)}", flows[-1]),
        node("again", "TensorArrayWriteV3", "a", "i0", "v0", "^last") if writes else node("again", "NoOp"),
        node("none", "TensorArrayGatherV3", "a", "indices", flows[-1], dtype=FLOAT),
        node("all", "TensorArrayConcatV3", "a", flows[-1], dtype=FLOAT),
        node("size", "TensorArraySizeV3", "a", flows[-1], *(["^last"] if writes else [])),
        constants={"n": np.int32(size), "indices": NONE, "i0": np.int32(0)}
        | {f"i{k}": np.int32(k) for k in range(len(writes))}
        | {f"v{k}": np.float32(v) for k, v in enumerate(writes)},
    )
    return graph_model


@pytest.mark.parametrize(
    ("element_shape", "writes", "expected"),
    [
        (None, [X, X], (0, 2, 3)),
        ([-1, 3], [X], (0, 2, 3)),
        ([2, 3], [], (0, 2, 3)),
        (None, [], (0,)),
        ([], [1.0], (0,)),
    ],
)
def test_empty_gather_and_concat_of_an_array(element_shape: Any, writes: list[Any], expected: tuple[int, ...]) -> None:
    dims = [{"size": str(n)} for n in element_shape or []]
    shape = {"shape": {"unknownRank": True} if element_shape is None else {"dim": dims}}
    graph_model = array_model(writes=writes, element_shape=shape)
    assert graph_model.execute({}, "none").shape == expected
    if not writes:
        assert graph_model.execute({}, "all").shape == expected


def test_array_size_is_kept_after_reading() -> None:
    graph_model = array_model(writes=[X, X, X])
    assert int(graph_model.execute({}, "size")) == 3
    with pytest.raises(ValueError, match="not written to before"):
        array_model(writes=[X]).execute({}, "again")
