"""Every case of the table: forward values on each backend, first and second gradients, errors, both spellings."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ops.cases import CASES
from ops.table import Arg, Case, as_tensor, attribute, outputs
from tolerance import FORWARD, GRADIENT, SECOND_GRADIENT, SECOND_STEP, STEP, central_difference

import tfpy as tf
from tfpy.core.calling.registry import OPS
from tfpy.core.naming.names import camel
from tfpy.engine.backend import registry
from tfpy.engine.cpu import table as cpu_table
from tfpy.engine.cpu.exact.backend import EXACT
from tfpy.engine.gradients import GRADIENTS, NOT_DIFFERENTIABLE
from tfpy.engine.kernels import KERNELS

ROWS = [c for rows in CASES.values() for c in rows]
VALID = [c for c in ROWS if c.error is None]


@pytest.mark.parametrize("case", VALID, ids=str)
def test_forward_matches_reference(case: Case, backend: str) -> None:
    """The reference is numpy's result, or that of the float64 backend."""
    found = [t.numpy() for t in outputs(case.run())]
    if case.reference is not None:
        expected = case.reference(*case.values(), **case.options)
        expected = expected if isinstance(expected, (list, tuple)) else [expected]
    else:
        registry.use("double")
        expected = [t.numpy() for t in outputs(case.run())]
    relative, absolute = FORWARD[backend]
    assert len(found) == len(expected)
    for f, e in zip(found, expected, strict=True):
        e = np.asarray(e)
        assert f.shape == e.shape
        finite = np.abs(e[np.isfinite(e)]) if e.dtype.kind in "fc" else np.array([])
        scale = max(1.0, float(finite.max())) if finite.size else 1.0
        if f.dtype.kind in "fc":
            np.testing.assert_allclose(f, e, rtol=relative, atol=absolute * scale)
        else:
            np.testing.assert_array_equal(f, e)


@pytest.mark.parametrize("case", VALID, ids=str)
def test_inputs_are_not_modified(case: Case) -> None:
    arguments = case.arguments()
    flat = [t for t in _tensors(arguments)]
    before = [t.numpy().copy() for t in flat]
    case.run(arguments)
    for t, values in zip(flat, before, strict=True):
        np.testing.assert_array_equal(t.numpy(), values)


@pytest.mark.parametrize("case", [c for c in VALID if c.order >= 1], ids=str)
def test_gradient_matches_central_difference(case: Case) -> None:
    registry.use("double")
    probe = Probe(case)
    x = probe.start
    exact = probe.along(probe.gradients(x))
    numeric = central_difference(lambda h: probe.value(probe.shifted(h)), STEP)
    _assert_near(exact, numeric, case.tolerance or GRADIENT)


@pytest.mark.parametrize("case", [c for c in VALID if c.order >= 2], ids=str)
def test_second_gradient_matches_central_difference(case: Case) -> None:
    registry.use("double")
    probe = Probe(case)

    def slope(*xs: Any) -> Any:
        return tf.add_n([_inner(g, w) for g, w in zip(probe.gradients(list(xs)), probe.weights, strict=True)])

    seconds = tf.grads(slope)(probe.start)
    exact = probe.along(seconds)
    numeric = central_difference(lambda h: slope(*probe.shifted(h)), SECOND_STEP)
    _assert_near(exact, numeric, max(case.tolerance or 0, SECOND_GRADIENT))


@pytest.mark.parametrize("case", [c for c in ROWS if c.error is not None], ids=str)
def test_invalid_arguments_raise(case: Case) -> None:
    assert case.error is not None
    with pytest.raises(case.error, match=case.op.rpartition(".")[2].strip("_") + ":"):
        case.run()


class Probe:
    """A case as a scalar function of its float and complex arguments: a random weighted sum of its outputs."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.values = case.values()
        self.places = [i for i, a in enumerate(case.args) if _is_float(a)]
        rng = np.random.default_rng(7)
        self.arrays = [a for i in self.places for a in _arrays(self.values[i])]
        self.directions = [_random_like(a, rng) for a in self.arrays]
        self.weights = [_random_like(a, rng) for a in self.arrays]
        outs = [t for t in outputs(case.run(self._arguments(self.start))) if t.dtype in ("float32", "complex64")]
        self.factors = [tf.tensor(rng.uniform(0.5, 1.5, t.shape)) for t in outs]

    @property
    def start(self) -> list[Any]:
        return [as_tensor(a) for a in self.arrays]

    def shifted(self, step: float) -> list[Any]:
        return [as_tensor(a + step * v) for a, v in zip(self.arrays, self.directions, strict=True)]

    def along(self, gradients: list[Any]) -> float:
        """The directional derivative that the gradients give."""
        return sum(float(np.sum(np.conj(g.numpy()) * v).real) for g, v in zip(gradients, self.directions, strict=True))

    def _arguments(self, tensors: list[Any]) -> list[Any]:
        rest = iter(tensors)
        out = self.case.arguments()
        for i in self.places:
            out[i] = [next(rest) for _ in out[i]] if isinstance(out[i], list) else next(rest)
        return out

    def scalar(self, *xs: Any) -> Any:
        outs = [t for t in outputs(self.case.run(self._arguments(list(xs)))) if t.dtype in ("float32", "complex64")]
        terms = []
        for t, w in zip(outs, self.factors, strict=True):
            terms += (
                [(tf.real(t) * w).sum(), (tf.imag(t) * w * 0.5).sum()] if t.dtype == "complex64" else [(t * w).sum()]
            )
        return tf.add_n(terms)

    def value(self, xs: list[Any]) -> float:
        return float(self.scalar(*xs))

    def gradients(self, xs: list[Any]) -> list[Any]:
        return tf.grads(self.scalar)(xs)


def _is_float(argument: Any) -> bool:
    if isinstance(argument, list):
        return bool(argument) and all(_is_float(a) for a in argument)
    return isinstance(argument, Arg) and argument.dtype in ("float32", "complex64")


def _random_like(array: Any, rng: np.random.Generator) -> Any:
    values = rng.uniform(-1, 1, array.shape)
    return values + 1j * rng.uniform(-1, 1, array.shape) if np.iscomplexobj(array) else values


def _inner(gradient: Any, weight: Any) -> Any:
    """A weighted sum of all elements of a gradient, with separate real and imaginary parts."""
    if gradient.dtype != "complex64":
        return (gradient * tf.tensor(weight)).sum()
    return (tf.real(gradient) * tf.tensor(weight.real) + tf.imag(gradient) * tf.tensor(weight.imag)).sum()


def _arrays(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, tf.Tensor):
        return [value]
    return [t for v in value for t in _tensors(v)] if isinstance(value, list) else []


def _assert_near(exact: float, numeric: float, tolerance: float) -> None:
    assert abs(exact - numeric) <= tolerance * max(1.0, abs(numeric)), f"{exact} is not {numeric}"


# The test files of ops without cases: by name, and by a pattern of names.
TESTED_IN = {
    "core/test_grads.py": "grad grads value_and_grad value_and_grads variable_grads custom_grad",
    "core/test_memory.py": "tidy keep dispose memory",
    "core/test_variables.py": "variable dispose_variables",
    "core/test_backends.py": "set_backend get_backend backend ready register_backend remove_backend find_backend",
    "core/test_kernel_registry.py": "find_backend_factory register_kernel unregister_kernel get_kernel "
    "get_kernels_for_backend copy_registered_kernels register_gradient unregister_gradient get_gradient",
    "core/test_tensor.py": "buffer",
    "core/test_printing.py": "print",
    "core/test_random.py": "set_seed",
    "ops/test_recurrent.py": "multi_rnn_cell",
    "core/test_util.py": "enclosing_power_of_two upcast_type sum_out_type op",
    "core/test_environment.py": "env enable_prod_mode enable_debug_mode disable_deprecation_warnings deprecation_warn "
    "set_platform",
    "core/test_profiling.py": "profile time next_frame",
    "core/test_leaks.py": "leaks",
}
PATTERNS_TESTED_IN = {
    "ops/test_browser.py": r"browser\.",
    "ops/test_fused.py": r"fused\.",
    "ops/test_async.py": r".*_async$",
    "core/test_optimizers.py": r"train\.",
    "core/test_util.py": r".*util\.",
    "core/test_image_files.py": r"node\.",
}


def _tested_elsewhere() -> dict[str, str]:
    """The test file of each op that is tested outside the table."""
    named = {name: file for file, names in TESTED_IN.items() for name in names.split()}
    return {
        path: file for file, pattern in PATTERNS_TESTED_IN.items() for path in OPS if re.match(pattern, path)
    } | named


def test_every_op_has_cases() -> None:
    """Each op has cases in the table, or is called in its test file."""
    elsewhere = _tested_elsewhere()
    missing = set(OPS) - set(CASES) - set(elsewhere)
    assert not missing, f"no case rows for {sorted(missing)}"
    for path in set(elsewhere) - set(CASES):
        file, name = elsewhere[path], OPS[path].name.removesuffix("_async")
        text = (Path(__file__).parents[1] / file).read_text(encoding="utf-8")
        assert re.search(rf"\b({name}|{camel(name)})(_async|Async)?\b", text), f"{file} has no test of {path}"


def test_every_kernel_has_cpu_code_and_gradient() -> None:
    """Each kernel has a numpy implementation, and a gradient or the declaration that it has none."""
    cpu = registry.find("cpu")
    for name in KERNELS:
        assert cpu.implements(name), f"{name} has no numpy kernel"
        assert name in GRADIENTS or name in NOT_DIFFERENTIABLE or not KERNELS[name].inputs, f"{name} has no gradient"


@pytest.mark.cpu
def test_kernels_receive_declared_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = registry.find("cpu")
    original, mismatches = backend.run, []

    def run(kernel: str, inputs: Any, attrs: Any, out: Any) -> Any:
        if set(attrs) != set(KERNELS[kernel].attrs):
            mismatches.append((kernel, dict(attrs)))
        return original(kernel, inputs, attrs, out)

    monkeypatch.setattr(backend, "run", run)
    for case in VALID:
        case.run()
    assert not mismatches


def test_inference_uses_declared_attributes_only() -> None:
    for row in KERNELS.values():
        used = [p for p in signature(row.infer).parameters.values() if p.kind is p.KEYWORD_ONLY]
        assert {p.name for p in used if p.default is p.empty} <= set(row.attrs), row.name


@pytest.mark.parametrize("table", [cpu_table.KERNELS, EXACT], ids=["cpu", "exact"])
def test_every_numpy_kernel_is_declared(table: dict[str, Any]) -> None:
    assert not set(table) - set(KERNELS)


def test_plan_only_kernels_are_not_implemented() -> None:
    assert cpu_table.PLANNED
    for name in cpu_table.PLANNED:
        assert not any(registry.find(backend).implements(name) for backend in ("cpu", "exact", "double"))


def test_both_spellings_are_the_same_object() -> None:
    for path, info in OPS.items():
        space = attribute(info.namespace) if info.namespace else tf
        assert getattr(space, info.name) is info.function, path
        assert getattr(space, camel(info.name, info.namespace)) is info.function, path
        assert all(attribute(alias) is info.function for alias in info.aliases), path
        if info.chain:
            assert getattr(tf.Tensor, info.name) is getattr(tf.Tensor, camel(info.name)) is info.function
