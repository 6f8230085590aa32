"""Custom layers in scripts with and without `from __future__ import annotations`, which differ by Python's version."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import tfpy as tf

FUTURE = "from __future__ import annotations"
IMPORTS = """
import typing
from collections.abc import Sequence
from typing import ClassVar
import tfpy as tf
"""


def defined(code: str, first: str = "") -> dict[str, Any]:
    """The names that a script of its own defines; it does not inherit this file's `__future__`."""
    scope: dict[str, Any] = {"__name__": "script"}
    exec(compile(f"{first}\n{IMPORTS}\n{code}", "script.py", "exec", dont_inherit=True), scope)
    return scope


@pytest.mark.parametrize("first", [FUTURE, ""], ids=["text", "evaluated"])
def test_declared_options(first: str) -> None:
    scope = defined(
        """
class Scale(tf.layers.Layer):
    factor: float
    offset: "int | None" = 1
    axes: Sequence[int] | None = None
    made: ClassVar[int] = 0
    other: typing.ClassVar[int] = 0
    last: ClassVar = 0

class Twice(Scale):
    count: int = 2

class Same(Scale):
    pass
""",
        first,
    )
    Scale, Twice, Same = scope["Scale"], scope["Twice"], scope["Same"]
    assert list(Scale.options) == list(Same.options) == ["factor", "offset", "axes"]
    assert list(Twice.options) == ["factor", "offset", "axes", "count"]
    layer = Twice({"factor": 3, "inputShape": [2]})
    assert layer.get_config().items() >= {"factor": 3, "offset": 1, "axes": None, "count": 2}.items()
    for wrong, expected in (
        ({"factor": "a"}, "a number"),
        ({"factor": 1, "offset": 0.5}, "a whole number"),
        ({"factor": 1, "axes": 1}, "a list of whole numbers"),
    ):
        with pytest.raises((TypeError, ValueError), match=expected):
            Scale(wrong)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated at once there")
def test_annotations_that_only_type_checkers_can_evaluate(tmp_path: Path) -> None:
    scope = defined("""
class Scale(tf.layers.Layer):
    factor: Number = 2

    def call(self, inputs: Tensor, training: Flag = False) -> Tensor:
        return inputs.mul(self.factor)

class Custom(tf.layers.Layer):
    def __init__(self, config: Config = None) -> None:
        super().__init__(config or {})

    @classmethod
    def from_config(cls, config: Config) -> "Custom":
        return cls(config)

    def call(self, inputs: Tensor) -> Tensor:
        return inputs

class Report:
    def __call__(self, epoch: Epoch, logs: Logs) -> None:
        self.epoch = epoch

report = Report()
model = tf.sequential([tf.layers.dense(units=1, input_shape=[2]), Scale(factor=3), Custom()])
model.compile(optimizer="sgd", loss="meanSquaredError")
model.fit(tf.ones([2, 2]), tf.ones([2, 1]), verbose=0, callbacks={"on_epoch_end": report})
""")
    with pytest.warns(UserWarning, match="TF.js has no class Scale"):
        scope["model"].save(tmp_path)
    again = tf.load_layers_model(tmp_path, custom_objects={"Scale": scope["Scale"], "Custom": scope["Custom"]})
    assert again.predict(tf.ones([1, 2])).array_sync() == scope["model"].predict(tf.ones([1, 2])).array_sync()
    assert scope["report"].epoch == 0
