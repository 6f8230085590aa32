"""Statistics of numbers: count, minimum and maximum, zeros and non-finite values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.calling.options import read_options
from tfpy.engine.arguments import as_number
from tfpy.engine.errors import argument_error
from tfpy.vis.drawing import Table
from tfpy.vis.values import display, percent

HEADINGS = {
    "num_vals": "Num Vals",
    "min": "Min",
    "max": "Max",
    "num_zeros": "# Zeros",
    "num_nans": "# NaNs",
    "num_infs": "# Infinity",
}


def of_values(values: npt.NDArray[np.float64]) -> dict[str, float]:
    """The statistics of numbers; NaN for minimum and maximum if there are none."""
    known = values[~np.isnan(values)]
    return {
        "num_vals": values.size,
        "min": float(known.min()) if known.size else float("nan"),
        "max": float(known.max()) if known.size else float("nan"),
        "num_zeros": int((values == 0).sum()),
        "num_nans": values.size - known.size,
        "num_infs": int(np.isinf(values).sum()),
    }


def read_statistics(where: str, given: Any) -> dict[str, float]:
    """Statistics that the user has computed, in either spelling."""
    if not isinstance(given, Mapping):
        raise argument_error(where, "stats", "a dict of statistics, or False", given, TypeError)
    found = read_options(given, HEADINGS, where)
    return {name: as_number(where, name, found[name]) for name in HEADINGS if name in found}


def statistics_table(found: Mapping[str, float], font_size: float) -> Table:
    """Statistics as a table of one row; counts also as percentages."""
    count = found.get("num_vals", 0)
    row = []
    for name, value in found.items():
        part = (
            f" ({percent(value / count)})" if name.startswith("num_") and name != "num_vals" and value and count else ""
        )
        row.append(display(value) + part)
    return Table([HEADINGS[name] for name in found], [row], font_size)
