"""How layers are copied and pickled: with the layers before them, and without those after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfpy.layers.naming import register_name

if TYPE_CHECKING:
    from tfpy.layers.symbolic import Node


class Copyable:
    """Base of layers.

    A layer knows the calls on its outputs, but its copy only those whose layers are copied, too: they add themselves.
    Otherwise a layer would take with it all that comes after it, and a deep model could not be copied, since each layer
    would be copied within the one before.
    """

    if TYPE_CHECKING:
        inbound_nodes: list[Node]
        outbound_nodes: list[Node]

    def _own_calls(self) -> Sequence[Node]:
        """The calls of the layer on outputs of others."""
        return self.inbound_nodes

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "outbound_nodes"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = vars(self)
        own.update(state)
        own.setdefault("outbound_nodes", [])
        if "name" in state:  # it may come from another process, which counts by itself
            register_name(state["name"])
        for node in self._own_calls():
            for layer in node.inbound_layers:
                if layer is not None:  # it may not have got its own state yet
                    vars(layer).setdefault("outbound_nodes", []).append(node)
