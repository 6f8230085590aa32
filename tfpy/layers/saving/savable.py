"""Saving models: the methods of LayersModel that write it, and those that read weights into it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfpy._version import VERSION
from tfpy.core.convert import to_tensor
from tfpy.core.io.artifacts import ModelArtifacts, SaveResult, json_text
from tfpy.core.io.buffers import concatenate_array_buffers
from tfpy.core.io.quantization import quantized
from tfpy.core.io.router import LoadOptions, load_artifacts, save_artifacts
from tfpy.core.io.safe_tensors import load_safetensors, save_safetensors
from tfpy.core.io.weights import encode_weights
from tfpy.core.options import accepts_options
from tfpy.core.ready import Ready, ReadyNone
from tfpy.core.results import NamedTensor, field
from tfpy.core.tensor import Tensor
from tfpy.core.urls import ending, local_path
from tfpy.engine.errors import argument_error
from tfpy.engine.warn import warn_user
from tfpy.layers.saving._camel import SavableModelCamel
from tfpy.layers.saving.browser import browser_faults
from tfpy.layers.saving.keras.reader import found_keras_file, opened, write_keras_weights
from tfpy.layers.saving.topology import written
from tfpy.layers.saving.training_config import optimizer_weights, training_config_of
from tfpy.layers.saving.weight_names import load_named
from tfpy.layers.training.trainable import TrainableModel
from tfpy.layers.unlisted import warn_of_unlisted

# The version of TF.js whose format is written.
FORMAT_VERSION = "tfjs-layers 4.22.0"
MAX_METADATA_BYTES = 2**20
# Files that are Keras's.
KERAS_SUFFIXES = (".keras", ".h5", ".hdf5")


class SavableModel(SavableModelCamel, TrainableModel, Ready):
    """A model that can be saved. Awaiting it gives itself, so that what loads a model may be awaited."""

    _metadata: dict[str, Any] | None = None

    @accepts_options()
    def to_json(self, unused: Any = None, return_string: bool = True) -> Any:
        """The topology as TF.js and Keras have it; no weights.

        Args:
            unused: without meaning, as in TF.js.
            return_string: whether to return a JSON text and not a dict.

        Source: TF.js `tf.LayersModel.toJSON`.
        """
        text = json_text(
            {
                "class_name": self.get_class_name(),
                "config": written(self.get_config()),
                "keras_version": FORMAT_VERSION,
                "backend": "tensor_flow.js",
            },
            f"model {self.name}",
        )
        return text if return_string else json.loads(text)

    @accepts_options("config")
    def save(
        self,
        handler_or_url: Any,
        config: Mapping[str, Any] | None = None,
        *,
        trainable_only: bool = False,
        include_optimizer: bool = False,
        strict: bool | None = None,
        quantize: str | None = None,
    ) -> SaveResult:
        """Save the model: its topology and weights.

        Args:
            handler_or_url: a folder, in which model.json and weights.bin are written; a path that ends with '.json' or
                '.zip', or, beyond TF.js, with Keras's '.keras' or '.h5' (extra `keras`), or '.onnx' (extra `onnx`); a
                URL (file://, http(s)://, localstorage://); or a handler of `tf.io`. What was there before stays whole
                until the new model is.
            config: the options below as a dict.
            trainable_only: whether to leave out the weights that training does not change.
            include_optimizer: whether to save how the model is compiled too, and the state of its optimizer.
            strict: True raises an error when TF.js 4.22 would refuse the model in a browser, or Keras one of its files,
                and nothing is saved; by default that is warned of; False does not look (beyond TF.js). What an ONNX
                file cannot hold is always an error.
            quantize: 'float16', 'uint16' or 'uint8' stores weights in half or a quarter of the bytes, rounded, as the
                converter of TF.js does; not those of the optimizer (beyond TF.js, which reads them).

        Returns:
            What the handler says, with `model_artifacts_info`; it may be awaited.

        Raises:
            ValueError: nothing can be saved there, or something cannot be saved.

        Source: TF.js `tf.LayersModel.save`.
        """
        path = _path(handler_or_url)
        if quantize is not None and path is not None and ending(path) in (*KERAS_SUFFIXES, ".onnx"):
            raise argument_error("save", "quantize", f"None for a file that ends with {ending(path)}", quantize)
        if strict is not False:
            warn_of_unlisted("save", self)
        if path is not None and path.name.lower().endswith(".weights.h5"):
            raise ValueError(f"save: {path} has room for weights alone; use save_weights, or another ending.")
        if path is not None and ending(path) in KERAS_SUFFIXES:
            from tfpy.layers.saving.keras.writer import save_keras

            return save_keras(self, path, include_optimizer, strict)
        if path is not None and ending(path) == ".onnx":
            from tfpy.layers.saving.onnx.file import save_onnx

            for option, given in (("include_optimizer", include_optimizer), ("trainable_only", trainable_only)):
                if given:
                    raise argument_error("save", option, "False for an ONNX file, which holds what predicts", given)
            return save_onnx(self, path)
        artifacts = self._artifacts(trainable_only, include_optimizer)
        if strict is not False:
            faults = browser_faults(artifacts)
            text = f"model {self.name}: TF.js 4.22 will not load this in a browser: {'; '.join(faults)}."
            if faults and strict:
                raise ValueError(f"save: {text} Nothing was saved.")
            if faults:
                warn_user(text)
        if quantize is not None:
            artifacts = quantized(artifacts, quantize)
        return save_artifacts("save", handler_or_url, artifacts)

    def _artifacts(self, trainable_only: bool, include_optimizer: bool) -> ModelArtifacts:
        data, specs = encode_weights(self.get_named_weights(trainable_only=trainable_only))
        parts: dict[str, Any] = {
            "model_topology": self.to_json(return_string=False),
            "format": "layers-model",
            "generated_by": f"tfpy v{VERSION}",
        }
        if include_optimizer and self.optimizer is not None:
            parts["training_config"] = training_config_of(self)
            more = encode_weights(optimizer_weights(self), "optimizer")
            data, specs = concatenate_array_buffers([data, more.data]), [*specs, *more.specs]
        if self._metadata is not None:
            parts["user_defined_metadata"] = self._metadata
        return ModelArtifacts({**parts, "weight_data": data, "weight_specs": specs})

    @accepts_options("config")
    def get_named_weights(
        self, config: Mapping[str, Any] | None = None, *, trainable_only: bool = False
    ) -> list[NamedTensor]:
        """The weights as a list of records (name, tensor), in the order of `weights` and by the names that files have.

        Args:
            config: the option below as a dict.
            trainable_only: whether to leave out those that training does not change.

        Source: TF.js `tf.LayersModel.getNamedWeights`.
        """
        weights = self.trainable_weights if trainable_only else self.weights
        values = self.get_weights(trainable_only)
        return [NamedTensor(w.original_name, value) for w, value in zip(weights, values, strict=True)]

    def save_weights(self, path: str | os.PathLike[str]) -> ReadyNone:
        """Write the weights alone (beyond TF.js); `load_weights` reads them.

        Args:
            path: a file that ends with '.safetensors' (extra `safetensors`), which holds them by their names, or with
                '.weights.h5' (extra `keras`), as Keras 3 has it.

        Returns:
            Nothing; it may be awaited.

        Raises:
            ValueError: another ending. ImportError: the extra is not installed.
        """
        file = _path(path)
        if file is not None and ending(file) == ".safetensors":
            return save_safetensors({w.name: w.tensor for w in self.get_named_weights()}, file)
        if file is None or not file.name.lower().endswith(".weights.h5"):
            raise argument_error("save_weights", "path", "a path that ends with .safetensors or .weights.h5", path)
        from tfpy.layers.saving.keras.writer import save_weights

        return save_weights(self, file)

    @accepts_options()
    def load_weights(self, weights: Any, strict: bool = True) -> None:
        """Write values to the weights by name. Beyond TF.js, the numbers in names that layers got by themselves
        (`dense_Dense7`) count by their order only, so that a model of the same layers can be made again and filled.

        Args:
            weights: tensors by name, or a list of {'name', 'tensor'}. Beyond TF.js, the path, URL or handler of a saved
                model, of which only the weights are taken; a `.safetensors` file; or one of Keras's files.
            strict: whether each weight must have a value, and each value a weight.

        Raises:
            ValueError: values without weights or weights without values (if strict), or a shape or dtype that does not
                fit; nothing is written then.

        Source: TF.js `tf.LayersModel.loadWeights`.
        """
        if isinstance(weights, Mapping):
            values, source = dict(weights), "load_weights"
        elif isinstance(weights, (list, tuple)):
            what = "load_weights: an entry of weights"
            values, source = {field(w, "name", 0, what): field(w, "tensor", 1, what) for w in weights}, "load_weights"
        elif (keras_file := found_keras_file(weights)) is not None:
            with opened(keras_file) as file:
                write_keras_weights(self, file, strict)
            return
        else:
            values, source = _weights_of(weights)
        tensors = {name: to_tensor("load_weights", str(name), value, "any") for name, value in values.items()}
        load_named(self, tensors, strict, source)

    def set_user_defined_metadata(self, user_defined_metadata: Mapping[str, Any]) -> None:
        """Note something that is saved with the model: plain data, a MB at most.

        Source: TF.js `tf.LayersModel.setUserDefinedMetadata`.
        """
        if not isinstance(user_defined_metadata, Mapping):
            where = "set_user_defined_metadata"
            raise argument_error(where, "user_defined_metadata", "a dict", user_defined_metadata, TypeError)
        text = json_text(user_defined_metadata, "set_user_defined_metadata")
        if len(text.encode()) > MAX_METADATA_BYTES:
            warn_user(f"The metadata of the model have more than {MAX_METADATA_BYTES} bytes.")
        self._metadata = json.loads(text)

    def get_user_defined_metadata(self) -> dict[str, Any] | None:
        """What was noted, or saved with the model; None if nothing was.

        Source: TF.js `tf.LayersModel.getUserDefinedMetadata`.
        """
        return self._metadata


def _path(place: Any) -> Path | None:
    """A place as a path of this machine; None for anything else."""
    if not isinstance(place, (str, os.PathLike)):
        return None
    text = local_path(os.fspath(place))
    return None if "://" in text else Path(text)


def _weights_of(place: Any) -> tuple[dict[str, Tensor], str]:
    """The weights of a saved model by name, without those of its optimizer."""
    from tfpy.layers.saving.loading import decoded

    path = _path(place)
    if path is not None and ending(path) == ".safetensors":
        return load_safetensors(path), str(path)
    artifacts, source = load_artifacts("load_weights", place, LoadOptions())
    return decoded(artifacts, source)[0], source
