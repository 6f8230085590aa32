"""First gradients of all op cases on the GPU, compared with float64 on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from gpu import use_gpu
from ops.cases import CASES
from ops.table import Case
from ops.test_cases import Probe
from tolerance import ACCUMULATED

from tfpy.engine.backend import registry

pytestmark = pytest.mark.gl

DIFFERENTIABLE = [c for rows in CASES.values() for c in rows if c.error is None and c.order >= 1]


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=str)
def test_gradient_matches_float64(case: Case) -> None:
    found = []
    for gpu in (True, False):
        if gpu:
            use_gpu()
        else:
            registry.use("double")
        probe = Probe(case)
        found.append([g.numpy() for g in probe.gradients(probe.start)])
    for f, e in zip(*found, strict=True):
        scale = max(1.0, float(np.abs(e[np.isfinite(e)]).max(initial=0)))
        np.testing.assert_allclose(f, e, rtol=ACCUMULATED, atol=ACCUMULATED * scale)
