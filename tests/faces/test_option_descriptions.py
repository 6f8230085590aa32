"""Docstrings describe each option of layers, initializers, regularizers, constraints and optimizers."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tfpy as tf

TOOLS = Path(__file__).parents[2] / "tools"
SPACES = ("layers", "initializers", "regularizers", "constraints")
FACTORIES = {
    f"{space}.{name}": thing
    for space in SPACES
    for name, thing in vars(getattr(tf, space)).items()
    if name == getattr(thing, "__name__", "") and isinstance(getattr(thing, "__wrapped__", None), type)
}
OPTIMIZERS = {
    name: thing for name, thing in vars(tf.train).items() if inspect.isfunction(thing) and not name.startswith("_")
}


def described_options(function: Any) -> dict[str, str]:
    """The options that a docstring describes, and the first lines of their descriptions."""
    _, _, options = inspect.getdoc(function).partition("Args:\n")  # type: ignore[union-attr]
    return dict(re.findall(r"^    (\w+): (.+)$", options.split("\n\n")[0], re.MULTILINE))


@pytest.mark.parametrize("path", sorted(FACTORIES))
def test_every_option_of_factories_is_described(path: str) -> None:
    parameters = inspect.signature(FACTORIES[path]).parameters.values()
    options = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    assert list(described_options(FACTORIES[path])) == (options if options != ["config"] else [])


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_every_option_of_optimizers_is_described(name: str) -> None:
    assert list(described_options(OPTIMIZERS[name])) == list(inspect.signature(OPTIMIZERS[name]).parameters)


def test_effective_defaults_of_none_are_described() -> None:
    assert described_options(tf.layers.max_pooling2d)["strides"].endswith("(default: pool_size).")
    assert described_options(tf.layers.dense)["dtype"].endswith("(default: 'float32' in a first layer).")
    assert described_options(tf.regularizers.l2)["l2"].endswith("(default: 0.01).")


def test_descriptions_can_differ_by_class() -> None:
    assert "are concatenated" in described_options(tf.layers.concatenate)["axis"]
    assert "channels" in described_options(tf.layers.batch_normalization)["axis"]
    assert "must be 1" in described_options(tf.layers.conv2d_transpose)["dilation_rate"]


def test_missing_and_unused_descriptions_are_errors() -> None:
    code = "from option_descriptions import descriptions_of; descriptions_of([(['Dense'], ['units', 'unheard_of'])])"
    found = subprocess.run([sys.executable, "-c", code], cwd=TOOLS, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "without description: ['Dense.unheard_of']" in found.stderr
    assert "('options', 'use_bias')" in found.stderr.partition("descriptions of no option")[2]
