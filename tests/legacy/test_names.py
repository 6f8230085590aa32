"""Public names of deeplearn.js 0.1 to 0.5, in camelCase and in PEP 8 spelling."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from legacy.names import EXPORTS, METHODS, NAMESPACES

import tfpy as tf
from tfpy import legacy as dl
from tfpy.core.naming.names import camel
from tfpy.legacy.naming.spelling import EXCEPTIONS

# Shader source code, and a keyword of Python.
NOT_IN_PYTHON = {"IS_NAN_SHADER_FUNC", "assert"}


def snake_case_names(owner: Any, spelling: str) -> list[str]:
    """The PEP 8 names of the methods with this spelling in deeplearn.js."""
    special = [EXCEPTIONS[c.__name__] for c in getattr(owner, "__mro__", ()) if c.__name__ in EXCEPTIONS] or [{}]
    return [n for n in dir(owner) if any(names.get(n, camel(n)) == spelling for names in special)]


def test_all_exports_exist() -> None:
    missing = [name for name in EXPORTS.split() if not hasattr(dl, name)]
    assert not missing


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_namespaces_have_all_names(namespace: str) -> None:
    owner = getattr(dl, namespace)
    missing = {name for name in NAMESPACES[namespace].split() if not hasattr(owner, name)}
    assert missing <= NOT_IN_PYTHON
    assert dl.util.assert_ is not None


@pytest.mark.parametrize("name", METHODS)
def test_methods_have_both_spellings(name: str) -> None:
    owner = getattr(dl, name)
    for spelling in METHODS[name].split():
        assert hasattr(owner, spelling), f"{name}.{spelling} is missing"
        assert [n for n in snake_case_names(owner, spelling) if n == n.lower()], (
            f"{name}.{spelling} has no PEP 8 spelling"
        )


def test_both_spellings_give_the_same_results(math: dl.NDArrayMathCPU) -> None:
    x = dl.Array1D.new([1, -1])
    assert math.leakyRelu(x).equals(math.leaky_relu(x))
    assert math.elementWiseMul(x, x).equals(math.element_wise_mul(x, x))
    assert math.logSumExp(x, keepDims=True).shape == math.log_sum_exp(x, keep_dims=True).shape == (1,)


def test_every_method_has_a_docstring() -> None:
    for name, methods in METHODS.items():
        for spelling in methods.split():
            for plain in snake_case_names(getattr(dl, name), spelling):
                classes = (*getattr(dl, name).__mro__, dl.Initializer)
                assert any(getattr(c, plain).__doc__ for c in classes if hasattr(c, plain)), f"{name}.{plain}"


@pytest.mark.slow
def test_type_checkers_see_every_name(tmp_path: Path) -> None:
    lines = ["from tfpy import legacy as dl", *[f"dl.{name}" for name in EXPORTS.split()]]
    for namespace, names in NAMESPACES.items():
        lines += [f"dl.{namespace}.{name}" for name in names.split() if name not in NOT_IN_PYTHON]
    for i, (name, methods) in enumerate(METHODS.items()):
        spellings = [n for m in methods.split() for n in (m, *snake_case_names(getattr(dl, name), m))]
        lines += [f"def f{i}(x: dl.{name}) -> None:", *[f"    x.{n}" for n in spellings]]
    (tmp_path / "names.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(tmp_path / "names.py")]
    root = Path(tf.__file__).parent.parent
    found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-3000:]


def test_functions_of_05_wrap_the_core_functions() -> None:
    assert dl.memory is tf.memory
    for name in ("add", "mat_mul", "matMul", "scalar", "tensor1d", "square", "max", "moments", "grad", "variableGrads"):
        assert getattr(dl, name).__wrapped__ is getattr(tf, name)
    assert dl.matMul is dl.mat_mul
    assert dl.add(dl.Array1D.new([1]), 2).array_sync() == [3]
    assert dl.losses.hingeLoss.__wrapped__ is tf.losses.hinge_loss
    assert dl.image.resize_bilinear.__wrapped__ is tf.image.resize_bilinear
    assert dl.loadWeights is tf.io.load_weights
    assert dl.version == tf.__version__


def test_functions_of_05_that_differ_from_the_core() -> None:
    table = dl.tensor2d([[1, 9], [7, 0]])
    assert (dl.argMax(table).array_sync(), dl.arg_min(table).array_sync()) == (1, 3)
    assert dl.argMax(table, 1).array_sync() == [1, 0]
    assert dl.oneHot(dl.tensor1d([1, 0], "int32"), 2).dtype == "float32"
    rows = dl.where(dl.tensor1d([True, False]), table, dl.mul(table, -1))
    assert rows.array_sync() == [[1, 9], [-7, 0]]


def test_namespaces_of_05_return_arrays() -> None:
    labels, logits = dl.tensor2d([[1, 0, 0], [0, 0.5, 0.5]]), dl.tensor2d([[-2, 1.5, -0.5], [3, 1, -1]])
    assert dl.losses.meanSquaredError(labels, logits).get() == pytest.approx(23 / 6)
    losses = dl.losses.softmaxCrossEntropy(labels, logits, 1)
    np.testing.assert_allclose(losses.get_values(), [3.6531782, 3.1429319], rtol=1e-6)
    with dl.numerics("deeplearn.js"):  # 0.5.1
        losses = dl.losses.softmax_cross_entropy(labels, logits)
    np.testing.assert_allclose(losses.get_values(), [3.6527922, 3.1425743], rtol=1e-6)
    with pytest.raises(ValueError, match="argument 'dim'"):
        dl.losses.softmaxCrossEntropy(labels, logits, 0)
    assert dl.image.resizeBilinear(dl.tensor3d([1, 2, 3, 4], [2, 2, 1]), [3, 3]).get(2, 0, 0) == 3


def test_other_exports_of_05() -> None:
    assert dl.Rank.R2 == "R2"
    dl.Environment.setBackend("cpu", True)
    assert (dl.Environment.getBackend(), dl.ENV.math.safe_mode) == ("cpu", True)
    dl.Environment.setBackend("cpu")
    assert dl.Environment.memory().numTensors >= 0
    assert not dl.ENV.addCustomBackend("cpu", object)
    dl.ENV.set("DEBUG", True)
    assert dl.ENV.get("DEBUG")
    assert dl.CheckpointLoader("some/place").urlPath == "some/place/"
    with pytest.raises(AttributeError, match=r"'contrib'\. In tfpy it is tf\.data"):
        dl.contrib  # noqa: B018
    with pytest.raises(AttributeError, match="Did you mean 'mat_mul'"):
        dl.matmul  # noqa: B018


# What some versions have and tfpy has not, and what the error suggests.
ABSENT: list[tuple[Callable[[], Any], str]] = [
    (lambda: dl.Tensor.zeros([2]), "dl.NDArray.zeros"),
    (lambda: dl.Tensor.fromPixels, "dl.NDArray.fromPixels"),
    (lambda: dl.Session(dl.Graph(), dl.ENV.math).activationArrayMap, r"session\.eval"),
    (lambda: dl.Session(dl.Graph(), dl.ENV.math).gradient_array_map, "the argument gradient_array_map"),
    (lambda: dl.variable([1]).set(2, 0), r"assign\(array\)"),
    (lambda: dl.LSTMCell, "a function of data, c and h"),
    (lambda: dl.Model, "any class of your own"),
]


@pytest.mark.parametrize(("use", "instead"), ABSENT)
def test_errors_suggest_replacements(use: Callable[[], Any], instead: str) -> None:
    with pytest.raises(AttributeError, match=f"In tfpy it is {instead}"):
        use()


def test_symbolic_tensors_list_no_absent_names() -> None:
    assert "zeros" not in dir(dl.Graph().placeholder("x", [2]))


def test_star_import_has_only_public_names() -> None:
    names: dict[str, Any] = {}
    exec("from tfpy.legacy import *", names)
    assert {"NDArrayMathCPU", "Scalar", "util", "conv_util", "numerics", "tensor1d", "train"} <= set(names)
    assert not {"helpers", "windows", "values", "registry", "TYPE_CHECKING", "annotations"} & set(names)


def test_completion_lists_only_public_names() -> None:
    assert set(dir(dl)) == set(dl.__all__)  # type: ignore[attr-defined]
    assert not {"annotations", "arrays", "quirks"} & set(dir(dl))
