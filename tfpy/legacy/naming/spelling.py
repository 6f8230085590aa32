"""Names that deeplearn.js spells differently from the rule of `core/naming/names.py`.

tools/generate.py runs this file without the package: it imports nothing.
"""

from __future__ import annotations

EXCEPTIONS: dict[str, dict[str, str]] = {
    "ArrayMethods": {
        "depthwise_conv2d": "depthwiseConv2D",
        "get_texture_shape_rc": "getTextureShapeRC",
        "in_gpu": "inGPU",
    },
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
    "conv_util": {
        "compute_conv2d_info": "computeConv2DInfo",
        "compute_depthwise_conv2d_info": "computeDepthwiseConv2DInfo",
        "compute_dilated_rc": "computeDilatedRC",
        "compute_output_shape3d": "computeOutputShape3D",
        "compute_pool2d_info": "computePool2DInfo",
        "compute_tex_shape_from3d": "computeTexShapeFrom3D",
        "compute_weights_shape4d": "computeWeightsShape4D",
    },
    "test_util": {"describe_math_cpu": "describeMathCPU", "describe_math_gpu": "describeMathGPU"},
    "util": {
        "check_for_nan": "checkForNaN",
        "get_nan": "getNaN",
        "get_typed_array_from_dtype": "getTypedArrayFromDType",
        "is_ndarray_in_list": "isNDArrayInList",
        "is_val_nan": "isValNaN",
    },
}
"""deeplearn.js's spelling by the class or namespace, and the snake_case name of its member."""
