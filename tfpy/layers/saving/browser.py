"""What TF.js 4.22 would refuse of a saved model: read off the JSON that would be saved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tfpy.core.io.artifacts import ModelArtifacts
from tfpy.layers.config import is_object_config, spelt


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The classes that TF.js 4.22 registers.
_LAYERS = _words(
    """
    Activation Add AlphaDropout Average AveragePooling1D AveragePooling2D AveragePooling3D BatchNormalization
    Bidirectional CategoryEncoding CenterCrop Concatenate Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose
    ConvLSTM2D ConvLSTM2DCell Cropping2D Dense DepthwiseConv2D Dot Dropout ELU Embedding Flatten Functional GRU
    GRUCell GaussianDropout GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D GlobalMaxPooling1D
    GlobalMaxPooling2D InputLayer LSTM LSTMCell LayerNormalization LeakyReLU Masking MaxPooling1D MaxPooling2D
    MaxPooling3D Maximum Minimum Model Multiply PReLU Permute RNN RandomWidth ReLU RepeatVector Rescaling
    Reshape Resizing SeparableConv2D Sequential SimpleRNN SimpleRNNCell Softmax SpatialDropout1D StackedRNNCells
    ThresholdedReLU TimeDistributed UpSampling2D ZeroPadding2D
    """
)
_OTHERS = _words(
    """
    Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity LeCunNormal LeCunUniform Ones Orthogonal
    RandomNormal RandomUniform TruncatedNormal VarianceScaling Zeros L1L2 MaxNorm MinMaxNorm NonNeg UnitNorm
    """
)
# It registers gelu_new too, but changes the name into one that it does not know when it reads a file.
_ACTIVATIONS = _words(
    """
    elu gelu hard_sigmoid linear log_softmax mish relu relu6 selu sigmoid softmax softplus softsign swish tanh
    """
)
_LOSSES = _words(
    """
    binary_crossentropy categorical_crossentropy categorical_hinge cosine_proximity hinge
    kullback_leibler_divergence logcosh mean_absolute_error mean_absolute_percentage_error mean_squared_error
    mean_squared_logarithmic_error poisson sparse_categorical_crossentropy squared_hinge
    """
)
_METRICS = _words(
    """
    acc accuracy binary_accuracy categorical_accuracy categorical_crossentropy ce cosine crossentropy mae mape
    mse precision sparse_categorical_crossentropy
    """
)
_OPTIMIZERS = _words(
    """
    Adadelta Adagrad Adam Adamax Momentum RMSProp SGD
    """
)

# Names of tensors, which those of a model's layers are made.
_TENSOR_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9._/]*")

# Layers that change the shape of the model's input, or cannot take it, when they are part of a model.
_UNUSABLE = _words("CategoryEncoding CenterCrop Resizing")

# Options with values that TF.js refuses, or does not heed.
_OPTIONS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "Conv1D": {"padding": lambda v: v == "causal"},
    "DepthwiseConv2D": {"dilation_rate": lambda v: set(v) != {1}},
    "ELU": {"alpha": lambda v: v not in (None, 1)},
    "GRU": {"reset_after": bool, "zero_output_for_mask": bool},
    "GRUCell": {"reset_after": bool},
    "LSTM": {"zero_output_for_mask": bool},
    **{f"Global{kind}Pooling{n}D": {"keepdims": bool} for kind in ("Average", "Max") for n in (1, 2)},
    "ReLU": {"negative_slope": bool, "threshold": bool},
    "Resizing": {"half_pixel_centers": bool},
    "SimpleRNN": {"zero_output_for_mask": bool},
    "UpSampling2D": {"half_pixel_centers": bool},
}


def browser_faults(artifacts: ModelArtifacts, names: Iterable[str]) -> list[str]:
    """What TF.js 4.22 would refuse of a model that is saved so.

    Args:
        artifacts: what is saved.
        names: those that the model's weights have in TF.js, which does not number them in files.

    Returns:
        A sentence for each thing; nothing for a model that it loads.
    """
    faults = [*_of_object(artifacts.model_topology, "the model"), *_of_training(artifacts.training_config or {})]
    doubled = sorted(name for name, count in Counter(names).items() if count > 1)
    faults += [f"there are two weights of the name {name!r}" for name in doubled]
    return list(dict.fromkeys(faults))


def _of_object(config: Mapping[str, Any], owner: str) -> Iterator[str]:
    kind, options = spelt(config, "class_name"), config.get("config")
    name = options.get("name") if isinstance(options, Mapping) else None
    label = f"layer {name!r} ({kind})" if name else f"{owner}: {kind}"
    if kind not in _LAYERS and kind not in _OTHERS:
        yield f"{label}: TF.js has no class {kind}; the page must register one"
        return
    if kind in _UNUSABLE:
        yield f"{label}: TF.js cannot use {kind} within a model"
    for option, refuses in _OPTIONS.get(kind, {}).items():
        if isinstance(options, Mapping) and refuses(options.get(option)):
            yield f"{label}: TF.js does not take {option}={options[option]!r}"
    if isinstance(options, Mapping) and options.get("activity_regularizer") is not None:
        yield f"{label}: TF.js does not run layers with an activity_regularizer"
    yield from _of_names(options)
    yield from _inside(options, label)


def _of_names(options: Any) -> Iterator[str]:
    """Of the names of the layers of a model."""
    listed = options.get("layers", []) if isinstance(options, Mapping) else options
    for entry in listed or []:
        inner = entry.get("config")
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if isinstance(name, str) and not _TENSOR_NAME.fullmatch(name):
            yield f"layer {name!r}: TF.js takes names of letters, digits, '-', '.', '_' and '/', and the first no sign"


def _inside(value: Any, label: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if key.rpartition("_")[2] == "activation" and isinstance(entry, str) and entry not in _ACTIVATIONS:
                yield f"{label}: TF.js has no activation {entry!r}"
            elif is_object_config(entry):
                yield from _of_object(entry, label)
            else:
                yield from _inside(entry, label)
    elif isinstance(value, list):
        for entry in value:
            yield from _of_object(entry, label) if is_object_config(entry) else _inside(entry, label)


def _of_training(config: Mapping[str, Any]) -> Iterator[str]:
    optimizer = config.get("optimizer_config", {}).get("class_name")
    options = config.get("optimizer_config", {}).get("config", {})
    if isinstance(options.get("learningRate"), Mapping):
        yield f"TF.js has no learning rate that changes, like {options['learningRate'].get('class_name')}"
    for option in ("clipValue", "clipNorm", "globalClipNorm"):
        if option in options:
            yield f"TF.js does not heed {option} of optimizers"
    if optimizer is not None and optimizer not in _OPTIMIZERS:
        yield f"TF.js has no optimizer {optimizer}"
    if optimizer == "Adamax":
        yield "TF.js cannot restore the state of the optimizer Adamax"
    if "loss_weights" in config:
        yield "TF.js does not read loss weights"
    for known, what in ((_LOSSES, "loss"), (_METRICS, "metrics")):
        for name in _texts(config.get(what)):
            if name not in known:
                yield f"TF.js has no {what.removesuffix('s') if what == 'metrics' else what} {name!r}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)
