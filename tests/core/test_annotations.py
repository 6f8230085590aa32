"""Kinds of values derived from annotations: wording of errors, and which values are instances or convertible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfpy as tf
import tfpy.legacy  # names kinds of its own
from tfpy.core.calling.annotations import kind_of

ONE = np.array([1])


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("int", "a whole number"),
        ("int | None", "a whole number"),
        ("Sequence[Any]", "a list"),
        ("int | Sequence[int | None] | None", "a whole number or a list of whole numbers or None"),
        ("Sequence[Sequence[float]]", "a list of lists of numbers"),
        ("str | Callable[[int | str], str]", "a string or a function"),
        ("Mapping[str, Sequence[int]]", "a dict"),
        ("Shape", "a list of whole numbers"),
        ("LegacyDType | NDArray", "the name of a dtype or a tensor"),
    ],
)
def test_expected_kind_in_words(annotation: str, expected: str) -> None:
    kind = kind_of(annotation)
    assert kind is not None
    assert kind.expected == expected


@pytest.mark.parametrize("annotation", ["", "Any", "int | Unheard", "list[int] | Unheard | None"])
def test_unknown_annotation_has_no_kind(annotation: str) -> None:
    assert kind_of(annotation) is None


@pytest.mark.parametrize(
    ("annotation", "instances", "convertible", "invalid"),
    [
        ("bool", [True, 0, np.bool_(True)], [2, "yes", ONE, tf.scalar(1)], [np.ones(2), tf.ones([2])]),
        ("int", [3, 3.0, np.int64(3), np.array(3)], [True], ["3", 0.5, [3], None]),
        ("float | None", [0.5, True, np.float32(1), None], [np.array(1), tf.scalar(1)], ["a", np.ones(2)]),
        ("str", ["a"], [], [b"a", 1]),
        ("Sequence[int | None]", [[], (1, None), ONE], [range(2), tf.ones([2])], ["ab", {}, [0.5], 1, tf.scalar(1)]),
        ("list[str]", [["a"], np.array(["a"])], [], ["a", [1], ("a", None)]),
        ("Iterable[float]", [[1], {1}, iter([1])], [[np.array(1)]], ["1", ["a"], 1, np.array(1)]),
        ("int | list[int]", [1, [1, 2]], [[True]], ["a", ["a"], 0.5]),
    ],
)
def test_instances_and_convertible_values(
    annotation: str, instances: list[Any], convertible: list[Any], invalid: list[Any]
) -> None:
    kind = kind_of(annotation)
    assert kind is not None
    values = instances + convertible + invalid
    assert [kind.is_one(v) for v in values] == [True] * len(instances) + [False] * len(convertible + invalid)
    assert [kind.serves(v) for v in values] == [True] * len(instances + convertible) + [False] * len(invalid)


@pytest.mark.parametrize(
    ("annotation", "value", "error"),
    [("int", 0.5, ValueError), ("int", True, TypeError), ("int", "a", TypeError), ("bool", 2, TypeError)],
)
def test_error_is_value_error_for_numbers_only(annotation: str, value: Any, error: type[Exception]) -> None:
    kind = kind_of(annotation)
    assert kind is not None
    assert type(kind.error("f", "x", value)) is error
