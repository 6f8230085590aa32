"""The successors in the new API of deeplearn.js's names: the tables of `tfpy migrate` and of `dl.migration_hints`.

A successor is an expression over the parameters of the old function, such as `tf.mul(a, b)`. Where it depends on which
arguments are given there are several of them, each with the argument that it needs; the first that fits is taken.
Methods that are an op of the core with the same arguments are not listed: they follow from the ops' `legacy=` marks.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from tfpy.core.calling.registry import OPS
from tfpy.core.naming.names import camel
from tfpy.legacy.arrays.ndarray import NDArray
from tfpy.legacy.graphs.graph import Graph, GraphLayers
from tfpy.legacy.graphs.session import Session
from tfpy.legacy.naming.generated_names import CHAINED_OPS, GRAPH_OPS
from tfpy.legacy.naming.registry import MATH_OPS, OWN_EAGER_OPS
from tfpy.legacy.naming.spelling import EXCEPTIONS

_SAME = ("avg_pool", "conv2d_transpose")
_FLAT = "tf.arg_max(tf.reshape({0}, [-1]))"
_STRICT = {
    "add_strict": "tf.add(a, b)",
    "sub_strict": "tf.sub(a, b)",
    "multiply_strict": "tf.mul(a, b)",
    "divide_strict": "tf.div(a, b)",
    "pow_strict": "tf.pow(base, exp)",
    "minimum_strict": "tf.minimum(a, b)",
    "maximum_strict": "tf.maximum(a, b)",
    "equal_strict": "tf.equal(a, b)",
    "not_equal_strict": "tf.not_equal(a, b)",
    "less_strict": "tf.less(a, b)",
    "less_equal_strict": "tf.less_equal(a, b)",
    "greater_strict": "tf.greater(a, b)",
    "greater_equal_strict": "tf.greater_equal(a, b)",
}
_NORM = "tf.batch_norm(x, mean, variance, offset, scale, variance_epsilon)"
_CHANNELS = [("norm_region", ""), ("", "tf.local_response_normalization(x, radius, bias, alpha, beta)")]

# Methods of NDArrayMath, by the name of the function in legacy/ops: (argument that must be given, expression).
_MATH: dict[str, str | list[tuple[str, str]]] = {
    **_STRICT,
    "scalar_plus_array": "tf.add(c, a)",
    "scalar_minus_array": "tf.sub(c, a)",
    "array_minus_scalar": "tf.sub(a, c)",
    "scalar_times_array": "tf.mul(c, a)",
    "scalar_divided_by_array": "tf.div(c, a)",
    "array_divided_by_scalar": "tf.div(a, c)",
    "scaled_array_add": "tf.add(tf.mul(c1, a), tf.mul(c2, b))",
    "element_wise_mul_broadcast": "tf.mul(a, b)",
    "concat1d": "tf.concat([a, b])",
    "concat2d": "tf.concat([a, b], axis)",
    "concat": [("axis", "tf.concat([a, b], axis)"), ("", "tf.concat(a, b)")],
    "concat3d": "tf.concat([a, b], axis)",
    "concat4d": "tf.concat([a, b], axis)",
    "one_hot": "tf.one_hot(tf.cast(indices, 'int32'), depth, on_value, off_value, dtype='float32')",
    "conv2d": [
        ("bias", "tf.add(tf.conv2d(x, filter, strides, pad, dim_rounding_mode=dim_rounding_mode), bias)"),
        ("", "tf.conv2d(x, filter, strides, pad, dim_rounding_mode=dim_rounding_mode)"),
    ],
    "conv1d": [
        ("bias", "tf.add(tf.conv1d(x, filter, stride, pad, dim_rounding_mode=dim_rounding_mode), bias)"),
        ("", "tf.conv1d(x, filter, stride, pad, dim_rounding_mode=dim_rounding_mode)"),
    ],
    "conv2d_without_bias": "tf.conv2d(x, filter, strides, pad, dim_rounding_mode=dim_rounding_mode)",
    "conv1d_without_bias": "tf.conv1d(x, filter, stride, pad, dim_rounding_mode=dim_rounding_mode)",
    "dilated_depthwise_conv2d": (
        "tf.depthwise_conv2d(x, filter, strides, pad, dilations=dilations, dim_rounding_mode=dim_rounding_mode)"
    ),
    "conv2d_der_input": "tf.conv2d_transpose(dy, filter, in_shape, strides, pad, dim_rounding_mode)",
    "depthwise_conv2d": (
        "tf.depthwise_conv2d(x, filter, strides, pad, dilations=rates, dim_rounding_mode=dim_rounding_mode)"
    ),
    "mat_mul": "tf.mat_mul(a, b, a_orientation, b_orientation)",
    "vector_times_matrix": "tf.dot(v, matrix)",
    "matrix_times_vector": "tf.dot(matrix, v)",
    "dot_product": "tf.dot(v1, v2)",
    "multinomial": "tf.multinomial(probabilities, num_samples, seed, normalized=True)",
    "batch_normalization": _NORM,
    "batch_normalization2d": _NORM,
    "batch_normalization3d": _NORM,
    "batch_normalization4d": _NORM,
    "local_response_normalization": _CHANNELS,
    "local_response_normalization3d": _CHANNELS,
    "local_response_normalization4d": _CHANNELS,
    "min_pool": "tf.neg(tf.max_pool(tf.neg(x), filter_size, strides, pad, dim_rounding_mode))",
    "resize_bilinear3d": "tf.image.resize_bilinear(x, new_shape2d, align_corners)",
    "arg_max": [("axis", "tf.arg_max(x, axis)"), ("", "tf.arg_max(tf.reshape(x, [-1]))")],
    "arg_min": [("axis", "tf.arg_min(x, axis)"), ("", "tf.arg_min(tf.reshape(x, [-1]))")],
    "arg_max_equals": f"tf.equal({_FLAT.format('x1')}, {_FLAT.format('x2')})",
    "where": "tf.where(condition, a, b)",
    "top_k": "tf.topk(tf.reshape(x, [-1]), k)",
    "softmax_cross_entropy_with_logits": (
        "tf.losses.softmax_cross_entropy(labels, logits, reduction=tf.Reduction.NONE)"
    ),
}
# Methods for which `migrate` has its own rules; these texts are for hints.
_MATH_OWN = {
    "scope": "tf.tidy(f)",
    "start_scope": "tf.engine().start_scope()",
    "end_scope": "tf.engine().end_scope(result)",
    "keep": "tf.keep(result)",
    "track": "result",
    "enable_debug_mode": "tf.enable_debug_mode()",
    "get_num_arrays": "tf.memory().num_data_buffers",
    "time": "tf.time(query).wall_ms",
    "gradients": "tf.grad(f)(x)",
}
# Methods without a successor, and what to do instead.
_MATH_NONE = {
    "copy2d": "tensors cannot be written to; build the matrix with tf.concat or tf.where",
    "conv2d_back_prop": "take the gradients of tf.conv2d with tf.grads",
    "conv2d_der_filter": "take the gradient of tf.conv2d with tf.grad",
    "conv2d_der_bias": "sum the gradient over all axes but the last with tf.sum",
    "max_pool_backprop": "take the gradient of tf.max_pool with tf.grad",
    "avg_pool_backprop": "take the gradient of tf.avg_pool with tf.grad",
    "elu_der": "take the gradient of tf.elu with tf.grad",
    "prelu_der": "take the gradient of tf.prelu with tf.grad",
    "value_and_gradients": "use tf.value_and_grads, whose function takes the arrays as arguments",
    "variable_gradients": "use tf.variable_grads, which gives (value, grads)",
    "vjp": "use tf.grad(f)(x, dy), whose function takes the array as an argument",
    "custom_gradient": "use tf.custom_grad",
    "gradients_scope": "use tf.grads, which takes a function",
    "gradient_wrt": "use tf.grads, which takes a function",
    "register": "tensors belong to the scope that they are made in",
    "register_variable": "tf.variable registers variables itself",
    "read_sync": "keep the tensor and call data_sync()",
    "read": "keep the tensor and await data()",
    "write": "tensors cannot be written to",
    "write_pixels": "use tf.browser.from_pixels",
    "dispose_data": "keep the tensor and call dispose()",
}
_GRAPH = {
    **{name: f"tf.{name}(x)" for name in GRAPH_OPS.split()},
    "leaky_relu": "tf.leaky_relu(x, alpha)",
    "variable": "tf.variable(data)",
    "add": "tf.add(x1, x2)",
    "subtract": "tf.sub(x1, x2)",
    "multiply": "tf.mul(x1, x2)",
    "divide": "tf.div(x1, x2)",
    "fused_linear_combination": "tf.add(tf.mul(c1, x1), tf.mul(c2, x2))",
    "prelu": "tf.prelu(x, alpha)",
    "reduce_sum": "tf.sum(x)",
    "matmul": "tf.dot(x1, x2)",
    "reshape": "tf.reshape(x, shape)",
    "concat1d": "tf.concat([x1, x2])",
    "concat2d": "tf.concat([x1, x2], axis)",
    "concat3d": "tf.concat([x1, x2], axis)",
    "concat4d": "tf.concat([x1, x2], axis)",
    "conv2d": "tf.add(tf.conv2d(x, w, stride, zero_pad), b)",
    "max_pool": "tf.max_pool(x, field_size, stride, zero_pad)",
    "softmax": "tf.softmax(x)",
    "softmax_cross_entropy_cost": "tf.losses.softmax_cross_entropy(target, x)",
    "mean_squared_cost": "tf.mul(0.5, tf.losses.mean_squared_error(label, prediction))",
    "argmax": "tf.arg_max(tf.reshape(x, [-1]))",
    "argmax_equals": f"tf.equal({_FLAT.format('x1')}, {_FLAT.format('x2')})",
}
_GRAPH_OWN = {
    "placeholder": "an argument of the function",
    "constant": "tf.tensor(value)",
    "get_nodes": "nothing: functions have no list of nodes",
}
_LAYERS = {"dense": "activation(tf.add(tf.dot(x, weights), bias))"}
# Methods and properties of NDArray; `a` is the array. Those that tensors have under the same name are not listed.
_ARRAY: dict[str, str | list[tuple[str, str]]] = {
    "get": [("locs", "a.buffer_sync().get(locs)"), ("", "a.array_sync()")],
    "val": [("locs", "a.buffer_sync().get(locs)"), ("", "a.array_sync()")],
    "get_values": "a.data_sync()",
    "get_values_async": "a.data()",
    "get_data": "{'values': a.data_sync()}",
    "as1d": "a.as_1d()",
    "as2d": "a.as_2d(rows, columns)",
    "as3d": "a.as_3d(rows, columns, depth)",
    "as4d": "a.as_4d(rows, columns, depth, depth2)",
    "equals": "bool(tf.all(tf.equal(a, t)))",
    # Of 0.5; the others of its methods are methods of tensors.
    **{name: text for name, text in _STRICT.items() if name in CHAINED_OPS.split()},
    "mul_strict": "tf.mul(a, b)",
    "div_strict": "tf.div(a, b)",
    "pow_strict": "tf.pow(a, exp)",
    "arg_max": [("axis", "tf.arg_max(a, axis)"), ("", "tf.arg_max(tf.reshape(a, [-1]))")],
    "arg_min": [("axis", "tf.arg_min(a, axis)"), ("", "tf.arg_min(tf.reshape(a, [-1]))")],
    "batch_normalization": "tf.batch_norm(a, mean, variance, offset, scale, variance_epsilon)",
    "min_pool": "tf.neg(tf.max_pool(tf.neg(a), filter_size, strides, pad, dim_rounding_mode))",
    "local_response_normalization": [
        ("norm_region", ""),
        ("", "tf.local_response_normalization(a, radius, bias, alpha, beta)"),
    ],
    "conv2d": "tf.conv2d(a, filter, strides, pad, dim_rounding_mode=dim_rounding_mode)",
    "conv1d": "tf.conv1d(a, filter, stride, pad, dim_rounding_mode=dim_rounding_mode)",
    "depthwise_conv2d": (
        "tf.depthwise_conv2d(a, filter, strides, pad, dilations=dilations, dim_rounding_mode=dim_rounding_mode)"
    ),
    "buffer": "a.buffer_sync()",
    "variable": "tf.variable(a, trainable, name, dtype)",
}
_BUFFER = "tensors cannot be written to; use tf.buffer, whose to_tensor() makes a tensor"
_ARRAY_NONE = {
    "set": _BUFFER,
    "add": _BUFFER,
    "fill": "tensors cannot be written to; use tf.fill(shape, value)",
    "strides": "tensors have no strides; tf.util.compute_strides(shape) gives them",
    "loc_to_index": "use tf.util.loc_to_index",
    "index_to_loc": "use tf.util.index_to_loc",
    "in_gpu": "tf.get_backend() says where tensors are",
    "get_texture": "there are no textures",
    "get_texture_shape_rc": "there are no textures",
}
# Functions of the classes of arrays.
_STATIC: dict[str, str | list[tuple[str, str]]] = {
    "make": "tf.tensor(data, shape, dtype)",
    "zeros": "tf.zeros(shape, dtype)",
    "ones": "tf.ones(shape, dtype)",
    "zeros_like": "tf.zeros_like(another)",
    "ones_like": "tf.ones_like(another)",
    "like": "tf.clone(another)",
    "rand": "tf.rand(shape, rand_function, dtype)",
    "rand_normal": "tf.random_normal(shape, mean, std_dev, dtype, seed)",
    "rand_truncated_normal": "tf.truncated_normal(shape, mean, std_dev, dtype, seed)",
    "rand_uniform": "tf.random_uniform(shape, a, b, dtype)",
    "from_pixels": "tf.browser.from_pixels(pixels, num_channels)",
}
# Classes, by what is called; the first letter of an array's class says how `new` is called.
_CLASSES: dict[str, str | list[tuple[str, str]]] = {
    **dict.fromkeys(
        ["loadWeights", "load_weights"],
        "tf.io.load_weights(manifest, file_path_prefix, weight_names, request_init)",
    ),
    "Scalar.new": "tf.scalar(value, dtype)",
    "Array1D.new": "tf.tensor1d(values, dtype)",
    "Array2D.new": "tf.tensor2d(values, shape, dtype)",
    "Array3D.new": "tf.tensor3d(values, shape, dtype)",
    "Array4D.new": "tf.tensor4d(values, shape, dtype)",
    "variable": "tf.variable(initial_value, trainable, name, dtype)",
    "NDArray": [("values", "tf.tensor(values, shape, dtype)"), ("", "tf.zeros(shape, dtype)")],
    "SGDOptimizer": "tf.train.sgd(learning_rate)",
    "MomentumOptimizer": "tf.train.momentum(learning_rate, momentum, use_nesterov)",
    "AdagradOptimizer": "tf.train.adagrad(learning_rate, initial_accumulator_value)",
    "RMSPropOptimizer": "tf.train.rmsprop(learning_rate, gamma, momentum, epsilon)",
    "AdadeltaOptimizer": "tf.train.adadelta(learning_rate, gamma, epsilon)",
    "AdamOptimizer": "tf.train.adam(learning_rate, beta1, beta2, epsilon)",
    "AdamaxOptimizer": "tf.train.adamax(learning_rate, beta1, beta2, epsilon, decay)",
    "AdamMaxOptimizer": "tf.train.adamax(learning_rate, beta1, beta2, epsilon, decay)",
}
_CLASSES_NONE = {
    "Graph": "write functions of tensors; tf.variable holds what is learnt",
    "GraphRunner": "write a loop that calls optimizer.minimize",
    "InMemoryDataset": "use tf.data",
    "XhrDataset": "use tf.data",
    "CheckpointLoader": "the new API does not read this format; load here, then save with tf.io",
    "Session": "call the functions; optimizer.minimize trains",
    "InCPUMemoryShuffledInputProviderBuilder": "give the examples to the function yourself, or use tf.data",
    "InGPUMemoryShuffledInputProviderBuilder": "give the examples to the function yourself, or use tf.data",
    "InMemoryShuffledInputProviderBuilder": "give the examples to the function yourself, or use tf.data",
}
_SESSION_OWN = {
    "eval": "tensor(*arguments)",
    "eval_all": "[tensor(*arguments) for tensor in tensors]",
    "train": "optimizer.minimize(lambda: cost(*arguments), True)",
}
_INITIALIZERS: dict[str, str | list[tuple[str, str]]] = {
    "ZerosInitializer": "tf.zeros(shape)",
    "OnesInitializer": "tf.ones(shape)",
    "ConstantInitializer": "tf.fill(shape, value)",
    "NDArrayInitializer": "ndarray",
    "RandomNormalInitializer": "tf.random_normal(shape, mean, stdev)",
    "RandomTruncatedNormalInitializer": "tf.truncated_normal(shape, mean, stdev)",
    "RandomUniformInitializer": "tf.random_uniform(shape, minval, maxval)",
}

Parameters = list[tuple[str, Any]]


class Successor(NamedTuple):
    """The successor of a name in the new API.

    Attributes:
        parameters: the old parameters and their defaults; `inspect.Parameter.empty` where there is none.
        forms: (argument that must be given, expression), the first that fits counts; none where there is no successor.
            An expression is empty where an argument has none.
        reason: what to do instead, where there is none.
        own: the forms are for readers; the code that rewrites has a rule of its own.
        path: the function that takes the same arguments, where there is one.
    """

    parameters: Parameters
    forms: list[tuple[str, str]]
    reason: str = ""
    own: bool = False
    path: str = ""

    @property
    def text(self) -> str:
        """For readers."""
        return " or ".join(form for _, form in self.forms if form) or self.reason

    @property
    def function(self) -> str:
        """The function that takes the same arguments, maybe under other names; empty where there is none."""
        if self.path or self.own or len(self.forms) != 1:
            return self.path
        arguments = f"({', '.join(name for name, _ in self.parameters)})"
        function = self.forms[0][1].removesuffix(arguments)
        return "" if "(" in function else function


def parameters(function: Callable[..., Any], skip: int = 0) -> Parameters:
    """The names and defaults of a function's parameters, behind the first `skip` ones."""
    found = list(inspect.signature(function).parameters.values())[skip:]
    return [(p.name, p.default) for p in found]


def _successor(function: Any, forms: str | list[tuple[str, str]]) -> Successor:
    return Successor(parameters(function), [("", forms)] if isinstance(forms, str) else forms)


def _same(function: Any, path: str) -> Successor:
    """A function of the new API that takes the same arguments."""
    names = ", ".join(name for name, _ in parameters(function))
    return _successor(function, f"tf.{path}({names})")._replace(path=f"tf.{path}")


def _math_successors() -> dict[str, Successor]:
    found: dict[str, Successor] = {}
    for path, op in OPS.items():
        for name in op.legacy:
            found[name] = _same(op.function, path)
    for name, function in OWN_EAGER_OPS.items():
        found[name] = _successor(function, _MATH[name])
    for name, own in MATH_OPS.items():
        if name in _SAME:
            new = _same(own.function, name)
        elif name in _MATH:
            new = _successor(own.function, _MATH[name])
        else:
            new = Successor(parameters(own.function), [], _MATH_NONE[name])
        found |= dict.fromkeys(own.names, new)
    found |= {name: Successor([], [("", form)], "", own=True) for name, form in _MATH_OWN.items()}
    found |= {name: Successor([], [], reason) for name, reason in _MATH_NONE.items() if name not in found}
    return found


def _methods(owner: type, forms: dict[str, Any], none: dict[str, str], own: bool = False) -> dict[str, Successor]:
    def parameters_of(name: str) -> Parameters:
        return parameters(getattr(owner, name), 1) if callable(getattr(owner, name)) else []

    found = {n: Successor(parameters_of(n), [("", f)] if isinstance(f, str) else f, "", own) for n, f in forms.items()}
    return found | {n: Successor([], [], reason) for n, reason in none.items()}


def _classes() -> dict[str, Successor]:
    from tfpy import legacy as dl

    def function(path: str) -> Any:
        found: Any = dl
        for part in path.split("."):
            found = getattr(found, part)
        return found

    table = {path: _successor(function(path), forms) for path, forms in _CLASSES.items()}
    return table | {name: Successor([], [], reason) for name, reason in _CLASSES_NONE.items()}


def _initializers() -> dict[str, Successor]:
    from tfpy.legacy.graphs import initializers

    return {name: _successor(getattr(initializers, name), forms) for name, forms in _INITIALIZERS.items()}


@functools.cache
def table(kind: str) -> dict[str, Successor]:
    """The successors of the names of one kind, in snake_case.

    Args:
        kind: 'math', 'graph', 'layers', 'array', 'static', 'session', 'class' or 'initializer'.
    """
    if kind == "math":
        return _math_successors()
    if kind == "class":
        return _classes()
    if kind == "initializer":
        return _initializers()
    if kind == "graph":
        return _methods(Graph, _GRAPH, {}) | _methods(Graph, _GRAPH_OWN, {}, own=True)
    if kind == "array":
        return _methods(NDArray, _ARRAY, _ARRAY_NONE)
    if kind == "static":
        return {n: _successor(getattr(NDArray, n), forms) for n, forms in _STATIC.items()}
    if kind == "layers":
        return _methods(GraphLayers, _LAYERS, {}, own=True)
    return _methods(Session, _SESSION_OWN, {}, own=True)


OWNERS = {"math": "NDArrayMath", "graph": "Graph", "array": "ArrayMethods", "static": "NDArray"}


@functools.cache
def _spellings(kind: str) -> dict[str, str]:
    special = EXCEPTIONS.get(OWNERS.get(kind, ""), {})
    return {special.get(n) or camel(n): n for n in table(kind)}


def snake(kind: str, name: str) -> str:
    """The name under which a table has a name of either spelling."""
    return name if name in table(kind) else _spellings(kind).get(name, name)


def successor(kind: str, name: str) -> Successor | None:
    """The successor of a name in either spelling; None for a name that the table does not have."""
    return table(kind).get(snake(kind, name))
