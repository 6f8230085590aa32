"""Progress of training: plain lines, a bar on terminals, and an updated line in notebooks."""

from __future__ import annotations

import re

import pytest
from layers.linear import X, Y, linear

import tfpy as tf


def test_plain_lines_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    linear(metrics=["mae"]).fit(X, Y, epochs=2, validation_split=0.5)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("epoch 1/2 - loss ")
    assert " - mae " in lines[0]
    assert lines[0].isascii()  # so that any output encoding can write it
    linear().fit(X, Y, verbose=0)
    assert capsys.readouterr().out == ""


def test_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    linear().fit(X, Y, epochs=2, batch_size=2)
    shown = capsys.readouterr().out
    assert "epoch 2/2" in shown
    assert "5/5" in shown
    assert "loss" in shown


def test_line_on_narrow_terminal_is_not_truncated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    linear(metrics=["mae", "mape"]).fit(X, Y, batch_size=1, validation_split=0.5)
    shown = capsys.readouterr().out
    assert "5/5" in shown
    assert "val_mape" in shown
    assert "…" not in shown


@pytest.mark.parametrize(("columns", "bar"), [(72, 0), (80, 9), (120, 20)])
def test_bar_width_depends_on_terminal_width(
    columns: int, bar: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": str(columns)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("rich._console", None)  # it keeps the width it was created with
    monkeypatch.setattr("tfpy.layers.training.progress.described", lambda logs: "loss 0.1234 - " + 36 * "x")
    linear(metrics=["mae"]).fit(X, Y, epochs=2, batch_size=1, validation_split=0.5)
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().out).replace("\r", "\n")
    last = [line for line in shown.splitlines() if line.strip()][-1]
    stripe = f"{bar * '━'} " if bar else ""
    assert re.fullmatch(rf"epoch 2/2 {stripe}5/5 \d\.\d s loss 0\.1234 - x{{36}}", last.strip())


@pytest.mark.parametrize("name", ["[/]", "[red]"])
def test_layer_names_are_not_parsed_as_markup(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(variable, value)
    x = tf.input(shape=[2])
    outputs = [tf.layers.dense(units=1, name=layer).apply(x) for layer in (name, "b")]
    model = tf.model(inputs=x, outputs=outputs)
    model.compile(optimizer="sgd", loss="meanSquaredError")
    model.fit(X, [Y, Y], batch_size=2)
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().out)
    assert f"{name}_loss" in shown


def test_line_is_updated_in_a_notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 0)
    linear(metrics=["mae"]).fit(X, Y, epochs=2, batch_size=2)
    shown = capsys.readouterr().out
    assert shown.isascii()
    lines = [final_text(line) for line in shown.split("\n")]
    number = r"[\d.e-]+"
    assert [bool(re.fullmatch(f"epoch ./2 - loss {number} - mae {number} - {number} s", line)) for line in lines] == [
        True,
        True,
        False,
    ]
    assert lines[2] == ""
    assert "\repoch 2/2 - 5/5 - loss " in shown


@pytest.mark.parametrize("notebook", [False, True])
def test_unknown_length_of_a_data_set_is_taken_from_the_last_epoch(
    notebook: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: notebook)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 0)
    lengths = iter([3, 3, 2])  # the first call is to check what the function gives
    linear().fit(lambda: ((X[:2], Y[:2]) for _ in range(next(lengths))), epochs=2)
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().out)
    first, _, second = shown.partition("epoch 2/2")
    assert "2/?" in first
    assert "?" not in second
    assert "1/3" in second
    assert notebook or (re.search(r"3/3 \d", first) and re.search(r"2/2 \d", second)), "the bar ends complete"


def test_failed_training_clears_the_line_in_a_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 0)
    with pytest.raises(ZeroDivisionError):
        linear().fit(X, Y, batch_size=2, callbacks={"onBatchEnd": lambda: 1 / 0})
    shown = capsys.readouterr().out
    assert "1/5" in shown
    assert final_text(shown) == ""


def test_number_of_lines_in_a_notebook_is_limited(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("tfpy.layers.training.progress._MAX_LINES", 20)
    monkeypatch.setattr(
        "tfpy.layers.training.progress._REFRESH", 600
    )  # otherwise a slow epoch would be drawn before its end

    def printed_epochs() -> list[int]:
        return [int(line.split("/")[0].split()[1]) for line in capsys.readouterr().out.splitlines()]

    model = linear()
    model.fit(X, Y, epochs=90)
    assert printed_epochs() == [*range(5, 91, 5)]
    model.fit(X, Y, epochs=90, callbacks={"onEpochEnd": lambda epoch: setattr(model, "stop_training", epoch == 11)})
    assert printed_epochs() == [5, 10, 12]
    model.fit(X, Y, epochs=20)
    assert printed_epochs() == [*range(1, 21)]
    model.fit(X, Y, epochs=90, initial_epoch=85)
    assert printed_epochs() == [*range(86, 91)]
    with pytest.raises(ZeroDivisionError):
        model.fit(X, Y, epochs=90, callbacks={"onEpochBegin": lambda epoch: 1 / (epoch - 12)})
    assert printed_epochs() == [5, 10, 12]


def final_text(line: str) -> str:
    """The visible text of a line after its carriage returns."""
    found = ""
    for text in line.rstrip("\n").split("\r"):
        found = text + found[len(text) :]
    return found.rstrip()


def test_failed_training_restores_the_cursor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ZeroDivisionError):
        linear().fit(X, Y, callbacks={"onBatchEnd": lambda: 1 / 0})
    assert capsys.readouterr().out.rstrip().endswith("\x1b[?25h"), "the cursor is hidden"
