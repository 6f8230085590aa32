"""Debug mode: prints each kernel, and reports where the first non-finite number comes from."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tfpy.core.diagnostics.origins import origin
from tfpy.engine.handle import Handle
from tfpy.engine.hooks import KernelRun, add_observer, remove_observer
from tfpy.engine.printable import put
from tfpy.engine.state import local


class _Debugging:
    """Prints each kernel and warns where a NaN or infinity first appears."""

    def __init__(self) -> None:
        self._told = False

    def switch(self, on: bool) -> None:
        """Start or stop debugging."""
        remove_observer(self.report)
        if on:
            self._told = False
            add_observer(self.report)

    def report(self, run: KernelRun) -> None:
        inputs = ", ".join(_described(t) for t in run.inputs)
        for spec in run.specs:
            put(f"{run.kernel:<25} {run.milliseconds:8.3f} ms  {spec.dtype} {list(spec.shape)}  from ({inputs})")
        results = (run.backend.read(p, s.dtype) for p, s in zip(run.payloads, run.specs, strict=True))
        found = next(filter(None, map(_first_non_finite, results)), None)
        if found is None:
            return
        values = (t.backend.read(t.payload, t.spec.dtype) for t in run.inputs if t.backend)
        given = next(filter(None, map(_first_non_finite, values)), None)
        if given is None:
            _warn(f"Found {found} in the result of {run.kernel!r} of ({inputs})")
        elif not self._told:  # it existed before debugging started: in the data, or in weights
            _warn(f"Found {given} in the inputs of {run.kernel!r} of ({inputs})")
        self._told = True


watch_for_errors = _Debugging().switch


def _warn(what: str) -> None:
    """Warn with the place where something was found: the layer, if any, and the line of the program."""
    place, running = origin(), local.state.running
    inside = f"{running[-1]()}, " if running else ""
    message = f"{what}, in {inside}{place}."
    warnings.warn_explicit(message, RuntimeWarning, place.file, place.line)


def _described(t: Handle) -> str:
    return f"{t.spec.dtype} {list(t.spec.shape)}"


def _first_non_finite(values: Any) -> str | None:
    """The first non-finite number, as text."""
    if values.dtype.kind not in "fc":
        return None
    finite = np.isfinite(values)
    return None if finite.all() else str(values[~finite].flat[0])
