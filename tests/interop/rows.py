"""Every type of layer that TF.js knows: a row is the factory, its options as TF.js has them, and the inputs' shapes.

An option that is a list of a factory's name and options is a layer; a list of such lists is a list of layers.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Row(NamedTuple):
    """A layer, and what it is called on."""

    factory: str
    options: dict[str, Any]
    shapes: tuple[tuple[int, ...], ...]
    below: int | None = None
    """Inputs are whole numbers below this one."""

    def __str__(self) -> str:
        return self.factory


def row(factory: str, options: dict[str, Any], *shapes: tuple[int, ...], below: int | None = None) -> Row:
    return Row(factory, options, shapes, below)


SEQUENCE = (4, 3)
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
]
