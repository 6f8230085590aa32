"""The result of loading, and the base of all handlers that load."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from tfpy.core.io.artifacts import ModelArtifacts


class Loaded(NamedTuple):
    """A model's artifacts, and what messages call the place that they are from."""

    artifacts: ModelArtifacts
    label: str


class LoadHandler(ABC):
    """A handler that loads a model: which file it is read from is known only then."""

    @abstractmethod
    def read(self) -> Loaded:
        """The model's artifacts, and where they are from."""

    def load(self) -> ModelArtifacts:
        """The model's artifacts."""
        return self.read().artifacts
