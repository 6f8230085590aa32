"""Names that deeplearn.js spells otherwise than the rule of `core/names.py` has it.

tools/generate.py runs this file without the package: it imports nothing.
"""

from __future__ import annotations

EXCEPTIONS: dict[str, dict[str, str]] = {
    "NDArray": {"get_texture_shape_rc": "getTextureShapeRC", "in_gpu": "inGPU"},
    "NDArrayMath": {
        "batch_normalization2d": "batchNormalization2D",
        "batch_normalization3d": "batchNormalization3D",
        "batch_normalization4d": "batchNormalization4D",
        "concat1d": "concat1D",
        "concat2d": "concat2D",
        "concat3d": "concat3D",
        "concat4d": "concat4D",
        "copy2d": "copy2D",
        "depthwise_conv2d": "depthwiseConv2D",
        "local_response_normalization3d": "localResponseNormalization3D",
        "local_response_normalization4d": "localResponseNormalization4D",
        "pad1d": "pad1D",
        "pad2d": "pad2D",
        "resize_bilinear3d": "resizeBilinear3D",
        "reverse1d": "reverse1D",
        "reverse2d": "reverse2D",
        "reverse3d": "reverse3D",
        "reverse4d": "reverse4D",
        "slice1d": "slice1D",
        "slice2d": "slice2D",
        "slice3d": "slice3D",
        "slice4d": "slice4D",
    },
    "XhrDataset": {"get_ndarray": "getNDArray"},
}
"""deeplearn.js's spelling by the class, and the snake_case name of its member."""
