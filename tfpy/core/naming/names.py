"""Spelling: snake_case names are the source, and TF.js's camelCase is computed from them here only.

The reverse is never computed: a camelCase name is looked up among the known ones.
"""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")

# Names whose TF.js spelling does not follow the rule, by namespace ("" is the top level and every method).
EXCEPTIONS: dict[str, dict[str, str]] = {
    "": {
        "as_1d": "as1D",
        "as_2d": "as2D",
        "as_3d": "as3D",
        "as_4d": "as4D",
        "as_5d": "as5D",
        "basic_lstm_cell": "basicLSTMCell",
        "batch_to_space_nd": "batchToSpaceND",
        "data_to_gpu": "dataToGPU",
        "decode_utf8": "decodeUTF8",
        "dest_url": "destURL",
        "from_tf_hub": "fromTFHub",
        "gather_nd": "gatherND",
        "input_dtype": "inputDType",
        "is_nan": "isNaN",
        "max_ndim": "maxNDim",
        "min_ndim": "minNDim",
        "model_from_json": "modelFromJSON",
        "model_json": "modelJSON",
        "multi_rnn_cell": "multiRNNCell",
        "num_bytes_in_gpu": "numBytesInGPU",
        "scatter_nd": "scatterND",
        "source_url": "sourceURL",
        "space_to_batch_nd": "spaceToBatchND",
        "to_json": "toJSON",
    },
    "callbacks": {"reduce_lr_on_plateau": "reduceLROnPlateau", "terminate_on_nan": "terminateOnNaN"},
    "image": {"grayscale_to_rgb": "grayscaleToRGB"},
    "io": {
        "browser_http_request": "browserHTTPRequest",
        "get_model_artifacts_for_json": "getModelArtifactsForJSON",
        "get_model_artifacts_for_json_sync": "getModelArtifactsForJSONSync",
        "get_model_artifacts_info_for_json": "getModelArtifactsInfoForJSON",
        "is_http_scheme": "isHTTPScheme",
    },
    "layers": {
        "conv_lstm2d": "convLstm2d",
        "conv_lstm2d_cell": "convLstm2dCell",
        "cropping1d": "cropping1D",
        "cropping2d": "cropping2D",
        "cropping3d": "cropping3D",
        "gru_cell": "gruCell",
        "leaky_relu": "leakyReLU",
        "lstm_cell": "lstmCell",
        "relu": "reLU",
        "simple_rnn": "simpleRNN",
        "simple_rnn_cell": "simpleRNNCell",
        "stacked_rnn_cells": "stackedRNNCells",
        "thresholded_relu": "thresholdedReLU",
    },
    "models": {"model_from_json": "modelFromJSON"},
    "string": {"string_n_grams": "stringNGrams"},
    "util": {"get_array_from_dtype": "getArrayFromDType", "get_typed_array_from_dtype": "getTypedArrayFromDType"},
}


@functools.lru_cache(maxsize=4096)
def camel(name: str, namespace: str = "") -> str:
    """TF.js's spelling of a snake_case name; a name without an inner underscore is unchanged."""
    given = EXCEPTIONS.get(namespace, {}).get(name)
    if given is not None:
        return given
    head = name.lstrip("_")
    lead = name[: len(name) - len(head)]
    return lead + re.sub(r"(?<=.)_([a-z0-9])", lambda m: m[1].upper(), head)


def public_name(name: str) -> str:
    """The public name of a function: without the underscore that keeps it from shadowing a builtin."""
    bare = name.rstrip("_")
    return name if keyword.iskeyword(bare) else bare


def in_both_spellings(values: Mapping[str, T]) -> dict[str, T]:
    """A table keyed by snake_case names, extended to both spellings."""
    return {spelling: value for name, value in values.items() for spelling in (name, camel(name))}


def spellings(known: Iterable[str], namespace: str = "") -> dict[str, str]:
    """Every accepted spelling of the known snake_case names -> the name."""
    return {spelling: name for name in known for spelling in (camel(name, namespace), name)}
