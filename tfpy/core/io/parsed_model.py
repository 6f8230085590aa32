"""Loading models from the parsed text of a model.json."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfpy.core.io.artifacts import ModelArtifacts
from tfpy.core.io.folder import Folder
from tfpy.core.io.http_client import HttpClient, WeightsOnServer, is_http_scheme
from tfpy.core.io.json_text import check_depth
from tfpy.core.io.load_handler import Loaded, LoadHandler
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.reading import WeightFiles, read_parts
from tfpy.core.results import Entries
from tfpy.engine.errors import argument_error

_LABEL = "the given model.json"


class ParsedModel(LoadHandler):
    """Loads a model from a parsed model.json, whose weight files are under `weight_path_prefix`; from artifacts
    in a dict; or from a topology alone.
    """

    def __init__(self, given: Mapping[str, Any], options: LoadOptions) -> None:
        self._given = given
        self._options = options

    def read(self) -> Loaded:
        given = Entries(self._given)
        if any(given.get(part) is not None for part in ("weight_specs", "weight_data", "get_weight_stream")):
            return Loaded(ModelArtifacts(given), _LABEL)
        if given.get("model_topology") is None:
            check_depth(self._given, _LABEL)
            return Loaded(ModelArtifacts({"model_topology": self._given}), _LABEL)
        return read_parts(dict(given), self._weight_files(), self._options)

    def _weight_files(self) -> WeightFiles:
        prefix = self._options.get("weight_path_prefix")
        if prefix is None and self._names_files():
            expected = "given, for the model.json names weight files"
            raise argument_error("load", "weight_path_prefix", expected, None)
        if prefix is not None and is_http_scheme(prefix):
            return WeightsOnServer(HttpClient(self._options), _LABEL, prefix)
        return Folder(Path(_LABEL), prefix)

    def _names_files(self) -> bool:
        manifest = Entries(self._given).get("weights_manifest") or []
        return any(isinstance(group, Mapping) and group.get("paths") for group in manifest)
