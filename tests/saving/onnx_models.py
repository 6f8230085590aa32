"""Models that are exported to ONNX: each row is a function that creates one, and the shapes of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import tfpy as tf

L = tf.layers


class Row(NamedTuple):
    """A test case.

    Attributes:
        name: the id of the test.
        make: creates the model.
        shapes: the shapes of its inputs, batch size first.
        below: if given, the inputs are integers below it.
        nodes: the expected numbers of nodes of some types.
    """

    name: str
    make: Callable[[], Any]
    shapes: tuple[tuple[int, ...], ...]
    below: int | None
    nodes: dict[str, int]

    def __str__(self) -> str:
        return self.name

    def inputs(self) -> list[np.ndarray[Any, Any]]:
        random = np.random.default_rng(3)
        if self.below is not None:
            return [random.integers(0, self.below, shape).astype(np.float32) for shape in self.shapes]
        return [random.normal(size=shape).astype(np.float32) for shape in self.shapes]


def row(name: str, make: Callable[[], Any], *shapes: tuple[int, ...], below: int | None = None, **nodes: int) -> Row:
    return Row(name, make, shapes, below, nodes)


def stack(*layers: Callable[[], Any]) -> Callable[[], Any]:
    """A sequential model of the layers that these functions create."""
    return lambda: tf.sequential([make() for make in layers])


def on(function: Callable[..., Any], *shapes: tuple[int | None, ...], dtype: str = "float32") -> Callable[[], Any]:
    """A functional model whose outputs a function computes from its inputs."""

    def make() -> Any:
        inputs = [tf.input(shape=shape, dtype=dtype) for shape in shapes]
        return tf.model(inputs=inputs, outputs=function(*inputs))

    return make


ACTIVATIONS = (
    "elu", "exponential", "gelu", "gelu_new", "hardSigmoid", "leakyRelu", "linear", "logSoftmax", "mish", "relu", "relu6",
    "selu", "sigmoid", "silu", "softmax", "softplus", "softsign", "swish", "tanh",
)  # fmt: skip


def windows() -> list[Row]:
    """Windows, strides, dilations and paddings, on images whose sizes the strides divide and do not divide."""
    steps: dict[str, list[dict[str, Any]]] = {
        "conv2d": [
            {"filters": 2, "kernel_size": [2, 4], "strides": [2, 1], "padding": "same"},
            {"filters": 2, "kernel_size": [1, 2], "strides": [3, 2]},
            {"filters": 2, "kernel_size": 1, "strides": 2, "padding": "same"},
            {"filters": 2, "kernel_size": 3, "dilation_rate": 2, "padding": "same"},
        ],
        "conv2d_transpose": [
            {"filters": 2, "kernel_size": 4, "strides": [1, 2], "padding": "same"},
            {"filters": 2, "kernel_size": [3, 2], "strides": [2, 3], "padding": "same"},
            {"filters": 2, "kernel_size": [1, 4], "strides": 3},
        ],
        "depthwise_conv2d": [{"kernel_size": 3, "dilation_rate": 2, "padding": "same"}],
        "separable_conv2d": [{"filters": 2, "kernel_size": 3, "strides": 2, "padding": "same"}],
        "max_pooling2d": [{"pool_size": 3, "strides": 2, "padding": "same"}, {"pool_size": [2, 3], "strides": [1, 4]}],
        "average_pooling2d": [{"pool_size": 3, "strides": [2, 3], "padding": "same"}],
    }
    return [
        row(
            f"{kind} {options} on {list(size)}{', unknown sizes' if known[0] is None else ''}",
            stack(lambda kind=kind, options=options, known=known: getattr(L, kind)(input_shape=[*known, 3], **options)),  # type: ignore[misc]
            (2, *size, 3),
        )
        for kind, listed in steps.items()
        for options in listed
        for size in ((7, 6), (8, 5))
        for known in (size, (None, None))
    ]


def images(x: Any) -> Any:
    """A model on images throughout: only its input needs a Transpose."""
    y = L.conv2d(filters=4, kernel_size=3, padding="same", use_bias=False)(x)
    y = L.relu()(L.batch_normalization()(y))
    z = L.separable_conv2d(filters=4, kernel_size=3, padding="same", activation=L.leaky_relu(alpha=0.2))(y)
    y = L.add()([y, z])
    y = L.concatenate()([L.max_pooling2d(pool_size=2)(y), L.average_pooling2d(pool_size=2)(y)])
    y = L.zero_padding2d()(L.dropout(rate=0.5)(L.prelu(shared_axes=[1, 2])(y)))
    y = L.group_normalization(groups=2)(L.up_sampling2d()(L.cropping2d(cropping=1)(y)))
    return L.dense(units=2)(L.global_average_pooling2d()(y))


def shared(x: Any, y: Any) -> Any:
    """A layer and a model that are called twice."""
    layer, inner = L.dense(units=4, activation="tanh"), stack(lambda: L.dense(units=3, input_shape=[4]))()
    a, b = inner(layer(x)), inner(layer(y))
    return [L.subtract()([a, b]), L.dot(axes=1, normalize=True)([a, b]), a]


def encoder_decoder(x: Any, y: Any) -> Any:
    """A decoder that starts with the final states of an encoder."""
    _, *states = L.lstm(units=3, return_state=True)(x)
    z, h, c = L.lstm(units=3, return_sequences=True, return_state=True)(y, initial_state=states)
    z = L.gru(units=3, return_sequences=True)([z, h])
    z = L.bidirectional(layer=L.simple_rnn(units=3, return_sequences=True, go_backwards=True))(z, initial_state=[h, c])
    return [L.time_distributed(layer=L.dense(units=2, activation="softmax"))(z), c]


def attention_layers(x: Any, y: Any) -> Any:
    a, scores = L.multi_head_attention(num_heads=2, key_dim=3)(x, value=y, return_attention_scores=True)
    b = L.multi_head_attention(num_heads=1, key_dim=2, value_dim=3, use_bias=False)(a, use_causal_mask=True)
    c = L.attention(use_scale=True, score_mode="concat")([L.layer_normalization()(L.add()([a, b])), x])
    return [c, L.attention()([c, y, y]), scores]


def masked(inner: Callable[[Any], Any], size: int = 4, steps: int | None = None) -> Callable[[], Any]:
    """A model on token ids, of which an embedding masks 0."""
    return on(lambda x: inner(L.embedding(input_dim=3, output_dim=size, mask_zero=True)(x)), (steps,))


def recurrent() -> list[Row]:
    """Recurrent layers, some of which become RNN nodes and some loops."""
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("simple_rnn", {"activation": "relu", "go_backwards": True}),
        ("simple_rnn", {"activation": "swish", "return_sequences": True, "go_backwards": True}),
        ("lstm", {"activation": "softsign", "recurrent_activation": "sigmoid", "return_sequences": True}),
        ("lstm", {"recurrent_activation": "gelu", "return_state": True, "go_backwards": True}),
        ("lstm", {"use_bias": False, "activation": "elu", "return_sequences": True, "go_backwards": True}),
        ("lstm", {"use_bias": False, "activation": "selu"}),
        ("gru", {"recurrent_activation": "sigmoid", "return_sequences": True, "return_state": True}),
        ("gru", {"reset_after": True, "return_sequences": True, "go_backwards": True}),
        ("gru", {"activation": "leakyRelu", "use_bias": False}),
        ("gru", {"activation": "linear", "reset_after": True, "return_sequences": True}),
        ("gru", {"activation": "linear", "reset_after": True, "use_bias": False}),
    ]
    return [
        row(f"{kind} {options}", on(lambda x, k=kind, o=options: getattr(L, k)(units=3, **o)(x), (None, 2)), (3, 5, 2))
        for kind, options in kinds
    ]


MASKED = [
    row("masked lstm", masked(lambda x: L.lstm(units=3, return_state=True)(x)), (4, 6), below=3, Scan=1),
    row("masked gru", masked(lambda x: L.gru(units=3, return_sequences=True, go_backwards=True)(x)), (4, 6), below=3),
    row("masked, then dense", masked(lambda x: L.gru(units=3, reset_after=True)(L.dense(units=2)(x))), (4, 6), below=3),
    # Layers without mask support pass the mask on.
    row("masked, then conv1d", masked(lambda x: L.lstm(units=3)(L.conv1d(filters=2, kernel_size=1)(x))), (4, 6), below=3,
        Scan=1),
    row("masked twice", masked(lambda x: L.simple_rnn(units=2)(L.lstm(units=3, return_sequences=True)(x))), (4, 6), below=3,
        Scan=2),
    row("masked stack", masked(lambda x: L.rnn(cell=[L.lstm_cell(units=2), L.gru_cell(units=3)], return_sequences=True,
        return_state=True)(x)), (4, 6), below=3, Scan=2),
    row("masked bidirectional", masked(lambda x: L.bidirectional(layer=L.gru(units=3, return_sequences=True))(x)), (4, 6), below=3),
    row("masked bidirectional with zero outputs", masked(lambda x: L.bidirectional(
        layer=L.lstm(units=3, return_sequences=True, zero_output_for_mask=True), merge_mode=None)(x)), (4, 6), below=3),
    row("unused mask", masked(lambda x: L.global_average_pooling1d()(L.dense(units=2)(x))), (4, 6), below=3,
        Not=0),
    row("masked attention", masked(lambda x: L.attention()([x, x])), (4, 6), below=3),
    row("masked multi-head attention", masked(lambda x: L.multi_head_attention(num_heads=2, key_dim=2)([x, x])), (4, 6), below=3),
    row("masked softmax", masked(lambda x: L.softmax()(L.reshape(target_shape=[6])(x)), 1, 6), (4, 6),
        below=3),
    row("masks merged by add", on(lambda x, y: L.lstm(units=2)(L.add()([L.masking()(x), L.masking(mask_value=1)(y)])),
        (None, 1), (None, 1)), (3, 6, 1), (3, 6, 1), below=2),
    row("masks concatenated along time", on(lambda x, y: L.lstm(units=2)(L.concatenate(axis=1)([L.masking()(x), y])),
        (None, 1), (None, 1)), (3, 6, 1), (3, 2, 1), below=2),
    row("masks concatenated along features", on(lambda x, y: L.lstm(units=2)(L.concatenate()([L.masking()(x), L.masking()(y)])),
        (None, 1), (None, 1)), (3, 6, 1), (3, 6, 1), below=2),
    row("mask passed into a nested model", on(lambda x: stack(lambda: L.lstm(units=2, input_shape=[None, 2]))()(L.masking()(x)),
        (None, 2)), (3, 6, 2), below=2, Scan=1),
    row("masked ConvLSTM", on(lambda x: L.conv_lstm2d(filters=2, kernel_size=2, return_sequences=True, return_state=True,
        data_format="channelsFirst")(L.reshape(target_shape=[4, 1, 3, 3])(L.masking()(x))), (4, 9)), (3, 4, 9), below=2),
]  # fmt: skip

ROWS: list[Row] = [
    *(row(f"activation {name}", stack(lambda name=name: L.activation(activation=name, input_shape=[2, 3])), (4, 2, 3))  # type: ignore[misc]
      for name in ACTIVATIONS),
    *windows(),
    *recurrent(),
    *MASKED,
    *(row(f"pooling with strides beyond the window on {n}", stack(lambda n=n: L.average_pooling1d(pool_size=2, strides=3,  # type: ignore[misc]
        padding="same", input_shape=[n, 2])), (2, n, 2)) for n in (6, 7, 8)),
    # In three dimensions elements are skipped at both ends.
    *(row(f"{kind} with strides beyond the window on {n}", stack(lambda kind=kind, o=o, n=n: getattr(L, kind)(  # type: ignore[misc]
        strides=[3, 2, 4], padding="same", input_shape=[n, n, n, 2], **o)), (2, n, n, n, 2))
      for kind, o in (("conv3d", {"filters": 2, "kernel_size": [2, 1, 1]}), ("max_pooling3d", {"pool_size": [1, 2, 2]}),
                      ("average_pooling3d", {"pool_size": [1, 2, 1]}),
                      ("conv3d_transpose", {"filters": 2, "kernel_size": [2, 3, 1]})) for n in (4, 5, 6)),
    row("images", on(images, (8, 8, 3)), (2, 8, 8, 3), Transpose=1),
    row("images of unknown sizes", on(images, (None, None, 3)), (2, 8, 6, 3), Transpose=1),
    row("images with channels first", stack(
        lambda: L.conv2d(filters=2, kernel_size=2, data_format="channelsFirst", input_shape=[3, 5, 6]),
        lambda: L.batch_normalization(axis=1), lambda: L.max_pooling2d(data_format="channelsFirst"),
        lambda: L.flatten(data_format="channelsFirst")), (2, 3, 5, 6), Transpose=1),
    row("softmax per pixel", stack(lambda: L.conv2d(filters=3, kernel_size=1, activation="softmax", input_shape=[4, 5, 2])),
        (2, 4, 5, 2)),
    row("sequences of unknown length", stack(
        lambda: L.conv1d(filters=4, kernel_size=3, strides=2, padding="causal", input_shape=[None, 2]),
        lambda: L.max_pooling1d(padding="same"), lambda: L.up_sampling1d(), lambda: L.layer_normalization(),
        lambda: L.global_max_pooling1d()), (2, 11, 2)),
    row("stacked recurrent layers", stack(
        lambda: L.lstm(units=3, return_sequences=True, input_shape=[4, 2]), lambda: L.gru(units=3, return_sequences=True),
        lambda: L.dense(units=3), lambda: L.bidirectional(layer=L.lstm(units=2))), (2, 4, 2), Transpose=1),
    row("shared layer and model", on(shared, (5,), (5,)), (3, 5), (3, 5), Gemm=4),
    row("encoder and decoder", on(encoder_decoder, (None, 2), (None, 2)), (3, 5, 2), (3, 4, 2)),
    row("attention layers", on(attention_layers, (None, 4), (None, 4)), (2, 3, 4), (2, 5, 4)),
    row("stacked cells", on(lambda x: L.rnn(cell=[L.gru_cell(units=2), L.lstm_cell(units=3), L.simple_rnn_cell(units=4)],
        return_state=True, go_backwards=True)(x), (4, 2)), (3, 4, 2)),
    row("time-distributed images", stack(
        lambda: L.time_distributed(layer=L.conv2d(filters=2, kernel_size=2), input_shape=[None, None, 5, 3]),
        lambda: L.time_distributed(layer=L.batch_normalization()),
        lambda: L.time_distributed(layer=stack(lambda: L.global_max_pooling2d(input_shape=[None, 4, 2]))())),
        (2, 3, 4, 5, 3)),
    row("time-distributed sequences", stack(
        lambda: L.time_distributed(layer=L.lstm(units=2), input_shape=[3, None, 2])), (2, 3, 4, 2)),
    row("initial states of a fixed batch size", on(lambda x: L.lstm(units=2)(x, initial_state=[tf.ones([2, 2]), tf.zeros([2, 2])]), (3, 4)),
        (2, 3, 4)),
    row("output that is an input", on(lambda x: [x, L.dropout(rate=0.1)(x), L.flatten()(x)], (2, 3)), (2, 2, 3)),
    row("duplicate output", lambda: (lambda x, y: tf.model(inputs=x, outputs=[y, y]))(*(lambda x: (x, L.dense(units=1)(x)))(
        tf.input(shape=[2]))), (3, 2)),
    row("integers", on(lambda x: [L.dense(units=2)(x), L.flatten()(L.repeat_vector(n=2)(x)), L.permute(dims=[1])(x)], (3,),
        dtype="int32"), (2, 3), below=9),
    row("integer images", on(lambda x: L.up_sampling2d()(L.cropping2d(cropping=1)(L.zero_padding2d(padding=2)(x))),
        (4, 5, 2), dtype="int32"), (2, 4, 5, 2), below=9),
    row("integers merged with floats", on(lambda x, y: [L.concatenate()([x, L.rescaling(scale=0.5)(y)]), L.add()([x, y]), L.maximum()([x, L.rescaling(scale=0.5)(y)])], (3,), (3,),
        dtype="int32"), (2, 3), (2, 3), below=9),
    row("embedding of 2D inputs", on(lambda x: L.embedding(input_dim=4, output_dim=2, input_length=[2, 3])(x), (2, 3), dtype="int32"), (2, 2, 3), below=4),
    row("elu", stack(lambda: L.elu(alpha=0.3, input_shape=[6])), (4, 6)),
    row("relu with max_value", stack(lambda: L.relu(max_value=0.5, input_shape=[6])), (4, 6)),
    row("softmax over images", stack(lambda: L.softmax(axis=[1, 2], input_shape=[3, 4, 2])), (2, 3, 4, 2)),
    row("normalization along several axes", stack(lambda: L.layer_normalization(axis=[2, 1], input_shape=[3, 4]),
        lambda: L.layer_normalization(axis=1), lambda: L.unit_normalization(axis=[1, 2])), (2, 3, 4)),
    row("bilinear resizing", stack(lambda: L.up_sampling2d(size=[3, 2], interpolation="bilinear", input_shape=[None, None, 2]),
        lambda: L.resizing(height=5, width=1)), (2, 3, 4, 2)),
    row("bilinear resizing with half-pixel centers", stack(
        lambda: L.up_sampling2d(size=[3, 2], interpolation="bilinear", half_pixel_centers=True, input_shape=[3, 4, 2]),
        lambda: L.resizing(height=5, width=3, half_pixel_centers=True)), (2, 3, 4, 2)),
    row("hard_sigmoid6", stack(lambda: L.activation(activation="hard_sigmoid6", input_shape=[3])), (2, 3)),
    row("nearest-neighbor resizing", stack(lambda: L.resizing(height=7, width=4, interpolation="nearest", input_shape=[5, 9, 2])),
        (2, 5, 9, 2)),
    row("center crop larger than the image", stack(lambda: L.center_crop(height=7, width=4, input_shape=[5, 9, 2])), (2, 5, 9, 2)),
    row("reshaped", stack(lambda: L.reshape(target_shape=[-1, 2], input_shape=[3, 4]), lambda: L.reshape(target_shape=[4, 3])),
        (2, 3, 4)),
]  # fmt: skip
