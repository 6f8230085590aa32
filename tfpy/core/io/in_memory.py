"""Loading models from parts in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.core.calling.registry import export
from tfpy.core.io.artifacts import ModelArtifacts, entries_of
from tfpy.core.io.load_handler import Loaded, LoadHandler
from tfpy.core.results import Entries


class InMemory(LoadHandler):
    """Loads a model from artifacts in memory."""

    def __init__(self, artifacts: ModelArtifacts) -> None:
        self._artifacts = artifacts

    def read(self) -> Loaded:
        return Loaded(self._artifacts, "model artifacts")


@export(namespace="io", doc="Models / Loading")
def from_memory(
    model_artifacts: Mapping[str, Any],
    weight_specs: Sequence[Any] | None = None,
    weight_data: Any = None,
    training_config: Mapping[str, Any] | None = None,
) -> InMemory:
    """A handler that loads a model from parts in memory.

    Args:
        model_artifacts: {'modelTopology', 'weightSpecs', 'weightData', …}, or the topology alone.
        weight_specs: the specs of the weights, if the first argument is the topology.
        weight_data: their bytes.
        training_config: how the model was compiled.

    Source: TF.js `tf.io.fromMemory`.
    """
    given = entries_of("from_memory", "model_artifacts", model_artifacts)
    if given.get("model_topology") is None and given.get("weight_specs") is None:
        parts = {
            "model_topology": model_artifacts,
            "weight_specs": weight_specs,
            "weight_data": weight_data,
            "training_config": training_config,
        }
        given = Entries({name: value for name, value in parts.items() if value is not None})
    return InMemory(ModelArtifacts(given))


@export(namespace="io", doc="Models / Loading")
def from_memory_sync(
    model_artifacts: Mapping[str, Any],
    weight_specs: Sequence[Any] | None = None,
    weight_data: Any = None,
    training_config: Mapping[str, Any] | None = None,
) -> InMemory:
    """The same as `from_memory`.

    Source: TF.js `tf.io.fromMemorySync`.
    """
    return from_memory(model_artifacts, weight_specs, weight_data, training_config)
