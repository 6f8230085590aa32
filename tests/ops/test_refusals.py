"""Whatever is passed to an op: it gives a result, or raises ValueError, TypeError or RuntimeError."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.strategies import REFUSALS, arrays, whole_arrays

import tfpy as tf
from tfpy.core.registry import OPS

# Ops that change the state of the process, or do nothing but that.
NOT_PURE = {
    "set_backend", "get_backend", "backend", "ready", "register_backend", "remove_backend", "find_backend",
    "find_backend_factory", "print", "dispose_variables", "env", "set_platform", "enable_debug_mode",
    "enable_prod_mode", "disable_deprecation_warnings", "deprecation_warn", "register_kernel", "unregister_kernel",
    "copy_registered_kernels", "register_gradient", "unregister_gradient", "set_seed", "next_frame", "variable",
    "keep", "dispose", "tidy",
}  # fmt: skip
CALLABLE = sorted(path for path in OPS if path not in NOT_PURE and "util." not in path)

anything = st.one_of(
    arrays().map(lambda a: ("tensor", a)),
    whole_arrays().map(lambda a: ("tensor", a)),
    st.sampled_from([None, True, 0, 1, 2, -1, 0.5, math.nan, math.inf, "a", "float32", "ij->ji", (), {}, object()]),
    st.lists(st.integers(-1, 3), max_size=3),
    st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), max_size=3),
    st.lists(st.just("text"), max_size=2),
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", CALLABLE)
@settings(max_examples=12)
@given(arguments=st.lists(anything, max_size=5))
def test_wrong_arguments_are_refused_in_the_agreed_way(path: str, arguments: list[Any]) -> None:
    values = [tf.tensor(a[1]) if isinstance(a, tuple) and a else a for a in arguments]
    with contextlib.suppress(*REFUSALS):
        OPS[path].function(*values)
