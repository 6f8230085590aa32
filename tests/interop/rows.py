"""Every layer type of TF.js: each row is a factory, its options, and the shapes of the inputs.

Options are in the spelling of TF.js. A list of a factory's name and options stands for a layer; a list of such lists
stands for a list of layers.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Row(NamedTuple):
    """A layer and the shapes of its inputs."""

    factory: str
    options: dict[str, Any]
    shapes: tuple[tuple[int, ...], ...]
    below: int | None = None
    """If given, the inputs are integers below it."""

    def __str__(self) -> str:
        return self.factory


def row(factory: str, options: dict[str, Any], *shapes: tuple[int, ...], below: int | None = None) -> Row:
    return Row(factory, options, shapes, below)


SEQUENCE = (4, 3)
IMAGE = (5, 6, 2)
VOLUME = (4, 5, 4, 2)
ROWS = [
    row("activation", {"activation": "hardSigmoid"}, (4,)),
    row("dense", {"units": 3, "activation": "tanh", "useBias": True}, (4,)),
    row(
        "dense",
        {"units": 2, "activation": "softmax", "kernelRegularizer": "l1l2", "kernelConstraint": "nonNeg"},
        (3, 4),
    ),
    row("dropout", {"rate": 0.5}, (4,)),
    row("embedding", {"inputDim": 7, "outputDim": 3}, (5,), below=7),
    row("embedding", {"inputDim": 7, "outputDim": 3, "maskZero": True, "inputLength": 5}, (5,), below=7),
    row("flatten", {}, (2, 3, 2)),
    row("masking", {"maskValue": 0}, SEQUENCE),
    row("repeatVector", {"n": 3}, (4,)),
    row("simpleRNN", {"units": 3}, SEQUENCE),
    row("simpleRNN", {"units": 3, "returnSequences": True, "goBackwards": True, "activation": "relu"}, SEQUENCE),
    row("gru", {"units": 3, "recurrentActivation": "sigmoid", "dropout": 0.2}, SEQUENCE),
    row("lstm", {"units": 3, "returnState": True, "unitForgetBias": True}, SEQUENCE),
    row("rnn", {"cell": ["gruCell", {"units": 2}]}, SEQUENCE),
    row(
        "rnn",
        {"cell": [["simpleRNNCell", {"units": 2}], ["lstmCell", {"units": 3}]], "returnSequences": True},
        SEQUENCE,
    ),
    row("timeDistributed", {"layer": ["dense", {"units": 2}]}, SEQUENCE),
    row("elu", {}, (4,)),
    row("leakyReLU", {"alpha": 0.1}, (4,)),
    row("prelu", {"sharedAxes": [1]}, SEQUENCE),
    row("reLU", {"maxValue": 0.5}, (4,)),
    row("softmax", {"axis": -1}, SEQUENCE),
    row("thresholdedReLU", {"theta": 0.3}, (4,)),
    row("conv1d", {"filters": 3, "kernelSize": 2, "strides": 2, "padding": "same"}, SEQUENCE),
    row("conv2d", {"filters": 3, "kernelSize": [3, 2], "activation": "relu", "dilationRate": 2}, IMAGE),
    row("conv2d", {"filters": 3, "kernelSize": 2, "dataFormat": "channelsFirst", "useBias": False}, (2, 5, 6)),
    row("conv2dTranspose", {"filters": 3, "kernelSize": 3, "strides": 2, "padding": "same"}, IMAGE),
    row("conv3d", {"filters": 2, "kernelSize": 2, "strides": [1, 2, 1], "activation": "tanh"}, VOLUME),
    row("conv3dTranspose", {"filters": 2, "kernelSize": 2, "strides": 2}, VOLUME),
    row("depthwiseConv2d", {"kernelSize": 2, "depthMultiplier": 2}, IMAGE),
    row("separableConv2d", {"filters": 3, "kernelSize": 2, "padding": "same", "depthMultiplier": 2}, IMAGE),
    row("cropping2D", {"cropping": [[1, 0], [2, 1]]}, IMAGE),
    row("upSampling2d", {"size": [2, 3], "interpolation": "bilinear"}, IMAGE),
    row("zeroPadding2d", {"padding": [[1, 0], [2, 1]]}, IMAGE),
    row("permute", {"dims": [2, 1]}, SEQUENCE),
    row("reshape", {"targetShape": [2, 6]}, SEQUENCE),
    row("averagePooling1d", {"poolSize": 2}, SEQUENCE),
    row("averagePooling2d", {"poolSize": 2, "padding": "same"}, IMAGE),
    row("averagePooling3d", {"poolSize": 2, "strides": 1}, VOLUME),
    row("maxPooling1d", {"poolSize": 2, "strides": 1}, SEQUENCE),
    row("maxPooling2d", {"poolSize": [2, 3]}, IMAGE),
    row("maxPooling3d", {"poolSize": 2}, VOLUME),
    row("globalAveragePooling1d", {}, SEQUENCE),
    row("globalAveragePooling2d", {}, IMAGE),
    row("globalMaxPooling1d", {}, SEQUENCE),
    row("globalMaxPooling2d", {"dataFormat": "channelsFirst"}, IMAGE),
    row("batchNormalization", {"epsilon": 0.01, "momentum": 0.9}, IMAGE),
    row("batchNormalization", {"center": False}, (4,)),
    row("layerNormalization", {"axis": [1, 2]}, SEQUENCE),
    row("gaussianNoise", {"stddev": 0.3}, (4,)),
    row("gaussianDropout", {"rate": 0.3}, (4,)),
    row("alphaDropout", {"rate": 0.3}, (4,)),
    row("spatialDropout1d", {"rate": 0.3}, SEQUENCE),
    row("add", {}, (4,), (4,)),
    row("average", {}, (4,), (4,), (4,)),
    row("concatenate", {"axis": 1}, SEQUENCE, (2, 3)),
    row("dot", {"axes": 1, "normalize": True}, (4,), (4,)),
    row("maximum", {}, SEQUENCE, SEQUENCE),
    row("minimum", {}, SEQUENCE, SEQUENCE),
    row("multiply", {}, SEQUENCE, SEQUENCE),
    row("convLstm2d", {"filters": 2, "kernelSize": 2, "returnSequences": True}, (3, 4, 4, 2)),
    row("bidirectional", {"layer": ["lstm", {"units": 2, "returnSequences": True}], "mergeMode": "ave"}, SEQUENCE),
    row("bidirectional", {"layer": ["gru", {"units": 2}], "mergeMode": "concat"}, SEQUENCE),
    row("rescaling", {"scale": 0.5, "offset": 1}, IMAGE),
]
