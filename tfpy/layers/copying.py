"""Copying and pickling of layers: with the layers before them, and without those after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfpy.layers.naming import register_name

if TYPE_CHECKING:
    from tfpy.layers.symbolic import Node


class Copyable:
    """Base of layers.

    A layer knows the calls on its outputs, but its copy only those whose layers are copied too, which add themselves.
    Otherwise a copy would include all later layers, and a deep model could not be copied, since each layer would be
    copied recursively within the previous one.
    """

    if TYPE_CHECKING:
        inbound_nodes: list[Node]
        outbound_nodes: list[Node]

    def _own_calls(self) -> Sequence[Node]:
        """The calls of the layer on outputs of other layers."""
        return self.inbound_nodes

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "outbound_nodes"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = vars(self)
        own.update(state)
        own.setdefault("outbound_nodes", [])
        if "name" in state:  # it may come from another process, with its own counter
            register_name(state["name"])
        for node in self._own_calls():
            for layer in node.inbound_layers:
                if layer is not None:  # its own state may not have been set yet
                    vars(layer).setdefault("outbound_nodes", []).append(node)
