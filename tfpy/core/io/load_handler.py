"""The result of loading, and the base of all handlers that load."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from tfpy.core.io.artifacts import ModelArtifacts


class Loaded(NamedTuple):
    """A model's artifacts, and the name of their source in messages."""

    artifacts: ModelArtifacts
    label: str


class LoadHandler(ABC):
    """A handler that loads a model: the file is determined only when loading."""

    @abstractmethod
    def read(self) -> Loaded:
        """The model's artifacts and their source."""

    def load(self) -> ModelArtifacts:
        """The model's artifacts."""
        return self.read().artifacts
