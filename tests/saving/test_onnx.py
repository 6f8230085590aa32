"""ONNX export: predictions of ONNX Runtime match tfpy for every layer; models that cannot be exported."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from layers import rows as layer_rows
from layers.table import Row as LayerRow
from saving.onnx_models import ROWS, Row

import tfpy as tf
from tfpy.layers.base import Layer
from tfpy.layers.container import Container
from tfpy.layers.saving.onnx import file
from tfpy.layers.saving.onnx.table import KINDS
from tfpy.saved_models import converted

# Both libraries compute in float32, but sum in different orders.
TOLERANCE = {"rtol": 5e-6, "atol": 5e-6}
OF_KERAS = Path(__file__).parents[1] / "data" / "keras" / "keras3"
Arrays = list[np.ndarray[Any, Any]]


def as_arrays(found: Any) -> Arrays:
    return [t.numpy() for t in (found if isinstance(found, list) else [found])]


def check(model: Any, inputs: Arrays, path: Path) -> Any:
    """Export a model, check that the file is valid and predicts the same, and return its content."""
    model.save(path)
    onnx.checker.check_model(path, full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert [i.name for i in session.get_inputs()] == model.input_names
    kinds = {"tensor(float)": np.float32, "tensor(int32)": np.int32}
    fed = {i.name: x.astype(kinds[i.type]) for i, x in zip(session.get_inputs(), inputs, strict=True)}
    expected = as_arrays(model.predict(inputs if len(inputs) > 1 else inputs[0]))
    for found, wanted in zip(session.run(None, fed), expected, strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, **TOLERANCE)
    return onnx.load(path)


def fill(model: Any) -> None:
    """Set weights other than the initial ones; variances must be positive."""
    random = np.random.default_rng(2)
    model.set_weights([np.abs(random.normal(0, 0.5, w.shape)).astype(np.float32) + 0.1 for w in model.weights])


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_exported_model_predicts_the_same(row: Row, tmp_path: Path) -> None:
    model = row.make()
    fill(model)
    saved = check(model, row.inputs(), tmp_path / "model.onnx")
    found = Counter(node.op_type for node in saved.graph.node)
    assert {kind: found[kind] for kind in row.nodes} == row.nodes


@pytest.mark.cpu
@pytest.mark.parametrize("known", [False, True], ids=["any batch size", "fixed batch size"])
@pytest.mark.parametrize("row", layer_rows.ROWS, ids=str)
def test_every_exported_layer_predicts_the_same(row: LayerRow, known: bool, tmp_path: Path) -> None:
    entries = [tf.input(batch_shape=s) if known else tf.input(shape=s[1:]) for s in row.shapes]
    model = tf.model(inputs=entries, outputs=row.make().apply(entries if len(entries) > 1 else entries[0], row.call))
    model.set_weights([w.astype(np.float32) for w in row.random_weights()])
    saved = check(model, row.arrays(), tmp_path / "model.onnx")
    sizes = saved.graph.input[0].type.tensor_type.shape.dim
    assert (sizes[0].dim_value, sizes[0].dim_param) == ((row.shapes[0][0], "") if known else (0, "batch"))


def test_every_layer_has_an_export_or_is_listed() -> None:
    cells = {"SimpleRNNCell", "GRUCell", "LSTMCell", "StackedRNNCells", "ConvLSTM2DCell"}
    refused = {"Lambda", "Normalization", "Operation", "RandomWidth"}
    ours = {cls for cls in Layer.members.values() if cls.__module__.startswith("tfpy.")}
    kinds = {Container if issubclass(cls, Container) else cls for cls in ours}
    assert {cls.__name__ for cls in kinds - set(KINDS)} == {*cells, *refused, "InputLayer"}


def test_content_of_an_exported_file(tmp_path: Path) -> None:
    model = tf.sequential([tf.layers.dense(units=2, name="d", activation="relu", input_shape=[None, 3])], name="small")
    saved = check(model, [np.ones((2, 4, 3), np.float32)], tmp_path / "new" / "model.onnx")
    assert (saved.producer_name, saved.producer_version) == ("tfpy", tf.__version__)
    assert (saved.ir_version, [o.version for o in saved.opset_import]) == (8, [17])
    assert saved.graph.name == "small"
    assert [node.op_type for node in saved.graph.node] == ["MatMul", "Add", "Relu"]
    assert [w.name for w in saved.graph.initializer] == ["d/kernel", "d/bias"]
    assert [d.dim_param or d.dim_value for d in saved.graph.input[0].type.tensor_type.shape.dim] == [
        *("batch", "d_input_1", 3)
    ]


class Doubled(tf.layers.Dense, class_name="DoubledForOnnx"):
    def call(self, inputs: Any) -> Any:
        return super().call(inputs).mul(2)


class OwnReLU(tf.layers.ReLU):
    pass


class OwnCell(tf.layers.RNNCell, class_name="OwnCellForOnnx"):
    state_size = 2

    def call(self, inputs: Any) -> Any:
        return inputs


def test_error_lists_all_layers_that_cannot_be_exported(tmp_path: Path) -> None:
    layers = tf.layers
    x = tf.input(shape=[4, 3], name="x")
    inner = tf.sequential([layers.lambda_(function=tf.neg, name="negative", input_shape=[4, 3])], name="inner")
    y = layers.time_distributed(layer=Doubled(units=3, name="twice"), name="steps")(inner(x))
    y = layers.dense(units=2, activation=tf.sin, name="waves")(y)
    y = layers.rnn(cell=OwnCell(), return_sequences=True, name="own")(y)
    y = layers.reshape(target_shape=[4, 2, 1])(y)
    y = layers.random_width(factor=0.1, name="random")(y)
    model = tf.model(inputs=x, outputs=y, name="odd")
    (tmp_path / "model.onnx").write_bytes(b"before")
    with pytest.raises(ValueError, match="Nothing was saved") as caught:
        model.save(tmp_path / "model.onnx")
    assert str(caught.value) == (
        "save: model odd cannot be written as ONNX: inner/negative (Lambda): has no counterpart in ONNX; "
        "steps/twice (DoubledForOnnx): its class is not one of tfpy's; "
        "waves (Dense): its activation 'sin' is a user-defined function; "
        "own (RNN): its cell OwnCell is not one of tfpy's; random (RandomWidth): has no counterpart in ONNX. "
        "Nothing was saved."
    )
    assert (tmp_path / "model.onnx").read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["model.onnx"]


REFUSED = [
    ("one batch to the next", [4, 3], lambda x: tf.layers.lstm(units=2, stateful=True)(x)),
    ("sizes of its images are unknown", [None, None, 3], lambda x: tf.layers.center_crop(height=2, width=2)(x)),
    (
        "sizes of its images are unknown",
        [4, None, None, 3],
        lambda x: tf.layers.conv_lstm2d(filters=2, kernel_size=2)(x),
    ),
    (
        "a vector for each sample only",
        [2],
        lambda x: tf.layers.category_encoding(num_tokens=3, output_mode="oneHot")(x),
    ),
    (
        "called with count_weights",
        [2],
        lambda x: tf.layers.category_encoding(num_tokens=3, output_mode="count")(x, count_weights=tf.ones([1, 2])),
    ),
    (
        "depends on unknown sizes",
        [None, None, 3],
        lambda x: tf.layers.average_pooling2d(pool_size=2, strides=3, padding="same")(x),
    ),
    ("called with mask", [4, 3], lambda x: tf.layers.lstm(units=2)(x, mask=tf.ones([2, 4]))),
    ("of dtype bool", [3], lambda x: tf.layers.add()([x, x])),
    ("along the batch axis", [4, 3], lambda x: tf.layers.time_distributed(layer=tf.layers.softmax(axis=0))(x)),
    ("depends on their sizes", [4, 4], lambda x: tf.layers.softmax()(tf.layers.masking()(x))),
    ("'OwnReLU' is a user-defined layer", [3], lambda x: tf.layers.dense(units=2, activation=OwnReLU())(x)),
]


@pytest.mark.parametrize(("reason", "shape", "make"), REFUSED, ids=lambda v: str(v) if isinstance(v, str) else "")
def test_unsupported_model_raises(reason: str, shape: list[int | None], make: Any, tmp_path: Path) -> None:
    size, dtype = 2 if "one batch" in reason else None, "bool" if "bool" in reason else "float32"
    x = tf.input(batch_shape=[size, *shape], dtype=dtype)
    with pytest.raises(ValueError, match=reason):
        tf.model(inputs=x, outputs=make(x)).save(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


class OwnModel(tf.LayersModel):
    def call(self, inputs: Any, training: bool = False, mask: Any = None) -> Any:
        return super().call(inputs, training, mask)


@pytest.mark.parametrize("case", ["handed_on", "within", "attended"])
def test_masks_follow_the_rules_of_keras(case: str, tmp_path: Path) -> None:
    model = tf.load_layers_model(OF_KERAS / f"{case}.keras")
    x = np.array([[1, 2, 3, 4, 5, 6], [3, 2, 1, 0, 0, 0]], np.float32)
    check(model, [x] * len(model.inputs), tmp_path / "model.onnx")


def test_average_over_masked_steps_as_in_keras_raises(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="global_average_pooling1d.*: heeds masks by the rules of Keras 3"):
        tf.load_layers_model(OF_KERAS / "averaged.keras").save(tmp_path / "model.onnx")


def test_unsupported_save_options_and_models_raise(tmp_path: Path) -> None:
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[3])])
    for option in ("include_optimizer", "trainable_only"):
        with pytest.raises(ValueError, match=option):
            model.save(tmp_path / "model.onnx", {option: True})
    with pytest.raises(ValueError, match="its own call"):
        OwnModel(inputs=model.inputs, outputs=model.outputs).save(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_weights_beyond_the_file_size_limit_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MAX_BYTES", 31)
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[3])])
    with pytest.raises(ValueError, match="weights of 32 bytes, but an ONNX file can hold at most 31"):
        model.save(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_onnx_files_can_be_written_but_not_loaded(tmp_path: Path) -> None:
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[3])])
    model.save(tmp_path)
    target = tmp_path / "model.onnx"
    converted(str(tmp_path / "model.json"), str(target), include_optimizer=False, strict=False)
    x = np.ones((1, 3), np.float32)
    session = onnxruntime.InferenceSession(target, providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {session.get_inputs()[0].name: x})
    np.testing.assert_allclose(found, model.predict(x).numpy(), **TOLERANCE)
    for load in (tf.load_layers_model, tf.load_graph_model, model.load_weights):
        for place in (target, f"file://{target}", "https://example.com/model.onnx"):
            with pytest.raises(tf.io.ModelFileError, match=r"model\.onnx: ONNX files can be written, but not read"):
                load(place)


def test_graph_models_cannot_be_exported(tmp_path: Path) -> None:
    graph = tf.load_graph_model(Path(__file__).parents[1] / "graph" / "models" / "convolution")
    with pytest.raises(ValueError, match=r"graph models are not written as \.onnx files; give a folder, or a \.zip\."):
        graph.save(tmp_path / "model.onnx")
    graph.dispose()


def test_missing_onnx_package_error_names_the_extra(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "import tfpy as tf\n"
        "model = tf.sequential([tf.layers.dense(units=2, input_shape=[3])])\n"
        f"model.save({str(tmp_path / 'model.onnx')!r})\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (
        "Saving a model as an ONNX file needs the extra 'onnx' of tfpy; pip install 'tfpy[onnx]' installs it."
        in found.stderr
    )
    assert not list(tmp_path.iterdir())
