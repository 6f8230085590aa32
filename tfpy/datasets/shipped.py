"""Small real data sets that come with the package; each has its source and licence in a .md file beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tfpy.core.registry import export
from tfpy.data.readers import csv
from tfpy.datasets.records import Samples
from tfpy.engine.errors import unknown_name_error

_FOLDER = Path(__file__).parent
_FILES = ("iris.csv", "sonnets.txt")
_SPECIES = ("setosa", "versicolor", "virginica")


@export(namespace="datasets", doc="Data sets")
def path(name: str) -> Path:
    """Where a file that comes with the package is: 'iris.csv' or 'sonnets.txt'. `tf.data.csv` reads it from there.

    Raises:
        ValueError: there is no such file.

    Source: beyond TF.js.
    """
    if name not in _FILES:
        raise unknown_name_error("data set", name, _FILES)
    return _FOLDER / name


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
def sonnets() -> str:
    """The 154 sonnets of William Shakespeare, a blank line between two of them: about 95,000 characters of ASCII.

    Source: beyond TF.js; `sonnets.md` in the package.
    """
    return path("sonnets.txt").read_text(encoding="utf-8")
