"""Execution plans of graph models: results are bit-identical, and data-dependent control flow is evaluated anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph.graph_builders import dtype, model, node, placeholder
from graph.test_converted import DTYPES, MODELS
from tolerance import ROUNDING

import tfpy as tf
from tfpy.core import plans
from tfpy.engine.errors import DisposedError
from tfpy.graph.run import Run

# The other models have data-dependent shapes or control flow, or string tensors.
PLANNED = {
    *("arrays_v1", "arrays_v2", "convolution", "creation", "elementwise", "joined", "lists", "lstm_v1", "lstm_v2"),
    *("matrices", "reshaped", "spectral", "volumes"),
    *("images", "reduction", "sparse"),  # partly
}
FLOAT = dtype("float32")


def _feeds(folder: Path, other: bool) -> dict[str, Any]:
    """The recorded inputs of a model; with `other`, the float32 inputs in reverse order."""
    inputs = json.loads((folder / "expected.json").read_text())["inputs"]
    feeds = {}
    for i, x in enumerate(inputs):
        values = x["values"][::-1] if other and x["dtype"] == "float32" else x["values"]
        feeds[f"x{i}"] = tf.tensor(values, x["shape"], DTYPES[x["dtype"]])
    return feeds


def _numbers(found: Any) -> list[Any]:
    return [t.data_sync() for t in (found if isinstance(found, list) else [found])]


@pytest.mark.parametrize("folder", [pytest.param(f, id=f.name) for f in MODELS])
def test_results_with_plans_are_bit_identical(folder: Path, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = tf.load_graph_model(folder)
    feeds = [_feeds(folder, other) for other in (False, False, True, True, False)]
    found = [_numbers(graph.execute(feed)) for feed in feeds]
    assert len(graph._loaded.plans) == (folder.name in PLANNED and backend != "exact")
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    for feed, values in zip(feeds, found, strict=True):
        for ours, expected in zip(values, _numbers(graph.execute(feed)), strict=True):
            np.testing.assert_array_equal(ours, expected)


def test_conditions_are_evaluated_in_every_run() -> None:
    chosen = model(
        placeholder("x"),
        node("sum", "Sum", "x", "axis"),
        node("above", "Greater", "sum", "least"),
        node("switch", "Switch", "x", "above"),
        node("low", "Neg", "switch"),
        node("high", "Square", "switch:1"),
        node("y", "Merge", "low", "high"),
        constants={"least": np.float32(0), "axis": np.int32([0])},
    )
    for x, expected in [([1.0, 2], [1, 4])] * 3 + [([-1.0, -2], [1, 2]), ([3.0, 0], [9, 0])]:
        assert chosen.execute(tf.tensor(x), "y").array_sync() == expected


def _record_computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the names of the nodes computed from now on, except constants."""
    computed: list[str] = []
    apply = Run.apply

    def recording(self: Run, node: Any, inputs: list[Any], function: Any) -> Any:
        computed.extend([node.name] if node.op != "Const" else [])
        return apply(self, node, inputs, function)

    monkeypatch.setattr(Run, "apply", recording)
    return computed


def _branches(chosen: str) -> list[dict[str, Any]]:
    """Four ops on x, then one of two branches, selected by the sum of `chosen`."""
    return [
        placeholder("x"),
        *(node("a", "Square", "x"), node("b", "Neg", "a"), node("c", "Exp", "b"), node("d", "Add", "c", "x")),
        node("sum", "Sum", chosen, "axis"),
        node("above", "Greater", "sum", "least"),
        node("switch", "Switch", "d", "above"),
        node("low", "Neg", "switch"),
        node("high", "Square", "switch:1"),
        node("y", "Merge", "low", "high"),
    ]


def test_nodes_before_a_condition_are_planned(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = model(*_branches("x"), constants={"least": np.float32(0), "axis": np.int32([0])})
    xs = [np.float32([k, -k, k / 3]) for k in (1, 1, 1, 1, -2, 2, -3)]
    found = [graph.execute(tf.tensor(x), ["y", "above", "c"]) for x in xs]
    for x, (y, above, c) in zip(xs, found, strict=True):
        d = np.exp(-(x**2)) + x
        np.testing.assert_allclose(y.numpy(), d**2 if x.sum() > 0 else -d, rtol=ROUNDING)
        np.testing.assert_allclose(c.numpy(), np.exp(-(x**2)), rtol=ROUNDING)
        assert above.array_sync() == (x.sum() > 0)
    if backend != "exact":
        assert len(graph._loaded.plans) == 1
        computed = _record_computed(monkeypatch)
        graph.execute(tf.tensor(xs[0]), ["y", "above", "c"])
        assert set(computed) == {"switch", "high", "y"}


def test_branches_on_constants_are_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = model(
        *_branches("no"),
        node("boxes", "Where", "y"),
        node("rows", "GatherNd", "y", "boxes"),
        constants={"least": np.float32(0), "axis": np.int32([0]), "no": np.float32([-1])},
    )
    for k in range(6):
        x = np.float32([k, 0, -k])
        rows = graph.execute(tf.tensor(x), "rows")
        np.testing.assert_allclose(rows.numpy(), -(np.exp(-(x**2)) + x), rtol=ROUNDING)
    computed = _record_computed(monkeypatch)
    graph.execute(tf.tensor([1.0, 2, 3]), "rows")
    assert computed == ["boxes", "rows"]


def _loop(name: str, most: str) -> list[dict[str, Any]]:
    """A loop that adds x to an accumulator, with `most` iterations."""
    frame = {"frame_name": name, "is_constant": False}

    def own(op: str, *inputs: str, **attributes: Any) -> dict[str, Any]:
        named = [i if i in ("x", "zero", "one", most) else f"{name}_{i}" for i in inputs]
        return node(f"{name}_{op}", op.partition("_")[0], *named, **attributes)

    return [
        own("Enter_i", "zero", **frame),
        own("Enter_sum", "x", **frame),
        own("Enter_most", most, **{**frame, "is_constant": True}),
        own("Enter_one", "one", **{**frame, "is_constant": True}),
        own("Enter_x", "x", **{**frame, "is_constant": True}),
        own("Merge_i", "Enter_i", "NextIteration_i"),
        own("Merge_sum", "Enter_sum", "NextIteration_sum"),
        own("Less_i", "Merge_i", "Enter_most"),
        own("LoopCond_i", "Less_i"),
        own("Switch_i", "Merge_i", "LoopCond_i"),
        own("Switch_sum", "Merge_sum", "LoopCond_i"),
        own("Add_i", "Switch_i:1", "Enter_one"),
        own("Add_sum", "Switch_sum:1", "Enter_x"),
        own("NextIteration_i", "Add_i"),
        own("NextIteration_sum", "Add_sum"),
        own("Exit_sum", "Switch_sum"),
    ]


def test_loops_are_planned_entirely_or_not_at_all(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = model(
        placeholder("x"),
        *_loop("fixed", "three"),
        node("largest", "Max", "x", "axis"),
        *_loop("free", "largest"),
        node("y", "Sub", "free_Exit_sum", "fixed_Exit_sum"),
        constants={"axis": np.int32([0]), **{n: np.float32(v) for n, v in {"zero": 0, "one": 1, "three": 3}.items()}},
    )
    for largest in (1, 1, 1, 1, 4, 2, 0):
        x = np.float32([largest, 0, -largest])
        np.testing.assert_array_equal(graph.execute(tf.tensor(x), "y").numpy(), x * (largest - 3))
    if backend != "exact":
        assert len(graph._loaded.plans) == 1
        computed = _record_computed(monkeypatch)
        graph.execute(tf.tensor([1.0, 0, 0]), "y")
        assert not [name for name in computed if name.startswith(("fixed", "largest"))]
        assert {"free_Enter_i", "free_Merge_i", "free_Exit_sum", "y"} <= set(computed)


def test_loop_with_side_effects_is_not_planned(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = _loop("loop", "three")
    added = next(n for n in nodes if n["name"] == "loop_Add_sum")
    added["input"] = ["loop_Switch_sum:1", "printed"]
    printed = node("printed", "Print", "loop_Enter_x", "loop_Switch_i:1", message="turn")
    before = [node("a", "Square", "x"), node("b", "Neg", "a"), node("c", "Neg", "b"), node("d", "Sqrt", "c")]
    graph = model(
        placeholder("x"),
        *(*nodes, printed, *before, node("y", "Sub", "loop_Exit_sum", "d")),
        constants={n: np.float32(v) for n, v in {"zero": 0, "one": 1, "three": 3}.items()},
    )
    for k in range(1, 7):
        assert graph.execute(tf.tensor([float(k)]), "y").array_sync() == [3 * k]
    assert capsys.readouterr().out.count("turn") == 18
    assert len(graph._loaded.plans) == 1
    computed = _record_computed(monkeypatch)
    graph.execute(tf.tensor([1.0]), "y")
    assert computed.count("printed") == computed.count("loop_Add_i") == 3
    assert not {"a", "b", "c", "d"} & set(computed)


def test_control_dependencies_of_a_condition_are_run(capsys: pytest.CaptureFixture[str]) -> None:
    graph = model(
        placeholder("x"),
        *(node("a", "Square", "x"), node("b", "Neg", "a"), node("c", "Neg", "b"), node("d", "Neg", "c")),
        node("p", "Print", "x", "x", message="here:"),
        node("e", "Where", "d", "^c", "^p"),
        node("y", "GatherNd", "d", "e"),
    )
    for k in range(1, 6):
        assert graph.execute(tf.tensor([0.0, k]), "y").array_sync() == [-k * k]
    assert capsys.readouterr().out.count("here:") == 5
    assert len(graph._loaded.plans) == 1


def test_shape_computations_are_planned() -> None:
    flat = model(
        placeholder("x"),
        node("shape", "Shape", "x"),
        node("rows", "StridedSlice", "shape", "begin", "end", "step", shrink_axis_mask=1),
        node("sizes", "Pack", "rows", "rest"),
        node("y", "Reshape", "x", "sizes"),
        constants={name: np.int32(v) for name, v in {"begin": [0], "end": [1], "step": [1], "rest": -1}.items()},
    )
    for rows in (2, 2, 2, 3, 3, 3, 2):
        x = tf.range(0, rows * 4).reshape([rows, 2, 2])
        assert flat.execute(x, "y").array_sync() == np.arange(rows * 4).reshape(rows, 4).tolist()
    assert len(flat._loaded.plans) == 2


def test_random_ops_draw_in_every_run() -> None:
    graph = model(
        placeholder("x"),
        node("noise", "RandomStandardNormal", "shape", dtype=FLOAT),
        node("seeded", "RandomStandardNormal", "shape", dtype=FLOAT, seed=7),
        node("y", "Add", "x", "noise"),
        node("z", "Add", "x", "seeded"),
        constants={"shape": np.int32([3])},
    )
    runs = [graph.execute(tf.zeros([3]), ["y", "z"]) for _ in range(5)]
    assert len({str(y.array_sync()) for y, _ in runs}) == 5
    assert len({str(z.array_sync()) for _, z in runs}) == 1


def test_print_runs_every_time(capsys: pytest.CaptureFixture[str]) -> None:
    graph = model(
        placeholder("x"),
        node("p", "Print", "c", "c", message="here:"),
        node("y", "Add", "x", "p"),
        constants={"c": np.float32([1])},
    )
    for _ in range(4):
        graph.execute(tf.tensor([1.0]), "y")
    assert capsys.readouterr().out.count("here:") == 4


def test_custom_ops_run_every_time() -> None:
    graph = model(placeholder("x"), node("y", "Square", "x"), node("z", "Neg", "y"))
    x = tf.tensor([3.0])
    assert [graph.execute(x, "z").array_sync() for _ in range(4)] == [[-9]] * 4
    assert len(graph._loaded.plans) == 1
    calls = []
    tf.register_op("Mine", lambda n: calls.append(n.name) or tf.mul(n.inputs[0], 2))
    try:
        own = model(placeholder("x"), node("y", "Mine", "x"))
        assert [own.execute(x, "y").array_sync() for _ in range(4)] == [[6]] * 4
        assert len(calls) == 4
        assert [graph.execute(x, "z").array_sync() for _ in range(4)] == [[-9]] * 4
    finally:
        tf.deregister_op("Mine")


def test_plans_depend_on_inputs_and_outputs() -> None:
    graph = model(placeholder("a"), placeholder("b"), node("y", "Sub", "a", "b"), node("z", "Neg", "y"))
    one, two = tf.tensor([1.0]), tf.tensor([5.0])
    for _ in range(3):
        assert graph.execute({"a": one, "b": two}, "y").array_sync() == [-4]
        assert graph.execute({"b": one, "a": two}, "y").array_sync() == [4]
        assert graph.execute({"a": one, "b": one}, "y").array_sync() == [0]
        assert graph.execute({"y": two}, "z").array_sync() == [-5]
        found = graph.execute({"a": one, "b": two}, ["z", "y"])
        assert [t.array_sync() for t in found] == [[4], [-4]]


def test_disposing_inputs_and_results_is_safe(backend: str) -> None:
    graph = model(placeholder("x"), node("y", "Add", "x", "c"), constants={"c": np.float32([1, 2])})
    for _ in range(5):
        x = tf.tensor([1.0, 1.0])
        y, c, same = graph.execute(x, ["y", "c", "x"])
        for t in (x, c):
            t.dispose()
        assert y.array_sync() == [2, 3]
        assert same.array_sync() == [1, 1]
    before = tf.memory().num_tensors
    for _ in range(5):
        graph.execute(tf.tensor([1.0, 1.0]), "y").dispose()
    assert tf.memory().num_tensors == before
    graph.dispose()
    with pytest.raises(DisposedError, match="disposed"):
        graph.execute(tf.tensor([1.0, 1.0]), "y")


@pytest.mark.parametrize("wanted", [["y", "z"], ["z", "z"], ["y", "z", "w", "w"]])
def test_outputs_are_independent_tensors(wanted: list[str], backend: str) -> None:
    nodes = placeholder("x"), node("y", "Square", "x"), node("z", "Identity", "y"), node("w", "IdentityN", "y")
    graph = model(*nodes)
    for _ in range(4):
        outputs = graph.execute(tf.tensor([3.0]), wanted)
        for count in range(len(outputs), 0, -1):
            assert [t.array_sync() for t in outputs[:count]] == [[9]] * count
            outputs[count - 1].dispose()


def test_tables_can_be_filled_between_runs(backend: str) -> None:
    graph = model(
        *(placeholder("keys", "string"), placeholder("values")),
        node("table", "HashTableV2", key_dtype=dtype("string"), value_dtype=FLOAT),
        node("fill", "LookupTableImportV2", "table", "keys", "values"),
        node("done", "Identity", "one", "^fill"),
        node("find", "LookupTableFindV2", "table", "sought", "missing"),
        node("size", "LookupTableSizeV2", "table"),
        node("more", "Add", "size", "one"),
        constants={"sought": np.array(["a", "b"]), "missing": np.float32(-1), "one": np.int32(1)},
    )

    def read() -> list[Any]:
        return [t.array_sync() for t in graph.execute({}, ["find", "more"])]

    assert [read() for _ in range(4)] == [[[-1, -1], 1]] * 4
    for value in (7.0, 8.0, 9.0, 10.0):
        graph.execute({"keys": tf.tensor(["a"]), "values": tf.tensor([value])}, "done")
        assert [read() for _ in range(2)] == [[[value, -1], 2]] * 2


def test_gradients_and_profiles_run_every_kernel() -> None:
    graph = model(placeholder("x"), node("y", "Square", "x"))
    x = tf.tensor([3.0])
    for _ in range(3):
        graph.execute(x, "y")
    assert tf.grad(lambda t: graph.execute(t, "y"))(x).array_sync() == [6]
    assert [k.name for k in tf.profile(lambda: graph.execute(x, "y")).kernels] == ["Square"]
    graph.keep_intermediate_tensors = True
    graph.execute(x, "y")
    assert graph.get_intermediate_tensors()["y"][0].array_sync() == [9]
    branching = model(*_branches("x"), constants={"least": np.float32(0), "axis": np.int32([0])})
    branching.keep_intermediate_tensors = True
    branching.execute(x, "y")
    kept = branching.get_intermediate_tensors()
    assert kept["a"][0].array_sync() == [9]
    assert "high" in kept
    assert "low" not in kept


def test_constants_survive_buffer_reuse(backend: str) -> None:
    graph = model(
        placeholder("x"),
        *(node("a", "Softmax", "x"), node("b", "Softmax", "a"), node("c", "Softmax", "b")),
        node("range", "Range", "zero", "most", "one"),
        node("square", "Reshape", "range", "sizes"),
        node("y", "Add", "c", "square"),
        constants={
            "sizes": np.int32([8, 8]),
            **{name: np.float32(v) for name, v in {"zero": 0, "most": 64, "one": 1}.items()},
        },
    )
    xs = [tf.tensor(np.full([8, 8], k, np.float32)) for k in range(6)]
    for y in [graph.execute(x, "y") for x in xs]:  # no result is read before all runs have finished
        np.testing.assert_allclose(y.numpy(), np.arange(64).reshape(8, 8) + 1 / 8, rtol=ROUNDING)


def test_input_sharing_data_with_a_weight(backend: str) -> None:
    nodes = placeholder("x"), node("product", "MatMul", "x", "w"), node("sum", "AddV2", "product", "w")
    w = np.arange(4, dtype=np.float32).reshape(2, 2)
    graph_model = model(*nodes, constants={"w": w})
    for x in [graph_model.weights["w"][0].clone()] * 3:
        np.testing.assert_array_equal(graph_model.predict(x).numpy(), w @ w + w)
    for x in (np.ones((2, 2), np.float32), w, w + 1, w.T.copy()):
        np.testing.assert_array_equal(graph_model.predict(tf.tensor(x)).numpy(), x @ w + w)


def test_plans_are_per_backend(gpu: Any) -> None:
    graph = model(placeholder("x"), node("y", "Mul", "x", "c"), constants={"c": np.float32([2])})
    for name in ("webgl", "cpu", "webgl", "cpu"):
        tf.set_backend(name)
        for k in range(4):
            assert graph.execute(tf.tensor([float(k)]), "y").array_sync() == [2 * k]
