"""What a training shows: lines, bars on terminals, and a line that changes in a notebook."""

from __future__ import annotations

import re

import pytest
from layers.linear import X, Y, linear

import tfpy as tf


def test_plain_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    linear(metrics=["mae"]).fit(X, Y, epochs=2, validation_split=0.5)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("epoch 1/2 - loss ")
    assert " - mae " in lines[0]
    assert lines[0].isascii()  # what the encoding of the output cannot write would end the training
    linear().fit(X, Y, verbose=0)
    assert capsys.readouterr().out == ""


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    linear().fit(X, Y, epochs=2, batch_size=2)
    shown = capsys.readouterr().out
    assert "epoch 2/2" in shown
    assert "5/5" in shown
    assert "loss" in shown


def test_a_bar_on_a_narrow_terminal_is_whole(
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
def test_a_bar_is_as_long_as_the_values_leave_room_for(
    columns: int, bar: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": str(columns)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("rich._console", None)  # it keeps the width that it was made with
    monkeypatch.setattr("tfpy.layers.training.progress.described", lambda logs: "loss 0.1234 - " + 36 * "x")
    linear(metrics=["mae"]).fit(X, Y, epochs=2, batch_size=1, validation_split=0.5)
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().out).replace("\r", "\n")
    last = [line for line in shown.splitlines() if line.strip()][-1]
    stripe = f"{bar * '━'} " if bar else ""
    assert re.fullmatch(rf"epoch 2/2 {stripe}5/5 \d\.\d s loss 0\.1234 - x{{36}}", last.strip())


@pytest.mark.parametrize("name", ["[/]", "[red]"])
def test_names_are_no_markup_on_a_terminal(
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


def test_a_line_that_changes_in_a_notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 0)
    linear(metrics=["mae"]).fit(X, Y, epochs=2, batch_size=2)
    shown = capsys.readouterr().out
    assert shown.isascii()
    lines = [shown_at_last(line) for line in shown.split("\n")]
    number = r"[\d.e-]+"
    assert [bool(re.fullmatch(f"epoch ./2 - loss {number} - mae {number} - {number} s", line)) for line in lines] == [
        True,
        True,
        False,
    ]
    assert lines[2] == ""
    assert "\repoch 2/2 - 5/5 - loss " in shown


def test_a_training_that_fails_leaves_an_empty_line_in_a_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 0)
    with pytest.raises(ZeroDivisionError):
        linear().fit(X, Y, batch_size=2, callbacks={"onBatchEnd": lambda: 1 / 0})
    shown = capsys.readouterr().out
    assert "1/5" in shown
    assert shown_at_last(shown) == ""


def test_very_many_epochs_leave_few_lines_in_a_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("tfpy.layers.training.progress._MOST_LINES", 20)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 600)  # a slow epoch would be drawn on its way

    def numbers() -> list[int]:
        return [int(line.split("/")[0].split()[1]) for line in capsys.readouterr().out.splitlines()]

    model = linear()
    model.fit(X, Y, epochs=90)
    assert numbers() == [*range(5, 91, 5)]
    model.fit(X, Y, epochs=90, callbacks={"onEpochEnd": lambda epoch: setattr(model, "stop_training", epoch == 11)})
    assert numbers() == [5, 10, 12]
    model.fit(X, Y, epochs=20)
    assert numbers() == [*range(1, 21)]
    model.fit(X, Y, epochs=90, initial_epoch=85)
    assert numbers() == [*range(86, 91)]
    with pytest.raises(ZeroDivisionError):
        model.fit(X, Y, epochs=90, callbacks={"onEpochBegin": lambda epoch: 1 / (epoch - 12)})
    assert numbers() == [5, 10, 12]


def shown_at_last(line: str) -> str:
    """What a line looks like after all carriage returns in it."""
    found = ""
    for text in line.rstrip("\n").split("\r"):
        found = text + found[len(text) :]
    return found.rstrip()


def test_the_bar_gives_the_terminal_back_when_training_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ZeroDivisionError):
        linear().fit(X, Y, callbacks={"onBatchEnd": lambda: 1 / 0})
    assert capsys.readouterr().out.rstrip().endswith("\x1b[?25h"), "the cursor is shown again"
