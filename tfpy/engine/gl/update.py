"""One step of an optimizer on all variables, in a single shader.

The order of operations is that of `core/optimizers/rules.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.horizontal_fusion import compute
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.templates import Fused, interned
from tfpy.engine.gl.trace import ROOT, Expression, Step
from tfpy.engine.gl.value import Value, float_bits
from tfpy.engine.rows.update import SLOTS
from tfpy.engine.spec import Spec

Line = tuple[str, str, str, str]  # name, GLSL of {0}, {1}, … and {p}, {q}, …, their names

_AVERAGE = "{0} * {p} + {1} * {q}"
_SQUARES = "{0} * {p} + {1} * {1} * {q}"
_MOVED = "{0} * {p} + {1}"
_ROOT_OF = "m_sqrt({0} + {p})"


class _Rule(NamedTuple):
    """A rule: its slots, its lines, and the names of the new value and the new slots."""

    slots: str
    lines: Sequence[Line]
    results: str


# Of Adam and its variants.
_MOMENTS: Sequence[Line] = [
    ("m1", _AVERAGE, "m g", "beta1 new_beta1"),
    ("v1", _SQUARES, "v g", "beta2 new_beta2"),
]
_FIRST: Line = ("first", "m_div({0}, {p})", "m1", "bias1")


def _scaled(step: str, w: str) -> list[Line]:
    """The lines that subtract a step, divided by the root of the second moment, from w."""
    return [
        ("second", "m_div({0}, {p})", "v1", "bias2"),
        ("root", "m_sqrt({0})", "second", ""),
        ("below", "{0} + {p}", "root", "epsilon"),
        ("scaled", "m_div({0}, {1})", f"{step} below", ""),
        ("w1", _MOVED, f"scaled {w}", "-lr"),
    ]


_RULES: dict[str, _Rule] = {
    "SGD": _Rule("", [("w1", "{p} * {0} + {1}", "g w", "-lr")], "w1"),
    "Momentum": _Rule(
        "a", [("a1", "{p} * {0} + {1}", "a g", "beta"), ("w1", "{p} * {0} + {1}", "a1 w", "-lr")], "w1 a1"
    ),
    "Nesterov": _Rule(
        "a",
        [
            ("a1", "{p} * {0} + {1}", "a g", "beta"),
            ("step", "{1} + {0} * {p}", "a1 g", "beta"),
            ("w1", "{p} * {0} + {1}", "step w", "-lr"),
        ],
        "w1 a1",
    ),
    "Adagrad": _Rule(
        "a",
        [
            ("a1", "{0} + {1} * {1}", "a g", ""),
            ("root", _ROOT_OF, "a1", "epsilon"),
            ("step", "m_div({0}, {1})", "g root", ""),
            ("w1", _MOVED, "step w", "-lr"),
        ],
        "w1 a1",
    ),
    "Adadelta": _Rule(
        "a u",
        [
            ("above", _ROOT_OF, "u", "epsilon"),
            ("below", _ROOT_OF, "a", "epsilon"),
            ("ratio", "m_div({0}, {1})", "above below", ""),
            ("step", "{0} * {1}", "ratio g", ""),
            ("w1", _MOVED, "step w", "-lr"),
            ("a1", _SQUARES, "a g", "rho new_rho"),
            ("u1", _SQUARES, "u step", "rho new_rho"),
        ],
        "w1 a1 u1",
    ),
    "RMSProp": _Rule(
        "s v",
        [
            ("s1", _SQUARES, "s g", "decay new_decay"),
            ("root", _ROOT_OF, "s1", "epsilon"),
            ("scaled", "{0} * {p}", "g", "lr"),
            ("step", "m_div({0}, {1})", "scaled root", ""),
            ("v1", _MOVED, "v step", "beta"),
            ("w1", "{0} - {1}", "w v1", ""),
        ],
        "w1 s1 v1",
    ),
    "CenteredRMSProp": _Rule(
        "s v m",
        [
            ("s1", _SQUARES, "s g", "decay new_decay"),
            ("m1", _AVERAGE, "m g", "decay new_decay"),
            ("center", "{0} * {0} + {p}", "m1", "epsilon"),
            ("variance", "{0} - {1}", "s1 center", ""),
            ("root", "m_sqrt({0})", "variance", ""),
            ("scaled", "{0} * {p}", "g", "lr"),
            ("step", "m_div({0}, {1})", "scaled root", ""),
            ("v1", _MOVED, "v step", "beta"),
            ("w1", "{0} - {1}", "w v1", ""),
        ],
        "w1 s1 v1 m1",
    ),
    "Adam": _Rule("m v", [*_MOMENTS, _FIRST, *_scaled("first", "w")], "w1 m1 v1"),
    "AdamW": _Rule(
        "m v",
        [
            ("part", "{0} * {p}", "w", "part"),
            ("w0", "{0} - {1}", "w part", ""),
            *_MOMENTS,
            _FIRST,
            *_scaled("first", "w0"),
        ],
        "w1 m1 v1",
    ),
    "Nadam": _Rule("m v", [*_MOMENTS, ("ahead", _AVERAGE, "g m1", "ahead kept"), *_scaled("ahead", "w")], "w1 m1 v1"),
    "Adamax": _Rule(
        "m v",
        [
            ("m1", _AVERAGE, "m g", "beta1 new_beta1"),
            ("old", "{0} * {p}", "v", "beta2"),
            ("size", "abs({0})", "g", ""),
            ("v1", "m_max({0}, {1})", "old size", ""),
            ("below", "{0} + {p}", "v1", "epsilon"),
            ("step", "m_div({0}, {1})", "m1 below", ""),
            ("w1", "{p} * {0} + {1}", "step w", "-rate"),
        ],
        "w1 m1 v1",
    ),
}


@functools.cache
def _fused(rule: str) -> tuple[Fused, tuple[str, ...]]:
    """The steps of a rule on the elements of value, gradient and slots; and its parameters' names."""
    known = _RULES[rule]
    leaves = ["w", "g", *known.slots.split()]
    places = {name: i for i, name in enumerate(leaves)}
    steps: list[Step] = [("load", "float32", i, ROOT) for i in range(len(leaves))]
    words: list[str] = []
    for name, text, arguments, numbers in known.lines:
        operation = Expression(text, "float32", ("float32",) * len(numbers.split()))
        steps.append((operation, len(words), *[places[a] for a in arguments.split()]))
        words += numbers.split()
        places[name] = len(steps) - 1
    return interned(tuple(steps), tuple([(places[name], "float32") for name in known.results.split()])), tuple(words)


def _numbers(attrs: Attrs, names: Sequence[str]) -> tuple[int, ...]:
    """Parameters by name: an attribute; with the prefix `new_`, one minus it; with a minus sign, its negative."""
    found = []
    for name in names:
        if name in attrs:
            number = attrs[name]
        elif name[0] == "-":
            number = -attrs[name[1:]]
        else:
            number = 1 - attrs[name.removeprefix("new_")]
        found.append(float_bits(number))
    return tuple(found)


def _updating(rule: str, slots: int) -> Builder:
    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, outs: Sequence[Spec]) -> list[Value]:
        count = len(values) // (2 + slots)
        fused, names = _fused("Nesterov" if attrs.get("nesterov") else rule)
        made = [Value(out, host=None if out.size else np.empty(out.shape, np.float32)) for out in outs]
        filled = [i for i in range(count) if outs[i].size]
        if filled:
            leaves, results = (
                [[given[first + i] for i in filled] for first in range(0, len(given), count)]
                for given in (values, made)
            )
            compute(device, fused, _numbers(attrs, names), (), leaves, results)
        return made

    return build


for _name, _slots in SLOTS.items():
    KERNELS[f"{_name}Update"] = _updating(_name, _slots)
