"""Mask propagation: which masks reach which layers of a model, by the rules of TF.js or of Keras.

Masks have no values here, only origins, so that two of them can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy.engine.package import is_ours
from tfpy.engine.spec import broadcasts_to
from tfpy.layers.base import Layer
from tfpy.layers.calling import keywords_of
from tfpy.layers.container import Container
from tfpy.layers.graph import LayerGraph
from tfpy.layers.kinds.advanced_activations import Softmax
from tfpy.layers.kinds.core import Embedding, Masking
from tfpy.layers.kinds.merge import Concatenate, Dot, Merge
from tfpy.layers.kinds.recurrent import TakesStates
from tfpy.layers.mask_rules import MaskRules
from tfpy.layers.saving.keras.mask_rules import KERAS_MASKS
from tfpy.layers.symbolic import Node

# A call: the enclosing models' calls, and its own.
Path = tuple[Node, ...]


@dataclass(frozen=True)
class Mask:
    """A mask.

    Attributes:
        origin: the computation that it results from; masks with the same values have the same origin.
        shape: its shape, with None for unknown sizes.
    """

    origin: tuple[Any, ...]
    shape: Any


class MaskPropagation:
    """Propagates the masks of a model.

    Args:
        model: the model.
        rules: the rules of propagation.
        elsewhere: whether the model follows them in Keras only, and not here.

    Attributes:
        heeded: the masks that the results of each call depend on.
    """

    def __init__(self, model: Container, rules: MaskRules, elsewhere: bool = False) -> None:
        self._rules = rules
        # Keras 3 passes no mask to a recurrent layer with initial states, unless the call specifies it.
        self._states_end_masks = elsewhere and rules == KERAS_MASKS[3]
        self.heeded: dict[Path, tuple[Any, ...]] = {}
        self._through(model.graph, [], None, ())

    def _through(
        self, graph: LayerGraph, masks: Sequence[Mask | None], carried: Mask | None, path: Path
    ) -> list[Mask | None]:
        """The masks of the outputs of a graph."""

        def call(
            node: Node, inputs: list[None], own: list[Mask | None], mask: Mask | None
        ) -> tuple[list[None], list[Mask | None]]:
            return [None] * len(node.output_tensors), self._call(node.outbound_layer, (*path, node), own, mask)

        return graph.walk(call, self._rules, [None] * len(graph.inputs), masks, carried)[1]

    def _call(self, layer: Layer, path: Path, own: list[Mask | None], mask: Mask | None) -> list[Mask | None]:
        """Record the masks that a call uses; returns the masks of its outputs."""
        if not isinstance(layer, Container):
            self._note(layer, path, own, mask)
            return self._made(layer, path, own)
        if not self._rules.carry:
            return self._through(layer.graph, own, None, path)
        self._through(layer.graph, [], mask, path)
        return []

    def _note(self, layer: Layer, path: Path, own: list[Mask | None], mask: Mask | None) -> None:
        """Record the masks that the results of a call depend on."""
        node = path[-1]
        if self._states_end_masks and isinstance(layer, TakesStates) and len(own) > 1:
            mask = None
        shape: Any = node.input_shapes[0]
        if isinstance(layer, Softmax) and mask and not broadcasts_to(mask.shape, shape):
            mask = None
        names, as_dict = keywords_of(type(layer).call)
        heeded: tuple[Mask | None, ...] = ()
        if layer.takes_every_mask or self._rules.change_inputs(layer):
            heeded = tuple(own)
        elif names is None or as_dict or "mask" in names:
            heeded = (mask,)
        if _some(heeded):
            self.heeded[path] = heeded

    def _made(self, layer: Layer, path: Path, own: list[Mask | None]) -> list[Mask | None]:
        """The masks of a layer's outputs."""
        node = path[-1]
        if not self._rules.pass_through(layer):
            return []
        if isinstance(layer, (Embedding, Masking)):
            shape = node.input_shapes[0]
            hidden, shape = (layer.mask_value, shape[:-1]) if isinstance(layer, Masking) else (None, shape)
            return [Mask((*path[:-1], node.input_tensors[0], hidden), shape)]
        if isinstance(layer, Merge):
            return [self._merged(layer, node, own)]
        if not is_ours(type(layer)):
            return own[:1]  # how a user-defined class treats masks is unknown
        return self._rules.masks(layer, node.input_tensors, own, len(node.output_tensors))

    def _merged(self, layer: Merge, node: Node, own: list[Mask | None]) -> Mask | None:
        given = [mask for mask in own if mask is not None]
        if not given or isinstance(layer, Dot):
            return None
        shape = node.output_tensors[0].shape
        if isinstance(layer, Concatenate) and layer.axis % len(shape) != len(shape) - 1:
            return Mask(("joined", layer.axis % len(shape), *own), shape[:-1])
        if not self._rules.merge_any:
            return _combined("all", given)
        return _combined("any", own) if isinstance(layer, Concatenate) or len(given) == len(own) else None


def _combined(how: str, masks: Sequence[Mask | None]) -> Mask | None:
    first = masks[0]
    distinct = frozenset(masks)
    return first if len(distinct) == 1 else Mask((how, distinct), next(mask.shape for mask in masks if mask))


def _some(masks: Iterable[Mask | None]) -> bool:
    return any(mask is not None for mask in masks)


def differing(model: Container, rules: MaskRules) -> list[str]:
    """The names of the layers for which masks hide something else under the given rules."""
    here, there = MaskPropagation(model, model.mask_rules).heeded, MaskPropagation(model, rules, elsewhere=True).heeded
    paths = [path for path in {**here, **there} if here.get(path) != there.get(path)]
    return list(dict.fromkeys(path[-1].outbound_layer.name for path in paths))
