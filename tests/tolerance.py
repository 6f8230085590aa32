"""How far numbers may be off, by backend: constants, never computed from results."""

from __future__ import annotations

# (relative, absolute per largest expected magnitude) of one op against the same op in float64.
# `exact` adds up convolutions in float32, as TF.js does.
FORWARD = {"cpu": (2e-6, 1e-6), "exact": (1e-6, 5e-7), "webgl": (2e-6, 1e-6)}

# Of a gradient against a central difference, both in float64.
GRADIENT = 1e-6
SECOND_GRADIENT = 2e-5
