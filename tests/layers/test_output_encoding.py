"""Names that standard output cannot encode, as in a pipe on Windows, are shown with escape sequences."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from layers.models import X, Y

import tfpy as tf
from tfpy.layers.training import progress

NAME, SHOWN = "größe_出力", r"größe_\u51fa\u529b"


def named() -> tf.Sequential:
    def metric(y: Any, p: Any) -> Any:
        return y.sub(p).abs().mean()

    metric.__name__ = NAME
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[2], name=NAME)])
    model.compile(optimizer="sgd", loss="meanSquaredError", metrics=[metric])
    return model


def fit(display: type[progress.Display], monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(progress, "_best_display", display)
    monkeypatch.setattr(progress, "_REFRESH", 0)
    named().fit(X, Y, epochs=1, verbose=1)


def checkpoint(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    keep = tf.callbacks.model_checkpoint(path / f"{NAME}.safetensors", save_weights_only=True, verbose=1)
    named().fit(X, Y, verbose=0, callbacks=[keep])


ACTIONS: dict[str, Callable[[pytest.MonkeyPatch, Path], Any]] = {
    "lines": lambda patch, path: fit(progress.EpochLines, patch, path),
    "line in place": lambda patch, path: fit(progress.LineInPlace, patch, path),
    "bar": lambda patch, path: fit(progress.ProgressBar, patch, path),
    "evaluate": lambda patch, path: named().evaluate(X, Y, verbose=1),
    "summary": lambda patch, path: named().summary(),
    "checkpoint": checkpoint,
    "tensor": lambda patch, path: tf.tensor([NAME]).print(),
    "tf.print": lambda patch, path: tf.print(tf.tensor([NAME])),
}


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_names_that_the_output_cannot_encode(
    action: Callable[[pytest.MonkeyPatch, Path], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    printed = io.BytesIO()
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed, encoding="cp1252", write_through=True))
    action(monkeypatch, tmp_path)
    assert SHOWN in printed.getvalue().decode("cp1252")
