"""Sliding windows: output sizes, padding and rounding, as in TF.js."""

from __future__ import annotations

from typing import Any

import pytest

from tfpy.engine.windows import sliding_window


@pytest.mark.parametrize(
    ("sizes", "size", "strides", "pad", "dilations", "rounding", "pads", "out"),
    [
        ((5,), (3,), 1, "same", 1, None, ((1, 1),), (5,)),
        ((5,), (2,), 2, "same", 1, None, ((0, 1),), (3,)),
        ((6,), (2,), 1, "valid", 3, None, ((0, 0),), (3,)),
        ((5, 6), (3, 2), (1, 2), "same", 1, None, ((1, 1), (0, 0)), (5, 3)),
        ((5, 6), (1, 1), 3, "same", 1, None, ((0, 0), (0, 0)), (2, 2)),
        ((5, 6), (2, 2), 2, "valid", 1, None, ((0, 0), (0, 0)), (2, 3)),
        ((5, 5), (2, 2), 2, 1, 1, None, ((1, 1), (1, 1)), (3, 3)),
        ((5, 5), (2, 2), 2, 1, 1, "ceil", ((1, 1), (1, 1)), (4, 4)),
        ((5, 5), (2, 2), 2, 1, 1, "round", ((1, 1), (1, 1)), (4, 4)),
        ((5, 5), (2, 2), 2, ((1, 0), (2, 1)), 1, "floor", ((1, 0), (2, 1)), (3, 4)),
        # With one pad for all sides, both dimensions use the first one's window size and stride.
        ((4, 5), (2, 3), 1, 0, 1, None, ((0, 0), (0, 0)), (3, 4)),
        ((4, 5), (2, 2), (1, 2), 0, 1, None, ((0, 0), (0, 0)), (3, 4)),
        ((2, 2), (3, 3), 1, "valid", 1, None, ((0, 0), (0, 0)), (0, 0)),
        # In 3D each dimension has its own, 'same' may skip elements, and a large window has no output.
        ((4, 5, 3), (2, 3, 1), 1, 0, 1, None, ((0, 0),) * 3, (3, 3, 3)),
        ((4, 4, 4), (1, 1, 1), 2, "same", 1, None, ((-1, 0),) * 3, (2, 2, 2)),
        ((2, 2, 2), (4, 4, 4), 1, "valid", 1, None, ((0, 0),) * 3, (0, 0, 0)),
        ((3, 2, 1), (3, 3, 3), 2, 0, 1, "round", ((0, 0),) * 3, (1, 0, 0)),
        # Quotients are truncated toward 0.
        ((1, 3), (4, 1), 2, ((0, 0), (0, 0)), 1, None, ((0, 0), (0, 0)), (0, 2)),
        ((1, 3), (4, 1), 2, 0, 1, None, ((0, 0), (0, 0)), (0, 0)),
    ],
)
def test_padding_and_output_size_equal_tfjs(
    sizes: Any, size: Any, strides: Any, pad: Any, dilations: Any, rounding: Any, pads: Any, out: Any
) -> None:
    window = sliding_window("op", sizes, size, strides, pad, dilations, rounding)
    assert (window.pads, window.out) == (pads, out)


def test_window_properties() -> None:
    window = sliding_window("op", (9, 9), (3, 2), 1, "valid", (2, 1))
    assert window.reach == (5, 2)
    assert window.covered == (9, 9)
    assert window.cells == 6
    assert not window.is_identity
    assert sliding_window("op", (4, 4), (1, 1), 1, "valid").is_identity
    assert not sliding_window("op", (4, 4), (1, 1), 1, 1).is_identity


@pytest.mark.parametrize(
    ("changed", "error", "named"),
    [
        ({"strides": 0}, ValueError, "strides"),
        ({"strides": (1, 2, 3)}, ValueError, "strides"),
        ({"strides": "2"}, TypeError, "strides"),
        ({"dilations": -1}, ValueError, "dilations"),
        ({"pad": "full"}, ValueError, "pad"),
        ({"pad": [(1, 1)]}, ValueError, "pad"),
        ({"pad": [1, 1]}, ValueError, "pad"),
        ({"pad": None}, TypeError, "pad"),
        ({"pad": "same", "rounding": "ceil"}, ValueError, "pad"),
        ({"rounding": "up"}, ValueError, "dim_rounding_mode"),
        ({"size": (9, 9)}, ValueError, "x"),
    ],
)
def test_invalid_arguments_raise(changed: dict[str, Any], error: type[Exception], named: str) -> None:
    arguments: dict[str, Any] = {"sizes": (5, 5), "size": (2, 2), "strides": 1, "pad": 1} | changed
    with pytest.raises(error, match=rf"op: argument '{named}' must be"):
        sliding_window("op", **arguments)
