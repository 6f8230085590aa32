"""The default padding of convolutions and poolings in the graphs of deeplearn.js."""

from __future__ import annotations

import libcst as cst

from tfpy.migrate.templates import expression


def default_pad(given: dict[str, cst.BaseExpression]) -> cst.BaseExpression | None:
    """The padding of a convolution or pooling of the graph; None if it cannot be inferred."""
    if "zero_pad" in given:
        return given["zero_pad"]
    stride = given.get("stride")
    if (stride is not None and not _is_one(stride)) or "field_size" not in given:
        return None
    size = given["field_size"]
    if isinstance(size, cst.Integer):
        return cst.Integer(str((int(size.value) - 1) // 2))
    return expression("(n - 1) // 2", {"n": size}, {}, "")


def _is_one(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Integer) and node.value == "1"
