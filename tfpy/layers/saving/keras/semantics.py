"""Options of different meanings in Keras and TF.js: conversion from Keras's meaning to that of TF.js, and back.

A file written by tfpy states for an object whose meaning its options have, if that is not the meaning of the file's
version. Keras ignores this and computes different results, so that saving warns about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy.core.io.errors import ModelFileError
from tfpy.engine.warn import warn_user
from tfpy.layers.base import Layer
from tfpy.layers.container import Container
from tfpy.layers.inner_layers import layers_in
from tfpy.layers.mask_rules import TFJS_MASKS, MaskRules
from tfpy.layers.saving.json_tree import map_children
from tfpy.layers.saving.keras.mask_rules import KERAS_MASKS

MEANING = "numbers_of"
"""The key, next to the class name, that tells according to which library an object's options are meant."""

TFJS, KERAS3 = TFJS_MASKS.owner, KERAS_MASKS[3].owner
_KERAS2 = KERAS_MASKS[2].owner
_RULES = {rules.owner: rules for rules in (TFJS_MASKS, *KERAS_MASKS.values())}
# Layers that place pixels differently in TF.js, with any interpolation or with 'bilinear' only.
_RESIZING = "Resizing"
_UP_SAMPLING = "UpSampling2D"
_CENTER_CROP = "CenterCrop"
_CROPS = "Keras crops differently if the width shrinks by 1, or if an image is too small"
_ON_VOLUMES = frozenset({"AveragePooling3D", "Conv3D", "Conv3DTranspose", "MaxPooling3D"})


def with_keras_semantics(config: Any, version: int) -> Any:
    """A configuration of a version of Keras, with Keras's implicit behavior as explicit options.

    Layers in a Bidirectional return zeros where masked, pixels are positioned by their centers, and 'hard_sigmoid' in
    Keras 3 is 'hard_sigmoid6' here.
    """
    return _with_semantics(config, KERAS3 if version >= 3 else _KERAS2)


def _with_semantics(config: Any, meaning: str) -> Any:
    found = map_children(config, lambda value: _with_semantics(value, meaning))
    if not isinstance(config, Mapping):
        return found
    found.pop(MEANING, None)
    name, options = found.get("class_name"), found.get("config")
    if isinstance(name, str) and isinstance(options, dict):
        own = config.get(MEANING, meaning)
        if name == "Bidirectional":
            _zero_masked_outputs(options)
        if own != TFJS:
            _state_keras_semantics(name, options)
        if own == KERAS3:
            _respell(options, "hard_sigmoid", "hard_sigmoid6")
    return found


def _zero_masked_outputs(options: Mapping[str, Any]) -> None:
    """Make the layers in a Bidirectional return zeros where masked, if they return sequences."""
    for part in ("layer", "backward_layer"):
        inner = options.get(part)
        inner = inner.get("config") if isinstance(inner, dict) else None
        if isinstance(inner, dict) and inner.get("return_sequences"):
            inner.setdefault("zero_output_for_mask", True)


def _state_keras_semantics(name: str, options: dict[str, Any]) -> None:
    """Add options for Keras's implicit behavior.

    Raises:
        ModelFileError: Keras computes something that is not supported here.
    """
    label = f"layer {options.get('name', name)}"
    if name == _RESIZING and options.get("crop_to_aspect_ratio"):
        raise ModelFileError(f"{label}: crop_to_aspect_ratio=True of Keras's Resizing is not supported here.")
    if _leaves_out(name, options):
        raise ModelFileError(
            f"{label}: strides larger than the window, with padding 'same', are not supported in {name}: TF.js skips "
            "other elements than Keras."
        )
    if name == _CENTER_CROP:
        warn_user(f"{label}: {_CROPS}.")
    if _places_pixels(name, options):
        options["half_pixel_centers"] = True


def mask_rules_of(config: Mapping[str, Any], version: int) -> MaskRules:
    """The rules for the masks of a model: by default those of the file's version."""
    said, own = config.get(MEANING), KERAS_MASKS[version]
    return _RULES.get(said, own) if isinstance(said, str) else own


def follow_mask_rules(layer: Layer, rules: MaskRules) -> None:
    """Apply the rules to the masks of a model, and of the models in it."""
    for part in layers_in(layer):
        if isinstance(part, Container):
            part.follow_mask_rules(rules)


def meaning_of_masks(model: Container, version: int) -> dict[str, str]:
    """The entry next to a model's class that states whose rules its masks follow."""
    return {} if model.mask_rules == KERAS_MASKS[version] else {MEANING: model.mask_rules.owner}


def _places_pixels(name: Any, options: Mapping[str, Any]) -> bool:
    """Whether a layer computes pixels whose positions differ between Keras and TF.js."""
    return name == _RESIZING or (name == _UP_SAMPLING and options.get("interpolation") == "bilinear")


def _leaves_out(name: Any, options: Mapping[str, Any]) -> bool:
    """Whether a layer on volumes skips elements, which TF.js chooses differently."""
    if name not in _ON_VOLUMES or options.get("padding") != "same":
        return False
    size = _three(options.get("kernel_size", options.get("pool_size", 2)))
    gaps = _three(options.get("dilation_rate") or 1)
    steps = _three(options.get("strides") or size)
    return any(step > (k - 1) * gap + 1 for k, gap, step in zip(size, gaps, steps, strict=False))


def _three(value: Any) -> list[int]:
    """A number for each of three dimensions; empty for an invalid value."""
    listed = value if isinstance(value, (list, tuple)) else [value] * 3
    return [n for n in listed if isinstance(n, int)]


def to_keras_semantics(name: str, options: dict[str, Any], version: int) -> tuple[str | None, str]:
    """Convert options to the names and values that have the same meaning in Keras.

    Args:
        name: the name of the class.
        options: its options, in Keras's spelling; they are changed.
        version: the version of Keras.

    Returns:
        The library whose meaning they keep, None for the version's own; and what then differs in Keras, for a message.
    """
    if options.get("crop_to_aspect_ratio"):
        return TFJS, "Keras crops the image to the aspect ratio"
    if options.pop("half_pixel_centers", None) is False and _places_pixels(name, options):
        return TFJS, "Keras positions the pixels of a resized image differently"
    if name == _CENTER_CROP:
        return TFJS, _CROPS
    if _leaves_out(name, options):
        return TFJS, "Keras skips other elements if strides are larger than the window"
    if "hard_sigmoid" in options.values():
        return TFJS, "hard_sigmoid has another slope in Keras 3 (1/6 instead of 1/5)"
    if _respell(options, "hard_sigmoid6", "hard_sigmoid") and version == 2:
        return KERAS3, "hard_sigmoid has another slope in Keras 2 (1/5 instead of 1/6)"
    return None, ""


def _respell(options: dict[str, Any], word: str, other: str) -> bool:
    """Replace one activation's name by another; returns whether it was present."""
    found = [key for key, value in options.items() if key.rpartition("_")[2] == "activation" and value == word]
    options.update(dict.fromkeys(found, other))
    return bool(found)
