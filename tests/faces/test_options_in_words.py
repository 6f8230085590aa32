"""Each option of layers, initializers, regularizers, constraints and optimizers is described where `help` shows it."""

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


def described(function: Any) -> dict[str, str]:
    """The options that a docstring describes, and the beginnings of their descriptions."""
    _, _, options = inspect.getdoc(function).partition("Args:\n")  # type: ignore[union-attr]
    return dict(re.findall(r"^    (\w+): (.+)$", options.split("\n\n")[0], re.MULTILINE))


@pytest.mark.parametrize("path", sorted(FACTORIES))
def test_every_option_is_described(path: str) -> None:
    parameters = inspect.signature(FACTORIES[path]).parameters.values()
    options = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    assert list(described(FACTORIES[path])) == (options if options != ["config"] else [])


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_every_option_of_an_optimizer_is_described(name: str) -> None:
    assert list(described(OPTIMIZERS[name])) == list(inspect.signature(OPTIMIZERS[name]).parameters)


def test_defaults_that_none_stands_for_are_said() -> None:
    assert described(tf.layers.max_pooling2d)["strides"].endswith("(default: pool_size).")
    assert described(tf.layers.dense)["dtype"].endswith("(default: 'float32' in a first layer).")
    assert described(tf.regularizers.l2)["l2"].endswith("(default: 0.01).")


def test_a_class_has_its_own_words_for_a_name() -> None:
    assert "are concatenated" in described(tf.layers.concatenate)["axis"]
    assert "channels" in described(tf.layers.batch_normalization)["axis"]
    assert "must be 1" in described(tf.layers.conv2d_transpose)["dilation_rate"]


def test_an_option_without_words_and_words_of_no_option_are_refused() -> None:
    code = "from option_words import explained; explained([(['Dense'], ['units', 'unheard_of'])])"
    found = subprocess.run([sys.executable, "-c", code], cwd=TOOLS, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "without words: ['Dense.unheard_of']" in found.stderr
    assert "('options', 'use_bias')" in found.stderr.partition("words of no option")[2]
