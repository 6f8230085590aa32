"""Loading models from files of Keras."""

from __future__ import annotations

from pathlib import Path

from tfpy.core.io.errors import ModelFileError, errors_of_file
from tfpy.core.io.json_text import check_depth
from tfpy.engine.errors import some_of
from tfpy.engine.warn import warn_user
from tfpy.layers.mask_rules import TFJS_MASKS
from tfpy.layers.model import LayersModel
from tfpy.layers.saving.keras.optimizer_state import restore_keras_state
from tfpy.layers.saving.keras.reader import opened, write_keras_weights
from tfpy.layers.saving.keras.semantics import follow_mask_rules, mask_rules_of, with_keras_semantics
from tfpy.layers.saving.loading import CustomObjects, built, filling, initialize
from tfpy.layers.saving.training_config import compile_as
from tfpy.layers.weights import deferred_weights


def load_keras(path: Path, strict: bool = True, custom_objects: CustomObjects | None = None) -> LayersModel:
    """The model in a Keras file.

    Raises:
        ModelFileError: as `load_layers_model`. ImportError: the extra `keras` is not installed.
    """
    with opened(path) as file, deferred_weights() as deferred:
        if file.topology is None:
            raise ModelFileError(f"{path}: contains only weights; create the model and call its load_weights.")
        check_depth(file.topology, str(path))
        with errors_of_file(f"{path}: modelTopology", "invalid"):
            topology = with_keras_semantics(file.topology, file.version)
        model = built(topology, str(path), custom_objects)
        rules = mask_rules_of(file.topology, file.version)
        follow_mask_rules(model, rules)
        with filling(str(path)):
            write_keras_weights(model, file, strict)
            initialize(deferred)
        if file.training is not None:
            compile_as(model, file.training, str(path), str)
            if model.optimizer is not None:
                restore_keras_state(model, file.weights)
                if rules != TFJS_MASKS:
                    _warn_of_constraints(model, path)
    return model


def _warn_of_constraints(model: LayersModel, path: Path) -> None:
    """Warn that constraints are applied at other times here than in Keras."""
    bound = [weight.original_name for weight in model.trainable_weights if weight.constraint is not None]
    if bound:
        warn_user(
            f"{path}: Keras applies the constraints of {some_of(bound, 3)} after each training step; "
            "tfpy, like TF.js, applies them when weights are written. A callback can write them after each batch."
        )
