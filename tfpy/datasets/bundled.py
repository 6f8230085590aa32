"""Small real data sets that come with the package; each has its source and licence in a .md file beside it."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.data.create import csv
from tfpy.datasets.records import Samples, Splits
from tfpy.engine.errors import unknown_name_error

_copies = ExitStack()
atexit.register(_copies.close)
_FILES = ("iris.csv", "japanese_vowels.csv.gz", "sonnets.txt")
_SPECIES = ("setosa", "versicolor", "virginica")
_FRAMES, _COEFFICIENTS = 29, 12


@export(namespace="datasets", doc="Data sets")
def path(name: str) -> Path:
    """Where a file that comes with the package is: 'iris.csv', 'japanese_vowels.csv.gz' or 'sonnets.txt'.

    `tf.data.csv` reads it from there.

    Raises:
        ValueError: there is no such file.

    Source: beyond TF.js.
    """
    if name not in _FILES:
        raise unknown_name_error("data set", name, _FILES)
    return _unpacked(name)


@cache
def _unpacked(name: str) -> Path:
    """The file itself; a copy of it, as long as the program runs, where the package is in a zip file."""
    return _copies.enter_context(as_file(files("tfpy.datasets") / name))


@export(namespace="datasets", doc="Data sets")
def iris() -> Samples:
    """150 iris flowers (Anderson, Fisher 1936): four measurements in centimetres, and the species.

    Returns:
        x: float32 [150, 4]: length and width of the sepals, length and width of the petals.
        y: int32 [150]: 0 setosa, 1 versicolor, 2 virginica; in this order, 50 of each.

    Source: beyond TF.js; `iris.md` in the package.
    """
    rows = csv(path("iris.csv"), column_configs={"species": {"is_label": True}}).to_array()
    x = np.array([list(row["xs"].values()) for row in rows], dtype=np.float32)
    return Samples(x, np.array([_SPECIES.index(row["ys"]["species"]) for row in rows], dtype=np.int32))


@export(namespace="datasets", doc="Data sets")
def japanese_vowels() -> Splits:
    """640 utterances of two vowels by nine speakers (Kudo, Toyama, Shimbo 1999), each a series of 7 to 29 frames.

    Returns:
        train: x float32 [270, 29, 12], 12 cepstrum coefficients of each frame, zeros after the last frame; y int32
            [270], the speaker, 0 to 8.
        test: 370 of the same.

    Source: beyond TF.js; `japanese_vowels.md` in the package.
    """
    series: dict[str, dict[float, list[list[float]]]] = {"train": {}, "test": {}}
    speakers: dict[float, float] = {}
    for row in csv(path("japanese_vowels.csv.gz")):
        frame = [row[f"c{i + 1}"] for i in range(_COEFFICIENTS)]
        series[row["split"]].setdefault(row["utterance"], []).append(frame)
        speakers[row["utterance"]] = row["speaker"]
    return Splits(_padded(series["train"], speakers), _padded(series["test"], speakers))


def _padded(series: dict[float, list[list[float]]], speakers: dict[float, float]) -> Samples:
    x = np.zeros((len(series), _FRAMES, _COEFFICIENTS), np.float32)
    for own, frames in zip(x, series.values(), strict=True):
        own[: len(frames)] = frames
    return Samples(x, np.array([speakers[utterance] for utterance in series], dtype=np.int32))


@export(namespace="datasets", doc="Data sets")
def sonnets() -> str:
    """The 154 sonnets of William Shakespeare, a blank line between two of them: about 95,000 characters of ASCII.

    Source: beyond TF.js; `sonnets.md` in the package.
    """
    return path("sonnets.txt").read_text(encoding="utf-8")
