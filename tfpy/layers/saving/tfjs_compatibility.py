"""Finds what TF.js 4.22 would reject in a saved model, or compute differently, from the JSON to be saved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tfpy.core.io.artifacts import ModelArtifacts
from tfpy.layers.config import config_value, is_object_config
from tfpy.layers.saving.json_tree import walk
from tfpy.layers.saving.keras.operation import OPERATION
from tfpy.layers.saving.topology import makes_masks


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
# It also registers gelu_new, but renames it to an unknown name when it reads a file.
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

# Names of tensors, which the names of a model's layers become.
_TENSOR_NAME = re.compile(r"[A-Za-z0-9][-A-Za-z0-9._/]*")

# Layers that change the shape of the model's input, or reject it, if they are part of a model.
_UNUSABLE = _words("CategoryEncoding CenterCrop Resizing")


class Fault(NamedTuple):
    """A part of a model that TF.js does not accept.

    Attributes:
        text: the problem, and how to fix it.
        loads: whether TF.js loads and runs the model nevertheless, and computes something else.
        option: the option of a layer that it is about, if any.
    """

    text: str
    loads: bool = False
    option: str | None = None


class _Limit(NamedTuple):
    """Values of an option that TF.js rejects or ignores.

    Attributes:
        found: whether a layer with these options has such a value.
        remedy: how to fix it.
        loads: whether TF.js loads the layer nevertheless.
    """

    found: Callable[[Mapping[str, Any]], Any]
    remedy: str
    loads: bool


def _given(option: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda options: options.get(option)


_RESET_AFTER = {"reset_after": _Limit(_given("reset_after"), "train with reset_after=False", False)}
_KEEP = {"keepdims": _Limit(_given("keepdims"), "omit it, and put a Reshape after the layer", True)}
_ZEROED = "zero_output_for_mask"  # which has no effect in a model without masks
_ZEROS = {_ZEROED: _Limit(_given(_ZEROED), "train without it", True)}
# As observed with TF.js 4.22 in Node.
_OPTIONS: dict[str, dict[str, _Limit]] = {
    "Conv1D": {"padding": _Limit(lambda o: o.get("padding") == "causal", "train with another padding", False)},
    "DepthwiseConv2D": {"dilation_rate": _Limit(lambda o: set(o["dilation_rate"]) != {1}, "train without it", True)},
    "ELU": {"alpha": _Limit(lambda o: o.get("alpha") not in (None, 1), "train with alpha=1", False)},
    "GRU": {**_RESET_AFTER, **_ZEROS},
    "GRUCell": _RESET_AFTER,
    "LSTM": _ZEROS,
    **{f"Global{kind}Pooling{n}D": _KEEP for kind in ("Average", "Max") for n in (1, 2)},
    "ReLU": {
        "negative_slope": _Limit(_given("negative_slope"), "use LeakyReLU", True),
        "threshold": _Limit(_given("threshold"), "use ThresholdedReLU", True),
    },
    "SimpleRNN": _ZEROS,
    "UpSampling2D": {
        "half_pixel_centers": _Limit(
            lambda o: o.get("half_pixel_centers") and o.get("interpolation") == "bilinear",
            "train with half_pixel_centers=False",
            True,
        ),
    },
}


def browser_faults(artifacts: ModelArtifacts, names: Iterable[str]) -> list[Fault]:
    """Find what TF.js 4.22 would reject in a saved model, or compute differently.

    Args:
        artifacts: the artifacts to be saved.
        names: the names of the model's weights in TF.js, which does not number them in files.

    Returns:
        The faults; none for a model that it accepts.
    """
    topology = artifacts.model_topology
    masks = makes_masks(topology)
    faults = [fault for fault in _of_object(topology, "the model") if masks or fault.option != _ZEROED]
    faults += _of_training(artifacts.training_config or {})
    doubled = sorted(name for name, count in Counter(names).items() if count > 1)
    faults += [Fault(f"there are two weights of the name {name!r}") for name in doubled]
    return list(dict.fromkeys(faults))


def sentences(faults: Iterable[Fault]) -> list[str]:
    """At most two sentences: what TF.js cannot load, and what it computes differently."""
    heads = {False: "TF.js 4.22 will not load or run this in a browser", True: "TF.js 4.22 will compute otherwise"}
    said = {loads: "; ".join(fault.text for fault in faults if fault.loads is loads) for loads in heads}
    return [f"{heads[loads]}: {text}." for loads, text in said.items() if text]


def _of_object(config: Mapping[str, Any], owner: str, listed: bool = False) -> Iterator[Fault]:
    """The faults of an object; an object in a list has a name that users know."""
    kind, options = config_value(config, "class_name"), config.get("config")
    name = options.get("name") if listed and isinstance(options, Mapping) else None
    label = f"layer {name!r} ({kind})" if name else f"{owner}: {kind}"
    if kind == OPERATION:
        yield Fault(f"{label}: TF.js has no layer for operations of keras.ops")
        return
    if kind not in _LAYERS and kind not in _OTHERS:
        yield Fault(f"{label}: TF.js has no class {kind}; the page must register one")
        return
    if kind in _UNUSABLE:
        yield Fault(f"{label}: TF.js cannot use {kind} within a model; do it before the model")
    for option, limit in _OPTIONS.get(kind, {}).items():
        if isinstance(options, Mapping) and limit.found(options):
            does = "heed" if limit.loads else "take"
            text = f"{label}: TF.js does not {does} {option}={options[option]!r}: {limit.remedy}"
            yield Fault(text, limit.loads, option)
    if isinstance(options, Mapping) and options.get("activity_regularizer") is not None:
        yield Fault(f"{label}: TF.js does not run layers with an activity_regularizer")
    yield from _of_names(options)
    yield from _inside(options, label)


def _of_names(options: Any) -> Iterator[Fault]:
    """The faults of the names of a model's layers."""
    listed = options.get("layers", []) if isinstance(options, Mapping) else options
    for entry in listed or []:
        inner = entry.get("config")
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if isinstance(name, str) and not _TENSOR_NAME.fullmatch(name):
            signs = "letters, digits, '-', '.', '_' and '/', and the first no sign"
            yield Fault(f"layer {name!r}: TF.js takes names of {signs}")


def _inside(value: Any, label: str) -> Iterator[Fault]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if key.rpartition("_")[2] == "activation" and isinstance(entry, str) and entry not in _ACTIVATIONS:
                yield Fault(f"{label}: TF.js has no activation {entry!r}")
            elif is_object_config(entry):
                yield from _of_object(entry, label)
            else:
                yield from _inside(entry, label)
    elif isinstance(value, list):
        for entry in value:
            yield from _of_object(entry, label, listed=True) if is_object_config(entry) else _inside(entry, label)


def _of_training(config: Mapping[str, Any]) -> Iterator[Fault]:
    optimizer = config.get("optimizer_config", {}).get("class_name")
    options = config.get("optimizer_config", {}).get("config", {})
    if isinstance(options.get("learningRate"), Mapping):
        kind = options["learningRate"].get("class_name")
        yield Fault(f"TF.js has no learning rate that changes, like {kind}; compile with a number")
    for option in ("clipValue", "clipNorm", "globalClipNorm"):
        if option in options:
            yield Fault(f"TF.js does not heed {option} of optimizers", loads=True)
    if optimizer is not None and optimizer not in _OPTIMIZERS:
        yield Fault(f"TF.js has no optimizer {optimizer}")
    if optimizer == "Adamax":
        yield Fault("TF.js cannot restore the state of the optimizer Adamax")
    if "loss_weights" in config:
        yield Fault("TF.js does not read loss weights; compile without them")
    elif isinstance(config.get("loss"), list) and None in config["loss"]:
        yield Fault("TF.js does not read lists of losses with None; compile with a dict of the other outputs' losses")
    for entry, what, known in (("loss", "loss", _LOSSES), ("metrics", "metric", _METRICS)):
        for name in walk(config.get(entry)):
            if isinstance(name, str) and name not in known:
                yield Fault(f"TF.js has no {what} {name!r}")
