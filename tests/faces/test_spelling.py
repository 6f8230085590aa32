"""Public names: both spellings, documentation, dir(), and what type checkers see."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tfpy as tf
import tfpy.vis  # loads the names that are loaded lazily
from tfpy.core.calling.registry import EXPORTS, OPS, OpInfo
from tfpy.core.naming.names import camel
from tfpy.layers.base import Layer
from tfpy.layers.constraints import Constraint
from tfpy.layers.initializers import Initializer
from tfpy.layers.regularizers import Regularizer

PUBLIC = {**OPS, **EXPORTS}


def resolve(path: str) -> Any:
    thing: Any = tf
    for part in path.split("."):
        thing = getattr(thing, part)
    return thing


@pytest.mark.parametrize("path", sorted(PUBLIC))
def test_both_spellings_are_one_object(path: str) -> None:
    namespace, _, name = path.rpartition(".")
    camel_name = f"{namespace}.{camel(name, namespace)}" if namespace else camel(name)
    expected = PUBLIC[path].function if isinstance(PUBLIC[path], OpInfo) else PUBLIC[path]
    assert resolve(path) is expected
    if not isinstance(expected, type):
        assert resolve(camel_name) is expected


@pytest.mark.parametrize("name", sorted(i.name for i in OPS.values() if i.chain))
def test_chained_ops_are_methods(name: str) -> None:
    assert getattr(tf.Tensor, name) is getattr(tf.Tensor, camel(name)) is OPS_BY_NAME[name].function


OPS_BY_NAME = {i.name: i for i in OPS.values() if i.chain}


def symbolic() -> Any:
    return tf.layers.dense(units=1).apply(tf.input(shape=[2]))


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (symbolic, "node_index"),
        (lambda: symbolic().source_layer.inbound_nodes[0], "call_args"),
        (lambda: tf.InputSpec(ndim=2), "max_ndim"),
        (lambda: tf.layers.dense(units=1), "use_bias"),
        (lambda: tf.util.squeeze_shape([1, 2]), "kept_dims"),
        (lambda: tf.memory(), "num_bytes"),
    ],
)
def test_attributes_have_both_spellings(make: Any, name: str) -> None:
    thing = make()
    setattr(thing, camel(name), 3)
    assert getattr(thing, name) == 3
    setattr(thing, name, 4)
    assert getattr(thing, camel(name)) == 4


def test_subclasses_override_in_either_spelling() -> None:
    class LoudModel(tf.GraphModel):
        def executeAsync(self, inputs: Any, outputs: Any = None) -> Any:
            return "loud"

    model = LoudModel.__new__(LoudModel)
    assert model.execute_async({}) == model.executeAsync({}) == "loud"


@pytest.mark.parametrize(
    ("namespace", "family"),
    [("layers", Layer), ("initializers", Initializer), ("regularizers", Regularizer), ("constraints", Constraint)],
)
def test_factories_exist_for_every_member_of_a_family(namespace: str, family: Any) -> None:
    module = importlib.import_module(f"tfpy.{'' if namespace == 'layers' else '_api.'}{namespace}")
    names = [name for name in family.members if name[0].islower()]
    assert len(names) >= 3
    for name in names:
        factory, member = getattr(module, name), family.members[name]
        assert callable(factory)
        own_options = {option for option in member.options if option in vars(member).get("__annotations__", {})}
        assert own_options <= set(re.findall(r"\w+", factory.__doc__)), f"options missing in the docstring of {name}"


def test_public_names_have_docstrings() -> None:
    bare = [p for p, thing in PUBLIC.items() if not (getattr(thing, "function", thing).__doc__ or "").strip()]
    assert not bare, f"no docstring: {bare}"


def test_dir_lists_public_names_only() -> None:
    spaces = {path.rpartition(".")[0] for path in PUBLIC} | {"layers", "initializers", "regularizers", "constraints"}
    for space in spaces:
        listed = {name for name in dir(resolve(space) if space else tf) if not name.startswith("_")}
        members = [path.rpartition(".")[2] for path in PUBLIC if path.rpartition(".")[0] == space]
        assert not {*members, *(camel(name, space) for name in members)} - listed
        assert not listed & {"TYPE_CHECKING", "annotations", "overload", "base", "core", "graph", "kinds", "structure"}
    assert {"engine", "layers", "vis", "distribute", "train"} <= set(dir(tf))


def test_public_names_do_not_clash_with_modules() -> None:
    package = Path(tf.__file__).parent
    modules = {p.stem for p in package.iterdir() if not p.name.startswith("_")}
    modules -= {"data", "datasets", "distribute", "layers", "vis"}
    clash = modules & {p.split(".")[0] for p in PUBLIC}
    assert not clash


@pytest.mark.slow
def test_type_checkers_see_every_name(tmp_path: Path) -> None:
    """mypy resolves both spellings of functions, methods and factories, and the options of factories."""
    lines = ["import tfpy as tf", "t = tf.scalar(1)"]
    for path in sorted(PUBLIC):
        namespace, _, name = path.rpartition(".")
        prefix = f"tf.{namespace}." if namespace else "tf."
        lines += [f"{prefix}{name}"]
        if not isinstance(PUBLIC[path], type):
            lines += [f"{prefix}{camel(name, namespace)}"]
    for info in OPS_BY_NAME.values():
        lines += [f"t.{info.name}", f"t.{camel(info.name)}"]
    lines += [
        "tf.layers.simpleRNN({'units': 3})",
        "tf.layers.simple_rnn(units=3, return_sequences=True, input_shape=[None, 2])",
        "tf.layers.simpleRNN(units=3, returnSequences=True, inputShape=[None, 2])",
        "tf.model(inputs=tf.input(shape=[2]), outputs=[])",
    ]
    wrong = ["tf.layers.dense(unit=3)", "tf.layers.dense()", "tf.one_hott([0], 2)", "t.squareRoot()"]
    for name, text in (
        ("right", "\n".join(lines)),
        ("wrong", "import tfpy as tf\nt = tf.scalar(1)\n" + "\n".join(wrong)),
    ):
        file = tmp_path / f"{name}.py"
        file.write_text(text + "\n", encoding="utf-8")
    root = Path(tf.__file__).parent.parent
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"]
    right = subprocess.run(
        [*command, str(tmp_path / "right.py")], cwd=root, capture_output=True, text=True, check=False
    )
    assert right.returncode == 0, right.stdout[-3000:]
    found_wrong = subprocess.run(
        [*command, str(tmp_path / "wrong.py")], cwd=root, capture_output=True, text=True, check=False
    )
    assert len([line for line in found_wrong.stdout.splitlines() if ": error:" in line]) == len(wrong), (
        found_wrong.stdout
    )


REVEALED = {
    "model.fit(x, x)": "History",
    "model.predict(x)": "Tensor",
    "model.apply(tf.ones([1, 2]))": "Tensor",
    "dense.apply(tf.input(shape=[2]))": "SymbolicTensor",
    "dense(x)": "Tensor",
    "tf.layers.concatenate().apply([tf.input(shape=[2]), tf.input(shape=[2])])": "SymbolicTensor",
    "dense.apply(tf.layers.lstm(units=2).apply(x))": "Any",
    "tf.variableGrads(t.sum).grads": "dict[str, Tensor]",
    "tf.value_and_grads(tf.add)([t, t]).grads": "list[Tensor]",
    "adam.minimize(t.sum, return_cost=True)": "Tensor",
    "adam.minimize(t.sum, True, model.get_weights())": "Tensor",
    "adam.getWeights()[0].tensor": "Tensor",
    "model.getNamedWeights()[0].name": "str",
    "tf.memory().numTensors": "int",
    "tf.engine().backend_name": "str",
    "tf.memory().num_bytes": "int",
    "tf.data.array([1]).batch(1)": "Dataset",
}


@pytest.mark.slow
def test_type_checkers_infer_result_types(tmp_path: Path) -> None:
    """User code under `mypy --strict` has precise types."""
    begin = "import numpy as np\nimport tfpy as tf\nt, x, adam = tf.ones([2]), np.ones([1, 2]), tf.train.adam(0.1)\n"
    begin += "model, dense = tf.sequential(), tf.layers.dense(units=2)\n"
    file = tmp_path / "revealed.py"
    file.write_text(begin + "".join(f"reveal_type({e})\n" for e in REVEALED), encoding="utf-8")
    output = run_mypy(file)
    types = re.findall(r'Revealed type is "(.*)"', output)
    found = [re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", kind) for kind in types]
    assert dict(zip(REVEALED, found, strict=True)) == REVEALED, output


ANNOTATED = """
from typing import Any

import tfpy as tf
from tfpy import legacy as dl

class StopAtLoss(tf.Callback):
    def on_epoch_end(self, epoch: int, logs: tf.Logs | None = None) -> None:
        self.model.stop_training = logs is not None and logs["loss"] < 0.1

class Scale(tf.layers.Layer):
    def build(self, input_shape: tf.Shape) -> None:
        self.factor = self.add_weight("factor", [input_shape[-1]])

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        return inputs.mul(self.factor.read())

class TimesTwo(tf.layers.Layer):
    className = "TimesTwo"

    def computeOutputShape(self, inputShape: tf.Shape) -> tf.Shape:
        return inputShape

    def call(self, inputs: list[tf.Tensor], kwargs: dict[str, Any]) -> tf.Tensor:
        return inputs[0].mul(2)

    def getConfig(self) -> dict[str, Any]:
        return super().getConfig()

class Patient(tf.Callback):
    def onEpochEnd(self, epoch: int, logs: tf.Logs | None = None) -> None:
        self.model.stopTraining = epoch > 1

class Halving(tf.Optimizer):
    def __init__(self, learningRate: float) -> None:
        super().__init__()
        self.learningRate = learningRate

class Half(tf.initializers.Initializer):
    def apply(self, shape: tf.Shape, dtype: tf.DataType | None = None) -> tf.Tensor:
        return tf.fill([n or 1 for n in shape], 0.5)

def named(x: tf.TensorLike, dtype: tf.DataType = "float32") -> tf.NamedTensorMap:
    vector: tf.Tensor1D = tf.tensor1d([1, 2], dtype)
    nested: tf.TensorContainer = {"a": [vector, 1.0, None], "b": "text"}
    return {"sum": vector.add(x)} if nested else {}

def older() -> dl.Tensor2D:
    return dl.Array2D.new([1, 2], [1.0, 2.0])
"""


@pytest.mark.slow
def test_type_annotations_in_user_code(tmp_path: Path) -> None:
    file = tmp_path / "annotated.py"
    file.write_text(ANNOTATED, encoding="utf-8")
    output = run_mypy(file)
    assert not output, output


def run_mypy(file: Path) -> str:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(file)]
    root = Path(tf.__file__).parent.parent
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout
