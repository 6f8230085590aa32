"""Which of the core's ops tools/generate.py makes functions and methods of, beside those with a `legacy=` mark."""

from __future__ import annotations

GRAPH_OPS = "exp log relu elu tanh sigmoid square"
"""Methods of Graph that are an op of one array, element by element, without further arguments."""

CORE_OPS_AS_FUNCTIONS = """
    abs acos add asin atan avg_pool basic_lstm_cell browser.from_pixels cast ceil
    clip_by_value clone concat concat1d concat2d concat3d concat4d conv1d conv2d conv2d_transpose cos cosh
    custom_grad depthwise_conv2d dispose div elu equal exp expand_dims fill floor gather get_backend grad grads
    greater greater_equal leaky_relu less less_equal linspace local_response_normalization log log_sum_exp
    logical_and logical_not logical_or logical_xor mat_mul max max_pool maximum mean memory min minimum moments mul
    multi_rnn_cell neg next_frame norm not_equal ones ones_like outer_product pad pad1d pad2d pad3d pad4d
    pow prelu print rand random_normal random_uniform range relu reshape reverse reverse1d reverse2d reverse3d
    reverse4d scalar selu sigmoid sin sinh slice slice1d slice2d slice3d slice4d softmax sqrt square
    squeeze stack step sub sum tan tanh tensor tensor1d tensor2d tensor3d tensor4d tile time transpose
    truncated_normal value_and_grad value_and_grads variable_grads zeros zeros_like
"""
"""What deeplearn.js 0.5 has as functions of its own, `dl.add`: its step towards TF.js. They are the core's ops; those
that give a tensor give an NDArray here (`eager.py`)."""

CHAINED_OPS = """
    abs acos add_strict arg_max arg_min asin atan avg_pool batch_normalization ceil clip_by_value clone conv1d conv2d
    conv2d_transpose cos cosh depthwise_conv2d div div_strict elu equal equal_strict exp expand_dims floor gather
    greater greater_equal greater_equal_strict greater_strict image.resize_bilinear leaky_relu less less_equal
    less_equal_strict less_strict local_response_normalization log log_sum_exp logical_and logical_or logical_xor
    mat_mul max max_pool maximum maximum_strict mean min min_pool minimum minimum_strict mul mul_strict neg norm
    not_equal not_equal_strict pad pow pow_strict prelu relu reverse selu sigmoid sin sinh slice softmax sqrt square
    step sub sub_strict sum tan tanh tile transpose
"""
"""Those of them that are methods of its arrays, too: `a.square().sum()`."""
