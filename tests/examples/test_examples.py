"""The examples run, and reach the expected results in their quick and full forms."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

# Conditions on the results of the quick and the full form.
RESULTS: dict[str, tuple[Callable[[Any], bool], Callable[[Any], bool]]] = {
    "polynomial_regression": (
        lambda found: abs(found[3] - 0.5) < 0.1,
        lambda found: all(abs(a - b) < 0.1 for a, b in zip(found, (-0.8, -0.2, 0.9, 0.5), strict=True)),
    ),
    "iris": (lambda found: found > 0.8, lambda found: found > 0.9),
    "boston_housing": (
        lambda found: found["a line"] < found["the mean"] / 2,
        lambda found: found["two hidden layers"] < found["a line"] < found["the mean"],
    ),
    "mnist_convnet": (lambda found: found > 0.3, lambda found: found > 0.95),
    "custom_layer": (lambda found: found > 0.5, lambda found: found > 0.9),
    "addition_rnn": (lambda found: found > 0.5, lambda found: found > 0.9),
    "lstm_text_generation": (lambda found: found[-1] < found[0], lambda found: found[-1] < 2.4),
    "date_conversion_attention": (lambda found: found > 0.2, lambda found: found > 0.95),
    "digits_vae": (lambda found: found[-1] < 480, lambda found: found[-1] < 290),
    "cart_pole": (lambda found: found > 40, lambda found: found > 150),
}


@pytest.fixture(autouse=True)
def _examples_on_the_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    for name in (*RESULTS, "common"):
        sys.modules.pop(name, None)


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*RESULTS, "common"}


@pytest.mark.parametrize("name", RESULTS)
def test_quick_example_reaches_result(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = importlib.import_module(name).main(["--quick"])
    assert RESULTS[name][0](found), found
    assert capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_full_example_reaches_result(name: str) -> None:
    found = importlib.import_module(name).main([])
    assert RESULTS[name][1](found), found
