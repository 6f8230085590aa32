"""The implementations of TensorFlow's ops, by kind. Importing it fills the table in `tfpy.graph.mappers`."""

from tfpy.graph.ops import (  # noqa: F401
    array,
    control,
    convolution,
    creation,
    elementwise,
    image,
    matrices,
    others,
    reduction,
)
