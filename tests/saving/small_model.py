"""Helpers: a small model, a check that it loads unchanged, and zip archives."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import tfpy as tf

X = np.array([[1, 2, 3]], np.float32)


def small_model(value: float = 0.5, units: int = 2) -> tf.Sequential:
    model = tf.sequential(layers=[tf.layers.dense(units=units, input_shape=[3], name="d")], name="small")
    model.set_weights([np.full((3, units), value, np.float32), np.arange(units, dtype=np.float32)])
    return model


def check_same(place: Any, value: float = 0.5, units: int = 2, **options: Any) -> None:
    model = tf.load_layers_model(place, **options)
    np.testing.assert_array_equal(model.predict(X).numpy(), small_model(value, units).predict(X).numpy())


def zip_with(folder: Path, *entries: str) -> Path:
    """An archive with these entries, each a copy of the file of that name in the folder `m`."""
    path = folder / "several.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for entry in entries:
            archive.write(folder / "m" / Path(entry).name, entry)
    return path


def zip_of(entries: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return stream.getvalue()
